"""relate: how the owner dealt with each correspondent so far. Recomputed from all facts every time, so never stale.

Promises: one row a correspondent address; a correspondent is a parsed address, so an ambiguous sender has none; the
owner's own mail makes nobody a correspondent, but an answer in a thread counts for every other writer in it.

    replied            the owner wrote in the same thread after the message
    ignored            no answer, and the message is not in the inbox any more
    archived by hand   it lost INBOX between two captures and no run of ours did that
    rescued            our run archived or labelled it and the owner took that back
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import polars as pl

from pipeline.artifacts import Derived
from pipeline.stage import Stage
from pipeline.tables import RELATIONS as RELATIONS_TABLE
from stages.normalize import LABEL_HISTORY, MAIL_STATE, MESSAGES

Row = Mapping[str, Any]


def relate(messages: pl.DataFrame, label_history: pl.DataFrame, mail_state: pl.DataFrame) -> pl.DataFrame:
    """One row an address that ever sent something."""
    rows = messages.sort("date", "id").rows(named=True)
    answers = _answers(rows)
    archived = _archived_by_hand(label_history, mail_state)
    rescued = set(mail_state.filter(pl.col("is_reversed_by_hand").fill_null(False))["message_id"])
    by_sender: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["from_address"] is not None and row["is_sent_by_me"] is not True:
            by_sender[row["from_address"]].append(row)
    return RELATIONS_TABLE.frame(
        relation_row(address, sent, answers, archived, rescued) for address, sent in by_sender.items()
    )


def relation_row(
    address: str, sent: Iterable[Row], answers: Mapping[str, datetime], archived: set[str], rescued: set[str]
) -> dict[str, object]:
    """The row of one correspondent from the messages it sent."""
    listed = list(sent)
    replied = [answers[row["thread_id"]] for row in listed if _is_answered(row, answers)]
    return {
        "address": address,
        "received_count": len(listed),
        "is_written_to": any(row["thread_id"] in answers for row in listed),
        "replied_count": len(replied),
        "ignored_count": sum(_is_ignored(row, answers) for row in listed),
        "archived_by_hand_count": sum(row["id"] in archived for row in listed),
        "rescued_count": sum(row["id"] in rescued for row in listed),
        "last_reply_at": max(replied, default=None),
    }


def _answers(rows: Iterable[Row]) -> dict[str, datetime]:
    """Thread id -> when the owner last wrote in it."""
    return {row["thread_id"]: row["date"] for row in rows if row["is_sent_by_me"] is True and row["date"] is not None}


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
    for row in label_history.sort("seen_at", "capture", "message_id").rows(named=True):
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
