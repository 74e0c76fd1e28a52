"""What a mail is by its build: a broadcast only when it evidently is one, an answer also under a new subject."""

from typing import Any

import pytest

from pipeline.judge.shapes import shapes_of
from pipeline.mail.message import Mail
from pipeline.mail.reader import read_message
from tests.strategies.mail import message

LIST = (("List-Unsubscribe", "<https://jobly.example/u>"),)
CLICK = (*LIST, ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
LONG = "Ferns want moisture, and so do the slugs that live beneath them in the dark. " * 6
WAY_OUT = "\nUnsubscribe here."
PAGE = "".join(f"<p><a href='https://garden.example/{n}'>Fern {n}</a></p>" for n in range(5))
FAILED = (("Authentication-Results", "mx.google.com; dmarc=fail header.from=vendor.example"),)


def shapes(text: str = "Hello.", html: str | None = None, fields: Any = (), **more: Any) -> set[str]:
    """The shapes of one message, without those of its sentences."""
    mail = read_message(message("Garden <letter@garden.example>", more.pop("subject", "Ferns"), text, html,
                                fields=fields, **more))  # fmt: skip
    assert isinstance(mail, Mail)
    return set(shapes_of(mail)) - {"greeted", "pressing", "asking", "unexplained"}


def is_greeted(text: str) -> bool:
    mail = read_message(message("Garden <letter@garden.example>", "Ferns", text))
    assert isinstance(mail, Mail)
    return "greeted" in shapes_of(mail)


@pytest.mark.parametrize(
    ("fields", "shape"),
    [
        ((), set()),
        (LIST, {"list"}),
        ((("Precedence", "bulk"),), {"list"}),
        ((("Auto-Submitted", "auto-generated"),), {"list"}),
        ((("Auto-Submitted", "no"),), set()),
        ((("Feedback-ID", "1:2:3"),), {"list"}),
        ((("In-Reply-To", "<a@b.example>"),), {"reply"}),
        ((("References", "<a@b.example>"),), {"reply"}),
        ((("References", " "),), set()),
        ((("List-Id", "<dev.lists.example>"), ("List-Post", "<mailto:dev@lists.example>")), {"list", "discussion"}),
        ((("List-Id", "<news.lists.example>"), ("List-Post", "NO")), {"list"}),
    ],
)
def test_headers_tell(fields: Any, shape: set[str]) -> None:
    assert shapes(fields=fields) == shape


@pytest.mark.parametrize(
    ("text", "html", "fields", "is_broadcast"),
    [
        (LONG + WAY_OUT, None, LIST, True),
        ("Ferns." + WAY_OUT, PAGE, LIST, True),
        ("Ferns.", PAGE, CLICK, True),
        ("Ferns.", PAGE, LIST, False),
        (LONG, None, CLICK, False),
        ("Ferns." + WAY_OUT, None, LIST, False),
        (LONG + WAY_OUT, None, (), False),
        (LONG + WAY_OUT, None, (*LIST, ("In-Reply-To", "<a@b.example>")), False),
        (LONG + WAY_OUT, None, (*LIST, ("List-Post", "<mailto:dev@lists.example>")), False),
        (LONG + WAY_OUT, None, (*LIST, *FAILED), False),
    ],
)
def test_broadcast_is_list_mail_of_some_length_with_a_way_out_that_nobody_forged(
    text: str, html: str | None, fields: Any, is_broadcast: bool
) -> None:
    assert ("broadcast" in shapes(text, html, fields)) is is_broadcast


def test_tab_of_gmail_is_a_shape_and_answers_under_their_mark_are_replies() -> None:
    assert shapes(labels=("INBOX", "CATEGORY_PROMOTIONS")) == {"promotions"}
    assert shapes(subject="AW: Ferns") == {"reply"}


@pytest.mark.parametrize(
    ("text", "html", "is_page"),
    [(LONG + WAY_OUT, None, False), (LONG * 2 + WAY_OUT, None, True), ("Ferns." + WAY_OUT, PAGE, True)],
)
def test_page_is_a_broadcast_of_some_length_or_many_links(text: str, html: str | None, is_page: bool) -> None:
    assert ("page" in shapes(text, html, LIST)) is is_page
    assert "page" not in shapes(text, html)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Hi Mara,\n\nwe have a place.", True),
        ("View in browser\n\nDear Ms Quill", True),
        ("Bonjour Mara,", True),
        ("Sehr geehrte Frau Quill", True),
        ("Hello everyone!", False),
        ("Dear readers,", False),
        ("Highlights of the week", False),
        ("The dear old ferns", False),
    ],
)
def test_greeting_of_one_reader_is_a_shape(text: str, is_one: bool) -> None:
    assert is_greeted(text) is is_one
