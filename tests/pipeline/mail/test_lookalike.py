"""Look-alikes are found; a name never resembles itself."""

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipeline.mail import domains, lookalike
from pipeline.mail.lookalike import index, is_lookalike, skeleton
from tests.strategies.mail import domain_names, texts
from tests.sweeps import sweep

KNOWN = ("chase.example", "paypal.example", "mybank.example", "northpine.example", "google.example", "modern.example")


@pytest.mark.parametrize(
    ("domain", "imitated"),
    [
        ("paypaI.example", "paypal.example"),
        ("paypa1.example", "paypal.example"),
        ("раураl.example", "paypal.example"),
        ("pаypal.example", "paypal.example"),
        ("xn--pypal-4ve.example", "paypal.example"),
        ("paypall.example", "paypal.example"),
        ("papyal.example", "paypal.example"),
        ("paypl.example", "paypal.example"),
        ("paypel.example", "paypal.example"),
        ("g00gle.example", "google.example"),
        ("rnybank.example", "mybank.example"),
        ("rnodern.example", "modern.example"),
        ("moclern.example", "modern.example"),
        ("login.rnybank.example", "mybank.example"),
        ("paypal.example.drop.test", "paypal.example"),
        ("www.paypal.example.drop.test", "paypal.example"),
    ],
)
def test_an_imitated_domain_is_named(domain: str, imitated: str) -> None:
    assert is_lookalike(domain, KNOWN) == imitated


@pytest.mark.parametrize(
    "domain",
    [
        "paypal.example",
        "PAYPAL.EXAMPLE.",
        "mail.paypal.example",
        "vendor.example",
        "drop.test",
        "paypal.test",
        "pal.example",
        "chose.example",
        "",
        "x" * 400,
    ],
)
def test_an_honest_domain_is_not(domain: str) -> None:
    assert is_lookalike(domain, KNOWN) is None


@pytest.mark.parametrize(
    ("name", "imitated"),
    [
        ("First Bank", None),
        ("FIRST  BANK", None),
        ("Fírst Bank", None),
        ("F1rst Bank", "First Bank"),
        ("Fіrst Bаnk", "First Bank"),
        ("Second Bank", None),
    ],
)
def test_an_imitated_display_name_is_named(name: str, imitated: str | None) -> None:
    assert is_lookalike(name, ["First Bank"]) == imitated


@pytest.mark.parametrize(
    ("text", "is_mixed"),
    [
        ("pаypal", True),
        ("paypal", False),
        ("привет мир", False),
        ("hello привет", False),
        ("xn--pypal-4ve.example", True),
        ("αlpha", True),
        ("日本go", False),
    ],
)
def test_one_word_of_two_alphabets_is_seen(text: str, is_mixed: bool) -> None:
    assert lookalike.has_mixed_scripts(domains.to_unicode(text)) is is_mixed


@given(domain_names(), st.sampled_from(["", "www.", "a.b."]))
@settings(max_examples=sweep(1_000), deadline=None)
def test_nothing_resembles_itself(domain: str, prefix: str) -> None:
    assert is_lookalike(prefix + domain, [domain]) is None
    assert is_lookalike(domain.upper(), [domain]) is None


@given(
    st.from_regex(r"[a-z]{6,12}", fullmatch=True),
    st.integers(0, 11),
    st.sampled_from("abcxyz"),
    st.sampled_from(["drop", "add", "change"]),
)
@settings(max_examples=sweep(1_000), deadline=None)
def test_one_slip_in_the_name_is_found(label: str, at: int, letter: str, how: str) -> None:
    at %= len(label)
    tail = label[at:] if how == "add" else label[at + 1 :]
    slipped = label[:at] + ("" if how == "drop" else letter) + tail
    assume(slipped != label)
    assert is_lookalike(f"{slipped}.example", [f"{label}.example"]) == f"{label}.example"


@given(texts(30), st.lists(texts(10), max_size=4))
@settings(max_examples=sweep(1_000), deadline=None)
def test_any_texts_are_compared(text: str, known: list[str]) -> None:
    assert index(known).find(text) == is_lookalike(text, known)
    assert skeleton(skeleton(text)) == skeleton(skeleton(skeleton(text)))


def test_the_index_answers_at_once_for_many_known_names() -> None:
    known = index(f"company{n}.example" for n in range(5_000))
    started = time.process_time()
    for n in range(1_000):
        known.find(f"unrelated{n}.test")
    assert time.process_time() - started < 3.0
    assert known.find("c0mpany7.example") == "company7.example"
