"""The real gateways, client, gate and transport over the twin, with a wire between them that can fail in any way.

    wired = WIRED.fresh(tmp_path)                 # approved and not executed, the token renewed for each request
    wired.wire.fault = Strike("labels.list", 2, FAULTS["empty body"])
    wired.world.execute(wired.digest)

No socket: the wire hands each request to the twin and its answer back, or something else. Google's token endpoint is
part of it: a token lives for no second, so each request is preceded by a refresh.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pipeline.artifacts import Place
from pipeline.clock import VirtualMonotonic
from pipeline.context import Recorder
from pipeline.credentials import RefreshingToken
from pipeline.gmail.attest import Attested, attest
from pipeline.gmail.capability import PROFILES, SCOPES, StageName
from pipeline.gmail.gateway import ExecuteGateway, FetchGateway, UndoGateway
from pipeline.gmail.quota import Meter
from pipeline.gmail.transport import Rim, keep_nothing
from pipeline.gmail.wire import Dropped
from pipeline.models.manifest import ExistingLabel, NewLabel, Target
from pipeline.models.registry import AccountRecord, Status
from pipeline.oauth import TOKEN_URL, AuthorizedUser
from pipeline.workspace import Loopback
from stages.plan import PLAN
from tests.fakes import OWNER, Clock, Mail, Mailbox, World, mail, stored
from twin.auth import scopes
from twin.inprocess import InProcess
from twin.routes import match
from twin.running import Twin
from twin.state import Options, State

Whole = tuple[int, Mapping[str, str], bytes]
TOKENS = {"read": scopes("gmail.readonly"), "organize": scopes("gmail.modify")}
TOKEN = "token"
"""The route name of Google's token endpoint."""


@dataclass(frozen=True)
class Asked:
    """One request as the wire sees it: its route, what Gmail would answer when it is let through, and the clock."""

    route: str
    url: str
    through: Callable[[], Whole]
    clock: Clock


Failing = Callable[[Asked], Whole]


def answer(status: int, reason: str = "backendError") -> Failing:
    """Gmail refuses in its own words and does nothing."""
    error = {"code": status, "message": "m", "errors": [{"reason": reason}], "status": "S"}
    return lambda asked: (status, {}, json.dumps({"error": error}).encode())


def then(failing: Failing) -> Failing:
    """The work is done first."""

    def done(asked: Asked) -> Whole:
        asked.through()
        return failing(asked)

    return done


def lost(kind: str, *, is_surely_unsent: bool = False) -> Failing:
    """No whole answer."""

    def drop(asked: Asked) -> Whole:
        raise Dropped(kind, is_surely_unsent=is_surely_unsent)

    return drop


def body(change: Callable[[bytes], bytes], status: int = 200) -> Failing:
    """The work is done, and the answer's body is another one."""
    return lambda asked: (status, {"content-type": "text/html"}, change(asked.through()[2]))


def late(asked: Asked) -> Whole:
    """A trickle: the whole answer is there an hour later, after every approval has expired."""
    asked.clock.pass_minutes(61)
    return asked.through()


def duplicated(data: bytes) -> bytes:
    """Every key of the outermost object twice, the second time with null."""
    twice = ",".join(f"{json.dumps(key)}:null" for key in json.loads(data or b"{}"))
    return (data.rstrip()[:-1] + b"," + twice.encode() + b"}") if twice else b'{"a":1,"a":2}'


def of_another(data: bytes) -> bytes:
    """The answer to somebody else's question: every id, address and name in it is another one."""
    return json.dumps(_other(json.loads(data or b"{}"))).encode()


def _other(value: Any) -> Any:
    if isinstance(value, dict):
        named = {"id", "emailAddress", "name", "access_token"}
        return {key: f"x{one}" if key in named and isinstance(one, str) else _other(one) for key, one in value.items()}
    return [_other(one) for one in value] if isinstance(value, list) else value


