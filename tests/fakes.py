"""A mailbox in memory with programmable faults, and a small world around it: config, capture, plan, clock, terminal.

world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
digest = world.ready()             # frozen and approved
world.execute(digest)
world.mailbox.labels_of("m1")
"""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pipeline.artifacts import Place
from pipeline.changes.closing import Finished
from pipeline.clock import VirtualMonotonic
from pipeline.config import Config
from pipeline.context import Context
from pipeline.evidence.captures import Exchange
from pipeline.evidence.writing import CaptureWriter, draft_seal, next_capture_id
from pipeline.gmail.answers import Answer, GmailError, Unanswered
from pipeline.models.approval import Approval
from pipeline.models.capture import Window
from pipeline.models.manifest import (
    ArchiveChange,
    Change,
    Counts,
    ExistingLabel,
    Fingerprint,
    LabelChange,
    LabelRef,
    Manifest,
    NewLabel,
    Price,
    Request,
    Target,
    TrashChange,
)
from pipeline.models.operation import CreateLabel, IntentToken, MailChange, ModifyLabels, Trash
from pipeline.models.plan import Plan
from pipeline.models.receipt import Receipt
from pipeline.models.registry import AccountRecord, Registry, Status
from pipeline.refusals import AnswerRefused, SignInAgain, Unreachable, WrongAccount
from pipeline.sealing.receipts import load_receipt, receipt_path
from pipeline.sealing.stating import spell
from pipeline.tables import DECISIONS as DECISIONS_TABLE
from pipeline.tables import MESSAGES as MESSAGES_TABLE
from pipeline.workspace import Loopback
from stages.approve import approve
from stages.decide import DECISIONS
from stages.discard import DISCARDS
from stages.execute import execute
from stages.freeze import freeze
from stages.normalize import MESSAGES
from stages.plan import PLAN, TRASH_PLAN
from stages.undo import undo

OWNER = "owner@example.com"
START = datetime(2026, 11, 23, 10, 0, 0, tzinfo=UTC)
KEY = b"a key that everybody may know: 32"
MINE = "Label_1"


CHANGES: dict[str, Callable[[LabelRef], Change]] = {
    "label": lambda ref: LabelChange(label=ref),
    "archive": lambda ref: ArchiveChange(label=ref),
    "trash": lambda ref: TrashChange(),
}


class Killed(BaseException):
    """The process died here."""


@dataclass
class Mail:
    """One message of the mailbox in memory."""

    id: str
    thread: str
    labels: set[str]
    date_ms: int = 1_795_428_000_000
    sender: str = "alerts@boardly.example"


def mail(message_id: str, *labels: str, thread: str = "") -> Mail:
    """A message; its thread is its own unless named."""
    return Mail(message_id, thread or message_id, set(labels))


@dataclass
class Fault:
    """The `nth` call (from 1) of a method fails in this way; `forever` = every call from the nth on.

    Kinds: an HTTP status as text, "403-rate", "drop-before", "drop-after", "garbage", "pretended" (204, nothing done),
    "unsent", "identity", or a callable that changes the mailbox first.
    """

    method: str
    nth: int
    kind: str | Callable[["Mailbox"], None]
    forever: bool = False


@dataclass
class Meter:
    """Counts like the real one, a unit a request."""

    spent_units: int = 0
    requests: int = 0


