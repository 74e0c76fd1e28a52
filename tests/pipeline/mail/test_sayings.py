"""One sentence holds every term, whole and folded; the next sentence does not help, and no word is part of another."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.mail.address import read_sender
from pipeline.mail.matcher import Marker, Matcher, Probe
from pipeline.mail.sayings import Sayings, read_saying
from tests.reference.decide import says
from tests.sweeps import sweep

ANYONE = read_sender(["Someone <x@y.example>"])
WORDS = ("thank", "thanks", "move", "forward", "not", "sorry", "un", "able", "unable")
CHOICES = (*WORDS, "than*", "move forward", "move for*", "not able", "mov* forw*", "Möve", "una*")


def hits(saying: str, subject: str, body: str) -> int:
    """How often the matcher finds one saying as a pattern."""
    return len(Matcher([Marker("pattern", "p", "sentence", "1", saying)]).hits(Probe(ANYONE, subject, body)))


@pytest.mark.parametrize(
    ("saying", "sentence", "holds"),
    [
        ("thank*|grateful & apply*|application", "THANKS for your \u201cApplication\u201d!", True),
        ("thank*|grateful & apply*|application", "Thank you for the supply.", False),
        ("not|unable & moving forward", "We are unable to be moving forward", True),
        ("not|unable & moving forward", "We are unable, moving things forward", False),
        ("not & forward & !do not", "We do not look forward", False),
        ("won't & proceed", "We won\u2019t proceed", True),
        ("l'entretien & reçu", "L\u2019ENTRETIEN recu", True),
    ],
)
def test_terms_stand_in_any_order_and_whole(saying: str, sentence: str, holds: bool) -> None:
    assert bool(Sayings([read_saying(saying)]).said_in(sentence)) is holds


@pytest.mark.parametrize(
    "saying", ["", "thanks", "!not & !thanks", "a & ", "th* & you", "st*r & you", "<thanks> & you"]
)
def test_saying_that_says_nothing_is_refused(saying: str) -> None:
    with pytest.raises(ValueError, match=r"saying|choice|star"):
        read_saying(saying)


@given(
    st.lists(st.lists(st.sampled_from(CHOICES), min_size=1, max_size=3).map("|".join), min_size=2, max_size=3),
    st.lists(st.sampled_from(CHOICES), max_size=1),
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
)
@example(["move forward", "thanks"], [], "thanks move forward")
@settings(max_examples=sweep(3000))
def test_same_sentences_as_by_looking_each_word_up(needs: list[str], lacks: list[str], sentence: str) -> None:
    saying = " & ".join([*needs, *(f"!{one}" for one in lacks)])
    assert bool(Sayings([read_saying(saying)]).said_in(sentence)) is says(sentence, saying)


def test_two_sentences_are_not_one() -> None:
    assert hits("thanks & application", "", "Thanks for that. Your application is here.") == 0
    assert hits("thanks & application", "", "Thanks for that,\nyour application is here.") == 0
    assert hits("thanks & application", "", "Thanks for your application.") == 1
    assert hits("thanks & application", "Thanks for your application", "") == 1


def test_what_would_happen_if_says_nothing() -> None:
    body = "Thank you. If your application is not successful, we will not move forward with it."
    assert hits("not & move forward", "", body) == 0
    assert hits("not & move forward", "", "We will not move forward.") == 1


def test_word_of_a_hundred_thousand_letters_is_looked_up_as_fast_as_a_short_one() -> None:
    """An encoded file in the text of a mail is such a word; looking up all its beginnings took its square in time."""
    found = Sayings([read_saying("thank*|grateful & apply*|application")])
    started = time.process_time()
    assert not found.said_in("a1" * 500_000)
    assert found.said_in("thank" + "x" * 500_000 + " applying") == {0}
    assert time.process_time() - started < 2.0


@given(st.text(max_size=200))
@settings(max_examples=sweep(1000))
def test_any_text_is_read(text: str) -> None:
    found = Sayings([read_saying("move forward|not & thank*")])
    assert found.said_in(text) <= {0}
