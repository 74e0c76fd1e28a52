"""fetch from history: the same mailbox in the snapshot as a full read shows, for a few units."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.evidence.captures import capture_ids, read_captures
from pipeline.evidence.raw import read_mail
from pipeline.models.capture import Capture
from pipeline.refusals import (
    AnswerRefused,
    BudgetRefused,
    Busy,
    CannotContinue,
    IncompleteCapture,
    MissingPage,
    Unreachable,
    UsageRefused,
)
from pipeline.session import Request, open_session
from pipeline.store import locked, tree_files
from stages.fetch import fetch
from tests.fakes import no_fsync
from tests.stages.test_fetch import BOX, captured, fetched, ids_read, twin_of
from tests.strategies.captures import Letter
from tests.strategies.edits import LETTERS, Edit, edits, played
from tests.strategies.snapshots import normalized
from tests.sweeps import sweep
from tests.worlds import Folders, make_folders
from twin.faults import Fault
from twin.serve import serve

FACTS = ("capture", "history_id")
"""Columns of messages that say where a row comes from."""


def tables(folders: Folders) -> dict[str, pl.DataFrame]:
    return normalized(read_captures(folders.workspace()), ())


def labels_in(found: dict[str, pl.DataFrame]) -> dict[str, frozenset[str] | None]:
    rows = found["messages"].select("id", "label_ids").to_dicts()
    return {row["id"]: None if row["label_ids"] is None else frozenset(row["label_ids"]) for row in rows}


def counts(seal: Capture) -> dict[str, int]:
    return dict(sorted(seal.counts.items()))


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return make_folders(tmp_path)


# --- what it costs


def test_nothing_new_costs_four_units_and_three_requests(folders: Folders) -> None:
    twin = twin_of()
    fetched(folders, twin)
    seal = fetched(folders, twin)
    assert counts(seal) == {"getProfile": 1, "history.list": 1, "labels.list": 1}
    assert seal.quota_units == 4
    assert seal.purposes == ("history", "labels", "profile")
    assert labels_in(tables(folders)) == {one: twin.labels_of(one) for one in ("a1", "a2", "a3", "b1")}


def test_known_mail_that_was_labelled_is_not_read_again(folders: Folders) -> None:
    twin = twin_of()
    fetched(folders, twin)
    twin.relabel("b1", add=("IMPORTANT",))
    twin.relabel("a2", add=("STARRED",))
    second = captured(folders, twin)
    assert ids_read(second) == []
    assert labels_in(tables(folders)) == {one: twin.labels_of(one) for one in ("a1", "a2", "a3", "b1")}
    (thread,) = tables(folders)["threads"].filter(pl.col("id") == "b1").to_dicts()
    assert thread["label_union"] == ["IMPORTANT", "INBOX", "STARRED"]


def test_new_mail_is_read_once_and_mail_outside_the_inbox_is_not(folders: Folders) -> None:
    twin = twin_of()
    fetched(folders, twin)
    new = twin.deliver(b"From: a@vendor.example\r\nSubject: New\r\n\r\nHi", ("INBOX",)).message_id
    twin.deliver(b"From: a@vendor.example\r\nSubject: Spam\r\n\r\nHi", ("SPAM",))
    twin.deliver(b"From: a@vendor.example\r\nSubject: Filed\r\n\r\nHi", ())
    assert ids_read(captured(folders, twin)) == [new]
    assert ids_read(captured(folders, twin)) == []
    assert set(labels_in(tables(folders))) == {"a1", "a2", "a3", "b1", new}


def test_an_answer_of_the_owner_in_an_inbox_thread_is_read(folders: Folders) -> None:
    twin = twin_of()
    fetched(folders, twin)
    answer = twin.deliver(
        b"From: casey.rivers@example.com\r\nSubject: Re: Your job alert for today\r\n\r\nYes", ("SENT",), "b1"
    ).message_id
    assert ids_read(captured(folders, twin)) == [answer]
    (thread,) = tables(folders)["threads"].filter(pl.col("id") == "b1").to_dicts()
    assert thread["is_participated"]
    assert (thread["member_ids"], thread["unread_member_ids"]) == (sorted(["b1", answer]), [])


def test_mail_that_came_back_to_the_inbox_brings_its_whole_thread(folders: Folders) -> None:
    twin = twin_of((*BOX, Letter("c2", "c1", labels=("SENT",))))
    fetched(folders, twin)
    twin.relabel("c1", add=("INBOX",))
    assert ids_read(captured(folders, twin)) == ["c1", "c2"]


def test_known_mail_that_came_back_brings_what_its_thread_gained_meanwhile(folders: Folders) -> None:
    twin = twin_of()
    fetched(folders, twin)
    twin.relabel("b1", remove=("INBOX",))
    fetched(folders, twin)
    answer = twin.deliver(
        b"From: casey.rivers@example.com\r\nSubject: Re: Your job alert for today\r\n\r\nYes", ("SENT",), "b1"
    ).message_id
    assert ids_read(captured(folders, twin)) == [], "its thread is not in the inbox"
    twin.relabel("b1", add=("INBOX",))
    assert ids_read(captured(folders, twin)) == [answer]


def test_old_mail_put_into_the_inbox_stays_outside_the_window(folders: Folders) -> None:
    twin = twin_of((*BOX, Letter("e1", "e1", age=400, labels=())))
    fetched(folders, twin)
    twin.relabel("e1", add=("INBOX",))
    assert ids_read(captured(folders, twin)) == []
    assert "e1" not in labels_in(tables(folders))


def test_a_record_without_labels_costs_one_minimal_read(folders: Folders) -> None:
    twin = twin_of((*BOX, Letter("f1", "f1")))
    fetched(folders, twin)
    twin.relabel("f1", remove=("INBOX",))  # no labels are left, and the record does not say so
    second = captured(folders, twin)
    reads = [e.parameters for e in second.exchanges if e.method == "messages.get"]
    assert [(one["id"], one["format"]) for one in reads] == [("f1", "minimal")]
    assert labels_in(tables(folders))["f1"] == frozenset()


def test_a_record_without_labels_that_nobody_looked_up_leaves_them_unknown(folders: Folders) -> None:
    twin = twin_of((*BOX, Letter("f1", "f1")))
    fetched(folders, twin)
    twin.relabel("f1", remove=("INBOX",))
    fetched(folders, twin)
    first, second = read_captures(folders.workspace())
    without = tuple(e for e in second.exchanges if e.method != "messages.get")
    found = normalized((first, replace(second, exchanges=without)), ())
    assert labels_in(found)["f1"] is None


# --- Gmail forgot


def test_a_forgotten_history_is_a_full_read_told_by_name(folders: Folders) -> None:
    twin = twin_of()
    fetched(folders, twin)
    twin.relabel("b1", remove=("INBOX",))
    twin.expire_history()
    told: list[str] = []
    with serve(twin) as server:
        request = Request("demo", folders.place, folders.config, env=folders.env, twin_url=server.url, warn=told.append)
        with open_session(request) as session:
            seal = fetch(session.context)
    assert told == ["reading everything: Gmail no longer knows the history since the last capture"]
    assert seal.purposes == ("inbox", "labels", "profile")
    second = read_captures(folders.workspace())[-1]
    (asked,) = (e for e in second.exchanges if e.method == "history.list")
    assert asked.status == 404, "the capture says so too"
    assert labels_in(tables(folders))["b1"] == {"STARRED"}
    assert counts(fetched(folders, twin)) == {"getProfile": 1, "history.list": 1, "labels.list": 1}


def test_since_history_refuses_a_forgotten_history_and_leaves_nothing(folders: Folders) -> None:
    twin = twin_of()
    fetched(folders, twin)
    before = tree_files(folders.place)
    fetched_again = fetched(folders, twin, since_history=True)
    assert fetched_again.quota_units == 4
    twin.expire_history()
    before = tree_files(folders.place)
    with pytest.raises(CannotContinue, match="no longer knows"):
        fetched(folders, twin, since_history=True)
    assert tree_files(folders.place) == before


def test_since_history_refuses_the_first_fetch_before_anything_is_asked(folders: Folders) -> None:
    twin = twin_of()
    with pytest.raises(CannotContinue, match="no earlier"):
        fetched(folders, twin, since_history=True)
    assert twin.requests == ()
    assert tree_files(folders.place) == ()


def test_full_and_since_history_exclude_each_other(folders: Folders) -> None:
    with pytest.raises(UsageRefused):
        fetched(folders, twin_of(), full=True, since_history=True)


def test_a_full_read_over_the_budget_is_refused_also_after_a_forgotten_history(tmp_path: Path) -> None:
    folders = make_folders(tmp_path, policy="version = 1\nwindow_days = 90\nbudget_units = 80\n")
    twin = twin_of()
    fetched(folders, twin)
    twin.deliver(b"From: a@vendor.example\r\n\r\nHi")
    twin.expire_history()
    before = tree_files(folders.place)
    with pytest.raises(BudgetRefused) as refusal:
        fetched(folders, twin)
    assert refusal.value.exit_code == 8
    assert "100 quota units" in refusal.value.what
    assert tree_files(folders.place) == before


def test_another_window_is_a_full_read(folders: Folders) -> None:
    twin = twin_of()
    fetched(folders, twin)
    (folders.config / "policy.toml").write_text("version = 1\nwindow_days = 500\n")
    with pytest.raises(CannotContinue, match="another window"):
        fetched(folders, twin, since_history=True)
    assert "d1" in ids_read(captured(folders, twin))


# --- pages and faults


def test_every_page_of_history_is_read(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.gmail import gateway

    twin = twin_of()
    fetched(folders, twin)
    for number in range(7):
        twin.relabel("b1", **{("add", "remove")[number % 2]: ("IMPORTANT",)})
    monkeypatch.setattr(gateway, "PAGE", 2)
    assert fetched(folders, twin).counts["history.list"] == 4
    assert labels_in(tables(folders))["b1"] == twin.labels_of("b1")


@pytest.mark.contract("EV-4")
def test_a_page_of_history_that_is_missing_is_refused(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.gmail import gateway

    twin = twin_of()
    fetched(folders, twin)
    twin.relabel("b1", add=("IMPORTANT",))
    twin.relabel("a1", add=("IMPORTANT",))
    monkeypatch.setattr(gateway, "PAGE", 1)
    fetched(folders, twin)
    first, second = read_captures(folders.workspace())
    pages = [e for e in second.exchanges if e.method == "history.list"]
    for page in pages:
        holed = replace(second, exchanges=tuple(e for e in second.exchanges if e is not page))
        with pytest.raises(MissingPage):
            read_mail((first, holed))


@pytest.mark.contract("EV-4")
def test_no_capture_of_a_chain_can_be_taken_out_in_silence(folders: Folders) -> None:
    twin = twin_of()
    for _ in range(3):
        fetched(folders, twin)
        twin.relabel("b1", add=("IMPORTANT",))
        twin.relabel("b1", remove=("IMPORTANT",))
    chain = read_captures(folders.workspace())
    assert len(read_mail(chain)) == 4
    for at in range(2):
        with pytest.raises(IncompleteCapture):
            read_mail(chain[:at] + chain[at + 1 :])


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("at", range(5))
def test_no_answer_of_an_incremental_capture_can_be_left_out_in_silence(at: int, folders: Folders) -> None:
    """Profile, history, labels, the inbox list, and the new message's body."""
    twin = twin_of()
    fetched(folders, twin)
    twin.deliver(b"From: a@vendor.example\r\n\r\nHi")
    fetched(folders, twin)
    first, second = read_captures(folders.workspace())
    assert len(second.exchanges) == 5
    holed = replace(second, exchanges=second.exchanges[:at] + second.exchanges[at + 1 :])
    if second.exchanges[at].method == "messages.list":  # then history alone names the message, and its body is there
        assert len(read_mail((first, holed))) == 5
        return
    with pytest.raises(IncompleteCapture):
        read_mail((first, holed))


