"""JU-3 and JU-4 with the shipped rules: an acknowledgement around a request, told as no rule word says it, is kept."""

from typing import Any

import pytest

from pipeline.models.policy import Policy, Protection
from pipeline.models.rules import parse_rules
from tests.strategies.judgement import capture_of, judge
from tests.strategies.mail import message
from tests.strategies.rules import shipped

SHIPPED = parse_rules(shipped())
WAIVING = Policy(
    version=1,
    window_days="all",
    protect=Protection(waive_employment_for=("Application Received", "Application Update", "Rejection")),
)
ATS = "Greenfield Careers <no-reply@greenfield-ats.example>"
ACK = "Thank you for applying to Greenfield. We have received your application and our team will review it. "
REJECTION = "Unfortunately we will not move forward with your application for the position of analyst. "
ALERT = "New jobs this week for data analysts in Leeds. View all jobs. Unsubscribe from this list. "


def action(text: str = "", html: str | None = None, sender: str = ATS, subject: str = "We received your application",
           fields: Any = ()) -> str:  # fmt: skip
    """What happens to one message under the shipped rules."""
    row = judge(capture_of([message(sender, subject, text, html, fields=fields)]), SHIPPED, WAIVING).only
    return str(row["action"])


def test_what_is_put_around_the_requests_is_filed_alone() -> None:
    assert action(ACK) == "label+archive"
    assert action("", f"<p>{ACK}</p><p><a href='https://greenfield.example/privacy'>Privacy</a></p>") == "label+archive"
    assert action(REJECTION, subject="Your application at Greenfield") == "label+archive"
    assert action(ALERT, sender="Jobly <alerts@jobly.example>", subject="5 new jobs for you") == "label+archive"


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    "href",
    [
        "https://calendly.com/greenfield/30min",
        "https://zoom.us/j/123",
        "https://greenfield.hirevue.com/interviews/abc",
        "https://app.codility.com/test/ABC",
        "https://forms.gle/abc",
        "https://docs.google.com/forms/d/1",
        "https://greenfield.typeform.com/to/x",
        "https://x.example/book-interview",
        "https://click.example/t?u=https%3A%2F%2Fcalendly.com%2Fx",
    ],
)
def test_place_to_act_that_only_a_link_names_keeps_the_mail(href: str) -> None:
    assert action("", f"<p>{ACK}</p><p><a href='{href}'>Next</a></p>") == "label"


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    "markup",
    [
        "<input value='Confirm your interview'>",
        "<input placeholder='Your interview time'>",
        "<button>Interview Monday</button>",
        "<iframe srcdoc='Interview Monday'></iframe>",
        "<a title='Interview Monday' href='https://x.example/a'>Details</a>",
        "<a aria-label='Interview Monday' href='https://x.example/a'>Details</a>",
        "<table><tr><td>Inter</td><td>view</td></tr></table>",
        "<style>p::after{content:'Interview Monday'}</style>",
        "<bdo dir=rtl>weivretni</bdo>",
    ],
)
def test_words_outside_the_text_nodes_keep_the_mail(markup: str) -> None:
    assert action("", f"<p>{ACK}</p>{markup}") == "label"


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    "word",
    ["\u03b9nterv\u03b9ew", "int\u0435rview", "inter-\r\nview", "inter\r\nview", "i n t e r v i e w", "1nterview"],
)
def test_word_that_only_the_eye_reads_keeps_the_mail(word: str) -> None:
    assert action(f"{ACK}Your {word} is on the books.") == "label"