FAULTS: Mapping[str, Failing] = {
    "429": answer(429, "rateLimitExceeded"),
    "403 for the rate": answer(403, "rateLimitExceeded"),
    "403": answer(403, "forbidden"),
    "401": answer(401, "authError"),
    "404": answer(404, "notFound"),
    "409": answer(409, "aborted"),
    "500": answer(500),
    "503 after the work": then(answer(503)),
    "no connection": lost("NewConnectionError", is_surely_unsent=True),
    "time out": lost("ReadTimeoutError"),
    "time out after the work": then(lost("ReadTimeoutError")),
    "reset": lost("ProtocolError"),
    "reset after the work": then(lost("ProtocolError")),
    "cut JSON": body(lambda data: data[: len(data) // 2] or b'{"id'),
    "empty body": body(lambda data: b""),
    "a web page": body(lambda data: b"<!DOCTYPE html><html><body>Please sign in.</body></html>"),
    "keys twice": body(duplicated),
    "a redirect": lambda asked: (302, {"location": "http://127.0.0.1:9/gmail/v1/users/me/profile"}, b""),
    "another's answer": body(of_another),
    "204 and nothing done": lambda asked: (204, {}, b""),
    "an hour late": late,
}
"""What may come back instead of the truth. `answer`, `then`, `lost` and `body` make more."""


@dataclass(frozen=True)
class Strike:
    """The `nth` request (from 1) of a route fails so; `forever`: every later one too."""

    route: str
    nth: int
    failing: Failing
    forever: bool = False

    def hits(self, route: str, number: int) -> bool:
        """Whether this request is struck."""
        return route == self.route and (number == self.nth or (self.forever and number > self.nth))


@dataclass
class Wire:
    """Between the real transport and the twin; `seen` counts requests by route."""

    twin: Twin
    clock: Clock
    fault: Strike | None = None
    seen: Counter[str] = field(default_factory=Counter)

    def __call__(self, verb: str, url: str, headers: Mapping[str, str], data: bytes) -> Whole:
        """One request."""
        route = TOKEN if url == TOKEN_URL else _route(verb, url)
        self.seen[route] += 1
        asked = Asked(route, url, lambda: self._through(verb, url, headers, data), self.clock)
        is_struck = self.fault is not None and self.fault.hits(route, self.seen[route])
        return self.fault.failing(asked) if self.fault is not None and is_struck else asked.through()

    def _through(self, verb: str, url: str, headers: Mapping[str, str], data: bytes) -> Whole:
        if url == TOKEN_URL:
            profile = "organize" if b"refresh_token=organize" in data else "read"
            granted = " ".join(sorted(SCOPES[profile]))  # type: ignore[index]  # one of the two
            fresh = {"access_token": profile, "expires_in": 0, "scope": granted, "token_type": "Bearer"}
            return 200, {}, json.dumps(fresh).encode()
        return InProcess(self.twin.answer).request(verb, url, headers, data)


def _route(verb: str, url: str) -> str:
    found = match(verb, urlsplit(url).path)
    return found[0].name if found else url


@dataclass
class WiredGmail:
    """Attested gateways over one wire."""

    record: AccountRecord
    wire: Wire
    monotonic: VirtualMonotonic

    def for_fetch(self, record: Recorder) -> FetchGateway:
        """The reading gateway."""
        return FetchGateway(self._attested("fetch", record))

    def for_execute(self) -> ExecuteGateway:
        """The executor's gateway."""
        return ExecuteGateway(self._attested("execute", None))

    def for_undo(self) -> UndoGateway:
        """The undoer's gateway."""
        return UndoGateway(self._attested("undo", None))

    def _attested(self, stage: StageName, record: Recorder | None) -> Attested:
        user = AuthorizedUser("client", "secret", PROFILES[stage])
        credential = RefreshingToken(self.record.id, user, self.wire, self.monotonic)
        meter = Meter(self.record.quota, self.monotonic)
        return attest(
            self.record, stage, Rim(self.wire, credential, meter, record or keep_nothing), workspace_kind="loopback"
        )


MESSAGES = (
    mail("18f0a1b2c3d40001", "INBOX", "UNREAD"),
    mail("18f0a1b2c3d40002", "INBOX", "CATEGORY_UPDATES"),
    mail("18f0a1b2c3d40003", "INBOX"),
    mail("18f0a1b2c3d40004", "INBOX", thread="18f0a1b2c3d40003"),
    mail("18f0a1b2c3d40005", "INBOX", "UNREAD"),
    mail("18f0a1b2c3d40006", "INBOX"),
    mail("18f0a1b2c3d40007", "INBOX"),
    mail("18f0a1b2c3d40008", "INBOX", "STARRED"),
)
LEFT_OUT = "18f0a1b2c3d40007"
"""Planned and not approved."""
WISHES = dict.fromkeys((one.id for one in MESSAGES[:6]), "archive") | {"18f0a1b2c3d40003": "label"}
NEW_LABELS = {one.id: f"Jobs/{number // 2}" for number, one in enumerate(MESSAGES[:7])}
"""Six approved targets: each two share a label that has to be made. The seventh's label is not approved."""
LITTER = (
    *MESSAGES[:1],
    mail("18f0a1b2c3d40002", "CATEGORY_UPDATES"),
    *MESSAGES[2:6],
    mail(LEFT_OUT, "INBOX", thread="18f0a1b2c3d40006"),
    mail("18f0a1b2c3d40008", "INBOX", "STARRED", thread="18f0a1b2c3d40005"),
)
"""Mail to trash six of: one was archived before, and two others share a thread with mail that stays."""
WAYS = tuple(
    Options(trash_keeps_inbox=keeps, untrash_gives_inbox=gives) for keeps in (False, True) for gives in (False, True)
)
"""Where reports of Gmail differ: INBOX in the trash, and after it."""


def resource(one: Mail) -> dict[str, object]:
    """A message as Gmail JSON."""
    headers = [{"name": "From", "value": "alerts@boardly.example"}, {"name": "Subject", "value": "New jobs"}]
    return {
        "id": one.id,
        "threadId": one.thread,
        "labelIds": sorted(one.labels),
        "internalDate": str(one.date_ms),
        "payload": {"mimeType": "text/plain", "headers": headers, "body": {"size": 6, "data": "SGVsbG8u"}},
    }


@dataclass
class Wired:
    """One loop: world, wire, twin, and the digest of what is approved."""

    world: World
    wire: Wire
    twin: Twin
    digest: str = ""
    beginning: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The labels before anything happened."""
    is_trash: bool = False

    def wanted(self, message_id: str, before: frozenset[str]) -> frozenset[str]:
        """What an approved target must wear."""
        if self.is_trash:
            return (before | {"TRASH"}) - (set() if self.twin.state.options.trash_keeps_inbox else {"INBOX"})
        return (before | {NEW_LABELS[message_id]}) - ({"INBOX"} if WISHES[message_id] == "archive" else set())

    def labels(self) -> dict[str, frozenset[str]]:
        """Every message's labels by name of the label, so that two mailboxes can be compared."""
        names = {key: one.name for key, one in self.twin.state.mail.labels.items()}
        return {key: frozenset(names.get(one, one) for one in ids) for key, ids in self.twin.label_sets().items()}


@dataclass(frozen=True)
class Kept:
    """A loop at one moment, to be gone on with many times."""

    folder: Path
    state: State
    world: World
    digest: str
    beginning: Mapping[str, frozenset[str]]
    is_trash: bool

    def fresh(self, root: Path) -> Wired:
        """The same loop under another root: files by copy, the mailbox as a value."""
        shutil.copytree(self.folder, root)
        wired = _wired(root, Twin(self.state, lambda: 1_795_428_000_000), self.world)
        wired.digest, wired.beginning, wired.is_trash = self.digest, self.beginning, self.is_trash
        wired.world.clock.at = self.world.clock.at
        return wired


def begin(root: Path) -> Wired:
    """A loop over a new mailbox in which nothing has happened."""
    return _begun(root, MESSAGES, Options(), "organize-only")


def begin_trash(root: Path, options: Options) -> Wired:
    """The same over litter, in an account that may trash, on one of the four kinds of Gmail."""
    wired = _begun(root, LITTER, options, "cleanup-enabled")
    wired.is_trash = True
    return wired


def _begun(root: Path, messages: tuple[Mail, ...], options: Options, status: Status) -> Wired:
    twin = Twin.from_resources(OWNER, [resource(one) for one in messages], tokens=TOKENS, options=options)
    copies = [replace(one, labels=set(one.labels)) for one in messages]
    made = World.make(root, copies, status=status, batch_size=2)
    shutil.rmtree(made.context.workspace.raw)
    wired = _wired(root / "workspace", twin, made)
    wired.beginning = wired.labels()
    return wired


def keep(wired: Wired) -> Kept:
    """The loop as it is now."""
    folder = wired.world.context.workspace.root
    return Kept(folder, wired.twin.state, wired.world, wired.digest, wired.beginning, wired.is_trash)


def approve_trash(wired: Wired) -> None:
    """Capture, plan seven for the trash, freeze, and approve all but the last."""
    world = wired.world
    world.mailbox.history_id = int(wired.twin.state.mail.history_id)
    world.capture()
    wired.digest = world.ready(dict.fromkeys((*WISHES, LEFT_OUT), "trash"), only=",".join(WISHES))


def approve(wired: Wired) -> None:
    """Capture, plan with four labels to make, freeze, and approve all but the last target."""
    world = wired.world
    world.mailbox.history_id = int(wired.twin.state.mail.history_id)
    world.capture()
    wishes = {**WISHES, LEFT_OUT: "archive"}
    plan = world.plan(wishes, NewLabel(create="Jobs/0"))
    known = {label.name: key for key, label in wired.twin.state.mail.labels.items()}
    targets = tuple(_labelled(one, known) for one in plan.targets)
    names = tuple(sorted(set(NEW_LABELS.values()) - known.keys()))
    counts = plan.counts.model_copy(update={"create_label": len(names)})
    PLAN.save(world.place, plan.model_copy(update={"targets": targets, "new_labels": names, "counts": counts}))
    manifest = world.freeze()
    world.approve(manifest, ",".join(WISHES))
    wired.digest = manifest.sha256


def _labelled(target: Target, known: Mapping[str, str]) -> Target:
    """The target with its own label, which exists or has to be made."""
    name = NEW_LABELS[target.message_id]
    label = ExistingLabel(id=known[name], name=name) if name in known else NewLabel(create=name)
    return target.model_copy(update={"change": target.change.model_copy(update={"label": label})})


def _wired(root: Path, twin: Twin, made: World) -> Wired:
    old, clock, monotonic = made.context, Clock(made.clock.at), VirtualMonotonic()
    wire = Wire(twin, clock)
    workspace = Loopback(root, "loop", root / "receipts")
    context = replace(
        old,
        workspace=workspace,
        wall=clock,
        monotonic=monotonic,
        gmail=WiredGmail(old.config.account, wire, monotonic),
        derive=stored(Place(workspace, old.config)),
    )
    mailbox = Mailbox(made.mailbox.messages, history_id=made.mailbox.history_id)
    return Wired(World(mailbox, context, clock, None), wire, twin)  # type: ignore[arg-type]  # the gateways are real
