"""The one way from verified captures to mail: bodies to `Mail` or `Unreadable`, and what later answers say of them.

Promises: every body must be one JSON object (NotJson); a paged list must be whole, from its first page to its last
(MissingPage); what the seal says was read must be there, and a listed inbox id must have been answered (DroppedOn429,
IncompleteCapture); two captures may not contradict each other about what cannot change in a message
(DuplicateIdConflict). Labels come from the newest capture that shows the message, be it in its history pages; one that
a later list of all mail lacks, or that history says was deleted, is gone (Unreadable). `pipeline.evidence.complete`
judges the set. `read_mail` holds all mail at once; `pipeline.evidence.gather` comes to the same result a capture at a
time.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from pipeline.artifacts import CAPTURES, view
from pipeline.evidence.captures import RawCapture
from pipeline.evidence.complete import Earlier, refuse_incomplete
from pipeline.evidence.history import Sight, last_sights
from pipeline.evidence.lists import known_of, listed_threads, newest_listing
from pipeline.evidence.sources import Found, Glimpse, messages_of
from pipeline.evidence.union import merged
from pipeline.mail.reader import Mail, Unreadable
from pipeline.models.capture import Capture

Sighting = tuple[str, datetime, tuple[str, ...] | None]
"""(capture id, finish of that capture, labels)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One message as the newest capture shows it, and every label list that older captures saw.

    `key` is its id, or for one without an id the capture and a digest of what was read. `sightings`: oldest first.
    """

    key: str
    capture: str
    mail: Mail | Unreadable
    sightings: tuple[Sighting, ...]


@dataclass
class Seen:
    """A message so far: the capture that showed it last, what it is, who saw it."""

    capture: str
    mail: Mail | Unreadable
    sightings: list[Sighting] = field(default_factory=list)


def read_mail(captures: tuple[RawCapture, ...], only: Collection[str] | None = None) -> tuple[Reading, ...]:
    """One Reading a message id, sorted by id. Raises InputRefused's kinds, never for one bad message.

    `only` these ids are read, from captures that were judged before.
    """
    seen: dict[str, Seen] = {}
    known = known_of(captures)
    earlier = Earlier()
    for capture in captures:
        if only is None:
            earlier.add(capture.seal, refuse_incomplete(capture, earlier).answered)
        take(seen, messages_of(capture, known, only), last_sights(capture), capture.seal)
    listing = newest_listing(captures)
    if listing is not None:
        mark_gone(seen, listing.seal.id, listed_threads((listing,)))
    found = (Reading(key, one.capture, one.mail, tuple(one.sightings)) for key, one in sorted(seen.items()))
    return tuple(one for one in found if only is None or one.mail.id in only)


def take(seen: dict[str, Seen], found: Iterable[Found], sights: Mapping[str, Sight], seal: Capture) -> None:
    """Note what one capture shows: its messages, bare labels after them, and what its history says last."""
    for key, mail in found:
        if isinstance(mail, Glimpse):
            _note_labels(seen, mail, seal)
        else:
            _note(seen, key_of(mail, key, seal), mail, seal)
    for message_id, sight in sights.items():
        _sight(seen, message_id, sight, seal)


def key_of(mail: Mail | Unreadable, digest: str, seal: Capture) -> str:
    """A message's id, or what stands for it."""
    return mail.id or f"{seal.id}#{digest}"


def mark_gone(seen: dict[str, Seen], listing: str, listed: Collection[str]) -> None:
    """A message that a later list of all mail lacks was deleted for good: nothing may be planned for it."""
    for key, one in seen.items():
        if one.mail.id and one.capture < listing and key not in listed:
            seen[key] = Seen(listing, Unreadable(one.mail.id, "gone"), one.sightings)


def _note(seen: dict[str, Seen], key: str, mail: Mail | Unreadable, seal: Capture) -> None:
    old = seen.get(key)
    if isinstance(mail, Unreadable) and old is not None and isinstance(old.mail, Mail):
        return
    if old is not None and isinstance(old.mail, Mail) and isinstance(mail, Mail):
        mail = merged(old.mail, mail, is_same_capture=_is_beside(old, seal))
    sightings = [one for one in old.sightings if one[0] != seal.id] if old is not None else []
    if isinstance(mail, Mail):
        sightings.append((seal.id, seal.finished_at, mail.label_ids))
    seen[key] = Seen(seal.id, mail, sightings)


def _is_beside(one: Seen, seal: Capture) -> bool:
    """Whether another saved file shows the message too: files have no order, answers of one fetch have."""
    return seal.source == "ingest" and any(sighting[0] == seal.id for sighting in one.sightings)


def _sight(seen: dict[str, Seen], key: str, sight: Sight, seal: Capture) -> None:
    """Newer labels, or the end, of a message whose body some capture holds; nothing for one that nobody read."""
    old = seen.get(key)
    if old is None:
        return
    if sight.is_deleted:
        seen[key] = Seen(seal.id, Unreadable(key, "gone"), old.sightings)
    elif isinstance(old.mail, Mail):
        mail = replace(old.mail, label_ids=sight.labels, history_id=sight.history_id or old.mail.history_id)
        _note(seen, key, mail, seal)


def _note_labels(seen: dict[str, Seen], glimpse: Glimpse, seal: Capture) -> None:
    """A view of labels alone dates the labels of a message that other answers show; alone it is no message."""
    old = seen.get(glimpse.id)
    if old is None or isinstance(old.mail, Unreadable):
        _note(seen, glimpse.id, Unreadable(glimpse.id, "no-payload", ("payload",)), seal)
        return
    _note(seen, glimpse.id, replace(old.mail, thread_id=glimpse.thread_id, label_ids=glimpse.label_ids), seal)


MAIL = view("mail", "each message of the captures, read once: what judging may use", CAPTURES, read_mail)
