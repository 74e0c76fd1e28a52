"""Killed at every step, starved of disk and time, and then asked once more: the promise of one re-run."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import pipeline.changes.journal
from pipeline.refusals import (
    BudgetRefused,
    Busy,
    IdentityRefused,
    InputRefused,
    PartlyDone,
    Tampered,
    WriteFailed,
)
from tests.fakes import Fault, Mailbox, Template, World, mail
from tests.guarantees.executions import (
    APPROVED,
    attempt,
    judge,
    killed,
    no_locks,
    settle,
)
from tests.strategies.kills import STATES, state_of
from tests.sweeps import IS_FULL, part, told

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.contract("P2", "AP-6", "AP-4")
def test_killed_at_every_step_one_more_run_ends_it(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    hits: Counter[str] = Counter()
    variants = ((), (Fault("messages.batchModify", 2, "drop-after"),), (Fault("labels.create", 1, "drop-after"),))
    points: list[tuple[int, int, bool]] = []
    for variant, faults in enumerate(variants):
        whole = template.fresh(tmp_path / f"whole-{variant}")
        whole.gmail.faults.extend(faults)
        steps = killed(whole, digest, 10_000, is_torn=False)
        points += [(variant, at, False) for at in range(1, len(steps))]
        points += [(variant, at, True) for at in range(1, len(steps)) if steps[at - 1].endswith("about to be written")]
    for variant, at, is_torn in part(points, 3):
        world = template.fresh(tmp_path / f"{variant}-{at}-{is_torn}")
        world.gmail.faults.extend(variants[variant])
        hits[kill_once_and_settle(world, digest, at, is_torn=is_torn)] += 1
    told("kills in thought at every step", hits, states=STATES, floor=10 if IS_FULL else 1)


def kill_once_and_settle(world: World, digest: str, at: int, *, is_torn: bool) -> str:
    """Kill at a step, run again, judge, undo, compare with the mailbox before; the state that the kill hit."""
    before = world.mailbox.label_sets()
    state = state_of(killed(world, digest, at, is_torn=is_torn))
    ending = settle(world, digest)
    progress = judge(world, before)
    verified = [one for one, status in progress.statuses().items() if status == "verified"]
    assert ending == "partly" or len(verified) == len(APPROVED)
    if verified:
        world.undo()
    assert world.mailbox.label_sets() == before
    return state


@pytest.mark.contract("AP-6")
def test_without_the_read_back_the_sweep_would_notice(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """The guard broken once, on purpose: a mailbox that pretends is believed, and `judge` sees it."""
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    world.gmail.faults.append(Fault("messages.batchModify", 1, "pretended"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.changes.changing.verdict", lambda *_, **__: "verified")
        world.execute(digest)
    with pytest.raises(AssertionError):
        judge(world, before)


@pytest.mark.contract("AP-6")
def test_without_a_durable_intent_the_sweep_would_notice(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """The guard broken once, on purpose: intents that were not on the disk when the process died."""
    template, digest = prepared
    written = pipeline.changes.journal.append_line

    def forgetful(path: Path, line: bytes, *rest: object) -> None:
        if b'"event":"intent"' not in line and b'"event":"answered"' not in line:
            written(path, line)

    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline.changes.journal, "append_line", forgetful)
        killed(world, digest, 1, is_torn=False, only="messages.batchModify answered")
    assert world.mailbox.label_sets() != before, "the kill came after a change"
    with pytest.raises((AssertionError, Tampered)):
        settle(world, digest)
        judge(world, before)


@pytest.mark.contract("AP-4", "P2")
def test_resume_after_expiry_only_reads_back_and_closes(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    total = len(killed(template.fresh(tmp_path / "whole"), digest, 10_000, is_torn=False))
    for at in range(1, total):
        world = template.fresh(tmp_path / str(at))
        before = world.mailbox.label_sets()
        steps = killed(world, digest, at, is_torn=False)
        has_receipt = "opening written" in steps or steps[-1] == "opening written"
        world.clock.pass_minutes(61)
        received = world.mailbox.received
        ending = attempt(world, digest)
        assert world.mailbox.received == received, "nothing is sent after the expiry"
        assert ending in (("partly-done", "consumed", "done") if has_receipt else ("expired",)), (at, ending)
        if has_receipt:
            judge(world, before)


@pytest.mark.contract("AP-5")
def test_resume_after_a_pin_changed_sends_nothing_more(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    killed(world, digest, 1, is_torn=False, only="messages.batchModify answered")
    received = world.mailbox.received
    world.context = replace(world.context, config=replace(world.context.config, policy_bytes=b"version = 1\n"))
    assert attempt(world, digest) == "partly-done"
    assert world.mailbox.received == received
    judge(world, before)


@pytest.mark.contract("AP-8", "P2")
def test_a_disk_that_fills_at_any_line_stops_the_run_and_one_more_ends_it(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    """A refusal like any other, and nothing in between may swallow it and go on."""
    template, digest = prepared
    written = pipeline.changes.journal.append_line
    for nth in range(1, 40):
        world = template.fresh(tmp_path / str(nth))
        before, seen = world.mailbox.label_sets(), []

        def full(path: Path, line: bytes, *, world: World = world, seen: list[int] = seen, nth: int = nth) -> None:
            seen.append(world.mailbox.received)
            if len(seen) >= nth:
                with path.open("ab") as file:
                    file.write(line[: len(line) // 2])
                raise WriteFailed("no space left")
            written(path, line)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pipeline.changes.journal, "append_line", lambda path, line, disk, full=full: full(path, line))
            outcome = attempt(world, digest)
        assert outcome == ("write-failed" if len(seen) >= nth else "done")
        assert len(seen) <= nth and world.mailbox.received == seen[-1], "nothing is sent after the failure"
        settle(world, digest)
        judge(world, before)


@pytest.mark.contract("AP-4")
@pytest.mark.parametrize("nth", range(1, 7))
def test_the_hour_ends_in_mid_run_and_the_rest_is_listed_as_not_sent(
    prepared: tuple[Template, str], tmp_path: Path, nth: int
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    asked_at: list[int] = []

    def late(mailbox: Mailbox) -> None:
        asked_at.append(mailbox.received)
        world.clock.pass_minutes(60)

    world.gmail.faults.append(Fault("messages.get", nth, late))
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert "expired" in caught.value.what
    assert world.mailbox.received == asked_at[0], "the request under way was the last"
    judge(world, before)


@pytest.mark.contract("AP-6", "P2")
def test_a_sick_gmail_leaves_the_run_open_for_the_same_command(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail(f"m{n}", "INBOX") for n in range(6)])
    digest = world.ready()
    world.gmail.faults += [Fault("messages.get", 7, "500", forever=True), Fault("getProfile", 3, "500", forever=True)]
    with pytest.raises(BudgetRefused) as caught:
        world.execute(digest)
    assert caught.value.exit_code == 8 and caught.value.next_command == f"gmailtriage execute {digest}"
    world.gmail.faults.clear()
    assert world.execute(digest).statuses["verified"] == 6
    assert world.mailbox.asked["messages.batchModify"] == 1, "what was done is not done again"


def test_an_interrupted_run_comes_before_any_other(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    killed(world, digest, 40, is_torn=False)
    with pytest.raises(Busy) as caught:
        world.freeze()
    assert caught.value.next_command == f"gmailtriage execute {digest}"
    with pytest.raises(InputRefused):
        world.undo()


def test_another_mailbox_in_the_registry_stops_an_interrupted_run(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    """Read-backs in the wrong mailbox would find every id vanished."""
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    killed(world, digest, 40, is_torn=False)
    files = world.files()
    account = world.context.config.account.model_copy(update={"address": "other@example.com"})
    world.context = replace(world.context, config=replace(world.context.config, account=account))
    with pytest.raises(IdentityRefused):
        world.execute(digest)
    assert no_locks(world.files()) == no_locks(files)


@pytest.mark.contract("AP-4")
def test_one_run_of_an_account_at_a_time_even_when_the_first_is_only_interrupted(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    first = world.ready({"m1": "archive"})
    world.clock.pass_minutes(0.5)
    second = world.ready({"m2": "archive"})
    killed(world, first, 25, is_torn=False)
    received = world.mailbox.received
    with pytest.raises(Busy) as caught:
        world.execute(second)
    assert caught.value.next_command == f"gmailtriage execute {first}" and world.mailbox.received == received
    settle(world, first)
    assert world.execute(second).statuses["verified"] == 1
