"""What comes back from Gmail: an answer, an error that Gmail spelled out, or silence.

The executor must tell these apart: `GmailError` means that Gmail answered and refused, `Unanswered` that nobody knows
whether it acted. Neither carries a URL, a query, an address, a token or text of a body: only the operation's name, the
status and Gmail's one-word reason.

>>> str(GmailError("messages.get", 404, "notFound"))
"refused (gmail-error): Gmail answered messages.get with an error\\n  evidence: status 404, reason notFound"
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pipeline.canonical import parse_json_object
from pipeline.evidence.captures import Exchange
from pipeline.refusals import BudgetRefused, NotJson

RATE_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "RESOURCE_EXHAUSTED"})
_REASON = re.compile(r"[A-Za-z_]{1,64}")


@dataclass(frozen=True, slots=True)
class Answer:
    """A success: `status` 200 or 204, and Gmail's JSON object (empty for 204)."""

    status: int
    document: dict[str, object] = field(repr=False)


Parameters = Mapping[str, str | tuple[str, ...]]
"""What a request asked for: ids, query and body keys by name, without constants and without secrets."""

Recorder = Callable[[Exchange], None]
"""Called once for each request that was tried, before anything parses its body; status 0: no whole answer came."""


class GmailError(BudgetRefused):
    """Gmail answered with an error status: `method`, `status`, `reason` (one word, or `unknown`)."""

    def __init__(self, method: str, status: int, reason: str) -> None:
        super().__init__(f"Gmail answered {method} with an error", evidence=f"status {status}, reason {reason}")
        self.method = method
        self.status = status
        self.reason = reason

    @property
    def is_rate_limit(self) -> bool:
        """Whether waiting helps: 429, or 403 for a rate."""
        return self.status == 429 or (self.status == 403 and self.reason in RATE_REASONS)

    @property
    def is_server_fault(self) -> bool:
        """Whether the fault is Gmail's (5xx); a mutation may have happened all the same."""
        return self.status >= 500


class Unanswered(BudgetRefused):
    """No usable answer came. Unless `is_surely_unsent`, nobody knows whether Gmail acted: read back."""

    def __init__(self, method: str, kind: str, *, is_surely_unsent: bool = False) -> None:
        super().__init__(f"{method} got no usable answer", evidence=kind)
        self.method = method
        self.kind = kind
        self.is_surely_unsent = is_surely_unsent


def error_of(method: str, status: int, body: bytes) -> GmailError:
    """The error that a status and body tell, reduced to one word: error texts quote queries and addresses."""
    return GmailError(method, status, reason_of(body))


def reason_of(body: bytes) -> str:
    """Gmail's reason in an error body, e.g. `rateLimitExceeded`; `unknown` when there is none."""
    try:
        error = parse_json_object(body).get("error")
    except NotJson:
        return "unknown"
    if not isinstance(error, dict):
        return _word(error)
    return _word(_first_reason(error.get("errors")) or error.get("status"))


def _first_reason(errors: object) -> object:
    first = errors[0] if isinstance(errors, list) and errors else None
    return first.get("reason") if isinstance(first, dict) else None


def _word(value: object) -> str:
    return value if isinstance(value, str) and _REASON.fullmatch(value) else "unknown"
