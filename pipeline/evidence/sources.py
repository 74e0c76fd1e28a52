"""Messages out of a capture's answers, whoever saved them: each shape has its reader, all give one kind of value.

Gmail's own messages come first, connectors' views after them, bare labels (format minimal) last, so that the first
source to name something is always the richest one.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from pipeline.canonical import parse_json_object, sha256_hex
from pipeline.evidence.answers import Resource, items
from pipeline.evidence.captures import Exchange, RawCapture
from pipeline.evidence.shapes import format_of
from pipeline.evidence.takeout import label_ids
from pipeline.mail.body import read_body
from pipeline.mail.message import Mail, Unreadable, is_id, read_labels
from pipeline.mail.rawmail import read_eml, read_mbox_message, read_raw_message
from pipeline.mail.reader import BodyReader, read_message, read_search_threads_message
from pipeline.mail.searched import read_thread_message, read_triage_message
from pipeline.refusals import TooDeep


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What format minimal shows of a message: ids and labels (None = not shown), nothing to judge by."""

    id: str
    thread_id: str
    label_ids: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Known:
    """What other answers say that a shape leaves out: label ids by casefolded name, thread ids by message id."""

    labels: Mapping[str, str] = field(default_factory=dict)
    threads: Mapping[str, str] = field(default_factory=dict)


CONNECTORS = frozenset({"mbox", "triage"})
"""Shapes whose reading depends on what lists say."""

Found = tuple[str, Mail | Unreadable | Glimpse]
"""A key that stands for the id of a message without one, and the message."""


def messages_of(
    capture: RawCapture, known: Known, only: Collection[str] | None = None, body_of: BodyReader = read_body
) -> Iterator[Found]:
    """Every message that the capture's answers show, once for each time it is shown; `only` these ids when given.

    `body_of` reads Gmail's payloads: all of them, or what a row needs.
    """
    glimpses: list[Found] = []
    for method, reader in _READERS.items():
        for exchange in capture.bodies(method):
            if only is not None and not _may_show(exchange, only):
                continue
            for key, found in reader(exchange, known, body_of):
                if isinstance(found, Glimpse):
                    glimpses.append((key, found))
                else:
                    yield key, found
    yield from glimpses


def _may_show(exchange: Exchange, only: Collection[str]) -> bool:
    """A message that was asked for by its id is no other; every other answer has to be looked into."""
    asked = exchange.parameters.get("id")
    return exchange.method != "messages.get" or asked is None or asked in only


def _message(exchange: Exchange, known: Known, body_of: BodyReader) -> Iterator[Found]:
    body = exchange.body
    try:
        resource = parse_json_object(body)
    except TooDeep:
        yield sha256_hex(body)[:16], Unreadable(str(exchange.parameters.get("id", "")), "too-deep", ("payload",))
        return
    kind = str(exchange.parameters.get("format", "full"))
    if kind == "minimal" and "purpose" not in exchange.parameters:
        return  # what fetch asks in format minimal is no reading of a message
    found = _read(resource, kind, body_of)
    asked = exchange.parameters.get("id", found.id)
    yield _keyed(resource, found if found.id == asked else Unreadable(str(asked), "other-id", ("id",)))


def _thread(exchange: Exchange, known: Known, body_of: BodyReader) -> Iterator[Found]:
    kind = exchange.parameters.get("format", "full")
    if kind != "full":
        return
    for resource in items(parse_json_object(exchange.body), "messages"):
        is_saved = "purpose" in exchange.parameters
        yield _keyed(resource, _read(resource, format_of(resource) if is_saved else "full", body_of))


def _read(resource: Resource, kind: str, body_of: BodyReader) -> Mail | Unreadable | Glimpse:
    if kind == "raw":
        return read_raw_message(resource, body_of)
    own_id, thread_id = resource.get("id"), resource.get("threadId")
    if kind == "minimal" and is_id(own_id) and is_id(thread_id):
        return Glimpse(str(own_id), str(thread_id), read_labels(resource.get("labelIds", ())))
    return read_message(resource, body_of)


def _searched(exchange: Exchange, known: Known, body_of: BodyReader) -> Iterator[Found]:
    for thread in items(parse_json_object(exchange.body), "threads"):
        for resource in items(thread, "messages"):
            yield _keyed(resource, read_search_threads_message(resource, str(thread.get("id", ""))))


def _connector_thread(exchange: Exchange, known: Known, body_of: BodyReader) -> Iterator[Found]:
    thread = parse_json_object(exchange.body)
    for resource in items(thread, "messages"):
        yield _keyed(resource, read_thread_message(resource, str(thread.get("id", ""))))


def _triaged(exchange: Exchange, known: Known, body_of: BodyReader) -> Iterator[Found]:
    for resource in items(parse_json_object(exchange.body), "messages"):
        yield _keyed(resource, read_triage_message(resource, known.threads.get(str(resource.get("id")))))


def _boxed(exchange: Exchange, known: Known, body_of: BodyReader) -> Iterator[Found]:
    found, names = read_mbox_message(exchange.body, body_of)
    if isinstance(found, Mail):
        found = found.with_labels(label_ids(names, known.labels))
    yield sha256_hex(exchange.body)[:16], found


def _file(exchange: Exchange, known: Known, body_of: BodyReader) -> Iterator[Found]:
    yield sha256_hex(exchange.body)[:16], read_eml(exchange.body, body_of)


def _keyed(resource: Resource, found: Mail | Unreadable | Glimpse) -> Found:
    """What was found under its id, or under a digest of what was read."""
    return found.id or sha256_hex(json.dumps(resource, sort_keys=True).encode())[:16], found


_READERS: Mapping[str, Callable[[Exchange, Known, BodyReader], Iterator[Found]]] = {
    "messages.get": _message,
    "threads.get": _thread,
    "mbox": _boxed,
    "eml": _file,
    "get_thread": _connector_thread,
    "search_threads": _searched,
    "triage": _triaged,
}
"""Richest first."""
SHOWING = tuple(_READERS)
"""Methods whose answers show mail, in the order in which they are read."""
