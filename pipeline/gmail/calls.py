"""The shape of every request that may exist: one row a method, with its verb, path, query names and body check.

This table is written by hand and shares nothing with the discovery document, so a mistake in one is caught by the
other. What a row does not name cannot be asked.

>>> CALLS["messages.get"].path.fullmatch("/gmail/v1/users/me/messages/18f0a1").group("id")
'18f0a1'
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

Value = re.Pattern[str]

ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
SWITCH = re.compile(r"true|false")
COUNT = re.compile(r"[1-9][0-9]?|[1-4][0-9]{2}|500")
PAGE_TOKEN = re.compile(r"[\x21-\x7e]{1,512}")
QUERY = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,1500}")
HISTORY_ID = re.compile(r"[0-9]{1,20}")
HISTORY_TYPE = re.compile(r"messageAdded|messageDeleted|labelAdded|labelRemoved")
FORMAT = re.compile(r"full|minimal|raw")
"""`metadata` is left out: its header filter is reported to miss odd spellings, and full tells the same."""

REPEATABLE = frozenset({"labelIds", "historyTypes"})
CONSTANTS: Mapping[str, str] = MappingProxyType({"alt": "json", "prettyPrint": "false"})
"""Query names every request may carry, with their only value."""

_PAGED: Mapping[str, Value] = MappingProxyType({"maxResults": COUNT, "pageToken": PAGE_TOKEN})
_SEARCH: Mapping[str, Value] = MappingProxyType({**_PAGED, "q": QUERY, "includeSpamTrash": SWITCH})
_HISTORY: Mapping[str, Value] = MappingProxyType(
    {**_PAGED, "startHistoryId": HISTORY_ID, "historyTypes": HISTORY_TYPE, "labelId": ID}
)
_FORMAT: Mapping[str, Value] = MappingProxyType({"format": FORMAT})
_NONE: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Call:
    """One method: `verb`, `path` (with a group `id` where it has one), query names and the pattern of their values."""

    verb: str
    path: re.Pattern[str]
    query: Mapping[str, Value] = field(default_factory=lambda: _NONE)
    required: frozenset[str] = frozenset()
    has_body: bool = False


def _call(verb: str, path: str, query: Mapping[str, Value] = _NONE, *required: str, has_body: bool = False) -> Call:
    pattern = re.escape(f"/gmail/v1/users/me/{path}").replace(r"\{id\}", f"(?P<id>{ID.pattern})")
    return Call(verb, re.compile(pattern), query, frozenset({"prettyPrint", *required}), has_body)


CALLS: Mapping[str, Call] = MappingProxyType(
    {
        "getProfile": _call("GET", "profile"),
        "labels.list": _call("GET", "labels"),
        "labels.create": _call("POST", "labels", has_body=True),
        "messages.list": _call("GET", "messages", {**_SEARCH, "labelIds": ID}),
        "messages.get": _call("GET", "messages/{id}", _FORMAT, "format"),
        "messages.batchModify": _call("POST", "messages/batchModify", has_body=True),
        "messages.trash": _call("POST", "messages/{id}/trash"),
        "messages.untrash": _call("POST", "messages/{id}/untrash"),
        "threads.list": _call("GET", "threads", {**_SEARCH, "labelIds": ID}),
        "threads.get": _call("GET", "threads/{id}", _FORMAT, "format"),
        "history.list": _call("GET", "history", _HISTORY, "startHistoryId"),
        "drafts.list": _call("GET", "drafts", _SEARCH),
        "drafts.get": _call("GET", "drafts/{id}", _FORMAT, "format"),
        "settings.filters.list": _call("GET", "settings/filters"),
    }
)
"""Method name (the discovery id without `gmail.users.`) to its only legal shape."""
