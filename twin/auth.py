"""Tokens and scopes. A token is a name with a set of scopes; there is no sign-in.

Which scopes open which method is the table of the public discovery document, in short names:
`gmail.readonly` for `https://www.googleapis.com/auth/gmail.readonly`, `mail` for `https://mail.google.com/`.

>>> scopes("gmail.modify,gmail.insert") == {"gmail.modify", "gmail.insert"}
True
"""

from collections.abc import Mapping

from twin.paramspec import Args
from twin.wire import ApiError, Request

FULL = "mail"
KNOWN = frozenset(
    (
        FULL,
        *(f"gmail.{name}" for name in ("readonly", "modify", "compose", "send", "insert", "labels", "metadata")),
        *(f"gmail.settings.{name}" for name in ("basic", "sharing")),
        *(f"gmail.addons.current.message.{name}" for name in ("action", "metadata", "readonly")),
        "gmail.addons.current.action.compose",
    )
)
# `all` leaves out gmail.metadata: a token that carries it may not search, whatever else it carries.
ALL = KNOWN - {"gmail.metadata"}
DEFAULT_TOKENS: Mapping[str, frozenset[str]] = {
    "demo": frozenset({"gmail.modify"}),
    "demo-readonly": frozenset({"gmail.readonly"}),
    "seed": frozenset({"gmail.insert"}),
}
SIGN_IN = (
    "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
    "See https://developers.google.com/identity/sign-in/web/devconsole-project."
)
WHERE = {"location": "Authorization", "locationType": "header"}


def scopes(text: str) -> frozenset[str]:
    """Scopes from a comma-separated list of short names or whole URLs, or `all`. ValueError for others."""
    names = set()
    for item in filter(None, (part.strip() for part in text.split(","))):
        short = item.removeprefix("https://www.googleapis.com/auth/")
        names.add(FULL if short in ("https://mail.google.com/", "mail.google.com") else short)
    if "all" in names:
        return ALL | (names - {"all"})
    if not names or names - KNOWN:
        raise ValueError(f"unknown scopes: {', '.join(sorted(names - KNOWN)) or '(none given)'}")
    return frozenset(names)


def token_of(request: Request, args_token: str) -> str:
    """The bearer token of the header, else the one of the query; empty when there is none."""
    kind, _, value = request.header("Authorization").strip().partition(" ")
    return value.strip() if kind.lower() == "bearer" else args_token


def granted(tokens: Mapping[str, frozenset[str]], token: str) -> frozenset[str]:
    """The scopes of a token, or 401."""
    if not token:
        message = f"Request is missing required authentication credential. {SIGN_IN}"
        raise ApiError(401, message, "required", short="Login Required.", **WHERE)
    if token not in tokens:
        message = f"Request had invalid authentication credentials. {SIGN_IN}"
        raise ApiError(401, message, "authError", short="Invalid Credentials", **WHERE)
    return tokens[token]


def check_scopes(have: frozenset[str], wanted: frozenset[str], method: str) -> None:
    """403 unless the token holds one of the scopes that open the method."""
    if have & wanted:
        return
    detail = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
        "domain": "googleapis.com",
        "metadata": {"method": method, "service": "gmail.googleapis.com"},
    }
    message = "Request had insufficient authentication scopes."
    raise ApiError(403, message, "insufficientPermissions", short="Insufficient Permission", details=[detail])


def check_metadata_limits(have: frozenset[str], args: Args, default_format: str) -> None:
    """A token that carries gmail.metadata may not search nor see bodies, even beside wider scopes."""
    if "gmail.metadata" not in have:
        return
    if args.text("q"):
        raise ApiError(403, "Metadata scope does not support 'q' parameter", "forbidden")
    form = args.text("format", default_format).lower()
    if form in ("full", "raw"):
        raise ApiError(403, f"Metadata scope doesn't allow format {form.upper()}", "forbidden")
