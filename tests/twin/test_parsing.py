"""The twin's own mail parser on mail that was made to hurt: it answers, and soon."""

import time

import pytest

from tests.twin.client import Client, new_twin
from twin.decode import base64_bytes, body_text, transfer, uu_bytes, words
from twin.rawmail import MAX_DEPTH, parameters, parse, split

LEVEL = b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n'
HEAVY = {
    "one header of 200,000 folds": b"From: a" + b"\r\n x" * 200_000 + b"\r\n\r\n",
    "100,000 headers": b"X: y\r\n" * 100_000 + b"\r\n",
    "a long line without end": b"Subject: " + b"=?utf-8?q?" * 60_000,
    "encoded words by the thousand": b"Subject: " + b"=?utf-8?q?a?= " * 40_000 + b"\r\n\r\n",
    "quotes and semicolons": b"Content-Type: text/plain; " + b'a="\\' * 60_000 + b"\r\n\r\n",
    "1,000 levels of parts": b"".join(LEVEL % (number, number) for number in range(1000)),
    "60,000 parts": b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 60_000,
    "mail in mail in mail": b"Content-Type: message/rfc822\r\n\r\n" * 2000,
    "angle brackets": b"Content-Type: text/html\r\n\r\n" + b"<" * 300_000,
    "open comments": b"Content-Type: text/html\r\n\r\n" + b"<!--" * 60_000,
    "open scripts": b"Content-Type: text/html\r\n\r\n" + b"<script>" * 30_000,
    "an unclosed tag": b"Content-Type: text/html\r\n\r\n<a " + b"x" * 400_000,
}


@pytest.mark.parametrize("name", HEAVY)
def test_heavy_mail_is_served_in_seconds(name: str) -> None:
    client = Client(new_twin())
    start = time.monotonic()
    made = client.insert(HEAVY[name])
    client.get(f"messages/{made['id']}")
    client.listed("word")
    assert time.monotonic() - start < 4


def test_depth_is_capped_not_the_mail() -> None:
    tree = parse(HEAVY["1,000 levels of parts"])
    depth = 0
    while tree.parts:
        tree, depth = tree.parts[0], depth + 1
    assert depth == MAX_DEPTH


def test_a_line_that_is_no_header_begins_the_body() -> None:
    assert split(b"Subject: x\r\nno header here\r\n\r\ntext") == ((("Subject", "x"),), b"no header here\r\n\r\ntext")
    assert split(b"From a@b.example Mon\nSubject: x\n\nbody") == ((("Subject", "x"),), b"body")
    assert split(b"\r\nSubject: late") == ((), b"Subject: late")
    assert split(b"Subject: x") == ((("Subject", "x"),), b"")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ('attachment; filename="a;b.txt"', {"filename": "a;b.txt"}),
        ('text/plain; name*0="one "; name*1=two', {"name": "one two"}),
        ("x; filename*=utf-8'en'%e2%82%ac.txt", {"filename": "€.txt"}),
        ("x; filename*0*=iso-8859-1''%e4; filename*1*=%f6; filename*2=z", {"filename": "äöz"}),
        ("x; filename*=no-such-charset''%e4", {"filename": "�"}),
        ('x; name="never closed', {"name": "never closed"}),
        ('x; name="quoted \\" mark"', {"name": 'quoted " mark'}),
        ("x; ; =; a=; b", {"a": ""}),
    ],
)
def test_parameters_of_a_header(value: str, wanted: dict[str, str]) -> None:
    assert parameters(value) == wanted


def test_an_empty_part_and_a_missing_end() -> None:
    tree = parse(b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n--b\r\n\r\nlast")
    assert [part.data for part in tree.parts] == [b"", b"last"]
    lone = parse(b"Content-Type: multipart/mixed\r\n\r\ntext")
    assert (lone.mime_type, lone.data, lone.parts) == ("text/plain", b"text", ())


def test_a_digest_holds_mails() -> None:
    raw = b"Content-Type: multipart/digest; boundary=b\r\n\r\n--b\r\n\r\nSubject: in\r\n\r\nx\r\n--b--"
    (part,) = parse(raw).parts
    assert part.mime_type == "message/rfc822" and part.parts[0].header("subject") == "in"


def test_transfer_encodings() -> None:
    assert base64_bytes(b"SGVs bG8=\r\n!") == b"Hello" and base64_bytes(b"A") == b"" and base64_bytes(b"QQ") == b"A"
    assert transfer(b"a=3D=\r\nb", "Quoted-Printable") == b"a=b"
    assert uu_bytes(b"begin 644 f\n#0V%T\n`\nend\n") == b"Cat" and uu_bytes(b"no begin") == b"no begin"
    assert transfer(b"as it is", "x-own") == b"as it is"


@pytest.mark.parametrize(
    ("data", "charset", "wanted"),
    [
        (b"\xe9", "iso-8859-1", "é"),
        (b"\xc3\xa9", "us-ascii", "é"),
        (b"\x93q\x94", "us-ascii", "“q”"),
        (b"\xc3\xa9", "no-such", "é"),
        (b"plain", "rot13", "plain"),
        (b"plain", "unicode_escape", "plain"),
        (b"\xff", "utf-8", "�"),
        (b"x", "a\x00b", "x"),
    ],
)
def test_charsets(data: bytes, charset: str, wanted: str) -> None:
    assert body_text(data, charset) == wanted


def test_words_between_plain_text_keep_their_blanks() -> None:
    assert words("a =?utf-8?q?b?= c =?utf-8?q?d?=  =?utf-8?q?e?=") == "a b c de"
