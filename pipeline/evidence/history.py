"""What history pages say: which messages changed, what they wear since, which are gone.

Promises: every message that a record names is told, in the order of the records; labels that a record does not give are
unknown (None), never "none". A record that cannot be read is refused (UnknownShape): what it hides would be lost.

>>> list(changes_of({"history": [{"id": "7", "messagesDeleted": [{"message": {"id": "a", "threadId": "t"}}]}]}))
[Change(history_id='7', message_id='a', thread_id='t', labels=None, is_deleted=True)]
>>> list(changes_of({"historyId": "7"}))
[]
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pipeline.canonical import parse_json_object
from pipeline.evidence.captures import OK, Exchange, RawCapture
from pipeline.evidence.complete import items
from pipeline.mail.message import is_id, read_labels
from pipeline.refusals import UnknownShape

DELETED = "messagesDeleted"
KINDS = ("messagesAdded", "labelsAdded", "labelsRemoved", DELETED)
"""The lists of a history record; deletion last, because nothing follows it."""
_HISTORY_ID = re.compile(r"[0-9]{1,20}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Change:
    """One message in one history record: its labels after it, None when the record does not give them."""

    history_id: str
    message_id: str
    thread_id: str
    labels: tuple[str, ...] | None
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """What a capture says last of a message without its body: labels (None = unknown), or that it is gone."""

    labels: tuple[str, ...] | None
    history_id: str = ""
    is_deleted: bool = False


def changes_of(document: Mapping[str, object]) -> Iterator[Change]:
    """The changes of one history page, in order. Raises UnknownShape."""
    for record in items(document, "history"):
        told = [change for kind in KINDS for change in _changes(record, kind)]
        yield from told
        named = {change.message_id for change in told}
        rest = (_change(record, one, is_deleted=False) for one in items(record, "messages"))
        yield from (change for change in rest if change.message_id not in named)


def last_changes(pages: Iterable[Mapping[str, object]]) -> dict[str, Change]:
    """Message id -> the last change of it."""
    return {change.message_id: change for page in pages for change in changes_of(page)}


def last_sights(capture: RawCapture) -> dict[str, Sight]:
    """What history pages and minimal reads of a capture say last; a full read after them replaces what they said."""
    found: dict[str, Sight] = {}
    for exchange in capture.exchanges:
        if exchange.status != OK:
            continue
        if exchange.method == "history.list":
            for change in changes_of(parse_json_object(exchange.body)):
                found[change.message_id] = Sight(change.labels, change.history_id, change.is_deleted)
        elif is_read(exchange, "minimal"):
            found[str(exchange.parameters.get("id"))] = _minimal(exchange)
        elif is_read(exchange, "full"):
            found.pop(str(exchange.parameters.get("id")), None)
    return found


def is_read(exchange: Exchange, form: str) -> bool:
    """Whether it is a messages.get in this format; one that names none is full."""
    return exchange.method == "messages.get" and exchange.parameters.get("format", "full") == form


def _minimal(exchange: Exchange) -> Sight:
    message = parse_json_object(exchange.body)
    if message.get("id") != exchange.parameters.get("id"):
        return Sight(None)
    history_id = message.get("historyId")
    known = isinstance(history_id, str) and _HISTORY_ID.fullmatch(history_id)
    return Sight(read_labels(message.get("labelIds", ())), str(history_id) if known else "")


def _changes(record: Mapping[str, object], kind: str) -> Iterator[Change]:
    for item in items(record, kind):
        message = item.get("message")
        if not isinstance(message, dict):
            raise UnknownShape("a history record names no message", evidence=kind)
        yield _change(record, message, is_deleted=kind == DELETED)


def _change(record: Mapping[str, object], message: Mapping[str, object], *, is_deleted: bool) -> Change:
    found, message_id, thread_id = record.get("id"), message.get("id"), message.get("threadId")
    if not isinstance(found, str) or not _HISTORY_ID.fullmatch(found) or not is_id(message_id) or not is_id(thread_id):
        raise UnknownShape("a history record has no usable ids", evidence="history.list")
    labels = read_labels(message["labelIds"]) if "labelIds" in message and not is_deleted else None
    return Change(found, str(message_id), str(thread_id), labels, is_deleted)
