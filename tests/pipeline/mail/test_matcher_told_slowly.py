"""The matcher against a slow telling of the same: a marker at a time, a place at a time, gaps by trying every way."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.mail.address import read_sender
from pipeline.mail.hypothetical import certain, lines, sentences
from pipeline.mail.matcher import GAP, Hit, Marker, MarkerField, Matcher, Probe, Role, plain
from pipeline.mail.sayings import Sayings, read_saying
from tests.reference.decide import has, is_in_pieces, without
from tests.sweeps import sweep

SENDER = read_sender(["Someone <someone@y.example>"])
ENDS, COMMAS = ".!?;:\x00", ".!?;:,\x00"
RULES: tuple[tuple[Role, str, tuple[str, ...]], ...] = (
    ("rule", "names", ()),
    ("pattern", "means", ("broadcast",)),
    ("action", "asks", ()),
    ("action", "asks in passing", ("broadcast", "list")),
    ("protected", "holds", ()),
    ("protected", "asks", ("list",)),
    ("harmless", "harmless", ()),
)
"""Role, rule and the shapes in which it does not count; two roles share a name."""
TEXTS = (
    "interview",
    "interview tips",
    "reply by noon",
    "thank ... applying",
    "thank ... your ... form",
    "win",
    "% off",
    "it's new",
    "your offer",
    "x y",
)
SAYINGS = ("thank*|grateful & applying", "reply & noon & !late", "interview|offer & your")
PIECES = (
    *(
        "interview",
        "tips",
        "inter",
        "view",
        "views",
        "reply by noon",
        "thank",
        "you",
        "for",
        "applying",
        "your",
        "form",
        "win",
    ),
    *(
        "north",
        "50",
        "% off",
        "it\u2019s",
        "it`s",
        "new",
        "offer",
        "late",
        "grateful",
        "x",
        "y",
        "so many words between them that",
    ),
    *("if we like your form,", "once shortlisted, candidates win an", ".", ",", "!", ":", "-\n", "\n", "\x00"),
)
GLUE = st.sampled_from((" ", " ", " ", "", "\n"))
PROSE = st.lists(st.tuples(st.sampled_from(PIECES), GLUE), max_size=14).map(
    lambda found: "".join(a + b for a, b in found)
)


@st.composite
def markers(draw: st.DrawFn) -> list[Marker]:
    found: dict[tuple[object, ...], Marker] = {}
    for number in range(draw(st.integers(1, 8))):
        role, rule, unless = draw(st.sampled_from(RULES))
        field: MarkerField = draw(st.sampled_from(("subject", "body", "text", "sentence", "shape")))
        if role in ("harmless", "rule") and field in ("sentence", "shape"):
            field = "text"
        text = draw(st.sampled_from({"sentence": SAYINGS, "shape": ("list", "broadcast", "reply")}.get(field, TEXTS)))
        found[role, rule, field, text] = Marker(role, rule, field, str(number), text, unless)
    return list(found.values())


PROBES = st.builds(
    Probe,
    st.just(SENDER),
    PROSE,
    PROSE,
    st.one_of(st.just(""), PROSE),
    st.lists(st.sampled_from(("list", "broadcast", "reply")), unique=True).map(tuple),
)


def slow_hits(wanted: Sequence[Marker], probe: Probe) -> tuple[Hit, ...]:
    """What one mail has, a marker at a time."""
    harmless = [plain(m.text) for m in wanted if m.role == "harmless"]
    found = {Hit(m.role, m.rule, m.field, m.id) for m in wanted if m.role != "harmless" and stands(m, probe, harmless)}
    return tuple(sorted(found))


def stands(marker: Marker, probe: Probe, harmless: Sequence[str]) -> bool:
    if not set(marker.unless).isdisjoint(probe.shapes):
        return False
    if marker.field == "shape":
        return marker.text in probe.shapes
    if marker.field == "sentence":
        every = [certain(probe.subject), *(x for line in lines(certain(probe.body)) for x in sentences(line))]
        return any(Sayings([read_saying(marker.text)]).said_in(one) for one in every)
    places = {"subject": [probe.subject], "body": [probe.body], "text": [probe.subject, probe.body]}[marker.field]
    text = plain(marker.text)
    if marker.role in ("rule", "protected"):
        return any(is_there(plain(place), text) for place in places)
    if marker.role == "pattern":
        return any(is_there(plain(certain(place)), text) for place in places)
    left = [cut(plain(certain(place)), harmless) for place in places]
    elsewhere = [cut(plain(probe.also), harmless)] if marker.field != "subject" else []
    return any(is_there(place, text) for place in [*left, *elsewhere]) or any(
        is_in_pieces(place, text) for place in left
    )


def cut(text: str, phrases: Sequence[str]) -> str:
    """With a mark in place of each phrase; of one with gaps, from its first word to its last."""
    whole = [phrase for phrase in phrases if GAP not in phrase]
    gapped = {text[at:end] for phrase in phrases if GAP in phrase for at, end in ways(text, phrase.split(GAP))}
    return without(text, [*whole, *gapped])


def is_there(text: str, marker: str) -> bool:
    return any(True for _ in ways(text, marker.split(GAP))) if GAP in marker else has(text, marker)


def ways(text: str, parts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the parts stand one behind the other: the nearest for each beginning."""
    for at in range(len(text)):
        if text.startswith(parts[0], at):
            end = nearest(text, at + len(parts[0]), parts[1:], 60, COMMAS)
            if end is not None:
                yield at, end


