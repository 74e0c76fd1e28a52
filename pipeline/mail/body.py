"""The body of a message as it must be judged: text and HTML both, attachments never but for text that clients show.

Promises: an attachment or a nested message is counted but never read as the body; only named text that clients show
below the body (disposition `inline`, or a Content-ID) is both; what could not be read in full has state `lossy`, what
Gmail keeps elsewhere `not_fetched`; nothing here raises. `read_body_facts` gives the same state and attachments for a
fraction of the price, and nothing of what the body says.

>>> read_body({"mimeType": "text/plain", "body": {"data": "SGVsbG8u", "size": 6}}).text
'Hello.'
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from pipeline.mail import charsets, html
from pipeline.mail.html import Link
from pipeline.mail.parts import Attachment, attachment_of, fields_of, from_base64url, is_shown_text, leaves, mime_of

__all__ = [
    "NOT_FETCHED",
    "Attachment",
    "Body",
    "Link",
    "State",
    "attachments_of",
    "from_base64url",
    "read_body",
    "read_body_facts",
]

State = Literal["fetched", "empty", "not_fetched", "lossy"]

MAX_PART_BYTES: Final = 262_144
MAX_TEXT_BYTES: Final = 1_048_576
MAX_PLAIN_LINKS: Final = 200

_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]+")
# All that _CONTROLS leaves out: a match over it takes a fifth of a search for what it holds.
_PLAIN: Final = re.compile("[\t\n -~\xa0-\u2027\u202a-\U0010ffff]*+\\Z")
_SHOWN: Final = re.compile("[^\\s\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CHARSET: Final = re.compile(r"charset\s{0,5}=\s{0,5}\"?([^\s\";]{1,60})", re.I)
_URL: Final = re.compile(r"https?://[^\s<>\"']{1,2048}", re.I)
_LOSSY: Final = frozenset(
    {
        "undecodable",
        "missing_data",
        "charset",
        "over_cap",
        "too_many_parts",
        "too_deep",
        "malformed_part",
        "html_over_cap",
        "html_too_deep",
        "html_attributes",
        "html_unreadable",
    }
)


@dataclass(frozen=True, slots=True)
class Body:
    """What one message says. `defects` name why a state is lossy or what was odd (calendar is neither)."""

    text: str = ""
    visible_html_text: str = ""
    hidden_text: str = ""
    links: tuple[Link, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    state: State = "empty"
    defects: tuple[str, ...] = ()
    has_calendar: bool = False
    has_html: bool = False


NOT_FETCHED: Final = Body(state="not_fetched")


@dataclass(slots=True)
class _Reading:
    """What has been gathered so far."""

    texts: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)
    is_away: bool = False
    budget: int = MAX_TEXT_BYTES


def read_body(payload: object) -> Body:
    """The body of one Gmail payload (the `payload` object of a full message)."""
    reading = _gathered(payload)
    if reading is None:
        return NOT_FETCHED
    pages = [html.read_html(_without_controls(markup)) for markup in reading.pages]
    defects = [*reading.defects, *(d for page in pages for d in page.defects)]
    text = "\n".join(_without_controls(t) for t in reading.texts if t)
    visible = "\n".join(page.visible for page in pages)
    hidden = "\n".join(page.hidden for page in pages if page.hidden)
    return Body(
        text=text,
        visible_html_text=visible,
        hidden_text=hidden,
        links=(*(link for page in pages for link in page.links), *_plain_links(text)),
        attachments=tuple(reading.attachments),
        state=_state(reading, defects, lambda: bool(text.strip() or visible.strip() or hidden)),
        defects=tuple(dict.fromkeys(defects)),
        has_calendar=_has_calendar(reading),
        has_html=bool(pages),
    )


def read_body_facts(payload: object) -> Body:
    """The same body without its texts, links and what is odd about its HTML: `state`, `attachments` and the flags."""
    reading = _gathered(payload)
    if reading is None:
        return NOT_FETCHED
    defects = [*reading.defects, *(d for markup in reading.pages if (d := _shape_defect(markup)))]
    return Body(
        attachments=tuple(reading.attachments),
        state=_state(reading, defects, lambda: _says_anything(reading)),
        defects=tuple(dict.fromkeys(defects)),
        has_calendar=_has_calendar(reading),
        has_html=bool(reading.pages),
    )


def _gathered(payload: object) -> _Reading | None:
    """Every leaf decoded, or None: the answer holds no body."""
    if not isinstance(payload, Mapping) or not ("body" in payload or "parts" in payload):
        return None
    reading = _Reading()
    for part in leaves(payload, reading.defects):
        _read_leaf(part, reading)
    return reading


def _shape_defect(markup: str) -> str | None:
    """What read_html would say; taking controls out never makes small markup large."""
    return None if html.is_small(markup) else html.shape_defect(_without_controls(markup))


def _says_anything(reading: _Reading) -> bool:
    if any(map(_SHOWN.search, reading.texts)):
        return True
    return any(html.says_anything(_without_controls(markup)) for markup in reading.pages)


def _has_calendar(reading: _Reading) -> bool:
    return any(a.mime_type in ("text/calendar", "application/ics") for a in reading.attachments)


def _state(reading: _Reading, defects: list[str], says_anything: Callable[[], bool]) -> State:
    if reading.is_away:
        return "not_fetched"
    if _LOSSY.intersection(defects):
        return "lossy"
    return "fetched" if says_anything() else "empty"


def _plain_links(text: str) -> Iterator[Link]:
    if "://" in text:
        for found in _URL.findall(text)[:MAX_PLAIN_LINKS]:
            yield Link(found[: html.MAX_LINK_TEXT], found)


def _read_leaf(part: Mapping[str, object], reading: _Reading) -> None:
    fields = fields_of(part)
    attachment = attachment_of(part, fields)
    if attachment is not None:
        reading.attachments.append(attachment)
    if attachment is None or (is_shown_text(part, fields) and _has_data(part)):
        _read_text(part, mime_of(part), fields.first("content-type"), reading)


def _has_data(part: Mapping[str, object]) -> bool:
    """Named text that Gmail keeps elsewhere is no missing body: it is an attachment, and that it stays."""
    holder = part.get("body")
    return isinstance(holder, (dict, Mapping)) and bool(holder.get("data"))


def _read_text(part: Mapping[str, object], mime: str, content_type: str | None, reading: _Reading) -> None:
    holder = part.get("body")
    if not isinstance(holder, (dict, Mapping)):
        reading.defects.append("malformed_part")
        return
    data = holder.get("data")
    if holder.get("attachmentId") and not data:
        reading.is_away = True
        return
    if data is None or data == "":
        reading.defects += ["missing_data"] if holder.get("size") else []
        return
    raw = _decoded_data(data, reading)
    if raw is not None:
        _keep_text(_to_text(raw, content_type, reading), mime, reading)


def _keep_text(text: str, mime: str, reading: _Reading) -> None:
    if mime in ("text/html", "text/x-amp-html"):
        reading.pages.append(text)
    else:
        reading.texts.append(text)


def _decoded_data(data: object, reading: _Reading) -> bytes | None:
    """The bytes of one part, within the caps; never a partial decode of a damaged text."""
    if not isinstance(data, str):
        reading.defects.append("undecodable")
        return None
    cap = min(MAX_PART_BYTES, max(reading.budget, 0))
    if len(data) > cap // 3 * 4 + 4:
        reading.defects.append("over_cap")
        data = data[: cap // 3 * 4]
    raw = from_base64url(data)
    if raw is None:
        reading.defects.append("undecodable")
        return None
    reading.budget -= len(raw)
    return raw


def _to_text(raw: bytes, content_type: str | None, reading: _Reading) -> str:
    named = _CHARSET.search(content_type[:2_000]) if content_type else None
    text, is_exact = charsets.decode_bytes(raw, named.group(1) if named else None)
    if not is_exact:
        reading.defects.append("charset")
    if "\x00" in text:
        reading.defects.append("nul")
    return text


def _without_controls(text: str) -> str:
    """Each run of control characters as one blank; what nearly all mail is, CRLF apart, is known by one fast match."""
    lined = text.replace("\r", " ")
    return lined if _PLAIN.match(lined) and "\r\r" not in text else _CONTROLS.sub(" ", text)


def attachments_of(body: Body, *, inline: bool = False) -> Sequence[Attachment]:
    """The attachments a person would see, or with `inline` only those shown inside the text."""
    return [a for a in body.attachments if a.is_inline is inline]
