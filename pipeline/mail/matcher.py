"""The one matcher: rule words against mail, used by rules, miner and filters alike.

Promises: markers and mail pass the same fold and are compared literally, never as patterns; one of up to four Latin
letters is a whole word. A domain is compared by whole labels, so no substring ever matches one; a sender who is missing
or ambiguous matches no rule. Many mails are searched in one pass, with the result that each would have alone. Out come
names and numbers, never text.

`sender_contains` markers: `acme` or `acme jobs` = whole words of the display name or of the local part;
`jobs@acme.example` = the whole address; `acme.example` = exactly that domain; `.acme.example` = it or what is under it.

>>> asks = Marker("action", "asks", "text", "1", "Reply by")
>>> found = Matcher((Marker("rule", "boards", "sender", "1", "jobly"), asks))
>>> sender = address.read_sender(["Jobly Alerts <no-reply@mail.example>"])
>>> [hit.rule for hit in found.hits(Probe(sender, subject="please RE\\u00adPLY by Friday"))]
['asks', 'boards']
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from operator import attrgetter
from typing import Final, Literal

import polars as pl

from pipeline.mail import address, domains
from pipeline.mail.fold import fold, words
from pipeline.mail.hypothetical import certain, lines, sentences
from pipeline.mail.sayings import Sayings, read_saying
from pipeline.mail.senders import SenderIndex

Role = Literal["rule", "pattern", "action", "protected", "harmless", "shape"]
"""shape = what the mail is by its build (pipeline/judge/shapes.py); harmless = phrases that hold an action word and
ask for nothing: they are never hits themselves."""
MarkerField = Literal["sender", "domain_equals", "domain_under", "subject", "body", "text", "sentence", "shape"]
"""sender_contains, domain_equals, domain_under; subject; body = what a reader sees; text = subject or body;
sentence = one sentence of either (sayings.py); shape."""

_NAMES_ANOTHER: Final = "name_holds_address"
_CHUNK: Final = 512
_LONG: Final = 6
"""Shorter words also come about where two others meet."""
_SHORT: Final = 4
"""A Latin marker of so few letters is a whole word: `win` is not in Northwind, nor `off` in an office."""
_CUT: Final = "\x00"
"""No folded text holds it."""
GAP: Final = " ... "
"""In a marker: other words of the same sentence may stand here, a few before the first comma and more later."""
_FIRST_GAP: Final = r"[^.!?;:,\x00]{0,60}?"
_LATER_GAP: Final = r"[^.!?;:\x00]{0,120}?"
_WORD: Final = re.compile(r"[^\W_]+|\x00")
_WORDS_AND_BLANKS: Final = str.maketrans({code: " " for code in range(128) if not chr(code).isalnum()})
_KEYBOARD: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4\u2032`", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)


@dataclass(frozen=True, slots=True, order=True)
class Marker:
    """One text that one rule looks for in one field; `id` is its place in the rule's list, from 1."""

    role: Role
    rule: str
    field: MarkerField
    id: str
    text: str
    unless: tuple[str, ...] = ()
    """Shapes in which it does not count."""
    asks: bool = False
    """Whether it means a request: then, like an action word, it is not looked for in harmless phrases."""


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """A marker that was found, without its text."""

    role: Role
    rule: str
    field: MarkerField
    marker: str


@dataclass(frozen=True, slots=True)
class Probe:
    """What one mail offers to be matched; `body` holds what a reader sees (plain text and visible HTML)."""

    sender: address.Sender
    subject: str = ""
    body: str = ""
    also: str = ""
    """What the body says in other ways (link targets, words put together again): searched for action words only."""
    shapes: tuple[str, ...] = ()
    """What the mail is by its build."""


_ORDER: Final = attrgetter("role", "rule", "field", "marker")
"""The order of hits: what comparing two of them would say, at a tenth of the price."""


def is_ambiguous(sender: address.Sender) -> bool:
    """Whether nobody can say for sure who sent it: such a sender matches no rule."""
    return sender.address is None or sender.domain is None or _NAMES_ANOTHER in sender.defects


def sender_marker_problem(marker: str) -> str:
    """Why a text cannot be a `sender_contains` marker, or an empty string."""
    if "@" in marker:
        return "" if _whole_address(marker) else "a marker with @ is not one whole address"
    if "." in marker:
        return "" if _domain(marker) else "a marker with a dot is not a domain"
    return "" if words(marker) else "a marker holds no word"


