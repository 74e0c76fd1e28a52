"""fetch over real HTTP, with the real client, against the twin: whole captures or none, whatever the wire does."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.evidence.captures import RawCapture, capture_ids, read_captures
from pipeline.evidence.known import newest_fetch, with_thread_members
from pipeline.evidence.lists import attested_address, listed_threads
from pipeline.evidence.raw import read_mail
from pipeline.mail.message import Mail, Unreadable
from pipeline.models.capture import Capture
from pipeline.refusals import (
    AnswerRefused,
    BudgetRefused,
    QueryRefused,
    QuotaExhausted,
    Refusal,
    SignInAgain,
    UnknownShape,
    Unreachable,
    WrongAccount,
)
from pipeline.session import Request, Session, open_session
from pipeline.store import tree_files
from stages import fetch as module
from stages.fetch import fetch
from tests.strategies.captures import ADDRESS, LABELS, NOON, Letter
from tests.strategies.snapshots import normalized
from tests.worlds import Folders, make_folders
from twin.faults import Fault
from twin.running import Twin
from twin.serve import serve

BOX = (
    Letter("a1", "a1"),
    Letter("a2", "a1", sender=f"Casey Rivers <{ADDRESS}>", labels=("SENT",)),
    Letter("a3", "a1", labels=("TRASH",)),
    Letter("b1", "b1", labels=("INBOX", "STARRED")),
    Letter("c1", "c1", labels=()),
    Letter("d1", "d1", age=400),
)


def twin_of(letters: tuple[Letter, ...] = BOX, address: str = ADDRESS) -> Twin:
    messages = [letter.resource for letter in letters]
    return Twin.from_resources(address, messages, LABELS, clock=lambda: int(NOON.timestamp() * 1000))


@contextmanager
def opened(folders: Folders, twin: Twin) -> Iterator[Session]:
    """A session of the demo account over a served twin."""
    with serve(twin) as server:
        request = Request("demo", folders.place, folders.config, env=folders.env, twin_url=server.url)
        with open_session(request) as session:
            yield session


def fetched(folders: Folders, twin: Twin, **options: bool) -> Capture:
    with opened(folders, twin) as session:
        return fetch(session.context, **options)


def captured(folders: Folders, twin: Twin, **options: bool) -> RawCapture:
    fetched(folders, twin, **options)
    return read_captures(folders.workspace())[-1]


def ids_read(capture: RawCapture) -> list[str]:
    return [str(exchange.parameters["id"]) for exchange in capture.exchanges if exchange.method == "messages.get"]


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return make_folders(tmp_path)


# --- the sound case


@pytest.mark.contract("EV-5", "EV-7")
def test_a_message_nested_beyond_reading_is_refused_alone(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    twin = twin_of()
    answer = twin.answer
    deep = b'{"id":"b1","threadId":"b1","payload":' + b'{"parts":[' * 3_000 + b"]}" * 3_000 + b"}"

    def nested(request: Any) -> Any:
        outcome = answer(request)
        is_read = b'"id":"b1"' in outcome.body and b'"payload"' in outcome.body  # type: ignore[union-attr]
        return replace(outcome, body=deep) if is_read else outcome

    monkeypatch.setattr(twin, "answer", nested)
    capture = captured(folders, twin)
    read = {reading.key: reading.mail for reading in read_mail((capture,))}
    assert read["b1"] == Unreadable("b1", "too-deep", ("payload",))
    assert isinstance(read["a1"], Mail)
    assert deep in [exchange.body for exchange in capture.exchanges]


@pytest.mark.contract("EV-4")
def test_a_list_nested_beyond_reading_is_no_empty_list(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    twin = twin_of()
    answer = twin.answer
    deep = b'{"messages":' + b"[" * 5_000 + b"]" * 5_000 + b"}"

    def nested(request: Any) -> Any:
        outcome = answer(request)
        return replace(outcome, body=deep) if b'"resultSizeEstimate"' in outcome.body else outcome  # type: ignore[union-attr]

    monkeypatch.setattr(twin, "answer", nested)
    with pytest.raises(AnswerRefused):
        fetched(folders, twin)


@pytest.mark.contract("EV-1")
def test_what_the_server_sent_is_what_lies_on_the_disk(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    twin, sent = twin_of(), []
    answer = twin.answer

    def listened(request: Any) -> Any:
        outcome = answer(request)
        sent.append(outcome.body)  # type: ignore[union-attr]  # nothing is lost here
        return outcome

    monkeypatch.setattr(twin, "answer", listened)
    capture = captured(folders, twin)
    assert [exchange.body for exchange in capture.exchanges] == sent
    assert len(sent) > 6
    assert all(b"\n" not in body.strip() for body in sent), "one line a body, because prettyPrint is off"


def test_only_the_window_and_its_threads_are_read_and_lists_know_everything(folders: Folders) -> None:
    capture = captured(folders, twin_of())
    assert ids_read(capture) == ["a1", "b1", "a2", "a3"], "the inbox first, then members of its threads"
    assert set(listed_threads([capture])) == {letter.id for letter in BOX}
    assert attested_address(capture) == ADDRESS
    assert capture.seal.purposes == ("inbox", "labels", "profile")
    assert capture.seal.window.days == 90
    assert capture.seal.history_id == json.loads(next(capture.bodies("getProfile")).body)["historyId"]


def test_the_seal_counts_requests_and_units(folders: Folders) -> None:
    seal = fetched(folders, twin_of())
    assert seal.counts == {"getProfile": 1, "labels.list": 1, "messages.list": 2, "messages.get": 4}
    assert seal.quota_units == 1 + 1 + 2 * 5 + 4 * 20


@pytest.mark.contract("ID-2")
def test_fetch_changes_nothing_and_asks_only_what_it_declares(folders: Folders) -> None:
    twin = twin_of()
    before = twin.label_sets()
    fetched(folders, twin)
    assert twin.mutations == ()
    assert twin.recorded == ()
    assert twin.label_sets() == before
    assert {seen.method for seen in twin.requests} == {"GET"}
    fetched(folders, twin)
    asked = {exchange.method for capture in read_captures(folders.workspace()) for exchange in capture.exchanges}
    assert asked == module.STAGE.methods


def test_a_mailbox_of_many_pages_loses_nothing(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.gmail import gateway

    monkeypatch.setattr(gateway, "PAGE", 2)
    box = tuple(Letter(f"{n:04x}", f"{n:04x}") for n in range(9))
    capture = captured(folders, twin_of(box))
    assert sorted(ids_read(capture)) == [letter.id for letter in box]
    assert capture.seal.counts["messages.list"] == 10
    assert normalized((capture,), ())["messages"].height == 9


def test_an_empty_mailbox_is_a_valid_capture(folders: Folders) -> None:
    capture = captured(folders, twin_of(()))
    assert ids_read(capture) == []
    assert normalized((capture,), ())["messages"].height == 0


def test_a_second_fetch_is_a_second_capture(folders: Folders) -> None:
    twin = twin_of()
    first, second = fetched(folders, twin), fetched(folders, twin)
    assert first.id < second.id
    assert len(read_captures(folders.workspace())) == 2


def test_members_of_inbox_threads_come_once_and_in_order() -> None:
    everything = {"z": "t1", "a": "t1", "b": "t2", "x": "t9"}
    assert with_thread_members({"b": "t2", "a": "t1"}, everything) == ("a", "b", "z")
    assert with_thread_members({}, everything) == ()


# --- what the owner did between two fetches


@pytest.mark.contract("AP-10")
def test_mail_that_the_owner_archived_by_hand_is_read_once_more_and_leaves_the_inbox_of_the_snapshot(
    folders: Folders,
) -> None:
    twin = twin_of()
    fetched(folders, twin)
    twin.relabel("b1", remove=("INBOX",))
    second = captured(folders, twin, full=True)
    assert ids_read(second) == ["a1", "a2", "a3", "b1"]
    tables = normalized(read_captures(folders.workspace()), ())
    labels = dict(zip(tables["messages"]["id"], tables["messages"]["label_ids"].to_list(), strict=True))
    assert labels["b1"] == ["STARRED"]
    seen = tables["label_history"].filter(pl.col("message_id") == "b1")["label_ids"].to_list()
    assert seen == [["INBOX", "STARRED"], ["STARRED"]]
    assert ids_read(captured(folders, twin, full=True)) == ["a1", "a2", "a3"], "once, not for ever"
    assert set(labels) == {"a1", "a2", "a3", "b1"}


@pytest.mark.contract("AP-10")
@pytest.mark.parametrize("is_full", [True, False])
def test_mail_that_was_deleted_for_good_is_refused_as_gone_and_blocks_its_thread_no_longer(
    is_full: bool, folders: Folders
) -> None:
    twin = twin_of()
    fetched(folders, twin)
    twin.vanish("a2")
    twin.vanish("b1")
    fetched(folders, twin, full=is_full)
    tables = normalized(read_captures(folders.workspace()), ())
    assert tables["messages"]["id"].to_list() == ["a1", "a3"]
    assert [(row["message_id"], row["reason"]) for row in tables["refused"].to_dicts()] == [
        ("a2", "gone"),
        ("b1", "gone"),
    ]
    (thread,) = tables["threads"].to_dicts()
    assert (thread["member_ids"], thread["unread_member_ids"]) == (["a1", "a3"], [])


def test_mail_that_grew_too_old_for_the_window_is_not_read_again(tmp_path: Path) -> None:
    folders = make_folders(tmp_path, policy="version = 1\nwindow_days = 90\n")
    twin = twin_of((*BOX, Letter("e1", "e1", age=60)))
    assert "e1" in ids_read(captured(folders, twin))
    (folders.config / "policy.toml").write_text("version = 1\nwindow_days = 30\n")
    assert "e1" not in ids_read(captured(folders, twin))


# --- refusals


@pytest.mark.contract("ID-1")
def test_another_mailbox_behind_the_credential_is_refused_before_anything_is_read(folders: Folders) -> None:
    twin = twin_of(address="other@example.com")
    with pytest.raises(WrongAccount):
        fetched(folders, twin)
    assert [seen.route for seen in twin.requests] == ["getProfile"]
    assert tree_files(folders.place) == ()


@pytest.mark.contract("EV-4", "AP-7")
@pytest.mark.parametrize(
    ("fault", "refusal"),
    [
        (Fault("truncated", "messages.get", nth=2), AnswerRefused),
        (Fault("html", "messages.get", nth=2), AnswerRefused),
        (Fault("empty", "messages.get", nth=3), AnswerRefused),
        (Fault("html", "messages.list"), AnswerRefused),
        (Fault("truncated", "messages.list", nth=2), AnswerRefused),
        (Fault("empty", "labels.list"), AnswerRefused),
        (Fault("html", "getProfile"), AnswerRefused),
        (Fault("http_429", "messages.get", nth=2, count=0), QuotaExhausted),
        (Fault("quota_403", "messages.list", count=0), QuotaExhausted),
        (Fault("http_500", "messages.get", count=0), Unreachable),
        (Fault("http_503", "messages.get", nth=4, count=0), Unreachable),
        (Fault("drop_before", "messages.get", count=0), Unreachable),
        (Fault("drop_after", "labels.list", count=0), Unreachable),
        (Fault("cut", "messages.get", nth=2, count=0), Unreachable),
    ],
    ids=lambda value: f"{value.kind}-{value.route}" if isinstance(value, Fault) else "",
)
def test_a_wire_that_fails_leaves_no_capture_and_no_half_of_one(
    fault: Fault, refusal: type[Refusal], folders: Folders
) -> None:
    twin = twin_of()
    twin.plan(fault)
    with pytest.raises(refusal):
        fetched(folders, twin)
    assert capture_ids(folders.workspace()) == ()
    if fault.route != "messages.get" or fault.nth == 1:
        assert tree_files(folders.place) == (), "nothing was read, nothing is left"
    assert len(twin.requests) < 40, "tries are bounded"
    twin.clear_faults()
    capture = captured(folders, twin)
    assert sorted(ids_read(capture)) == ["a1", "a2", "a3", "b1"], "each once, the bad answers not among them"
    assert normalized((capture,), ())["messages"].height == 4
    assert all(path.parent.name == capture.seal.id for path in tree_files(folders.place)), "no leftovers"


@pytest.mark.contract("EV-4", "AP-7")
@pytest.mark.parametrize(
    "kind", ["http_429", "quota_403", "http_500", "http_502", "http_503", "drop_before", "drop_after", "cut"]
)
def test_a_passing_trouble_is_waited_out_and_every_try_is_recorded_and_paid(kind: Any, folders: Folders) -> None:
    twin = twin_of()
    twin.plan(Fault(kind, "messages.get", nth=2, count=2))
    capture = captured(folders, twin)
    assert sorted(set(ids_read(capture))) == ["a1", "a2", "a3", "b1"]
    assert len(ids_read(capture)) == 6
    assert capture.seal.quota_units == 12 + 6 * 20
    assert len(twin.requests) == sum(capture.seal.counts.values())
    assert normalized((capture,), ())["messages"].height == 4


@pytest.mark.contract("EV-4")
def test_a_message_that_vanished_between_list_and_read_is_recorded_as_gone(folders: Folders) -> None:
    twin = twin_of()
    twin.plan(Fault("vanish", "messages.get", nth=1, target="b1"), Fault("vanish", "messages.get", nth=1, target="a2"))
    capture = captured(folders, twin)
    statuses = {str(e.parameters["id"]): e.status for e in capture.exchanges if e.method == "messages.get"}
    assert statuses == {"a1": 200, "a2": 404, "a3": 200, "b1": 404}
    tables = normalized((capture,), ())
    assert tables["messages"]["id"].to_list() == ["a1", "a3"]
    assert tables["threads"]["unread_member_ids"].to_list() == [["a2"]], "a member that nobody read blocks its thread"


@pytest.mark.contract("AP-7")
def test_a_price_over_the_budget_is_refused_before_the_reads(tmp_path: Path) -> None:
    folders = make_folders(tmp_path, policy="version = 1\nwindow_days = 90\nbudget_units = 79\n")
    twin = twin_of()
    with pytest.raises(BudgetRefused) as refusal:
        fetched(folders, twin)
    assert refusal.value.exit_code == 8
    assert "80 quota units" in refusal.value.what
    assert not any(seen.route == "messages.get" for seen in twin.requests)
    assert tree_files(folders.place) == ()
    enough = make_folders(tmp_path / "enough", policy="version = 1\nwindow_days = 90\nbudget_units = 80\n")
    assert fetched(enough, twin).counts["messages.get"] == 4


def test_a_token_that_is_not_known_is_told_and_leaves_nothing(folders: Folders) -> None:
    twin = Twin.from_resources(
        ADDRESS, [letter.resource for letter in BOX], LABELS, tokens={"other": frozenset({"gmail.readonly"})}
    )
    with pytest.raises(SignInAgain):
        fetched(folders, twin)
    assert tree_files(folders.place) == ()


def test_a_server_that_is_not_there_is_unreachable(folders: Folders) -> None:
    with serve(twin_of()) as server:
        url = server.url
    request = Request("demo", folders.place, folders.config, env=folders.env, twin_url=url)
    with open_session(request) as session, pytest.raises(Unreachable):
        fetch(session.context)
    assert tree_files(folders.place) == ()


@pytest.mark.parametrize("query", ["(from:a", "a) OR (b", '"a'])
def test_a_query_that_would_leak_is_refused_before_the_lists(query: str, tmp_path: Path) -> None:
    folders = make_folders(tmp_path, policy=f"version = 1\nquery = {json.dumps(query)}\n")
    twin = twin_of()
    with pytest.raises(QueryRefused):
        fetched(folders, twin)
    assert not any(seen.route == "messages.list" for seen in twin.requests)
    assert tree_files(folders.place) == ()


def test_the_owners_words_are_one_group_beside_the_window(tmp_path: Path) -> None:
    folders = make_folders(
        tmp_path, policy='version = 1\nwindow_days = 90\nquery = "from:nobody@x.example OR is:starred"\n'
    )
    twin = twin_of()
    capture = captured(folders, twin)
    assert ids_read(capture) == ["b1"]
    assert capture.seal.window.query.startswith("(from:nobody@x.example OR is:starred) after:")


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    "item",
    [{}, {"id": "a1"}, {"id": "a1", "threadId": "../x"}, {"id": 7, "threadId": "a1"}, {"id": "a\n", "threadId": "t"}],
)
def test_a_listed_message_without_usable_ids_is_refused_not_skipped(
    item: dict[str, Any], folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = twin_of()
    answer = twin.answer

    def bent(request: Any) -> Any:
        outcome = answer(request)
        if "/messages?" in request.target:
            body = json.dumps({"messages": [item]}).encode()
            return type(outcome)(200, outcome.headers, body)  # type: ignore[union-attr]
        return outcome

    monkeypatch.setattr(twin, "answer", bent)
    with pytest.raises(UnknownShape):
        fetched(folders, twin)
    assert tree_files(folders.place) == ()


def test_labels_only_reads_labels_and_a_profile_and_the_next_fetch_is_not_misled(tmp_path: Path) -> None:
    folders, twin = make_folders(tmp_path), twin_of()
    with opened(folders, twin) as session:
        fetch(session.context)
    with opened(folders, twin) as session:
        seal = fetch(session.context, labels_only=True)
    assert seal.purposes == ("labels", "profile")
    assert set(seal.counts) == {"labels.list", "getProfile"}
    assert seal.history_id is None, "a read of labels dates no mail: what changed since the last fetch is still to come"
    newest = newest_fetch(read_captures(folders.workspace()))
    assert newest is not None and newest.seal.id < seal.id
    assert normalized(read_captures(folders.workspace()), ())["messages"].height > 0
