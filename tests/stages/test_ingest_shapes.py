"""Every way mail comes in from files: kept byte for byte and read, or refused by name before anything is written."""

import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.context import Context
from pipeline.evidence.captures import read_captures
from pipeline.evidence.raw import read_mail
from pipeline.evidence.wanted import Wanted, missing_sources, wanted, wanted_of_files
from pipeline.mail.reader import Mail
from pipeline.refusals import (
    DroppedOn429,
    DuplicateIdConflict,
    IncompleteCapture,
    InputRefused,
    MissingArtifact,
    MissingPage,
    NotJson,
    NotVerbatim,
    Refusal,
    TruncatedThread,
    UnknownShape,
)
from pipeline.store import tree_files
from stages.ingest import ingest, pieces_of, read_saved
from stages.screen import judge_one
from tests.stages.test_ingest import context_in
from tests.strategies.captures import ADDRESS, Letter
from tests.strategies.raw_mail import boxed, mail_bytes
from tests.strategies.saved import (
    ANN,
    DATE,
    LABEL_LIST,
    LETTERS,
    PROFILE,
    api_thread,
    connector_thread,
    in_format,
    json_lines,
    listed,
    searched,
    shown,
    triage,
    write,
)
from tests.strategies.snapshots import normalized
from tests.sweeps import sweep

A1, A2, B1 = LETTERS
FIELDS = (("From", ANN), ("Subject", "Hello"), ("Date", DATE))
BOXED = boxed(
    [
        mail_bytes(("X-GM-THRID", "1790000000000000001"), ("X-Gmail-Labels", "Inbox,Job alerts,Opened"), *FIELDS),
        mail_bytes(("X-GM-THRID", "1790000000000000001"), ("X-Gmail-Labels", "Inbox,Nowhere"), *FIELDS),
    ]
)


def taken(folder: Path, *contents: object, names: tuple[str, ...] = (), **options: Any) -> dict[str, pl.DataFrame]:
    """The snapshot of these files, ingested in one go."""
    context = context_in(folder)
    ingest(context, write(folder / "from", *contents, names=names), options.pop("purpose", "inbox"), **options)
    return normalized(read_captures(context.workspace), ())


def rows(tables: dict[str, pl.DataFrame]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in tables["messages"].iter_rows(named=True)}


def verdicts(context: Context) -> dict[str, str]:
    return {r.mail.id: judge_one(r.mail, ADDRESS)[0] for r in read_mail(read_captures(context.workspace))}


# --- each shape in


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("kind", ["full", "raw", "metadata"])
def test_each_format_of_a_message_is_a_row(kind: str, tmp_path: Path) -> None:
    document = B1.resource if kind == "full" else in_format(B1, kind)
    row = rows(taken(tmp_path, document))["b1"]
    assert (row["from_address"], row["subject"]) == ("ann@vendor.example", "Hello")
    assert row["label_ids"] == ["CATEGORY_UPDATES", "INBOX"]
    assert row["body_state"] == ("not_fetched" if kind == "metadata" else "fetched")


def test_format_minimal_alone_is_refused_as_a_row_and_beside_a_body_it_brings_labels(tmp_path: Path) -> None:
    alone = taken(tmp_path / "alone", in_format(B1, "minimal"))
    assert alone["messages"].height == 0
    assert alone["refused"]["reason"].to_list() == ["no-payload"]
    worn = {**in_format(B1, "minimal"), "labelIds": ["STARRED"]}
    both = taken(tmp_path / "both", worn, B1.resource)
    assert rows(both)["b1"]["label_ids"] == ["CATEGORY_UPDATES", "INBOX", "STARRED"]
    assert both["refused"].height == 0


