"""What one sentence says, whatever its order of words: terms that must all stand in it, and terms that may not.

    thank*|grateful & apply|application|your interest & !unfortunately

A term is a choice of words written apart by |; a choice may be several words in a row (`move forward`), and a star at
the end of one stands for any ending (`thank*`). Terms are joined by &; a ! before one says that none of its words may
stand in the sentence.
Words are compared folded and whole: `apply` is not in `supply`.

Promises: linear in the sentence, literal words only, total on any text.

>>> polite = read_saying("thank*|grateful & apply*|application & !sorry")
>>> found = Sayings([polite])
>>> found.said_in("Thanks so much for your application to us.")
frozenset({0})
>>> found.said_in("We are sorry; thank you for applying.")
frozenset()
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from pipeline.mail.fold import words

MOST_WORDS: Final = 6
"""Words in one choice of a term."""
_STAR: Final = "*"
_FEWEST_LETTERS: Final = 3
"""Before a star: what is shorter begins too many words."""
_MOST_SEEN: Final = 65_536
"""Words whose meaning is remembered."""

Choice = tuple[str, ...]
Term = frozenset[Choice]


@dataclass(frozen=True, slots=True)
class Saying:
    """Terms, each a set of choices; a choice is its folded words, each with its star."""

    needs: tuple[Term, ...]
    lacks: tuple[Term, ...] = ()


def read_saying(text: str) -> Saying:
    """A saying of its written form. Raises ValueError for one that is empty, or that any sentence would fulfil."""
    terms = [(part.startswith("!"), read_choices(part.removeprefix("!"))) for part in map(str.strip, text.split("&"))]
    needs = tuple(term for is_barred, term in terms if not is_barred)
    if not needs:
        raise ValueError("a saying needs a term that must stand there")
    if len(terms) < 2:
        raise ValueError("a saying has two terms, or it is a phrase: use text_contains")
    return Saying(needs, tuple(term for is_barred, term in terms if is_barred))


@lru_cache(maxsize=1_024)  # a named list stands in many sayings
def read_choices(text: str) -> Term:
    """The choices of one term. Raises ValueError for one that has no words, too many, or a star where none may be."""
    return frozenset(_choice(choice) for choice in text.split("|"))


def _choice(text: str) -> Choice:
    if "<" in text or ">" in text:
        raise ValueError("a saying names a list of words that its pack does not have")
    found = tuple(_word(part) for part in text.split() for part in _parted(part))
    if not 0 < len(found) <= MOST_WORDS:
        raise ValueError(f"a choice is 1 to {MOST_WORDS} words")
    return found


def _parted(text: str) -> list[str]:
    """What is one word on paper and may be several to the matcher: `can't`."""
    if _STAR in text.removesuffix(_STAR):
        raise ValueError("a star stands only at the end of a word")
    found = list(words(text.removesuffix(_STAR)))
    if text.endswith(_STAR) and found:
        found[-1] += _STAR
    return found or [text]


def _word(text: str) -> str:
    stem = text.removesuffix(_STAR)
    if words(stem) != (stem,):
        raise ValueError("a choice holds what is no word")
    if stem != text and len(stem) < _FEWEST_LETTERS:
        raise ValueError(f"a star needs {_FEWEST_LETTERS} letters before it")
    return text


@dataclass(frozen=True, slots=True)
class _Begun:
    """What a word begins: terms that it fulfils alone, and the rest of longer choices by their second word."""

    alone: tuple[int, ...]
    by_second: Mapping[str, tuple[tuple[Choice, int], ...]]
    open_second: tuple[tuple[Choice, int], ...]
    """Those whose second word has a star."""


@dataclass(slots=True)
class _Lexicon:
    """Choices by their first word or its beginning: for each the words that follow and the term it belongs to."""

    whole: dict[str, list[tuple[Choice, int]]] = field(default_factory=dict)
    begun: dict[str, list[tuple[Choice, int]]] = field(default_factory=dict)
    seen: dict[str, _Begun] = field(default_factory=dict)
    longest: int = 0
    """Letters of the longest beginning: what is longer in a word cannot tell which it has."""

    def add(self, term: int, choice: Choice) -> None:
        """One choice of a term."""
        first, rest = choice[0], choice[1:]
        listed = self.begun if first.endswith(_STAR) else self.whole
        listed.setdefault(first.removesuffix(_STAR), []).append((rest, term))
        if listed is self.begun:
            self.longest = max(self.longest, len(first) - 1)

    def learn(self, word: str) -> _Begun:
        """The choices that begin with a word that was not met before."""
        if len(self.seen) >= _MOST_SEEN:
            self.seen.clear()
        listed = list(self._look_up(word))
        found = self.seen[word] = _begun(listed) if listed else _NOTHING
        return found

    def _look_up(self, word: str) -> Iterator[tuple[Choice, int]]:
        yield from self.whole.get(word, ())
        for size in range(_FEWEST_LETTERS, min(len(word), self.longest) + 1):
            yield from self.begun.get(word[:size], ())


def _begun(found: Sequence[tuple[Choice, int]]) -> _Begun:
    longer = [(rest, term) for rest, term in found if rest]
    closed = [pair for pair in longer if not pair[0][0].endswith(_STAR)]
    seconds = {rest[0] for rest, _ in closed}
    return _Begun(
        tuple({term for rest, term in found if not rest}),
        {second: tuple(pair for pair in closed if pair[0][0] == second) for second in seconds},
        tuple(pair for pair in longer if pair[0][0].endswith(_STAR)),
    )


_NOTHING: Final = _begun(())
"""What nearly every word of a mail begins."""


class Sayings:
    """Sayings made ready once; each is known by its place in the list."""

    __slots__ = ("_by_term", "_lexicon", "_sayings", "_terms")

    def __init__(self, sayings: Sequence[Saying]) -> None:
        self._terms: dict[Term, int] = {}
        self._lexicon = _Lexicon()
        self._sayings = [(self._numbers(one.needs), self._numbers(one.lacks)) for one in sayings]
        sizes = [len(term) for term in self._terms]  # the term with the fewest choices is looked at first
        self._by_term: dict[int, list[int]] = {}
        for place, (needs, _) in enumerate(self._sayings):
            self._by_term.setdefault(min(needs, key=lambda number: (sizes[number], number)), []).append(place)

    def _numbers(self, terms: Iterable[Term]) -> frozenset[int]:
        return frozenset(self._number(term) for term in terms)

    def _number(self, term: Term) -> int:
        if term not in self._terms:
            self._terms[term] = len(self._terms)
            for choice in sorted(term):
                self._lexicon.add(self._terms[term], choice)
        return self._terms[term]

    @property
    def stems(self) -> frozenset[str]:
        """Texts of which one stands, folded, in every text that fulfils a saying."""
        rare = set(self._by_term)
        choices = (choice for term, number in self._terms.items() if number in rare for choice in term)
        return frozenset(choice[0].removesuffix(_STAR) for choice in choices)

    def said_in(self, sentence: str) -> frozenset[int]:
        """The sayings that one sentence fulfils."""
        terms = self._terms_in(words(sentence))
        candidates = (place for term in terms for place in self._by_term.get(term, ()))
        return frozenset(place for place in candidates if self._holds(place, terms))

    def _holds(self, place: int, terms: set[int]) -> bool:
        needs, lacks = self._sayings[place]
        return needs <= terms and lacks.isdisjoint(terms)

    def _terms_in(self, said: Sequence[str]) -> set[int]:
        seen, learn = self._lexicon.seen, self._lexicon.learn
        terms: set[int] = set()
        for at, word in enumerate(said, 1):
            begun = seen.get(word) or learn(word)
            if begun is not _NOTHING:
                terms.update(begun.alone)
                if begun.by_second or begun.open_second:
                    terms.update(_longer(begun, said, at))
        return terms


def _longer(begun: _Begun, said: Sequence[str], at: int) -> Iterator[int]:
    """The terms of choices of several words that go on at a place."""
    second = said[at] if at < len(said) else ""
    for rest, term in (*begun.by_second.get(second, ()), *begun.open_second):
        if _goes_on(said[at : at + len(rest)], rest):
            yield term


def _goes_on(here: Sequence[str], rest: Choice) -> bool:
    return len(here) == len(rest) and all(map(_is, here, rest))


def _is(word: str, wanted: str) -> bool:
    return word.startswith(wanted[:-1]) if wanted.endswith(_STAR) else word == wanted
