"""One strict reader for every message: a `Mail`, or `Unreadable` and what is missing; never an exception.

Promises: the same resource always gives the same value; nothing is guessed (an unknown label list is
None, not empty); the body is never taken from a snippet; dates come from Gmail, not from the sender.

>>> read_message({"id": "18f0", "threadId": "18f0", "internalDate": "1795428000000"})
Unreadable(id='18f0', reason='no-payload', missing=('payload', 'labelIds'))
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Final

from pipeline.mail.address import Sender, read_addresses, read_sender
from pipeline.mail.auth import NO_VERDICT, Auth, read_auth, trusted_values
from pipeline.mail.body import NOT_FETCHED, Body, read_body
from pipeline.mail.headers import Decoded, Headers, decode, read_headers

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,128}\Z")
_HISTORY_ID: Final = re.compile(r"[0-9]{1,20}\Z", re.A)
_MILLISECONDS: Final = re.compile(r"-?[0-9]{1,15}\Z", re.A)
_LIST_ID: Final = re.compile(r"<([^<>]{1,512})>")
_YEAR_1: Final = -62_135_596_800_000
_YEAR_9999: Final = 253_402_300_799_999
_MAX_LABELS: Final = 10_000
_MAX_LIST_HEADER: Final = 2_048
_MAX_RECIPIENTS: Final = 500


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message that gives no row. Reasons: not-a-message, bad-id, bad-thread-id, no-payload, no-headers,

    bad-date, no-date, metadata-only. `missing` names the keys that are absent or unusable.
    """

    id: str
    reason: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mail:
    """One message, read. `label_ids` is sorted and None when unknown; `date_header` is the sender's claim."""

    id: str
    thread_id: str
    label_ids: tuple[str, ...] | None
    internal_date_ms: int
    history_id: str = ""
    headers: Headers = field(default_factory=Headers)
    headers_seen: bool = True
    sender: Sender = field(default_factory=Sender)
    reply_to: tuple[Sender, ...] = ()
    to: tuple[Sender, ...] = ()
    cc: tuple[Sender, ...] = ()
    subject: str = ""
    subject_defects: tuple[str, ...] = ()
    body: Body = NOT_FETCHED
    list_id: str | None = None
    list_unsubscribe: tuple[str, ...] = ()
    has_unsubscribe: bool = False
    one_click: bool = False
    auth: Auth = NO_VERDICT
    message_id: str | None = None
    date_header: str | None = None
    defects: tuple[str, ...] = ()


def read_message(resource: object) -> Mail | Unreadable:
    """A Gmail message resource in format full (or metadata: the body is then `not_fetched`)."""
    refused = _refusal(resource)
    if refused is not None:
        return refused
    message: Mapping[str, object] = resource  # type: ignore[assignment]  # _refusal saw a mapping
    payload: Mapping[str, object] = message["payload"]  # type: ignore[assignment]  # and a mapping in it
    fields = read_headers(payload.get("headers"))
    subject = _subject(fields)
    unsubscribe = _values(fields, "list-unsubscribe")
    return Mail(
        id=str(message["id"]),
        thread_id=str(message["threadId"]),
        label_ids=read_labels(message.get("labelIds", ())),
        internal_date_ms=int(str(message["internalDate"])),
        history_id=_history_id(message.get("historyId")),
        headers=fields,
        sender=read_sender(fields.all("from")),
        reply_to=read_addresses(fields.all("reply-to")),
        to=read_addresses(fields.all("to")),
        cc=read_addresses(fields.all("cc")),
        subject=subject.text,
        subject_defects=subject.defects,
        body=read_body(payload),
        list_id=_list_id(fields),
        list_unsubscribe=unsubscribe,
        has_unsubscribe=any(value.strip() for value in unsubscribe),
        one_click=_is_one_click(fields, unsubscribe),
        auth=read_auth(trusted_values(fields.pairs)),
        message_id=_text(fields.first("message-id")),
        date_header=_text(fields.first("date")),
        defects=fields.defects,
    )


def _refusal(resource: object) -> Unreadable | None:
    """The first thing without which the message cannot be a row."""
    if not isinstance(resource, Mapping):
        return Unreadable("", "not-a-message", ("id",))
    found = resource.get("id")
    if not is_id(found):
        return Unreadable("", "bad-id", ("id",))
    if not is_id(resource.get("threadId")):
        return Unreadable(str(found), "bad-thread-id", ("threadId",))
    payload = resource.get("payload")
    if not isinstance(payload, Mapping):
        return Unreadable(str(found), "no-payload", _missing(resource, "payload"))
    if not isinstance(payload.get("headers"), (list, tuple)):
        return Unreadable(str(found), "no-headers", _missing(resource, "payload.headers"))
    if not _is_epoch_ms(resource.get("internalDate")):
        return Unreadable(str(found), "bad-date", ("internalDate",))
    return None


