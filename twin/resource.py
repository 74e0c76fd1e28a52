"""Gmail's JSON view of a mail: the payload tree of `format=full`, snippets, and bytes for a payload.

Text without a file name is delivered inline as UTF-8 base64url with padding, whatever charset its header
names; everything else comes as `attachmentId`. Both directions are total.

>>> payload(parse(b"Subject: hi\\r\\n\\r\\nhello"), Attachments("m"))["body"]
{'size': 5, 'data': 'aGVsbG8='}
"""

import base64
import binascii
import hashlib
import html
import re
from dataclasses import dataclass, field
from typing import Any

from twin.decode import body_text
from twin.rawmail import Part, parse
from twin.wire import Json

SNIPPET = 200
INLINE_LIMIT = 1_000_000  # bytes of text; larger bodies come as attachmentId, as Gmail does with large ones
HIDDEN = re.compile(r"(?is)<(script|style|head|title)\b[^>]*>.*?(?:</\1\s*>|\Z)")
TAG = re.compile(r"(?s)<!--.*?(?:-->|\Z)|<[^<>]{0,20000}>")
BLANK = re.compile(r"[\s​‌‍﻿­͏]+")

__all__ = ["Attachments", "b64url", "bytes_of", "metadata", "parse", "payload", "snippet", "unb64url"]


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii")


def unb64url(text: str) -> bytes | None:
    """base64url or base64, padded or not, as Google's JSON reader takes it; None when it is neither."""
    letters = "".join(text.split()).rstrip("=").replace("-", "+").replace("_", "/")
    if len(letters) % 4 == 1:
        return None
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


@dataclass(slots=True)
class Attachments:
    """Collects the bytes that a payload hands out by id while it is built."""

    seed: str
    inline_limit: int = INLINE_LIMIT
    found: dict[str, bytes] = field(default_factory=dict)

    def keep(self, part_id: str, data: bytes) -> str:
        digest = hashlib.sha256(f"{self.seed}/{part_id}".encode()).digest()
        token = "ANGjdJ" + b64url(digest).rstrip("=")
        self.found[token] = data
        return token


def _body(part: Part, part_id: str, kept: Attachments) -> Json:
    is_text = part.mime_type.startswith("text/")
    is_inline = is_text and not part.filename and part.disposition != "attachment"
    data = body_text(part.data, part.charset).encode("utf-8", "replace") if is_inline else part.data
    if is_inline and len(data) <= kept.inline_limit:
        return {"size": len(data), "data": b64url(data)} if data else {"size": 0}
    return {"attachmentId": kept.keep(part_id, data), "size": len(data)}


def _header_list(part: Part) -> list[Json]:
    return [{"name": name, "value": value} for name, value in part.headers]


def payload(part: Part, kept: Attachments, part_id: str = "") -> Json:
    """The MessagePart resource of a tree; ids are "" for the root, then "0", "0.1", ..."""
    is_container = part.mime_type.startswith("multipart/")
    out: Json = {
        "partId": part_id,
        "mimeType": part.mime_type,
        "filename": part.filename,
        "headers": _header_list(part),
        "body": {"size": 0} if is_container else _body(part, part_id, kept),
    }
    if part.parts:
        prefix = f"{part_id}." if part_id else ""
        out["parts"] = [payload(child, kept, f"{prefix}{n}") for n, child in enumerate(part.parts)]
    return out


def metadata(full: Json, wanted: tuple[str, ...]) -> Json:
    """The payload of `format=metadata`: type and headers, the named ones only when names are given."""
    names = {name.lower() for name in wanted}
    headers = [h for h in full.get("headers", []) if not names or str(h.get("name", "")).lower() in names]
    out: Json = {"mimeType": full.get("mimeType", "text/plain")}
    return {**out, "headers": headers} if headers else out


def part_text(part: Json) -> str:
    """The decoded text of one MessagePart, empty when it is not there."""
    body = part.get("body")
    data = unb64url(str(body.get("data", ""))) if isinstance(body, dict) else None
    return (data or b"").decode("utf-8", "replace")


