"""One strict reader for every message: a `Mail`, or `Unreadable` and what is missing; never an exception.

Promises: the same resource always gives the same value; nothing is guessed (an unknown label list is
None, not empty); the body is never taken from a snippet; dates come from Gmail, not from the sender.

>>> read_message({"id": "18f0", "threadId": "18f0", "internalDate": "1795428000000"})
Unreadable(id='18f0', reason='no-payload', missing=('payload', 'labelIds'))
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pipeline.mail.address import read_addresses, read_sender
from pipeline.mail.auth import read_auth, trusted_values
from pipeline.mail.body import Body, read_body
from pipeline.mail.headers import Decoded, decode, read_headers
from pipeline.mail.message import EARLIEST_MS, LATEST_MS, Mail, Unreadable, is_id, read_labels
from pipeline.mail.searched import read_search_threads_message

__all__ = ["BodyReader", "Mail", "Unreadable", "is_id", "read_labels", "read_message", "read_search_threads_message"]

BodyReader = Callable[[object], Body]
"""`body.read_body` or `body.read_body_facts`."""

_HISTORY_ID: Final = re.compile(r"[0-9]{1,20}\Z", re.A)
_MILLISECONDS: Final = re.compile(r"-?[0-9]{1,15}\Z", re.A)
_LIST_ID: Final = re.compile(r"<([^<>]{1,512})>")
_MAX_LIST_HEADER: Final = 2_048


def read_message(resource: object, body_of: BodyReader = read_body) -> Mail | Unreadable:
    """A Gmail message resource in format full (or metadata: the body is then `not_fetched`).

    `body_of` reads the payload: `read_body` all of it, `read_body_facts` only the facts, at a fraction of the price.
    """
    refused = _refusal(resource)
    if refused is not None:
        return refused
    message: Mapping[str, object] = resource  # type: ignore[assignment]  # _refusal saw a mapping
    payload: Mapping[str, object] = message["payload"]  # type: ignore[assignment]  # and a mapping in it
    fields = read_headers(payload.get("headers"))
    named = fields.by_name()
    subject = _subject(named.get("subject", ()))
    unsubscribe = _decoded(named.get("list-unsubscribe", ()))
    return Mail(
        id=str(message["id"]),
        thread_id=str(message["threadId"]),
        label_ids=read_labels(message.get("labelIds", ())),
        internal_date_ms=int(str(message["internalDate"])),
        history_id=_history_id(message.get("historyId")),
        headers=fields,
        sender=read_sender(named.get("from", ())),
        reply_to=read_addresses(named.get("reply-to", ())),
        to=read_addresses(named.get("to", ())),
        cc=read_addresses(named.get("cc", ())),
        subject=subject.text,
        subject_defects=subject.defects,
        body=body_of(payload),
        list_id=_list_id(named.get("list-id", ())),
        list_unsubscribe=unsubscribe,
        has_unsubscribe=any(value.strip() for value in unsubscribe),
        one_click=_is_one_click(named.get("list-unsubscribe-post", ()), unsubscribe),
        auth=read_auth(trusted_values(fields.pairs)),
        message_id=_first_text(named.get("message-id", ())),
        date_header=_first_text(named.get("date", ())),
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


def _first_text(values: Sequence[str]) -> str | None:
    return decode(values[0]).text.strip() if values else None


def _subject(values: Sequence[str]) -> Decoded:
    if not values:
        return Decoded("", ("missing_subject",))
    decoded = decode(values[0])
    defects = (*decoded.defects, "several_subjects") if len(values) > 1 else decoded.defects
    return Decoded(decoded.text.strip(), defects)


def _decoded(values: Sequence[str]) -> tuple[str, ...]:
    return tuple([decode(value).text.strip()[:_MAX_LIST_HEADER] for value in values])


def _list_id(values: Sequence[str]) -> str | None:
    if not values:
        return None
    text = _decoded(values[:1])[0]
    found = _LIST_ID.search(text)
    return (found.group(1) if found else text).strip().lower()[:512]


def _is_one_click(fields: Sequence[str], unsubscribe: tuple[str, ...]) -> bool:
    """RFC 8058 offered plainly: one field of each kind and an https target in it."""
    if len(fields) != 1 or len(unsubscribe) != 1:
        return False
    post = _decoded(fields)[0]
    return post.lower() == "list-unsubscribe=one-click" and "<https://" in unsubscribe[0].lower()
