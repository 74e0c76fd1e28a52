"""Raw mail bytes (RFC 822) as the payload that Gmail would give, so that one reader judges both.

Promises: total, linear in the size for each level of nesting, capped in parts and depth; an attachment's bytes and a
nested message are never decoded; what is cut off, contradicts itself or has no usable boundary becomes a part without
readable data, so that the body is `lossy` and the message is never archived.

>>> payload_of(b"Subject: Hello\\r\\n\\r\\nSee you.\\r\\n")["headers"]
[{'name': 'Subject', 'value': 'Hello'}]
"""

import binascii
import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from typing import Final

from pipeline.mail.body import MAX_PART_BYTES
from pipeline.mail.headers import MAX_FIELDS
from pipeline.mail.mime_values import parameters_of
from pipeline.mail.parts import MAX_PART_DEPTH, MAX_PARTS

Payload = dict[str, object]
MAX_HEADER_BYTES: Final = 524_288
UNREADABLE_DATA: Final = "!"
"""No base64url text: the body reader calls such a part undecodable, and the body lossy."""

_BLANK_LINE: Final = re.compile(rb"\r?\n\r?\n|\r\r|\A\r?\n")
_FIELD: Final = re.compile(rb"([!-9;-~]{1,200})[ \t]*:", re.S)
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_UNDECLARED: Final = frozenset({"", "7bit", "8bit", "binary", "7-bit", "8-bit"})


@dataclass(slots=True)
class _Budget:
    parts: int = MAX_PARTS


def payload_of(data: bytes) -> Payload:
    """A message's bytes as a Gmail payload: mimeType, filename, headers, body, parts."""
    return _part(data, "text/plain", 0, _Budget())


def split_header(data: bytes) -> tuple[bytes, bytes]:
    """The header block and the rest; the blank line between them belongs to neither."""
    found = _BLANK_LINE.search(data, 0, MAX_HEADER_BYTES)
    return (data[: found.start()], data[found.end() :]) if found else (data[:MAX_HEADER_BYTES], data[MAX_HEADER_BYTES:])


def header_fields(block: bytes) -> list[dict[str, object]]:
    """Gmail's list of names and values, unfolded. A line that is no field stands as one with a null value."""
    lines: list[list[bytes]] = []
    for line in _LINE_END.split(block, MAX_FIELDS * 20):
        if line[:1] in (b" ", b"\t") and lines:
            lines[-1].append(line)
        elif line:
            lines.append([line])
    return [_field(b"\r\n".join(folded)) for folded in lines[: MAX_FIELDS + 1]]


def _field(line: bytes) -> dict[str, object]:
    found = _FIELD.match(line)
    if found is None:
        return {"name": "", "value": None}
    return {"name": found.group(1).decode("ascii"), "value": text_of(line[found.end() :]).strip(" \t\r\n")}


def text_of(data: bytes) -> str:
    """8-bit header bytes as text: UTF-8, or else the Western superset that old senders meant."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _part(data: bytes, default_type: str, depth: int, budget: _Budget) -> Payload:
    budget.parts -= 1
    block, content = split_header(data)
    fields = header_fields(block)
    kind, type_parameters = parameters_of(_first(fields, "content-type"))
    mime = kind if "/" in kind else default_type
    disposition = parameters_of(_first(fields, "content-disposition"))[1]
    part: Payload = {
        "mimeType": mime,
        "filename": disposition.get("filename") or type_parameters.get("name") or "",
        "headers": fields,
        "body": {"size": len(content)},
    }
    if len(block) == MAX_HEADER_BYTES:
        return {**part, "mimeType": "text/plain", "body": {"data": UNREADABLE_DATA}}
    if mime.startswith("multipart/"):
        return _with_parts(part, content, type_parameters.get("boundary", ""), depth, budget)
    if mime.startswith("text/"):
        part["body"] = _text_body(content, (_first(fields, "content-transfer-encoding") or "").strip().lower())
    return part


def _first(fields: list[dict[str, object]], name: str) -> str | None:
    values = (f["value"] for f in fields if str(f["name"]).lower() == name)
    return next((value for value in values if isinstance(value, str)), None)


def _with_parts(part: Payload, content: bytes, boundary: str, depth: int, budget: _Budget) -> Payload:
    default = "message/rfc822" if part["mimeType"] == "multipart/digest" else "text/plain"
    pieces, is_closed = _pieces(content, boundary, budget.parts) if depth < MAX_PART_DEPTH else ([], False)
    parts = []
    for piece in pieces:
        if budget.parts <= 0:
            is_closed = False
            break
        parts.append(_part(piece, default, depth + 1, budget))
    if not is_closed or not parts:
        parts.append({"mimeType": "text/plain", "filename": "", "headers": [], "body": {"data": UNREADABLE_DATA}})
    return {**part, "body": {"size": 0}, "parts": parts}


def _pieces(content: bytes, boundary: str, limit: int) -> tuple[list[bytes], bool]:
    """The bytes between the boundary's lines, and whether the closing one is there."""
    if not boundary or len(boundary) > 200:
        return [], False
    mark = re.escape(b"--" + boundary.encode("utf-8", "replace"))
    lines = re.compile(rb"(?:\A|\r\n|\n|\r)" + mark + rb"(--)?[ \t]*(?=\r|\n|\Z)")
    pieces: list[bytes] = []
    start = -1
    for found in lines.finditer(content):
        if start >= 0:
            pieces.append(_without_first_line_end(content[start : found.start()]))
        if found.group(1):
            return pieces, True
        if len(pieces) > limit:
            return pieces, False
        start = found.end()
    return ([*pieces, _without_first_line_end(content[start:])] if start >= 0 else pieces), False


def _without_first_line_end(piece: bytes) -> bytes:
    """What follows a boundary: its line's end belongs to the boundary."""
    return _LINE_END.sub(b"", piece, count=1)


def _text_body(content: bytes, encoding: str) -> Payload:
    decoded = _decoded(content, encoding)
    if decoded is None:
        return {"size": len(content), "data": UNREADABLE_DATA}
    # One byte over the cap is enough for the reader to say over_cap.
    kept = decoded[: MAX_PART_BYTES + 8]
    return {"size": len(decoded), "data": urlsafe_b64encode(kept).decode("ascii")}


def _decoded(content: bytes, encoding: str) -> bytes | None:
    if encoding in _UNDECLARED:
        return content
    if encoding == "quoted-printable":
        return binascii.a2b_qp(content)
    if encoding == "base64":
        try:
            return binascii.a2b_base64(content)
        except (binascii.Error, ValueError):
            return None
    return None
