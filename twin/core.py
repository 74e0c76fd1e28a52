"""The state machine: `handle(state, request, now_ms) -> (state, response)`, with no clock and no disk.

Order of checks, as in Gmail: path, token, scope, parameters, user, quota, then the method itself. A request
that is refused changes nothing (a refusal by the method itself has still cost its units).

>>> handle(State("me@demo.example"), Request("GET", "/gmail/v1/users/me/profile"), 0)[1].status
401
"""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import parse_qs

from twin import fields
from twin.auth import check_metadata_limits, check_scopes, granted, token_of
from twin.call import Call
from twin.paramspec import Args, read
from twin.quota import COSTS
from twin.routes import Route, match
from twin.state import State
from twin.wire import ApiError, Json, Request, Response, refuse, reply

OVERRIDE = "X-HTTP-Method-Override"


def effective(request: Request) -> Request:
    """A POST that asks to be read as another verb, as Google reads it; a form body is then the query."""
    verb = request.header(OVERRIDE).upper()
    if request.method != "POST" or not verb:
        return request
    is_form = request.header("Content-Type").lower().startswith("application/x-www-form-urlencoded")
    if not is_form:
        return replace(request, method=verb)
    target = f"{request.path}?{request.body.decode('ascii', 'replace')}"
    return replace(request, method=verb, target=target, body=b"")


def _is_pretty(query: str) -> bool:
    return parse_qs(query).get("prettyPrint", ["true"])[-1].lower() not in ("false", "0")


def _found(request: Request) -> tuple[Route, str, tuple[str, ...]]:
    found = match(request.method, request.path)
    if found is None:
        raise ApiError(404, f"The requested URL {request.path} was not found on this server.", "notFound")
    return found


def _query_token(query: str) -> str:
    values = parse_qs(query)
    return (values.get("access_token") or values.get("oauth_token") or [""])[-1]


def _checked_args(route: Route, have: frozenset[str], request: Request) -> Args:
    check_scopes(have, route.scopes, f"caribou.api.proto.MailboxService.{route.name}")
    args = read(request.query, route.params)
    check_metadata_limits(have, args, route.default_format)
    return args


def _check_user(state: State, user: str) -> None:
    if user != "me" and user.casefold() != state.address.casefold():
        raise ApiError(403, f"Delegation denied for {state.address}", "forbidden")


def _paid(state: State, route: Route, now_ms: int) -> State:
    if state.bucket is None:
        return state
    return replace(state, bucket=state.bucket.spend(COSTS.get(route.name, 5), now_ms))


def _barred(route: Route) -> ApiError:
    return ApiError(403, f"{route.name} is recorded and refused here.", "forbidden", note="forbidden")


def _answer(state: State, request: Request, now_ms: int) -> tuple[State, Json | None]:
    route, user, ids = _found(request)
    have = granted(state.tokens, token_of(request, _query_token(request.query)))
    if route.handler is None:
        raise _barred(route)
    args = _checked_args(route, have, request)
    _check_user(state, user)
    paid = _paid(state, route, now_ms)
    try:
        call = Call(state.mail, state.address, state.options, args, ids, request, now_ms)
        mail, body = route.handler(call)
        chosen = fields.select(body, args.text("fields")) if body is not None else None
    except ApiError as error:
        raise _Charged(paid, error) from error
    return replace(paid, mail=mail), chosen


class _Charged(Exception):  # noqa: N818  (not an error by itself: it carries one with the state it left)
    def __init__(self, state: State, error: ApiError) -> None:
        super().__init__(str(error))
        self.state, self.error = state, error


def handle(state: State, request: Request, now_ms: int) -> tuple[State, Response]:
    """The next state and the response. `now_ms` is epoch milliseconds; same in, same out."""
    asked = effective(request)
    is_pretty = _is_pretty(asked.query)
    try:
        after, body = _answer(state, asked, now_ms)
    except _Charged as charged:
        return charged.state, refuse(charged.error, is_pretty=is_pretty)
    except ApiError as error:
        return state, refuse(error, is_pretty=is_pretty)
    return after, reply(body, is_pretty=is_pretty)


def parameters(request: Request) -> Mapping[str, list[str]]:
    """The query parameters of a request as sent, for a log; the token is left out."""
    values = parse_qs(effective(request).query, keep_blank_values=True)
    return {name: value for name, value in values.items() if name not in ("access_token", "oauth_token")}
