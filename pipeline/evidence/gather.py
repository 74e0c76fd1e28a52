"""Sheets folded to what the mailbox holds now: the same that `read_mail` finds in all captures at once.

A message that one capture shows is taken from its sheet, with the labels that later captures give it. One that several
show is `crowded`: only all of them together say what it is, so its mail is read again.

    gather(captures, sheets) -> Evidence
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from pipeline.artifacts import CAPTURES, view
from pipeline.evidence.answers import Resource
from pipeline.evidence.captures import RawCapture
from pipeline.evidence.complete import Claims, Earlier, refuse_unmet
from pipeline.evidence.history import Sight
from pipeline.evidence.lists import follow, known_of, newest_list
from pipeline.evidence.raw import Reading, Seen, Sighting, mark_gone, read_mail, take
from pipeline.evidence.rows import Row, known_labels, message_row, refused_row
from pipeline.evidence.sheet import Sheet, nobody, sheet_of
from pipeline.evidence.sources import Glimpse
from pipeline.mail.circle import Circle, circle_from, written_to
from pipeline.mail.message import Mail, Unreadable
from pipeline.tables import LABEL_HISTORY, MESSAGES, REFUSED, SHOWN

_LATER = ("glimpse", "wears", "deleted")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The mailbox as the captures leave it, before receipts: `messages` and `refused` rows, each label list that a
    capture saw, living messages' threads, the newest label list and its time (None = there was none), and where the
    mail lies: `homes` (id, capture) of messages that one capture shows, `crowded` readings of the others."""

    messages: pl.DataFrame
    refused: pl.DataFrame
    sightings: pl.DataFrame
    threads: dict[str, str]
    labels: tuple[Resource, ...]
    labels_at: datetime | None
    circle: Circle
    homes: pl.DataFrame
    crowded: tuple[Reading, ...]


def gather(captures: tuple[RawCapture, ...], sheets: Sequence[Sheet]) -> Evidence:
    """Fold the sheets of these captures, in order. Raises IncompleteCapture, DroppedOn429, DuplicateIdConflict."""
    _refuse_unmet(sheets)
    shown = pl.concat([_stamped(SHOWN.frame(()), "", None), *map(_content, sheets)])
    crowded = _crowded(shown, sheets)
    later = _ids(sheet.told.filter(pl.col("kind").is_in(_LATER)) for sheet in sheets)
    alone = shown.filter(~pl.col("key").is_in(crowded.implode())).unique("key", keep="last", maintain_order=True)
    readings = read_mail(captures, frozenset(crowded)) if crowded.len() else ()
    moved = alone.filter(pl.col("key").is_in(later.implode()))
    still = alone.filter(~pl.col("key").is_in(later.implode()))
    seen = _followed(sheets, moved, frozenset(later) - frozenset(crowded))
    threads, listing = _threads(sheets)
    gone = _gone(still, *listing)
    if listing[0]:
        mark_gone(seen, *listing)
    return Evidence(
        messages=_messages(still, gone, seen, moved, readings),
        refused=_refused(still, gone, listing[0], seen, readings),
        sightings=_sightings(still, seen, readings),
        threads=threads,
        labels=newest_list(captures, "labels.list"),
        labels_at=max((c.seal.finished_at for c in captures if any(c.bodies("labels.list"))), default=None),
        circle=_circle(alone, readings),
        homes=alone.filter(pl.col("reason").is_null()).select(pl.col("id").alias("message_id"), "capture"),
        crowded=tuple(reading for reading in readings if isinstance(reading.mail, Mail)),
    )


def _content(sheet: Sheet) -> pl.DataFrame:
    """What a sheet shows, each row with its capture and time, also one that is no row of messages."""
    return _stamped(sheet.shown, sheet.seal.id, sheet.seal.finished_at)


def _stamped(shown: pl.DataFrame, capture: str, seen_at: datetime | None) -> pl.DataFrame:
    stamp = pl.lit(seen_at, LABEL_HISTORY.schema["seen_at"]).alias("seen_at")
    return shown.with_columns(pl.lit(capture).alias("capture"), stamp)


