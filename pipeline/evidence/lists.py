"""What lists say: which messages exist in which thread, which labels there are, whose mailbox it is.

living_threads(captures)   message id -> thread id of everything that was listed and not taken away since
"""

from collections.abc import Iterable

from pipeline.canonical import parse_json_object
from pipeline.evidence.answers import Resource, items
from pipeline.evidence.captures import OK, Exchange, RawCapture
from pipeline.evidence.complete import LIST_KEYS, is_list_of_everything
from pipeline.evidence.history import changes_of
from pipeline.evidence.sources import Known
from pipeline.evidence.takeout import listed_names
from pipeline.refusals import UnknownShape


def holds_listing(capture: RawCapture) -> bool:
    """Whether it holds a list of all mail."""
    return any(map(is_list_of_everything, capture.bodies("messages.list")))


def newest_listing(captures: tuple[RawCapture, ...]) -> RawCapture | None:
    """The newest capture that holds a list of all mail, or None."""
    return next(filter(holds_listing, reversed(captures)), None)


def living_threads(captures: tuple[RawCapture, ...]) -> dict[str, str]:
    """Message id -> thread id of what lists name since the newest list of all mail, itself included."""
    listing = newest_listing(captures)
    return listed_threads(captures if listing is None else captures[captures.index(listing) :])


def listed_threads(captures: Iterable[RawCapture]) -> dict[str, str]:
    """Message id -> thread id of everything that a list or history page of these captures named and none took away."""
    found: dict[str, str] = {}
    for capture in captures:
        for message_id, thread_id in listed_in(capture):
            follow(found, message_id, thread_id)
    return found


def follow(found: dict[str, str], message_id: str, thread_id: str | None) -> None:
    """One more word about a message: its thread, or None when it was deleted."""
    if thread_id is None:
        found.pop(message_id, None)
    else:
        found[message_id] = thread_id


def listed_in(capture: RawCapture) -> Iterable[tuple[str, str | None]]:
    """(message id, thread id or None = deleted) as lists and history pages of a capture name them, in order."""
    for exchange in capture.exchanges:
        if exchange.status == OK and exchange.method == "messages.list":
            for item in items(parse_json_object(exchange.body), "messages"):
                yield _text(item, "id"), _text(item, "threadId")
        elif exchange.status == OK and exchange.method == "history.list":
            yield from _changed(exchange)


def _changed(page: Exchange) -> Iterable[tuple[str, str | None]]:
    """What one history page adds to a list and takes from it."""
    for change in changes_of(parse_json_object(page.body)):
        yield change.message_id, None if change.is_deleted else change.thread_id


def known_of(captures: tuple[RawCapture, ...]) -> Known:
    """What lists say for shapes that leave it out; nothing is read when there is no such shape."""
    methods = {exchange.method for capture in captures for exchange in capture.exchanges}
    return Known(
        labels=listed_names(newest_list(captures, "labels.list")) if "mbox" in methods else {},
        threads=listed_threads(captures) if "triage" in methods else {},
    )


def newest_list(captures: Iterable[RawCapture], method: str) -> tuple[Resource, ...]:
    """The items of the newest capture that holds an unpaged list of that method, e.g. `labels.list`."""
    newest: Exchange | None = None
    for capture in captures:
        for exchange in capture.bodies(method):
            newest = exchange
    return tuple(items(parse_json_object(newest.body), LIST_KEYS[method])) if newest else ()


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
