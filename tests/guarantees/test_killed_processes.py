"""A process killed for good, by SIGKILL, at any line, at any system call, again and again: one more run ends it.

Every sweep starts from a workspace with a past (`populated`): receipts of a run that stands and of one that was undone.
"""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.fakes import Fault, Template, World
from tests.guarantees.executions import APPROVED, attempt, judge, settle
from tests.guarantees.forked import Death, Dying, die_in
from tests.guarantees.undos import OURS, finish, refuse_foreign
from tests.strategies.kills import STATES, kill_points, state_of
from tests.sweeps import IS_FULL, part, sweep, told

pytestmark = pytest.mark.usefixtures("quick")

VARIANTS: dict[str, tuple[Fault, ...]] = {
    "no fault": (),
    "the second batch is answered by silence": (Fault("messages.batchModify", 2, "drop-after"),),
    "the label is made and nobody hears": (Fault("labels.create", 1, "drop-after"),),
}
FEW = 10 if IS_FULL else 1


@pytest.mark.contract("P2", "AP-6")
def test_killed_at_any_line_of_python_one_more_run_ends_it(populated: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = populated
    whole = template.fresh(tmp_path / "whole")
    lines = die_in(whole, Death(line=10**9), lambda: whole.execute(digest)).lines
    hits: Counter[str] = Counter()
    for line in part(range(1, lines + 1)):
        world = template.fresh(tmp_path / str(line))
        hits[killed_and_ended(world, digest, Death(line=line))] += 1
    told("processes killed at a line", hits, states=STATES, floor=FEW)
    assert sum(hits.values()) >= (3000 if IS_FULL else 300), "every line that a run takes"


@pytest.mark.contract("P2", "AP-6", "AP-8")
def test_killed_at_any_system_call_of_a_write_one_more_run_ends_it(
    populated: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = populated
    points: list[tuple[str, int]] = []
    for name, faults in VARIANTS.items():
        whole = template.fresh(tmp_path / name)
        whole.gmail.faults.extend(faults)
        steps = die_in(whole, Death(is_deep=True), lambda world=whole: world.execute(digest)).steps  # type: ignore[misc]  # bound now
        points += [(name, at) for at in range(1, len(steps))]
    hits: Counter[str] = Counter()
    for name, at in part(points):
        world = template.fresh(tmp_path / f"{name}-{at}")
        world.gmail.faults.extend(VARIANTS[name])
        hits[killed_and_ended(world, digest, Death(at=at, is_deep=True))] += 1
    told("processes killed at a system call", hits, states=STATES, floor=FEW)
    assert sum(hits.values()) >= (2000 if IS_FULL else 200), "every call of every variant"


def killed_and_ended(world: World, digest: str, death: Death) -> str:
    """Kill, run again, judge, undo, compare with the mailbox before; the state that the kill hit."""
    before = world.mailbox.label_sets()
    dying = die_in(world, death, lambda: world.execute(digest))
    assert dying.is_killed, death
    ending = settle(world, digest)
    statuses = judge(world, before).statuses()
    verified = [one for one, status in statuses.items() if status == "verified"]
    assert ending == "partly" or len(verified) == len(APPROVED)
    assert set(statuses.values()) <= {"verified", "not_sent"}
    if verified:
        world.undo()
    assert world.mailbox.label_sets() == before
    return state_of(list(dying.steps))


@pytest.mark.contract("P2", "AP-6")
def test_killed_again_and_again_with_faults_in_between(populated: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = populated
    random, hits = Random(20261123), Counter[str]()
    for number in range(sweep(1500)):
        world = template.fresh(tmp_path / str(number))
        before = world.mailbox.label_sets()
        world.gmail.faults.extend(a_fault(random))
        for _ in range(random.randint(1, 3)):
            hits[state_of(list(killed_somewhere(world, digest, random).steps))] += 1
        settle(world, digest)
        if "verified" in judge(world, before).statuses().values():
            world.undo()
        assert world.mailbox.label_sets() == before
    told("processes killed again and again", hits, states=STATES)


def a_fault(random: Random) -> list[Fault]:
    """Mostly one trouble with a request that changes something. A label that was only pretended to be made is left out:
    nothing can follow from it."""
    method = random.choice(["messages.batchModify", "labels.create"])
    kind = random.choice(["drop-before", "drop-after", "500", "429", "garbage", "unsent", "pretended"])
    is_none = random.random() > 0.7 or (method == "labels.create" and kind == "pretended")
    return [] if is_none else [Fault(method, random.randint(1, 3), kind)]


def killed_somewhere(world: World, digest: str, random: Random) -> Dying:
    """At a line, at a system call, or at a step of a kind that is rare among all."""
    if random.random() < 0.3:
        return die_in(world, Death(line=random.randint(1, 3500)), lambda: attempt(world, digest))
    at, only = kill_points(random, 110)
    death = Death(at=at, only=only, is_torn=random.random() < 0.3, is_deep=not only and random.random() < 0.5)
    return die_in(world, death, lambda: attempt(world, digest))


@pytest.mark.contract("P2", "P3", "AP-9")
def test_an_undo_killed_at_any_line_is_ended_by_one_more(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    whole = owner_at_work(template.fresh(tmp_path / "whole"))  # the hand splits batches: without it lines are fewer
    lines = die_in(whole, Death(line=10**9), lambda: whole.undo(run)).lines
    hits: Counter[str] = Counter()
    for line in part(range(1, lines + 1, 2), 20):
        world = owner_at_work(template.fresh(tmp_path / str(line)))
        wanted = {**before, "m1": before["m1"] | {"STARRED"}}
        hits[state_of(list(die_in(world, Death(line=line), lambda world=world: world.undo(run)).steps))] += 1  # type: ignore[misc]  # bound now
        finish(world, run)
        assert world.mailbox.label_sets() == wanted
        refuse_foreign(world.mailbox)
    told("undos killed at a line", hits, states=STATES if IS_FULL else ("read back", "closed"), floor=FEW)
    assert not hits["not killed"], "a line that an undo does not take"


def owner_at_work(world: World) -> World:
    """One message starred, another put as it was by hand."""
    world.mailbox.edit("m1", add=("STARRED",))
    world.mailbox.edit("m2", remove=tuple(OURS["m2"] & world.mailbox.labels_of("m2")))
    return world


@pytest.mark.contract("AP-6")
def test_a_kill_between_the_request_and_the_line_about_it_is_among_them(
    populated: tuple[Template, str], tmp_path: Path
) -> None:
    """The guard broken once, on purpose: an intent that was never written is missed by the very same kill."""
    template, digest = populated
    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    death = Death(at=1, only="messages.batchModify answered")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.changes.journal.append_line", lambda *_: None)
        die_in(world, death, lambda: world.execute(digest))
    assert world.mailbox.label_sets() != before, "the kill came after a change"
    with pytest.raises(AssertionError):
        killed_and_ended(world, digest, Death(at=10**6))
