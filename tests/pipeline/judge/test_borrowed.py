"""Senders that borrow the place of a correspondent, of the owner or of a brand; what honest senders do stays quiet."""

import pytest

from pipeline.judge.brands import brand_alike, brand_in, brand_worn
from pipeline.judge.levels import Level, level_of
from pipeline.mail.circle import circle_of
from pipeline.mail.fold import fold
from pipeline.mail.reader import read_message
from stages.screen import judge_one
from tests.strategies.mail import message

OWNER = "mara.quill@example.com"
WRITTEN_TO = "Hannah Weiss <hannah@northwind.com>, Tom Berg <tom.berg@gmail.com>, Lena <lena@harbour-bank.co.uk>"
KNOWN = circle_of([read_message(message(f"Mara <{OWNER}>", fields=[("To", WRITTEN_TO)], labels=["SENT"]))])


def level(sender: str) -> Level:
    """How far a plain mail of this sender is mistrusted."""
    return level_of(judge_one(read_message(message(sender)), OWNER, KNOWN)[1])


@pytest.mark.contract("JU-8")
@pytest.mark.parametrize(
    "sender",
    [
        "N <h@northwind.com.evil.test>",
        "N <h@mail.northwind.com.evil.test>",
        "Hannah Weiss <hannah@northwind.co>",
        "Hannah Weiss <hannah@northwind-hr.com>",
        "Hannah Weiss <hannah@northwindcareers.com>",
        "Weiss, Hannah <hannah@northwind.net>",
        "Hannah Wei55 <hannah@northwind.net>",
        "Tom Berg <tom.bergg@gmail.com>",
        "Tom Berg (mobile) <tom-berg@gmail.com>",
        "Mara Quill <mara.qui11@example.com>",
        "Mara Quill <rnara.quill@gmail.com>",
        '"mara.quill at example.com" <x@evil.test>',
        '"mara.quill (at) example.com" <x@evil.test>',
        "PayPal <service@paypal.tk>",
        "News <x@am4z0n.com>",
        "News <x@micros0ftt.com>",
        "News <x@g00gle.co>",
        "News <x@\u0111ropb\u00f8x.com>",
        "News <x@linkedin.co>",
        "P4yPal <x@evil.example>",
        "Desk <x@paypa1-desk.example>",
        "Desk <x@royalmai1-parcel.example>",
        "Desk <x@hmrc-refund.example>",
        "Desk <x@royal-mail-parcel.example>",
    ],
)
def test_imitations_are_held(sender: str) -> None:
    assert level(sender) >= Level.HOLD


@pytest.mark.parametrize(
    "sender",
    [
        "Hannah <hannah@northwind.co>",
        "N <h@northwind-hr.com>",
        "Lena <lena@harbour-bank.com>",
        "T. Berg <tom.berg@gmail.co>",
        "Tom <tom.bergg@gmail.com>",
        "Berg, Tom <x@evil.test>",
        "Desk <x@example.co>",
        "Desk <x@example-hr.com>",
        "PayPalService <x@evil.example>",
        "Pay-Pal <x@evil.example>",
        "Pay Pal <x@evil.example>",
        "Zoom <x@zoom-meet.test>",
    ],
)
def test_what_neighbours_might_do_honestly_is_never_unsubscribed_from(sender: str) -> None:
    assert level(sender) == Level.WARY


@pytest.mark.parametrize(
    "sender",
    [
        "Hannah Weiss <hannah@northwind.com>",
        "Hannah Weiss <hannah.weiss@mail.northwind.com>",
        "Tom Berg <tomberg@gmail.com>",
        "Lena <desk@harbour-bank.co.uk>",
        "Tom Bergmann <tom.bergmann@gmail.com>",
        "Ann <ann@example.org>",
        "Wind <a@windfarm.example>",
        "Mara Quill <mara.quill@gmail.com>",
        "Adam Azonto <adam@adam-azonto.example>",
        "Apple ideas <a@apple-ideas.example>",
        "Nor Thwind <a@thwind.example>",
        "PayPal <service@paypal.de>",
        "Zoom <no-reply@zoom.us>",
    ],
)
def test_neighbours_without_likeness_are_left_alone(sender: str) -> None:
    assert level(sender) < Level.HOLD


def test_a_stranger_is_like_nobody() -> None:
    assert level("Ann <ann@vendor.example>") is Level.NONE


@pytest.mark.parametrize(
    ("site", "brand"),
    [
        ("paypal.com", None),
        ("paypa1.example", "paypal"),
        ("desk-arnazon.test", "amazon"),
        ("spotlfy-pay.test", "spotify"),
        ("amazing.example", None),
        ("xn--drpbx-vua4z.com", None),
        ("trezor.io", None),
    ],
)
def test_a_brand_in_other_letters_is_seen_in_a_label(site: str, brand: str | None) -> None:
    assert brand_alike(site) == brand


def test_a_brand_under_an_ending_that_anyone_gets_is_not_its_own() -> None:
    assert brand_worn("linkedin.de") is None
    assert brand_worn("linkedin.tk") == "linkedin"
    assert brand_in(fold("Pay Pal desk"), "vendor.example") == "paypal"
    assert brand_in(fold("Repay Pallas"), "vendor.example") is None
