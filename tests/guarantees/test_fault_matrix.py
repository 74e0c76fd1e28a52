"""Every endpoint, every fault, first, middle and last call: the real client and gates from fetch to undo.

Whatever came back, then or for ever: nothing outside the approved changes happened, nothing is called verified that is
not so, the receipt holds the true labels of before, and an undo brings all of them back. A fetch is whole or refused.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.evidence.captures import read_captures
from pipeline.evidence.raw import read_mail
from pipeline.models.receipt import Closed, TargetStatus
from pipeline.refusals import AlreadyUndone, Consumed, NothingToDo, PartlyDone, Refusal
from pipeline.sealing.progress import fold_events
from pipeline.sealing.receipts import load_receipts
from stages.fetch import fetch
from tests.guarantees.wired import (
    FAULTS,
    TOKEN,
    WAYS,
    WISHES,
    Kept,
    Strike,
    Wired,
    approve,
    approve_trash,
    begin,
    begin_trash,
    keep,
)
from tests.sweeps import IS_FULL, told

pytestmark = pytest.mark.usefixtures("quick")

ENDPOINTS: tuple[tuple[str, str], ...] = (
    ("fetch", "messages.list"),
    ("fetch", "messages.get"),
    ("fetch", "history.list"),
    ("execute", TOKEN),
    ("execute", "getProfile"),
    ("execute", "labels.list"),
    ("execute", "labels.create"),
    ("execute", "history.list"),
    ("execute", "threads.get"),
    ("execute", "messages.get"),
    ("execute", "messages.batchModify"),
    ("undo", "getProfile"),
    ("undo", "messages.get"),
    ("undo", "messages.batchModify"),
    ("trash", TOKEN),
    ("trash", "getProfile"),
    ("trash", "threads.get"),
    ("trash", "messages.get"),
    ("trash", "messages.trash"),
    ("untrash", "getProfile"),
    ("untrash", "messages.get"),
    ("untrash", "messages.untrash"),
    ("untrash", "messages.batchModify"),
)
"""Which command meets the fault, and in which method; trash and untrash are execute and undo of a manifest of trash. A
new method of Gmail gets a row."""
MOVES = ("messages.trash", "messages.untrash")
"""These are struck on all four kinds of Gmail in the long run; elsewhere the kinds take turns."""
POSITIONS = ("first", "middle", "last")
ARRIVING = b"From: ann@mail.example\r\nTo: owner@example.com\r\nSubject: More\r\n\r\nOne more line.\r\n"


@dataclass(frozen=True)
class Scenario:
    """One cell of the matrix. `forever`: every later call fails too."""

    stage: str
    route: str
    fault: str
    position: str
    forever: bool = False
    way: int = 0
    """Of `WAYS`; 0 where nothing is trashed, and where only that kind makes an undo put INBOX back three times."""

    @property
    def moment(self) -> str:
        """The name of the loop that it begins with."""
        return f"{self.stage} {self.way}" if self.stage in ("trash", "untrash") else self.stage

    def strike(self, calls: Mapping[str, int]) -> Strike:
        """The planned failure, when a run without one makes so many calls."""
        total = calls[self.route]
        nth = {"first": 1, "middle": (total + 1) // 2, "last": total}[self.position]
        return Strike(self.route, nth, FAULTS[self.fault], self.forever)


def matrix() -> Iterator[Scenario]:
    """Every endpoint, fault and position once, and for ever from the first call on; in the normal run a tenth, in
    which each fault meets each position and each endpoint many faults."""
    for row, (stage, route) in enumerate(ENDPOINTS):
        for column, fault in enumerate(FAULTS):
            for number, position in enumerate(POSITIONS):
                if IS_FULL or (3 * (7 * row + column) + number) % 10 == 0:
                    for way in ways(stage, route, row + column + number):
                        yield Scenario(stage, route, fault, position, way=way)
            if IS_FULL or (row + column) % 10 == 5:
                yield Scenario(stage, route, fault, "first", forever=True)


def ways(stage: str, route: str, turn: int) -> tuple[int, ...]:
    """On which kinds of Gmail a cell is tried."""
    if stage not in ("trash", "untrash") or route == "messages.batchModify":
        return (0,)
    return tuple(range(len(WAYS))) if IS_FULL and route in MOVES else (turn % len(WAYS),)


@dataclass(frozen=True)
class Moments:
    """The loop before each command, and how often that command calls each method when nothing fails."""

    kept: Mapping[str, Kept]
    calls: Mapping[str, Counter[str]]


@pytest.fixture(scope="module")
def moments(tmp_path_factory: pytest.TempPathFactory, quick: None) -> Moments:
    root = tmp_path_factory.mktemp("moments")
    kept = {"fetch": keep(begin(root / "fetch"))}
    wired = begin(root / "loop")
    approve(wired)
    kept["execute"] = keep(wired)
    after = kept["execute"].fresh(root / "after")
    after.world.execute(after.digest)
    after.world.clock.pass_minutes(1)
    kept["undo"] = keep(after)
    for way, options in enumerate(WAYS):
        litter = begin_trash(root / f"litter-{way}", options)
        approve_trash(litter)
        kept[f"trash {way}"] = keep(litter)
        lying = kept[f"trash {way}"].fresh(root / f"lying-{way}")
        lying.world.execute(lying.digest)
        lying.world.clock.pass_minutes(1)
        kept[f"untrash {way}"] = keep(lying)
    calls = {}
    for moment in kept:
        sound = kept[moment].fresh(root / f"sound-{moment}")
        COMMANDS[moment.partition(" ")[0]](sound)
        calls[moment] = sound.wire.seen
    return Moments(kept, calls)


def four_fetches(wired: Wired) -> None:
    """Everything, then three times what is new."""
    for _ in range(4):
        fetch(wired.world.context)
        wired.world.clock.pass_minutes(1)
        wired.twin.deliver(ARRIVING)


COMMANDS: dict[str, Callable[[Wired], object]] = {
    "fetch": four_fetches,
    "execute": lambda wired: wired.world.execute(wired.digest),
    "undo": lambda wired: wired.world.undo(),
}
COMMANDS |= {"trash": COMMANDS["execute"], "untrash": COMMANDS["undo"]}


@pytest.mark.contract("AP-6", "AP-7", "P1", "P2", "P3", "EV-4")
def test_fault_matrix_on_the_wire(moments: Moments, tmp_path: Path) -> None:
    hits: Counter[str] = Counter()
    met: Counter[str] = Counter()
    for number, scenario in enumerate(matrix()):
        wired = moments.kept[scenario.moment].fresh(tmp_path / str(number))
        wired.wire.fault = scenario.strike(moments.calls[scenario.moment])
        try:
            hits[f"{scenario.stage}: {CHECKS[scenario.stage](wired)}"] += 1
        except Exception as error:
            error.add_note(f"{scenario}")
            raise
        met.update((scenario.fault, scenario.position, f"{scenario.stage} {scenario.route}"))
    states = [f"{stage}: {end}" for stage, ends in ENDS.items() for end in ends]
    told("faults on the wire", hits, states=states, floor=10 if IS_FULL else 1)
    assert {*FAULTS, *POSITIONS, *(f"{stage} {route}" for stage, route in ENDPOINTS)} == met.keys()
    assert not IS_FULL or sum(hits.values()) >= 720


@pytest.mark.contract("AP-6")
def test_the_matrix_has_calls_to_strike_first_middle_and_last(moments: Moments) -> None:
    cells = ((Scenario(stage, route, "", "", way=way)) for stage, route in ENDPOINTS for way in ways(stage, route, 0))
    few = [one for one in cells if moments.calls[one.moment][one.route] < 3]
    assert not few and len(ENDPOINTS) >= 12 and len(FAULTS) >= 20


def ended(wired: Wired, command: Callable[[Wired], object]) -> str:
    """How one command ended, in a word."""
    try:
        command(wired)
    except Refusal as refusal:
        return refusal.slug
    return "done"


def checked_execution(wired: Wired) -> str:
    """Execute under the fault, again without it until it is over, judge, undo: all as before."""
    before = wired.labels()
    ending = ended(wired, COMMANDS["execute"])
    judge_changes(wired, before)
    wired.wire.fault = None
    settle(wired)
    judge_receipt(wired, before)
    with suppress(NothingToDo, AlreadyUndone):
        wired.world.undo()
    assert wired.labels() == before
    return ending


def settle(wired: Wired) -> None:
    """The command again until it says that it is over. A run that never began is not begun after its hour."""
    for _ in range(3):
        try:
            wired.world.execute(wired.digest)
        except Consumed:
            return
        except PartlyDone:
            continue
        except Refusal as refusal:
            assert refusal.slug in ("expired", "already-undone") and not load_receipts(wired.world.context.workspace)
            return
    raise AssertionError("never ends")


def judge_changes(wired: Wired, before: Mapping[str, frozenset[str]]) -> None:
    """Nothing but approved changes of approved targets reached the mailbox, and no label was asked for twice."""
    for message_id, now in wired.labels().items():
        assert now in allowed(wired, message_id, before[message_id]), message_id
    made = [seen.body for seen in wired.twin.requests if seen.route == "labels.create" and seen.status == 200]
    assert len(made) == len(set(made)) and not wired.twin.recorded
    routes = {*MOVES, "messages.batchModify"} if wired.is_trash else {"labels.create", "messages.batchModify"}
    assert {seen.route for seen in wired.twin.mutations} <= routes, "never a thread"
    for seen in wired.twin.mutations if wired.is_trash else ():
        body = json.loads(seen.body or b"{}")
        assert {*body.get("addLabelIds", []), *body.get("removeLabelIds", [])} <= {"INBOX"}


def allowed(wired: Wired, message_id: str, before: frozenset[str]) -> set[frozenset[str]]:
    """What a message may wear at any moment: an approved target also its change, or the way back half done."""
    if message_id not in WISHES:
        return {before}
    half = {before | {"INBOX"}, before - {"INBOX"}} if wired.is_trash else set()
    return {before, wired.wanted(message_id, before), *half}


def judge_receipt(wired: Wired, before: Mapping[str, frozenset[str]]) -> dict[str, TargetStatus]:
    """Of the newest execution: verified is true, every target is accounted for, the prior labels are the true ones.
    Returns each target's status; none when there is no receipt."""
    judge_changes(wired, before)
    stored = [one for one in load_receipts(wired.world.context.workspace) if one.receipt.opened.purpose == "execute"]
    if not stored:
        assert wired.labels() == before
        return {}
    progress, closed = fold_events(stored[-1].receipt.events), stored[-1].receipt.events[-1]
    assert isinstance(closed, Closed) and closed.is_authentic(wired.world.context.approval_key())
    assert sum(closed.statuses.values()) == len(WISHES)
    assert (stored[-1].receipt.opened.trash_kept_until is not None) == wired.is_trash
    now = wired.labels()
    for message_id, status in progress.statuses().items():
        is_changed = now[message_id] != before[message_id]
        assert status != "verified" or now[message_id] == wired.wanted(message_id, before[message_id])
        assert status not in ("not_sent", "failed") or not is_changed, (message_id, status)
        assert not is_changed or set(progress.first_before[message_id]) == raw(wired, before[message_id])
    return progress.statuses()


