"""Untrusted text shown inert: on a terminal, in HTML, in CSV.

Promises: the result is one line without any control, bidirectional or invisible character, whatever
went in; such characters appear as escapes, so a person sees that they were there. Markup of the
`rich` library is not escaped here: print with markup off.

>>> show("Bill\\x1b[2J\\nfrom: boss")
'Bill\\\\x1b[2J\\\\nfrom: boss'
>>> show_csv("=HYPERLINK(1)")
"'=HYPERLINK(1)"
"""

import html
import unicodedata
from typing import Final

_NAMED: Final = {0x09: " ", 0x0A: "\\n", 0x0D: "\\r", 0xA0: " ", 0x202F: " ", 0x3000: " "}
# Presentation selectors only choose between two pictures of one character.
_SELECTORS: Final = (0xFE0E, 0xFE0F)
# Printable by category, yet they show nothing: joiners and fillers of Mn and Lo, blank braille.
_BLANK_RANGES: Final = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xE0000, 0xE0FFF),
)
_MAX_MARKS: Final = 4
_FORMULA_STARTS: Final = "=+-@|%\uff1d\uff0b\uff0d\uff20"
_ELLIPSIS: Final = "…"


class _ShowTable(dict[int, "str | int"]):
    """A translation table that works out each code point once, when it is first met."""

    def __missing__(self, code: int) -> str | int:
        shown = self[code] = _shown(code)
        return shown


def _shown(code: int) -> str | int:
    if code in _NAMED:
        return _NAMED[code]
    if code in _SELECTORS:
        return ""
    is_blank = any(low <= code <= high for low, high in _BLANK_RANGES)
    if chr(code).isprintable() and not is_blank:
        return code
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_TABLE: Final = _ShowTable()


def show(text: str, width: int | None = None) -> str:
    """The text as one inert line, cut to `width` terminal columns with an ellipsis if given."""
    if not (text.isascii() and text.isprintable()):
        text = _without_piles(text.translate(_TABLE))
    return text if width is None else _cut(text, width)


def _without_piles(text: str) -> str:
    """At most four combining marks on one character; more climb over other lines."""
    if text.isascii():
        return text
    kept: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if marks <= _MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def columns(text: str) -> int:
    """How many terminal columns an inert text takes."""
    return sum(_column_count(character) for character in text)


def _column_count(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cut(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    kept, used = [], 0
    for character in text:
        used += _column_count(character)
        if used > width - 1:
            break
        kept.append(character)
    return ("".join(kept) + _ELLIPSIS) if width > 0 else ""


def show_html(text: str, width: int | None = None) -> str:
    """The inert line for an HTML text or a quoted attribute."""
    return html.escape(show(text, width), quote=True)


def show_csv(text: str, width: int | None = None) -> str:
    """The inert line as a cell no spreadsheet reads as a formula; quoting is left to the CSV writer."""
    line = show(text, width)
    return "'" + line if line.lstrip(" '\"")[:1] in tuple(_FORMULA_STARTS) else line
