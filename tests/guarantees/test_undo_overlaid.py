"""Undo where a run of trash lies over an older run, however that trash ended, and where an undo's receipt was lost."""

from pathlib import Path

import pytest

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.changes.inverse import AWAY, BY_HAND, UNKNOWN
from pipeline.changes.overlaid import trashed_by_runs
from pipeline.changes.runs import forged_runs, summaries
from pipeline.cli.undo_all import undo_all, undo_one
from pipeline.models.receipt import Excluded, Opened, TargetStatus
from pipeline.refusals import AlreadyUndone, PartlyDone, Tampered, WrongDigest
from pipeline.sealing.receipts import load_receipts, receipt_path
from stages.verify import verify
from tests.fakes import KEY, Fault, Mailbox, World, mail
from tests.guarantees.executions import rechained

pytestmark = pytest.mark.usefixtures("quick")


def star(mailbox: Mailbox) -> None:
    """The owner stars the mail while the request is on its way."""
    mailbox.edit("m1", add=("STARRED",))


ENDS: dict[TargetStatus, list[Fault]] = {
    "verified": [],
    "conflict": [Fault("messages.trash", 1, star)],
    "indeterminate": [Fault("messages.trash", 1, "drop-after"), Fault("messages.get", 3, "garbage", forever=True)],
}
"""How the run of trash may end, its message in the trash each time."""