@dataclass
class Mailbox:
    """The truth. `changes` are the mutating requests that were processed, `asked` every call by method."""

    messages: dict[str, Mail]
    labels: dict[str, str] = field(default_factory=lambda: {"INBOX": "INBOX", MINE: "Job Alert"})
    history: list[dict[str, Any]] = field(default_factory=list)
    history_id: int = 1000
    address: str = OWNER
    is_history_gone: bool = False
    changes: list[MailChange | CreateLabel] = field(default_factory=list)
    trash_keeps_inbox: bool = False
    untrash_gives_inbox: bool = False
    """Where reports of Gmail differ: whether INBOX stays in the trash, and whether untrash puts it back."""
    received: int = 0
    revived: list[str] = field(default_factory=list)
    """Messages in trash or spam that a label edit gave INBOX: must stay empty."""
    asked: Counter[str] = field(default_factory=Counter)

    def labels_of(self, message_id: str) -> set[str]:
        """The labels of a message now."""
        return set(self.messages[message_id].labels)

    def label_sets(self) -> dict[str, set[str]]:
        """Every message's labels now."""
        return {one: set(message.labels) for one, message in self.messages.items()}

    def edit(self, message_id: str, add: tuple[str, ...] = (), remove: tuple[str, ...] = ()) -> None:
        """Change labels, by hand or by request, with its history records."""
        message = self.messages[message_id]
        for key, changed in (
            ("labelsAdded", set(add) - message.labels),
            ("labelsRemoved", set(remove) & message.labels),
        ):
            if changed:
                message.labels = message.labels | changed if key == "labelsAdded" else message.labels - changed
                self._note(key, message, sorted(changed))

    def vanish(self, message_id: str) -> None:
        """Deleted for good, with its history record."""
        self._note("messagesDeleted", self.messages.pop(message_id), [])

    def rename(self, label_id: str, name: str) -> None:
        """A label gets another name by hand."""
        self.labels[label_id] = name

    def arrive(self, message: Mail) -> None:
        """A new message comes in."""
        self.messages[message.id] = message
        self._note("messagesAdded", message, [])

    def _note(self, key: str, message: Mail, changed: list[str]) -> None:
        self.history_id += 1
        shown = {"id": message.id, "threadId": message.thread, "labelIds": sorted(message.labels)}
        item = {"message": shown, **({"labelIds": changed} if changed else {})}
        self.history.append({"id": str(self.history_id), "messages": [shown], key: [item]})


METHOD = {
    "modify_labels": "messages.batchModify",
    "create_label": "labels.create",
    "trash": "messages.trash",
    "untrash": "messages.untrash",
}


