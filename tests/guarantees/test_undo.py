"""Undo against the owner's own hands, kills and faults: what we changed is taken back, what a person changed stays."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pipeline.changes.runs import summaries
from pipeline.models.receipt import Closed, Intent
from pipeline.refusals import (
    AlreadyUndone,
    PartlyDone,
)
from pipeline.sealing.progress import fold_events
from pipeline.sealing.receipts import fold_receipts, load_receipts, read_receipts
from tests.fakes import KEY, MINE, Fault, Template, World, mail
from tests.guarantees.executions import no_locks
from tests.guarantees.undos import OURS, edits, expected, finish, killed, refuse_foreign
from tests.strategies.kills import STATES, kill_points, state_of
from tests.sweeps import sweep, told

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.contract("AP-9", "P3")
def test_undo_against_an_owner_at_work_with_kills_and_faults(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    random, hits = Random(51), Counter[str]()
    for number in range(sweep(3000)):
        world = template.fresh(tmp_path / str(number))
        edits(world.mailbox, random, random.randint(0, 50))
        wanted = {one: expected(before[one], now, OURS[one]) for one, now in world.mailbox.label_sets().items()}
        if random.random() < 0.5:
            world.gmail.faults.append(Fault("messages.batchModify", random.randint(1, 3), random.choice(
                ["drop-before", "drop-after", "500", "429", "garbage", "unsent"])))  # fmt: skip
        for _ in range(random.randint(0, 2)):
            at, only = kill_points(random, 60)
            hits[state_of(killed(world, run, at, is_torn=random.random() < 0.3, only=only))] += 1
        finish(world, run)
        assert world.mailbox.label_sets() == wanted
        refuse_foreign(world.mailbox)
    told("undos killed in thought", hits, states=STATES)


@pytest.mark.contract("AP-9", "P3")
def test_an_owner_who_edits_between_a_killed_undo_and_the_next_keeps_the_last_word(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    random, hits = Random(35), Counter[str]()
    for number in range(sweep(1000)):
        world = template.fresh(tmp_path / str(number))
        killed(world, run, random.randint(5, 60), is_torn=False)
        edits(world.mailbox, random, 6)
        now = world.mailbox.label_sets()
        with suppress(PartlyDone, AlreadyUndone):
            world.undo(run)
        for message_id, labels in world.mailbox.label_sets().items():
            assert labels in (now[message_id], expected(before[message_id], now[message_id], OURS[message_id]))
            assert labels - OURS[message_id] == now[message_id] - OURS[message_id]
            hits["kept" if labels == now[message_id] else "restored"] += 1
        refuse_foreign(world.mailbox)
    told("messages edited between a killed undo and the next", hits)
    assert min(hits["kept"], hits["restored"]) >= 10


@pytest.mark.contract("AP-9")
@pytest.mark.parametrize("number", [5, 1201])
def test_case_51_undo_restores_every_entry_not_only_the_last(tmp_path: Path, number: int) -> None:
    world = World.make(tmp_path, [mail(f"18f0a1b2c3d6{n:04x}", "INBOX") for n in range(number)], budget_units=10**8)
    before = world.mailbox.label_sets()
    run = world.execute(world.ready()).run
    world.mailbox.edit("18f0a1b2c3d60003", remove=(MINE,), add=("INBOX",))
    finished = world.undo()
    assert world.mailbox.label_sets() == before
    assert finished.statuses["verified"] == number - 1, "the reported count is the verified count"
    assert finished.listed == {"18f0a1b2c3d60003": "changed since by hand"}
    received = world.mailbox.received
    with pytest.raises(AlreadyUndone):
        world.undo(run, load_receipts(world.context.workspace)[0].sha256)
    assert world.mailbox.received == received


@pytest.mark.contract("AP-9")
def test_case_35_trashed_and_spam_mail_is_left_alone_and_listed(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    world.mailbox.edit("m1", add=("TRASH",))
    world.mailbox.edit("m2", add=("SPAM",))
    del world.mailbox.messages["m3"]
    finished = world.undo(run)
    away = "in trash, spam or drafts"
    assert finished.listed == {"m1": away, "m2": away, "m3": "vanished"}
    assert "INBOX" not in world.mailbox.labels_of("m1") | world.mailbox.labels_of("m2")
    assert {one: world.mailbox.labels_of(one) for one in ("m4", "m5", "m6")} == {
        o: before[o] for o in ("m4", "m5", "m6")
    }


@pytest.mark.contract("AP-9", "P3")
def test_mail_that_gmail_denied_once_is_brought_back_by_a_later_undo_of_the_same_run(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    world.gmail.faults.append(Fault("messages.get", world.mailbox.asked["messages.get"] + 1, "404", forever=True))
    assert set(world.undo(run).listed.values()) == {"vanished"}
    assert summaries(load_receipts(world.context.workspace))[0].undone == "yes", "nothing is left that can be seen"
    world.gmail.faults.clear()
    again = world.undo(run)
    assert again.listed == {} and world.mailbox.label_sets() == before
    with pytest.raises(AlreadyUndone) as caught:
        world.undo(run)
    assert "still gone" not in caught.value.what


@pytest.mark.contract("AP-9")
def test_an_undo_that_finds_nothing_but_mail_that_is_still_gone_does_nothing_and_says_so(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    gone = {one: world.mailbox.messages.pop(one) for one in ("m2", "m5")}
    assert world.undo(run).listed == dict.fromkeys(gone, "vanished")
    files, changes = no_locks(world.files()), len(world.mailbox.changes)
    for part in ("", "m2"):
        with pytest.raises(AlreadyUndone) as caught:
            world.undo(run, "", only=part)
        assert "still gone" in caught.value.what and "m2 vanished" in caught.value.evidence
    with pytest.raises(AlreadyUndone) as nameless:
        world.undo("", "")
    assert run in nameless.value.next_command
    assert no_locks(world.files()) == files and len(world.mailbox.changes) == changes
    world.mailbox.messages |= gone
    assert world.undo(run).statuses["verified"] == 2 and world.mailbox.label_sets() == before


@pytest.mark.contract("AP-9")
def test_mail_that_came_back_for_an_undo_that_gmail_refused_is_not_called_gone(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    """The last undo that was about a message says what is left of it."""
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    gone = world.mailbox.messages.pop("m2")
    world.undo(run)
    world.mailbox.messages["m2"] = gone
    world.gmail.faults.append(Fault("messages.batchModify", world.mailbox.asked["messages.batchModify"] + 1, "403"))
    with pytest.raises(PartlyDone):
        world.undo(run)
    assert summaries(load_receipts(world.context.workspace))[0].can_be_undone
    world.undo()
    assert world.mailbox.label_sets() == before


@pytest.mark.contract("AP-9")
def test_what_the_owner_settled_of_one_message_is_kept_label_by_label(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    """The owner took our label off and filed the mail elsewhere: INBOX comes back, the label does not."""
    template, run, _ = executed
    world = template.fresh(tmp_path / "w")
    world.mailbox.edit("m6", remove=("Label_12",), add=("Label_7", "STARRED"))
    finished = world.undo(run)
    assert world.mailbox.labels_of("m6") == {"INBOX", "Label_7", "STARRED"}
    assert fold_events(world.receipt(finished.run).events).kept_by_hand == {"m6": ("Label_12",)}


@pytest.mark.contract("AP-9")
def test_it_works_after_rules_policy_and_captures_changed(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    config = replace(world.context.config, policy_bytes=b"version = 1\nwindow_days = 1\n", rules=())
    world.context = replace(world.context, config=config)
    world.clock.pass_minutes(60 * 24 * 20)
    world.undo(run)
    assert world.mailbox.label_sets() == before


@pytest.mark.contract("AP-9")
def test_a_partly_refused_undo_can_be_asked_for_the_rest_and_only_the_rest(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    world.gmail.faults.append(Fault("messages.batchModify", world.mailbox.asked["messages.batchModify"] + 1, "403"))
    with pytest.raises(PartlyDone) as caught:
        world.undo(run)
    assert caught.value.next_command == f"gmailtriage undo {run}"
    sent = len(world.mailbox.changes)
    second = world.undo(run)
    assert world.mailbox.label_sets() == before and second.statuses["verified"] == 2
    assert len(world.mailbox.changes) == sent + 1
    with pytest.raises(AlreadyUndone):
        world.undo(run)


@pytest.mark.contract("AP-9")
def test_after_an_undo_the_message_is_forgotten(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    assert not any(fold.is_undone for fold in fold_receipts(read_receipts(world.context.workspace)).values())
    world.undo(run)
    folds = fold_receipts(read_receipts(world.context.workspace))
    assert folds.keys() == before.keys() and all(fold.is_undone for fold in folds.values())
    assert set(folds["m4"].after_labels or ()) == before["m4"]


@pytest.mark.contract("AP-9")
def test_the_undo_receipt_holds_true_prior_labels_and_is_closed(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, _ = executed
    world = template.fresh(tmp_path / "w")
    now = world.mailbox.label_sets()
    receipt = world.receipt(world.undo(run).run)
    befores = [state for event in receipt.events if isinstance(event, Intent) for state in event.before]
    assert {one.message_id: set(one.label_ids) for one in befores} == now
    closed = receipt.events[-1]
    assert isinstance(closed, Closed) and closed.is_authentic(KEY) and receipt.opened.undoes == run


def test_what_a_run_failed_to_do_is_not_undone(tmp_path: Path) -> None:
    """Gmail refused the label; the owner put the same label there by hand: it is the owner's."""
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")], batch_size=1)
    world.gmail.faults.append(Fault("messages.batchModify", 1, "403"))
    with pytest.raises(PartlyDone):
        world.execute(world.ready())
    world.mailbox.edit("m1", add=(MINE,), remove=("INBOX",))
    world.undo()
    assert world.mailbox.labels_of("m1") == {MINE} and world.mailbox.labels_of("m2") == {"INBOX"}


