"""Whether a text is in the languages that the rules can read: English, German, French, Spanish.

Promises: no guess at which other language it is, only whether any sentence is not one of these four; bounded time.
A sentence is foreign when it holds a letter that none of the four has (outside names, which begin with a capital), a
script that is not Latin, two function words of another language, or hardly any word that is known to be of the four.

>>> is_foreign("We received your application and will write to you soon.")
False
>>> is_foreign("We received your application. Vi vill gärna träffa dig på torsdag.")
True
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from pipeline.mail.language_words import FOREIGN, KNOWN

MAX_CHARACTERS: Final = 200_000
_FEWEST: Final = 3
"""Words without a capital that a sentence must have before the lack of known words says something."""
_MANY: Final = 5
_LOWEST_SHARE: Final = 0.2
_ENDS: Final = r"[.!?;:|\u2022\u00b7\u2026\u3002\n]"
_SENTENCE: Final = re.compile(rf"{_ENDS}(?:{_ENDS}*(?=\s|$)|(?<=\n)\n*)")
_ROW: Final = re.compile(r"\s[-\u2013\u2014]\s[^\n]{1,200}?\s[-\u2013\u2014]\s")
"""A row of a list (title - company - place) is no sentence: it has no function words in any language."""
_NO_PROSE: Final = re.compile(r"[@0-9_\\=#&]|:(?=//)|\.(?<=\w\.)(?=\w)")
"""Addresses, numbers and names of things; each takes the token it stands in with it."""
_ONLY_PROSE: Final = re.compile(r"[^@0-9_\\=#&:.]*+\Z")
"""What most lines are; found much faster than that nothing else is there."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_APOSTROPHE: Final = re.compile("['\u2019]")
_BEFORE_A_NAME: Final = re.compile("^([a-z]|qu)['\u2019].*")
_LETTERS_AND_BLANKS: Final = str.maketrans({code: " " for code in range(128) if not chr(code).isalpha()})
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzäöüßéèêëàâçîïôûùœæÿáíóúñ'\u2019")


def is_foreign(text: str) -> bool:
    """Whether any sentence of the text (as written, not folded) is in another language than the four."""
    lines = unicodedata.normalize("NFKC", text[:MAX_CHARACTERS]).splitlines()
    prose = "\n".join(map(_prose, lines))
    return any(_is_foreign_sentence(sentence) for sentence in _SENTENCE.split(prose) if sentence.strip())


def _prose(line: str) -> str:
    """The line's words, a blank apart, without those that are no prose."""
    spaced = " ".join(line.split())
    if _ONLY_PROSE.match(spaced):
        return spaced
    kept, end = [], 0
    while (found := _NO_PROSE.search(spaced, end)) is not None:
        kept.append(spaced[end : spaced.rfind(" ", end, found.start()) + 1 or end])
        end = spaced.find(" ", found.end()) + 1 or len(spaced)
    return "".join([*kept, spaced[end:]]).strip()


def is_mostly_foreign(text: str) -> bool:
    """Whether most of its words are of another language or another script.

    >>> is_mostly_foreign("Our newsletter: news of the week from Malmö, with all the best of it. Vi vill tacka dig.")
    False
    """
    head = text[:MAX_CHARACTERS]
    words = _words_of((head if head.isascii() else unicodedata.normalize("NFKC", head)).casefold())
    if not head.isascii() and 3 * sum(not _is_latin(word) for word in words) > len(words):
        return True
    least, foreign = sum(map(KNOWN.__contains__, words)), sum(map(FOREIGN.__contains__, words))
    if foreign <= least and 10 * least >= len(words):
        return False  # contractions, which cost most to take apart, could only add to the known words
    known = sum(map(_is_known, words))
    return foreign > known or 10 * known < len(words)


def _is_foreign_sentence(sentence: str) -> bool:
    every = _words_of(sentence)
    if not sentence.isascii() and any(not _is_latin(word) for word in every):
        return True
    words = [word.casefold() for word in every] if sentence.isupper() else [_own(w) for w in every if w[0].islower()]
    words = [word for word in words if len(word) > 1]
    if not words:
        return False
    if not _has_known_letters("".join(words)) or len(FOREIGN.intersection(words)) > 1:
        return True
    return _has_few_known(words) and not _ROW.search(sentence)


def _words_of(sentence: str) -> list[str]:
    """The runs of letters; in ASCII without an apostrophe they are what remains beside blanks, five times as fast."""
    if sentence.isascii() and "'" not in sentence:
        return sentence.translate(_LETTERS_AND_BLANKS).split()
    return _WORD.findall(sentence)


def _own(word: str) -> str:
    """A word of the sentence without the name that it is drawn to: d'Orsay, l'Isle."""
    return word if word.islower() else _BEFORE_A_NAME.sub(r"\1", word)


def _has_known_letters(text: str) -> bool:
    return text.islower() if text.isascii() else _LETTERS.issuperset(text)


def _has_few_known(words: list[str]) -> bool:
    """Whether hardly any word is one of the four languages'; contractions are taken apart only where it matters."""
    if sum(map(KNOWN.__contains__, words)) >= len(words) * _LOWEST_SHARE:
        return False
    share = sum(map(_is_known, words)) / len(words)
    return (len(words) >= _FEWEST and share == 0) or (len(words) >= _MANY and share < _LOWEST_SHARE)


def _is_known(word: str) -> bool:
    return word in KNOWN or any(part in KNOWN for part in _APOSTROPHE.split(word))


def _is_latin(word: str) -> bool:
    return word.isascii() or all(_is_latin_letter(letter) for letter in word)


@lru_cache(maxsize=4_096)
def _is_latin_letter(letter: str) -> bool:
    return letter in "'\u2019" or unicodedata.name(letter, "").startswith("LATIN ")
