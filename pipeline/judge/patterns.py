"""Patterns that are tried only where one of their stems stands: so a long honest mail costs one pass over its text.

Promises: every pattern is bounded, and a stem is in each of its matches; a sign that is weak alone counts only beside
another one within a breath, for long honest mail says a little of everything; total and linear on any text.

    stems_of(texts, PATTERNS)         # for each text the stems in it, found by one automaton for all texts
    signs_in(text, PATTERNS, stems)   # {'instruction'}
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from pipeline.judge.levels import NEEDED, Level, sign_of

REACH: Final = 160
"""Characters to both sides of a stem in which its pattern is looked for."""
BREATH: Final = 400
"""Characters within which two weak signs are said in one breath."""
_MAX_PLACES: Final = 60


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sign, texts of which one is in every match, and the pattern on folded text with a blank before it."""

    sign: str
    stems: frozenset[str]
    form: re.Pattern[str]


def pattern(sign: str, stems: str, form: str) -> Pattern:
    """A pattern; its stems are written apart by |."""
    return Pattern(sign, frozenset(stems.split("|")), re.compile(form))


def stems_of(texts: Sequence[str], stems: Iterable[str]) -> list[frozenset[str]]:
    """For each text the stems that stand in it."""
    series = pl.Series(texts, dtype=pl.String)
    found = series.str.extract_many(sorted(stems), overlapping=True).list.unique().to_list()
    return [frozenset(one) for one in found]


def stems_in(text: str, patterns: Iterable[Pattern]) -> frozenset[str]:
    """The same for one short text, without the automaton."""
    return frozenset(stem for one in patterns for stem in one.stems if stem in text)


def signs_in(text: str, patterns: Iterable[Pattern], stems: frozenset[str]) -> set[str]:
    """The names of the signs in a text of which the stems are known; a weak one only beside another."""
    found = [(at, one.sign) for one in patterns for stem in one.stems & stems for at in _places(one.form, stem, text)]
    strong = {sign for _, sign in found if sign_of(sign).points >= NEEDED[Level.HOLD]}
    return strong | set(_in_one_breath(sorted(set(found))))


def all_signs_in(text: str, patterns: Iterable[Pattern], stems: frozenset[str]) -> set[str]:
    """The same, weak ones alone too."""
    return {one.sign for one in patterns for stem in one.stems & stems if any(_places(one.form, stem, text))}


def has_sign(sign: str, text: str, patterns: Iterable[Pattern], stems: frozenset[str]) -> bool:
    """Whether one sign is among all_signs_in; the patterns of other signs are not tried."""
    named = (one for one in patterns if one.sign == sign)
    return any(any(_places(one.form, stem, text)) for one in named for stem in one.stems & stems)


def _in_one_breath(found: list[tuple[int, str]]) -> Iterator[str]:
    for index, (at, sign) in enumerate(found):
        for other_at, other in found[index + 1 : index + 1 + _MAX_PLACES]:
            if other_at - at > BREATH:
                break
            if other != sign:
                yield sign
                yield other


def _places(form: re.Pattern[str], stem: str, text: str) -> Iterator[int]:
    """Where a pattern holds around one stem, from 1."""
    at = text.find(stem)
    for _ in range(_MAX_PLACES):
        if at < 0:
            return
        found = form.search(text, max(0, at - REACH), at + REACH)
        if found is not None:
            yield found.start() + 1
        at = text.find(stem, at + len(stem) if found is None else max(found.end(), at + len(stem)))
