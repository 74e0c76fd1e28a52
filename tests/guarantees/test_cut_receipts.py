"""An open receipt that was cut at a line's end: its chain is right, and yet it is refused by name."""

from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from pipeline.refusals import Consumed, Tampered, WrongDigest
from pipeline.sealing.binding import check_closing
from pipeline.sealing.receipts import load_receipt
from stages.verify import verify
from tests.fakes import KEY, Killed, Template, World, killing
from tests.guarantees.executions import judge, killed, settle
from tests.sweeps import IS_FULL, sweep, told

pytestmark = pytest.mark.usefixtures("quick")


def interrupted(template: Template, digest: str, place: Path, *, step: str) -> tuple[World, Path]:
    """A run that died at the second step of this name, and its receipt."""
    world = template.fresh(place)
    killed(world, digest, 2, is_torn=False, only=step)
    (path,) = (place / "receipts").glob("*.jsonl")
    return world, path


@pytest.mark.contract("P4", "AP-8", "P3")
def test_an_open_receipt_cut_at_any_line_is_refused_and_named(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world, path = interrupted(template, digest, tmp_path / "w", step="messages.batchModify answered")
    whole, received = path.read_bytes(), world.mailbox.received
    lines = whole.splitlines(keepends=True)
    for keep in range(1, len(lines)):
        for rest in (b"", lines[keep][:9]):
            path.write_bytes(b"".join(lines[:keep]) + rest)
            with pytest.raises(Tampered) as caught:
                world.execute(digest)
            assert path.name in caught.value.what
            with pytest.raises(WrongDigest):
                verify(world.context)
    assert len(lines) > 5 and world.mailbox.received == received
    path.write_bytes(whole)
    assert settle(world, digest) == "done"


@pytest.mark.contract("P4", "AP-8")
@pytest.mark.parametrize("keep", [1, 4])
def test_without_its_head_or_with_a_forged_one_an_open_receipt_is_refused(
    prepared: tuple[Template, str], tmp_path: Path, keep: int
) -> None:
    template, digest = prepared
    world, path = interrupted(template, digest, tmp_path / "w", step="messages.batchModify answered")
    head, received = path.with_suffix(".head"), world.mailbox.received
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:keep]))
    for forged in (None, b"", head.read_bytes().replace(b'"lines":', b'"lines":1')):
        head.unlink() if forged is None else head.write_bytes(forged)
        with pytest.raises(Tampered):
            world.execute(digest)
    assert world.mailbox.received == received


@pytest.mark.contract("P4", "AP-8")
def test_a_closed_receipt_that_lost_its_end_and_its_digest_is_no_interrupted_one(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.execute(digest)
    (path,) = (tmp_path / "w" / "receipts").glob("*.jsonl")
    assert not path.with_suffix(".head").exists(), "a closed receipt needs none"
    path.with_suffix(".closed").unlink()
    with pytest.raises(Consumed):
        world.execute(digest)
    path.with_suffix(".closed").unlink()
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(Tampered):
        world.execute(digest)


@pytest.mark.contract("P2", "AP-6")
@pytest.mark.parametrize("step", ["head about to be written", "head written", "intent written"])
def test_killed_between_a_line_and_its_head_the_run_goes_on(
    prepared: tuple[Template, str], tmp_path: Path, step: str
) -> None:
    template, digest = prepared
    for nth in range(1, 25):
        world = template.fresh(tmp_path / f"{step}-{nth}")
        before = world.mailbox.label_sets()
        killed(world, digest, nth, is_torn=False, only=step)
        ending = settle(world, digest)
        found = set(judge(world, before).statuses().values())
        assert found == {"verified"} or (ending == "partly" and found <= {"verified", "not_sent"})


@pytest.mark.contract("P4", "AP-9")
def test_an_undo_receipt_that_was_cut_or_lost_is_refused(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    run = world.execute(digest).run
    with killing(world, 2, [], only="messages.batchModify answered"), suppress(Killed):
        world.undo(run)
    (path,) = [one for one in (tmp_path / "w" / "receipts").glob("*.jsonl") if one.stem != run]
    whole = path.read_bytes()
    path.write_bytes(whole.splitlines(keepends=True)[0])
    with pytest.raises(Tampered):
        world.undo(run)
    path.unlink()
    with pytest.raises(Tampered):
        world.undo(run)
    path.write_bytes(whole)
    world.undo(run)


@pytest.mark.contract("P4", "AP-8", "AP-9")
def test_a_receipt_cut_at_any_byte_is_refused_or_has_lost_nothing_but_a_torn_line(
    populated: tuple[Template, str], tmp_path: Path
) -> None:
    """Open and closed, at every stage of its growth. A closed one bears no cut at all."""
    template, digest = populated
    hits: Counter[str] = Counter()
    random = Random(40_000)
    total = sweep(40_000, 40)
    for number in range(20 if IS_FULL else 10):
        world = template.fresh(tmp_path / str(number))
        killed(world, digest, random.randint(30, 140), is_torn=False)
        workspace = world.context.workspace
        path = max(workspace.receipts.glob("*.jsonl"), key=lambda one: one.stat().st_mtime_ns)
        whole = path.read_bytes()
        is_closed = path.with_suffix(".closed").exists()  # killed before that, its last line may be a torn one
        last = whole.rstrip(b"\n").rfind(b"\n") + 1
        for cut in range(total // (20 if IS_FULL else 10)):
            start = last if cut % 10 == 0 else 0  # in the last line often enough
            path.write_bytes(whole[: random.randrange(start, len(whole))])
            hits["closed: " * is_closed + refusal_of(world, path, whole)] += 1
    told("cut receipts", hits, states=("refused", "the last line was torn"))
    assert hits.keys() <= {"refused", "closed: refused", "the last line was torn"}, hits


def refusal_of(world: World, path: Path, whole: bytes) -> str:
    """What the reader of a receipt says to its bytes."""
    try:
        stored = load_receipt(path)
        check_closing(world.context.workspace, stored, KEY)
    except Tampered:
        return "refused"
    lines = len(stored.receipt.events)
    assert whole.count(b"\n") - lines <= 1, "a head may be one line behind, no more"
    return "the last line was torn" if lines >= whole.count(b"\n") - 1 else "passed"
