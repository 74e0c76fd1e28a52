"""One sequence of bytes for every document: RFC 8785 JSON, named by its sha256.

A sealed file is valid only if its bytes equal the canonical bytes of what they parse to: then duplicate keys,
NaN, other spellings of the same value and trailing bytes are refused without a list of tricks to look for.

>>> canonical_bytes({"b": 1, "a": "é"})
b'{"a":"\\xc3\\xa9","b":1}'
>>> parse_canonical(b'{"a":1}')
{'a': 1}
"""

import hashlib
import json
import math
from collections.abc import Iterable
from json.encoder import encode_basestring
from typing import Final

import rfc8785

from pipeline.refusals import NotCanonical, NotJson, TooDeep

_LARGEST: Final = 2**53 - 1
_WORDS: Final = {None: "null", True: "true", False: "false"}


def canonical_bytes(value: object) -> bytes:
    """The RFC 8785 bytes of a JSON value. Raises NotCanonical for what JSON cannot hold exactly."""
    try:
        return _spelled(value).encode()
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise NotCanonical("a value has no canonical JSON form", evidence=type(error).__name__) from None


def _spelled(value: object) -> str:
    """What rfc8785 writes, five times as fast for what documents and tables hold; all else is left to it."""
    kind = type(value)
    if kind is str:
        return encode_basestring(value)  # type: ignore[arg-type]
    if value is None or kind is bool:
        return _WORDS[value]  # type: ignore[index]
    if kind is int and -_LARGEST <= value <= _LARGEST:  # type: ignore[operator]
        return str(value)
    if kind is list or kind is tuple:
        return f"[{','.join(map(_spelled, value))}]"  # type: ignore[call-overload]
    if kind is dict and all(type(key) is str and key.isascii() for key in value):  # type: ignore[attr-defined]
        pairs = sorted(value.items())  # type: ignore[attr-defined]  # ASCII sorts like the RFC's UTF-16
        return f"{{{','.join([f'{encode_basestring(key)}:{_spelled(inner)}' for key, inner in pairs])}}}"
    return rfc8785.dumps(value).decode()  # type: ignore[arg-type]  # rfc8785 refuses the rest itself


def sha256_hex(data: bytes) -> str:
    """The lowercase hex sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def parse_json_object(data: bytes) -> dict[str, object]:
    """One UTF-8 JSON object without duplicate keys, NaN or trailing text. Raises NotJson, TooDeep; quotes nothing."""
    try:
        text = data.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_unique_pairs, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError:
        raise TooDeep("nested deeper than we read", evidence=f"{len(data)} bytes") from None
    except ValueError as error:
        raise NotJson("not one UTF-8 JSON object", evidence=f"{len(data)} bytes, {type(error).__name__}") from None
    if not isinstance(value, dict):
        raise NotJson("not a JSON object", evidence=f"a {type(value).__name__}")
    return value


def parse_canonical(data: bytes) -> dict[str, object]:
    """Parse an object whose bytes must be canonical. Raises NotJson or NotCanonical."""
    value = parse_json_object(data)
    if canonical_bytes(value) != data:
        raise NotCanonical("bytes are not the canonical form of what they say", evidence=f"{len(data)} bytes")
    return value


def canonical_lines(rows: Iterable[object]) -> bytes:
    """Canonical JSON of each row, each followed by one newline."""
    return b"".join(canonical_bytes(row) + b"\n" for row in rows)


def _unique_pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate key")
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError("not a finite number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):  # 1e999 is a number in JSON's grammar
        raise ValueError("not a finite number")
    return number