def nearest(text: str, at: int, parts: Sequence[str], reach: int, stops: str) -> int | None:
    if not parts:
        return at
    for start in range(at, min(at + reach, len(text)) + 1):
        if text.startswith(parts[0], start):
            end = nearest(text, start + len(parts[0]), parts[1:], 120, ENDS)
            if end is not None:
                return end
        if start < len(text) and text[start] in stops:
            return None
    return None


@given(markers(), st.lists(PROBES, min_size=1, max_size=3))
@settings(max_examples=sweep(20_000), deadline=None)
def test_hits_are_what_a_slow_telling_finds(wanted: list[Marker], probes: list[Probe]) -> None:
    if any(m.role == "harmless" and GAP in m.text for m in wanted):
        probes = [p for p in probes if p.body.count("thank") < 2 and p.subject.count("thank") < 2]  # spans may overlap
    assert list(Matcher(wanted).hits_of(probes)) == [slow_hits(wanted, probe) for probe in probes]


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("thank you for applying", True),
        ("thanks for applying", True),
        ("applying? thank you", False),
        ("thank you. applying", False),
        ("thank you, Mara, for applying", False),
        ("thank " + "you " * 14 + "applying", True),
        ("thank " + "you " * 16 + "applying", False),
        ("thank", False),
        ("applying", False),
    ],
)
def test_gap_is_a_few_words_of_one_sentence(text: str, is_found: bool) -> None:
    matcher = Matcher([Marker("pattern", "r", "body", "1", "thank ... applying")])
    assert bool(matcher.hits(Probe(SENDER, "", text))) is is_found
    assert not matcher.hits(Probe(SENDER, text, ""))


def test_later_gap_may_hold_a_comma_and_is_longer() -> None:
    matcher = Matcher([Marker("action", "r", "text", "1", "thank ... your ... form")])
    assert matcher.hits(Probe(SENDER, "", "thank you for your cv, letter and form"))
    assert matcher.hits(Probe(SENDER, "", "thank for your " + "long " * 22 + "form"))
    assert not matcher.hits(Probe(SENDER, "", "thank for your " + "long " * 26 + "form"))
    assert not matcher.hits(Probe(SENDER, "", "thank you. your form"))


@pytest.mark.parametrize("mark", ["`", "\u2018", "\u2019", "\u201b", "\u02bc", "\u2032"])
def test_every_apostrophe_is_one(mark: str) -> None:
    assert plain(f"it{mark}s") == "it's"
    assert plain(f"é{mark}s") == "e's"


@pytest.mark.parametrize("dash", ["\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2212"])
def test_every_dash_is_one(dash: str) -> None:
    assert plain(f"a{dash}b") == "a-b"


def test_many_mails_have_what_each_has_alone() -> None:
    matcher = Matcher(
        [Marker("action", "r", "text", "1", "interview"), Marker("pattern", "s", "sentence", "1", SAYINGS[0])]
    )
    probes = [Probe(SENDER, str(n), "an interview" if n % 3 else "thank you for applying", "" if n % 2 else "interview")
              for n in range(1_030)]  # fmt: skip
    assert matcher.hits_of(probes) == tuple(map(matcher.hits, probes))