@pytest.fixture(params=ENDS)
def overlaid(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[World, str, str]:
    """Two messages archived, then one of them trashed: the world and both runs."""
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")], status="cleanup-enabled")
    archived = world.execute(world.ready({"m1": "archive", "m2": "archive"})).run
    world.clock.pass_minutes(1)
    world.capture()
    digest = world.ready({"m1": "trash"})
    world.mailbox.asked.clear()
    world.gmail.faults.extend(ENDS[request.param])
    try:
        world.execute(digest)
    except PartlyDone as partly:
        assert request.param in partly.evidence
    world.gmail.faults.clear()
    world.clock.pass_minutes(1)
    trashed = load_receipts(world.context.workspace)[-1].run
    assert trashed != archived and "TRASH" in world.mailbox.labels_of("m1")
    return world, archived, trashed


def given_back(world: World) -> bool:
    return all(labels - {"STARRED"} == {"INBOX"} for labels in world.mailbox.label_sets().values())


@pytest.mark.contract("P3", "AP-9")
def test_mail_under_our_trash_is_not_settled_by_the_undo_of_the_older_run(overlaid: tuple[World, str, str]) -> None:
    """However the trash ended: the owner did not put it there."""
    world, archived, trashed = overlaid
    with pytest.raises(PartlyDone) as caught:
        world.undo(archived)
    assert caught.value.next_command == f"gmailtriage undo {trashed}, then gmailtriage undo {archived}"
    world.undo(trashed)
    world.undo(archived)
    assert given_back(world)


@pytest.mark.contract("P3", "AP-9")
def test_undo_all_loses_nothing_when_gmail_refuses_to_untrash_for_a_while(overlaid: tuple[World, str, str]) -> None:
    world, *_ = overlaid
    world.mailbox.asked.clear()
    world.gmail.faults.append(Fault("messages.untrash", 1, "403"))
    for _ in range(2):
        digests = [one.sha256 for one in load_receipts(world.context.workspace) if one.receipt.opened.undoes is None]
        try:
            undo_all(world.context, None, tuple(digests), undo_one)
        except PartlyDone:
            world.gmail.faults.clear()
    assert given_back(world)


@pytest.mark.contract("P3", "AP-9")
def test_mail_that_came_back_into_our_trash_is_told_with_the_run_that_must_be_named(
    overlaid: tuple[World, str, str],
) -> None:
    """Gone for both undos, so that none without a name would ever choose the run of trash again."""
    world, archived, trashed = overlaid
    gone = world.mailbox.messages.pop("m1")
    for run in (trashed, archived):
        world.undo(run)
    world.mailbox.messages["m1"] = gone
    with pytest.raises(PartlyDone) as caught:
        world.undo(archived)
    for command in caught.value.next_command.split(", then "):
        world.undo(command.split()[-1])
    assert given_back(world)


@pytest.mark.contract("P3", "P4")
def test_a_forged_undo_of_the_trash_does_not_make_its_mail_the_owners(overlaid: tuple[World, str, str]) -> None:
    """Else the undo of the older run would settle it for good."""
    world, _, trashed = overlaid
    source = next(one for one in load_receipts(world.context.workspace) if one.run == trashed)
    opened = source.receipt.opened.model_dump(mode="json", exclude_none=True)
    opened |= {"run": "0" * 16, "purpose": "undo", "undoes": trashed, "undoes_sha256": source.sha256}
    first = Opened.model_validate_json(canonical_bytes(opened | {"after": trashed})).to_bytes()
    words = {"sequence": 1, "message_id": "m1", "reason": BY_HAND}
    second = Excluded.model_validate(words | {"previous": sha256_hex(first)}).to_bytes()
    forged = world.context.workspace.receipts / f"{'0' * 16}.jsonl"
    forged.write_bytes(first + b"\n" + second + b"\n")
    assert "m1" not in trashed_by_runs(load_receipts(world.context.workspace))
    receipts = load_receipts(world.context.workspace)
    assert trashed_by_runs(receipts, forged_runs(world.context.workspace, receipts, KEY)) == {"m1": trashed}


@pytest.mark.contract("P3", "P4")
def test_mail_in_the_trash_is_not_settled_while_a_receipt_is_missing(overlaid: tuple[World, str, str]) -> None:
    """It may be the run that put it there; put back, as `verify` advises, it must find the older run undoable."""
    world, archived, trashed = overlaid
    lost = world.context.workspace.receipts / f"{trashed}.jsonl"
    data = lost.read_bytes()
    lost.unlink()
    with pytest.raises(PartlyDone) as caught:
        world.undo(archived)
    assert f"m1 {UNKNOWN}" in caught.value.evidence and caught.value.next_command.startswith("gmailtriage verify")
    lost.write_bytes(data)
    for run in (trashed, archived):
        world.undo(run)
    assert given_back(world)


@pytest.mark.contract("P3", "P4")
def test_mail_that_the_owner_trashed_is_the_owners_where_every_receipt_is_here(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    run = world.execute(world.ready({"m1": "archive"})).run
    world.mailbox.edit("m1", add=("TRASH",))
    assert world.undo(run).listed == {"m1": AWAY}


@pytest.mark.contract("AP-9", "P4")
def test_an_undo_whose_receipt_was_lost_is_not_done_a_second_time(tmp_path: Path) -> None:
    """As in an old copy of a workspace: the newest receipt is missed by its closing digest alone."""
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    run = world.execute(world.ready({"m1": "archive"})).run
    lost = world.context.workspace.receipts / f"{world.undo(run).run}.jsonl"
    data = lost.read_bytes()
    lost.unlink()
    world.mailbox.edit("m1", add=("Label_1",), remove=("INBOX",))  # the owner files it so by hand
    before, files = world.mailbox.label_sets(), world.files()
    with pytest.raises(Tampered) as caught:
        world.undo(run)
    assert f"receipt {lost.name} is gone" in caught.value.what
    assert world.mailbox.label_sets() == before and world.files() == files
    with pytest.raises(WrongDigest):
        verify(world.context)
    lost.write_bytes(data)
    with pytest.raises(AlreadyUndone):
        world.undo(run)
    assert verify(world.context).findings == () and world.mailbox.label_sets() == before


@pytest.mark.contract("P3", "P4", "AP-9")
@pytest.mark.parametrize("act", ["execute", "undo"])
def test_a_planted_receipt_is_named_by_no_run_so_that_it_can_be_removed(tmp_path: Path, act: str) -> None:
    """Else its removal would leave a run that came after what is not here, and nothing could be undone any more."""
    world = World.make(tmp_path / "w", [mail("m1", "INBOX"), mail("m2", "INBOX")])
    first = world.execute(world.ready({"m1": "archive"})).run
    world.clock.pass_minutes(1)
    world.capture()
    digest = world.ready({"m2": "archive"})
    other = World.make(tmp_path / "other", [mail("m9", "INBOX")])
    other.clock.pass_minutes(2)
    other.capture()
    foreign = receipt_path(other.context.workspace, other.execute(other.ready({"m9": "archive"})).run)
    receipts = world.context.workspace.receipts
    altered = foreign.read_bytes().replace(foreign.stem.encode(), b"f" * 16)
    planted = {foreign.name: foreign.read_bytes(), f"{'f' * 16}.jsonl": rechained(altered, {"after": first})}
    for name, data in planted.items():
        (receipts / name).write_bytes(data)
    run = (world.execute(digest) if act == "execute" else world.undo(first)).run
    assert world.receipt(run).opened.after == first
    for name in planted:
        (receipts / name).unlink()
    assert verify(world.context).findings == ()
    while any(one.can_be_undone for one in summaries(load_receipts(world.context.workspace))):
        world.undo()
    assert world.mailbox.labels_of("m1") == {"INBOX"} == world.mailbox.labels_of("m2")