def _crowded(shown: pl.DataFrame, sheets: Iterable[Sheet]) -> pl.Series:
    """Ids that only all captures together can tell: shown twice, or the owner's own mail by a later word alone."""
    named = shown.filter(pl.col("id").str.len_chars() > 0)
    own = pl.col("label_ids").list.contains("SENT").fill_null(False)
    told = _ids(sheet.told.filter(pl.col("kind").is_in(_LATER), own) for sheet in sheets)
    late = named.filter(~own, pl.col("id").is_in(told.implode()))["id"]
    return pl.concat([named.filter(pl.col("id").is_duplicated())["id"], late]).unique()


def _circle(alone: pl.DataFrame, readings: Iterable[Reading]) -> Circle:
    """Whom the owner wrote to, out of rows and of mail that was read again."""
    rows = alone.select("wrote_to", "wrote_to_names").explode("wrote_to", "wrote_to_names").drop_nulls().rows()
    again = ((one.address, one.name) for reading in readings for one in written_to(reading.mail))
    return circle_from((*rows, *again))


def _refuse_unmet(sheets: Iterable[Sheet]) -> None:
    earlier = Earlier()
    for sheet in sheets:
        claims = _claims(sheet)
        refuse_unmet(sheet.seal, claims, earlier)
        earlier.add(sheet.seal, claims.answered)


def _claims(sheet: Sheet) -> Claims:
    told = {kind: sheet.told.filter(pl.col("kind") == kind) for kind in ("start", "answered", "waits", "refused")}
    waits = sheet.told.filter(pl.col("kind").is_in(("waits", "refused")))
    return Claims(
        starts=frozenset(told["start"]["history_id"]),
        answered=frozenset(told["answered"]["message_id"]) | frozenset(sheet.shown["id"].drop_nulls()),
        unanswered=tuple(waits["message_id"]),
        limited=frozenset(told["refused"]["message_id"]),
    )


def _followed(sheets: Iterable[Sheet], moved: pl.DataFrame, later: frozenset[str]) -> dict[str, Seen]:
    """Messages that later answers speak of, followed through all captures; of their mail only what may change."""
    seen: dict[str, Seen] = {}
    for sheet in sheets:
        rows = moved.filter(pl.col("capture") == sheet.seal.id).iter_rows(named=True)
        found = [(row["key"], _slim(row)) for row in rows]
        told = sheet.told.filter(pl.col("message_id").is_in(list(later)), pl.col("kind").is_in(_LATER))
        sights = {row["message_id"]: _sight(row) for row in told.iter_rows(named=True) if row["kind"] != "glimpse"}
        take(seen, (*found, *_glimpses(told)), sights, sheet.seal)
    return seen


def _glimpses(told: pl.DataFrame) -> Iterator[tuple[str, Glimpse]]:
    for row in told.filter(pl.col("kind") == "glimpse").iter_rows(named=True):
        yield row["message_id"], Glimpse(row["message_id"], row["thread_id"], _labels(row))


def _slim(row: Row) -> Mail | Unreadable:
    """Ids, labels and history id of a row: all that a later answer can change."""
    if row["reason"] is not None:
        missing = row["missing"]
        return Unreadable(str(row["id"]), str(row["reason"]), tuple(missing) if isinstance(missing, list) else ())
    return Mail(str(row["id"]), str(row["thread_id"]), _labels(row), 0, history_id=str(row["history_id"] or ""))


def _sight(row: Row) -> Sight:
    return Sight(_labels(row), str(row["history_id"] or ""), row["kind"] == "deleted")


def _labels(row: Row) -> tuple[str, ...] | None:
    labels = row["label_ids"]
    return tuple(labels) if isinstance(labels, list) else None


def _threads(sheets: Sequence[Sheet]) -> tuple[dict[str, str], tuple[str, frozenset[str]]]:
    """Living messages' threads, and the newest list of all mail: its capture (or "") and the ids in it."""
    found: dict[str, str] = {}
    listing: tuple[str, frozenset[str]] = ("", frozenset())
    for sheet in sheets:
        is_listing = (sheet.told["kind"] == "listing").any()
        if is_listing:
            found = {}
        for kind, message_id, thread_id in sheet.told.select("kind", "message_id", "thread_id").iter_rows():
            if kind in ("listed", "unlisted"):
                follow(found, message_id, thread_id)
        if is_listing:
            listing = sheet.seal.id, frozenset(found)
    return found, listing


