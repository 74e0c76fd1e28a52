"""A plain answer is told by what it leaves out; one sentence of another kind and it is unexplained."""

import pytest
from hypothesis import given, settings

from pipeline.judge.plain_answers import MAX_CHARACTERS, asked_by, asking, unexplained
from tests.strategies.mail import texts
from tests.sweeps import sweep

PLAIN = (
    "Thank you for applying to Northwind. We have received your application and will review it carefully.",
    "If there is a match, we will invite you to an interview. Please do not reply to this email.",
    "Unfortunately, we will not be inviting you to an interview. We wish you every success.",
    "Thank you for taking the time to interview with us. We have chosen another candidate.",
    "You can view your status at https://northwind.example/calls/interview?x=1.",
    "The closing date is 14 March. What happens next?",
    "Merci de votre candidature. Veuillez agréer nos salutations distinguées.",
    "Nous ne donnerons pas suite à votre candidature après cet entretien.",
)
ASKS = (
    "Prepare a ten-minute presentation for the panel.",
    "Your interview is booked.",
    "Does eleven work for a talk with Ada?",
    "You will earn 40,000 plus bonus.",
    "Please sign and return it.",
    "We still need your tax number.",
    "Bring an ID to reception.",
    "Merci de nous envoyer une copie de votre diplôme.",
    "Bitte reichen Sie Ihre Zeugnisse nach.",
    "Una entrevista con el equipo.",
)


@pytest.mark.parametrize("text", PLAIN)
def test_plain_answer_is_explained(text: str) -> None:
    assert not unexplained(text)
    assert not asking(text)


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize("text", ASKS)
@pytest.mark.parametrize("around", PLAIN)
def test_one_sentence_that_asks_makes_any_plain_answer_unexplained(text: str, around: str) -> None:
    assert unexplained(f"{around}\n\n{text}\n\nThe team")
    assert asking(f"{around} {text}")


def test_day_is_unexplained_and_asks_nothing_of_the_readers_of_news() -> None:
    assert unexplained("We read applications; Ada is in on Monday.")
    assert not asking("We read applications; Ada is in on Monday.")


def test_subject_asks_and_a_text_too_long_to_be_a_formula_is_unexplained() -> None:
    assert asked_by("Your interview on Monday")
    assert not asked_by("Your application to Northwind")
    assert unexplained("We read it. " * (MAX_CHARACTERS // 10))
    assert not asking("We read it. " * (MAX_CHARACTERS // 10))


@given(texts(200))
@settings(max_examples=sweep(500), deadline=None)
def test_any_text_is_read_and_what_asks_is_unexplained(text: str) -> None:
    assert unexplained(text) or not asking(text)
