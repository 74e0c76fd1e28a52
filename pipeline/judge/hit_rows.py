"""The table of hits, read into values by message id."""

from collections import defaultdict

import polars as pl

from pipeline.mail.matcher import Hit


def hits_by_message(hits: pl.DataFrame) -> dict[str, list[Hit]]:
    """Message id -> its hits."""
    found: dict[str, list[Hit]] = defaultdict(list)
    for message_id, *hit in hits.select("message_id", "role", "rule", "field", "marker").iter_rows():
        found[message_id].append(Hit(*hit))
    return dict(found)
