"""Raw mail becomes the payload that Gmail would give: nothing crashes, nothing cut off is called whole."""

import base64
import time

import pytest
from hypothesis import given, settings

from pipeline.mail.body import Body, read_body
from pipeline.mail.dates import mail_date_ms, received_ms, separator_ms
from pipeline.mail.mime_values import parameters_of
from pipeline.mail.rawmail import read_eml, read_mbox_message, read_raw_message
from pipeline.mail.reader import Mail, Unreadable, read_message
from pipeline.mail.rfc822 import payload_of
from tests.strategies.raw_mail import SEPARATOR, hostile_mail, mail_bytes, multipart
from tests.sweeps import sweep

HEAD = (("From", "Ann <ann@vendor.example>"), ("Subject", "Hello"), ("Date", "Mon, 23 Nov 2026 10:00:00 +0100"))
TEN = 1795424400000


def body_of(data: bytes) -> Body:
    return read_body(payload_of(data))


def eml(data: bytes) -> Mail:
    found = read_eml(data)
    assert isinstance(found, Mail)
    return found


@pytest.mark.parametrize("line_end", ["\r\n", "\n", "\r"])
def test_any_line_end_separates_header_and_body(line_end: str) -> None:
    mail = eml(mail_bytes(*HEAD, text="First.", line_end=line_end))
    assert (mail.sender.address, mail.subject, mail.internal_date_ms) == ("ann@vendor.example", "Hello", TEN)
    assert mail.body.text.strip() == "First."
    assert mail.body.state == "fetched"
    assert mail.label_ids is None


def test_text_and_html_are_both_read_and_attachments_never_are() -> None:
    mail = multipart(
        "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ncaf=C3=A9",
        "Content-Type: text/html\r\n\r\n<p>Shown</p>",
        'Content-Type: text/plain\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\nSECRET',
        "Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nSECRET",
        "Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR",
    )
    body = body_of(mail)
    assert (body.text, body.visible_html_text.strip()) == ("café", "Shown")
    assert body.state == "fetched"
    assert [a.filename for a in body.attachments] == ["a.txt", "", ""]
    assert body.has_calendar
    assert "SECRET" not in repr(body)


@pytest.mark.contract("EV-7")
@pytest.mark.parametrize(
    "mail",
    [
        multipart("Content-Type: text/plain\r\n\r\nHello", is_closed=False),
        multipart(),
        multipart("Content-Type: text/plain\r\nContent-Transfer-Encoding: x-uuencode\r\n\r\nHello"),
        mail_bytes(("Content-Type", "multipart/mixed")),
        mail_bytes(("Content-Type", "multipart/mixed; boundary=elsewhere"), text="--cut-here\r\n\r\nHello"),
        mail_bytes(("Content-Transfer-Encoding", "base64"), text="A"),
        mail_bytes(text="x" * 300_000),
        b"X: " + b"y" * 600_000 + b"\r\n\r\nHello",
    ],
    ids=["not closed", "no parts", "uuencode", "no boundary", "other boundary", "bad base64", "long", "header only"],
)
def test_what_cannot_be_read_whole_is_lossy(mail: bytes) -> None:
    assert body_of(mail).state == "lossy"


def test_the_neighbours_that_can_be_read_are_not() -> None:
    assert body_of(multipart("Content-Type: text/plain\r\n\r\nHello")).state == "fetched"
    assert body_of(mail_bytes(("Content-Transfer-Encoding", "base64"), text="SGVsbG8=")).text == "Hello"
    assert body_of(mail_bytes(text="x" * 200_000)).state == "fetched"


@pytest.mark.contract("EV-7")
def test_depth_and_number_of_parts_are_capped_and_linear() -> None:
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3_000))
    many = multipart(*["Content-Type: text/plain\r\n\r\nx"] * 5_000)
    fields = b"A: b\n" * 50_000 + b"\nHello"
    began = time.monotonic()
    assert body_of(nested).state == "lossy"
    assert body_of(many).state == "lossy"
    assert "over_cap" in getattr(read_mbox_message(SEPARATOR.encode() + b"\n" + fields)[0], "defects", ())
    assert time.monotonic() - began < 5


@pytest.mark.contract("EV-7")
@settings(max_examples=sweep(2_000), deadline=None)
@given(hostile_mail())
def test_every_reader_of_bytes_is_total_and_gives_ids_that_are_ids(data: bytes) -> None:
    raw = base64.urlsafe_b64encode(data).decode()
    found = (
        read_eml(data),
        read_mbox_message(data)[0],
        read_mbox_message(SEPARATOR.encode() + b"\n" + data)[0],
        read_raw_message({"id": "a1", "threadId": "a1", "internalDate": "1", "raw": raw}),
    )
    for mail in found:
        assert isinstance(mail, (Mail, Unreadable))
        assert mail.id
        repr(mail).encode("utf-8")  # no lone surrogate gets out
    assert read_eml(data) == found[0]