@dataclass
class FakeGateway:
    """The gateway's methods over a Mailbox, with faults. `step` is called before and after everything it does."""

    mailbox: Mailbox
    faults: list[Fault] = field(default_factory=list)
    step: Callable[[str], None] = lambda name: None
    meter: Meter = field(default_factory=Meter)
    page_size: int = 50

    def reattest(self) -> Answer:
        """getProfile with its comparison."""
        profile = self._read("getProfile", self._profile)
        if profile.document["emailAddress"] != OWNER:
            raise WrongAccount("the credential opens another mailbox")
        return profile

    def list_labels(self) -> Answer:
        """labels.list."""
        return self._read("labels.list", self._labels)

    def get_message(self, message_id: str) -> Answer:
        """messages.get."""
        return self._read("messages.get", lambda: self._message(message_id))

    def get_thread(self, thread_id: str) -> Answer:
        """threads.get."""
        return self._read("threads.get", lambda: self._thread(thread_id))

    def list_history(self, start_history_id: str) -> Iterator[Answer]:
        """history.list."""
        answer = self._read("history.list", lambda: self._history(int(start_history_id)))
        records = answer.document.get("history", [])
        assert isinstance(records, list)
        for start in range(0, max(1, len(records)), self.page_size):
            page = records[start : start + self.page_size]
            yield Answer(200, {**({"history": page} if page else {}), "historyId": answer.document["historyId"]})

    def perform(self, token: IntentToken) -> Answer:
        """One request, once."""
        assert isinstance(token, IntentToken)
        operation = token.operation
        method = METHOD[operation.kind]
        fault = self._begin(method)
        if fault == "unsent":
            raise Unanswered(method, "NewConnectionError", is_surely_unsent=True)
        self.mailbox.received += 1
        if fault == "drop-before":
            raise Unanswered(method, "ReadTimeout")
        _raise_for(fault, method, is_read=False)
        answer = Answer(204, {}) if fault == "pretended" else self._process(operation)
        self.step(f"{method} answered")
        if fault in ("drop-after", "garbage"):
            raise Unanswered(method, "ReadTimeout")
        return answer

    def _process(self, operation: MailChange | CreateLabel) -> Answer:
        if isinstance(operation, CreateLabel):
            if operation.name.casefold() in {name.casefold() for name in self.mailbox.labels.values()}:
                raise GmailError("labels.create", 409, "aborted")
            label_id = f"Label_{len(self.mailbox.labels) + 10}"
            self.mailbox.labels[label_id] = operation.name
            self.mailbox.changes.append(operation)
            return Answer(200, {"id": label_id, "name": operation.name})
        self.mailbox.changes.append(operation)
        if not isinstance(operation, ModifyLabels):
            return self._move(operation.message_id, is_trash=isinstance(operation, Trash))
        for message_id in operation.message_ids:
            if message_id in self.mailbox.messages:
                is_away = self.mailbox.messages[message_id].labels & {"TRASH", "SPAM"}
                self.mailbox.revived.extend([message_id] if is_away and "INBOX" in operation.add else [])
                self.mailbox.edit(message_id, operation.add, operation.remove)
        return Answer(204, {})

    def _move(self, message_id: str, *, is_trash: bool) -> Answer:
        """Into the trash or out of it, as this mailbox treats INBOX; Gmail says 404 for an id that is gone."""
        if message_id not in self.mailbox.messages:
            raise GmailError("messages.trash", 404, "notFound")
        if is_trash:
            self.mailbox.edit(message_id, ("TRASH",), () if self.mailbox.trash_keeps_inbox else ("INBOX",))
        elif "TRASH" in self.mailbox.messages[message_id].labels:
            self.mailbox.edit(message_id, ("INBOX",) if self.mailbox.untrash_gives_inbox else (), ("TRASH",))
        return Answer(200, _shown(self.mailbox.messages[message_id]))

    def _begin(self, method: str) -> str:
        self.step(f"{method} asked")
        self.meter.spent_units += 1
        self.meter.requests += 1
        self.mailbox.asked[method] += 1
        for fault in self.faults:
            number = self.mailbox.asked[method]
            if fault.method == method and (number == fault.nth or (fault.forever and number > fault.nth)):
                if isinstance(fault.kind, str):
                    return fault.kind
                fault.kind(self.mailbox)
        return ""

    def _read(self, method: str, answer: Callable[[], Answer]) -> Answer:
        _raise_for(self._begin(method), method, is_read=True)
        found = answer()
        self.step(f"{method} answered")
        return found

    def _profile(self) -> Answer:
        return Answer(200, {"emailAddress": self.mailbox.address, "historyId": str(self.mailbox.history_id)})

    def _labels(self) -> Answer:
        listed = [
            {"id": one, "name": name, "type": "system" if one == "INBOX" else "user"}
            for one, name in self.mailbox.labels.items()
        ]
        return Answer(200, {"labels": listed})

    def _message(self, message_id: str) -> Answer:
        if message_id not in self.mailbox.messages:
            raise GmailError("messages.get", 404, "notFound")
        return Answer(200, _shown(self.mailbox.messages[message_id]))

    def _thread(self, thread_id: str) -> Answer:
        members = [_shown(one) for one in self.mailbox.messages.values() if one.thread == thread_id]
        if not members:
            raise GmailError("threads.get", 404, "notFound")
        return Answer(200, {"id": thread_id, "messages": members})

    def _history(self, start: int) -> Answer:
        if self.mailbox.is_history_gone:
            raise GmailError("history.list", 404, "notFound")
        records = [record for record in self.mailbox.history if int(record["id"]) > start]
        return Answer(200, {**({"history": records} if records else {}), "historyId": str(self.mailbox.history_id)})


def _shown(message: Mail) -> dict[str, Any]:
    return {
        "id": message.id,
        "threadId": message.thread,
        "labelIds": sorted(message.labels),
        "internalDate": str(message.date_ms),
    }


def _raise_for(fault: str, method: str, *, is_read: bool) -> None:
    """What the real gateway raises: reads were repeated already, changes never are."""
    status = fault[:3]
    if fault in ("identity", "401") and is_read:
        raise SignInAgain("Gmail does not know the credential")
    if fault == "wrong-account":
        raise WrongAccount("the credential opens another mailbox")
    if is_read and (fault in ("drop-before", "drop-after", "unsent", "403-rate", "429") or status[:1] == "5"):
        raise Unreachable("Gmail gave no answer")
    if is_read and fault == "garbage":
        raise AnswerRefused("not one JSON object")
    if status.isdecimal():
        raise GmailError(method, int(status), "rateLimitExceeded" if fault == "403-rate" else "forbidden")


