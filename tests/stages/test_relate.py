"""relate: what the owner did with each correspondent, from all facts each time."""

from datetime import datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings

from pipeline import tables
from stages.relate import relate
from tests.strategies.judgement import AS_OF, capture_of, mail_state, mailboxes, state_row
from tests.strategies.mail import INTERNAL_DATE, message
from tests.strategies.snapshots import normalized
from tests.sweeps import sweep

ANN = "Ann Lee <ann.lee@corp.example>"
NO_STATE = mail_state()


def sent(message_id: str, thread: str, hours: int, sender: str = ANN, labels: Any = ("INBOX",)) -> dict[str, Any]:
    """A message of a thread, some hours after the first."""
    date = str(int(INTERNAL_DATE) + hours * 3_600_000)
    return {**message(sender, labels=labels, message_id=message_id), "threadId": thread, "internalDate": date}


def mine(message_id: str, thread: str, hours: int) -> dict[str, Any]:
    """The owner's own message."""
    return sent(message_id, thread, hours, "Mara <mara.quill@example.com>", ("SENT",))


def related(resources: list[dict[str, Any]], **changed: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """Address -> row."""
    found = {**normalized((capture_of(resources),), ()), **changed}
    table = relate(found["messages"], found["label_history"], found["mail_state"])
    return {row["address"]: row for row in table.rows(named=True)}


def history(*seen: tuple[str, int, list[str] | None]) -> pl.DataFrame:
    """Label history from (message, number of the capture, labels)."""
    return tables.LABEL_HISTORY.frame(
        {"message_id": m, "capture": str(n), "seen_at": AS_OF + timedelta(days=n), "label_ids": labels}
        for m, n, labels in seen
    )


def test_answer_after_the_message_counts_as_a_reply() -> None:
    row = related([sent("a1", "t", 0), mine("s1", "t", 2)])["ann.lee@corp.example"]
    assert (row["received_count"], row["replied_count"], row["is_written_to"]) == (1, 1, True)
    assert isinstance(row["last_reply_at"], datetime)


def test_message_after_the_last_answer_is_not_answered_but_the_writer_is_known() -> None:
    row = related([mine("s1", "t", 0), sent("a1", "t", 2)])["ann.lee@corp.example"]
    assert (row["replied_count"], row["is_written_to"], row["last_reply_at"]) == (0, True, None)


def test_mail_that_left_the_inbox_without_an_answer_was_ignored() -> None:
    rows = related([sent("a1", "t", 0, labels=()), sent("a2", "u", 0)])
    assert rows["ann.lee@corp.example"]["ignored_count"] == 1


def test_unknown_labels_are_not_read_as_ignored() -> None:
    unknown = {**sent("a1", "t", 0), "labelIds": None}
    assert related([unknown])["ann.lee@corp.example"]["ignored_count"] == 0


def test_owner_is_nobodys_correspondent_and_an_ambiguous_sender_has_no_row() -> None:
    assert related([mine("s1", "t", 0), sent("a1", "u", 0, "a@x.example, b@y.example")]) == {}


@pytest.mark.parametrize(
    ("seen", "count"),
    [
        ([("a1", 1, ["INBOX"]), ("a1", 2, [])], 1),
        ([("a1", 1, ["INBOX"]), ("a1", 2, []), ("a1", 3, ["INBOX"])], 0),
        ([("a1", 1, []), ("a1", 2, [])], 0),
        ([("a1", 1, ["INBOX"]), ("a1", 2, None)], 0),
        ([("a1", 1, ["INBOX"]), ("a1", 2, ["TRASH"])], 0),
    ],
)
def test_archive_by_hand_is_inbox_lost_between_captures(seen: Any, count: int) -> None:
    rows = related([sent("a1", "t", 0)], label_history=history(*seen))
    assert rows["ann.lee@corp.example"]["archived_by_hand_count"] == count


def test_what_our_run_archived_was_not_archived_by_hand() -> None:
    rows = related(
        [sent("a1", "t", 0)],
        label_history=history(("a1", 1, ["INBOX"]), ("a1", 2, ["Label_1"])),
        mail_state=mail_state(state_row("a1")),
    )
    assert rows["ann.lee@corp.example"]["archived_by_hand_count"] == 0


def test_mail_that_the_owner_took_back_was_rescued() -> None:
    rows = related([sent("a1", "t", 0)], mail_state=mail_state(state_row("a1", is_reversed_by_hand=True)))
    assert rows["ann.lee@corp.example"]["rescued_count"] == 1


@given(mailboxes())
@settings(max_examples=sweep(300), deadline=None)
def test_every_correspondent_once_and_every_message_counted(resources: list[dict[str, Any]]) -> None:
    messages = normalized((capture_of(resources),), ())["messages"]
    others = messages.filter(pl.col("from_address").is_not_null() & ~pl.col("is_sent_by_me"))
    rows = related(resources)
    assert set(rows) == set(others["from_address"])
    assert sum(row["received_count"] for row in rows.values()) == len(others)
    for row in rows.values():
        assert 0 <= row["replied_count"] + row["ignored_count"] <= row["received_count"]
    assert related(resources[::-1]) == rows


def wrote(message_id: str, thread: str, to: str, hours: int = 0) -> dict[str, Any]:
    """The owner's own message to somebody."""
    date = str(int(INTERNAL_DATE) + hours * 3_600_000)
    made = message("Mara <mara.quill@example.com>", labels=("SENT",), message_id=message_id, fields=[("To", to)])
    return {**made, "threadId": thread, "internalDate": date}


def test_whom_the_owner_wrote_to_is_known_without_any_answer() -> None:
    row = related([wrote("s1", "t", "Ann Lee <ann.lee@corp.example>, B <b@b.example>"), sent("a1", "u", 5)])
    found = row["ann.lee@corp.example"]
    assert (found["is_written_to"], found["replied_count"], found["live_count"]) == (True, 0, 0)


def test_recipients_of_others_mail_are_no_acquaintances() -> None:
    theirs = {**message("Bob <bob@b.example>", message_id="b1", fields=[("To", "Ann <ann.lee@corp.example>")])}
    assert related([theirs, sent("a1", "u", 5)])["ann.lee@corp.example"]["is_written_to"] is False


def test_answer_to_a_person_does_not_make_a_friend_of_the_machine_in_the_thread() -> None:
    machine = sent("a1", "t", 0, "Careers <no-reply@ats.example>")
    row = related([machine, wrote("s1", "t", "jo@corp.example", 2)])["no-reply@ats.example"]
    assert (row["is_written_to"], row["replied_count"], row["live_count"]) == (False, 0, 1)
    unknown = related([machine, mine("s1", "t", 2)])["no-reply@ats.example"]
    assert unknown["is_written_to"] is True, "recipients that nobody knows count as meant"


def test_read_mail_and_what_was_read_before_it_was_archived_is_counted() -> None:
    listed = [
        sent("a1", "t", 0, labels=()),
        sent("a2", "u", 0, labels=("INBOX", "UNREAD")),
        sent("a3", "v", 0, labels=("UNREAD",)),
    ]
    seen = history(("a1", 1, ["INBOX"]), ("a1", 2, []), ("a3", 1, ["INBOX", "UNREAD"]), ("a3", 2, ["UNREAD"]))
    row = related(listed, label_history=seen)["ann.lee@corp.example"]
    assert (row["read_count"], row["archived_by_hand_count"], row["read_and_archived_count"]) == (1, 2, 1)
