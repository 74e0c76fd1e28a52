"""Sender markers made ready once, so that a sender is looked up instead of compared with each of them.

Promises: finds exactly the markers that `matcher.matches_sender` and `matcher.matches_domain` would.

    index = SenderIndex()
    index.add_under("jobly.example", hit)
    index.find("jobs@mail.jobly.example", "mail.jobly.example", ("jobs",), ())      # [hit]
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from pipeline.mail import domains

Found = TypeVar("Found")


class SenderIndex(Generic[Found]):
    """Markers by what they name: a whole address, a domain, a domain and what is under it, words in a row."""

    __slots__ = ("_addresses", "_equal", "_phrases", "_under")

    def __init__(self) -> None:
        self._addresses: dict[str, list[Found]] = defaultdict(list)
        self._equal: dict[str, list[Found]] = defaultdict(list)
        self._under: dict[str, list[Found]] = defaultdict(list)
        self._phrases: dict[str, list[tuple[tuple[str, ...], Found]]] = defaultdict(list)

    def add_address(self, address: str | None, found: Found) -> None:
        """A whole address; None names nobody."""
        if address is not None:
            self._addresses[address].append(found)

    def add_equal(self, domain: str, found: Found) -> None:
        """Exactly this domain; a text that is no domain names nobody."""
        if (name := domains.canonical(domain)) is not None:
            self._equal[name].append(found)

    def add_under(self, domain: str, found: Found) -> None:
        """This domain or one below it."""
        if (name := domains.canonical(domain)) is not None:
            self._under[name].append(found)

    def add_phrase(self, wanted: tuple[str, ...], found: Found) -> None:
        """Whole words in a row; no words name nobody."""
        if wanted:
            self._phrases[wanted[0]].append((wanted, found))

    def find(self, address: str, domain: str, *texts: Sequence[str]) -> list[Found]:
        """What was added for this address, its domain, or words that stand in one of the texts (as words)."""
        found = [*self._addresses.get(address, ()), *self._by_domain(domain)]
        for text in texts:
            found += self._by_words(tuple(text))
        return found

    def _by_domain(self, domain: str) -> Iterator[Found]:
        name = domains.canonical(domain)
        if name is None:
            return
        yield from self._equal.get(name, ())
        while name:
            yield from self._under.get(name, ())
            name = name.partition(".")[2]

    def _by_words(self, text: tuple[str, ...]) -> Iterator[Found]:
        for at, word in enumerate(text):
            for wanted, found in self._phrases.get(word, ()):
                if text[at : at + len(wanted)] == wanted:
                    yield found
