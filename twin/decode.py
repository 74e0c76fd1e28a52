"""Turns encoded bytes of a mail into text, and never fails: a charset nobody knows leaves the text as it came.

Covers transfer encodings (base64, quoted-printable, uuencode), charsets, and RFC 2047 encoded words.

>>> words("=?utf-8?q?caf=C3=A9?= and =?x-none?q?a?=")
'café and =?x-none?q?a?='
"""

import binascii
import re

WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\s]*)\?=")
GAP = re.compile(r"(=\?[^?\s]{1,60}\?[bBqQ]\?[^?\s]*\?=)[ \t\r\n]+(?==\?[^?\s]{1,60}\?[bBqQ]\?[^?\s]*\?=)")
NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
UU_LINE = re.compile(rb"^begin [0-7]{3,4} .*$", re.MULTILINE)
# Codecs of Python that are not charsets of mail; some of them expand or raise in odd ways.
NOT_CHARSETS = frozenset({"unicode_escape", "raw_unicode_escape", "undefined", "idna", "punycode", "mbcs", "oem"})


def charset_text(data: bytes, charset: str) -> str | None:
    """`data` read in `charset`, undecodable bytes replaced; None when there is no such charset."""
    name = charset.strip().strip("'\"").lower().replace("-", "_")
    if not name or name in NOT_CHARSETS:
        return None
    try:
        return data.decode(name, "replace")
    except (LookupError, ValueError):
        return None


def body_text(data: bytes, charset: str) -> str:
    """A text body: its charset, else UTF-8, else Windows-1252, which reads nearly any byte."""
    if charset and charset.lower() not in ("us-ascii", "ascii"):
        text = charset_text(data, charset)
        if text is not None:
            return text
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def base64_bytes(data: bytes) -> bytes:
    """Lenient base64: foreign characters skipped, padding made up, a torn last character dropped."""
    letters = NOT_BASE64.sub(b"", data)
    usable = letters[: len(letters) - 1] if len(letters) % 4 == 1 else letters
    return binascii.a2b_base64(usable + b"=" * (-len(usable) % 4))


def _uu_line(line: bytes) -> bytes:
    try:
        return binascii.a2b_uu(line)
    except binascii.Error:
        return b""


def uu_bytes(data: bytes) -> bytes:
    """Lenient uuencode: lines that do not decode are skipped."""
    start = UU_LINE.search(data)
    if start is None:
        return data
    lines = data[start.end() :].split(b"end")[0].splitlines()
    return b"".join(_uu_line(line) for line in lines if line.strip())


def transfer(data: bytes, encoding: str) -> bytes:
    """`data` without its Content-Transfer-Encoding; an unknown one means identity."""
    name = encoding.strip().lower()
    if name == "base64":
        return base64_bytes(data)
    if name == "quoted-printable":
        return binascii.a2b_qp(data)
    if name in ("x-uuencode", "uuencode", "x-uue"):
        return uu_bytes(data)
    return data


def _word(match: re.Match[str]) -> str:
    charset, kind, text = match.groups()
    raw = text.encode("utf-8", "replace")
    data = base64_bytes(raw) if kind in "bB" else binascii.a2b_qp(raw, header=True)
    decoded = charset_text(data, charset.partition("*")[0])
    return match.group(0) if decoded is None else decoded


def words(value: str) -> str:
    """RFC 2047 words decoded, white space between two of them dropped; unknown charsets stay encoded."""
    if "=?" not in value:
        return value
    return WORD.sub(_word, GAP.sub(r"\1", value))


SPECIALS = re.compile(r'[()<>\[\]:;@\\,."]')


def _phrase(match: re.Match[str]) -> str:
    text = words(match.group(0))
    if text == match.group(0) or not SPECIALS.search(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


RUN = re.compile(r"=\?[^?\s]{1,60}\?[bBqQ]\?[^?\s]*\?=(?:[ \t]+=\?[^?\s]{1,60}\?[bBqQ]\?[^?\s]*\?=)*")


def phrases(value: str) -> str:
    """Encoded words in an address header; a decoded name with specials is quoted, so it stays one name.

    >>> phrases("=?utf-8?q?Doe=2C_Jo?= <jo@mail.example>")
    '"Doe, Jo" <jo@mail.example>'
    """
    if "=?" not in value or '"' in value:
        return words(value) if "=?" in value else value
    return RUN.sub(_phrase, value)