def test_a_later_minimal_answer_refreshes_the_labels(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    ingest(context, write(tmp_path / "from", B1.resource), "inbox")
    worn = {**in_format(B1, "minimal"), "labelIds": ["STARRED"]}
    ingest(context, write(tmp_path / "again", worn), "inbox")
    assert rows(normalized(read_captures(context.workspace), ()))["b1"]["label_ids"] == ["STARRED"]


@pytest.mark.parametrize("kind", ["full", "metadata"])
def test_an_api_thread_is_all_its_messages(kind: str, tmp_path: Path) -> None:
    thread = api_thread(A1, A2)
    if kind == "metadata":
        thread["messages"] = [in_format(one, kind) for one in (A1, A2)]
    assert set(rows(taken(tmp_path, thread))) == {"a1", "a2"}


def test_a_connectors_thread_has_a_body_and_stays_partial(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    asking = {**shown(A1), "plaintextBody": "Please confirm.", "htmlBody": "<p>Please confirm.</p>"}
    ingest(context, write(tmp_path / "from", {"id": "a1", "messages": [asking, shown(A2)]}), "inbox")
    found = {r.mail.id: r.mail for r in read_mail(read_captures(context.workspace))}
    first, second = found["a1"], found["a2"]
    assert isinstance(first, Mail)
    assert isinstance(second, Mail)
    assert "confirm" in first.body.text
    assert first.body.state == "lossy", "nobody saw it whole"
    assert second.body.state == "not_fetched"
    assert set(verdicts(context).values()) == {"partial"}


def test_a_helpers_list_is_partial_and_takes_threads_from_lists(tmp_path: Path) -> None:
    tables = taken(tmp_path / "alone", triage(A2))
    assert rows(tables)["a2"]["thread_id"] == "a2"
    assert "thread_unknown" in rows(tables)["a2"]["defects"]
    assert rows(tables)["a2"]["label_ids"] is None
    both = taken(tmp_path / "both", triage(A1, A2), listed(A1, A2))
    assert {one["thread_id"] for one in rows(both).values()} == {"a1"}


def test_pages_a_line_stay_one_file_and_the_last_decides(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    lines = json_lines(searched(A1, nextPageToken="x"), searched(B1))
    seal = ingest(context, write(tmp_path / "from", lines), "inbox")
    folder = context.workspace.raw / seal.id
    assert (folder / "0001-search_threads.jsonl").read_bytes() == lines
    assert seal.counts == {"search_threads": 2}
    assert set(rows(normalized(read_captures(context.workspace), ()))) == {"a1", "b1"}


def test_a_takeout_mbox_is_its_messages_with_labels_by_name(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    seal = ingest(context, write(tmp_path / "from", BOXED, LABEL_LIST, names=("All mail.mbox", "labels.json")), "inbox")
    folder = context.workspace.raw / seal.id
    assert (folder / "0001-mbox.mbox").read_bytes() == BOXED
    found = rows(normalized(read_captures(context.workspace), ()))
    first, second = (f"{1790000000000000017 + n:016x}" for n in (0, 1))
    assert found[first]["label_ids"] == ["INBOX", "Label_12"]
    assert found[second]["label_ids"] is None, "a label that nobody knows makes the list unknown"
    assert {one["thread_id"] for one in found.values()} == {f"{1790000000000000001:016x}"}


def test_a_folder_of_mail_files_is_taken_whole(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    folder = tmp_path / "mails"
    write(folder, mail_bytes(*FIELDS, text="One."), mail_bytes(*FIELDS, text="Two."), names=("a.eml", "b.eml"))
    ingest(context, (folder,), "inbox")
    found = normalized(read_captures(context.workspace), ())["messages"]
    assert found.height == 2
    assert found["label_ids"].to_list() == [None, None]
    assert found["body_state"].to_list() == ["fetched", "fetched"]
    assert {path.name for path in tree_files(context.workspace.raw)} >= {"0001-eml.eml", "0002-eml.eml"}


@pytest.mark.contract("EV-4")
def test_a_folder_that_is_empty_or_holds_something_else_is_refused(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingArtifact):
        ingest(context, (tmp_path / "empty",), "inbox")
    write(tmp_path / "mixed", mail_bytes(*FIELDS), b"%PDF-1.7", names=("a.eml", "b.pdf"))
    with pytest.raises(NotJson):
        ingest(context, (tmp_path / "mixed",), "inbox")
    assert read_captures(context.workspace) == ()


@pytest.mark.parametrize("document", [{"historyId": "9"}, {"filter": []}, {"labels": []}, {}, {"drafts": []}])
@pytest.mark.parametrize("purpose", ["inbox", "labels", "sent"])
def test_empty_answers_of_every_list_are_valid(document: dict[str, Any], purpose: str, tmp_path: Path) -> None:
    assert taken(tmp_path, document, purpose=purpose)["messages"].height == 0


def test_the_index_says_who_said_what_the_files_are(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    ingest(context, write(tmp_path / "from", searched(A1), PROFILE), "promotions")
    (capture,) = read_captures(context.workspace)
    assert {exchange.parameters["purpose"] for exchange in capture.exchanges} == {"promotions"}
    assert capture.seal.purposes == ("promotions",)


# --- several sources


def test_labels_add_up_within_one_capture_and_the_richest_source_leads(tmp_path: Path) -> None:
    starred = searched(Letter("b1", "b1", sender=ANN, subject="Hello", labels=("STARRED",), age=0))
    row = rows(taken(tmp_path, starred, B1.resource))["b1"]
    assert row["label_ids"] == ["CATEGORY_UPDATES", "INBOX", "STARRED"]
    assert (row["headers_seen"], row["body_state"]) == (True, "fetched")


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("other", [{"sender": "Eve <eve@drop-zone.example>"}, {"subject": "Other"}, {"thread": "c1"}])
def test_files_that_contradict_each_other_are_refused(other: dict[str, str], tmp_path: Path) -> None:
    context = context_in(tmp_path)
    second = Letter(**{"id": "b1", "thread": "b1", "sender": ANN, "subject": "Hello", "age": 0, **other})
    first, files = write(tmp_path / "from", B1.resource, searched(second))
    with pytest.raises(DuplicateIdConflict):
        ingest(context, (first, files), "inbox")
    assert read_captures(context.workspace) == ()
    ingest(context, (first,), "inbox")
    with pytest.raises(DuplicateIdConflict):
        ingest(context, (files,), "inbox")
    assert len(read_captures(context.workspace)) == 1, "a capture that contradicts an older one would block every plan"


# --- refused by name

SHORT = [Letter(f"m{n}", "t1", sender=ANN, subject="Hello", age=0) for n in range(6)]
THREAD_LIST = {"threads": [{"id": "a1", "historyId": "1"}]}
BAD: dict[str, tuple[list[object], type[Refusal]]] = {
    "a thread that may be cut": ([searched(*SHORT[:5])], TruncatedThread),
    "a cut thread, its whole lacks one": ([searched(*SHORT[:5]), connector_thread(*SHORT[:4])], TruncatedThread),
    "a list names a member that the thread lacks": ([listed(A1, A2), api_thread(A1), A2.resource], TruncatedThread),
    "a body of another page": ([listed(A1), A1.resource, B1.resource], MissingPage),
    "a thread of another page": ([THREAD_LIST, api_thread(A1), B1.resource], MissingPage),
    "a listed thread without messages": ([THREAD_LIST], IncompleteCapture),
    "a last line that names a next page": ([json_lines(searched(A1), searched(B1, nextPageToken="x"))], MissingPage),
    "lines that changed places": (
        [json_lines(searched(A1, nextPageToken="x"), searched(B1), searched(A2))],
        NotVerbatim,
    ),
    "a line that is cut": ([json_lines(searched(A1, nextPageToken="x"))[:-9] + b"\n" + json_lines({})], NotJson),
    "an error among the answers": ([A1.resource, {"error": {"code": 429, "message": "slow"}}], DroppedOn429),
    "an error of the limit": (
        [{"error": {"code": 403, "errors": [{"reason": "rateLimitExceeded"}]}}],
        DroppedOn429,
    ),
    "minimal for a listed message": ([listed(A1), in_format(A1, "minimal")], IncompleteCapture),
}  # fmt: skip


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(("contents", "refusal"), BAD.values(), ids=BAD.keys())
def test_files_that_are_not_the_whole_are_refused_and_nothing_is_written(
    contents: list[object], refusal: type[Refusal], tmp_path: Path
) -> None:
    context = context_in(tmp_path)
    files = write(tmp_path / "from", *contents)
    before = tree_files(tmp_path)
    with pytest.raises(refusal):
        ingest(context, files, "inbox")
    assert tree_files(tmp_path) == before


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.mbox", b""),
        ("a.mbox", b"Subject: a\n\nb"),
        ("a.eml", b""),
        ("a.eml", b"nothing of mail"),
        ("a.json", b"nope"),
    ],
)
def test_a_mail_file_that_holds_no_mail_is_refused(name: str, body: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputRefused) as refusal:
        ingest(context_in(tmp_path), write(tmp_path / "from", body, names=(name,)), "inbox")
    assert refusal.value.slug in ("unknown-shape", "not-json")


GOOD: list[list[object]] = [
    [searched(*SHORT[:5]), connector_thread(*SHORT)],
    [searched(*SHORT[:5]), api_thread(*SHORT)],
    [listed(A1, A2, nextPageToken="x"), listed(B1), A1.resource, A2.resource, B1.resource],
    [listed(A1), api_thread(A1, A2)],
    [listed(A1, B1), searched(A1, B1)],
    [THREAD_LIST, api_thread(A1, A2)],
    [json_lines(A1.resource, A2.resource)],
]


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("contents", GOOD)
def test_the_neighbours_that_are_whole_are_taken(contents: list[object], tmp_path: Path) -> None:
    assert taken(tmp_path, *contents)["messages"].height > 0


def test_dropped_on_429_is_its_name() -> None:
    assert DroppedOn429("").slug == "dropped-on-429"


# --- nothing is left out in silence

WHOLE: list[object] = [
    listed(A1, A2, nextPageToken="x"),
    listed(B1),
    api_thread(A1, A2),
    B1.resource,
    LABEL_LIST,
    PROFILE,
]


def seen(context: Context) -> tuple[object, ...]:
    """Everything that tells a person or an agent what is there, and what is not."""
    captures = read_captures(context.workspace)
    return (wanted(captures), missing_sources(captures), captures[0].seal.attested_address)


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("gone", range(len(WHOLE)))
def test_leaving_out_any_file_of_a_raw_set_is_refused_or_told(gone: int, tmp_path: Path) -> None:
    context = context_in(tmp_path / "whole")
    ingest(context, write(tmp_path / "whole" / "from", *WHOLE), "inbox")
    assert seen(context) == ((), (), ADDRESS)
    part = context_in(tmp_path / "part")
    try:
        ingest(part, write(tmp_path / "part" / "from", *(one for n, one in enumerate(WHOLE) if n != gone)), "inbox")
    except InputRefused:
        assert read_captures(part.workspace) == ()
        return
    assert WHOLE[gone] in (LABEL_LIST, PROFILE), "mail that is left out is refused"
    assert seen(part) != ((), (), ADDRESS)


def _delete(document: Any, dice: Callable[[int], int]) -> bool:
    """Take one message, item or page out of a document; whether there was one."""
    key = next((key for key in ("messages", "threads") if document.get(key)), None)
    if key is None:
        return False
    document[key].pop(dice(len(document[key])))
    return True


@pytest.mark.contract("EV-4")
@settings(max_examples=sweep(300), deadline=None)
@given(st.data())
def test_deleting_any_element_of_a_raw_set_never_yields_a_silent_snapshot(data: st.DataObject) -> None:
    contents = json.loads(json.dumps(WHOLE))
    at = data.draw(st.integers(0, 2))
    assert _delete(contents[at], lambda size: data.draw(st.integers(0, size - 1)))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        try:
            tables = taken(place, *contents)
        except InputRefused:
            assert not list(place.rglob("capture.json"))
            return
        assert at < 2, "a body that is left out is refused"
        assert tables["messages"].equals(whole_snapshot()["messages"]), "only what another file also says may go"
        assert tables["threads"].equals(whole_snapshot()["threads"])


@cache
def whole_snapshot() -> dict[str, pl.DataFrame]:
    with tempfile.TemporaryDirectory() as folder:
        return taken(Path(folder), *WHOLE)


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("gone", range(3))
def test_a_page_that_no_other_file_names_is_missed_when_the_number_of_pages_was_said(gone: int, tmp_path: Path) -> None:
    pages = [searched(A1, nextPageToken="x"), searched(A2, nextPageToken="y"), searched(B1)]
    assert taken(tmp_path / "all", *pages, pages=3)["messages"].height == 3
    with pytest.raises(MissingPage):
        taken(tmp_path / "some", *(one for n, one in enumerate(pages) if n != gone), pages=3)


# --- labels alone, and what is wanted


def test_labels_only_takes_labels_and_a_profile_and_nothing_else(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    ingest(context, write(tmp_path / "from", B1.resource, LABEL_LIST), "inbox")
    fewer = {"labels": [one for one in LABEL_LIST["labels"] if one["id"] != "Label_7"]}
    seal = ingest(context, write(tmp_path / "again", fewer, PROFILE), "inbox", labels_only=True)
    assert seal.purposes == ("labels",)
    tables = normalized(read_captures(context.workspace), ())
    assert "Label_7" not in tables["labels"]["id"].to_list()
    assert rows(tables)["b1"]["label_ids"] == ["CATEGORY_UPDATES", "INBOX"]
    for contents in ((fewer, searched(A1)), (PROFILE,), ({},)):
        with pytest.raises(UnknownShape):
            ingest(context, write(tmp_path / "bad", *contents), "inbox", labels_only=True)


def test_wanted_names_what_has_no_body_and_why(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    ingest(context, write(tmp_path / "from", searched(A1, B1), in_format(LETTERS[1], "minimal")), "inbox")
    captures = read_captures(context.workspace)
    assert wanted(captures) == (
        Wanted("a1", "a1", "no-headers"),
        Wanted("a2", "", "unreadable"),
        Wanted("b1", "b1", "no-headers"),
    )
    assert missing_sources(captures) == ("getProfile", "labels.list")
    ingest(context, write(tmp_path / "more", api_thread(A1, A2), B1.resource, PROFILE, LABEL_LIST), "inbox")
    assert wanted(read_captures(context.workspace)) == ()


def test_wanted_of_files_tells_before_they_are_refused(tmp_path: Path) -> None:
    files = write(tmp_path / "from", listed(A1, B1), A1.resource, searched(*SHORT[:5]))
    exchanges = tuple(piece.exchange for piece in pieces_of(read_saved(files, "inbox")))
    assert wanted_of_files(exchanges) == (Wanted("b1", "b1", "listed"), Wanted("t1", "t1", "thread-cut"))


def test_wanted_names_members_that_a_list_knows_and_nobody_read(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    ingest(context, write(tmp_path / "from", A1.resource), "inbox")
    ingest(context, write(tmp_path / "all", listed(A1, A2)), "sent")
    assert wanted(read_captures(context.workspace)) == (Wanted("a2", "a1", "unread-member"),)
