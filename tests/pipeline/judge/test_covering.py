"""covering: a rule that is said to win everywhere wins everywhere, on generated rules and the mail that meets them."""

from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.judge.covering import (
    ASKED,
    EVERYTHING,
    MEANT,
    always_beats,
    atom_of,
    covers,
    groups_of,
    implies,
    one_by_one,
)
from pipeline.mail.address import read_sender
from pipeline.mail.matcher import Marker, Matcher, Probe
from pipeline.models.rules import Rule
from tests.sweeps import sweep

WIDER = (
    (("sender", "jobs@mail.jobly.example"), ("sender", ".jobly.example")),
    (("sender", "jobs@mail.jobly.example"), ("sender", "mail.jobly.example")),
    (("sender", "jobs@mail.jobly.example"), ("sender", "Jobs")),
    (("sender", "jobs@mail.jobly.example"), ("domain_under", "JOBLY.example")),
    (("sender", "mail.jobly.example"), ("domain_equals", "mail.jobly.example")),
    (("domain_equals", "mail.jobly.example"), ("sender", ".jobly.example")),
    (("domain_under", "mail.jobly.example"), ("domain_under", "jobly.example")),
    (("sender", "jobly job alerts"), ("sender", "Job-Alerts")),
    (("subject", "your job alert"), ("text", "JOB alert")),
    (("body", "your job alert"), ("body", "alert")),
    (("text", "your job alert"), ("text", "job")),
)
NOT_WIDER = (
    (("sender", "job alert"), ("sender", "jobalert")),
    (("sender", "notjobly.example"), ("sender", ".jobly.example")),
    (("domain_under", "jobly.example"), ("domain_equals", "jobly.example")),
    (("text", "job alert"), ("subject", "job")),
    (("subject", "job alert"), ("body", "job")),
    (("sender", "jobly"), ("subject", "jobly")),
    (("sender", "a@jobly.example"), ("sender", "b@jobly.example")),
    (("sender", "alerts"), ("sender", "jobly alerts")),
)


@pytest.mark.parametrize(("narrow", "wide"), WIDER)
def test_a_wider_marker_is_known_and_the_other_way_round_it_is_not(narrow: Any, wide: Any) -> None:
    assert implies(atom_of(*narrow), atom_of(*wide))
    is_same = narrow[1] == wide[1]
    assert implies(atom_of(*wide), atom_of(*narrow)) is is_same


@pytest.mark.parametrize(("narrow", "wide"), NOT_WIDER)
def test_what_only_looks_wider_is_not(narrow: Any, wide: Any) -> None:
    assert not implies(atom_of(*narrow), atom_of(*wide))


@pytest.mark.parametrize(
    ("narrow", "seen_by_narrow", "wide", "seen_by_wide", "is_implied"),
    [
        ("your job alert", MEANT, "job alert", MEANT, True),
        ("your job alert", EVERYTHING, "job alert", MEANT, False),  # an "if" holds it
        ("your job alert", MEANT, "job alert", EVERYTHING, False),  # an "if" stood between the words
        ("your job alert", MEANT, "alert", EVERYTHING, True),
        ("your job alert", ASKED, "job", MEANT, False),  # it stands in a link
        ("your job alert", MEANT, "job", ASKED, False),  # it stands in a harmless phrase
        ("interview", ASKED, "view", ASKED, False),  # a line end cuts it: inter, view is seen; intervi, ew is not
        ("interview", ASKED, "Interview", ASKED, True),
        ("your job ... alert", MEANT, "job ... alert", MEANT, True),
        ("hi ... your job ... alert", MEANT, "job ... alert", MEANT, False),  # a later gap is longer than a first
        ("job ... alert", MEANT, "alert", MEANT, True),
        ("job ... alert", MEANT, "... alert", MEANT, False),
        ("your job alert", MEANT, "job", MEANT, True),
        ("your jobs alert", MEANT, "job", MEANT, False),  # a word of few letters is a whole one
        ("job alert", MEANT, "job", MEANT, False),  # as it is not in "myjob alert"
    ],
)
def test_a_marker_implies_another_only_in_the_text_that_both_see(
    narrow: str, seen_by_narrow: int, wide: str, seen_by_wide: int, is_implied: bool
) -> None:
    atoms = (atom_of("body", narrow, sees=seen_by_narrow), atom_of("body", wide, sees=seen_by_wide))
    assert implies(*atoms) is is_implied


