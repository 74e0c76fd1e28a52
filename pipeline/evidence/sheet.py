"""What one capture says by itself, without a word of mail: the shard from which the snapshot is folded.

Promises: a function of the capture alone (and of what lists say for shapes that leave it out), so it may be kept for as
long as the capture and our code stand; mail is read once, in chunks, and never held; a broken capture is refused as it
would be with all others. `pipeline.evidence.gather` folds sheets.

    shown   a row for each message that an answer shows, kept or with the reason why not
    told    what answers say of messages without showing them, in order, by kind:
            glimpse   labels and thread, and nothing to judge by (format minimal, saved for its labels)
            wears     labels and history id that the capture's history or minimal reads say last
            deleted   history says that it is gone
            listed    it exists, in that thread        unlisted  history took it from the lists again
            answered  it was asked for and is not shown (gone)
            waits     an inbox list names it, no answer shows it        refused  the same, refused for its number
            start     the capture continues the history from that history id
            listing   the capture holds a list of all mail
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

import polars as pl

from pipeline.evidence.captures import Exchange, RawCapture
from pipeline.evidence.complete import Claims, refuse_incomplete
from pipeline.evidence.history import last_sights
from pipeline.evidence.lists import holds_listing, listed_in
from pipeline.evidence.raw import Reading, key_of
from pipeline.evidence.rows import Row, known_labels, message_row
from pipeline.evidence.sources import CONNECTORS, SHOWING, Found, Glimpse, Known, messages_of
from pipeline.mail.body import read_body, read_body_facts
from pipeline.mail.circle import written_to
from pipeline.mail.masks import mask_codes
from pipeline.mail.message import Mail, Unreadable
from pipeline.mail.reader import BodyReader
from pipeline.models.capture import Capture
from pipeline.tables import MESSAGES, SHOWN, TOLD

CHUNK = 512
"""Messages that are read at a time, and answers of a piece."""
PIECE_BYTES = 4 << 20
"""Of a piece's answers: a further one is only begun below it."""
Look = Callable[[tuple[Reading, ...]], None]
"""Somebody who wants to see the mail while it is open: never the same id twice."""


def nobody(readings: tuple[Reading, ...]) -> None:
    """No look at all: then bodies are read only as far as a row needs."""


_NO_ROW: Row = dict.fromkeys(MESSAGES.columns)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One capture's seal and what it says."""

    seal: Capture
    shown: pl.DataFrame
    told: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a capture's answers that show mail, all of one method: what is read in one go, by any process."""

    capture: RawCapture
    known: Known


@dataclass(frozen=True, slots=True)
class Shown:
    """What one piece shows: rows of `shown`, counted from 0, and bare labels."""

    rows: pl.DataFrame
    glimpses: tuple[Glimpse, ...]


def sheet_of(capture: RawCapture, known: Known, look: Look) -> Sheet:
    """The sheet of a capture; `look` sees its mail on the way. Raises InputRefused's kinds."""
    claims = refuse_incomplete(capture)
    seen: set[str] = set()
    return sheet_from(capture, claims, [read_piece(piece, look, seen) for piece in pieces_of(capture, known)])


def pieces_of(capture: RawCapture, known: Known) -> tuple[Piece, ...]:
    """The pieces of a capture, in the order in which its mail is numbered; the same for the same capture."""
    return tuple(
        Piece(replace(capture, exchanges=found), known if method in CONNECTORS else Known())
        for method in SHOWING
        for found in _stretches(capture.bodies(method))
    )


def _stretches(answers: Iterable[Exchange]) -> Iterator[tuple[Exchange, ...]]:
    taken: list[Exchange] = []
    size = 0
    for answer in answers:
        taken.append(answer)
        size += answer.size
        if len(taken) >= CHUNK or size >= PIECE_BYTES:
            yield tuple(taken)
            taken, size = [], 0
    if taken:
        yield tuple(taken)


def read_piece(piece: Piece, look: Look, seen: set[str]) -> Shown:
    """What a piece shows; `look` sees its mail but for the keys in `seen`, which grows."""
    seal, body_of = piece.capture.seal, read_body_facts if look is nobody else read_body
    glimpses: list[Glimpse] = []
    frames = [SHOWN.frame(())]
    for chunk in _chunks(piece.capture, piece.known, glimpses, body_of):
        look(_first_readings(chunk, seal, seen))
        frames.append(SHOWN.frame(_shown_row(place, key, mail, seal.id) for place, key, mail in chunk))
    return Shown(SHOWN.checked(pl.concat(frames)), tuple(glimpses))


