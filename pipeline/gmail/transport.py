"""The `http=` object under the Google client: one call is one request, gated, priced and recorded, or nothing.

Order: the gate (no byte leaves before it), the kill switch, the token, the meter, the kill switch again, the wire, the
record, and only then the caller. The
client itself would repeat a POST when the connection drops, follow redirects and rewrite long GETs; this object cannot.

    http = OneRequest(allowed, rim)
    response, body = http.request(url, "GET")      # raises RequestRefused, GmailError, Unanswered
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pipeline.evidence.captures import Exchange
from pipeline.gmail.answers import Recorder, Unanswered, error_of
from pipeline.gmail.gate import Allowed, Permit, WireRequest, check
from pipeline.gmail.quota import Meter
from pipeline.gmail.wire import Dropped, Wire


class Credential(Protocol):
    """Where access tokens come from; its repr never shows one."""

    @property
    def is_published(self) -> bool:
        """Whether everybody knows the token (the demo's)."""

    def token(self) -> str:
        """A bearer token that is valid now. Raises SignInAgain, KeyringRefused or Unreachable."""

    def granted_scopes(self) -> frozenset[str] | None:
        """The scopes that the last token was granted; None where the issuer does not say."""


def never() -> None:
    """The check of stages that change nothing: no stop."""


def keep_nothing(exchange: Exchange) -> None:
    """The recorder of stages that keep no bodies."""


@dataclass(frozen=True, slots=True)
class Rim:
    """All that touches the outside, handed in once: the wire, the credential, the meter (with its clock), the recorder.

    `twin` is the base URL that the registry's `endpoint = "twin"` means in this run, e.g. `http://127.0.0.1:8080`.
    """

    wire: Wire = field(repr=False)
    credential: Credential = field(repr=False)
    meter: Meter = field(repr=False)
    record: Recorder = field(default=keep_nothing, repr=False)
    twin: str = ""
    check: Callable[[], None] = field(default=never, repr=False)
    """Asked before a token is renewed and again before a byte leaves; raises to stop everything."""


class WireResponse(dict[str, str]):
    """What the client reads of a response: `status` and `reason`. It holds no headers."""

    def __init__(self, status: int) -> None:
        super().__init__(status=str(status))
        self.status = status
        self.reason = ""


class OneRequest:
    """One `request()` call = at most one request on the wire, and none that the gate does not know."""

    __slots__ = ("_allowed", "_rim")

    def __init__(self, allowed: Allowed, rim: Rim) -> None:
        self._allowed = allowed
        self._rim = rim

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: str | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        redirections: int = 0,
        connection_type: object = None,
    ) -> tuple[WireResponse, bytes]:
        """A 2xx status and its body bytes. Raises RequestRefused, GmailError (any other status) or Unanswered."""
        data = body.encode("utf-8") if isinstance(body, str) else body or b""
        request = WireRequest(method, uri, dict(headers or {}), data)
        permit = check(request, self._allowed)
        outcome = self._exchanged(permit, request)
        if isinstance(outcome, Unanswered):
            raise outcome
        status, answer = outcome
        if not 200 <= status < 300:
            raise error_of(permit.method, status, answer)
        return WireResponse(status), answer

    def _exchanged(self, permit: Permit, request: WireRequest) -> tuple[int, bytes] | Unanswered:
        """Exactly one request; whatever becomes of it is recorded before anybody sees it."""
        self._rim.check()
        headers = self._headers(request)
        self._rim.meter.charge(permit.method)
        self._rim.check()  # the meter may have waited for a minute
        outcome = self._tried(permit, request, headers)
        status, body = (0, b"") if isinstance(outcome, Unanswered) else outcome
        self._rim.record(Exchange(permit.method, permit.parameters, status, body))
        return outcome

    def _tried(
        self, permit: Permit, request: WireRequest, headers: Mapping[str, str]
    ) -> tuple[int, bytes] | Unanswered:
        try:
            status, _, body = self._rim.wire(request.verb, request.url, headers, request.body)
        except Dropped as drop:
            return Unanswered(permit.method, drop.kind, is_surely_unsent=drop.is_surely_unsent)
        except OSError as error:
            return Unanswered(permit.method, type(error).__name__)
        return status, body

    def _headers(self, request: WireRequest) -> dict[str, str]:
        """Our own headers, none of the client's: so nothing it adds tomorrow can leave."""
        plain = {"accept": "application/json", "accept-encoding": "identity", "user-agent": "gmailtriage"}
        typed = {"content-type": "application/json"} if request.body else {}
        return {**plain, **typed, "authorization": f"Bearer {self._rim.credential.token()}"}
