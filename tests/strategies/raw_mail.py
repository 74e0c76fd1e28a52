"""Raw mail bytes: honest ones from a few words, and hostile ones in which every line may lie."""

from collections.abc import Sequence

from hypothesis import strategies as st

BOUNDARY = "cut-here"
SEPARATOR = "From 1790000000000000017@xxx Mon Nov 23 09:00:00 +0000 2026"
_LINES = (
    b"From: Ann <ann@vendor.example>",
    b"Subject: =?utf-8?b?4pyT?= \xe9",
    b"Subject: =?x-nowhere?q?a?=",
    b" folded",
    b"no field at all",
    b"Date: Mon, 23 Nov 2026 10:00:00 +0100",
    b"Content-Type: multipart/mixed; boundary=cut-here",
    b'Content-Type: multipart/alternative; boundary="',
    b"Content-Type: text/html; charset=utf-16",
    b"Content-Type: message/rfc822",
    b"Content-Transfer-Encoding: base64",
    b"Content-Transfer-Encoding: quoted-printable",
    b"Content-Disposition: attachment; filename*=utf-8''a%ff.pdf",
    b"X-GM-THRID: 1790000000000000001",
    b"X-GM-THRID: \xd9\xa3",
    b"X-Gmail-Labels: Inbox,Opened,=?utf-8?q?caf=C3=A9?=",
    b"",
    b"",
    b"--cut-here",
    b"--cut-here--",
    b"SGVsbG8=",
    b"a=C3=A9=\x00=ZZ",
    b"<html><p>Hello",
    b">From me",
)


def mail_bytes(*fields: tuple[str, str], text: str = "Hello.", line_end: str = "\r\n") -> bytes:
    """One honest mail of these header fields and a plain text."""
    lines = [f"{name}: {value}" for name, value in fields]
    return line_end.join([*lines, "", text, ""]).encode()


def multipart(*parts: str, kind: str = "mixed", is_closed: bool = True) -> bytes:
    """A mail of these parts, each with its own header; without its closing line when it was cut off."""
    head = ["From: Ann <ann@vendor.example>", "Subject: Hello", "Date: Mon, 23 Nov 2026 10:00:00 +0100",
            f'Content-Type: multipart/{kind}; boundary="{BOUNDARY}"', ""]  # fmt: skip
    inner = [line for part in parts for line in (f"--{BOUNDARY}", part)]
    return "\r\n".join([*head, *inner, *([f"--{BOUNDARY}--", ""] if is_closed else [])]).encode()


def boxed(mails: Sequence[bytes], first: int = 17) -> bytes:
    """An mbox as Takeout writes it: message n has the decimal id 1790000000000000000 + first + n."""
    return b"".join(
        SEPARATOR.replace("0017", f"{first + number:04d}").encode() + b"\r\n" + mail + b"\r\n"
        for number, mail in enumerate(mails)
    )


def hostile_mail() -> st.SearchStrategy[bytes]:
    """Lines of mail in any order, with any line ends, and noise between them."""
    line = st.one_of(st.sampled_from(_LINES), st.binary(max_size=12))
    ends = st.sampled_from((b"\n", b"\r\n", b"\r"))
    return st.builds(lambda lines, end: end.join(lines), st.lists(line, max_size=30), ends)