def _gone(still: pl.DataFrame, listing: str, listed: frozenset[str]) -> pl.DataFrame:
    """Rows of messages that a later list of all mail lacks."""
    ids = pl.Series(sorted(listed), dtype=pl.String).implode()
    return still.filter(pl.col("id").str.len_chars() > 0, pl.col("capture") < listing, ~pl.col("id").is_in(ids))


def _messages(
    still: pl.DataFrame,
    gone: pl.DataFrame,
    seen: dict[str, Seen],
    moved: pl.DataFrame,
    readings: Iterable[Reading],
) -> pl.DataFrame:
    kept = still.filter(pl.col("reason").is_null(), ~pl.col("key").is_in(gone["key"].implode()))
    changed = [row | _change(seen[str(row["key"])]) for row in moved.iter_rows(named=True) if _is_mail(seen, row)]
    again = [message_row(one.mail, one.capture) for one in readings if isinstance(one.mail, Mail)]
    rows = [{name: row[name] for name in MESSAGES.columns} for row in (*changed, *again)]
    return MESSAGES.checked(pl.concat([kept.select(*MESSAGES.columns), MESSAGES.frame(rows)]))


def _is_mail(seen: dict[str, Seen], row: Row) -> bool:
    return isinstance(seen[str(row["key"])].mail, Mail)


def _change(one: Seen) -> Row:
    """What later answers changed in a row."""
    mail = one.mail
    if isinstance(mail, Unreadable):
        raise TypeError("an unreadable message has no row")
    return {
        "thread_id": mail.thread_id,
        "label_ids": known_labels(mail.label_ids),
        "history_id": mail.history_id or None,
        "capture": one.capture,
    }


def _refused(
    still: pl.DataFrame, gone: pl.DataFrame, listing: str, seen: dict[str, Seen], readings: Iterable[Reading]
) -> pl.DataFrame:
    plain = still.filter(pl.col("reason").is_not_null(), ~pl.col("key").is_in(gone["key"].implode()))
    rows = [refused_row(str(row["key"]), _unreadable(row), str(row["capture"])) for row in plain.iter_rows(named=True)]
    rows += [refused_row(key, Unreadable(key, "gone"), listing) for key in gone["key"]]
    rows += [refused_row(key, one.mail, one.capture) for key, one in seen.items() if isinstance(one.mail, Unreadable)]
    rows += [refused_row(one.key, one.mail, one.capture) for one in readings if isinstance(one.mail, Unreadable)]
    return REFUSED.frame(rows)


def _unreadable(row: Row) -> Unreadable:
    found = _slim(row)
    if isinstance(found, Mail):
        raise TypeError("a message that was read is not refused")
    return found


def _sightings(still: pl.DataFrame, seen: dict[str, Seen], readings: Iterable[Reading]) -> pl.DataFrame:
    mail = still.filter(pl.col("reason").is_null()).with_columns(pl.col("id").alias("message_id"))
    frame = mail.select(*LABEL_HISTORY.columns)
    rows = [_history_row(key, one) for key, found in seen.items() for one in found.sightings]
    rows += [_history_row(reading.key, one) for reading in readings for one in reading.sightings]
    return LABEL_HISTORY.checked(pl.concat([frame, LABEL_HISTORY.frame(rows)]))


def _history_row(message_id: str, one: Sighting) -> Row:
    return {"message_id": message_id, "capture": one[0], "seen_at": one[1], "label_ids": known_labels(one[2])}


def _ids(frames: Iterable[pl.DataFrame]) -> pl.Series:
    return pl.concat([pl.Series("message_id", [], pl.String), *(frame["message_id"] for frame in frames)]).unique()


def evidence_of(captures: tuple[RawCapture, ...]) -> Evidence:
    """The evidence of captures, each read once and none of its mail kept."""
    known = known_of(captures)
    return gather(captures, [sheet_of(capture, known, nobody) for capture in captures])


def circle(evidence: Evidence) -> Circle:
    """The circle of the mailbox's owner."""
    return evidence.circle


EVIDENCE = view(
    "evidence", "what each capture shows and says, folded: the mailbox before receipts", CAPTURES, evidence_of
)
CIRCLE = view("circle", "whom the owner writes to, from mail that Gmail knows as sent", EVIDENCE, circle)
