"""Undo, attacked: by the owner's own hands, by kills and faults, by forged receipts, by impatience."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pipeline.canonical import sha256_hex
from pipeline.models.manifest import NewLabel
from pipeline.models.operation import ModifyLabels
from pipeline.models.receipt import Closed, Intent
from pipeline.progress import fold_events
from pipeline.receipts import fold_receipts, load_receipts, read_receipts, receipt_path
from pipeline.refusals import (
    AlreadyUndone,
    ApprovalRefused,
    NotApproved,
    NotATerminal,
    PartlyDone,
    Refusal,
    Tampered,
    UndoOfUndo,
    WrongAccount,
)
from tests.fakes import KEY, MINE, Fault, Killed, Mailbox, Template, Typist, World, killing, mail, no_fsync
from tests.strategies.kills import ENDED, STATES, kill_points, state_of
from tests.sweeps import sweep


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, str, dict[str, set[str]]]:
    """Six messages after a run in batches of two: the template, the run, and every label set before it."""
    messages = [
        mail("m1", "INBOX", "UNREAD"),
        mail("m2", "INBOX", "CATEGORY_UPDATES"),
        mail("m3", "INBOX"),
        mail("m4", "INBOX", "Label_7"),
        mail("m5", "INBOX"),
        mail("m6", "INBOX"),
    ]
    world = World.make(tmp_path_factory.mktemp("world"), messages, batch_size=2)
    before = world.mailbox.label_sets()
    kinds = ("archive", "archive", "label", "archive", "label", "archive")
    wishes = dict(zip(("m1", "m2", "m3", "m4", "m5", "m6"), kinds, strict=True))
    finished = world.execute(world.ready(wishes, NewLabel(create="Jobs")))
    world.clock.pass_minutes(1)
    return Template(world), finished.run, before


OURS = {
    one: {"Label_12"} if one in ("m3", "m5") else {"Label_12", "INBOX"} for one in ("m1", "m2", "m3", "m4", "m5", "m6")
}
"""The labels that the run changed on each message."""


def edits(mailbox: Mailbox, random: Random, steps: int) -> None:
    """The owner at work: stars, reads, files, moves, takes our label off, trashes, marks as spam, deletes."""
    for _ in range(steps):
        message_id = random.choice(sorted(mailbox.messages))
        label = random.choice(["STARRED", "UNREAD", "INBOX", "Label_12", "Label_7", "TRASH", "SPAM"])
        if random.random() < 0.02 and len(mailbox.messages) > 2:
            del mailbox.messages[message_id]
        elif label in mailbox.labels_of(message_id) or random.random() < 0.3:
            mailbox.edit(message_id, remove=(label,))
        elif label not in ("TRASH", "SPAM") or random.random() < 0.3:
            mailbox.edit(message_id, add=(label,))


def expected(before: set[str], now: set[str], ours: set[str]) -> set[str]:
    """An independent word on what an undo leaves: our labels as before the run, everything else as it is; mail that
    is away stays exactly as it is."""
    return set(now) if now & {"TRASH", "SPAM"} else (now - ours) | (before & ours)


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
    print("killed undos", dict(hits))
    assert all(hits[state] >= 10 for state in STATES), hits


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
    print("edits in between", dict(hits))
    assert min(hits["kept"], hits["restored"]) >= 10


def killed(world: World, run: str, at: int, *, is_torn: bool, only: str = "") -> list[str]:
    """The steps of an undo until the process died or came to its end."""
    seen: list[str] = []
    with killing(world, at, seen, is_torn=is_torn, only=only), suppress(Killed):
        with suppress(Refusal):
            world.undo(run)
        seen.append(ENDED)
    return seen


def finish(world: World, run: str) -> None:
    """Undo again until it says that nothing is left."""
    for _ in range(6):
        try:
            world.undo(run)
        except AlreadyUndone:
            return
        except PartlyDone:
            continue
    raise AssertionError("never ends")


def refuse_foreign(mailbox: Mailbox) -> None:
    """Every request of an undo is an inverse: INBOX at most is given, our label at most is taken."""
    for change in mailbox.changes:
        if isinstance(change, ModifyLabels) and change.add != ("Label_12",):
            assert set(change.add) <= {"INBOX"} and set(change.remove) <= {"Label_12"}
    assert mailbox.revived == []


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
def test_second_undo_says_so_and_undoing_an_undo_is_refused(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, _ = executed
    world = template.fresh(tmp_path / "w")
    undone = world.undo(run)
    files, received = world.files(), world.mailbox.received
    for again, refusal in ((run, AlreadyUndone), ("", AlreadyUndone), (undone.run, UndoOfUndo)):
        with pytest.raises(refusal) as caught:
            world.undo(again, "0" * 64)
        assert caught.value.exit_code == 5
    assert world.files() == files and world.mailbox.received == received


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
def test_confirmed_by_the_full_digest_or_by_a_person_and_by_nothing_else(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    digest = load_receipts(world.context.workspace)[0].sha256
    files = world.files()
    for wrong in (digest[:8], digest.upper(), "0" * 64, "y"):
        with pytest.raises(NotApproved):
            world.undo(run, wrong)
    with pytest.raises(NotATerminal):
        world.undo(run, "")
    for typed in ("y", "", digest[:7], digest):
        with pytest.raises(NotApproved):
            world.with_context(terminal=Typist(typed)).undo(run, "")
    assert world.mailbox.received == template.world.mailbox.received and world.files() == files
    person = Typist()
    world.with_context(terminal=person).undo("", "")
    assert world.mailbox.label_sets() == before
    assert digest in person.screen and "owner@example.com" in person.screen


@pytest.mark.contract("AP-9", "P4")
def test_every_altered_byte_of_a_receipt_is_refused(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, _ = executed
    world = template.fresh(tmp_path / "w")
    path = receipt_path(world.context.workspace, run)
    data, received = path.read_bytes(), world.mailbox.received
    random = Random(9)
    for _ in range(sweep(2000)):
        position = random.randrange(len(data))
        flipped = bytearray(data)
        flipped[position] ^= 1 << random.randrange(8)
        path.write_bytes(bytes(flipped))
        with pytest.raises(ApprovalRefused):
            world.undo(run, sha256_hex(bytes(flipped)))
    assert world.mailbox.received == received


@pytest.mark.contract("AP-9", "P1")
def test_a_receipt_written_anew_with_a_right_chain_is_refused(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    """Who has no key cannot make an undo touch other mail, or claim labels that were never there."""
    template, run, _ = executed
    forgeries: list[Callable[[bytes], bytes]] = [
        lambda data: data.replace(b'"status":"verified"', b'"status":"conflict"'),
        lambda data: data.replace(b'"label_ids":["INBOX"]', b'"label_ids":["INBOX","Label_7"]'),
        lambda data: data.replace(b'"m6"', b'"m9"'),
        lambda data: data.replace(b'"at":"2026', b'"at":"2025'),
    ]
    for number, forge in enumerate(forgeries):
        world = template.fresh(tmp_path / str(number))
        path = receipt_path(world.context.workspace, run)
        data = rechained(forge(path.read_bytes()))
        path.write_bytes(data)
        for is_seal_gone in (False, True):
            if is_seal_gone:
                path.with_suffix(".closed").unlink()
            with pytest.raises(Tampered):
                world.undo(run, sha256_hex(data))
        assert world.mailbox.received == template.world.mailbox.received


def rechained(data: bytes) -> bytes:
    """The lines with their chain made right again: everybody can compute it."""
    import json

    from pipeline.canonical import canonical_bytes
    from pipeline.models.receipt import GENESIS

    previous, lines = GENESIS, []
    for line in data.splitlines():
        made = canonical_bytes({**json.loads(line), "previous": previous})
        lines.append(made)
        previous = sha256_hex(made)
    return b"".join(line + b"\n" for line in lines)


@pytest.mark.contract("AP-9")
def test_undo_in_another_mailbox_is_refused_before_a_gateway_is_opened(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, _ = executed
    world = template.fresh(tmp_path / "w")
    account = world.context.config.account.model_copy(update={"address": "other@example.com"})
    world.context = replace(world.context, config=replace(world.context.config, account=account))
    with pytest.raises(WrongAccount):
        world.undo(run)
    assert world.gmail.opened == 0


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("nth", [2, 3])
def test_credentials_swapped_between_batches_of_an_undo(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path, nth: int
) -> None:
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    first = world.mailbox.asked["getProfile"]
    world.gmail.faults.append(Fault("getProfile", first + nth, "wrong-account", forever=True))
    with pytest.raises(WrongAccount):
        world.undo(run)
    received = world.mailbox.received
    assert received - template.world.mailbox.received == nth - 2
    world.gmail.faults.clear()
    finish(world, run)
    assert world.mailbox.label_sets() == before


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
