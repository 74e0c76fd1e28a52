"""What Gmail itself found about SPF, DKIM and DMARC; nothing a sender wrote is believed.

Promises: only the topmost Authentication-Results field counts, only when its authserv-id is Gmail's,
and only above the first Received line of a foreign host. Comments and quoted text never count; what
cannot be parsed, repeats itself or uses an unknown result word is None: no verdict, never a pass.

>>> read_auth(["mx.google.com; spf=pass smtp.mailfrom=a@b.example; dmarc=fail header.from=b.example"])
Auth(spf='pass', dkim=None, dmarc='fail', dkim_domains=())
>>> read_auth(["mx.evil.example; dmarc=pass", "mx.google.com; dmarc=pass"])
Auth(spf=None, dkim=None, dmarc=None, dkim_domains=())
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

TRUSTED_SERVER: Final = "mx.google.com"
MAX_FIELD_CHARACTERS: Final = 8_192
_WORDS: Final = (
    "pass fail none neutral softfail temperror permerror policy hardfail discard nxdomain bestguesspass"
)
_RESULTS: Final = frozenset(_WORDS.split())
# "by" at Gmail's own hosts and its internal IPv6 spelling; a line without "by" is nobody's.
_OWN_HOP: Final = re.compile(
    r"(?:from [^;]{0,1000}\s)?by (?:mx\.google\.com|[a-z0-9-]+\.(?:prod\.)?google\.com|2002:[0-9a-f:.]+)\s", re.I
)


@dataclass(frozen=True, slots=True)
class Auth:
    """Result words in lower case, None where there is no trusted verdict; domains of passing signatures."""

    spf: str | None = None
    dkim: str | None = None
    dmarc: str | None = None
    dkim_domains: tuple[str, ...] = ()


NO_VERDICT: Final = Auth()


def trusted_values(pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The Authentication-Results values above the first Received line that Gmail did not write."""
    found: list[str] = []
    for name, value in pairs:
        if name == "received" and not _OWN_HOP.match(" ".join(value[:2_000].split()) + " "):
            break
        if name == "authentication-results":
            found.append(value)
    return tuple(found)


def read_auth(values: Sequence[str]) -> Auth:
    """The verdicts of the topmost field, if Gmail wrote it; everything None otherwise."""
    if not values or not _is_plausible(values[0]):
        return NO_VERDICT
    parsed = _parse(values[0])
    if parsed is None or str(parsed.authserv_id).lower() != TRUSTED_SERVER:
        return NO_VERDICT
    results = [r for r in parsed.results if getattr(r, "method", None)]
    return Auth(
        spf=_single(results, "spf"),
        dkim=_any_pass(results),
        dmarc=_single(results, "dmarc"),
        dkim_domains=_passing_domains(results),
    )


def _is_plausible(value: str) -> bool:
    """Cheap look before the parser: its time grows with the input, and most old mail has no such field."""
    return len(value) <= MAX_FIELD_CHARACTERS and value.lstrip()[: len(TRUSTED_SERVER)].lower() == TRUSTED_SERVER


def _parse(value: str) -> Any:
    import authres  # 20 ms: only for mail that carries the field

    try:
        return authres.AuthenticationResultsHeader.parse_value(" ".join(value.split()))
    except (authres.AuthResError, ValueError, TypeError, AttributeError, IndexError, RecursionError):
        return None


def _words(results: list[Any], method: str) -> list[str | None]:
    found = [str(r.result).lower() for r in results if r.method == method]
    return [word if word in _RESULTS else None for word in found]


def _single(results: list[Any], method: str) -> str | None:
    """The one result of a method; two that differ are no verdict."""
    words = set(_words(results, method))
    return words.pop() if len(words) == 1 else None


def _any_pass(results: list[Any]) -> str | None:
    """Several signatures are normal: one that verifies is a pass, else they must agree."""
    return "pass" if "pass" in _words(results, "dkim") else _single(results, "dkim")


def _passing_domains(results: list[Any]) -> tuple[str, ...]:
    passing = [r for r in results if r.method == "dkim" and str(r.result).lower() == "pass"]
    named = [_signing_domain(r) for r in passing]
    return tuple(dict.fromkeys(name for name in named if name))


def _signing_domain(result: Any) -> str:
    """d= where it is given, else what follows the @ of i=."""
    for prop in result.properties:
        if prop.type == "header" and prop.name in ("d", "i") and prop.value:
            return str(prop.value).rpartition("@")[2].lower()
    return ""