def test_a_label_that_was_there_before_the_run_stays(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX", MINE), mail("m2", "INBOX")])
    world.execute(world.ready())
    world.undo()
    assert world.mailbox.label_sets() == {"m1": {"INBOX", MINE}, "m2": {"INBOX"}}


@pytest.mark.contract("AP-9")
def test_mail_that_was_not_in_the_inbox_before_the_run_is_not_put_there(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1"), mail("m2", "INBOX")])
    world.execute(world.ready())
    assert world.mailbox.label_sets() == {"m1": {MINE}, "m2": {MINE}}
    world.undo()
    assert world.mailbox.label_sets() == {"m1": set(), "m2": {"INBOX"}}


@pytest.mark.contract("AP-9")
def test_what_the_read_back_showed_undone_is_the_owners_even_after_a_yes(tmp_path: Path) -> None:
    """Gmail said 204 and did nothing (a conflict); then the owner filed the mail just so by hand."""
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")], batch_size=1)
    world.gmail.faults.append(Fault("messages.batchModify", 1, "pretended"))
    with pytest.raises(PartlyDone):
        world.execute(world.ready())
    world.mailbox.edit("m1", add=(MINE,), remove=("INBOX",))
    world.undo()
    assert world.mailbox.label_sets() == {"m1": {MINE}, "m2": {"INBOX"}}
