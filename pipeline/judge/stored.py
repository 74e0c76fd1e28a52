"""Stored mail as the lint and the audit need it: the tables of one run, read into values by message id."""

from typing import Final

import polars as pl

from pipeline.judge.hit_rows import hits_by_message
from pipeline.judge.lint_mail import Stored

_PERSON: Final = "direct_human:"


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
