"""The one way from verified captures to mail: list pages to ids, bodies to `Mail` or `Unreadable`.

Promises: every body must be one JSON object (NotJson); a paged list must be whole, from its first page to its last
(MissingPage); what the seal says was read must be there, and a listed inbox id must have been answered (DroppedOn429,
IncompleteCapture); two captures may not contradict each other about what cannot change in a message
(DuplicateIdConflict). Labels come from the newest capture that shows the message, be it in its history pages; one that
a later list of all mail lacks, or that history says was deleted, is gone (Unreadable). `pipeline.evidence.complete`
judges the set.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from pipeline.artifacts import CAPTURES, view
from pipeline.canonical import parse_json_object
from pipeline.evidence.answers import Resource, items
from pipeline.evidence.captures import OK, Exchange, RawCapture
from pipeline.evidence.complete import LIST_KEYS, Earlier, is_list_of_everything, refuse_incomplete
from pipeline.evidence.history import Sight, changes_of, last_sights
from pipeline.evidence.sources import Glimpse, Known, messages_of
from pipeline.evidence.takeout import listed_names
from pipeline.evidence.union import merged
from pipeline.mail.circle import Circle, circle_of
from pipeline.mail.reader import Mail, Unreadable
from pipeline.refusals import UnknownShape


@dataclass(frozen=True, slots=True)
class Reading:
    """One message as the newest capture shows it, and every label list that older captures saw.

    `key` is its id, or for one without an id the capture and a digest of what was read.
    `sightings` are (capture id, finish of that capture, labels), oldest first.
    """

    key: str
    capture: str
    mail: Mail | Unreadable
    sightings: tuple[tuple[str, datetime, tuple[str, ...] | None], ...]


@dataclass
class _Seen:
    capture: str
    mail: Mail | Unreadable
    sightings: list[tuple[str, datetime, tuple[str, ...] | None]] = field(default_factory=list)


def read_mail(captures: tuple[RawCapture, ...]) -> tuple[Reading, ...]:
    """One Reading a message id, sorted by id. Raises InputRefused's kinds, never for one bad message."""
    seen: dict[str, _Seen] = {}
    known = _known(captures)
    earlier = Earlier()
    for capture in captures:
        refuse_incomplete(capture, earlier)
        earlier.add(capture)
        for key, mail in messages_of(capture, known):
            if isinstance(mail, Glimpse):
                _note_labels(seen, mail, capture)
            else:
                _note(seen, mail.id or f"{capture.seal.id}#{key}", mail, capture)
        for key, sight in last_sights(capture).items():
            _sight(seen, key, sight, capture)
    _mark_gone(seen, captures)
    return tuple(Reading(key, one.capture, one.mail, tuple(one.sightings)) for key, one in sorted(seen.items()))


def _mark_gone(seen: dict[str, _Seen], captures: tuple[RawCapture, ...]) -> None:
    """A message that a later list of all mail lacks was deleted for good: nothing may be planned for it."""
    listing = _newest_listing(captures)
    if listing is None:
        return
    listed = listed_threads((listing,))
    for key, one in seen.items():
        if one.mail.id and one.capture < listing.seal.id and key not in listed:
            seen[key] = _Seen(listing.seal.id, Unreadable(one.mail.id, "gone"), one.sightings)


def _newest_listing(captures: tuple[RawCapture, ...]) -> RawCapture | None:
    """The newest capture that holds a list of all mail."""
    holders = (one for one in reversed(captures) if any(map(is_list_of_everything, one.bodies("messages.list"))))
    return next(holders, None)


def _note(seen: dict[str, _Seen], key: str, mail: Mail | Unreadable, capture: RawCapture) -> None:
    old = seen.get(key)
    if isinstance(mail, Unreadable) and old is not None and isinstance(old.mail, Mail):
        return
    if old is not None and isinstance(old.mail, Mail) and isinstance(mail, Mail):
        mail = merged(old.mail, mail, is_same_capture=_is_beside(old, capture))
    sightings = [one for one in old.sightings if one[0] != capture.seal.id] if old is not None else []
    if isinstance(mail, Mail):
        sightings.append((capture.seal.id, capture.seal.finished_at, mail.label_ids))
    seen[key] = _Seen(capture.seal.id, mail, sightings)


