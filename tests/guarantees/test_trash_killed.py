"""Trash killed by SIGKILL at any line, at any system call, again and again, going in and coming back: one more run
ends it, and every label is as it was, wherever Gmail leaves INBOX.

Every sweep starts from a workspace with a past, on the four kinds of mailbox in turn (`littered`).
"""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from pipeline.refusals import Refusal
from stages.verify import verify
from tests.fakes import Fault, Template, World
from tests.guarantees.executions import attempt, settle
from tests.guarantees.forked import Death, Dying, die_in
from tests.guarantees.test_standalone import refused
from tests.guarantees.trashes import (
    APPROVED,
    CHANGE,
    in_trash,
    judge_trash,
    newest_run,
    refuse_foreign_trash,
    take_back,
)
from tests.strategies.kills import STATES, kill_points, state_of
from tests.sweeps import IS_FULL, part, sweep, told

pytestmark = pytest.mark.usefixtures("quick")

Littered = list[tuple[Template, str]]
FEW = 10 if IS_FULL else 1
WINDOWS = STATES if IS_FULL else ("before intent", "intent written", "recorded", "read back")
"""What a sweep over lines must have met; windows of a few lines are met in the long run, and at system calls."""
VARIANTS: dict[str, tuple[Fault, ...]] = {
    "no fault": (),
    "the second is moved and nobody hears": (Fault(CHANGE, 2, "drop-after"),),
    "Gmail is busy once": (Fault(CHANGE, 1, "503"),),
}


def points(littered: Littered, folder: Path, act: Callable[[World, int], object]) -> list[tuple[int, int]]:
    """(way, line of Python) for every line that `act` takes, the four kinds of mailbox in turn."""
    lines = []
    for way, (template, _) in enumerate(littered):
        whole = template.fresh(folder / f"way-{way}")
        lines.append(die_in(whole, Death(line=10**9), lambda world=whole, way=way: act(world, way)).lines)  # type: ignore[misc]  # bound now
    turns = ((number % 4, line) for number, line in enumerate(range(1, max(lines) + 1)))
    return [(way, line) for way, line in turns if line <= lines[way]]


def killed_and_ended(world: World, digest: str, death: Death) -> str:
    """Kill the execution, run again, judge, undo, compare with the mailbox before; the state that the kill hit."""
    before = world.mailbox.label_sets()
    dying = die_in(world, death, lambda: world.execute(digest))
    assert settle(world, digest) in ("done", "over")
    assert set(judge_trash(world, before).statuses().values()) == {"verified"}
    assert world.mailbox.label_sets() == before | {one: in_trash(world, before[one]) for one in APPROVED}
    world.undo()
    assert world.mailbox.label_sets() == before
    refuse_foreign_trash(world)
    return state_of(list(dying.steps))


@pytest.mark.contract("P2", "P3", "AP-6", "AP-9")
def test_trash_killed_at_any_line_of_python_is_ended_by_one_more_run(littered: Littered, tmp_path: Path) -> None:
    hits: Counter[str] = Counter()
    chosen = points(littered, tmp_path, lambda world, way: world.execute(littered[way][1]))
    for way, line in part(chosen, 53):
        template, digest = littered[way]
        hits[killed_and_ended(template.fresh(tmp_path / str(line)), digest, Death(line=line))] += 1
    told("trash killed at a line", hits, states=WINDOWS, floor=FEW)
    assert sum(hits.values()) - hits["not killed"] >= (3000 if IS_FULL else 55), "every line that a run takes"


@pytest.mark.contract("P2", "P3", "AP-6", "AP-8", "AP-9")
def test_trash_killed_at_any_system_call_of_a_write_is_ended_by_one_more_run(
    littered: Littered, tmp_path: Path
) -> None:
    calls: list[tuple[str, int]] = []
    rare: list[tuple[str, int]] = []
    for name, faults in VARIANTS.items():
        whole, digest = littered[0][0].fresh(tmp_path / name), littered[0][1]
        whole.gmail.faults.extend(faults)
        steps = die_in(whole, Death(is_deep=True), lambda world=whole, digest=digest: world.execute(digest)).steps  # type: ignore[misc]  # bound now
        calls += [(name, at) for at in range(1, len(steps))]
        rare += [(name, at) for at, step in enumerate(steps, 1) if step == f"{CHANGE} answered"]
    hits: Counter[str] = Counter()
    for number, (name, at) in enumerate(sorted({*part(calls, 71), *rare})):
        template, digest = littered[number % 4]
        world = template.fresh(tmp_path / f"{name}-{at}")
        world.gmail.faults.extend(VARIANTS[name])
        hits[killed_and_ended(world, digest, Death(at=at, is_deep=True))] += 1
    told("trash killed at a system call", hits, states=STATES, floor=5 if IS_FULL else 1)