def sheet_from(capture: RawCapture, claims: Claims, pieces: Iterable[Shown]) -> Sheet:
    """The sheet of a capture of which every piece was read, in order."""
    frames, place = [SHOWN.frame(())], 0
    glimpses: list[Glimpse] = []
    for piece in pieces:
        frames.append(piece.rows.with_columns(pl.col("place") + place))
        glimpses += piece.glimpses
        place += piece.rows.height
    shown = SHOWN.checked(pl.concat(frames))
    told = chain(
        _glimpses(glimpses), _sights(capture), _lists(capture), _claims(claims, set(shown["id"].drop_nulls().to_list()))
    )
    return Sheet(capture.seal, shown, _numbered(told))


Numbered = tuple[int, str, Mail | Unreadable]
"""Place in the piece, key, message."""


def _chunks(
    capture: RawCapture, known: Known, glimpses: list[Glimpse], body_of: BodyReader
) -> Iterator[tuple[Numbered, ...]]:
    """The messages of a piece, so many at a time; bare labels go to `glimpses`."""
    found = _numbered_messages(messages_of(capture, known, None, body_of), capture.seal, glimpses)
    while chunk := tuple(islice(found, CHUNK)):
        yield chunk


def _numbered_messages(found: Iterable[Found], seal: Capture, glimpses: list[Glimpse]) -> Iterator[Numbered]:
    place = 0
    for key, mail in found:
        if isinstance(mail, Glimpse):
            glimpses.append(mail)
        else:
            yield place, key_of(mail, key, seal), mail
            place += 1


def _first_readings(chunk: Iterable[Numbered], seal: Capture, seen: set[str]) -> tuple[Reading, ...]:
    """What a look may see: mail, each id once."""
    kept: list[Reading] = []
    for _, key, mail in chunk:
        if isinstance(mail, Mail) and key not in seen:
            seen.add(key)
            kept.append(Reading(key, seal.id, mail, ()))
    return tuple(kept)


def _shown_row(place: int, key: str, mail: Mail | Unreadable, capture: str) -> Row:
    written = [one for one in written_to(mail) if one.address is not None]
    where: Row = {
        "place": place,
        "key": key,
        "reason": None,
        "missing": [],
        "wrote_to": [one.address for one in written],
        "wrote_to_names": [mask_codes(one.name) for one in written],
    }
    if isinstance(mail, Mail):
        return where | message_row(mail, capture)
    return where | _NO_ROW | {"reason": mail.reason, "missing": list(mail.missing), "id": mail.id}


def _glimpses(glimpses: Iterable[Glimpse]) -> Iterator[Row]:
    return (_told("glimpse", one.id, one.thread_id, known_labels(one.label_ids)) for one in glimpses)


def _sights(capture: RawCapture) -> Iterator[Row]:
    for message_id, sight in last_sights(capture).items():
        kind = "deleted" if sight.is_deleted else "wears"
        yield _told(kind, message_id, None, known_labels(sight.labels), sight.history_id or None)


def _lists(capture: RawCapture) -> Iterator[Row]:
    if holds_listing(capture):
        yield _told("listing", None)
    for message_id, thread_id in listed_in(capture):
        yield _told("unlisted" if thread_id is None else "listed", message_id, thread_id)


def _claims(claims: Claims, shown: set[str]) -> Iterator[Row]:
    yield from (_told("answered", one) for one in sorted(claims.answered - shown))
    yield from (_told("refused" if one in claims.limited else "waits", one) for one in claims.unanswered)
    yield from (_told("start", None, history_id=one) for one in sorted(claims.starts))


def _told(
    kind: str,
    message_id: str | None,
    thread_id: str | None = None,
    label_ids: list[str] | None = None,
    history_id: str | None = None,
) -> Row:
    return {
        "kind": kind,
        "message_id": message_id,
        "thread_id": thread_id,
        "label_ids": label_ids,
        "history_id": history_id,
    }


def _numbered(rows: Iterable[Row]) -> pl.DataFrame:
    return TOLD.frame({"place": place} | row for place, row in enumerate(rows))