def _is_beside(one: _Seen, capture: RawCapture) -> bool:
    """Whether another saved file shows the message too: files have no order, answers of one fetch have."""
    return capture.seal.source == "ingest" and any(sighting[0] == capture.seal.id for sighting in one.sightings)


def _sight(seen: dict[str, _Seen], key: str, sight: Sight, capture: RawCapture) -> None:
    """Newer labels, or the end, of a message whose body some capture holds; nothing for one that nobody read."""
    old = seen.get(key)
    if old is None:
        return
    if sight.is_deleted:
        seen[key] = _Seen(capture.seal.id, Unreadable(key, "gone"), old.sightings)
    elif isinstance(old.mail, Mail):
        mail = replace(old.mail, label_ids=sight.labels, history_id=sight.history_id or old.mail.history_id)
        _note(seen, key, mail, capture)


def _note_labels(seen: dict[str, _Seen], glimpse: Glimpse, capture: RawCapture) -> None:
    """A view of labels alone dates the labels of a message that other answers show; alone it is no message."""
    old = seen.get(glimpse.id)
    if old is None or isinstance(old.mail, Unreadable):
        _note(seen, glimpse.id, Unreadable(glimpse.id, "no-payload", ("payload",)), capture)
        return
    _note(seen, glimpse.id, replace(old.mail, thread_id=glimpse.thread_id, label_ids=glimpse.label_ids), capture)


def _known(captures: tuple[RawCapture, ...]) -> Known:
    """What lists say for shapes that leave it out; nothing is read when there is no such shape."""
    methods = {exchange.method for capture in captures for exchange in capture.exchanges}
    return Known(
        labels=listed_names(newest_list(captures, "labels.list")) if "mbox" in methods else {},
        threads=listed_threads(captures) if "triage" in methods else {},
    )


def living_threads(captures: tuple[RawCapture, ...]) -> dict[str, str]:
    """Message id -> thread id of what lists name since the newest list of all mail, itself included."""
    listing = _newest_listing(captures)
    return listed_threads(captures if listing is None else captures[captures.index(listing) :])


def listed_threads(captures: Iterable[RawCapture]) -> dict[str, str]:
    """Message id -> thread id of everything that a list or history page of these captures named and none took away."""
    found: dict[str, str] = {}
    for capture in captures:
        for exchange in capture.exchanges:
            if exchange.status == OK and exchange.method == "messages.list":
                for item in items(parse_json_object(exchange.body), "messages"):
                    found[_text(item, "id")] = _text(item, "threadId")
            elif exchange.status == OK and exchange.method == "history.list":
                _follow(found, exchange)
    return found


def _follow(found: dict[str, str], page: Exchange) -> None:
    """What one history page adds to a list and takes from it."""
    for change in changes_of(parse_json_object(page.body)):
        if change.is_deleted:
            found.pop(change.message_id, None)
        else:
            found[change.message_id] = change.thread_id


def newest_list(captures: Iterable[RawCapture], method: str) -> tuple[Resource, ...]:
    """The items of the newest capture that holds an unpaged list of that method, e.g. `labels.list`."""
    newest: tuple[Resource, ...] = ()
    for capture in captures:
        for exchange in capture.bodies(method):
            newest = tuple(items(parse_json_object(exchange.body), LIST_KEYS[method]))
    return newest


def attested_address(capture: RawCapture) -> str | None:
    """getProfile's emailAddress in a capture's own bodies, or None: identity never comes from headers."""
    for exchange in capture.bodies("getProfile"):
        return str(parse_json_object(exchange.body).get("emailAddress"))
    return None


def circle(mail: tuple[Reading, ...]) -> Circle:
    """The circle of the mailbox's owner."""
    return circle_of(reading.mail for reading in mail)


def _text(item: Resource, key: str) -> str:
    value = item.get(key)
    if not isinstance(value, str):
        raise UnknownShape(f"an item of a list has no {key}", evidence=type(value).__name__)
    return value


MAIL = view("mail", "each message of the captures, read once: what judging may use", CAPTURES, read_mail)
CIRCLE = view("circle", "whom the owner writes to, from mail that Gmail knows as sent", MAIL, circle)