@pytest.mark.contract("P2", "P3", "AP-6", "AP-9")
def test_an_undo_of_trash_killed_at_any_line_is_ended_by_one_more(littered: Littered, tmp_path: Path) -> None:
    """The owner starred one of them in the trash and took another out: the star stays, and so does what is theirs."""
    taken = [executed(template, digest, tmp_path / f"way-{n}") for n, (template, digest) in enumerate(littered)]
    lying = [(template, run) for template, run, _ in taken]
    chosen = points(lying, tmp_path / "whole", lambda world, way: undo_after_the_owner(world, lying[way][1]))
    hits: Counter[str] = Counter()
    for way, line in part(chosen, 97):
        template, run, before = taken[way]
        world = template.fresh(tmp_path / str(line))
        at_work(world)
        wanted = before | {"m1": before["m1"] | {"STARRED"}, "m2": world.mailbox.labels_of("m2")}
        dying = die_in(world, Death(line=line), lambda world=world, run=run: world.undo(run))  # type: ignore[misc]  # bound now
        hits[state_of(list(dying.steps))] += 1
        take_back(world, run)
        assert world.mailbox.label_sets() == wanted, line
        refuse_foreign_trash(world)
        assert verify(world.context).findings == () and refused(world.context.workspace.root) == []
    told("undos of trash killed at a line", hits, states=WINDOWS, floor=FEW)


def at_work(world: World) -> None:
    """The owner's hand, between run and undo."""
    world.mailbox.edit("m1", add=("STARRED",))
    world.mailbox.edit("m2", remove=("TRASH",))


def undo_after_the_owner(world: World, run: str) -> None:
    """The hand, then the undo."""
    at_work(world)
    world.undo(run)


def executed(template: Template, digest: str, folder: Path) -> tuple[Template, str, dict[str, set[str]]]:
    """The same world after the run, the run, and every label set before it."""
    world = template.fresh(folder)
    before = world.mailbox.label_sets()
    run = world.execute(digest).run
    world.clock.pass_minutes(1)
    return Template(world), run, before


@pytest.mark.contract("P1", "P2", "P3", "AP-4", "AP-6", "AP-9")
def test_trash_killed_again_and_again_with_faults_in_between_going_and_coming(
    littered: Littered, tmp_path: Path
) -> None:
    random, hits = Random(20261130), Counter[str]()
    for number in range(sweep(1500, 30)):
        template, digest = littered[number % 4]
        world = template.fresh(tmp_path / str(number))
        before = world.mailbox.label_sets()
        world.gmail.faults.extend(a_fault(random, CHANGE))
        for _ in range(random.randint(1, 3)):
            hits[state_of(list(killed_somewhere(world, lambda: attempt(world, digest), random, CHANGE).steps))] += 1  # noqa: B023  used at once
        settle(world, digest)
        progress = judge_trash(world, before)
        run = newest_run(world).run
        world.gmail.faults = a_fault(random, "messages.untrash", world.mailbox.asked["messages.untrash"])
        for _ in range(random.randint(0, 2) if "verified" in progress.statuses().values() else 0):
            dying = killed_somewhere(world, lambda: undone(world, run), random, "messages.untrash")  # noqa: B023  used at once
            hits[f"undo: {state_of(list(dying.steps))}"] += 1
        take_back(world, run)
        assert world.mailbox.label_sets() == before, number
        refuse_foreign_trash(world)
    told("trash killed again and again", hits, states=(*WINDOWS, *(f"undo: {one}" for one in WINDOWS)), floor=FEW)


def a_fault(random: Random, method: str, so_far: int = 0) -> list[Fault]:
    """Mostly one trouble with a request that moves a message."""
    kind = random.choice(["drop-before", "drop-after", "500", "429", "garbage", "unsent", "pretended", "403"])
    return [] if random.random() > 0.7 else [Fault(method, so_far + random.randint(1, 3), kind)]


def killed_somewhere(world: World, act: Callable[[], object], random: Random, change: str) -> Dying:
    """At a line, at a system call, or at a step of a kind that is rare among all."""
    if random.random() < 0.3:
        return die_in(world, Death(line=random.randint(1, 3500)), act)
    at, only = kill_points(random, 110, change)
    return die_in(world, Death(at=at, only=only, is_torn=random.random() < 0.3, is_deep=not only), act)


def undone(world: World, run: str) -> None:
    """One undo, however it ends."""
    with suppress(Refusal):
        world.undo(run)


@pytest.mark.contract("AP-6", "P3")
def test_trash_that_was_not_announced_is_missed_by_the_very_same_kill(littered: Littered, tmp_path: Path) -> None:
    """The guard broken once, on purpose: without its intent a moved message is nobody's."""
    template, digest = littered[0]
    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.changes.journal.append_line", lambda *_: None)
        die_in(world, Death(at=1, only=f"{CHANGE} answered"), lambda: world.execute(digest))
    assert world.mailbox.label_sets() != before, "the kill came after a change"
    with pytest.raises((AssertionError, Refusal)):
        killed_and_ended(world, digest, Death(at=10**6))
