"""The exact schema of every table, in one place. An extra, missing or differently typed column is refused.

`Table.read` and `Table.write` are the only ways to parquet; `Table.digest` hashes canonical rows sorted by the key,
because parquet bytes depend on the library's version and row order on threads.
"""

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from pipeline.canonical import canonical_lines, sha256_hex
from pipeline.refusals import TableRefused

Text, Texts, Flag = pl.String(), pl.List(pl.String), pl.Boolean()
Count, Share, Time = pl.Int64(), pl.Float64(), pl.Datetime("ms", "UTC")


@dataclass(frozen=True)
class Table:
    """A named table: column types in order, and the columns that make a row unique."""

    name: str
    columns: Mapping[str, pl.DataType | type[pl.DataType]]
    key: tuple[str, ...]

    @property
    def schema(self) -> pl.Schema:
        """The exact polars schema."""
        return pl.Schema(self.columns)

    def frame(self, rows: Iterable[Mapping[str, object]]) -> pl.DataFrame:
        """A checked frame from rows, sorted by the key. A key that is not a column is refused, not dropped."""
        listed = list(rows)
        for row in listed:
            if row.keys() != self.columns.keys():
                odd = sorted(row.keys() ^ self.columns.keys())
                raise TableRefused(f"a row of {self.name} has other columns", evidence=", ".join(odd)[:200])
        try:
            columns = [_series(name, [row[name] for row in listed], kind) for name, kind in self.schema.items()]
            frame = pl.DataFrame(columns, schema=self.schema)
        except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
            # The library's own message quotes the value, which may be mail.
            raise TableRefused(f"a row of {self.name} does not fit", evidence=type(error).__name__) from None
        return self.checked(frame)

    def checked(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame sorted by its key. Raises TableRefused on another schema, a null or repeated key."""
        if frame.schema != self.schema:
            raise TableRefused(f"{self.name} has another schema", evidence=_difference(self.schema, frame.schema))
        ordered = frame.sort(self.key)
        is_repeated = pl.all_horizontal(pl.col(name) == pl.col(name).shift() for name in self.key)
        if sum(ordered.select(self.key).null_count().row(0)) or ordered.select(is_repeated.any()).item():
            raise TableRefused(f"{self.name}: rows are not unique", evidence=f"key {', '.join(self.key)}")
        return ordered

    def write(self, frame: pl.DataFrame) -> bytes:
        """Parquet bytes of a checked frame."""
        buffer = io.BytesIO()
        self.checked(frame).write_parquet(buffer, compression="zstd", statistics=False)
        return buffer.getvalue()

    def read(self, data: bytes) -> pl.DataFrame:
        """A checked frame from parquet bytes."""
        try:
            return self.checked(pl.read_parquet(io.BytesIO(data)))
        except pl.exceptions.PolarsError as error:
            raise TableRefused(f"{self.name} is not readable", evidence=type(error).__name__) from None

    def rows(self, frame: pl.DataFrame) -> tuple[dict[str, object], ...]:
        """Rows in key order with times as ISO 8601 UTC, lists as tuples: what canonical JSON can hold."""
        checked = self.checked(frame)
        return tuple({name: _plain(value) for name, value in row.items()} for row in checked.iter_rows(named=True))

    def digest(self, frame: pl.DataFrame) -> str:
        """sha256 of the canonical rows."""
        return sha256_hex(canonical_lines(self.rows(frame)))


def _series(name: str, values: list[object], kind: pl.DataType) -> pl.Series:
    """A column of exactly that type. From rows polars bends 7 to "7" and "x" to ["x"] even when told to be strict."""
    if isinstance(kind, pl.List) and not all(value is None or isinstance(value, list | tuple) for value in values):
        raise TypeError("a list column takes lists")
    return pl.Series(name, values, kind, strict=True)


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return tuple(value) if isinstance(value, list) else value


def _difference(wanted: pl.Schema, found: pl.Schema) -> str:
    odd = [name for name in {**wanted, **found} if wanted.get(name) != found.get(name)]
    return "columns " + (", ".join(odd)[:200] or "in another order")


MESSAGES = Table(
    "messages",
    {
        "id": Text,
        "thread_id": Text,
        "from_name": Text,
        "from_address": Text,  # null when missing or ambiguous: then no sender rule may match
        "from_domain": Text,
        "defects": Texts,
        "subject": Text,  # codes masked
        "date": Time,  # internalDate, UTC
        "label_ids": Texts,  # sorted; null = unknown, which is not the same as none
        "category": Text,
        "headers_seen": Flag,
        "has_unsubscribe": Flag,
        "one_click": Flag,
        "list_id": Text,
        "attachment_count": Count,
        "body_state": Text,  # fetched, empty, not_fetched, lossy
        "spf": Text,
        "dkim": Text,
        "dmarc": Text,
        "is_sent_by_me": Flag,
        "written_to": Texts,  # whom the owner wrote to, sorted; empty for mail of others
        "history_id": Text,
        "capture": Text,
    },
    key=("id",),
)
SHOWN = Table(
    "shown",
    {
        "place": Count,  # of the message in its capture, richest answers first
        "key": Text,  # its id, or what stands for it
        "reason": Text,  # why it is no row of messages; null = it is one
        "missing": Texts,
        "wrote_to": Texts,  # whom the owner addressed in a message of their own, and under which names, in order
        "wrote_to_names": Texts,
        **MESSAGES.columns,
    },
    key=("place",),
)
"""What one capture by itself shows of each message: a shard of the snapshot."""
TOLD = Table(
    "told",
    {
        "place": Count,
        "kind": Text,  # see pipeline.evidence.sheet
        "message_id": Text,
        "thread_id": Text,
        "label_ids": Texts,
        "history_id": Text,
    },
    key=("place",),
)
"""What one capture says of messages without showing them."""
THREADS = Table(
    "threads",
    {
        "id": Text,
        "first_sender": Text,
        "first_subject": Text,
        "member_ids": Texts,  # every message id that a list or a read showed in this thread, sorted
        "unread_member_ids": Texts,  # members that no capture has read
        "label_union": Texts,
        "is_participated": Flag,  # the owner wrote a member
    },
    key=("id",),
)
LABELS = Table("labels", {"id": Text, "name": Text, "type": Text, "folded_name": Text}, key=("id",))
LABEL_HISTORY = Table(
    "label_history",
    {"message_id": Text, "capture": Text, "seen_at": Time, "label_ids": Texts},
    key=("message_id", "capture"),
)
MAIL_STATE = Table(
    "mail_state",
    {
        "message_id": Text,
        "classified_at": Time,
        "labelled_at": Time,
        "archived_at": Time,
        "is_undone": Flag,
        "is_reversed_by_hand": Flag,
        "run": Text,
        "added_label_id": Text,
    },
    key=("message_id",),
)
REFUSED = Table(
    "refused",
    {"id": Text, "capture": Text, "message_id": Text, "reason": Text, "missing": Texts},
    key=("id",),
)
SCREEN = Table("screen", {"message_id": Text, "verdict": Text, "level": Text, "evidence": Texts}, key=("message_id",))
LOOKS = Table(
    "looks",
    {
        **SCREEN.columns,
        "address": Text,  # the sender's, null where nobody can say for sure that it is one
        "site": Text,  # the registrable domain of it
        "name": Text,  # a digest of the folded display name, for comparing only
    },
    key=("message_id",),
)
"""The screen of mail before anybody knows whom the owner writes to: a shard of the screen."""
HITS = Table(
    "hits",
    {"message_id": Text, "role": Text, "rule": Text, "marker": Text, "field": Text},
    key=("message_id", "role", "rule", "marker", "field"),
)
RELATIONS = Table(
    "relations",
    {
        "address": Text,
        "received_count": Count,
        "is_written_to": Flag,  # the owner addressed mail to it, or answered it as a person
        "replied_count": Count,
        "live_count": Count,  # its messages in threads that the owner wrote in
        "read_count": Count,
        "ignored_count": Count,
        "archived_by_hand_count": Count,
        "read_and_archived_count": Count,  # of the messages archived by hand, those that were read
        "rescued_count": Count,
        "last_reply_at": Time,
    },
    key=("address",),
)
PROTECTED = Table("protected", {"message_id": Text, "classes": Texts, "evidence": Texts}, key=("message_id",))
DECISIONS = Table(
    "decisions",
    {
        "message_id": Text,
        "thread_id": Text,
        "as_of": Time,
        "sender": Text,
        "subject": Text,
        "phase": Text,
        "classification": Text,
        "confidence": Share,
        "source": Text,
        "rule": Text,
        "evidence": Texts,
        "reasons": Texts,
        "screen": Text,
        "protected": Texts,
        "action": Text,
    },
    key=("message_id",),
)
DISCARDS = Table("discards", DECISIONS.columns, key=("message_id",))
"""Decisions about the trash, in the same columns: a run's decisions log holds one kind or the other."""
PROPOSALS = Table(
    "proposals",
    {
        "digest": Text,
        "name": Text,
        "sender_contains": Text,
        "domain_equals": Text,
        "classification": Text,
        "confidence": Share,
        "message_count": Count,
        "evidence": Texts,
        "reasons_against": Texts,  # empty = may be promoted
    },
    key=("digest",),
)
FINDINGS = Table(
    "findings",
    {
        "id": Text,  # kind/subject
        "severity": Text,  # error, warning, note
        "kind": Text,
        "subject": Text,
        "file": Text,
        "rule": Text,
        "what": Text,
        "mend": Text,
        "message_ids": Texts,
    },
    key=("id",),
)
