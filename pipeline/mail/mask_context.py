"""What the words of a subject, and those beside a number, say about it: a code, or something else.

Promises: only folded words are looked at, so case, accents and invisible characters do not matter.

>>> context_of("Ihr Bestätigungscode lautet 482913").name, context_of("Lunch at 12?").name
('CODE', 'NONE')
"""

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from pipeline.mail import fold
from pipeline.mail.mask_words import as_set, folded, is_code_word

YEAR: Final = re.compile(r"(?:19|20)\d{2}(?:-\d{2}|[-\u2013](?:19|20)\d{2})?\Z")
_DIGITS: Final = re.compile(r"\d+")
_SMALL_WORDS: Final = frozenset({"in", "number", "id", "no", "nr", "n", "auf", "with"})
# "is" in scripts that write it without a space before the number.
_COPULAS: Final = "是为為はが은는이가"
_SERIOUS: Final = frozenset({"access", "security", "account", "otp", "passcode", "password", "pin"})
_MARKS: Final = (":", "=", "-", "–", "—", "#", ">", "：")


class Context(IntEnum):
    """How much the words speak of codes."""

    NONE = 0
    HINT = 1
    CODE = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """One stretch that could be a code, and the folded words just before and after it."""

    text: str
    before: str
    after: str

    @property
    def digits(self) -> int:
        """How many digits it has."""
        return sum(len(run) for run in _DIGITS.findall(self.text))

    @property
    def groups(self) -> list[str]:
        """Its runs of digits."""
        return _DIGITS.findall(self.text)

    @property
    def is_numeric(self) -> bool:
        """Whether no letter stands in it."""
        return not any(character.isalpha() for character in self.text)


def context_of(subject: str) -> Context:
    """Whether the words speak of a code, of signing in, or of neither."""
    text = _without_harmless(fold.fold(subject))
    words = fold.words(text)
    if any(is_code_word(word) for word in words) or _holds(text, "inside") or _holds(text, "phrases"):
        return Context.CODE
    if as_set("hints").intersection(words) or _holds(text, "hint_phrases"):
        return Context.HINT
    return Context.NONE


def _without_harmless(text: str) -> str:
    for phrase in folded("harmless"):
        if phrase in text:
            text = text.replace(phrase, " ")
    return text


def _holds(text: str, group: str) -> bool:
    return any(entry in text for entry in folded(group))


def is_promotion(subject: str) -> bool:
    """Shop codes: letters stay readable there, unless the subject also speaks of signing in."""
    text = fold.fold(subject)
    is_sign_in = bool(as_set("hints").union(_SERIOUS).intersection(fold.words(text))) or _holds(text, "hint_phrases")
    return _holds(text, "promotion") and not is_sign_in


def is_called_otherwise(candidate: Candidate) -> bool:
    """Whether the word before names another kind of number, or the word after counts something."""
    if candidate.before.rstrip(" :").endswith(folded("hint_phrases")):
        return False
    if candidate.before.endswith(("#", "no.", "nr.", "n°", "№", "*", "x")):
        return True
    before = fold.words(candidate.before)[-2:]
    after = fold.words(candidate.after)[:1]
    is_joined = len(before) == 2 and before[1] in _SMALL_WORDS
    named = before[-1:] + (before[:1] if is_joined else ())
    return bool(as_set("nouns").intersection(named)) or bool(as_set("units").intersection(after))


def is_named_code(candidate: Candidate) -> bool:
    """Whether the words just before or after say outright that this is the code."""
    return _follows_code_word(candidate) or _is_your_code(candidate)


def _follows_code_word(candidate: Candidate) -> bool:
    """`... code is 1234`, `code for Meadow: 1234`: the word itself, or for digits a few words before the mark."""
    text = _without_harmless(candidate.before)
    if text.endswith((")", "]", ".", "!", "?", ",")):
        return False
    stem = text.rstrip("'\"«„“ ").rstrip(_COPULAS)
    words = list(fold.words(stem))[-7:]
    is_announced = stem.endswith(_MARKS) or text[len(stem) : len(stem) + 1] in tuple(_COPULAS)
    while words and words[-1] in as_set("joining"):
        words.pop()
        is_announced = True
    if not words:
        return False
    if _names_code(words[-1]):
        return is_announced or _is_plainly_one(candidate)
    return is_announced and candidate.digits > 0 and any(_names_code(word) for word in words[-5:])


def _names_code(word: str) -> bool:
    return is_code_word(word) or word.endswith(folded("inside"))


def _is_plainly_one(candidate: Candidate) -> bool:
    is_capital = candidate.is_numeric or candidate.text.isupper()
    return is_capital and candidate.digits > 0 and not YEAR.match(candidate.text)


def _is_your_code(candidate: Candidate) -> bool:
    """`1234 is your ... code`, `1234 – your code`, `1234是您的验证码`."""
    text = _without_harmless(candidate.after)
    words = fold.words(text)[:7]
    if not words:
        return False
    is_joined = words[0] in as_set("joining") or text[:1] in "-–—:|（(" or text[:1] in tuple(_COPULAS)
    if not is_joined:
        return False
    return any(is_code_word(word) for word in words) or _holds(" ".join(words), "inside")