def _missing(resource: Mapping[str, object], first: str) -> tuple[str, ...]:
    return (first, *(key for key in ("labelIds", "internalDate") if key not in resource))


def is_id(value: object) -> bool:
    """Whether the value may be a Gmail id: opaque, but never a path, a query or a line."""
    return isinstance(value, str) and _ID.match(value) is not None


def _is_epoch_ms(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return False
    if isinstance(value, str):
        return _MILLISECONDS.match(value) is not None and _YEAR_1 <= int(value) <= _YEAR_9999
    return _YEAR_1 <= value <= _YEAR_9999


def read_labels(value: object) -> tuple[str, ...] | None:
    """A label list as a sorted set; None (unknown) when it is null or holds anything but texts."""
    if not isinstance(value, (list, tuple)) or len(value) > _MAX_LABELS:
        return None
    if not all(isinstance(label, str) and label for label in value):
        return None
    return tuple(sorted(set(value)))


def _history_id(value: object) -> str:
    return value if isinstance(value, str) and _HISTORY_ID.match(value) else ""


def _text(value: str | None) -> str | None:
    return decode(value).text.strip() if value is not None else None


def _subject(fields: Headers) -> Decoded:
    values = fields.all("subject")
    if not values:
        return Decoded("", ("missing_subject",))
    decoded = decode(values[0])
    defects = (*decoded.defects, "several_subjects") if len(values) > 1 else decoded.defects
    return Decoded(decoded.text.strip(), defects)


def _values(fields: Headers, name: str) -> tuple[str, ...]:
    return tuple([decode(value).text.strip()[:_MAX_LIST_HEADER] for value in fields.all(name)])


def _list_id(fields: Headers) -> str | None:
    values = _values(fields, "list-id")
    if not values:
        return None
    found = _LIST_ID.search(values[0])
    return (found.group(1) if found else values[0]).strip().lower()[:512]


def _is_one_click(fields: Headers, unsubscribe: tuple[str, ...]) -> bool:
    """RFC 8058 offered plainly: one field of each kind and an https target in it."""
    posts = _values(fields, "list-unsubscribe-post")
    if len(posts) != 1 or len(unsubscribe) != 1:
        return False
    return posts[0].lower() == "list-unsubscribe=one-click" and "<https://" in unsubscribe[0].lower()


def read_search_threads_message(resource: object, thread_id: str) -> Mail | Unreadable:
    """One message of the `search_threads` shape: no headers, no body, a verdict at most partial.

    A message without an id of its own stands for its thread's first message and takes the thread's id.
    """
    if not isinstance(resource, Mapping):
        return Unreadable("", "not-a-message", ("id",))
    own_id = resource.get("id", thread_id)
    if not is_id(own_id) or not is_id(thread_id):
        return Unreadable("", "bad-id", ("id",))
    absent = tuple(key for key in ("sender", "subject") if key not in resource)
    if absent:
        return Unreadable(str(own_id), "metadata-only", absent)
    when = _rfc3339_ms(resource.get("date"))
    if when is None:
        return Unreadable(str(own_id), "no-date" if "date" not in resource else "bad-date", ("date",))
    return _partial_mail(resource, str(own_id), thread_id, when)


def _partial_mail(resource: Mapping[str, object], own_id: str, thread_id: str, when: int) -> Mail:
    sender, subject = resource["sender"], resource["subject"]
    decoded = decode(subject) if isinstance(subject, str) else Decoded("", ("null_subject",))
    date_text = str(resource["date"])
    return Mail(
        id=own_id,
        thread_id=thread_id,
        label_ids=read_labels(resource.get("labelIds")),
        internal_date_ms=when,
        headers_seen=False,
        sender=read_sender([sender]) if isinstance(sender, str) else Sender(defects=("null_sender",)),
        to=read_addresses(_recipients(resource.get("toRecipients"))),
        cc=read_addresses(_recipients(resource.get("ccRecipients"))),
        subject=decoded.text.strip(),
        subject_defects=decoded.defects,
        date_header=decode(date_text).text,
        defects=() if "T" in date_text or "t" in date_text else ("date_only",),
    )


def _recipients(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, (list, tuple)):
        return []
    return [entry for entry in value[:_MAX_RECIPIENTS] if isinstance(entry, str)]


def _rfc3339_ms(value: object) -> int | None:
    """Epoch milliseconds of an RFC 3339 time, or of midnight UTC of a bare date; no zone gives None."""
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        is_day = len(value) <= 10
        when = datetime.combine(date.fromisoformat(value), time(), UTC) if is_day else datetime.fromisoformat(value)
    except ValueError:
        return None
    if when.tzinfo is None:
        return None
    milliseconds = round((when - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)
    return milliseconds if _YEAR_1 <= milliseconds <= _YEAR_9999 else None
