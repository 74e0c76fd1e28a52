"""The notebook counts what the decisions log says, and leaves nothing behind."""

import importlib.util
import json
import shutil
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pipeline.canonical import sha256_hex
from pipeline.config import REPOSITORY
from pipeline.models.approval import Approval, ApprovedOperations
from pipeline.models.decision import Decision
from pipeline.refusals import Tampered
from pipeline.sealing.documents import decisions_log_bytes

NOTEBOOK = REPOSITORY / "notebooks" / "decisions.py"
MANIFEST = "ab" * 32
CASES = (
    ("irrelevant", None, "leave"),
    ("none", None, "leave"),
    ("none", None, "leave"),
    ("review", "Review Manually", "label"),
    ("tier1", "Interview", "label"),
    ("tier1", "Rejection", "leave"),
    ("sender", "Job Alert", "label+archive"),
    ("override", "Job Alert", "label+archive"),
)
"""Source, classification and action of the messages of a small log, written by hand."""


def decision(number: int, source: str, classification: str | None, action: str) -> Decision:
    values = {
        "as_of": "2026-11-28T09:00:00Z",
        "message_id": f"m{number}",
        "thread_id": f"t{number}",
        "sender": "jobs@boardly.example",
        "subject": "New jobs",
        "classification": classification,
        "confidence": 0.9,
        "source": source,
        "rule": None,
        "evidence": [],
        "reasons": [],
        "screen": "clean",
        "protected": [],
        "action": action,
        "approved": action != "leave",
    }
    return Decision.model_validate_json(json.dumps(values))


def workspace_with_log(root: Path) -> Path:
    """A workspace in which one run was approved, as far as a reader of logs looks; returns the log's path."""
    data = decisions_log_bytes(tuple(decision(number, *case) for number, case in enumerate(CASES)))
    approval = Approval.model_validate_json(
        json.dumps(
            {
                "manifest": MANIFEST,
                "account": "demo",
                "operations": ApprovedOperations(label=2, archive=2, create_label=0).model_dump(),
                "message_ids": ["m3", "m4", "m6", "m7"],
                "decisions_log": sha256_hex(data),
                "approved_by": "stated",
                "approved_at": "2026-11-28T09:00:10Z",
                "expires_at": "2026-11-28T10:00:00Z",
                "mac": "0" * 64,
            }
        )
    )
    (root / "manifests").mkdir(parents=True)
    (root / "manifests" / f"{MANIFEST}.json").write_bytes(b"{}")
    (root / "manifests" / f"{MANIFEST}.approval.json").write_bytes(approval.to_bytes())
    log = root / "data" / "decisions" / "demo" / f"{approval.run}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_bytes(data)
    return log


REGISTRY = """[[mailbox]]
id = "demo"
alias = ["demo"]
address = "casey@demo.example"
status = "organize-only"
endpoint = "twin"
credential = "published:demo"
"""


@pytest.fixture(autouse=True)
def owner_files(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry of its own, so that the test needs no more of the demo than its rules."""
    folder = tmp_path_factory.mktemp("config") / "gmailtriage"
    shutil.copytree(REPOSITORY / "rules", folder / "rules")
    (folder / "mailboxes.toml").write_text(REGISTRY)
    (folder / "policy.toml").write_text("version = 1\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder.parent))


def notebook() -> ModuleType:
    """The notebook as a module: nothing runs yet."""
    spec = importlib.util.spec_from_file_location("decisions_notebook", NOTEBOOK)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shown(monkeypatch: pytest.MonkeyPatch, workspace: Path) -> dict[str, Any]:
    """What the notebook's cells define when it is run on a workspace."""
    monkeypatch.setenv("GMAILTRIAGE_WORKSPACE", str(workspace))
    monkeypatch.setenv("GMAILTRIAGE_ACCOUNT", "demo")
    _, definitions = notebook().app.run()
    return dict(definitions)


def as_dict(table: Any, key: str) -> dict[str, int]:
    return {row[key]: row["messages"] for row in table.iter_rows(named=True)}


def test_the_funnel_narrows_as_the_log_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace_with_log(tmp_path)
    found = shown(monkeypatch, tmp_path)
    assert as_dict(found["funnel_table"], "step") == {
        "messages": 8,
        "relevant": 5,
        "decided": 4,
        "label": 3,
        "archive": 2,
    }
    assert as_dict(found["tier_table"], "source") == {
        "override": 1,
        "tier1": 2,
        "template": 0,
        "sender": 1,
        "review": 1,
        "none": 2,
        "irrelevant": 1,
    }


def test_the_charts_hold_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace_with_log(tmp_path)
    found = shown(monkeypatch, tmp_path)
    for table, chart in (("funnel_table", "funnel_chart"), ("tier_table", "tier_chart")):
        assert found[chart].to_dict()["data"]["values"] == found[table].to_dicts()


@pytest.mark.contract("P4")
def test_an_altered_log_is_refused_by_the_notebook_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = workspace_with_log(tmp_path)
    log.write_bytes(log.read_bytes().replace(b'"sender"', b'"tier1" ', 1))
    with pytest.raises(Exception) as caught:
        shown(monkeypatch, tmp_path)
    assert Tampered.__name__ in repr((caught.value, caught.value.__cause__, caught.value.__context__))


def test_a_workspace_without_runs_is_empty_and_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, tmp_path)["funnel_table"].height == 0


def test_the_demo_run_is_counted_as_its_committed_log_says(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = sorted((REPOSITORY / "data" / "decisions" / "demo").glob("*.jsonl"))
    assert logs, "make demo-accept"
    found = shown(monkeypatch, REPOSITORY)
    for log in logs:
        rows = [json.loads(line) for line in log.read_text().splitlines()]
        counted = Counter(row["source"] for row in rows)
        ours = found["tier_table"].filter(found["tier_table"]["run"] == log.stem)
        assert {name: number for name, number in as_dict(ours, "source").items() if number} == dict(counted)
        funnel = as_dict(found["funnel_table"].filter(found["funnel_table"]["run"] == log.stem), "step")
        assert funnel["messages"] == len(rows)
        assert funnel["archive"] == sum(row["action"] == "label+archive" for row in rows)


@pytest.mark.contract("EV-8")
def test_running_it_leaves_no_session_or_cache_in_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace_with_log(tmp_path / "place")
    places = (REPOSITORY / "notebooks", tmp_path / "place")
    before = {path for place in places for path in place.rglob("*") if "__pycache__" not in path.parts}
    monkeypatch.chdir(tmp_path)
    shown(monkeypatch, tmp_path / "place")
    after = {path for place in places for path in place.rglob("*") if "__pycache__" not in path.parts}
    assert after == before
    assert [path.name for path in tmp_path.iterdir()] == ["place"]
    assert not list(REPOSITORY.glob("**/__marimo__"))
