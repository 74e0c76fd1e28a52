"""relate: how the owner dealt with each correspondent so far. Recomputed from all facts every time, so never stale.

Promises: one row a correspondent address; a correspondent is a parsed address, so an ambiguous sender has none; the
owner's own mail makes nobody a correspondent, but whom it went to is known from it, also in a thread of its own. An
answer in a thread counts for every other writer in it, but for an address that names a machine and that the answer was
not sent to: behind one no-reply address stand many firms.

    written to         the owner addressed mail to it, or answered in a thread in which it wrote
    replied            the owner wrote in the same thread after the message
    live               the owner wrote in the same thread at all
    read               the message is no longer unread
    ignored            no answer, and the message is not in the inbox any more
    archived by hand   it lost INBOX between two captures and no run of ours did that; and read: it was read too
    rescued            our run archived or labelled it and the owner took that back
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from pipeline.artifacts import Derived
from pipeline.judge.people import is_a_machines
from pipeline.stage import Stage
from pipeline.tables import RELATIONS as RELATIONS_TABLE
from stages.normalize import LABEL_HISTORY, MAIL_STATE, MESSAGES

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Doings:
    """What the owner did: thread -> when he last wrote in it and to whom; message ids that he moved."""

    answers: Mapping[str, datetime]
    answered: Mapping[str, frozenset[str]]
    addressed: frozenset[str]
    archived: frozenset[str]
    rescued: frozenset[str]


def relate(messages: pl.DataFrame, label_history: pl.DataFrame, mail_state: pl.DataFrame) -> pl.DataFrame:
    """One row an address that ever sent something."""
    rows = messages.sort("date", "id").rows(named=True)
    doings = owners_doings(rows, label_history, mail_state)
    by_sender: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["from_address"] is not None and row["is_sent_by_me"] is not True:
            by_sender[row["from_address"]].append(row)
    return RELATIONS_TABLE.frame(relation_row(address, sent, doings) for address, sent in by_sender.items())


def owners_doings(rows: Iterable[Row], label_history: pl.DataFrame, mail_state: pl.DataFrame) -> Doings:
    """What the owner's own mail, the labels over time and the state of our runs say."""
    mine = [row for row in rows if row["is_sent_by_me"] is True]
    answered: dict[str, set[str]] = defaultdict(set)
    for row in mine:
        answered[row["thread_id"]] |= set(row["written_to"] or ())
    rescued = mail_state.filter(pl.col("is_reversed_by_hand").fill_null(False))["message_id"]
    return Doings(
        answers={row["thread_id"]: row["date"] for row in mine if row["date"] is not None},
        answered={thread: frozenset(addresses) for thread, addresses in answered.items()},
        addressed=frozenset().union(*answered.values()),
        archived=frozenset(_archived_by_hand(label_history, mail_state)),
        rescued=frozenset(rescued),
    )


def relation_row(address: str, sent: Iterable[Row], doings: Doings) -> dict[str, object]:
    """The row of one correspondent from the messages it sent."""
    listed = list(sent)
    reached = [row for row in listed if _reaches(address, row["thread_id"], doings)]
    replied = [doings.answers[row["thread_id"]] for row in reached if _is_answered(row, doings.answers)]
    archived = [row for row in listed if row["id"] in doings.archived]
    return {
        "address": address,
        "received_count": len(listed),
        "is_written_to": address in doings.addressed or bool(reached),
        "replied_count": len(replied),
        "live_count": sum(row["thread_id"] in doings.answers for row in listed),
        "read_count": sum(map(_is_read, listed)),
        "ignored_count": sum(_is_ignored(row, doings.answers) for row in listed),
        "archived_by_hand_count": len(archived),
        "read_and_archived_count": sum(map(_is_read, archived)),
        "rescued_count": sum(row["id"] in doings.rescued for row in listed),
        "last_reply_at": max(replied, default=None),
    }


def _reaches(address: str, thread: str, doings: Doings) -> bool:
    """Whether the owner's mail in that thread was meant for this writer; unknown recipients count as meant."""
    if thread not in doings.answers:
        return False
    named = doings.answered.get(thread, frozenset())
    return not named or address in named or not is_a_machines(address)


def _is_read(row: Row) -> bool:
    return row["label_ids"] is not None and "UNREAD" not in row["label_ids"]


def _is_answered(row: Row, answers: Mapping[str, datetime]) -> bool:
    written = answers.get(row["thread_id"])
    return written is not None and row["date"] is not None and written >= row["date"]


def _is_ignored(row: Row, answers: Mapping[str, datetime]) -> bool:
    is_out = row["label_ids"] is not None and "INBOX" not in row["label_ids"]
    return is_out and not _is_answered(row, answers)


def _archived_by_hand(label_history: pl.DataFrame, mail_state: pl.DataFrame) -> set[str]:
    """Messages that some capture saw in the inbox and a later one did not, without a run of ours in between."""
    ours = set(mail_state.filter(pl.col("archived_at").is_not_null())["message_id"])
    was_in: set[str] = set()
    found: set[str] = set()
    for row in label_history.sort("seen_at", "capture", "message_id").iter_rows(named=True):
        if row["label_ids"] is None:
            continue
        if "INBOX" in row["label_ids"]:
            was_in.add(row["message_id"])
            found.discard(row["message_id"])
        elif row["message_id"] in was_in and "TRASH" not in row["label_ids"]:
            found.add(row["message_id"])
    return found - ours


RELATIONS = Derived(
    "relations", "one row a correspondent: answered, ignored, archived by hand, rescued", RELATIONS_TABLE
)

STAGE = Stage(
    "relate",
    reads=(MESSAGES, LABEL_HISTORY, MAIL_STATE),
    writes=(RELATIONS,),
    keeps="correspondent",
    run=relate,
)