def plain(markup: str) -> str:
    """Visible text of HTML, roughly as a search index sees it."""
    return html.unescape(TAG.sub(" ", HIDDEN.sub(" ", markup)))


def leaves(part: Json) -> list[Json]:
    """Every part of a payload without children, in order."""
    found, waiting = [], [part]
    while waiting:
        here = waiting.pop()
        children = here.get("parts") or []
        if not children:
            found.append(here)
        waiting.extend(reversed(children))
    return found


def visible_text(full: Json) -> str:
    """All inline text of a payload: plain parts as they are, HTML parts without their tags."""
    texts = []
    for part in leaves(full):
        if part.get("filename") or not str(part.get("mimeType", "")).startswith("text/"):
            continue
        text = part_text(part)
        texts.append(plain(text) if part.get("mimeType") == "text/html" else text)
    return "\n".join(texts)


def _shown(full: Json) -> str:
    """The text a person sees first: the first plain part, else the first HTML part."""
    for kind in ("text/plain", "text/html"):
        for part in leaves(full):
            if part.get("mimeType") == kind and not part.get("filename"):
                text = part_text(part)[:20_000]
                text = plain(text) if kind == "text/html" else text
                if text.strip():
                    return text
    return ""


def snippet(full: Json) -> str:
    """About 200 characters of the visible text on one line, HTML-escaped as Gmail sends it."""
    line = BLANK.sub(" ", _shown(full)).strip()[:SNIPPET].strip()
    return html.escape(line).replace("&#x27;", "&#39;")


def _encoded(data: bytes, encoding: str) -> bytes:
    if encoding == "base64":
        return base64.encodebytes(data).replace(b"\n", b"\r\n")
    if encoding == "quoted-printable":
        return binascii.b2a_qp(data)
    return data


def _value(part: Json, name: str) -> str:
    pairs = part.get("headers") or []
    return next((str(h.get("value", "")) for h in pairs if str(h.get("name", "")).lower() == name), "")


def _boundary(part: Json) -> str:
    match = re.search(r'boundary="?([^";]+)', _value(part, "content-type"), re.IGNORECASE)
    return match.group(1).strip() if match else f"part-{part.get('partId') or 'root'}"


def bytes_of(part: Json, attachments: dict[str, bytes]) -> bytes:
    """A mail made from a payload, for a mailbox seeded without raw bytes. Not the original bytes."""
    headers = [(str(h.get("name", "")), str(h.get("value", ""))) for h in part.get("headers") or []]
    mime_type = str(part.get("mimeType") or "text/plain")
    names = {name.lower() for name, _ in headers}
    if "content-type" not in names:
        suffix = f'; boundary="{_boundary(part)}"' if mime_type.startswith("multipart/") else "; charset=utf-8"
        headers.append(("Content-Type", mime_type + suffix))
    lines = [f"{name}: {_one_line(value)}\r\n" for name, value in headers]
    return "".join(lines).encode("utf-8", "replace") + b"\r\n" + _content(part, attachments)


def _one_line(value: str) -> str:
    """A decoded subject may hold a line break; written as it is, it would become a header of its own."""
    return re.sub(r"[\r\n]+", " ", value)


def _content(part: Json, attachments: dict[str, bytes]) -> bytes:
    children: list[Any] = part.get("parts") or []
    if str(part.get("mimeType", "")).startswith("multipart/"):
        mark = _boundary(part).encode("utf-8", "replace")
        pieces = [b"--" + mark + b"\r\n" + bytes_of(child, attachments) + b"\r\n" for child in children]
        return b"".join(pieces) + b"--" + mark + b"--\r\n"
    if children:
        return b"".join(bytes_of(child, attachments) for child in children)
    body = part.get("body") or {}
    data = unb64url(str(body.get("data", ""))) or attachments.get(str(body.get("attachmentId", "")), b"")
    return _encoded(data, _value(part, "content-transfer-encoding").lower())
