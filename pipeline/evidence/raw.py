"""The one way from verified captures to mail: list pages to ids, bodies to `Mail` or `Unreadable`.

Promises: every body must be one JSON object (NotJson); a paged list must be whole, from its first page to its last
(MissingPage); what the seal says was read must be there, and a listed inbox id must have been answered (DroppedOn429,
IncompleteCapture); two captures may not contradict each other about what cannot change in a message
(DuplicateIdConflict). Labels come from the newest capture that shows the message, be it in its history pages; one that
a later list of all mail lacks, or that history says was deleted, is gone (Unreadable). `pipeline.evidence.complete`
judges the set.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from pipeline.canonical import parse_json_object, sha256_hex
from pipeline.evidence.captures import OK, Exchange, RawCapture
from pipeline.evidence.complete import (
    LIST_KEYS,
    Earlier,
    Resource,
    is_list_of_everything,
    items,
    refuse_incomplete,
)
from pipeline.evidence.history import Sight, changes_of, last_sights
from pipeline.mail.reader import Mail, Unreadable, read_message, read_search_threads_message
from pipeline.refusals import DuplicateIdConflict, UnknownShape


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
    earlier = Earlier()
    for capture in captures:
        refuse_incomplete(capture, earlier)
        earlier.add(capture)
        for key, mail in _messages(capture):
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
        _refuse_conflict(old.mail, mail)
        mail = _richer(old.mail, mail)
    sightings = [one for one in old.sightings if one[0] != capture.seal.id] if old is not None else []
    if isinstance(mail, Mail):
        sightings.append((capture.seal.id, capture.seal.finished_at, mail.label_ids))
    seen[key] = _Seen(capture.seal.id, mail, sightings)


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


def _richer(old: Mail, new: Mail) -> Mail:
    """The reading with headers and a body, wearing the newest labels."""
    if new.headers_seen or not old.headers_seen:
        return new
    fields = {name: getattr(old, name) for name in Mail.__dataclass_fields__}
    return Mail(**{**fields, "label_ids": new.label_ids})


def _refuse_conflict(old: Mail, new: Mail) -> None:
    fixed: list[tuple[str, object, object]] = [("threadId", old.thread_id, new.thread_id)]
    if old.headers_seen and new.headers_seen:
        fixed += [("internalDate", old.internal_date_ms, new.internal_date_ms)]
        fixed += [("sender", old.sender.address, new.sender.address)]
    differing = [name for name, first, second in fixed if first != second]
    if differing:
        raise DuplicateIdConflict(
            f"two captures contradict each other about message {new.id}",
            evidence=f"they differ in {', '.join(differing)}",
            next_command="gmailtriage verify",
        )


def _messages(capture: RawCapture) -> Iterator[tuple[str, Mail | Unreadable]]:
    """Each message with a digest of what was read, which stands for its id where it has none."""
    for exchange in capture.bodies("messages.get"):
        if exchange.parameters.get("format", "full") == "full":
            message = parse_json_object(exchange.body)
            yield _key(message), _as_asked(read_message(message), exchange)
    for exchange in capture.bodies("threads.get"):
        if exchange.parameters.get("format", "full") == "full":
            for resource in items(parse_json_object(exchange.body), "messages"):
                yield _key(resource), read_message(resource)
    for exchange in capture.bodies("search_threads"):
        for thread in items(parse_json_object(exchange.body), "threads"):
            for resource in items(thread, "messages"):
                yield _key(resource), read_search_threads_message(resource, str(thread.get("id", "")))


def _key(resource: Resource) -> str:
    return sha256_hex(json.dumps(resource, sort_keys=True).encode())[:16]


def _as_asked(mail: Mail | Unreadable, exchange: Exchange) -> Mail | Unreadable:
    """The message, unless it is not the one that was asked for."""
    asked = exchange.parameters.get("id", mail.id)
    return mail if mail.id == asked else Unreadable(str(asked), "other-id", ("id",))


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


def _text(item: Resource, key: str) -> str:
    value = item.get(key)
    if not isinstance(value, str):
        raise UnknownShape(f"an item of a list has no {key}", evidence=type(value).__name__)
    return value