@dataclass
class FakeGmail:
    """Opens gateways over one mailbox; each opening reads getProfile."""

    mailbox: Mailbox
    faults: list[Fault] = field(default_factory=list)
    step: Callable[[str], None] = lambda name: None
    opened: int = 0

    def for_fetch(self, record: object) -> Any:
        """Not needed here."""
        raise NotImplementedError

    def for_execute(self) -> Any:
        """An attested gateway."""
        self.opened += 1
        gateway = FakeGateway(self.mailbox, self.faults, self.step)
        gateway.reattest()
        return gateway

    def for_undo(self) -> Any:
        """The same."""
        return self.for_execute()


@dataclass
class Clock:
    """A wall clock that a test moves."""

    at: datetime = START

    def now(self) -> datetime:
        """The present."""
        return self.at

    def pass_minutes(self, minutes: float) -> None:
        """Let time pass."""
        self.at += timedelta(minutes=minutes)


@dataclass
class Typist:
    """A person who types what a test says; "code" = the code on the screen."""

    answer: str = "code"
    screen: str = ""

    def show(self, text: str) -> None:
        """Read the screen."""
        self.screen += text

    def ask(self, question: str) -> str:
        """Type."""
        self.screen += question
        return question.split()[1] if self.answer == "code" else self.answer


def stored(place: Place) -> Callable[..., tuple[object, ...]]:
    """Derived values as a test saved them, in place of the stages that would make them."""
    return lambda *wanted: tuple(one.load(place) for one in wanted)


