"""Header fields as Gmail lists them: any letter case, duplicates kept, values decoded safely.

Promises: decoding never raises, is linear, and never lets an encoded line break or control
character through; what could not be decoded stays in its encoded spelling and is named as a defect.

>>> fields = read_headers([{"name": "SUBJECT", "value": "=?utf-8?q?caf=C3=A9?="}])
>>> fields.first("subject")
'=?utf-8?q?caf=C3=A9?='
>>> decode("=?utf-8?q?caf=C3=A9?=").text
'café'
"""

import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pipeline.mail import charsets

MAX_FIELDS: Final = 2_000
MAX_VALUE_CHARACTERS: Final = 8_192

_ENCODED_WORD: Final = re.compile(r"=\?([^?\s]{1,64})\?([bBqQ])\?([^?]*)\?=")
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_FOLDING: Final = re.compile(r"\r?\n(?=[ \t])")
_HEX_PAIR: Final = re.compile(rb"=([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A header value as text; defects: over_cap, unknown_charset, undecodable, lossy, control_character."""

    text: str
    defects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Headers:
    """Name and value pairs in wire order, names in lower case, values untouched."""

    pairs: tuple[tuple[str, str], ...] = ()
    defects: tuple[str, ...] = ()

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of the field, topmost first."""
        wanted = name.lower()
        return tuple([value for key, value in self.pairs if key == wanted])

    def by_name(self) -> dict[str, list[str]]:
        """Every field's values, topmost first: for who asks for many fields."""
        found: dict[str, list[str]] = {}
        for name, value in self.pairs:
            found.setdefault(name, []).append(value)
        return found

    def first(self, name: str) -> str | None:
        """The topmost value, or None when the field is absent."""
        wanted = name.lower()
        for key, value in self.pairs:
            if key == wanted:
                return value
        return None


def read_headers(listed: object) -> Headers:
    """Gmail's `[{"name", "value"}, ...]`; entries of another shape are left out and named as a defect."""
    if not isinstance(listed, (list, tuple)):
        return Headers((), ("malformed_header",) if listed is not None else ())
    pairs: list[tuple[str, str]] = []
    for entry in listed[:MAX_FIELDS]:
        if isinstance(entry, (dict, Mapping)):  # dict first: asking an abstract class costs a microsecond
            name, value = entry.get("name"), entry.get("value")
            if isinstance(name, str) and isinstance(value, str):
                pairs.append((name.strip().lower(), value))
    defects = ["malformed_header"] if len(pairs) < min(len(listed), MAX_FIELDS) else []
    if len(listed) > MAX_FIELDS:
        defects.append("over_cap")
    return Headers(tuple(pairs), tuple(defects))


def decode(value: str) -> Decoded:
    """The readable text of one value: encoded words resolved, controls and line breaks made spaces."""
    if value.isascii() and value.isprintable() and "=?" not in value and len(value) <= MAX_VALUE_CHARACTERS:
        return Decoded(value)
    defects: list[str] = []
    if len(value) > MAX_VALUE_CHARACTERS:
        value, defects = value[:MAX_VALUE_CHARACTERS], ["over_cap"]
    unfolded = _FOLDING.sub("", value)
    text = _decode_words(unfolded, defects) if "=?" in unfolded else unfolded
    return Decoded(_inert(text, defects), tuple(dict.fromkeys(defects)))


def _inert(text: str, defects: list[str]) -> str:
    """Tabs become spaces silently; any other control character does so as a defect."""
    spaced = text.replace("\t", " ")
    cleaned = _CONTROLS.sub(" ", spaced)
    if cleaned != spaced:
        defects.append("control_character")
    whole = _SURROGATES.sub("\ufffd", cleaned)
    if "\ufffd" in whole:
        defects.append("lossy")
    return whole


def _decode_words(value: str, defects: list[str]) -> str:
    """Text with its encoded words resolved; neighbours of one charset are joined as bytes first.

    Senders split a multi-byte character across two words.
    """
    pieces: list[str] = []
    run: list[tuple[str, bytes, str]] = []
    end = 0
    for word in _ENCODED_WORD.finditer(value):
        between = value[end : word.start()]
        if between.strip() or not run:
            _flush(run, pieces, defects)
            pieces.append(between)
        payload = _payload(word.group(2), word.group(3), defects)
        charset = word.group(1).partition("*")[0].lower()
        if run and run[-1][0] != charset:
            _flush(run, pieces, defects)
        run.append((charset, payload if payload is not None else b"", word.group()))
        if payload is None:
            pieces.append(run.pop()[2])
        end = word.end()
    _flush(run, pieces, defects)
    return "".join(pieces) + value[end:]


def _flush(run: list[tuple[str, bytes, str]], pieces: list[str], defects: list[str]) -> None:
    if not run:
        return
    if charsets.lookup(run[0][0]) is None:
        defects.append("unknown_charset")
        pieces.append(" ".join(raw for _, _, raw in run))
    else:
        text, is_exact = charsets.decode_bytes(b"".join(data for _, data, _ in run), run[0][0])
        pieces.append(text)
        if not is_exact:
            defects.append("lossy")
    run.clear()


def _payload(kind: str, text: str, defects: list[str]) -> bytes | None:
    data = text.encode("utf-8", "replace")
    if kind in "qQ":
        return _HEX_PAIR.sub(lambda pair: bytes([int(pair.group(1), 16)]), data.replace(b"_", b" "))
    stripped = b"".join(data.split()).rstrip(b"=")
    try:
        return binascii.a2b_base64(stripped + b"=" * (-len(stripped) % 4), strict_mode=True)
    except (binascii.Error, ValueError):
        defects.append("undecodable")
        return None
