"""The shapes of a connector and of a helper's list: no headers, a body at most, a verdict at most partial.

`search_threads` and `get_thread` share their message; `get_thread` may carry text and HTML of the body; `triage` names
neither thread nor body.

Promises: an absent sender or subject key is refused by name, a null one is unknown, never a default;
a date without a zone is no date.

>>> read_search_threads_message({"subject": "Hello", "date": "2026-11-23"}, "t1")
Unreadable(id='t1', reason='metadata-only', missing=('sender',))
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Final

from pipeline.mail.address import Sender, read_addresses, read_sender
from pipeline.mail.body import NOT_FETCHED, Body, read_body
from pipeline.mail.dates import mail_date_ms
from pipeline.mail.headers import Decoded, decode
from pipeline.mail.message import EARLIEST_MS, LATEST_MS, Mail, Unreadable, is_id, read_labels

_MAX_RECIPIENTS: Final = 500
_BODY_KEYS: Final = {"plaintextBody": "text/plain", "htmlBody": "text/html"}
_TRIAGE_KEYS: Final = {"id": "id", "sender": "from", "subject": "subject", "labelIds": "labels", "toRecipients": "to"}


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


def read_thread_message(resource: object, thread_id: str) -> Mail | Unreadable:
    """One message of the `get_thread` shape: the same, and a body that is at most `lossy`: nobody saw it whole."""
    found = read_search_threads_message(resource, thread_id)
    if isinstance(found, Unreadable) or not isinstance(resource, Mapping):
        return found
    return replace(found, body=_shown_body(resource))


def read_triage_message(resource: object, thread_id: str | None) -> Mail | Unreadable:
    """One message of the `triage` shape; without a thread id from elsewhere it stands for itself, as a defect."""
    if not isinstance(resource, Mapping):
        return Unreadable("", "not-a-message", ("id",))
    own_id, date_text = resource.get("id"), resource.get("date")
    when = mail_date_ms(date_text) if isinstance(date_text, str) else None
    as_searched = {
        **{new: resource[old] for new, old in _TRIAGE_KEYS.items() if old in resource},
        "date": _iso(when) if when is not None else date_text,
    }
    thread = str(thread_id or own_id)
    found = read_search_threads_message(as_searched, thread)
    if thread_id is not None or isinstance(found, Unreadable):
        return found
    return replace(found, defects=(*found.defects, "thread_unknown"))


def _iso(when: int) -> str:
    return datetime.fromtimestamp(when / 1000, UTC).isoformat()


def _shown_body(resource: Mapping[str, object]) -> Body:
    """Text and HTML that a tool converted: judged like any other, but never called whole."""
    shown = {mime: resource.get(key) for key, mime in _BODY_KEYS.items() if isinstance(resource.get(key), str)}
    if not shown:
        return NOT_FETCHED
    parts = [{"mimeType": mime, "filename": "", "body": {"data": _encoded(str(text))}} for mime, text in shown.items()]
    body = read_body({"mimeType": "multipart/alternative", "parts": parts})
    return replace(body, state="lossy", defects=(*body.defects, "converted"))


def _encoded(text: str) -> str:
    return urlsafe_b64encode(text.encode("utf-8", "replace")).decode("ascii")


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
    return milliseconds if EARLIEST_MS <= milliseconds <= LATEST_MS else None
