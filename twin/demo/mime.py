"""Mail bytes by hand, because the standard library's own change between Python versions.

Lines end in `\\n` here; the rim turns them into CRLF once, at the end.
"""

import re
from base64 import b64encode
from dataclasses import dataclass

_PLAIN = frozenset(range(33, 127)) - {ord("=")} | {ord(" "), ord("\t")}
_WIDTH = 76
_ADDRESS = re.compile(r"^(.*?)\s*(<[^<>]*>)\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entity:
    """A MIME part: header lines and a body, both bytes."""

    headers: bytes
    body: bytes

    def as_bytes(self) -> bytes:
        """Headers, an empty line, the body."""
        return self.headers + b"\n" + self.body


def encode_words(text: str, charset: str) -> str:
    """RFC 2047 encoded words, folded, where the text is not ASCII; the text itself otherwise.

    Western text in UTF-8 mail becomes ISO-8859-1 in Q, all other text B in its charset.
    """
    if text.isascii():
        return text
    if charset == "utf-8" and all(ord(letter) < 256 for letter in text):
        return _encode_western(text)
    pieces = [text[start : start + 14] for start in range(0, len(text), 14)]
    words = (b64encode(piece.encode(charset)).decode("ascii") for piece in pieces)
    return "\n ".join(f"=?{charset}?B?{word}?=" for word in words)


def _encode_western(text: str) -> str:
    letters = (
        letter if letter.isascii() and letter.isalnum() else "_" if letter == " " else f"={ord(letter):02X}"
        for letter in text
    )
    rows = [""]
    for letter in letters:
        if len(rows[-1]) + len(letter) > 55:
            rows.append("")
        rows[-1] += letter
    return "\n ".join(f"=?iso-8859-1?Q?{row}?=" for row in rows)


def encode_address(value: str, charset: str) -> str:
    """One mailbox, its display name encoded where needed."""
    match = _ADDRESS.match(value)
    if value.isascii() or match is None:
        return value
    return f"{encode_words(match.group(1).strip(chr(34)), charset)} {match.group(2)}"


def quoted_printable(data: bytes) -> bytes:
    """RFC 2045 quoted-printable, soft breaks at 75 columns."""
    return b"\n".join(_quote_line(line) for line in data.split(b"\n"))


def _quote_line(line: bytes) -> bytes:
    tokens = [bytes((byte,)) if byte in _PLAIN else b"=%02X" % byte for byte in line]
    if tokens and tokens[-1] in (b" ", b"\t"):
        tokens[-1] = b"=%02X" % tokens[-1][0]
    rows, row = [], b""
    for token in tokens:
        if len(row) + len(token) > _WIDTH - 1:
            rows.append(row + b"=")
            row = b""
        row += token
    return b"\n".join([*rows, row])


def base64_lines(data: bytes) -> bytes:
    """Base64 in lines of 76."""
    text = b64encode(data)
    return b"".join(text[start : start + _WIDTH] + b"\n" for start in range(0, len(text), _WIDTH))


def transfer(data: bytes, encoding: str) -> bytes:
    """The bytes in a transfer encoding; 7bit and 8bit leave them alone."""
    if encoding == "base64":
        return base64_lines(data.replace(b"\n", b"\r\n"))
    return quoted_printable(data) if encoding == "quoted-printable" else data


def text_part(text: str, content_type: str, charset: str, declared: str, encoding: str) -> Entity:
    """A text part; `declared` is the charset it claims, `encoding` '' picks a fitting one."""
    data = text.encode(charset)
    longest = max(len(line) for line in data.split(b"\n"))
    chosen = encoding or ("7bit" if data.isascii() and longest < 900 else "quoted-printable")
    head = f'Content-Type: {content_type}; charset="{declared}"\nContent-Transfer-Encoding: {chosen}\n'
    return Entity(head.encode("ascii"), transfer(data, chosen))


def attachment(data: bytes, content_type: str, file_name: str) -> Entity:
    """A file, in base64."""
    head = (
        f'Content-Type: {content_type}; name="{file_name}"\n'
        f'Content-Disposition: attachment; filename="{file_name}"\nContent-Transfer-Encoding: base64\n'
    )
    return Entity(head.encode("ascii"), base64_lines(data))


def embedded(message: str) -> Entity:
    """A whole mail inside a mail."""
    return Entity(b"Content-Type: message/rfc822\nContent-Disposition: inline\n", message.encode("utf-8"))


def multipart(kind: str, parts: tuple[Entity, ...], boundary: str) -> Entity:
    """Several parts as one; a single part stays itself."""
    if len(parts) == 1:
        return parts[0]
    line = b"--" + boundary.encode("ascii")
    body = b"".join(line + b"\n" + part.as_bytes().rstrip(b"\n") + b"\n\n" for part in parts)
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\n'
    return Entity(head.encode("ascii"), body + line + b"--\n")
