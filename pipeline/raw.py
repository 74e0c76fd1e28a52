"""The one way from verified captures to mail: list pages to ids, bodies to `Mail` or `Unreadable`.

Promises: every body must be one JSON object (NotJson); a paged list must reach its last page (MissingPage); a listed
inbox id must have been answered (DroppedOn429, IncompleteCapture); two captures may not contradict each other about
what cannot change in a message (DuplicateIdConflict). Labels come from the newest capture that shows the message.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pipeline.canonical import parse_json_object
from pipeline.captures import OK, Exchange, RawCapture
from pipeline.mail.reader import Mail, Unreadable, read_message, read_search_threads_message
from pipeline.refusals import DroppedOn429, DuplicateIdConflict, IncompleteCapture, MissingPage, UnknownShape

Resource = Mapping[str, object]
LIST_KEYS = {
    "messages.list": "messages",
    "threads.list": "threads",
    "history.list": "history",
    "labels.list": "labels",
    "search_threads": "threads",
    "settings.filters.list": "filter",
}
"""Where a list answer keeps its items; the key is absent when there are none."""
RATE_LIMITED = (403, 429)
GONE = 404


@dataclass(frozen=True, slots=True)
class Reading:
    """One message as the newest capture shows it, and every label list that older captures saw.

    `sightings` are (capture id, finish of that capture, labels), oldest first.
    """

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
    for capture in captures:
        refuse_incomplete(capture)
        for number, mail in enumerate(_messages(capture)):
            _note(seen, mail.id or f"{capture.seal.id}#{number}", mail, capture)
    return tuple(Reading(s.capture, s.mail, tuple(s.sightings)) for _, s in sorted(seen.items()))


def _note(seen: dict[str, _Seen], key: str, mail: Mail | Unreadable, capture: RawCapture) -> None:
    old = seen.get(key)
    if isinstance(mail, Unreadable) and old is not None and isinstance(old.mail, Mail):
        return
    if old is not None and isinstance(old.mail, Mail) and isinstance(mail, Mail):
        _refuse_conflict(old.mail, mail)
        mail = _richer(old.mail, mail)
    sightings = old.sightings if old is not None else []
    if isinstance(mail, Mail):
        sightings.append((capture.seal.id, capture.seal.finished_at, mail.label_ids))
    seen[key] = _Seen(capture.seal.id, mail, sightings)


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


def _messages(capture: RawCapture) -> Iterator[Mail | Unreadable]:
    for exchange in capture.bodies("messages.get"):
        if exchange.parameters.get("format", "full") == "full":
            yield read_message(parse_json_object(exchange.body))
    for exchange in capture.bodies("threads.get"):
        if exchange.parameters.get("format", "full") == "full":
            yield from map(read_message, _items(parse_json_object(exchange.body), "messages"))
    for exchange in capture.bodies("search_threads"):
        yield from _search_threads(parse_json_object(exchange.body))


def _search_threads(document: Resource) -> Iterator[Mail | Unreadable]:
    for thread in _items(document, "threads"):
        for message in _items(thread, "messages"):
            yield read_search_threads_message(message, str(thread.get("id", "")))


def listed_threads(captures: Iterable[RawCapture]) -> dict[str, str]:
    """Message id -> thread id of everything that a list page ever named."""
    found: dict[str, str] = {}
    for capture in captures:
        for exchange in capture.bodies("messages.list"):
            for item in _items(parse_json_object(exchange.body), "messages"):
                found[str(item.get("id"))] = str(item.get("threadId"))
    return found


def newest_list(captures: Iterable[RawCapture], method: str) -> tuple[Resource, ...]:
    """The items of the newest capture that holds an unpaged list of that method, e.g. `labels.list`."""
    newest: tuple[Resource, ...] = ()
    for capture in captures:
        for exchange in capture.bodies(method):
            newest = tuple(_items(parse_json_object(exchange.body), LIST_KEYS[method]))
    return newest


def attested_address(capture: RawCapture) -> str | None:
    """getProfile's emailAddress in a capture's own bodies, or None: identity never comes from headers."""
    for exchange in capture.bodies("getProfile"):
        return str(parse_json_object(exchange.body).get("emailAddress"))
    return None


def refuse_incomplete(capture: RawCapture) -> None:
    """Every list reaches its end and every id that the inbox list names was answered."""
    _refuse_missing_page(capture)
    _refuse_unanswered(capture)


def _refuse_missing_page(capture: RawCapture) -> None:
    open_lists: dict[tuple[object, ...], bool] = {}
    for exchange in capture.exchanges:
        if exchange.method in LIST_KEYS and exchange.status == OK:
            page = parse_json_object(exchange.body)
            open_lists[_list_identity(exchange)] = bool(page.get("nextPageToken"))
    if any(open_lists.values()):
        raise MissingPage(
            f"capture {capture.seal.id}: a list stops before its last page",
            evidence="its last page still names a next page",
            next_command="gmailtriage fetch",
        )


def _list_identity(exchange: Exchange) -> tuple[object, ...]:
    asked = sorted((name, value) for name, value in exchange.parameters.items() if name != "pageToken")
    return (exchange.method, *asked)


def _refuse_unanswered(capture: RawCapture) -> None:
    answered = {
        str(e.parameters.get("id")) for e in capture.exchanges if e.status in (OK, GONE) and "id" in e.parameters
    }
    wanted = [i for e in capture.bodies("messages.list") if _is_wanted(e) for i in _ids(e)]
    missing = [message_id for message_id in wanted if message_id not in answered]
    if not missing:
        return
    limited = any(e.status in RATE_LIMITED and str(e.parameters.get("id")) in missing for e in capture.exchanges)
    refusal = DroppedOn429 if limited else IncompleteCapture
    raise refusal(
        f"capture {capture.seal.id}: {len(missing)} listed messages have no body",
        evidence=", ".join(missing[:5]),
        next_command="gmailtriage fetch",
    )


def _is_wanted(exchange: Exchange) -> bool:
    """The inbox list is what fetch reads in full; other lists give ids and threads only."""
    return exchange.parameters.get("labelIds") in ("INBOX", ("INBOX",), ["INBOX"])


def _ids(exchange: Exchange) -> list[str]:
    return [str(item.get("id")) for item in _items(parse_json_object(exchange.body), "messages")]


def _items(document: Resource, key: str) -> list[Resource]:
    """The list under a key: [] when absent. Raises UnknownShape when it is something else."""
    items = document.get(key, [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise UnknownShape(f"{key} is no list of objects", evidence=type(items).__name__)
    return items
