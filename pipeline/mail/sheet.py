"""A page's style sheet, as far as it bears on what is seen: what it hides, and what it may show all the same.

Promises: linear, whatever the sheet; no cascade is worked out. A rule of any selector, any order and any @-block that
gives a property a value that shows is remembered as doubt, for who is to say on which screen it wins; so is all that
cannot be read.

>>> sheet = read_sheet(".gone { display: none } @media screen { p.gone { display: block !important } }")
>>> sheet.hiding, sorted(sheet.shows), sorted(sheet.forces)
({'.gone': frozenset({'display'})}, ['display'], ['display'])
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from pipeline.mail import style

MAX_SHEET_CHARACTERS: Final = 65_536
MAX_SELECTORS: Final = 40
_MAX_RULES: Final = 2_000
_REMEMBERED: Final = 20_000
"""Characters of the longest sheet that is remembered."""
# As browsers read names: a rule whose selector is none (`.1a`) is dropped, so what it names stays visible.
_NAME_STARTS: Final = r"(?!-?(?:[0-9]|\Z))"
_SIMPLE_SELECTOR: Final = re.compile(rf"{_NAME_STARTS}[a-z0-9]*(?:#|\.{_NAME_STARTS})?[a-zA-Z0-9_-]{{1,60}}\Z")
_WHOLE_PAGE: Final = frozenset({"body", "html", "table", "tr", "td", "div", "p", "span", "a", "img"})
_DECLARED: Final = re.compile(r"(?<![\w-])([a-z][a-z-]{2,40})\s{0,9}:([^;{}]*)")
_AS_BLOCK: Final = re.compile(r"(?:block|list-item|table|flex|grid|flow-root)")
_BEYOND_READING: Final = re.compile(r"\\|@import|@charset|(?<![\w-])(?:all|animation[a-z-]*)\s{0,9}:")
EVERYTHING: Final = frozenset({"display", "opacity", "visibility", "font", "color", "box", "indent"})
_FAMILIES: Final = {
    "display": "display",
    "opacity": "opacity",
    "visibility": "visibility",
    "font": "font",
    "font-size": "font",
    "color": "color",
    "text-shadow": "color",
    "-webkit-text-fill-color": "color",
    "-webkit-text-stroke": "color",
    "background-clip": "color",
    "-webkit-background-clip": "color",
    "filter": "color",
    "text-indent": "indent",
    **dict.fromkeys(("width", "height", "max-width", "max-height", "min-width", "min-height"), "box"),
    **dict.fromkeys(("overflow", "overflow-x", "overflow-y", "padding", "padding-top", "padding-bottom"), "box"),
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """`shows` and `forces` (the same with !important): kinds of property, of EVERYTHING."""

    hiding: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Simple selector, outside of any @-block -> in which ways (style.ways_to_hide) its rule hides."""
    shows: frozenset[str] = frozenset()
    forces: frozenset[str] = frozenset()
    grounds: tuple["style.Colour | str", ...] = ()
    """Every background named; "unknown" for what is no plain colour."""
    blocks: tuple[str, ...] = ()
    """Simple selectors, in any @-block, of what stands apart from its line."""


def read_sheet(text: str) -> Sheet:
    """What the sheets of one page say, one after the other; a sender's pages share theirs."""
    return _remembered(text) if 0 < len(text) <= _REMEMBERED else _read(text)


@lru_cache(maxsize=128)
def _remembered(text: str) -> Sheet:
    return _read(text)


def _read(text: str) -> Sheet:
    if not text:
        return Sheet()
    bare = style.without_comments(text.replace("<!--", " ").replace("-->", " "))
    lowered = bare.lower()
    is_beyond = len(text) > MAX_SHEET_CHARACTERS or _BEYOND_READING.search(lowered) is not None
    declared = _DECLARED.findall(lowered)
    said = list(_said(declared))
    shown = EVERYTHING if is_beyond else frozenset(kind for kind, _ in said)
    forced = EVERYTHING if is_beyond else frozenset(kind for kind, is_important in said if is_important)
    grounds = tuple(dict.fromkeys([*_grounds(declared), *(("unknown",) if is_beyond else ())]))
    return Sheet(_hiding(bare), shown, forced, grounds, tuple(_blocks(bare)))


def _said(declared: list[tuple[str, str]]) -> Iterator[tuple[str, bool]]:
    """Each declaration that may show something: of which kind, and whether it is important."""
    for name, value in declared:
        kind = _FAMILIES.get(name)
        if kind is not None and not style.ways_to_hide(f"{name}:{value}"):
            yield kind, "!" in value


def _grounds(declared: list[tuple[str, str]]) -> Iterator["style.Colour | str"]:
    for name, value in declared:
        if name.startswith("background") and (ground := style.background(f"{name}:{value}")) is not None:
            yield ground


def _rules(bare: str) -> Iterator[tuple[list[str], str, bool]]:
    """Simple selectors, declarations, and whether an @-block is around."""
    depth = 0
    for rule in bare[:MAX_SHEET_CHARACTERS].split("}")[:_MAX_RULES]:
        opened = rule.count("{")
        selectors, _, body = rule.rpartition("{")
        is_nested = depth > 0 or opened > 1
        depth = max(0, depth + opened - 1)
        names = (name.strip() for name in selectors.rpartition("{")[2].split(","))
        yield [name for name in names if _SIMPLE_SELECTOR.match(name) and name not in _WHOLE_PAGE], body, is_nested


def _hiding(bare: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for names, body, is_nested in _rules(bare):
        ways = style.ways_to_hide(body) if names and not is_nested else frozenset()
        for name in names if ways else ():
            if len(found) < MAX_SELECTORS or name in found:
                found[name] = found.get(name, frozenset()) | ways
    return found


def _blocks(bare: str) -> list[str]:
    named = (names for names, body, _ in _rules(bare) if _AS_BLOCK.match(style.declarations(body).get("display", "")))
    return list(dict.fromkeys(name for names in named for name in names))[:MAX_SELECTORS]
