"""Names and domains made to look like others: confusable letters, digits for letters, one typing slip.

Promises: a name never resembles itself, nor a domain the one it belongs to; everything is compared by
a skeleton, in which what looks alike is written alike. The table is small on purpose: letters that
people mistake at a glance in mail, not all of Unicode.

>>> is_lookalike("paypaI.example", ["paypal.example"]) is None  # capital I is folded: the same as paypai
False
>>> is_lookalike("news.paypal.example", ["paypal.example"]) is None
True
>>> is_lookalike("rnybank.example", ["mybank.example"])
'mybank.example'
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pipeline.mail import domains, fold

MAX_CHARACTERS: Final = 253
# In shorter names one letter more or less is another honest word.
_MIN_FOR_EDIT: Final = 6

_LETTERS: Final = {
    "a": "аɑαᴀ4",
    "b": "ьЬвʙ",
    "c": "сϲᴄ",
    "d": "ԁɗđ",
    "e": "еєҽεᴇ3",
    "f": "ƒғ",
    "g": "ɡցɢ",
    "h": "һհнʜ",
    "j": "јϳ",
    "k": "кκᴋ",
    "l": "1iі|ıɩ!ӏɪιⅼǀӀł",
    "m": "мᴍ",
    "n": "пոηɴ",
    "o": "0оοօσᴏø",
    "p": "рρᴘ",
    "q": "ԛգ",
    "r": "гᴦʀ",
    "s": "ѕ5ꜱ$",
    "t": "тτᴛ",
    "u": "υսцᴜ",
    "v": "νѵᴠ",
    "w": "ѡԝωᴡ",
    "x": "хχ",
    "y": "уүγʏ",
    "z": "ᴢ",
}
_TABLE: Final = str.maketrans({other: letter for letter, others in _LETTERS.items() for other in others})
_FOREIGN: Final = {code: letter for code, letter in _TABLE.items() if code > ord("~")} | dict.fromkeys(
    map(ord, "іιɩı"), "i"
)
_PAIRS: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_SCRIPTS: Final = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "HEBREW", "ARABIC")


@lru_cache(maxsize=16_384)
def skeleton(text: str) -> str:
    """The text with everything that looks alike written alike; for comparing, never for showing."""
    seen = fold.fold(text[:MAX_CHARACTERS]).translate(_TABLE)
    for pair, one in _PAIRS:
        seen = seen.replace(pair, one)
    return seen


def as_latin(text: str) -> str:
    """The text with letters of other alphabets that look Latin written in Latin: for reading words made of both."""
    return text.casefold().translate(_FOREIGN)


def is_one_slip(a: str, b: str) -> bool:
    """Whether one letter is added, left out, changed or swapped with its neighbour."""
    return abs(len(a) - len(b)) <= 1 and _is_one_apart(a, b)


def has_mixed_scripts(text: str) -> bool:
    """Whether one word mixes alphabets whose letters look alike, as no honest word does."""
    if text.isascii() and "xn--" not in text.lower():
        return False
    spelled = domains.to_unicode(text[:MAX_CHARACTERS])
    return any(len(_scripts(word)) > 1 for word in fold.words(spelled))


def _scripts(word: str) -> set[str]:
    found = {_script(character) for character in word if character.isalpha()}
    return found - {""}


@lru_cache(maxsize=4_096)
def _script(character: str) -> str:
    name = unicodedata.name(character, "")
    return next((script for script in _SCRIPTS if name.startswith(script)), "")


@dataclass(frozen=True, slots=True)
class Known:
    """Names worth imitating, indexed once; `find` is then independent of how many there are."""

    exact: frozenset[str]
    by_skeleton: dict[str, str]
    by_deletion: dict[str, tuple[str, str]]

    def find(self, domain_or_name: str) -> str | None:
        """The known name this one resembles without being it, or None."""
        return _find(self, domain_or_name)


def index(known: Iterable[str]) -> Known:
    """The index of some known domains or display names; the first of two alike is the one reported."""
    exact: set[str] = set()
    by_skeleton: dict[str, str] = {}
    by_deletion: dict[str, tuple[str, str]] = {}
    for name in known:
        own = _own(name)
        exact.add(own)
        by_skeleton.setdefault(skeleton(_spelled(own)), name)
        if _is_domain(own) and len(own.partition(".")[0]) >= _MIN_FOR_EDIT:
            for variant in _deletions(own):
                by_deletion.setdefault(variant, (own, name))
    return Known(frozenset(exact), by_skeleton, by_deletion)


@lru_cache(maxsize=16)
def _index_of(known: tuple[str, ...]) -> Known:
    return index(known)


def is_lookalike(domain_or_name: str, known: Iterable[str]) -> str | None:
    """The known domain or name that this one imitates, or None; callers with many texts use `index`."""
    return _index_of(tuple(known)).find(domain_or_name)


def _find(known: Known, text: str) -> str | None:
    if not text or len(text) > MAX_CHARACTERS:
        return None
    own = _own(text)
    if own in known.exact:
        return None
    if (found := known.by_skeleton.get(skeleton(_spelled(own)))) is not None:
        return found
    if not _is_domain(own):
        return None
    return _one_slip(known, own) or _worn_as_subdomain(known, text, own)


def _own(text: str) -> str:
    """What identifies the text: a domain's registrable part, a name's folded words."""
    if _is_domain(text):
        name = domains.canonical(text)
        if name is not None:
            return domains.registrable(name) or name
    return fold.fold(text)


def _is_domain(text: str) -> bool:
    return "." in text.strip(".") and " " not in text.strip()


def _spelled(own: str) -> str:
    return domains.to_unicode(own) if "xn--" in own else own


def _one_slip(known: Known, own: str) -> str | None:
    """One letter added, left out, changed or swapped with its neighbour."""
    for variant in _deletions(own):
        found = known.by_deletion.get(variant)
        if found is not None and _is_one_apart(own, found[0]):
            return found[1]
    return None


def _deletions(text: str) -> Iterator[str]:
    """The text itself and each text with one character left out, within its first label.

    The rest must agree: shop.example.org and shop.example.net are neighbours, not imitations.
    """
    label, dot, rest = text.partition(".")
    yield text
    for at in range(len(label)):
        yield label[:at] + label[at + 1 :] + dot + rest


def _is_one_apart(a: str, b: str) -> bool:
    if a == b:
        return False
    shorter, longer = sorted((a, b), key=len)
    start = 0
    while start < len(shorter) and shorter[start] == longer[start]:
        start += 1
    rest_a, rest_b = shorter[start:], longer[start:]
    if len(shorter) == len(longer):
        return rest_a[1:] == rest_b[1:] or (rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:])
    return rest_a == rest_b[1:]


def _worn_as_subdomain(known: Known, text: str, own: str) -> str | None:
    """A whole known domain written in front of a foreign one: paypal.example.drop.test."""
    name = domains.canonical(text) or ""
    labels = name.removesuffix(own).rstrip(".").split(".")
    for start in range(len(labels) - 1):
        for end in range(start + 2, min(start + 5, len(labels)) + 1):
            if (worn := ".".join(labels[start:end])) in known.exact:
                return worn
    return None
