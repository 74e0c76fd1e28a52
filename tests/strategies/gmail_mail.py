"""Mail and mailboxes for the twin, drawn from small pools so that queries and messages meet.

`Letter` is a message as a person would note it; `raw_of` writes its bytes. `hostile_bytes` is anything at
all, seasoned with what breaks mail readers.
"""

import base64
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

PEOPLE = ("ann@corp.example", "bob@mail.example", "news@list.example", "me@demo.example", "ann@corp.example.evil.test")
NAMES = ("", "Ann Lee", "Weekly News")
WORDS = ("offer", "interview", "digest", "plan", "Friday", "café", "re_port", "100")
SYSTEM = ("INBOX", "UNREAD", "STARRED", "IMPORTANT", "SENT", "SPAM", "TRASH", "CATEGORY_PROMOTIONS")
USER_LABELS = {"Label_1": "Job Search", "Label_2": "Jobs/Offers"}
DAY_MS = 86_400_000
NOW_MS = 1_796_040_000_000  # 2026-11-30T12:00:00Z


@dataclass(frozen=True)
class Letter:
    """One message: who, what, labels, days before now."""

    sender: str
    name: str
    to: str
    cc: str
    subject: tuple[str, ...]
    body: tuple[str, ...]
    label_ids: frozenset[str]
    age_days: int
    file_name: str = ""
    list_id: str = ""
    size_pad: int = 0
    header_id: str = field(default="")


def raw_of(letter: Letter) -> bytes:
    """The bytes of a letter; with a file it is multipart."""
    shown = f'"{letter.name}" <{letter.sender}>' if letter.name else letter.sender
    lines = [f"From: {shown}", f"To: {letter.to}", f"Subject: {' '.join(letter.subject)}"]
    lines += [f"Cc: {letter.cc}"] if letter.cc else []
    lines += [f"List-Id: <{letter.list_id}>"] if letter.list_id else []
    lines += [f"Message-ID: <{letter.header_id}>"] if letter.header_id else []
    text = " ".join(letter.body) + "\r\n" + "x" * letter.size_pad
    if not letter.file_name:
        return ("\r\n".join(lines) + "\r\n\r\n" + text).encode()
    lines += ["MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=frontier"]
    parts = f"--frontier\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n--frontier\r\n"
    file = f'Content-Disposition: attachment; filename="{letter.file_name}"\r\n\r\nZZZ\r\n--frontier--\r\n'
    return ("\r\n".join(lines) + "\r\n\r\n" + parts + "Content-Type: application/pdf\r\n" + file).encode()


def resource_of(letter: Letter, number: int) -> dict[str, Any]:
    """The letter as a Gmail message resource; ids by number, so ties in time have an order."""
    return {
        "id": f"18a{number:013x}",
        "labelIds": sorted(letter.label_ids),
        "internalDate": str(NOW_MS - letter.age_days * DAY_MS),
        "raw": base64.urlsafe_b64encode(raw_of(letter)).decode(),
    }


def label_resources() -> list[dict[str, str]]:
    return [{"id": key, "name": name, "type": "user"} for key, name in USER_LABELS.items()]


label_sets = st.frozensets(st.sampled_from(SYSTEM + tuple(USER_LABELS)), max_size=4)
letters = st.builds(
    Letter,
    sender=st.sampled_from(PEOPLE),
    name=st.sampled_from(NAMES),
    to=st.sampled_from(PEOPLE),
    cc=st.sampled_from(("", *PEOPLE)),
    subject=st.lists(st.sampled_from(WORDS), max_size=3).map(tuple),
    body=st.lists(st.sampled_from(WORDS), max_size=4).map(tuple),
    label_ids=label_sets,
    age_days=st.one_of(st.sampled_from((0, 7, 60, 365)), st.integers(0, 900)),
    file_name=st.sampled_from(("", "", "cv.pdf", "plan offer.doc")),
    list_id=st.sampled_from(("", "", "digest.list.example")),
    size_pad=st.sampled_from((0, 0, 3000)),
    header_id=st.sampled_from(("", "m1@mail.example", "m2@mail.example")),
)
mailboxes = st.lists(letters, max_size=12)

SEASONING = st.sampled_from(
    [
        b"Content-Type: multipart/mixed; boundary=b\r\n",
        b"\r\n--b\r\n",
        b"\r\n--b--\r\n",
        b"Content-Type: message/rfc822\r\n\r\n",
        b"Content-Type: text/html; charset=no-such-charset\r\n\r\n<b",
        b"Content-Type: text/plain; charset=utf-7\r\n\r\n+AGEAYg",
        b'Content-Type: text/plain; charset="uni\x00code"\r\n\r\n',
        b"Content-Transfer-Encoding: base64\r\n\r\nQUJ=DRA=\r\n",
        b"Content-Transfer-Encoding: quoted-printable\r\n\r\n=ZZ=3\r\n",
        b"Content-Transfer-Encoding: x-uuencode\r\n\r\nbegin 644 f\r\n#0V%T\r\n`\r\nend\r\n",
        b"Subject: =?utf-8?b?4pyT?= =?x-none?q?=41?= =?utf-16?b?AA?=\r\n",
        b"Content-Disposition: attachment; filename*0*=utf-8''a%E4; filename*1=\"b\\\r\n",
        b"From: \xff\xfe\x00 <a@b>\r\n",
        b"Date: Thu, 99 Foo 99999 99:99:99 +9999\r\n",
        b"\r\n\r\n",
        b"\n",
        b"From nobody Thu Jan  1 00:00:00 1970\r\n",
        b" folded\r\n",
        b"\x00",
    ]
)
hostile_bytes = st.lists(st.one_of(SEASONING, st.binary(max_size=20)), max_size=14).map(b"".join)
