"""Answers which messages a list call means, newest first, and cuts the answer into pages.

A page token is bound to the query and its parameters: another query, an altered or an invented token is
refused. It names the last message handed out, so messages that leave or arrive meanwhile make no other
message appear twice or go missing.
"""

import base64
import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from twin.mailbox import Mail
from twin.match import HIDING, Context, Test, compile_node, is_relative, required_label, shown_places
from twin.query import parse
from twin.wire import bad

Rank = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Search:
    """The parameters of a list call that decide its answer."""

    q: str = ""
    label_ids: tuple[str, ...] = ()
    has_spam_trash: bool = False


@lru_cache(maxsize=8)
def wearers(mail: Mail) -> dict[str, frozenset[str]]:
    """Message ids by label."""
    found: dict[str, set[str]] = {}
    for message_id, item in mail.messages.items():
        for label in item.label_ids:
            found.setdefault(label, set()).add(message_id)
    return {label: frozenset(ids) for label, ids in found.items()}


def _candidates(mail: Mail, labels: tuple[str, ...]) -> Sequence[Rank]:
    if not labels:
        return mail.order
    index = wearers(mail)
    ids = frozenset.intersection(*(index.get(label, frozenset()) for label in labels))
    return sorted(mail.messages[message_id].rank for message_id in ids)


def _visible(search: Search, asked: frozenset[str]) -> frozenset[str]:
    return HIDING if search.has_spam_trash else asked | (HIDING & frozenset(search.label_ids))


def _hidden(shown: frozenset[str]) -> Test:
    if shown == HIDING:
        return lambda m: False
    return lambda m: bool(HIDING & set(m.label_ids)) and not shown & set(m.label_ids)


@lru_cache(maxsize=16)
def _found(mail: Mail, search: Search, address: str, now_ms: int) -> tuple[Rank, ...]:
    context = Context(address, mail.labels, now_ms)
    node = parse(search.q)
    test, hidden = compile_node(node, context), _hidden(_visible(search, shown_places(node)))
    required = required_label(node, context)
    labels = search.label_ids + ((required,) if required else ())
    messages = mail.messages
    ranks = _candidates(mail, labels)
    return tuple(r for r in reversed(ranks) if not hidden(messages[r[1]]) and test(messages[r[1]]))


def found(mail: Mail, search: Search, address: str, now_ms: int) -> tuple[Rank, ...]:
    """(date, id) of every hit, newest first. The time matters only to `newer_than` and `older_than`."""
    return _found(mail, search, address, now_ms if is_relative(parse(search.q)) else 0)


def _seal(binding: str, cursor: str) -> str:
    return hashlib.sha256(f"{binding}\n{cursor}".encode("utf-8", "replace")).hexdigest()[:20]


def token_for(binding: str, cursor: str) -> str:
    return base64.urlsafe_b64encode(f"{_seal(binding, cursor)}{cursor}".encode()).decode("ascii")


def cursor_of(binding: str, token: str) -> str:
    """What the token remembers, or 400 when it was made for something else or by somebody else."""
    try:
        text = base64.urlsafe_b64decode(token.encode("ascii")).decode("ascii")
    except ValueError:
        text = ""
    seal, cursor = text[:20], text[20:]
    if not cursor or seal != _seal(binding, cursor):
        raise bad("Invalid pageToken", location="pageToken", locationType="parameter")
    return cursor


def page_after(ranks: Sequence[Rank], binding: str, token: str, size: int) -> tuple[Sequence[Rank], str]:
    """One page of a newest-first list and the token of the next, empty on the last page."""
    start = 0
    if token:
        date, _, message_id = cursor_of(binding, token).partition(".")
        start = bisect_left(ranks, (-int(date), _Reverse(message_id)), key=lambda r: (-r[0], _Reverse(r[1])))
        start += start < len(ranks) and ranks[start] == (int(date), message_id)
    chunk = ranks[start : start + size]
    is_more = start + size < len(ranks)
    return chunk, token_for(binding, f"{chunk[-1][0]}.{chunk[-1][1]}") if is_more and chunk else ""


@dataclass(frozen=True, slots=True)
class _Reverse:
    """Orders text downwards, so that one bisect serves a newest-first list."""

    text: str

    def __lt__(self, other: "_Reverse") -> bool:
        return self.text > other.text
