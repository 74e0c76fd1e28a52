"""What is no formula may ask; the formulas of answers in three languages are known."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.judge.formulas import is_formula
from pipeline.judge.plain_answers import pressing, unexplained
from tests.sweeps import sweep


@pytest.mark.parametrize(
    "said",
    [
        "thank you for applying to northwind",
        "we have received your application for data analyst",
        "our team will review your profile carefully",
        "we will be in touch with you within two weeks",
        "you can follow the status of your application in our portal",
        "we wish you every success in your search",
        "you are receiving this email because you applied to northwind",
        "nous avons bien recu votre candidature",
        "nous reviendrons vers vous dans les plus brefs delais",
        "wir haben ihre unterlagen erhalten",
        "dear alex",
    ],
)
def test_formula_of_an_answer_is_known(said: str) -> None:
    assert is_formula(said)


@pytest.mark.parametrize(
    "text",
    [
        "Any half hour in Hannah's diary is yours.",
        "It would be good to hear your side of how the project ended.",
        "We weren't quite sure whether you'd be happy to work Saturdays.",
        "Our insurers like to see both sides of your driving licence.",
        "Votre dossier reste en suspens tant que la déclaration n'est pas signée.",
        "Le salaire indiqué vous paraît-il juste ?",
        "Two names of former managers are all that stands between this file and the board.",
        "The team voted last night, and the ball is in the other court.",
    ],
)
def test_what_is_no_formula_is_unexplained(text: str) -> None:
    answer = "Thank you for applying. We have received your application."
    assert not unexplained(answer)
    assert unexplained(f"{answer} {text}")


@pytest.mark.parametrize(
    ("text", "presses"),
    [
        ("Read on, and look at our new shoes.", False),
        ("Please upload your passport.", True),
        ("Your interview is on Monday.", True),
        ("The weather was fine.", False),
    ],
)
def test_letter_that_only_tells_its_reader_to_look_does_not_press(text: str, presses: bool) -> None:
    assert pressing(text) is presses


@given(st.text(max_size=300))
@settings(max_examples=sweep(1000))
def test_any_sentence_is_judged(said: str) -> None:
    assert is_formula(said) in (True, False)