@pytest.mark.contract("EV-7")
def test_format_raw_and_format_full_are_one_mail() -> None:
    data = mail_bytes(*HEAD, ("List-Unsubscribe", "<https://news.example/u>"), text="Hello.\r\nBye.")
    head = [{"name": name, "value": value} for name, value in (*HEAD, ("List-Unsubscribe", "<https://news.example/u>"))]
    common = {"id": "a1", "threadId": "t1", "labelIds": ["INBOX"], "internalDate": "1795428000000", "historyId": "9"}
    text = base64.urlsafe_b64encode(b"Hello.\r\nBye.\r\n").decode()
    payload = {"mimeType": "text/plain", "filename": "", "headers": head, "body": {"size": 14, "data": text}}
    full = read_message({**common, "payload": payload})
    raw = read_raw_message({**common, "raw": base64.urlsafe_b64encode(data).decode()})
    assert isinstance(full, Mail)
    assert raw == full


def test_raw_that_is_no_base64_is_a_row_in_the_refused_table() -> None:
    assert read_raw_message({"id": "a1", "threadId": "a1", "raw": "*"}) == Unreadable("a1", "bad-raw", ("raw",))
    assert read_raw_message({"raw": 7}) == Unreadable("", "bad-raw", ("raw",))
    assert read_raw_message([]) == Unreadable("", "not-a-message", ("id",))


# --- Takeout and files


def test_a_takeout_message_has_the_ids_and_the_time_that_gmail_gives_it() -> None:
    mail = mail_bytes(("X-GM-THRID", "1790000000000000001"), ("X-Gmail-Labels", "Inbox,Job alerts"), *HEAD)
    found, names = read_mbox_message(SEPARATOR.encode() + b"\r\n" + mail)
    assert isinstance(found, Mail)
    assert (found.id, found.thread_id) == (f"{1790000000000000017:016x}", f"{1790000000000000001:016x}")
    assert found.internal_date_ms == TEN
    assert names == ("Inbox", "Job alerts")
    assert found.label_ids is None, "names are no ids yet"


def test_an_mbox_of_another_writer_names_mail_by_its_digest() -> None:
    claimed = (("X-GM-THRID", "1790000000000000001"), ("X-Gmail-Labels", "Inbox"), *HEAD)
    found, names = read_mbox_message(b"From ann@vendor.example Mon Nov 23 09:00:00 2026\n" + mail_bytes(*claimed))
    assert isinstance(found, Mail)
    assert found.id.startswith("mbox-")
    assert found.thread_id == found.id, "ids and labels in the header of any other mail are the sender's word"
    assert names is None


def test_labels_that_came_with_the_mail_are_not_takeouts() -> None:
    both = (("X-Gmail-Labels", "Sent"), *HEAD, ("X-Gmail-Labels", "Inbox,Job alerts"))
    assert read_mbox_message(SEPARATOR.encode() + b"\n" + mail_bytes(*both))[1] == ("Sent",)


@pytest.mark.parametrize(
    ("fields", "when", "defects"),
    [
        ((("Received", "by mx.test; 23 Nov 2026 09:00:00 +0000"), ("Date", "1 Jan 2030 00:00:00 +0000")), TEN, ()),
        ((("Received", "by mx.test; no date"), ("Date", "23 Nov 2026 09:00 GMT")), TEN, ("date_of_sender",)),
        ((("Date", "Mon, 23 Nov 2026 09:00:00 -0000"),), TEN, ("date_of_sender",)),
    ],
)  # fmt: skip
def test_the_senders_date_is_the_last_that_is_believed(
    fields: tuple[tuple[str, str], ...], when: int, defects: tuple[str, ...]
) -> None:
    mail = eml(mail_bytes(("From", "a@b.example"), *fields))
    assert (mail.internal_date_ms, mail.defects) == (when, defects)


@pytest.mark.parametrize("date", ["", "Mon, 23 Nov 2026 10:00:00", "31 Feb 2026 10:00:00 +0000", "3 Nov 2026 10:00 XYZ",
                                  "23 Nov 0000 10:00:00 +0000", "23 Nov 2026 10:00:00 +9999"])  # fmt: skip
def test_case_27_a_date_without_a_zone_is_no_date(date: str) -> None:
    assert mail_date_ms(date) is None
    assert read_eml(mail_bytes(("From", "a@b.example"), ("Date", date))).id.startswith("eml-")
    assert isinstance(read_eml(mail_bytes(("Date", date))), Unreadable)


def test_dates_in_the_forms_of_mail() -> None:
    assert mail_date_ms("Mon,  23 Nov 2026 10:00:00\r\n +0100 (CET)") == TEN
    assert separator_ms("From x@y Mon Nov 23 09:00:00 2026") == TEN
    assert separator_ms("From x@y Mon Nov 23 2026") is None
    assert received_ms([]) is None


@pytest.mark.parametrize(
    ("value", "word", "found"),
    [
        ("TEXT/Plain; Charset=UTF-8", "text/plain", {"charset": "UTF-8"}),
        ('a/b; name="x;y"; name=z', "a/b", {"name": "x;y"}),
        ("a/b; filename*0=long; filename*1=name.pdf", "a/b", {"filename": "longname.pdf"}),
        ("a/b; filename*=utf-8''caf%C3%A9", "a/b", {"filename": "café"}),
        ('a/b; name="open', "a/b", {"name": '"open'}),
        (None, "", {}),
    ],
)
def test_parameters_of_a_header_value(value: str | None, word: str, found: dict[str, str]) -> None:
    assert parameters_of(value) == (word, found)