@pytest.mark.contract("JU-3")
@pytest.mark.parametrize(
    ("sender", "subject"),
    [
        ("Jonas Weber <careers@greenfield.example>", "We received your application"),
        ("Jonas Weber, Greenfield <talent@greenfield.example>", "We received your application"),
        ("Jonas <hello@greenfield.example>", "We received your application"),
        ("Priya from Greenfield <hello@greenfield.example>", "We received your application"),
        ("Greenfield Careers <careers@greenfield.example>", "Re: We received your application"),
    ],
)
def test_person_at_a_desk_is_kept(sender: str, subject: str) -> None:
    assert action(ACK, sender=sender, subject=subject) == "label"


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    "text",
    [
        f"{REJECTION}For role B, though, the team would be delighted to talk; Ada will phone.",
        "Unfortunately we decided against the other candidates for the position: you are our first choice.",
    ],
)
def test_rejection_that_is_none_is_kept(text: str) -> None:
    assert action(text, subject="Your application at Greenfield") == "label"


@pytest.mark.contract("JU-3")
@pytest.mark.parametrize(
    "text",
    [
        "A sign-in from Minsk changed the address of your profile.",
        "Ditt lösenord ändrades i går.",
        "Your account closes on Friday as your card was declined.",
        "Acme viewed your profile and left you a message: call us Monday.",
    ],
)
def test_account_change_inside_a_job_alert_is_kept(text: str) -> None:
    assert action(f"{ALERT}{text}", sender="Jobly <alerts@jobly.example>", subject="5 new jobs for you") == "label"


PLAIN_MAIL = (
    (ATS, "Thank you for applying", "Thank you for applying to Greenfield. We will review it carefully."),
    (ATS, "Application received", "We have received your application for Data Analyst. Please do not reply."),
    (ATS, "Your application", "Your application was submitted successfully. Our team will look at it soon."),
    (
        ATS,
        "Thanks for your interest",
        "Thanks for applying. If you are selected for an interview, we will be in touch.",
    ),
    (ATS, "Update on your application", "Your application is being reviewed by our team. We will write."),
    (ATS, "Your application to Greenfield", REJECTION + "We wish you every success in your job search."),
    (ATS, "Your application", "We regret to inform you that the position has been filled. Thank you."),
    (ATS, "Data Analyst", "Unfortunately your application was unsuccessful. We went with another candidate."),
    (ATS, "Eingang Ihrer Bewerbung", "Vielen Dank für Ihre Bewerbung. Wir prüfen Ihre Unterlagen sorgfältig."),
    (ATS, "Ihre Bewerbung", "Leider haben wir uns für andere Bewerber entschieden. Wir danken Ihnen."),
    (ATS, "Votre candidature", "Nous avons bien reçu votre candidature et vous remercions de votre intérêt."),
    (ATS, "Tu candidatura", "Hemos recibido tu candidatura y la estamos revisando. Muchas gracias."),
    ("Jobly <alerts@jobly.example>", "12 new jobs for data analyst in Leeds", ALERT),
    ("Jobly <no-reply@jobly.example>", "New jobs for you", "Senior Data Analyst\nNorthwind, Leeds\nView job"),
    ("Jobly <jobs@mail.jobly.example>", "5 new jobs near you", "BI Developer, Contoso, Bath. Manage your job alerts"),
    ("Stellen <alerts@stellen.example>", "8 neue Jobs für dich", "Datenanalyst (m/w/d) bei Nordwind. Alle Jobs"),
    ("Careers Weekly <newsletter@cw.example>", "Interview tips from people who hire", "Ways to grow your career."),
)


def test_plain_job_mail_is_still_filed() -> None:
    kept = [subject for sender, subject, text in PLAIN_MAIL if action(text, None, sender, subject) != "label+archive"]
    assert len(kept) <= len(PLAIN_MAIL) * 0.4, kept


def test_ready_page_with_logo_and_links_is_still_filed() -> None:
    page = (
        "<html><head><style>p{color:#333}</style></head><body><img src='https://g.example/logo.png' alt='Greenfield'>"
        f"<p>Hi Mara,</p><p>{ACK}</p><p>We will be in touch if your profile matches what we are looking for.</p>"
        "<a href='https://greenfield.example/careers/privacy-policy?utm_source=mail'>Privacy policy</a></body></html>"
    )
    assert action("", page) == "label+archive"