def test_what_can_never_be_hit_covers_nothing() -> None:
    empty, some = groups_of((("text", ()),)), groups_of((("text", ("digest",)),))
    assert not covers(empty, some)
    assert not covers((), some)
    assert not covers(some, empty)


def test_the_two_kinds_of_domain_are_one_group() -> None:
    either = groups_of((("domain_equals", ("a.example",)), ("domain_under", ("b.example",))))
    assert len(either) == 1
    assert covers(either, groups_of((("sender", ("b.example",)),)))
    assert not covers(groups_of((("sender", ("b.example",)),)), either)


def test_one_by_one_leaves_one_marker_of_one_group() -> None:
    groups = groups_of((("subject", ("a b", "c d")), ("body", ("e f",))))
    assert [(atom.text, [len(group) for group in left]) for atom, left in one_by_one(groups)] == [
        ("a b", [1, 1]),
        ("c d", [1, 1]),
        ("e f", [2, 1]),
    ]


WORDS = (
    "job",
    "job alert",
    "your job alert",
    "alert",
    "C++",
    "interview",
    "view",
    "job ... alert",
    "your job ... alert",
)
SENDERS = ("jobly", "jobly jobs", "jobs@mail.jobly.example", "mail.jobly.example", ".jobly.example", ".example")
DOMAINS = ("jobly.example", "mail.jobly.example", "a.example")
FROM = (
    "Jobly Jobs <jobs@mail.jobly.example>",
    "Jobly <a@jobly.example>",
    "Ann <jobly-jobs@corp.example>",
    "A <x@y.test>",
)
MAIL = [
    Probe(read_sender([sender]), subject, body)
    for sender, subject, body in product(FROM, ("Your job alert", "A job", "C++", "hi"), ("your job alert", "job", ""))
]
TOLD = (
    "If there is a match, we send your job alert.",
    "Your job.\nIf there is a match, we send it again.\nAlert here.",
    "The inter view of the job is now.",
    "Interview tips, and a job.",
    "Your first, a job with an alert",
)
MAIL += [Probe(read_sender([FROM[0]]), "hi", body, also) for body in (*TOLD, "") for also in ("", "your job alert")]
POOLS = {
    "sender": SENDERS,
    "domain_equals": DOMAINS,
    "domain_under": DOMAINS,
    "subject": WORDS,
    "body": WORDS,
    "text": WORDS,
}


@st.composite
def conditions(draw: st.DrawFn) -> tuple[tuple[Any, tuple[str, ...]], ...]:
    fields = draw(st.lists(st.sampled_from(sorted(POOLS)), min_size=1, max_size=2, unique=True))
    return tuple(
        (field, tuple(draw(st.lists(st.sampled_from(POOLS[field]), min_size=1, max_size=2, unique=True))))
        for field in fields
    )


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """A rule of any tier, one that asks among them: what it sees of a text differs."""
    tier, asks = draw(st.sampled_from((("template", False), ("tier1", False), ("tier1", True))))
    return Rule("r", tier, "Job Alert", 0.9, True, draw(conditions()), asks=asks)


BESIDE = (
    Marker("harmless", "harmless", "text", "1", "interview tips"),
    Marker("action", "a", "text", "1", "interview"),
)


def met(rule: Rule) -> set[int]:
    """Numbers of the mail that the rule holds for."""
    markers = [
        Marker(rule.role, "r", field, str(number), text, asks=rule.asks)
        for field, texts in rule.conditions
        for number, text in enumerate(texts, 1)
    ]
    return {number for number, hits in enumerate(Matcher([*markers, *BESIDE]).hits_of(MAIL)) if rule.holds(hits)}


SEEN: Counter[str] = Counter()


def check_that_covering_is_true(wide: Rule, narrow: Rule) -> None:
    is_covered = always_beats(wide, narrow)
    few, many = met(narrow), met(wide)
    SEEN["covered" if is_covered else "seems covered" if few and few <= many else "open"] += 1
    SEEN["covered and met"] += is_covered and bool(few)
    if is_covered:
        assert few <= many


def test_a_covered_rule_is_never_met_alone() -> None:
    SEEN.clear()
    sweeping = settings(max_examples=sweep(8000), deadline=None, database=None, derandomize=True)
    sweeping(given(rules(), rules())(check_that_covering_is_true))()
    print(dict(SEEN))
    assert min(SEEN["covered and met"], SEEN["open"]) >= 20