def matches_sender(marker: str, sender: address.Sender) -> bool:
    """Whether a `sender_contains` marker means this sender."""
    if is_ambiguous(sender):
        return False
    if "@" in marker:
        return _whole_address(marker) == sender.address
    if "." in marker:
        reaches = domains.is_under if marker.startswith(".") else domains.is_equal
        return reaches(sender.domain, _domain(marker))
    local = (sender.address or "").rpartition("@")[0]
    wanted = _words(marker)
    return _holds(_words(sender.name), wanted) or _holds(_words(local), wanted)


def matches_domain(field: MarkerField, name: str, sender: address.Sender) -> bool:
    """Whether a `domain_equals` or `domain_under` entry means this sender."""
    if is_ambiguous(sender):
        return False
    return (domains.is_under if field == "domain_under" else domains.is_equal)(sender.domain, name)


@lru_cache(maxsize=65_536)
def _words(text: str) -> tuple[str, ...]:
    return words(text)


def _whole_address(marker: str) -> str | None:
    sender = address.read_sender([marker])
    return None if sender.name or sender.defects else sender.address


def _domain(marker: str) -> str:
    name = domains.canonical(marker.removeprefix("."))
    return name if name and "." in name else ""


def _holds(text: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the wanted words stand in the text, whole and in a row."""
    if not wanted or wanted[0] not in text:
        return False
    size = len(wanted)
    return any(tuple(text[at : at + size]) == tuple(wanted) for at in range(len(text) - size + 1))


@dataclass(frozen=True, slots=True)
class _Told:
    """A text without its hypothetical sentences, folded whole, and folded without them."""

    sure: str
    folded: str
    said: str


def _told(text: str) -> _Told:
    sure, folded = certain(text), plain(text)
    return _Told(sure, folded, folded if sure == text else plain(sure))


class Matcher:
    """Markers made ready once. `hits` for one mail, `hits_of` for many in one pass."""

    __slots__ = (
        "_beginnings",
        "_harmless",
        "_patterns",
        "_said",
        "_sayings",
        "_sender",
        "_shapes",
        "_solid",
        "_stems",
        "_texts",
        "_unless",
        "_words",
    )

    def __init__(self, markers: Iterable[Marker]) -> None:
        listed = tuple(markers)
        texts = [m for m in listed if m.field in ("subject", "body", "text")]
        self._sender = _indexed(m for m in listed if m.field in ("sender", "domain_equals", "domain_under"))
        self._harmless = sorted({plain(m.text) for m in texts if m.role == "harmless"} - {""})
        asking = [m for m in texts if m.role == "action" or m.asks]
        self._texts = _grouped(m for m in texts if m.role not in ("harmless", "action", "pattern"))
        self._patterns = _grouped(m for m in texts if m.role == "pattern" and not m.asks)
        self._words = _grouped(asking)
        self._said = [_hit(m) for m in listed if m.field == "sentence"]
        self._sayings = Sayings([read_saying(m.text) for m in listed if m.field == "sentence"])
        self._stems = sorted(self._sayings.stems)
        self._shapes = [(m.text, _hit(m)) for m in listed if m.field == "shape"]
        self._unless = {(m.role, m.rule): frozenset(m.unless) for m in listed if m.unless}
        action_words = (plain(m.text) for m in asking if m.role == "action")
        self._solid = frozenset(text for text in action_words if len(text) >= _LONG and text.isalpha())
        self._beginnings = frozenset(text[:size] for text in self._solid for size in range(1, len(text)))

    def hits(self, probe: Probe) -> tuple[Hit, ...]:
        """The sorted hits of one mail."""
        return self.hits_of((probe,))[0]

    def hits_of(self, probes: Iterable[Probe]) -> tuple[tuple[Hit, ...], ...]:
        """The sorted hits of each mail, in the order given."""
        # Each is told as soon as it is made: its sentences were just judged, and are still remembered.
        asked = ((probe, _told(probe.subject), _told(probe.body)) for probe in probes)
        found: list[tuple[Hit, ...]] = []
        while chunk := tuple(islice(asked, _CHUNK)):
            found += self._chunk(*zip(*chunk, strict=True))
        return tuple(found)

    def _chunk(self, probes: Sequence[Probe], heads: Sequence[_Told], told: Sequence[_Told]) -> list[tuple[Hit, ...]]:
        subjects, bodies = self._text_hits(heads, "subject"), self._text_hits(told, "body")
        said = self._sentence_hits(heads, told)
        others = self._action_hits([probe.also for probe in probes])
        senders = [self._sender_hits(probe.sender) for probe in probes]
        shaped = [[hit for shape, hit in self._shapes if shape in probe.shapes] for probe in probes]
        found = zip(probes, zip(subjects, bodies, said, others, senders, shaped, strict=True), strict=True)
        return [tuple(sorted(self._counted(set(chain(*hits)), probe), key=_ORDER)) for probe, hits in found]

    def _counted(self, hits: set[Hit], probe: Probe) -> Iterator[Hit]:
        """Without the sets that do not count in mail of this shape."""
        if not probe.shapes or not self._unless:
            return iter(hits)
        none: frozenset[str] = frozenset()
        return (hit for hit in hits if self._unless.get((hit.role, hit.rule), none).isdisjoint(probe.shapes))

    def _action_hits(self, texts: list[str]) -> list[list[Hit]]:
        if not any(texts):
            return [[] for _ in texts]
        found = _worded(_without([plain(text) for text in texts], self._harmless), self._words)
        return [[*_hits(asked, self._words, "body")] for asked in found]

    def _sentence_hits(self, subjects: Sequence[_Told], bodies: Sequence[_Told]) -> list[list[Hit]]:
        """What single sentences say that are not hypothetical; a subject is one."""
        if not self._stems:
            return [[] for _ in bodies]
        pairs = list(zip(subjects, bodies, strict=True))
        whole = pl.Series([f"{subject.said} {body.said}" for subject, body in pairs], dtype=pl.String)
        may_be = whole.str.contains_any(self._stems).to_list()
        return [self._said_by(*pair) if is_open else [] for pair, is_open in zip(pairs, may_be, strict=True)]

    def _said_by(self, subject: _Told, body: _Told) -> list[Hit]:
        every = {sentence for line in set(lines(body.sure)) for sentence in sentences(line)}
        places = {place for sentence in {subject.sure, *every} for place in self._sayings.said_in(sentence)}
        return [self._said[place] for place in places]

    def _text_hits(self, texts: Sequence[_Told], place: str) -> list[list[Hit]]:
        folded, said = [text.folded for text in texts], [text.said for text in texts]
        asking = _without(said, self._harmless)
        found = zip(
            _worded(folded, self._texts),
            _worded(said, self._patterns),
            _worded(asking, self._words),
            (_halved(text, self._solid, self._beginnings) for text in asking),
            strict=True,
        )
        return [
            [
                *_hits(told, self._texts, place),
                *_hits(meant, self._patterns, place),
                *_hits({*asked, *halved}, self._words, place),
            ]
            for told, meant, asked, halved in found
        ]

    def _sender_hits(self, sender: address.Sender) -> list[Hit]:
        if is_ambiguous(sender):
            return []
        address_, domain = sender.address or "", sender.domain or ""
        return self._sender.find(address_, domain, _words(sender.name), _words(address_.rpartition("@")[0]))


def plain(text: str) -> str:
    """The folded text with curly quotes and the many dashes written as on a keyboard."""
    folded = fold(text)
    return folded.replace("`", "'") if folded.isascii() else folded.translate(_KEYBOARD)


def _found(folded: list[str], grouped: Mapping[str, object]) -> list[list[str]]:
    """The marker texts in each folded text: one Aho-Corasick pass over all, every overlap reported."""
    first = {text.partition(GAP)[0] for text in grouped}
    if not first:
        return [[] for _ in folded]
    series = pl.Series(folded, dtype=pl.String)
    found = series.str.extract_many(sorted(first), overlapping=True).list.unique().to_list()
    gapped = [(text, text.partition(GAP)[0]) for text in grouped if GAP in text]
    return [_whole(text, set(here), grouped, gapped) for text, here in zip(folded, found, strict=True)]


def _worded(folded: list[str], grouped: Mapping[str, object]) -> list[list[str]]:
    """The same without short words that only stand inside of others."""
    every = zip(folded, _found(folded, grouped), strict=True)
    return [[one for one in found if len(one) > _SHORT or _stands_alone(one, text)] for text, found in every]


def _whole(text: str, here: set[str], grouped: Mapping[str, object], gapped: list[tuple[str, str]]) -> list[str]:
    """Of the first words that were found: the markers that end there, and those that go on after a gap."""
    at_hand = (marker for marker, first in gapped if first in here) if here else ()
    return [*(found for found in here if found in grouped), *(one for one in at_hand if _gapped(one).search(text))]


def _stands_alone(short: str, text: str) -> bool:
    """Whether it is a word somewhere in the text; what is no plain word (a sign, another script) may stand anywhere."""
    return not (short.isascii() and short.isalpha()) or any(
        not (text[at - 1 : at].isalnum() or text[at + len(short) : at + len(short) + 1].isalnum())
        for at in _starts(short, text)
    )


def _hits(found: Iterable[str], grouped: Mapping[str, tuple[Marker, ...]], place: str) -> Iterator[Hit]:
    for text in found:
        for marker in grouped.get(text, ()):
            if marker.field in (place, "text"):
                yield _hit(marker)


def _halved(text: str, solid: frozenset[str], beginnings: frozenset[str]) -> Iterator[str]:
    """The one-word markers that a line end, a cell or a blank cut in two or three, alone or in the plural."""
    found = _words_and_cuts(text) if solid else []
    for at in [at for at, word in enumerate(found[:-1]) if word in beginnings]:
        word = found[at]
        joined = word + found[at + 1]
        for whole in (joined, joined + found[at + 2] if at + 2 < len(found) else joined):
            for form in (whole, whole.removesuffix("s")):
                if form in solid and len(word) < len(form):
                    yield form


def _words_and_cuts(text: str) -> list[str]:
    """The words in a row; in plain ASCII they are what remains beside blanks, three times as fast."""
    if text.isascii() and _CUT not in text:
        return text.translate(_WORDS_AND_BLANKS).split()
    return _WORD.findall(text)


def _without(folded: list[str], phrases: list[str]) -> list[str]:
    """The texts with every occurrence of the phrases cut out, overlapping ones whole."""
    found = _found(folded, dict.fromkeys(phrases))
    return [_cut(text, _spans(here, text)) if here else text for text, here in zip(folded, found, strict=True)]


def _spans(phrases: list[str], text: str) -> list[tuple[int, int]]:
    """Where these phrases stand, that are all there."""
    whole = [(at, at + len(phrase)) for phrase in phrases if GAP not in phrase for at in _starts(phrase, text)]
    gapped = (match.span() for phrase in phrases if GAP in phrase for match in _gapped(phrase).finditer(text))
    return sorted([*whole, *gapped])


@lru_cache(maxsize=4_096)
def _gapped(phrase: str) -> re.Pattern[str]:
    first, second, *later = map(re.escape, phrase.split(GAP))
    return re.compile(_LATER_GAP.join([f"{first}{_FIRST_GAP}{second}", *later]))


def _cut(text: str, spans: list[tuple[int, int]]) -> str:
    """A mark stands where something was cut, so that the words around it never join to a marker."""
    kept, end = [], 0
    for start, stop in spans:
        if start >= end:
            kept.append(text[end:start])
        end = max(end, stop)
    return _CUT.join([*kept, text[end:]])


def _starts(phrase: str, text: str) -> Iterator[int]:
    at = text.find(phrase)
    while at >= 0:
        yield at
        at = text.find(phrase, at + 1)


def _indexed(markers: Iterable[Marker]) -> SenderIndex[Hit]:
    """The index that finds what matches_sender and matches_domain would."""
    index: SenderIndex[Hit] = SenderIndex()
    for marker in markers:
        text, hit = marker.text, _hit(marker)
        if marker.field == "domain_equals":
            index.add_equal(text, hit)
        elif marker.field == "domain_under":
            index.add_under(text, hit)
        elif "@" in text:
            index.add_address(_whole_address(text), hit)
        elif "." in text:
            (index.add_under if text.startswith(".") else index.add_equal)(_domain(text), hit)
        else:
            index.add_phrase(_words(text), hit)
    return index


def _hit(marker: Marker) -> Hit:
    return Hit(marker.role, marker.rule, marker.field, marker.id)


def _grouped(markers: Iterable[Marker]) -> dict[str, tuple[Marker, ...]]:
    grouped: dict[str, tuple[Marker, ...]] = {}
    for marker in markers:
        text = plain(marker.text)
        if text:  # an empty text would match everything
            grouped[text] = (*grouped.get(text, ()), marker)
    return grouped
