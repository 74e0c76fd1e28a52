"""Ways to fail on purpose: a plan of faults, each for one route and for its nth call from now on.

    twin.plan(Fault("http_429", "messages.modify"), Fault("quota_403", "messages.modify", nth=2))

Kinds, by the moment they strike:
- instead of the method: http_429, quota_403, http_500, http_502, http_503, drop_before, hang;
- before the method, somebody else's hand: vanish, drift, label_deleted, history_expired;
- after the method has done its work: drop_after, hang_after, truncated, cut, html, empty.
"""

from dataclasses import dataclass, replace
from typing import Literal

from twin.mailbox import Mail, forget_history, relabel, remove, without_label
from twin.quota import exceeded
from twin.wire import ApiError, Response, refuse

Kind = Literal[
    "http_429",
    "quota_403",
    "http_500",
    "http_502",
    "http_503",
    "drop_before",
    "drop_after",
    "truncated",
    "cut",
    "html",
    "empty",
    "hang",
    "hang_after",
    "vanish",
    "drift",
    "label_deleted",
    "history_expired",
]
INSTEAD = frozenset({"http_429", "quota_403", "http_500", "http_502", "http_503", "drop_before", "hang"})
HANDS = frozenset({"vanish", "drift", "label_deleted", "history_expired"})
LOST = frozenset({"drop_before", "drop_after", "hang", "hang_after", "cut"})
PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>"


class DroppedError(ConnectionError):
    """In process: the connection was closed before an answer came. Whether the work was done is not known."""


class HungError(TimeoutError):
    """In process: no answer came in time. Whether the work was done is not known."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One planned failure.

    route: a method name such as `messages.modify`, `*` for any.
    nth: which call of that route, counted from 1 at the time of planning.
    count: for how many calls in a row, 0 for ever.
    target: the message id (vanish, drift) or label id (label_deleted).
    add, remove: the labels that `drift` puts on and takes off.
    seconds: how long the HTTP face stays silent before it hangs up (at most 30).
    """

    kind: Kind
    route: str = "*"
    nth: int = 1
    count: int = 1
    target: str = ""
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    seconds: float = 1.0

    def strikes(self, route: str, call: int) -> bool:
        is_due = call >= self.nth and (self.count == 0 or call < self.nth + self.count)
        return is_due and self.route in ("*", route)


@dataclass(frozen=True, slots=True)
class Lost:
    """No whole answer: the connection closes, after `seconds` of silence; `cut` is what still got out."""

    kind: str
    seconds: float
    cut: Response | None = None


@dataclass(frozen=True, slots=True)
class Planned:
    """A fault and how many calls of its route were seen since it was planned."""

    fault: Fault
    seen: int = 0

    def after(self, route: str) -> "Planned":
        return replace(self, seen=self.seen + 1) if self.fault.route in ("*", route) else self


def due(plan: tuple[Planned, ...], route: str) -> tuple[tuple[Planned, ...], tuple[Fault, ...]]:
    """The plan after one more call of that route, and the faults that strike this call."""
    counted = tuple(item.after(route) for item in plan)
    return counted, tuple(item.fault for item in counted if item.fault.strikes(route, item.seen))


def touched(fault: Fault, mail: Mail) -> Mail:
    """The mailbox after somebody else's hand."""
    if fault.kind == "vanish":
        return remove(mail, fault.target)
    if fault.kind == "drift":
        return relabel(mail, (fault.target,), fault.add, fault.remove)
    if fault.kind == "label_deleted":
        return without_label(mail, fault.target)
    return forget_history(mail)


def canned(fault: Fault) -> Response:
    """The answer of a fault that strikes instead of the method."""
    if fault.kind == "http_429":
        return refuse(exceeded(429))
    if fault.kind == "quota_403":
        return refuse(exceeded(403))
    code = int(fault.kind.removeprefix("http_"))
    return refuse(ApiError(code, "Backend Error", "backendError"))


def mangled(fault: Fault, response: Response) -> Response:
    """The answer after a fault that strikes the way back."""
    if fault.kind == "truncated":
        return replace(response, status=200, body=response.body[: len(response.body) // 2] or b'{"id')
    if fault.kind == "html":
        return Response(200, (("Content-Type", "text/html; charset=UTF-8"),), PAGE)
    if fault.kind == "empty":
        return replace(response, status=200, body=b"")
    return response
