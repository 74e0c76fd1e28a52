"""Files that another tool saved become a capture byte for byte, or nothing is written at all."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.clock import FixedWall, VirtualMonotonic
from pipeline.config import find_config
from pipeline.context import Context
from pipeline.evidence.captures import read_captures
from pipeline.refusals import (
    DroppedOn429,
    ForeignAccount,
    IncompleteCapture,
    MetadataOnly,
    MissingArtifact,
    MissingPage,
    NotJson,
    Refusal,
    TruncatedThread,
    UnknownShape,
    UsageRefused,
)
from pipeline.store import tree_files
from stages.ingest import ingest
from tests.strategies.captures import ADDRESS, NOON, Letter
from tests.strategies.case_files import case_path
from tests.strategies.snapshots import normalized
from tests.worlds import make_folders

FOUND = {"id": "m1", "sender": "Ann <ann@vendor.example>", "subject": "Hello", "date": "2026-11-23T10:00:00Z"}
SEARCHED = {"threads": [{"id": "m1", "messages": [{**FOUND, "labelIds": ["INBOX"]}]}]}


def context_in(folder: Path) -> Context:
    folders = make_folders(folder)
    return Context(
        workspace=folders.workspace(),
        config=find_config("demo", {}, folders.config),
        wall=FixedWall(NOON),
        monotonic=VirtualMonotonic(),
        gmail=None,  # type: ignore[arg-type]  # ingest never asks Gmail
        approval_key=lambda: b"",
        terminal=None,
        derive=lambda *wanted: (),
        say=lambda text: None,
    )


def saved(folder: Path, *documents: Any) -> tuple[Path, ...]:
    """Files with these contents; bytes as they are, other values as JSON."""
    folder.mkdir(exist_ok=True)
    paths = tuple(folder / f"saved-{number}.json" for number in range(len(documents)))
    for path, document in zip(paths, documents, strict=True):
        path.write_bytes(document if isinstance(document, bytes) else json.dumps(document, indent=2).encode())
    return paths


@pytest.mark.contract("EV-1")
def test_files_stay_whole_and_come_back_byte_for_byte(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    odd = b'{ "threads" : [ ] }\r\n\r\n'
    files = saved(tmp_path / "from", SEARCHED, odd, Letter("a1", "a1").resource)
    seal = ingest(context, files, "inbox")
    (capture,) = read_captures(context.workspace)
    assert [exchange.body for exchange in capture.exchanges] == [path.read_bytes() for path in files]
    folder = context.workspace.raw / seal.id
    assert [path.name for path in sorted(folder.glob("0*"))] == [
        "0001-search_threads.json",
        "0002-search_threads.json",
        "0003-messages.get.json",
    ]
    assert (folder / "0002-search_threads.json").read_bytes() == odd
    assert seal.source == "ingest"
    assert seal.attested_address is None


@pytest.mark.contract("ID-1")
def test_identity_comes_from_a_profile_body_and_from_nothing_else(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    profile = {"emailAddress": ADDRESS.upper(), "historyId": "9"}
    seal = ingest(context, saved(tmp_path / "from", profile, SEARCHED), "inbox")
    assert seal.attested_address == ADDRESS.upper()


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("document", [{}, {"threads": []}, {"resultSizeEstimate": 0}, {"messages": []}])
def test_an_empty_answer_is_a_valid_capture(document: dict[str, Any], tmp_path: Path) -> None:
    context = context_in(tmp_path)
    ingest(context, saved(tmp_path / "from", document), "inbox")
    assert normalized(read_captures(context.workspace), ())["messages"].height == 0


BAD: dict[str, tuple[list[Any], type[Refusal]]] = {
    "not json": ([b"<html>"], NotJson),
    "cut": ([b'{"threads":['], NotJson),
    "empty file": ([b""], NotJson),
    "duplicate key": ([b'{"threads":[],"threads":[]}'], NotJson),
    "unknown shape": ([{"error": {"code": 404}}], UnknownShape),
    "asked too fast": ([{"error": {"code": 429}}], DroppedOn429),
    "no subject key": ([{"threads": [{"id": "t", "messages": [{"id": "a", "sender": "x"}]}]}], MetadataOnly),
    "five messages": (
        [{"threads": [{"id": "t", "messages": [{**FOUND, "id": f"m{n}"} for n in range(5)]}]}],
        TruncatedThread,
    ),
    "more pages": ([{**SEARCHED, "nextPageToken": "x"}], MissingPage),
    "a listed id without body": ([{"messages": [{"id": "a1", "threadId": "a1"}]}], IncompleteCapture),
    "another account": ([{"emailAddress": "other@example.com"}, SEARCHED], ForeignAccount),
    "a good file first": ([SEARCHED, b"nope"], NotJson),
}


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(("documents", "refusal"), BAD.values(), ids=BAD.keys())
def test_one_bad_file_refuses_all_and_nothing_is_written(
    documents: list[Any], refusal: type[Refusal], tmp_path: Path
) -> None:
    context = context_in(tmp_path)
    files = saved(tmp_path / "from", *documents)
    before = tree_files(tmp_path)
    with pytest.raises(refusal):
        ingest(context, files, "inbox")
    assert tree_files(tmp_path) == before


def test_a_file_that_is_absent_or_a_link_is_refused(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    (good,) = saved(tmp_path / "from", SEARCHED)
    link = tmp_path / "link.json"
    link.symlink_to(good)
    for path in (link, tmp_path / "absent.json", tmp_path):
        with pytest.raises(MissingArtifact):
            ingest(context, (good, path), "inbox")
    assert read_captures(context.workspace) == ()


def test_an_unknown_purpose_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageRefused):
        ingest(context_in(tmp_path), saved(tmp_path / "from", SEARCHED), "everything")


def test_a_list_and_its_bodies_are_complete_together(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    listed = {"messages": [{"id": "a1", "threadId": "a1"}], "resultSizeEstimate": 1}
    ingest(context, saved(tmp_path / "from", listed, Letter("a1", "a1").resource), "inbox")
    assert normalized(read_captures(context.workspace), ())["messages"]["id"].to_list() == ["a1"]


@pytest.mark.contract("EV-4")
def test_case_07_from_missing_or_null_refuses_the_file_and_takes_its_sound_threads(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    with pytest.raises(MetadataOnly, match="t-null-3 has no from") as refusal:
        ingest(context, (case_path("07", "search_threads.json"),), "inbox")
    assert "from" in refusal.value.evidence
    assert read_captures(context.workspace) == ()
    document = json.loads(case_path("07", "search_threads.json").read_text())
    document["threads"] = document["threads"][:2]
    ingest(context, saved(tmp_path / "from", document), "inbox")
    rows = normalized(read_captures(context.workspace), ())["messages"]
    assert rows["id"].to_list() == ["t-null-1", "t-null-2"]
    assert rows["from_address"].to_list() == [None, None]
    assert all(defects for defects in rows["defects"].to_list())


def test_the_same_file_twice_over_is_one_message(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    ingest(context, saved(tmp_path / "from", SEARCHED, SEARCHED), "inbox")
    ingest(context, saved(tmp_path / "again", SEARCHED), "inbox")
    out = normalized(read_captures(context.workspace), ())
    assert out["messages"].height == 1
    assert out["label_history"].height == 2