@dataclass
class World:
    """A mailbox, a workspace and everything that a command gets."""

    mailbox: Mailbox
    context: Context
    clock: Clock
    gmail: FakeGmail

    @classmethod
    def make(cls, root: Path, messages: list[Mail], *, status: Status = "organize-only", **policy: object) -> "World":
        """A workspace whose capture shows these messages as they are now."""
        mailbox = Mailbox({one.id: one for one in messages})
        gmail, clock = FakeGmail(mailbox), Clock()
        config = make_config(root / "config", policy, status)
        workspace = Loopback(root / "workspace", "loop", root / "workspace" / "receipts")
        context = Context(
            workspace=workspace,
            config=config,
            wall=clock,
            monotonic=VirtualMonotonic(),
            gmail=gmail,
            approval_key=lambda: KEY,
            terminal=None,
            derive=stored(Place(workspace, config)),
            say=lambda text: None,
        )
        world = cls(mailbox, context, clock, gmail)
        world.capture()
        return world

    @property
    def place(self) -> Place:
        """Where stages load from."""
        return Place(self.context.workspace, self.context.config)

    def with_context(self, **changes: Any) -> "World":
        """The same world with another context."""
        return World(self.mailbox, replace(self.context, **changes), self.clock, self.gmail)

    def capture(self, address: str = OWNER, *, has_profile: bool = True) -> str:
        """Seal a capture of the mailbox as it is."""
        now = self.clock.now()
        writer = CaptureWriter(self.context.workspace, next_capture_id(self.context.workspace, now))
        profile = {"emailAddress": address, "historyId": str(self.mailbox.history_id)}
        if has_profile:
            writer.record(Exchange("getProfile", {}, 200, json.dumps(profile).encode()))
        draft = draft_seal(
            writer,
            source="fetch",
            address=address,
            purposes=("inbox",),
            window=Window(days=7, query="in:inbox"),
            times=(now, now),
            history_id=str(self.mailbox.history_id),
            units=1,
        )
        return writer.seal(draft).id

    def plan(self, wishes: dict[str, str], label: LabelRef | None = None) -> Plan:
        """Save decisions, messages and plan: `wishes` maps message ids to label or archive, or all of them to trash."""
        is_trash = "trash" in wishes.values()
        ref = label or ExistingLabel(id=MINE, name="Job Alert")
        decisions = DECISIONS_TABLE.frame([self._decision(one, wishes.get(one)) for one in self.mailbox.messages])
        captures = sorted(path.name for path in self.context.workspace.raw.iterdir())
        messages = MESSAGES_TABLE.frame([self._message(one, captures[-1]) for one in self.mailbox.messages])
        targets = tuple(self._target(one, wishes[one], ref) for one in sorted(wishes))
        new = (ref.create,) if isinstance(ref, NewLabel) and targets and not is_trash else ()
        plan = Plan(
            request=Request(window_days=7, query="in:inbox"),
            decisions=DECISIONS_TABLE.digest(decisions),
            targets=targets,
            new_labels=new,
            counts=Counts(
                label=sum(one.change.kind == "label" for one in targets),
                archive=sum(one.change.kind == "archive" for one in targets),
                create_label=len(new),
                trash=sum(one.change.kind == "trash" for one in targets),
                excluded=len(self.mailbox.messages) - len(targets),
                protected=0,
                uncertain=0,
                over_cap=0,
            ),
            left_over=(),
            price=Price(units=100, requests=10, minutes=1.0),
        )
        (TRASH_PLAN if is_trash else PLAN).save(self.place, plan)
        (DISCARDS if is_trash else DECISIONS).save(self.place, decisions)
        MESSAGES.save(self.place, messages)
        return plan

    def _target(self, message_id: str, kind: str, ref: LabelRef) -> Target:
        message = self.mailbox.messages[message_id]
        members = sorted(one.id for one in self.mailbox.messages.values() if one.thread == message.thread)
        return Target(
            message_id=message_id,
            thread_id=message.thread,
            change=CHANGES[kind](ref),
            fingerprint=Fingerprint(
                label_ids=tuple(sorted(message.labels)),
                thread_members=tuple(members),
                internal_date_ms=message.date_ms,
                history_id=None,
            ),
            classification=None if kind == "trash" else "Job Alert",
            confidence=0.9,
            source="policy" if kind == "trash" else "tier1",
            rule="old adverts" if kind == "trash" else "job-alert",
            screen="clean",
            protected=(),
            reasons=(),
        )

    def _decision(self, message_id: str, kind: str | None) -> dict[str, object]:
        return {
            "message_id": message_id,
            "thread_id": self.mailbox.messages[message_id].thread,
            "as_of": START,
            "sender": self.mailbox.messages[message_id].sender,
            "subject": "New jobs for you",
            "phase": "discard" if kind == "trash" else "decide",
            "classification": "Job Alert" if kind in ("label", "archive") else None,
            "confidence": 0.9 if kind else 0.0,
            "source": {None: "none", "trash": "policy"}.get(kind, "tier1"),
            "rule": "job-alert" if kind else None,
            "evidence": [],
            "reasons": [],
            "screen": "clean",
            "protected": [],
            "action": {"label": "label", "archive": "label+archive", "trash": "trash", None: "leave"}[kind],
        }

    def _message(self, message_id: str, capture: str) -> dict[str, object]:
        message = self.mailbox.messages[message_id]
        row: dict[str, object] = dict.fromkeys(MESSAGES_TABLE.columns)
        return row | {
            "id": message_id,
            "thread_id": message.thread,
            "defects": [],
            "date": datetime.fromtimestamp(message.date_ms / 1000, UTC),
            "label_ids": sorted(message.labels),
            "capture": capture,
        }

    def freeze(self, operation: str = "organize") -> Manifest:
        """Seal the plan."""
        return freeze(self.context, operation)

    def approve(self, manifest: Manifest, only: str = "") -> Approval:
        """State everything."""
        wanted = only.split(",") if only else [one.message_id for one in manifest.targets]
        from pipeline.sealing.authority import count_operations, subset

        operations = spell(count_operations(subset(manifest, wanted)))
        return approve(self.context, manifest.sha256, manifest.sha256, manifest.address, operations, only, "")

    def ready(self, wishes: dict[str, str] | None = None, label: LabelRef | None = None, only: str = "") -> str:
        """Plan, freeze, approve: the manifest's digest. Every message is archived unless `wishes` says otherwise."""
        self.plan(dict.fromkeys(self.mailbox.messages, "archive") if wishes is None else wishes, label)
        manifest = self.freeze("trash" if wishes and "trash" in wishes.values() else "organize")
        self.approve(manifest, only)
        return manifest.sha256

    def execute(self, digest: str, *, resume: bool = False) -> Finished:
        """Run the stage."""
        return execute(self.context, digest, resume)

    def undo(self, run: str = "", digest: str | None = None, only: str = "", except_: str = "") -> Finished:
        """Run the stage with the right digest, unless another is given."""
        if digest is None:
            from pipeline.changes.undoing import choose
            from pipeline.sealing.receipts import load_receipts

            digest = choose(load_receipts(self.context.workspace), run).sha256
        return undo(self.context, run, digest, only, except_)

    def receipt(self, run: str) -> Receipt:
        """A run's receipt."""
        return load_receipt(receipt_path(self.context.workspace, run)).receipt

    def files(self) -> dict[str, bytes]:
        """Every file of the workspace: the tree that a refusal leaves as it was."""
        root = self.context.workspace.root
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@dataclass(frozen=True)
class Template:
    """A world that was prepared once and is copied for each run: files by copy, the mailbox in depth."""

    world: World

    def fresh(self, root: Path) -> World:
        """The same world under another root."""
        old = self.world
        workspace = Loopback(root, "loop", root / "receipts")
        shutil.copytree(old.context.workspace.root, root)
        mailbox, clock = deepcopy(old.mailbox), Clock(old.clock.at)
        gmail = FakeGmail(mailbox)
        context = replace(
            old.context,
            workspace=workspace,
            wall=clock,
            gmail=gmail,
            monotonic=VirtualMonotonic(),
            derive=stored(Place(workspace, old.context.config)),
        )
        return World(mailbox, context, clock, gmail)


