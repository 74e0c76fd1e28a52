"""Reads the bytes of one mail into a tree of parts. Total: any bytes give a tree, no bytes raise.

Independent of the product's reader and of the standard library's `email` package on purpose: a shared
mistake would hide from every test. Header order, duplicates and odd names are kept.

>>> tree = parse(b"Subject: hi\\r\\n\\r\\nbody")
>>> tree.mime_type, tree.data
('text/plain', b'body')
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from twin.decode import charset_text, phrases, transfer, words

Headers = tuple[tuple[str, str], ...]

MAX_DEPTH = 40  # nested containers beyond this are data: hostile mail must not exhaust the stack
MAX_PARTS = 2000

LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:(.*)", re.DOTALL)
FOLD = re.compile(rb"\r?\n(?=[ \t])")
TYPE = re.compile(r"\s*([\w!#$&^.+-]+/[\w!#$&^.+-]+)\s*(?:;|$|\s)", re.ASCII)
PARAM = re.compile(r';\s*([^\s=;"]+)\s*=\s*("(?:[^"\\]|\\.)*"?|[^;]*)', re.DOTALL)
ADDRESS_FIELDS = frozenset({"from", "to", "cc", "bcc", "reply-to", "sender", "resent-from", "resent-to"})
TEXT_FIELDS = frozenset({"subject", "comments", "thread-topic"})


@dataclass(frozen=True, slots=True)
class Part:
    """One MIME part: decoded `data` for leaves, `parts` for containers."""

    mime_type: str
    headers: Headers
    filename: str
    disposition: str
    charset: str
    data: bytes
    parts: tuple["Part", ...] = ()

    def header(self, name: str) -> str:
        return first(self.headers, name)


def first(headers: Headers, name: str) -> str:
    """The value of the first header of that name, in any case; empty when absent."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), "")


def _value(name: bytes, raw: bytes) -> str:
    text = FOLD.sub(b"", raw).strip(b" \t\r\n").decode("utf-8", "replace")
    if "=?" not in text:
        return text
    field = name.lower().decode("ascii")
    if field in ADDRESS_FIELDS:
        return phrases(text)
    return words(text) if field in TEXT_FIELDS else text


def _joined(fields: list[list[bytes]]) -> list[bytes]:
    """Each field in one piece; joined once, for a field of 100,000 folds must not cost a minute."""
    return [b"".join(lines) for lines in fields]


def _head(raw: bytes) -> tuple[list[bytes], int]:
    """The header fields with their folds, and where the body starts."""
    fields: list[list[bytes]] = []
    end = 0
    for match in LINE.finditer(raw):
        line = match.group(0)
        if line in (b"\n", b"\r\n"):
            return _joined(fields), match.end()
        if line[:1] in (b" ", b"\t") and fields:
            fields[-1].append(line)
        elif FIELD.match(line):
            fields.append([line])
        elif not fields and line.startswith((b"From ", b">From ")):
            pass  # an mbox separator in front of the first header is no header
        else:
            return _joined(fields), match.start()
        end = match.end()
    return _joined(fields), end


def split(raw: bytes) -> tuple[Headers, bytes]:
    """Headers (names as written, values unfolded, RFC 2047 subjects and names decoded) and the body."""
    fields, start = _head(raw)
    matches = (FIELD.match(field) for field in fields)
    headers = tuple((m.group(1).decode("ascii"), _value(m.group(1), m.group(2))) for m in matches if m)
    return headers, raw[start:]


def _unquote(value: str) -> str:
    text = value.strip()
    if text.startswith('"'):
        text = re.sub(r"\\(.)", r"\1", text[1 : -1 if text.endswith('"') and len(text) > 1 else None])
    return text


def _extended(value: str, *, is_first: bool, charset: str) -> tuple[str, str]:
    """One RFC 2231 segment: percent-decoded text and the charset it named."""
    if is_first and value.count("'") >= 2:
        charset, _, value = value.split("'", 2)
    data = unquote_to_bytes(value)
    return charset_text(data, charset) or data.decode("utf-8", "replace"), charset


def parameters(value: str) -> dict[str, str]:
    """Parameters of a Content-Type or Content-Disposition, RFC 2231 forms joined and decoded."""
    pairs = [(name.lower(), _unquote(text)) for name, text in PARAM.findall(value)[:200]]
    found: dict[str, str] = {}
    charset = ""
    for name, text in pairs:
        base, star, rest = name.partition("*")
        if not star:
            found.setdefault(base, text)
            continue
        if rest == "" or name.endswith("*"):
            text, charset = _extended(text, is_first=rest in ("", "0*"), charset=charset)
        found[base] = text if rest in ("", "0", "0*") else found.get(base, "") + text
    return found


def _type(headers: Headers, default: str) -> tuple[str, dict[str, str]]:
    value = first(headers, "Content-Type")
    match = TYPE.match(value)
    return (match.group(1).lower() if match else default), parameters(value)


def _pieces(body: bytes, boundary: str) -> list[bytes]:
    """The bytes between delimiter lines; a missing end delimiter means up to the end."""
    mark = re.escape(boundary.encode("utf-8", "replace"))
    lines = re.compile(rb"(?:\A|\r?\n)--" + mark + rb"(--)?[ \t]*(?:\r?\n|\Z)")
    pieces: list[bytes] = []
    position, start = 0, -1
    while (match := lines.search(body, position)) is not None and len(pieces) < MAX_PARTS:
        if start >= 0:
            pieces.append(body[start : match.start()])
        if match.group(1):
            return pieces
        start = match.end()
        # The line break that ends a delimiter may begin the next one (an empty part).
        position = start - 1 if body[start - 1 : start] == b"\n" else start
        position = max(position, match.start() + 1)
    return [*pieces, body[start:]] if 0 <= start < len(body) else pieces


def _children(body: bytes, mime_type: str, boundary: str, depth: int) -> tuple[Part, ...]:
    if depth >= MAX_DEPTH:
        return ()
    if mime_type == "message/rfc822":
        return (parse(body, depth=depth + 1),)
    default = "message/rfc822" if mime_type == "multipart/digest" else "text/plain"
    return tuple(parse(piece, depth=depth + 1, default=default) for piece in _pieces(body, boundary))


def parse(raw: bytes, *, depth: int = 0, default: str = "text/plain") -> Part:
    """The tree of one mail, or of one part of it."""
    headers, body = split(raw)
    mime_type, params = _type(headers, default)
    placing = first(headers, "Content-Disposition")
    disposition = placing.partition(";")[0].strip().lower()
    filename = words(parameters(placing).get("filename") or params.get("name", ""))
    boundary = params.get("boundary", "").rstrip()
    if mime_type.startswith("multipart/"):
        parts = _children(body, mime_type, boundary, depth) if boundary else ()
        if parts:
            return Part(mime_type, headers, "", disposition, "", b"", parts)
        mime_type = "text/plain"  # a container without parts: what is there is read as text
    data = transfer(body, first(headers, "Content-Transfer-Encoding"))
    inner = _children(data, mime_type, "", depth) if mime_type == "message/rfc822" else ()
    return Part(mime_type, headers, filename, disposition, params.get("charset", ""), data, inner)
