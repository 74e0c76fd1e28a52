"""Makes a mailbox from Gmail JSON resources: messages with `raw` or `payload`, and labels.

Ids, threads, dates and history ids that a resource brings are kept; what is missing is made up from the
order of the messages, so the same input gives the same mailbox.
"""

from collections.abc import Iterable
from dataclasses import replace

from twin.arrivals import date_header_ms, parent_thread
from twin.labels import Label, from_resource, number_of, system_labels
from twin.mailbox import FIRST_HISTORY, Mail, Stored, add, header_key, next_history, next_message_id
from twin.resource import INLINE_LIMIT, unb64url
from twin.source import Source
from twin.wire import Json

FALLBACK_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z, for a message that says nothing of its date


def source_of(resource: Json, inline_limit: int = INLINE_LIMIT) -> Source:
    """The content of a message resource; ValueError when `raw` is not base64url."""
    known: Json = {key: resource[key] for key in ("snippet", "sizeEstimate") if key in resource}
    if not resource.get("raw"):
        return Source.from_payload(resource.get("payload") or {}, known)
    raw = unb64url(str(resource["raw"]))
    if raw is None:
        raise ValueError(f"message {resource.get('id', '(no id)')}: raw is not base64url")
    return Source.from_raw(raw, known, inline_limit)


def date_of(resource: Json, source: Source) -> int:
    """Epoch milliseconds: internalDate, else the Date header, else a fixed day."""
    if resource.get("internalDate") not in (None, ""):
        return int(resource["internalDate"])
    found = date_header_ms(source)
    return FALLBACK_MS if found is None else found


def seeded_labels(resources: Iterable[Json]) -> tuple[dict[str, Label], int]:
    """Labels by id, system ones first, and how many numbers are taken."""
    labels = system_labels()
    made = 0
    for resource in resources:
        label = from_resource(resource, f"Label_{made + 1}")
        labels[label.label_id] = label
        made = max(made, number_of(label.label_id))
    return labels, made


class _Seeder:
    """Adds messages one by one to growing dictionaries; a mailbox value per message would be quadratic."""

    def __init__(self, mail: Mail, inline_limit: int) -> None:
        self._mail, self._limit = mail, inline_limit
        self._messages: dict[str, Stored] = {}
        self._by_header_id: dict[str, str] = {}
        self._history_id = mail.history_id

    def take(self, resource: Json) -> None:
        source = source_of(resource, self._limit)
        here = replace(self._mail, messages=self._messages, by_header_id=self._by_header_id)
        here = replace(here, made=len(self._messages))
        message_id = str(resource.get("id") or next_message_id(here))
        if message_id in self._messages:
            raise ValueError(f"message id {message_id} occurs twice")
        thread_id = resource.get("threadId") or parent_thread(here, source) or message_id
        self._history_id = next_history(self._history_id)
        history_id = int(resource.get("historyId") or self._history_id)
        labels = tuple(dict.fromkeys(map(str, resource.get("labelIds") or ())))
        date_ms = date_of(resource, source)
        self._messages[message_id] = Stored(message_id, str(thread_id), labels, date_ms, history_id, source)
        self._by_header_id[header_key(source)] = message_id

    def messages(self) -> list[Stored]:
        return list(self._messages.values())


def _known_labels(labels: dict[str, Label], stored: list[Stored]) -> dict[str, Label]:
    """Labels that messages wear but nobody described: a capture may hold messages without labels.list."""
    worn = dict.fromkeys(label for item in stored for label in item.label_ids)
    return labels | {key: Label(key, key, False, {}) for key in worn if key not in labels}


def mail_from(
    messages: Iterable[Json],
    labels: Iterable[Json] = (),
    *,
    seed: int = 0,
    history_id: int = 0,
    inline_limit: int = INLINE_LIMIT,
) -> Mail:
    """The mailbox. `history_id`: where its history stands (at least above every message's own)."""
    known, made = seeded_labels(labels)
    empty = Mail(seed=seed)
    seeder = _Seeder(empty, inline_limit)
    for resource in messages:
        seeder.take(resource)
    stored = seeder.messages()
    every = _known_labels(known, stored)
    mail = replace(empty, labels=every, labels_made=max([made, *map(number_of, every)]))
    filled = add(mail, stored, is_recorded=False) if stored else mail
    newest = max([FIRST_HISTORY, history_id, filled.history_id])
    return replace(filled, history_id=newest, oldest_start=newest)
