"""What a mail says: it causes nothing, reaches no terminal alive, and only the raw files. Looking writes nothing."""

import base64
import json
import shutil
import urllib.parse
from pathlib import Path

import polars as pl
import pytest

from pipeline.cli import run
from pipeline.models.manifest import ExistingLabel
from pipeline.models.operation import is_user_label
from pipeline.store import tree_files
from tests.guarantees.approved import CANARY, Approved, fresh, loop_on


@pytest.mark.contract("P5", "EV-2")
def test_the_words_of_a_mail_reach_the_disk_in_the_raw_files_only(approved: Approved, place: Path) -> None:
    twin = fresh(approved.state)
    with loop_on(place, twin) as loop:
        loop.undo(loop.execute(approved.manifest))
        loop.derive("mine")
    raw = [path for path in tree_files(place) if "raw" in path.parts]
    others = [path for path in tree_files(place) if "raw" not in path.parts]
    assert any(form in path.read_bytes() for path in raw for form in forms(CANARY)), "the canary was read at all"
    assert len(others) > 20
    assert [path.name for path in others if any(form in plain(path) for form in forms(CANARY))] == []


def forms(word: str) -> list[bytes]:
    """A word as it would look in other dress: plain, url-encoded, UTF-16, hex, and base64 at each of three offsets."""
    data = word.encode()
    inner = (base64.b64encode(b"x" * shift + data)[4 if shift else 0 : -4] for shift in range(3))
    return [data, urllib.parse.quote(word).encode(), word.encode("utf-16-le"), data.hex().encode(), *inner]


def plain(path: Path) -> bytes:
    """A file's bytes; of a table every cell as text, because parquet is compressed."""
    if path.suffix != ".parquet":
        return path.read_bytes()
    return json.dumps(pl.read_parquet(path).to_dicts(), default=str, ensure_ascii=False).encode()


@pytest.mark.contract("P5", "OU-3")
def test_what_a_hostile_mail_says_reaches_the_terminal_inert(
    approved: Approved, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["why", approved.hostile, "--workspace", str(place), "--config", str(place.parent / "config")])
    shown = capsys.readouterr()
    assert code == 0 and "strangers.example" in shown.out
    odd = [
        c for c in shown.out + shown.err if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066")
    ]
    assert odd == []
    assert CANARY not in shown.out + shown.err


@pytest.mark.contract("P5")
def test_a_hostile_mail_causes_no_operation(approved: Approved) -> None:
    targets = {target.message_id: target for target in approved.manifest.targets}
    mine = targets.get(approved.hostile)
    assert mine is None or mine.change.kind == "label"
    refs = [target.change.label for target in approved.manifest.targets]
    assert all(is_user_label(ref.id) for ref in refs if isinstance(ref, ExistingLabel))


@pytest.mark.contract("AP-11")
def test_looking_and_a_refused_approval_leave_the_facts_as_they_were(approved: Approved, place: Path) -> None:
    approval = place / "manifests" / f"{approved.manifest.sha256}.approval.json"
    approval.unlink()
    shutil.rmtree(place / "data" / "decisions")
    before = {path: path.read_bytes() for path in tree_files(place)}
    digest = approved.manifest.sha256
    where = ["--workspace", str(place), "--config", str(place.parent / "config")]
    for words in (["show"], ["show", digest], ["show", "plan"], ["why", approved.hostile]):
        assert run([*words, *where]) == 0, words
    assert run(["approve", digest, *where]) == 5
    stated = ["--digest", digest, "--mailbox", "other@example.com", "--operations", "label=1"]
    assert run(["approve", digest, *stated, *where]) == 5
    assert {path: path.read_bytes() for path in tree_files(place)} == before
