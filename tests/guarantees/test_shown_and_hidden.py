"""JU-3 and JU-4 with the shipped rules: what somebody sees keeps the mail, however the page or its parts are built."""

from typing import Any

import pytest

from tests.guarantees.test_disguised_requests import ATS, SHIPPED, WAIVING
from tests.proxies.measuring import hostile
from tests.strategies.judgement import capture_of, judge
from tests.strategies.mail import message, part

ACK = (
    "Thank you for applying for the role of Data Analyst at Northwind. We have received your application. "
    "Our team will review your application and we will contact you if your profile fits."
)
INVITED = "We would like to invite you to an interview on Thursday 3 December at 10:00. Please confirm."
GREETED = f"<p>Dear Mara,</p><p>{ACK}</p>"
MENU = ("Home", "Jobs", "Alerts", "Profile", "Search", "Help", "Terms", "Leeds", "London", "York")
HOSTILE = hostile("Job Alert")


def decided(html: str = "", parts: Any = (), text: str = "", rules: Any = SHIPPED) -> dict[str, Any]:
    """The decision on one message of a machine's sender; without `text` its HTML is all there is."""
    mail = message(ATS, "Your application to Northwind", text, html or None, parts=parts)
    return judge(capture_of([mail]), rules, WAIVING).only


def action(html: str = "", parts: Any = (), text: str = "", rules: Any = SHIPPED) -> str:
    """What happens to it."""
    return str(decided(html, parts, text, rules)["action"])


def test_without_a_request_it_is_filed() -> None:
    assert action(GREETED) == "label+archive"
    assert action(f"{GREETED}<div>Northwind Ltd, Leeds | Privacy</div>") == "label+archive"
    assert action(text=f"Dear Mara,\n\n{ACK}") == "label+archive"


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    "markup",
    [
        "<h2>Interview Thursday 3 December 10:00 with Hannah Weiss</h2><a href=u>Privacy</a> | <a href=v>Imprint</a>",
        "<p>Online test, 90 minutes, until Friday</p><div>Northwind Ltd, Leeds | Privacy</div>",
        "<p>Open items: passport, diploma, two references</p><div>Northwind Ltd, Leeds | Privacy</div>",
        "<table><tr><td>Interview Thursday 3 December 10:00 with Hannah Weiss<tr><td>Privacy</table>",
        "Interview Thursday 3 December 10:00 with Hannah Weiss<br>Privacy",
        "<h2>Interview Thursday 3 December 10:00 with Hannah Weiss</h2>"
        + "".join(f"<td>{word}</td>" for word in MENU)
        + "<p>Privacy</p>",
        "<p>We would like to invite</p><p>you to an</p><p>interview</p>",
        "<p>We would like to invite you <b>to an</b>\n\n inter<i></i><!-- x -->view</p>",
    ],
)
def test_no_footer_covers_what_stands_beside_it(markup: str) -> None:
    assert action(GREETED + markup) == "label"


@pytest.mark.contract("JU-4")
def test_no_greeting_covers_what_follows_it() -> None:
    assert action(f"<p>Dear Mara,</p><p>Bring the originals on the way to Leeds.</p><p>{ACK}</p>") == "label"


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    "markup",
    [
        "<h1>Interview</h1><table><tr><td>Who</td><td>Hannah Weiss</td></tr><tr><td>When</td><td>Thursday"
        ", 10:00</td></tr></table><div>Northwind Ltd, 1 Main Street, Leeds | Privacy</div>",
        "<h1>Invoice 77 of 120 EUR is due on Friday</h1><div>Northwind Ltd, 1 Main Street, Leeds | Privacy</div>",
    ],
)
def test_under_a_rule_that_files_everything_a_footer_covers_nothing(markup: str) -> None:
    assert action(markup, rules=HOSTILE) == "label"


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    "markup",
    [
        "<style>.btn { background: #0a7a4a }</style><a style='color:#fff' class=btn>{}</a>",
        "<style>.a { display: none } .a { display: block }</style><p class=a>{}</p>",
        "<p style='display:block !important;display:none'>{}</p>",
        "<table><tr><td style='width:1%;overflow:hidden'>{}</td></tr></table>",
        "<p style='font-size:1pc'>{}</p>",
        "<p hidden style='display:block'>{}</p>",
        "<p style='display:none'>{}</p>",
        "<select><optgroup label='{}'><option>a</optgroup></select>",
        "<style>.q::before { content: attr(data-x) }</style><p class=q data-x='{}'></p>",
    ],
)
def test_what_may_be_seen_keeps_the_mail_and_so_does_what_cannot(markup: str) -> None:
    assert action(GREETED + markup.replace("{}", INVITED)) == "label"


def test_hidden_text_makes_no_class() -> None:
    found = decided(f"<p>Spring has come to the gardens.</p><p style='display:none'>{ACK}</p>")
    assert found["classification"] != "Application Received"


@pytest.mark.contract("JU-3")
@pytest.mark.parametrize(
    "added",
    [
        part("application/pdf", b"%PDF", "contract.pdf", {"Content-Disposition": "inline; filename=contract.pdf"}),
        part("application/pdf", b"%PDF", "contract.pdf", {"Content-ID": "<f_1>"}),
        part("text/calendar", "BEGIN:VCALENDAR", "invite.ics", {"Content-Disposition": "inline"}),
        part("message/rfc822", "", "", {"Content-Disposition": "inline"}),
        part("text/plain", "Spring.", "note.txt", {"Content-Disposition": "inline; filename=note.txt"}),
    ],
)
def test_an_attachment_protects_wherever_a_client_shows_it(added: dict[str, Any]) -> None:
    found = decided(text=ACK, parts=[added])
    assert found["action"] == "label"
    assert "protected:attachment" in map(str, found["reasons"])


@pytest.mark.parametrize("fields", [{"Content-Disposition": "inline"}, {"Content-ID": "<logo>"}])
def test_a_logo_protects_nothing(fields: dict[str, str]) -> None:
    assert action(text=ACK, parts=[part("image/png", b"\x89PNG", "logo.png", fields)]) == "label+archive"
