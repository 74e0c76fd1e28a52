"""The parts of a payload: which are the body, which are attachments, and the bytes they carry.

Promises: an attachment or a nested message is one leaf, never looked into; count and depth are capped.

>>> attachment_of({"mimeType": "application/pdf", "filename": "cv.pdf", "body": {"size": 9}}, Headers())
Attachment(filename='cv.pdf', mime_type='application/pdf', size=9, is_inline=False)
>>> attachment_of({"mimeType": "text/plain", "filename": ""}, Headers()) is None
True
"""

import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pipeline.mail.headers import Headers, decode, read_headers

MAX_PARTS: Final = 500
MAX_PART_DEPTH: Final = 50
_READ_TEXT: Final = frozenset({"text/plain", "text/html"})
_UNTYPED: Final = frozenset({"application/octet-stream"})
_PICTURES: Final = (".png", ".gif", ".jpg", ".jpeg", ".bmp", ".webp")


@dataclass(frozen=True, slots=True)
class Attachment:
    """One part that is not the body; `size` in bytes as Gmail counts them, -1 when unknown."""

    filename: str
    mime_type: str
    size: int
    is_inline: bool


def leaves(payload: Mapping[str, object], defects: list[str]) -> Iterator[Mapping[str, object]]:
    """Every part that holds no parts, in order; a nested message is one leaf.

    Adds to `defects`: too_many_parts, too_deep, malformed_part.
    """
    waiting: list[tuple[object, int]] = [(payload, 0)]
    seen = 0
    while waiting:
        part, depth = waiting.pop()
        seen += 1
        if seen > MAX_PARTS or depth > MAX_PART_DEPTH:
            defects.append("too_many_parts" if seen > MAX_PARTS else "too_deep")
            return
        if not isinstance(part, (dict, Mapping)):  # dict first: asking an abstract class costs a microsecond
            defects.append("malformed_part")
            continue
        children = part.get("parts")
        if children and mime_of(part).startswith("message/"):
            yield part
        elif isinstance(children, (list, tuple)) and children:
            waiting += [(child, depth + 1) for child in reversed(children[: MAX_PARTS + 1])]
        elif not mime_of(part).startswith("multipart/"):
            yield part


def mime_of(part: Mapping[str, object]) -> str:
    """The part's type in lower case, empty when it names none."""
    value = part.get("mimeType")
    return value.lower().strip() if isinstance(value, str) else ""


def fields_of(part: Mapping[str, object]) -> Headers:
    """The part's own header fields."""
    fields = part.get("headers")
    return read_headers(fields) if fields else Headers()


def attachment_of(part: Mapping[str, object], fields: Headers) -> Attachment | None:
    """The attachment a leaf with these header fields is, or None: it is text of the body and nothing else.

    Only a picture stands inside the text: whatever else asks for it (a contract, an invitation, another mail) is shown
    with a name and kept like any attachment.
    """
    mime, name = mime_of(part), part.get("filename")
    filename = decode(name[:1_000]).text if isinstance(name, str) else ""
    disposition = _disposition(fields)
    is_text = (mime.startswith("text/") or not mime) and mime != "text/calendar"
    if is_text and not name and not disposition.startswith("attachment"):
        return None
    is_shown = _is_shown(disposition, fields)
    return Attachment(filename, mime, _size(part.get("body")), is_shown and _is_picture(mime, filename))


def is_shown_text(part: Mapping[str, object], fields: Headers) -> bool:
    """Whether clients show this attachment's words below the body: they have to be read with it."""
    return mime_of(part) in _READ_TEXT and _is_shown(_disposition(fields), fields)


def _disposition(fields: Headers) -> str:
    return (fields.first("content-disposition") or "").strip().lower()


def _is_shown(disposition: str, fields: Headers) -> bool:
    """Inside or below the text: said so, or named for a reference from the page."""
    return disposition.startswith("inline") or (not disposition and fields.first("content-id") is not None)


def _is_picture(mime: str, filename: str) -> bool:
    """Logos and drawings, also from senders that call every file a stream of octets."""
    return mime.startswith("image/") or (mime in _UNTYPED and filename.lower().endswith(_PICTURES))


def _size(holder: object) -> int:
    size = holder.get("size") if isinstance(holder, (dict, Mapping)) else None
    return size if isinstance(size, int) and not isinstance(size, bool) else -1


def from_base64url(text: str) -> bytes | None:
    """Bytes of base64url or base64 text, padded or not; None when a single character is wrong."""
    stripped = text.rstrip("=\r\n \t").replace("-", "+").replace("_", "/")
    try:
        return binascii.a2b_base64(stripped + "=" * (-len(stripped) % 4), strict_mode=True)
    except (binascii.Error, ValueError):
        return None
