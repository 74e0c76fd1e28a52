"""A structured header value: its first word and its parameters, RFC 2231 pieces joined; never an exception.

>>> parameters_of('multipart/mixed; Boundary="a b"; charset=utf-8')
('multipart/mixed', {'boundary': 'a b', 'charset': 'utf-8'})
"""

import re
from typing import Final
from urllib.parse import unquote_to_bytes

_MAX_CHARACTERS: Final = 8_192
_MAX_PARAMETERS: Final = 50
_PARAMETER: Final = re.compile(r';\s*([^\s=;"]{1,80})\s{0,20}=\s{0,20}("(?:[^"\\]|\\.)*"|[^;]*)', re.S)
_ESCAPED: Final = re.compile(r"\\(.)", re.S)
_PIECE: Final = re.compile(r"([^*]+)\*[0-9]*\*?\Z")


def parameters_of(value: str | None) -> tuple[str, dict[str, str]]:
    """(word in lower case, parameters by lower-case name); of a parameter given twice the first counts."""
    text = (value or "")[:_MAX_CHARACTERS].replace("\r\n", "")
    word, _, _ = text.partition(";")
    found: dict[str, str] = {}
    pieces: dict[str, str] = {}
    for name, raw in _PARAMETER.findall(text)[:_MAX_PARAMETERS]:
        key, piece = name.lower(), _PIECE.match(name.lower())
        if piece is None:
            found.setdefault(key, _plain(raw))
        else:
            base = piece.group(1)
            pieces[base] = pieces.get(base, "") + (_extended(_plain(raw)) if key.endswith("*") else _plain(raw))
    return word.strip().lower(), {**pieces, **found}


def _plain(raw: str) -> str:
    raw = raw.strip()
    return _ESCAPED.sub(r"\1", raw[1:-1]) if len(raw) > 1 and raw[0] == raw[-1] == '"' else raw


def _extended(text: str) -> str:
    """`utf-8'en'caf%C3%A9` without its prefix, percent signs resolved."""
    _, quote, rest = text.rpartition("'")
    return unquote_to_bytes(rest if quote else text).decode("utf-8", "replace")
