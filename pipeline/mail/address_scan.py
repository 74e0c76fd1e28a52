"""An address field taken apart in one linear pass: words, quotes, comments, brackets, commas.

Promises: no input raises or takes more than linear time; an unbalanced quote or comment is read as
a plain character and named, so it cannot swallow the address behind it.

>>> [item.kind for item in scan('"Ann" (home) <ann@vendor.example>')[0]]
['quoted', 'text', 'comment', 'text', 'angle']
>>> split_list('Okafor, Ngozi <n@x.example>; "b, c" <d@e.example>')
['Okafor, Ngozi <n@x.example>', ' "b, c" <d@e.example>']
"""

import re
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(r'[^"\\()<>,;]+|[\\"()<>,;]')
_CLOSERS: Final = {'"': '"', "<": ">", "(": ")"}


@dataclass(frozen=True, slots=True)
class Item:
    """One construct of a field: text, quoted, angle, comment or comma, without its marks."""

    kind: str
    text: str


def scan(value: str) -> tuple[list[Item], list[str]]:
    """The field taken apart in one pass; an unbalanced quote or comment is read as a plain character."""
    tokens = _TOKEN.findall(value)
    items: list[Item] = []
    defects: list[str] = []
    last = {closer: max((i for i, t in enumerate(tokens) if t == closer), default=-1) for closer in '")'}
    at = 0
    while at < len(tokens):
        at = _step(tokens, at, last, items, defects)
    return items, defects


def _step(tokens: list[str], at: int, last: dict[str, int], items: list[Item], defects: list[str]) -> int:
    """Reads the construct that starts at `at`; returns where the next one starts."""
    mark = tokens[at]
    if mark == "<":
        return _angle(tokens, at, items, defects)
    if mark in ",;":
        items.append(Item("comma", mark))
        return at + 1
    end = _closing(tokens, at, last) if mark in '"(' else None
    if end is not None:
        kind = "quoted" if mark == '"' else "comment"
        items.append(Item(kind, "".join(t for t in tokens[at + 1 : end] if t != "\\")))
        return end + 1
    if mark in '"(':
        defects.append("unbalanced_quote" if mark == '"' else "unbalanced_comment")
        last['"' if mark == '"' else ")"] = -1
    items.append(Item("text", "" if mark == '"' else mark))
    return at + 1


def _closing(tokens: list[str], at: int, last: dict[str, int]) -> int | None:
    """Where the quote or the (nested) comment opened at `at` ends, or None: it never does."""
    closer = '"' if tokens[at] == '"' else ")"
    depth, here = 1, at + 1
    while here <= last[closer]:
        if tokens[here] == "\\":
            here += 1
        elif tokens[here] == closer:
            depth -= 1
        elif tokens[here] == "(" and closer == ")":
            depth += 1
        if depth == 0:
            return here
        here += 1
    return None


def _angle(tokens: list[str], at: int, items: list[Item], defects: list[str]) -> int:
    end, is_quoted = at + 1, False
    while end < len(tokens) and (is_quoted or tokens[end] not in "<>"):
        is_quoted = is_quoted != (tokens[end] == '"')
        end += 1
    items.append(Item("angle", "".join(tokens[at + 1 : end]).strip()))
    if end == len(tokens) or tokens[end] == "<":
        defects.append("unclosed_bracket")
        return end
    return end + 1


def split_list(value: str) -> list[str]:
    """The parts of an address list; a part without an address belongs to the name of the next one."""
    parts: list[str] = []
    waiting = ""
    for part in _list_parts(value):
        joined = waiting + part
        waiting = joined + "," if "@" not in joined and "<" not in joined else ""
        if not waiting:
            parts.append(joined)
    return [*parts, waiting.rstrip(",")] if waiting.strip(" ,") else parts


def _list_parts(value: str) -> list[str]:
    """Split at commas and semicolons outside quotes, brackets and comments; a group's name is dropped."""
    parts: list[list[str]] = [[]]
    closer = ""
    for mark in _TOKEN.findall(value):
        if mark in ",;" and not closer:
            parts.append([])
            continue
        closer = ("" if mark == closer else closer) if closer else _CLOSERS.get(mark, "")
        parts[-1].append(mark)
    return [_without_group("".join(part)) for part in parts]


def _without_group(part: str) -> str:
    before, colon, after = part.partition(":")
    return after if colon and "<" not in before and "@" not in before and '"' not in before else part
