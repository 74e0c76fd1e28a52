"""Whether a style hides text: the tricks that keep words from the reader but not from a machine.

Promises: judges only what is written in the style, in linear time; unknown declarations, values and units hide nothing.
`ways_to_hide` names the tricks, for some work on some elements and in some programs only (doubts.py).

>>> hides_subtree("display: none")
True
>>> hides_text("font-size:0")
True
>>> parse_colour("#FFF")
(255, 255, 255)
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

MAX_STYLE_CHARACTERS: Final = 4_000
_NUMBER: Final = re.compile(r"\s*([+-]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9}))\s*([a-z%]{0,12})")
_RGB: Final = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+(\d{0,3}\.?\d{0,9}%?))?\s*\)")
_HEX: Final = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b")
_NAMED: Final = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245),
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
    "navy": (0, 0, 128),
    "orange": (255, 165, 0),
}
WHITE: Final = (255, 255, 255)
# Sum of the three channel differences below which nobody can read the text.
_SAME_COLOUR: Final = 24
_TINY_PX: Final = 1.0
_OFF_SCREEN_PX: Final = -900.0
_ABSOLUTE: Final = {"px": 1.0, "": 1.0, "pt": 1.33, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.94}
_RELATIVE: Final = {"em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "%": 0.16}
_OF_SCREEN: Final = dict.fromkeys(("vw", "vh", "vmin", "vmax"), 4.0)
_POINTS: Final = {**_ABSOLUTE, **_RELATIVE, **_OF_SCREEN}
SUBTREE: Final = frozenset({"display", "opacity", "mso", "clip", "indent", "place"})
"""Ways that hide whatever the children say."""

Colour = tuple[int, int, int]


@lru_cache(maxsize=1_024)
def declarations(style: str) -> dict[str, str]:
    """Property to value, lower case; the last one wins, the last important one over all others.

    The caller must not change the result.
    """
    found: dict[str, str] = {}
    important: set[str] = set()
    for part in without_comments(style[:MAX_STYLE_CHARACTERS].lower()).split(";"):
        name, colon, value = part.partition(":")
        name, (value, mark, _) = name.strip(), value.partition("!")
        if not colon or (name in important and not mark):
            continue
        found[name] = value.strip()
        if mark:
            important.add(name)
    return found


def without_comments(text: str) -> str:
    """What is read of a style or a sheet: an open comment has no end."""
    first, *rest = text.split("/*")
    return " ".join([first, *(piece.partition("*/")[2] for piece in rest)])


def hides_subtree(style: str) -> bool:
    """Whether an element of this style shows nothing, whatever its children say."""
    return not SUBTREE.isdisjoint(ways_to_hide(style))


def hides_text(style: str) -> bool:
    """Whether text directly under this style is invisible unless a child says otherwise."""
    return not ways_to_hide(style) <= SUBTREE


@lru_cache(maxsize=1_024)
def ways_to_hide(style: str) -> frozenset[str]:
    """Of the whole subtree: display, opacity, mso, clip, indent, place; of the text: visibility, font, clear."""
    return frozenset(_ways(declarations(style)))


def _ways(found: dict[str, str]) -> Iterator[str]:
    if found.get("display") == "none":
        yield "display"
    if _is_below(found.get("opacity"), 0.06):
        yield "opacity"
    if found.get("mso-hide") == "all" and found.get("max-height", "").startswith("0"):
        yield "mso"
    if _is_clipped(found):
        yield "clip"
    if _pixels(found.get("text-indent")) <= _OFF_SCREEN_PX:
        yield "indent"
    if _is_out_of_place(found):
        yield "place"
    if found.get("visibility") in ("hidden", "collapse"):
        yield "visibility"
    if "font-size" in found and 0 <= _pixels(found["font-size"]) <= _TINY_PX:
        yield "font"
    if found.get("color") is not None and parse_colour(found["color"]) is None and _is_clear(found["color"]):
        yield "clear"


def _is_clipped(found: dict[str, str]) -> bool:
    """No height or no width, with what overflows cut away."""
    if not (found.get("overflow", "").startswith("hidden") or found.get("overflow-y") == "hidden"):
        return False
    return any(_is_zero(found.get(name)) for name in ("max-height", "height", "max-width", "width"))


def _is_out_of_place(found: dict[str, str]) -> bool:
    if found.get("transform", "").startswith("scale(0)"):
        return True
    is_placed = found.get("position") in ("absolute", "fixed")
    return is_placed and any(_pixels(found.get(name)) <= _OFF_SCREEN_PX for name in ("left", "top", "right"))


def resets_text(style: str) -> bool:
    """Whether a child of this style may be visible inside a parent whose text is not."""
    found = declarations(style)
    return any(name in found for name in ("font-size", "font", "color", "visibility")) and not hides_text(style)


def text_colour(style: str) -> Colour | None:
    """The colour of the text, if the style names one."""
    return parse_colour(declarations(style).get("color", ""))


def background(style: str) -> Colour | str | None:
    """A colour, None when the style says nothing, "unknown" for a picture or what cannot be read."""
    found = declarations(style)
    values = {value for name in ("background-color", "background") if (value := found.get(name))}
    if len(values) > 1:  # which of the two wins
        return "unknown"
    value = next(iter(values), "")
    if found.get("background-image", "none") != "none" or "url(" in value or "gradient" in value:
        return "unknown"
    if not value or value in ("none", "transparent", "inherit", "initial", "unset"):
        return None
    return parse_colour(value) or "unknown"


@lru_cache(maxsize=1_024)
def parse_colour(value: str) -> Colour | None:
    """Red, green, blue from 0 to 255; None for what is not a plain opaque colour."""
    text = value[:200].strip().lower()
    if text in _NAMED:
        return _NAMED[text]
    if found := _HEX.search(text):
        return _from_hex(found.group(1))
    if re.fullmatch(r"[0-9a-f]{6}", text):
        return _from_hex(text)
    if (found := _RGB.search(text)) and not _is_clear(text):
        return int(found.group(1)), int(found.group(2)), int(found.group(3))
    return next((_NAMED[word] for word in text.split() if word in _NAMED), None)


def _from_hex(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(d * 2 for d in digits)
    if len(digits) == 8 and int(digits[6:], 16) < 16:
        return None
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def _is_clear(value: str) -> bool:
    """Transparent by name or by an alpha of (nearly) nothing."""
    if value.strip() == "transparent":
        return True
    if found := _RGB.search(value):
        return _is_below(found.group(4), 0.06)
    found = _HEX.search(value)
    return found is not None and len(found.group(1)) in (4, 8) and _from_hex(found.group(1)) is None


def is_same_colour(a: Colour, b: Colour) -> bool:
    """Whether text of one colour on the other cannot be read."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2]) <= _SAME_COLOUR


def _is_below(value: str | None, bound: float) -> bool:
    found = _NUMBER.match(value) if value else None
    if found is None or found.group(2) not in ("", "%"):
        return False
    number = float(found.group(1)) / (100 if found.group(2) == "%" else 1)
    return 0 <= number < bound


def _is_zero(value: str | None) -> bool:
    return value is not None and 0 <= _pixels(value) <= _TINY_PX


def _pixels(value: str | None) -> float:
    """The length in CSS pixels, roughly; a text without a number or of an unknown unit counts as a normal 16."""
    found = _NUMBER.match(value) if value else None
    if found is None or found.group(2) not in _POINTS or (value or "")[found.end() :].strip():
        return 16.0
    return float(found.group(1)) * _POINTS[found.group(2)]
