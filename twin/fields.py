"""The `fields` selector: partial responses such as `messages(id,threadId),nextPageToken`.

>>> select({"a": {"b": 1, "c": 2}, "d": 3}, "a/b")
{'a': {'b': 1}}
"""

import re
from typing import Any

from twin.wire import Json, bad

Mask = dict[str, "Mask"]  # an empty mask means everything below
NAME = re.compile(r"[A-Za-z0-9_*.\-]+")
MAX_NESTING = 30


def _refused(text: str) -> Exception:
    return bad(f"Invalid field selection {text}", reason="invalidParameter", location="fields")


def _path(text: str, at: int) -> tuple[list[str], int]:
    names = []
    while True:
        match = NAME.match(text, at)
        if match is None:
            raise _refused(text)
        names.append(match.group(0))
        at = match.end()
        if text[at : at + 1] != "/":
            return names, at
        at += 1


def _put(mask: Mask, names: list[str]) -> Mask:
    for name in names:
        mask = mask.setdefault(name, {})
    return mask


def _items(text: str, at: int, depth: int) -> tuple[Mask, int]:
    mask: Mask = {}
    while True:
        names, at = _path(text, at)
        below = _put(mask, names)
        if text[at : at + 1] == "(":
            if depth >= MAX_NESTING:
                raise _refused(text)
            inner, at = _items(text, at + 1, depth + 1)
            if text[at : at + 1] != ")":
                raise _refused(text)
            below.update(inner)
            at += 1
        if text[at : at + 1] != ",":
            return mask, at
        at += 1


def parse(text: str) -> Mask:
    """The mask, or 400 for a selector that does not parse."""
    squeezed = text.replace(" ", "")
    mask, at = _items(squeezed, 0, 0)
    if at != len(squeezed):
        raise _refused(text)
    return mask


def _apply(value: Any, mask: Mask) -> Any:
    if not mask or ("*" in mask and not mask["*"]):
        return value
    if isinstance(value, list):
        return [_apply(item, mask) for item in value]
    if not isinstance(value, dict):
        return value
    if "*" in mask:
        return {key: _apply(item, mask["*"]) for key, item in value.items()}
    return {key: _apply(item, mask[key]) for key, item in value.items() if key in mask}


def select(value: Json, text: str) -> Json:
    """The chosen fields; an unknown name selects nothing, an empty selector everything."""
    if not text.strip():
        return value
    chosen: Json = _apply(value, parse(text))
    return chosen
