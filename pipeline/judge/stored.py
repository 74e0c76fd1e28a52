"""Stored mail as the judging needs it: the tables of a run, read into values by message id."""

from collections import defaultdict
from typing import Final

import polars as pl

from pipeline.judge.lint_mail import Stored
from pipeline.mail.matcher import Hit

_PERSON: Final = "direct_human:"


def hits_by_message(hits: pl.DataFrame) -> dict[str, list[Hit]]:
    """Message id -> its hits."""
    found: dict[str, list[Hit]] = defaultdict(list)
    for row in hits.rows(named=True):
        found[row["message_id"]].append(Hit(row["role"], row["rule"], row["field"], row["marker"]))
    return dict(found)


def stored_from(hits: pl.DataFrame, decisions: pl.DataFrame, protected: pl.DataFrame) -> Stored:
    """The tables of one run as the lint reads them; hits of mail that has no decision are left out."""
    decided_by = dict(zip(decisions["message_id"], decisions["rule"], strict=True))
    by_message = hits_by_message(hits)
    evidence = zip(protected["message_id"], protected["evidence"], strict=True)
    return Stored(
        hits={message: tuple(sorted(by_message.get(message, ()))) for message in decided_by},
        decided_by=decided_by,
        people=frozenset(message for message, found in evidence if any(one.startswith(_PERSON) for one in found)),
    )
