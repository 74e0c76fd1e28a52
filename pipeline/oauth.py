"""One access token for one refresh token, with exactly one request to Google's token endpoint.

google-auth repeats a refresh by itself and follows the wall clock; here its request object raises on any status but
200, so nothing is repeated, and the caller's monotonic clock says when a token ends.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.canonical import parse_json_object
from pipeline.gmail.wire import Dropped, Wire, silence_library_logs
from pipeline.refusals import CredentialMissing, NotJson, Refusal, RequestRefused, SignInAgain, Unreachable

TOKEN_URL = "https://oauth2.googleapis.com/token"  # noqa: S105  an address, not a secret
_FORM_TYPE = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class AuthorizedUser:
    """What Google's sign-in leaves behind: a refresh token of one client."""

    client_id: str = field(repr=False)
    client_secret: str = field(repr=False)
    refresh_token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A bearer token, the scopes it was granted (None when not said), and seconds until it ends."""

    token: str = field(repr=False)
    scopes: frozenset[str] | None
    seconds: float


def read_authorized_user(account: str, stored: str) -> AuthorizedUser:
    """Parse an authorized-user JSON. Raises CredentialMissing without quoting it."""
    try:
        document = parse_json_object(stored.encode("utf-8", "replace"))
    except NotJson:
        document = {}
    values = [document.get(key) for key in ("client_id", "client_secret", "refresh_token")]
    texts = [value for value in values if isinstance(value, str) and value]
    if len(texts) != len(values):
        raise CredentialMissing(f"the stored credential of {account} is no authorized-user JSON")
    return AuthorizedUser(*texts)


def refreshed(account: str, user: AuthorizedUser, wire: Wire) -> AccessToken:
    """A fresh access token. Raises SignInAgain (the refresh token is dead) or Unreachable."""
    silence_library_logs()
    outcome = _asked(account, user, wire)
    if isinstance(outcome, Refusal):
        raise outcome.with_traceback(None)  # google-auth's frames hold the secrets
    return outcome


def _asked(account: str, user: AuthorizedUser, wire: Wire) -> AccessToken | Refusal:
    import google.auth.exceptions
    import google.oauth2.credentials

    endpoint = _TokenEndpoint(account, wire)
    credentials = google.oauth2.credentials.Credentials(  # type: ignore[no-untyped-call]  # the library is untyped
        None,
        refresh_token=user.refresh_token,
        token_uri=TOKEN_URL,
        client_id=user.client_id,
        client_secret=user.client_secret,
    )
    try:
        credentials.refresh(endpoint)  # type: ignore[no-untyped-call]  # the same
    except Refusal as refusal:
        return refusal
    except google.auth.exceptions.GoogleAuthError as error:
        return Unreachable(f"no access token for account {account}", evidence=type(error).__name__)
    return endpoint.token


@dataclass(slots=True)
class _Response:
    """What google-auth reads of a response."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class _TokenEndpoint:
    """google-auth's request object: one POST to one URL, and any status but 200 ends it."""

    def __init__(self, account: str, wire: Wire) -> None:
        self._account = account
        self._wire = wire
        self.token = AccessToken("", None, 0.0)

    def __call__(
        self, url: str, method: str = "GET", body: bytes | None = None, headers: object = None, **_: Any
    ) -> _Response:
        if url != TOKEN_URL or method != "POST":
            raise RequestRefused("a token request was stopped before it left: it goes elsewhere")
        sent = {"content-type": _FORM_TYPE, "accept": "application/json", "accept-encoding": "identity"}
        try:
            status, _headers, data = self._wire("POST", TOKEN_URL, sent, body or b"")
        except OSError as error:
            kind = error.kind if isinstance(error, Dropped) else type(error).__name__
            raise Unreachable("the token endpoint gave no answer", evidence=kind) from None
        if status != 200:
            raise _refusal(self._account, status, data)
        self.token = _access_token(_object(data))  # before google-auth reads it, which trips over odd values
        return _Response(status, {}, data)


def _access_token(document: Mapping[str, object]) -> AccessToken:
    """The answer's token, strictly read; a lifetime that is not told is none."""
    token, scope, seconds = (document.get(key) for key in ("access_token", "scope", "expires_in"))
    if not isinstance(token, str) or not token.isascii() or not token.isprintable() or not token.strip():
        raise Unreachable("the token endpoint answered without a token", evidence="status 200")
    if not re.fullmatch(r"[0-9]{1,9}", str(0 if seconds is None else seconds)):
        raise Unreachable("the token endpoint told no lifetime in seconds", evidence="status 200")
    scopes = frozenset(scope.split()) if isinstance(scope, str) else None
    return AccessToken(token, scopes, float(str(seconds or 0)))


def _object(data: bytes) -> dict[str, object]:
    try:
        return parse_json_object(data)
    except NotJson:
        raise Unreachable("the token endpoint answered with no JSON object", evidence="status 200") from None


def _refusal(account: str, status: int, data: bytes) -> Refusal:
    if _error_word(data) in {"invalid_grant", "invalid_client", "unauthorized_client"}:
        return SignInAgain(
            f"the sign-in of account {account} is no longer valid",
            evidence=f"token endpoint: status {status}, {_error_word(data)}",
            next_command=f"sign in again for {account} (an app in Testing mode loses its sign-in after 7 days: "
            "publish it to keep one)",
        )
    return Unreachable(f"no access token for account {account}", evidence=f"token endpoint: status {status}")


def _error_word(data: bytes) -> str:
    try:
        word = json.loads(data).get("error", "")
    except (ValueError, AttributeError):
        return ""
    return word if isinstance(word, str) else ""
