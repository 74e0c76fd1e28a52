"""One fold for rule words and mail text: what looks the same to a reader compares equal.

Promises: the result has no accents, no letter case, no compatibility forms (full-width letters),
no invisible or bidirectional characters, no lone surrogates, and single spaces only; folding
twice changes nothing. Markers and mail must both pass through here and nowhere else.

>>> fold("  Ínter\\u00adVIEW  invitation ")
'interview invitation'
>>> words("C++ (m/f/d)")
('c', 'm', 'f', 'd')
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

# Default-ignorable code points whose general category is not Cf (Unicode DerivedCoreProperties).
_IGNORABLE_RANGES: Final = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
)
# Nukta, kana voicing and virama change the word itself; they are no accents.
_KEPT_COMBINING_CLASSES: Final = frozenset({0, 7, 8, 9})
_BRAILLE_BLANK: Final = 0x2800
_REPLACEMENT: Final = "\ufffd"
# The ASCII controls that are no white space to str.split.
_ASCII_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]+")
_CONTROL_FREE: Final = re.compile(r"[^\x00-\x08\x0e-\x1b\x7f]*+\Z")
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_USUAL: Final = 8
_WORD: Final = re.compile(r"[^\W_]+")
_INVISIBLE_RUN: Final = re.compile(
    "[\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\U000e0100-\U000e01ef]{4,}"
    "|[\ufe00-\ufe0f]{4,}"
    "|(?<![\U0001f3f4\U000e0000-\U000e007f])[\U000e0000-\U000e007f]{4,}"
)


def is_invisible(character: str) -> bool:
    """Whether one character shows nothing: control, format, filler or other default-ignorable."""
    code = ord(character)
    if any(low <= code <= high for low, high in _IGNORABLE_RANGES):
        return True
    return unicodedata.category(character) in ("Cf", "Cc") and not character.isspace()


def _fold_character(code: int) -> str:
    character = chr(code)
    if 0xD800 <= code <= 0xDFFF:
        return _REPLACEMENT
    if character.isspace() or code == _BRAILLE_BLANK:
        return " "
    if character in "\u0131\u0130":  # dotless and dotted I of Turkish: both read as i
        return "i"
    return _strip(unicodedata.normalize("NFKD", character.casefold()))


def _strip(text: str) -> str:
    return "".join(c for c in text if unicodedata.combining(c) in _KEPT_COMBINING_CLASSES and not is_invisible(c))


class _FoldTable(dict[int, str]):
    """A translation table that works out each code point once, when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(code)
        return folded


_TABLE: Final = _FoldTable()


def fold(text: str) -> str:
    """The folded form of any text; total, linear, idempotent."""
    visible = text if _CONTROL_FREE.match(text) else _ASCII_CONTROLS.sub("", text)
    if not visible.isascii():
        visible = _NOT_ASCII.sub(_fold_found, visible)
    return " ".join(visible.lower().split())


def is_plain_ascii(text: str) -> bool:
    """Whether folding it only lowers letters and joins blanks: each of its words stays a word."""
    return text.isascii() and _CONTROL_FREE.match(text) is not None


def _fold_found(found: re.Match[str]) -> str:
    piece = found.group()
    return _fold_usual(piece) if len(piece) <= _USUAL else _fold_piece(piece)


@lru_cache(maxsize=8_192)
def _fold_usual(piece: str) -> str:
    """Mail is mostly ASCII with the same few quotes, dashes and accented letters in between."""
    return _fold_piece(piece)


def _fold_piece(piece: str) -> str:
    """A stretch without ASCII; nothing it folds to can join with the ASCII around it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", piece).translate(_TABLE))


def words(text: str) -> tuple[str, ...]:
    """The words of the folded text, in order: runs of letters and digits."""
    return tuple(_WORD.findall(fold(text)))


def has_invisible_runs(text: str) -> bool:
    """Whether four or more invisible characters stand together: hidden writing, not a stray joiner."""
    return not text.isascii() and _INVISIBLE_RUN.search(text) is not None


def word_set(text: str) -> frozenset[str]:
    """The words of a list as it is written in a module, blanks and lines between them.

    >>> sorted(word_set("news  alerts"))
    ['alerts', 'news']
    """
    return frozenset(text.split())