def raw(wired: Wired, names: frozenset[str]) -> set[str]:
    """Label names as ids."""
    known = {label.name: key for key, label in wired.twin.state.mail.labels.items()}
    return {known.get(one, one) for one in names}


def checked_undo(wired: Wired) -> str:
    """Undo under the fault, again by name without it until nothing is left, also of what was denied: all as before."""
    before = wired.beginning
    ending = ended(wired, COMMANDS["undo"])
    judge_changes(wired, before)
    wired.wire.fault = None
    run = newest_execution(wired)
    for _ in range(4):
        if ended(wired, lambda wired: wired.world.undo(run)) == AlreadyUndone.slug:
            break
    assert wired.labels() == before
    return ending


def newest_execution(wired: Wired) -> str:
    """The run that is undone."""
    stored = load_receipts(wired.world.context.workspace)
    return [one.run for one in stored if one.receipt.opened.purpose == "execute"][-1]


def checked_fetch(wired: Wired) -> str:
    """Fetch under the fault, then without it: what was sealed is what the mailbox shows, or it is refused by name."""
    ending = ended(wired, COMMANDS["fetch"])
    wired.wire.fault = None
    fetch(wired.world.context, full=True)
    readings = {one.key: one.mail for one in read_mail(read_captures(wired.world.context.workspace))}
    assert {key: frozenset(mail.label_ids or ()) for key, mail in readings.items()} == wired.twin.label_sets()  # type: ignore[union-attr]  # all are readable
    assert not wired.twin.mutations
    return "done" if ending == "done" else "refused"


CHECKS: Mapping[str, Callable[[Wired], str]] = {
    "fetch": checked_fetch,
    "execute": checked_execution,
    "undo": checked_undo,
    "trash": checked_execution,
    "untrash": checked_undo,
}
ENDS: Mapping[str, tuple[str, ...]] = {
    "fetch": ("done", "refused"),
    "execute": ("done", "partly-done"),
    "undo": ("done",),
    "trash": ("done", "partly-done"),
    "untrash": ("done",),
}
"""How each command must have ended now and then; a sweep that never struck would only be done."""