@contextmanager
def no_fsync() -> Iterator[None]:
    """The disk's own waiting switched off, for sweeps that kill a process only in thought."""
    with patch.object(os, "fsync", lambda descriptor: None):
        yield


def make_config(folder: Path, policy: dict[str, object], status: Status = "organize-only") -> Config:
    """One loopback account, a policy, one rule file that nobody reads."""
    record = AccountRecord(
        id="loop",
        alias=("loop",),
        address=OWNER,
        status=status,
        endpoint="http://127.0.0.1:9",
        credential="env:LOOP_TOKEN",
    )
    lines = ["version = 1", *(f"{name} = {json.dumps(value)}" for name, value in policy.items())]
    return Config(
        folder, Registry(mailbox=(record,)), record, "\n".join(lines).encode(), (("taxonomy.toml", b"x = 1\n"),)
    )


def die_in_thought(name: str) -> None:
    """The process dies by an exception that nothing catches."""
    raise Killed(name)


@contextmanager
def killing(
    world: World,
    at: int,
    seen: list[str],
    *,
    is_torn: bool = False,
    only: str = "",
    die: Callable[[str], None] = die_in_thought,
) -> Iterator[None]:
    """Every write of a sealed file and every gateway call is a step; the process dies at step number `at` (from 1),
    or at the `at`th step of the name `only`."""

    def step(name: str) -> None:
        seen.append(name)
        if (seen.count(only) if only else len(seen)) == at and only in ("", name):
            die(name)

    def stepped(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def wrapped(path: Path, data: bytes, *rest: Any) -> Any:
            what = json.loads(data)["event"] if name == "line" else name
            if is_torn and name == "line" and len(seen) + 1 == at:
                with path.open("ab") as file:
                    file.write(data[: len(data) // 2])
            step(f"{what} about to be written")
            result = function(path, data, *rest)
            step(f"{what} written")
            return result

        return wrapped

    from pipeline.changes import journal
    from pipeline.sealing import binding, heads, standing

    world.gmail.step = step
    with (
        patch.object(journal, "append_line", stepped(journal.append_line, "line")),
        patch.object(journal, "create_exclusive", stepped(journal.create_exclusive, "opening")),
        patch.object(heads, "replace_file", stepped(heads.replace_file, "head")),
        patch.object(standing, "create_exclusive", stepped(standing.create_exclusive, "marker")),
        patch.object(binding, "write_once", stepped(binding.write_once, "closing")),
    ):
        try:
            yield
        finally:
            world.gmail.step = lambda name: None
