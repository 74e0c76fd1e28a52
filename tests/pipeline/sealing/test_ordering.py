"""Runs are ordered by what they name, whatever the clock said; a gap, a circle and a fork are told."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.changes.runs import summaries
from pipeline.models.receipt import GENESIS, Opened, Receipt, read_receipt
from pipeline.refusals import AlreadyUndone, Tampered, WrongDigest
from pipeline.sealing.binding import newest_run
from pipeline.sealing.ordering import missing_runs, ranks, twins
from pipeline.sealing.receipts import fold_receipts, load_receipts, read_receipts, receipt_path
from stages.verify import verify
from tests.fakes import KEY, Killed, World, killing, mail, no_fsync
from tests.guarantees.test_standalone import alone, refused
from tests.strategies.receipts import Change, receipt_of
from tests.sweeps import sweep

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
SECONDS = st.lists(st.integers(-3, 3), min_size=6, max_size=6)
"""What the wall clock does before each of six runs: it goes on, stands still, or is moved back."""


@pytest.fixture(autouse=True)
def _quick() -> Any:
    with no_fsync():
        yield


def opened(run: str, after: str | None = None, at: datetime = NOON) -> Opened:
    """An opening that matters for its order alone; runs are named by one digit."""
    receipt = receipt_of(at, Change("m1", ("INBOX",), add=("Label_12",)), run=run * 16)
    return receipt.opened.model_copy(update={"after": after and after * 16})


def order(*openings: Opened) -> str:
    found = ranks(openings)
    return "".join(run[0] for run in sorted(found, key=lambda run: found[run]))


@pytest.mark.contract("AP-9")
@given(st.permutations("123456"), SECONDS, st.randoms())
def test_a_chain_is_in_its_own_order_whatever_clock_and_names_say(
    names: list[str], moves: list[int], random: Any
) -> None:
    at, chain = NOON, []
    for name, before, move in zip(names, (None, *names), moves, strict=False):
        at += timedelta(seconds=move)
        chain.append(opened(name, before, at))
    shuffled = random.sample(chain, k=len(chain))
    assert order(*shuffled) == "".join(names) and not missing_runs(chain) and not twins(chain)


def test_receipts_of_older_versions_come_first_by_time_then_by_run() -> None:
    later = NOON + timedelta(seconds=1)
    for found in permutations((opened("2"), opened("1"), opened("0", at=later), opened("5", "0", at=NOON))):
        assert order(*found) == "1205"


@pytest.mark.contract("P4")
def test_a_run_that_is_named_and_not_here_is_told_by_its_name() -> None:
    with pytest.raises(Tampered) as caught:
        ranks((opened("1"), opened("3", "2")))
    assert f"receipt {'2' * 16}.jsonl is gone" in caught.value.what and "3" * 16 in caught.value.evidence


@pytest.mark.contract("P4")
@pytest.mark.parametrize("found", [(opened("1", "1"),), (opened("1", "2"), opened("2", "3"), opened("3", "1"))])
def test_runs_that_name_each_other_are_refused(found: tuple[Opened, ...]) -> None:
    with pytest.raises(Tampered):
        ranks(found)


def test_two_that_went_on_apart_are_told_and_have_an_order() -> None:
    fork = (opened("1"), opened("3", "1"), opened("2", "1"), opened("4", "3"))
    assert order(*fork) == "1234" and twins(fork) == {"3" * 16: "1" * 16}


def test_the_first_receipt_and_those_of_older_versions_have_no_such_word() -> None:
    """So the bytes of older receipts are read as they are; a null is not what we write."""
    first = opened("1").model_copy(update={"previous": GENESIS})
    line = first.to_bytes()
    assert b'"after"' not in line and read_receipt(line + b"\n", "x").opened.after is None
    with pytest.raises(Tampered):
        read_receipt(line.replace(b'"approval"', b'"after":null,"approval"') + b"\n", "x")


# --- whole runs under a clock that does what it likes


@pytest.fixture(scope="module")
def true_course(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, list[str]]:
    """What a clock that goes on by a minute each time gives."""
    world = lived(tmp_path_factory.mktemp("true"), [60] * 6)
    return story(world), undone_in_order(world)


@pytest.mark.contract("AP-9")
@settings(max_examples=sweep(200, 10), deadline=None)
@given(moves=SECONDS)
def test_any_clock_gives_the_same_fold_the_same_newest_run_and_the_same_undos(
    moves: list[int], true_course: tuple[object, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    world = lived(tmp_path_factory.mktemp("moved"), moves)
    assert (story(world), undone_in_order(world)) == true_course and true_course[1] == ["m3", "m2", "m1"]
    assert refused(world.context.workspace.root) == [] and verify(world.context).findings == ()


def lived(root: Path, moves: list[int]) -> World:
    """m1 archived, undone and labelled, m2 and m3 archived; the clock moved before each of the six commands by so many
    seconds."""
    world = World.make(root, [mail(f"m{n}", "INBOX") for n in (1, 2, 3)])
    box = iter(moves)
    for wish in ({"m1": "archive"}, None, {"m1": "label"}, {"m2": "archive"}, {"m3": "archive"}):
        world.clock.pass_minutes(next(box) / 60)
        world.undo() if wish is None else world.execute(ready(world, wish))
    world.clock.pass_minutes(next(box) / 60)
    return world


def ready(world: World, wish: dict[str, str]) -> str:
    """Approved by a capture of the true time: what is tried here is the order of the runs alone."""
    if len(load_receipts(world.context.workspace)):
        world.capture()
    return world.ready(wish)


def story(world: World) -> object:
    """What the receipts say, without times and without ids that hold a time."""
    receipts = read_receipts(world.context.workspace)
    folds = fold_receipts(receipts)
    runs = [one.opened.run for one in receipts]
    told = {
        one: (runs.index(f.run), f.after_labels, f.is_undone, f.removed_inbox, f.archived_at is None)
        for one, f in folds.items()
    }
    newest = newest_run(world.context.workspace, KEY)
    found = summaries(load_receipts(world.context.workspace))
    return told, [one.opened.message_ids for one in receipts], newest == runs[-1], [one.undone for one in found]


def undone_in_order(world: World) -> list[str]:
    """The messages that one undo after the other, without a name, takes back."""
    found: list[str] = []
    while True:
        try:
            run = world.undo().run
        except AlreadyUndone:
            return found
        found += world.receipt(run).opened.message_ids


@pytest.fixture
def three(tmp_path: Path) -> tuple[World, list[str]]:
    """Three runs in one second."""
    world = World.make(tmp_path / "w", [mail(f"m{n}", "INBOX") for n in (1, 2, 3, 4)])
    runs = [world.execute(ready(world, {f"m{n}": "archive"})).run for n in (1, 2, 3)]
    return world, runs


@pytest.mark.contract("P4", "AP-8")
def test_a_receipt_taken_out_of_the_middle_with_all_that_stands_beside_it_is_missed(
    three: tuple[World, list[str]],
) -> None:
    world, runs = three
    root, received = world.context.workspace.root, world.mailbox.received
    digest = world.ready({"m4": "archive"})
    (root / "receipts" / f"{runs[1]}.jsonl").unlink()
    (root / "receipts" / f"{runs[1]}.closed").unlink()
    for act in (world.undo, lambda: world.undo(runs[2]), lambda: world.execute(digest)):
        with pytest.raises(Tampered) as caught:
            act()
        assert runs[1] in caught.value.what
    assert world.mailbox.received == received
    with pytest.raises(WrongDigest) as told:
        verify(world.context)
    assert f"receipts/{runs[1]}.jsonl" in told.value.evidence
    for key in (b"k", None):
        found = alone.examine(root, None, key).findings
        assert ("missing", f"receipts/{runs[1]}.jsonl") in [(one.kind, one.file) for one in found]


@pytest.mark.contract("P4")
def test_a_workspace_put_back_from_a_copy_that_went_on_is_told_and_everything_can_be_taken_back(
    three: tuple[World, list[str]],
) -> None:
    """The newest receipt was lost, a run came, the receipt was found again: two runs came after the same one."""
    world, runs = three
    lost = receipt_path(world.context.workspace, runs[2])
    data = lost.read_bytes()
    lost.unlink()
    fourth = world.execute(ready(world, {"m4": "archive"})).run
    lost.write_bytes(data)
    assert {world.receipt(one).opened.after for one in (runs[2], fourth)} == {runs[1]}
    (finding,) = verify(world.context).findings
    assert finding.kind == "unfinished" and runs[1] in finding.what
    assert [one.kind for one in alone.examine(world.context.workspace.root, None, None).findings] == ["unfinished"]
    for _ in range(4):
        world.undo()
    assert all(labels == {"INBOX"} for labels in world.mailbox.label_sets().values())


@pytest.mark.contract("AP-6")
def test_a_run_that_died_and_goes_on_names_the_same_run_and_the_next_one_names_it(
    three: tuple[World, list[str]],
) -> None:
    world, runs = three
    digest = ready(world, {"m4": "archive"})
    with killing(world, 1, [], only="messages.batchModify answered"), pytest.raises(Killed):
        world.execute(digest)
    run = world.execute(digest).run
    undone = world.undo()
    assert world.receipt(run).opened.after == runs[2]
    assert world.receipt(undone.run).opened.after == run and newest_run(world.context.workspace, KEY) == undone.run


def test_a_fold_of_receipts_without_the_one_that_is_named_is_refused() -> None:
    receipt: Receipt = receipt_of(NOON, Change("m1", ("INBOX",), add=("Label_12",)), run="1" * 16)
    late = receipt.model_copy(update={"events": (opened("2", "1"), *receipt.events[1:])})
    assert fold_receipts((late, receipt))["m1"].run == "2" * 16
    with pytest.raises(Tampered):
        fold_receipts((late,))
