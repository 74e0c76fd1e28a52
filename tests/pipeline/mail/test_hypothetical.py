"""Only what would happen if is cut; whatever asks, names a day or depends on the reader stays."""

import pytest
from hypothesis import given, settings

from pipeline.mail.hypothetical import certain, is_hypothetical, lines, sentences
from tests.strategies.mail import texts
from tests.sweeps import sweep


@pytest.mark.parametrize(
    "sentence",
    [
        "If your profile matches our needs, a recruiter will contact you to schedule an interview.",
        "Should you be selected, we will invite you to a video interview.",
        "Only candidates selected for interview will be contacted.",
        "Shortlisted applicants are invited to a phone screen.",
        "If you do not hear from us within four weeks, consider your application unsuccessful.",
        "If you need a reasonable accommodation for the interview, contact the desk.",
        "Acme never asks candidates for money or an interview over a messaging app.",
        "Si votre candidature est retenue, nous vous contacterons pour un entretien.",
        "Sans réponse de notre part sous trois semaines, votre candidature n'aura pas été retenue.",
    ],
)
def test_what_depends_on_the_sender_is_cut(sentence: str) -> None:
    assert is_hypothetical(sentence)
    assert "received" in certain(f"We have received it. {sentence}")
    assert sentence[:30] not in certain(f"We have received it. {sentence}")


@pytest.mark.parametrize(
    "sentence",
    [
        "If Tuesday suits you, let us meet.",
        "If you are free on Monday, we could do the interview then.",
        "If you are still interested, book a slot.",
        "Should you be selected, we will call you for an interview on Monday.",
        "You are one of the shortlisted candidates and we want to meet.",
        "As a next step, we ask all applicants to do an aptitude test.",
        "If we may, could we meet for an interview?",
        "If our team is right, you should confirm your interview.",
        "We have decided to move forward with other candidates.",
        "Si vous êtes disponible mardi, nous aimerions vous rencontrer.",
        "Let us know when we can reach you.",
        "Your privacy form is attached, sign it.",
    ],
)
def test_what_asks_or_depends_on_the_reader_stays(sentence: str) -> None:
    assert not is_hypothetical(sentence)
    assert certain(sentence) == sentence


def test_sentence_that_a_page_broke_is_read_whole_and_the_next_paragraph_is_another() -> None:
    broken = "We have it. If there is a match we will be in touch with\nyou for an interview.\n\nInterview: room 4"
    assert certain(broken).split() == ["We", "have", "it.", "Interview:", "room", "4"]


@given(texts(200))
@settings(max_examples=sweep(1_000), deadline=None)
def test_any_text_only_loses_sentences(text: str) -> None:
    kept = certain(text)
    assert set(kept.split()) <= set(text.split())


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("We spoke to Prof. Sommer. He agrees.", 2),
        ("Your application (ref. 2024-7) is here.", 1),
        ("The answer is no. Please write.", 2),
        ("Dr. No. 7 said so! Really?", 2),
    ],
)
def test_stop_after_a_title_or_before_a_number_ends_no_sentence(line: str, count: int) -> None:
    assert len(sentences(line)) == count


@pytest.mark.contract("JU-4")
def test_a_menu_of_single_words_draws_no_heading_into_its_line() -> None:
    menu = ["Home", "Jobs", "Alerts", "Profile", "Search", "Help", "Contact", "Imprint", "Terms", "Privacy"]
    told = "\n\n".join(["Interview Thursday 3 December 10:00 with Hannah Weiss", *menu])
    assert list(filter(None, lines(told))) == [told.partition("\n")[0], " ".join(menu)]
    assert "Interview Thursday" in certain(told)


def test_a_text_with_a_line_a_word_is_one_line() -> None:
    told = "We would like to invite you to an interview on Friday"
    assert list(filter(None, lines(told.replace(" ", "\n\n")))) == [told]
