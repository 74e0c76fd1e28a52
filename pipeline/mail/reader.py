"""One strict reader for every message: a `Mail`, or `Unreadable` and what is missing; never an exception.

Promises: the same resource always gives the same value; nothing is guessed (an unknown label list is
None, not empty); the body is never taken from a snippet; dates come from Gmail, not from the sender.

>>> read_message({"id": "18f0", "threadId": "18f0", "internalDate": "1795428000000"})
Unreadable(id='18f0', reason='no-payload', missing=('payload', 'labelIds'))
"""

import re
from collections.abc import Mapping
from typing import Final

from pipeline.mail.address import read_addresses, read_sender
from pipeline.mail.auth import read_auth, trusted_values
from pipeline.mail.body import read_body
from pipeline.mail.headers import Decoded, Headers, decode, read_headers
from pipeline.mail.message import EARLIEST_MS, LATEST_MS, Mail, Unreadable, is_id, read_labels
from pipeline.mail.searched import read_search_threads_message

__all__ = ["Mail", "Unreadable", "is_id", "read_labels", "read_message", "read_search_threads_message"]


_HISTORY_ID: Final = re.compile(r"[0-9]{1,20}\Z", re.A)
_MILLISECONDS: Final = re.compile(r"-?[0-9]{1,15}\Z", re.A)
_LIST_ID: Final = re.compile(r"<([^<>]{1,512})>")
_MAX_LIST_HEADER: Final = 2_048


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


def _is_epoch_ms(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return False
    if isinstance(value, str):
        return _MILLISECONDS.match(value) is not None and EARLIEST_MS <= int(value) <= LATEST_MS
    return EARLIEST_MS <= value <= LATEST_MS


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
