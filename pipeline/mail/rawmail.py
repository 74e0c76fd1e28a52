"""Raw mail as a `Mail`: Gmail's format=raw, one message of a Takeout mbox, one .eml file.

Promises: the bytes alone decide; ids of a Takeout message are those of the API (its `From ` line and X-GM-THRID, in
hex), an .eml has none and takes the digest of its bytes, so it is never mistaken for mail that Gmail knows; labels of a
Takeout message are names until `pipeline.evidence.takeout` looks them up; an .eml says nothing about labels.

>>> read_eml(b"Subject: Hello\\n\\nSee you.").reason
'no-date'
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from pipeline.mail.body import read_body
from pipeline.mail.dates import mail_date_ms, received_ms, separator_ms
from pipeline.mail.headers import Headers, decode, read_headers
from pipeline.mail.message import Mail, Unreadable, is_id
from pipeline.mail.parts import from_base64url
from pipeline.mail.reader import BodyReader, read_message
from pipeline.mail.rfc822 import header_fields, payload_of, split_header

_SEPARATOR_END: Final = re.compile(rb"\r\n|\n|\r|\Z")
_SEPARATOR_ID: Final = re.compile(r"From ([0-9]{15,20})@")
_DECIMAL: Final = re.compile(r"[0-9]{1,20}\Z", re.A)
MAX_RAW_CHARACTERS: Final = 100_000_000


@dataclass(frozen=True, slots=True)
class Takeout:
    """What a Takeout message says of itself beside the mail: ids, label names (None = not said), epoch ms or None."""

    id: str
    thread_id: str
    label_names: tuple[str, ...] | None
    internal_date_ms: int | None


def read_raw_message(resource: object, body_of: BodyReader = read_body) -> Mail | Unreadable:
    """A Gmail message resource in format raw: the payload comes from its bytes, everything else is Gmail's word."""
    if not isinstance(resource, Mapping):
        return Unreadable("", "not-a-message", ("id",))
    raw = resource.get("raw")
    data = from_base64url(raw) if isinstance(raw, str) and len(raw) <= MAX_RAW_CHARACTERS else None
    if data is None:
        found = resource.get("id")
        return Unreadable(str(found) if is_id(found) else "", "bad-raw", ("raw",))
    return read_message({**resource, "payload": payload_of(data)}, body_of)


def read_eml(data: bytes, body_of: BodyReader = read_body) -> Mail | Unreadable:
    """One .eml file. Labels are unknown."""
    found = f"eml-{sha256(data).hexdigest()[:24]}"
    return _read(data, Takeout(found, found, None, None), body_of)


def read_mbox_message(data: bytes, body_of: BodyReader = read_body) -> tuple[Mail | Unreadable, tuple[str, ...] | None]:
    """One message of an mbox from its `From ` line on, and its label names (None = the mbox names none)."""
    end = _SEPARATOR_END.search(data)
    start = end.end() if end else len(data)
    about = takeout_facts(data[:start].decode("latin-1"), data[start:])
    return _read(data[start:], about, body_of), about.label_names


def takeout_facts(separator: str, mail: bytes) -> Takeout:
    """Ids, labels and time from an mbox message's `From ` line and header."""
    fields = read_headers(header_fields(split_header(mail)[0]))
    numbered = _SEPARATOR_ID.match(separator)
    if numbered is None:  # not Takeout: what stands in the header is the sender's word
        own_id = f"mbox-{sha256(mail).hexdigest()[:24]}"
        return Takeout(own_id, own_id, None, separator_ms(separator))
    own_id = f"{int(numbered.group(1)):016x}"
    thread = (fields.first("x-gm-thrid") or "").strip()
    thread_id = f"{int(thread):016x}" if _DECIMAL.match(thread) else own_id
    return Takeout(own_id, thread_id, _label_names(fields), separator_ms(separator))


def _label_names(fields: Headers) -> tuple[str, ...] | None:
    """Takeout's own field stands on top; another below it came with the mail."""
    value = fields.first("x-gmail-labels")
    if value is None:
        return None
    names = (name.strip().strip('"') for name in decode(value).text.split(","))
    return tuple(sorted({name for name in names if name}))


def _read(data: bytes, about: Takeout, body_of: BodyReader) -> Mail | Unreadable:
    payload = payload_of(data)
    fields = read_headers(payload["headers"])
    when, defects = _when(about, fields)
    if when is None:
        return Unreadable(about.id, "no-date", ("date",))
    resource = {"id": about.id, "threadId": about.thread_id, "internalDate": when, "payload": payload}
    mail = read_message(resource, body_of)
    return replace(mail, label_ids=None, defects=(*mail.defects, *defects)) if isinstance(mail, Mail) else mail


def _when(about: Takeout, fields: Headers) -> tuple[int | None, tuple[str, ...]]:
    """Gmail's own time, or when the mail arrived, or last what the sender says, which is a defect."""
    when = about.internal_date_ms
    if when is None:
        when = received_ms(fields.all("received"))
    if when is not None:
        return when, ()
    return mail_date_ms(fields.first("date")), ("date_of_sender",)