@pytest.mark.contract("EV-4", "AP-7")
@pytest.mark.parametrize(
    ("fault", "refusal"),
    [
        (Fault("truncated", "history.list"), AnswerRefused),
        (Fault("html", "history.list"), AnswerRefused),
        (Fault("http_500", "history.list", count=0), Unreachable),
        (Fault("drop_after", "history.list", count=0), Unreachable),
        (Fault("http_503", "labels.list", count=0), Unreachable),
        (Fault("empty", "messages.list"), AnswerRefused),
    ],
    ids=lambda value: f"{value.kind}-{value.route}" if isinstance(value, Fault) else "",
)
def test_a_wire_that_fails_leaves_the_captures_as_they_were(
    fault: Fault, refusal: type[Exception], folders: Folders
) -> None:
    twin = twin_of()
    fetched(folders, twin)
    before = tree_files(folders.place)
    new = twin.deliver(b"From: a@vendor.example\r\n\r\nHi").message_id
    twin.plan(fault)
    with pytest.raises(refusal):
        fetched(folders, twin)
    assert tree_files(folders.place) == before
    twin.clear_faults()
    fetched(folders, twin)
    assert new in labels_in(tables(folders))


def test_history_that_breaks_off_between_two_pages_is_no_capture(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.gmail import gateway

    twin = twin_of()
    fetched(folders, twin)
    for label in ("IMPORTANT", "UNREAD"):
        twin.relabel("b1", add=(label,))
    monkeypatch.setattr(gateway, "PAGE", 1)
    twin.plan(Fault("history_expired", "history.list", nth=2))
    with pytest.raises(Unreachable, match="between two pages"):
        fetched(folders, twin)
    assert len(capture_ids(folders.workspace())) == 1
    assert fetched(folders, twin).purposes == ("inbox", "labels", "profile")


def test_mail_that_vanishes_while_it_is_read_is_gone(folders: Folders) -> None:
    twin = twin_of()
    fetched(folders, twin)
    new = twin.deliver(b"From: a@vendor.example\r\n\r\nHi").message_id
    twin.plan(Fault("vanish", "messages.get", target=new))
    fetched(folders, twin)
    fetched(folders, twin)
    assert set(labels_in(tables(folders))) == {"a1", "a2", "a3", "b1"}


def test_two_fetches_of_one_account_do_not_run_at_once(folders: Folders) -> None:
    twin = twin_of()
    fetched(folders, twin)
    with locked(folders.workspace().raw / ".fetch.lock", "another"), pytest.raises(Busy):
        fetched(folders, twin)


# --- the same mailbox


@pytest.mark.contract("AP-10", "EV-6")
@settings(max_examples=sweep(300), deadline=None)
@given(st.lists(st.lists(edits(), max_size=5), min_size=1, max_size=4))
def test_a_chain_of_incremental_fetches_shows_what_one_full_fetch_shows(
    tmp_path_factory: pytest.TempPathFactory, turns: list[list[Edit]]
) -> None:
    """Messages, threads and labels; what the chain knows beyond that is what the mailbox says of it."""
    twin = twin_of(LETTERS)
    chain, fresh = (make_folders(tmp_path_factory.mktemp(name)) for name in ("chain", "fresh"))
    is_remembered = not any(edit.kind == "expire" for turn in turns for edit in turn)
    with no_fsync():
        fetched(chain, twin)
        for turn in turns:
            for edit in turn:
                played(twin, edit)
            fetched(chain, twin, since_history=is_remembered)
        fetched(fresh, twin)
    ours, theirs = tables(chain), tables(fresh)
    assert ours["labels"].equals(theirs["labels"])
    for name in ("messages", "threads"):
        shown = theirs[name].drop("capture") if name == "messages" else theirs[name]
        known = ours[name].drop("capture") if name == "messages" else ours[name]
        assert known.filter(pl.col("id").is_in(shown["id"].to_list())).sort("id").equals(shown.sort("id")), name
    told = labels_in(ours)
    assert set(told) <= set(twin.label_sets()), "what is gone is gone"
    if is_remembered:
        assert told == {one: twin.labels_of(one) for one in told}
    for row in ours["threads"].to_dicts():
        assert row["member_ids"] == sorted(twin.state.mail.threads[row["id"]])
