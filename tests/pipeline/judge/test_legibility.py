"""What rule words cannot know of a mail: too short, another language, disguised letters, pictures, drawn words."""

from time import perf_counter
from typing import Any

import pytest

from pipeline.judge.legibility import unread_signs
from pipeline.mail.languages import is_foreign
from pipeline.mail.reader import Mail, read_message
from tests.strategies.mail import message, part

ACK = "Thank you for applying to Greenfield. We have received your application and our team will review it. "


def signs(**changes: Any) -> set[str]:
    """The signs of one message."""
    mail = read_message(message(**{"subject": "We received your application", "text": "", **changes}))
    assert isinstance(mail, Mail)
    return set(unread_signs(mail))


@pytest.mark.parametrize(
    "text",
    [
        ACK,
        f"{ACK}\n\n12 new jobs: Senior Data Analyst, Leeds\nApply now - easy apply - https://jobs.example/a?b=1",
        "Vielen Dank für Ihre Bewerbung. Wir prüfen Ihre Unterlagen sorgfältig und melden uns bei Ihnen.",
        "Nous avons bien reçu votre candidature et vous remercions de votre intérêt pour notre entreprise.",
        "Hemos recibido tu solicitud y la estamos revisando. Muchas gracias por tu interés en nosotros.",
        f"{ACK}Kind regards, Łukasz Żak and Søren Åberg",
    ],
)
def test_plain_mail_in_the_languages_of_the_rules_is_read(text: str) -> None:
    assert signs(text=text) == set()


def test_bare_code_says_too_little_to_be_filed() -> None:
    assert "short" in signs(subject="123456", text="123456")
    assert "short" in signs(subject="Hi", text="https://meet.example/a/very/long/address/that/says/nothing/at/all")


@pytest.mark.contract("JU-2")
@pytest.mark.parametrize(
    "sentence",
    [
        "Vi vill gärna träffa dig på torsdag klockan tio.",
        "Chcielibyśmy porozmawiać w czwartek o 10.",
        "Sizi mülakata davet ediyoruz.",
        "Haluaisimme tavata sinut torstaina kello kymmenen.",
        "Siamo lieti di incontrarti giovedì alle dieci.",
        "Gostaríamos de falar com você na quinta.",
        "Wij willen je graag donderdag spreken.",
        "Vi vil gerne møde dig torsdag.",
        "Szeretnénk találkozni önnel csütörtökön.",
        "木曜日にお会いできますか。",
        "Мы хотим поговорить в четверг.",
        "نود أن نتحدث معك يوم الخميس",
    ],
)
def test_sentence_in_another_language_inside_an_english_mail_is_not_read(sentence: str) -> None:
    assert signs(text=f"{ACK}{sentence}") == {"language"}
    assert signs(html=f"<p>{ACK}</p><p>{sentence}</p>") == {"language"}


@pytest.mark.parametrize(
    "word",
    ["\u03b9nterv\u03b9ew", "int\u0435rvi\u0435w", "i n t e r v i e w", "i.n.t.e.r.v.i.e.w", "ɪɴᴛᴇʀᴠɪᴇᴡ"],
)
def test_disguised_word_is_not_read(word: str) -> None:
    assert signs(text=f"{ACK}Your {word} is on the books.") & {"disguised", "language"}


def test_picture_beside_little_text_is_not_read() -> None:
    little = "<p>Thank you for applying to us here.</p>"
    cid = part("image/png", "x", "", {"Content-ID": "<a>", "Content-Disposition": "inline"})
    assert signs(html=f"{little}<img src='https://x.example/a.png'>") == {"pictures"}
    assert signs(html=f"{little}<table background='https://x.example/a.png'><tr><td></td></tr></table>") == {"pictures"}
    assert "pictures" in signs(html=little, parts=[cid])
    assert signs(html=f"{little}<img src='https://x.example/a.png' width='1' height='1'>") == set()
    assert signs(html=f"<p>{ACK}{ACK}</p><img src='https://x.example/logo.png'>") == set()


@pytest.mark.parametrize(
    "markup",
    [
        "<style>p::after{content:'Interview Monday'}</style>",
        "<bdo dir=rtl>weivretni</bdo>",
        "<span style='direction: rtl; unicode-bidi: bidi-override'>weivretni</span>",
    ],
)
def test_words_that_only_drawing_shows_are_not_read(markup: str) -> None:
    assert "drawn" in signs(html=f"<p>{ACK}</p>{markup}")


def test_body_that_nobody_has_is_somebody_elses_sign() -> None:
    mail = read_message({**message(), "payload": {"headers": []}})
    assert isinstance(mail, Mail)
    assert list(unread_signs(mail)) == []


@pytest.mark.parametrize("text", ["a" * 200_000, "a." * 100_000, "a-a1" * 50_000, "x y " * 50_000, "\u0456" * 200_000])
def test_long_hostile_text_costs_no_more_than_its_length(text: str) -> None:
    began = perf_counter()
    signs(text=text)
    assert perf_counter() - began < 3


def test_a_row_of_a_list_is_no_sentence_but_a_sentence_in_one_still_is() -> None:
    greeting = "We found new positions for you this week and will write again soon.\n"
    assert not is_foreign(greeting + "* Développeur logiciel embarqué - Quantory - télétravail partiel")
    assert is_foreign(greeting + "* Vi vill gärna träffa dig - Quantory - på torsdag")
