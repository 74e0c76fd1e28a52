"""A twin that runs: one lock round the pure core, a clock, a log of requests, a plan of faults.

    twin = Twin.from_resources("me@demo.example", messages, labels, tokens={"t": scopes("gmail.modify")})
    http = twin.in_process()
    status, headers, body = http.request("GET", "http://twin.test/gmail/v1/users/me/profile",
                                         {"Authorization": "Bearer t"})

The hands of other people (`deliver`, `relabel`, `vanish`, `delete_label`, `expire_history`) change the
mailbox with history but are no requests.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from twin.arrivals import arrive
from twin.auth import DEFAULT_TOKENS
from twin.core import effective, handle, parameters
from twin.faults import HANDS, INSTEAD, LOST, Fault, Lost, Planned, canned, due, mangled, touched
from twin.inprocess import InProcess
from twin.mailbox import Mail, Stored, forget_history, next_message_id, relabel, remove, without_label
from twin.quota import full
from twin.routes import match
from twin.seeding import mail_from
from twin.source import Source
from twin.state import Options, State
from twin.wire import Json, Request, Response

Clock = Callable[[], int]


def system_ms() -> int:
    """Epoch milliseconds of the machine."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as the twin saw it. `status` is 0 when no answer was given; `body` is as it was sent."""

    method: str
    path: str
    route: str
    params: Mapping[str, list[str]]
    status: int
    is_mutating: bool
    is_forbidden: bool = False
    fault: str = ""
    body: bytes = b""


class Twin:
    """A mailbox that answers. Thread-safe; `state` is a value and may be kept and compared."""

    def __init__(self, state: State, clock: Clock = system_ms) -> None:
        self._state, self._clock, self._lock = state, clock, threading.Lock()
        self._seen: list[Seen] = []
        self._plan: tuple[Planned, ...] = ()

    @classmethod
    def from_resources(
        cls,
        address: str,
        messages: Iterable[Json] = (),
        labels: Iterable[Json] = (),
        *,
        tokens: Mapping[str, frozenset[str]] | None = None,
        clock: Clock = system_ms,
        quota: int = 0,
        quota_refusal: int = 429,
        options: Options | None = None,
        seed: int = 0,
        history_id: int = 0,
    ) -> "Twin":
        """A twin of Gmail JSON resources. `quota`: units a minute, 0 for no limit."""
        chosen = options or Options()
        limit = chosen.inline_limit
        mail = mail_from(messages, labels, seed=seed, history_id=history_id, inline_limit=limit)
        bucket = full(quota, clock(), quota_refusal) if quota else None
        return cls(State(address, mail, dict(tokens or DEFAULT_TOKENS), chosen, bucket), clock)

    @property
    def state(self) -> State:
        return self._state

    @property
    def address(self) -> str:
        return self._state.address

    @property
    def requests(self) -> tuple[Seen, ...]:
        """Every request so far, in order of arrival."""
        return tuple(self._seen)

    @property
    def mutations(self) -> tuple[Seen, ...]:
        """The requests of methods that change something, whatever became of them."""
        return tuple(seen for seen in self._seen if seen.is_mutating)

    @property
    def recorded(self) -> tuple[Seen, ...]:
        """Attempts to send, to delete for good, to change settings."""
        return tuple(seen for seen in self._seen if seen.is_forbidden)

    def forget_requests(self) -> None:
        self._seen.clear()

    def labels_of(self, message_id: str) -> frozenset[str]:
        """The label set of a message now; KeyError when it is gone."""
        return frozenset(self._state.mail.messages[message_id].label_ids)

    def label_sets(self) -> dict[str, frozenset[str]]:
        """Label set by message id, for comparing before and after."""
        return {key: frozenset(item.label_ids) for key, item in self._state.mail.messages.items()}

    def plan(self, *faults: Fault) -> None:
        """Adds faults; each counts calls from now on."""
        with self._lock:
            self._plan += tuple(Planned(fault) for fault in faults)

    def clear_faults(self) -> None:
        with self._lock:
            self._plan = ()

    def answer(self, request: Request) -> Response | Lost:
        """One request through faults and core, under the lock."""
        asked = effective(request)
        found = match(asked.method, asked.path)
        name = found[0].name if found else ""
        with self._lock:
            self._plan, faults = due(self._plan, name)
            outcome = self._run(request, faults)
            status = outcome.status if isinstance(outcome, Response) else 0
            is_barred = bool(found and found[0].handler is None)
            is_barred = is_barred or (isinstance(outcome, Response) and outcome.note == "forbidden")
            is_mutating = bool(found and found[0].is_mutating)
            kinds = ",".join(fault.kind for fault in faults)
            row = (
                asked.method,
                asked.path,
                name,
                parameters(request),
                status,
                is_mutating,
                is_barred,
                kinds,
                asked.body,
            )
            self._seen.append(Seen(*row))
        return outcome

    def _run(self, request: Request, faults: tuple[Fault, ...]) -> Response | Lost:
        for fault in faults:
            if fault.kind in HANDS:
                self._edit(partial(touched, fault))
        first = next((fault for fault in faults if fault.kind not in HANDS), None)
        if first is None or first.kind not in INSTEAD:
            self._state, response = handle(self._state, request, self._clock())
        elif first.kind in LOST:
            return Lost(first.kind, first.seconds)
        else:
            return canned(first)
        if first is not None and first.kind in LOST:
            return Lost(first.kind, first.seconds, response if first.kind == "cut" else None)
        return response if first is None else mangled(first, response)

    def in_process(self) -> InProcess:
        """The same mailbox without a socket."""
        return InProcess(self.answer)

    # The hands of others.

    def _edit(self, change: Callable[[Mail], Mail]) -> None:
        self._state = replace(self._state, mail=change(self._state.mail))

    def edit(self, change: Callable[[Mail], Mail]) -> None:
        """Any change of the mailbox from outside, under the lock."""
        with self._lock:
            self._edit(change)

    def deliver(self, raw: bytes, label_ids: tuple[str, ...] = ("INBOX", "UNREAD"), thread_id: str = "") -> Stored:
        """A mail arrives now; the message it became."""
        with self._lock:
            mail = self._state.mail
            source = Source.from_raw(raw, inline_limit=self._state.options.inline_limit)
            self._edit(lambda box: arrive(box, source, label_ids, self._clock(), thread_id))
            return self._state.mail.messages[next_message_id(mail)]

    def relabel(self, message_id: str, add: tuple[str, ...] = (), remove: tuple[str, ...] = ()) -> None:
        """Somebody labels a message by hand."""
        self.edit(lambda mail: relabel(mail, (message_id,), add, remove))

    def vanish(self, message_id: str) -> None:
        """Somebody deletes a message for good."""
        self.edit(lambda mail: remove(mail, message_id))

    def delete_label(self, label_id: str) -> None:
        """Somebody deletes a label."""
        self.edit(lambda mail: without_label(mail, label_id))

    def expire_history(self) -> None:
        """Gmail forgets its history."""
        self.edit(forget_history)
