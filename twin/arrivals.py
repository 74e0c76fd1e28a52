"""users.messages.insert and import: a mail given as bytes becomes a message of the mailbox.

The bytes come as `raw` in a JSON body, or under `/upload/` as the body itself (`uploadType=media`) or as
the second part of a multipart body. Threading follows `threadId`, or References and In-Reply-To, and in
both cases the subject must match, as Google documents.
"""

import re
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz

from twin.call import Answer, Call, check_id, check_labels, json_object, strings
from twin.mailbox import Mail, Stored, add, next_history, next_message_id
from twin.messages import brief
from twin.rawmail import parse
from twin.resource import unb64url
from twin.source import Source
from twin.wire import ApiError, Json, bad

REPLY = re.compile(r"^\s*(?:(?:re|fwd?|aw|wg|sv|antw)\s*(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)
REFERENCE = re.compile(r"<[^<>\s]{1,998}>")
BODY_FIELDS: Mapping[str, type] = {
    "raw": str,
    "threadId": str,
    "labelIds": list,
    "internalDate": str,
    "id": str,
    "snippet": str,
    "historyId": str,
    "payload": dict,
    "sizeEstimate": int,
    "classificationLabelValues": list,
}
NO_RAW = "'raw' RFC822 payload message string or uploading message via /upload/* URL required"


def date_header_ms(source: Source) -> int | None:
    """Epoch milliseconds of the Date header; without a zone it is read as UTC; None when unreadable."""
    try:
        parsed = parsedate_tz(source.header("Date")[:200])
        seconds = mktime_tz((*parsed[:9], parsed[9] or 0)) if parsed else None
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return seconds * 1000 if seconds is not None and 0 <= seconds < 2**40 else None


def bare_subject(source: Source) -> str:
    """The subject without its reply and forward prefixes, folded."""
    return " ".join(REPLY.sub("", source.header("Subject")).split()).casefold()


def parent_thread(mail: Mail, source: Source) -> str | None:
    """The thread of the newest message this one refers to, when the subjects match."""
    names = f"{source.header('References')[-20_000:]} {source.header('In-Reply-To')[:2000]}"
    for reference in reversed(REFERENCE.findall(names)):
        message_id = mail.by_header_id.get(reference.casefold())
        item = mail.messages.get(message_id) if message_id else None
        if item and bare_subject(item.source) == bare_subject(source):
            return item.thread_id
    return None


def chosen_thread(mail: Mail, source: Source, thread_id: str) -> str | None:
    """The thread the caller names, when it exists and its subject matches; 404 when it does not exist."""
    if not thread_id:
        return parent_thread(mail, source)
    oldest = mail.messages[mail.threads[check_id(thread_id, mail.threads)][0]]
    return thread_id if bare_subject(oldest.source) == bare_subject(source) else None


def arrive(mail: Mail, source: Source, label_ids: tuple[str, ...], date_ms: int, thread_id: str) -> Mail:
    """The mailbox with one message more; its id is the newest in `order` of creation."""
    message_id = next_message_id(mail)
    thread = chosen_thread(mail, source, thread_id) or message_id
    history_id = next_history(mail.history_id)
    labels = tuple(dict.fromkeys(label_ids))
    return add(mail, [Stored(message_id, thread, labels, date_ms, history_id, source)])


def _multipart(kind: str, body: bytes) -> tuple[Json, bytes]:
    """The resource and the message of a multipart/related upload."""
    tree = parse(f"Content-Type: {kind}\r\n\r\n".encode("utf-8", "replace") + body)
    if len(tree.parts) != 2:
        raise bad("A multipart upload has two parts: the resource and the message")
    return json_object(tree.parts[0].data, BODY_FIELDS), tree.parts[1].data


def given(call: Call) -> tuple[Json, bytes]:
    """The resource fields and the bytes of the message, however they were sent."""
    kind = call.request.header("Content-Type")
    is_upload = call.request.path.startswith("/upload/")
    if is_upload and kind.lower().startswith("multipart/"):
        return _multipart(kind, call.request.body)
    if is_upload and "json" not in kind.lower():
        return {}, call.request.body
    body = call.json_body(BODY_FIELDS)
    raw = unb64url(str(body.get("raw", "")))
    if raw is None:
        raise bad("Invalid value at 'message.raw' (TYPE_BYTES), Base64 decoding failed")
    return body, raw


def _arrival(call: Call, default_source: str) -> Answer:
    if call.args.flag("deleted"):
        raise ApiError(403, "Inserting deleted mail is recorded and refused here", "forbidden", note="forbidden")
    body, raw = given(call)
    if not raw:
        raise bad(NO_RAW)
    labels = check_labels(call.mail, strings(body, "labelIds"), refused=frozenset({"CHAT"}))
    source = Source.from_raw(raw, inline_limit=call.options.inline_limit)
    is_dated = call.args.text("internalDateSource", default_source).lower() == "dateheader"
    date_ms = date_header_ms(source) if is_dated else None
    when = call.now_ms if date_ms is None else date_ms
    mail = arrive(call.mail, source, labels, when, str(body.get("threadId", "")))
    return mail, brief(mail.messages[next_message_id(call.mail)])


def insert_message(call: Call) -> Answer:
    """messages.insert: internalDate is the time of receipt unless asked otherwise."""
    return _arrival(call, "receivedTime")


def import_message(call: Call) -> Answer:
    """messages.import: internalDate is the Date header unless asked otherwise."""
    return _arrival(call, "dateHeader")
