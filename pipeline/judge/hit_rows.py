"""The table of hits, read into values by message id."""

from collections import defaultdict

import polars as pl

from pipeline.mail.matcher import Hit


def hits_by_message(hits: pl.DataFrame) -> dict[str, list[Hit]]:
    """Message id -> its hits."""
    found: dict[str, list[Hit]] = defaultdict(list)
    for row in hits.rows(named=True):
        found[row["message_id"]].append(Hit(row["role"], row["rule"], row["field"], row["marker"]))
    return dict(found)
