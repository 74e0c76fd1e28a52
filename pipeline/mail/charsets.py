"""Bytes to text under a charset the sender named, who may lie or attack.

Promises: only known, linear text encodings are ever tried; the result says when it is not exact.

>>> decode_bytes(b"caf\\xe9", "iso-8859-1")
('café', True)
>>> lookup("x-nowhere") is None
True
"""

import codecs
from functools import lru_cache
from typing import Final

# Names mail uses, mapped to the superset that real senders mean.
_ALIASES: Final = {
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "ks_c_5601": "cp949",
    "gb2312": "gb18030",
    "gb_2312-80": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "windows-874": "cp874",
    "iso-8859-11": "cp874",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "utf8mb4": "utf-8",
    "unicode-1-1-utf-8": "utf-8",
}
# By the names Python's registry gives. Left out on purpose: idna and punycode (quadratic),
# utf-7 and the escape codecs (hide text), everything that is not a text encoding.
_ALLOWED_NAMES: Final = (
    "utf-8 utf-8-sig utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be ascii"
    " iso8859-1 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9"
    " iso8859-10 iso8859-11 iso8859-13 iso8859-14 iso8859-15 iso8859-16"
    " cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp437 cp850 cp852 cp855 cp858 cp862"
    " cp864 cp866 cp874 cp932 cp949 cp950 koi8-r koi8-u koi8-t tis-620 viscii"
    " gb2312 gbk gb18030 hz big5 big5hkscs euc_jp euc_jis_2004 euc_kr shift_jis johab"
    " iso2022_jp iso2022_jp_1 iso2022_jp_2 iso2022_jp_3 iso2022_jp_ext iso2022_kr"
    " mac-roman mac-cyrillic mac-latin2 mac-greek mac-turkish"
)
_ALLOWED: Final = frozenset(_ALLOWED_NAMES.split())
_STATEFUL: Final = ("iso2022", "hz")
_MAX_NAME: Final = 40


@lru_cache(maxsize=512)
def lookup(charset: str) -> str | None:
    """Python's name for a charset we are ready to decode, or None."""
    name = charset.strip().strip("\"'").lower()
    if not name or len(name) > _MAX_NAME or not name.isascii() or "\x00" in name:
        return None
    try:
        found = codecs.lookup(_ALIASES.get(name, name)).name
    except (LookupError, ValueError, UnicodeError):
        return None
    return found if found in _ALLOWED else None


def decode_bytes(data: bytes, charset: str | None) -> tuple[str, bool]:
    """The text, and whether it is exact: UTF-8 first (Gmail converts), then the charset that was named.

    A charset that hides text in ASCII (ISO-2022, UTF-16) is believed before UTF-8 when its signs are there.
    """
    codec = lookup(charset) if charset else None
    if codec is not None and _is_hidden_in_utf8(data, codec):
        return _attempt(data, codec) or (data.decode("utf-8", "replace"), False)
    return _attempt(data, "utf-8") or (_attempt(data, codec) if codec else None) or _last_resort(data)


def _is_hidden_in_utf8(data: bytes, codec: str) -> bool:
    if codec.startswith(("utf-16", "utf-32")):
        return b"\x00" in data
    return codec.startswith(_STATEFUL) and (b"\x1b" in data or b"~{" in data)


def _attempt(data: bytes, codec: str) -> tuple[str, bool] | None:
    try:
        return data.decode(codec), True
    except (UnicodeError, ValueError):
        return None


def _last_resort(data: bytes) -> tuple[str, bool]:
    return data.decode("utf-8", "replace"), False
