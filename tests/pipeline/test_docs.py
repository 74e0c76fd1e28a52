"""The generated pages say what the code says, and a stale one is noticed."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pipeline import docs
from pipeline.config import REPOSITORY
from pipeline.models.approval import Approval
from pipeline.models.receipt import GENESIS, Closed, Opened

SHA = "ab" * 32
APPROVAL: dict[str, Any] = {
    "manifest": SHA,
    "account": "demo",
    "operations": {"label": 1, "archive": 0, "create_label": 0},
    "message_ids": ["m1"],
    "decisions_log": SHA,
    "approved_by": "stated",
    "approved_at": "2026-11-28T09:00:10Z",
    "expires_at": "2026-11-28T10:00:00Z",
    "mac": SHA,
}
OPENED: dict[str, Any] = {
    "sequence": 0,
    "previous": GENESIS,
    "run": "ab" * 8,
    "purpose": "execute",
    "account": "demo",
    "address": "casey@demo.example",
    "manifest": SHA,
    "approval": SHA,
    "message_ids": ["m1"],
    "at": "2026-11-28T09:00:11Z",
}
CLOSED: dict[str, Any] = {
    "sequence": 1,
    "previous": SHA,
    "statuses": {"verified": 1},
    "not_sent": [],
    "units": 52,
    "requests": 2,
    "at": "2026-11-28T09:00:12Z",
    "mac": SHA,
}


def approval_json() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(Approval.model_validate_json(json.dumps(APPROVAL)).to_bytes())
    return value


def test_the_committed_pages_are_fresh() -> None:
    assert docs.refresh(docs.pages(), REPOSITORY, write=False) == (), "make docs"


def test_a_missing_and_a_stale_page_are_named_and_written_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_bytes(b"old")
    wanted = {"old.md": b"new", "gone.md": b"new"}
    assert docs.refresh(wanted, tmp_path, write=False) == ("old.md", "gone.md")
    assert (tmp_path / "old.md").read_bytes() == b"old"
    docs.refresh(wanted, tmp_path, write=True)
    assert docs.refresh(wanted, tmp_path, write=False) == ()


def test_every_document_has_a_valid_schema_that_forbids_more() -> None:
    assert list(docs.schemas()) == [
        "approval",
        "capture",
        "decision",
        "grant",
        "granted-approval",
        "manifest",
        "receipt",
    ]
    for name, schema in docs.schemas().items():
        jsonschema.Draft202012Validator.check_schema(schema)
        parts = [schema, *schema.get("$defs", {}).values()]
        objects = [part for part in parts if part.get("type") == "object"]
        assert objects, name
        assert all(part["additionalProperties"] is False for part in objects), name


def test_an_approval_that_we_write_fits_its_schema_and_one_with_more_or_less_does_not() -> None:
    validator = jsonschema.Draft202012Validator(docs.schemas()["approval"])
    value = approval_json()
    assert validator.is_valid(value)
    assert not validator.is_valid({**value, "note": "x"})
    assert not any(validator.is_valid({k: v for k, v in value.items() if k != name}) for name in value)


@pytest.mark.parametrize(("model", "values"), [(Opened, OPENED), (Closed, CLOSED)])
def test_a_receipt_line_that_we_write_fits_the_schema_of_its_event_only(model: Any, values: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(docs.schemas()["receipt"])
    line = json.loads(model.model_validate_json(json.dumps(values)).to_bytes())
    assert validator.is_valid(line)
    assert not validator.is_valid({**line, "event": "excluded"})
    assert not any(validator.is_valid({k: v for k, v in line.items() if k != name}) for name in line if name != "after")


def test_the_first_run_of_a_workspace_names_no_earlier_one_and_the_next_one_does() -> None:
    validator = jsonschema.Draft202012Validator(docs.schemas()["receipt"])
    for values, is_named in ((OPENED, False), ({**OPENED, "after": "0" * 16}, True)):
        line = json.loads(Opened.model_validate_json(json.dumps(values)).to_bytes())
        assert validator.is_valid(line) and ("after" in line) == is_named
        assert not validator.is_valid({**line, "after": None}), "both readers refuse a null there"


def test_each_stage_has_its_row_in_the_order_of_the_data() -> None:
    rows = [line for line in docs.pages()["docs/stages.md"].decode().splitlines() if line.startswith("| [")]
    names = [row[3 : row.index("]")] for row in rows]
    stages = {path.stem for path in (REPOSITORY / "stages").glob("[a-z]*.py")}
    assert set(names) == {stage.replace("_", "-") for stage in stages} and len(names) == len(stages)
    assert names.index("normalize") < names.index("decide") < names.index("plan")
    assert all(row.count("|") == 6 for row in rows)


@pytest.mark.parametrize(
    ("manual", "sentence"),
    [
        ("plan: decisions in, changes out. It holds no time.", "decisions in, changes out."),
        ("The one module: it opens files. More.", "The one module: it opens files."),
        ("fetch: ask\nGmail.\n\nSecond paragraph. x", "ask Gmail."),
        ("", "."),
    ],
)
def test_the_first_sentence_is_the_whole_sentence_and_no_more(manual: str, sentence: str) -> None:
    assert docs.first_sentence(manual) == sentence
