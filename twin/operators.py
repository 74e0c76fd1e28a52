"""What each search operator asks of a message: `from:`, `has:`, `larger:`, `after:` and the others.

Dates are midnight in UTC-8, as Google documents ("interpreted as midnight on that date in the PST
timezone"); epoch seconds are exact. A month is 30 days, a year 365.

>>> moment_ms("2026/11/30")
1796025600000
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from twin.labels import Label, query_name
from twin.mailbox import Stored
from twin.query import Term
from twin.searchdoc import folded, has_words, names_address

Test = Callable[[Stored], bool]

DAY_MS = 86_400_000
UNITS = {"h": DAY_MS // 24, "d": DAY_MS, "m": 30 * DAY_MS, "y": 365 * DAY_MS}
SIZES = {"": 1, "k": 1024, "m": 1024 * 1024, "g": 1024 * 1024 * 1024}
PST = timezone(timedelta(hours=-8))
NAMED = {
    "inbox": "INBOX",
    "sent": "SENT",
    "draft": "DRAFT",
    "drafts": "DRAFT",
    "trash": "TRASH",
    "spam": "SPAM",
    "unread": "UNREAD",
    "starred": "STARRED",
    "important": "IMPORTANT",
    "chat": "CHAT",
    "chats": "CHAT",
}
TABS = {
    "social": "CATEGORY_SOCIAL",
    "promotions": "CATEGORY_PROMOTIONS",
    "updates": "CATEGORY_UPDATES",
    "forums": "CATEGORY_FORUMS",
}
HIDING = frozenset({"SPAM", "TRASH"})


@dataclass(frozen=True, slots=True)
class Context:
    """What a query needs beside the message: whose mailbox, its labels, the time (epoch milliseconds)."""

    address: str
    labels: Mapping[str, Label]
    now_ms: int


def _never(_: Stored) -> bool:
    return False


def _always(_: Stored) -> bool:
    return True


def label_named(name: str, context: Context) -> str | None:
    """The id of the system or user label that a search calls `name`."""
    wanted = query_name(name)
    if wanted in NAMED:
        return NAMED[wanted]
    found = (label.label_id for label in context.labels.values() if query_name(label.name) == wanted)
    return next(found, None)


def _wears(label_id: str | None) -> Test:
    return (lambda m: label_id in m.label_ids) if label_id else _never


def _people(op: str, value: str, context: Context) -> Test:
    wanted = (context.address if value.lower() == "me" else value).strip().strip("<>").lower()
    if not wanted:
        return _never
    local, at, domain = wanted.rpartition("@")
    if at and local and domain:
        return lambda m: names_address(m.source.doc.people_text[op], wanted)
    words = folded(wanted)
    return lambda m: words.strip() != "" and words in m.source.doc.people[op]


def _in(value: str, context: Context) -> Test:
    name = value.lower()
    if name == "anywhere":
        return _always
    if name == "read":
        return lambda m: "UNREAD" not in m.label_ids
    if name == "archive":
        return lambda m: not {"INBOX", "SENT", "DRAFT", *HIDING} & set(m.label_ids)
    return _wears(label_named(value, context))


def _is(value: str, context: Context) -> Test:
    if value.lower() == "read":
        return lambda m: "UNREAD" not in m.label_ids
    name = value.lower()
    return _wears(NAMED[name]) if name in ("unread", "starred", "important", "chat", "sent", "draft") else _never


def _category(value: str, context: Context) -> Test:
    name = value.lower()
    if name in ("primary", "personal"):
        return lambda m: not set(TABS.values()) & set(m.label_ids)
    return _wears(TABS.get(name))


def _has(value: str, context: Context) -> Test:
    name = value.lower()
    user = frozenset(label.label_id for label in context.labels.values() if not label.is_system)
    if name == "attachment":
        return lambda m: bool(m.source.doc.files)
    if name == "userlabels":
        return lambda m: not user.isdisjoint(m.label_ids)
    if name == "nouserlabels":
        return lambda m: user.isdisjoint(m.label_ids)
    return _wears("STARRED") if name == "yellow-star" else _never


def _filename(value: str, context: Context) -> Test:
    ending = "." + value.lower().lstrip(".")
    return lambda m: (
        any(name.lower().endswith(ending) for name in m.source.doc.files)
        or (bool(m.source.doc.files) and has_words(m.source.doc.file_words, value))
    )


def _size(op: str, value: str) -> Test:
    match = re.fullmatch(r"(\d{1,15})(?:\.(\d{1,6}))?([kmg]?)b?", value.lower(), re.ASCII)
    if match is None:
        return _never
    limit = float(f"{match.group(1)}.{match.group(2) or 0}") * SIZES[match.group(3)]
    if op == "larger":
        return lambda m: m.source.doc.size > limit
    if op == "smaller":
        return lambda m: m.source.doc.size < limit
    return lambda m: m.source.doc.size >= limit


def _span(op: str, value: str, now_ms: int) -> Test:
    match = re.fullmatch(r"(\d{1,6})([hdmy])", value.lower(), re.ASCII)
    if match is None:
        return _never
    start = now_ms - int(match.group(1)) * UNITS[match.group(2)]
    return (lambda m: m.date_ms >= start) if op == "newer_than" else (lambda m: m.date_ms < start)


def moment_ms(value: str) -> int | None:
    """Epoch milliseconds of `2026/11/30`, `2026-11-30`, `11/30/2026` (midnight UTC-8) or of epoch seconds."""
    if re.fullmatch(r"\d{5,13}", value, re.ASCII):
        return int(value) * (1000 if len(value) < 13 else 1)
    match = re.fullmatch(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})", value, re.ASCII)
    other = re.fullmatch(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})", value, re.ASCII)
    year, month, day = match.groups() if match else (other.group(3, 1, 2) if other else ("0", "0", "0"))
    try:
        return int(datetime(int(year), int(month), int(day), tzinfo=PST).astimezone(UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _moment(op: str, value: str) -> Test:
    start = moment_ms(value)
    if start is None:
        return _never
    return (lambda m: m.date_ms >= start) if op in ("after", "newer") else (lambda m: m.date_ms < start)


def _message_id(value: str, context: Context) -> Test:
    wanted = value.strip().strip("<>").casefold()
    return lambda m: wanted != "" and m.source.doc.message_id == wanted


def _field(name: str) -> Callable[[str, Context], Test]:
    def of(value: str, context: Context) -> Test:
        words = folded(value)
        return lambda m: words.strip() == "" or words in getattr(m.source.doc, name)

    return of


BY_VALUE: dict[str, Callable[[str, Context], Test]] = {
    "in": _in,
    "label": _in,
    "is": _is,
    "category": _category,
    "has": _has,
    "filename": _filename,
    "rfc822msgid": _message_id,
    "subject": _field("subject"),
    "list": _field("mailing_list"),
}


def term_test(node: Term, context: Context) -> Test:
    """The test that one `op:value` means; a value the operator does not know finds nothing."""
    if node.op in BY_VALUE:
        return BY_VALUE[node.op](node.value, context)
    if node.op in ("from", "to", "cc", "bcc", "deliveredto"):
        return _people(node.op, node.value, context)
    if node.op in ("larger", "smaller", "size"):
        return _size(node.op, node.value)
    if node.op in ("newer_than", "older_than"):
        return _span(node.op, node.value, context.now_ms)
    return _moment(node.op, node.value)
