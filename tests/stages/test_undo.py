"""The undo's ordinary day, and the public cases about it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.models.operation import ModifyLabels
from pipeline.refusals import MissingArtifact, NothingToDo, PartlyDone, UsageRefused
from pipeline.sealing.receipts import fold_receipts, load_receipts, read_receipts
from tests.fakes import MINE, START, Fault, World, mail, no_fsync
from tests.strategies.case_files import case_json


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.mark.contract("AP-9")
def test_case_51_the_receipt_of_the_case(tmp_path: Path) -> None:
    """Input of the case: five entries, and the number that it must also work with."""
    entries = case_json("51", "receipts.json")["entries"]
    assert case_json("51", "note.json") == {"also_test_with": 1201}, "see tests/guarantees/test_undo.py"
    world = World.make(tmp_path, [mail(entry["message_id"], "INBOX") for entry in entries])
    run = world.execute(world.ready()).run
    assert all(world.mailbox.labels_of(entry["message_id"]) == {MINE} for entry in entries)
    finished = world.undo(run)
    assert finished.statuses["verified"] == len(entries) == 5 and finished.listed == {}
    assert all(world.mailbox.labels_of(entry["message_id"]) == {"INBOX"} for entry in entries)


@pytest.mark.contract("AP-9")
def test_case_35_the_thread_of_the_case(tmp_path: Path) -> None:
    """Input of the case: a live message, a trashed draft and spam in one thread. Only the live one is ever changed."""
    shown = case_json("35", "thread.json")["messages"]
    world = World.make(tmp_path, [mail(one["id"], *one["labelIds"], thread=one["threadId"]) for one in shown])
    live, *dead = (one["id"] for one in shown)
    world.execute(world.ready({live: "archive"}))
    world.undo()
    assert {one["id"]: world.mailbox.labels_of(one["id"]) for one in shown} == {
        one["id"]: set(one["labelIds"]) for one in shown
    }
    touched = {
        one for change in world.mailbox.changes if isinstance(change, ModifyLabels) for one in change.message_ids
    }
    assert touched == {live} and not touched & set(dead)


def test_the_newest_run_is_undone_first_then_the_one_before(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    first = world.execute(world.ready({"m1": "archive"}))
    world.clock.pass_minutes(1)
    world.capture()
    second = world.execute(world.ready({"m2": "archive"}))
    world.clock.pass_minutes(1)
    for done in (second, first):
        undone = world.undo()
        world.clock.pass_minutes(1)
        assert world.receipt(undone.run).opened.undoes == done.run
    assert world.mailbox.label_sets() == {"m1": {"INBOX"}, "m2": {"INBOX"}}


def test_mail_can_be_triaged_again_and_the_fold_tells_the_newest(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    world.execute(world.ready())
    world.clock.pass_minutes(1)
    world.undo()
    world.clock.pass_minutes(1)
    world.capture()
    again = world.execute(world.ready({"m1": "label"}))
    fold = fold_receipts(read_receipts(world.context.workspace))["m1"]
    assert (fold.run, fold.is_undone, fold.archived_at, fold.removed_inbox) == (again.run, False, None, False)
    assert fold.labelled_at == fold.classified_at == fold.at > START and fold.added_label_id == MINE
    assert set(fold.after_labels or ()) == {"INBOX", MINE}


def test_only_verified_changes_are_in_the_fold(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")], batch_size=1)
    world.gmail.faults.append(Fault("messages.batchModify", 1, "403"))
    with pytest.raises(PartlyDone):
        world.execute(world.ready())
    assert fold_receipts(read_receipts(world.context.workspace)).keys() == {"m2"}


def test_nothing_to_undo_is_said_before_anybody_is_asked(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    for run, refusal in (
        ("", NothingToDo),
        ("0" * 16, MissingArtifact),
        ("../x", UsageRefused),
        ("0" * 15, UsageRefused),
    ):
        with pytest.raises(refusal):
            world.undo(run, "0" * 64)
    world.gmail.faults.append(Fault("messages.batchModify", 1, "403"))
    with pytest.raises(PartlyDone):
        world.execute(world.ready())
    (stored,) = load_receipts(world.context.workspace)
    with pytest.raises(NothingToDo):
        world.undo(stored.run, stored.sha256)
