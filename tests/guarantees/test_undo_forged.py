"""Undo under attack: altered and forged receipts, other mailboxes, swapped credentials, a yes that is none."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pipeline.canonical import sha256_hex
from pipeline.changes.journal import Journal
from pipeline.models.operation import ModifyLabels
from pipeline.refusals import (
    AlreadyUndone,
    ApprovalRefused,
    Busy,
    NotApproved,
    NotATerminal,
    Tampered,
    UndoOfUndo,
    WrongAccount,
    WrongDigest,
)
from pipeline.sealing.receipts import load_receipts, receipt_path
from stages.verify import verify
from tests.fakes import KEY, Fault, Killed, Template, Typist, World, killing, mail
from tests.guarantees.undos import finish, killed, rechained
from tests.sweeps import sweep

pytestmark = pytest.mark.usefixtures("quick")


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


@pytest.mark.contract("AP-9", "P1")
@pytest.mark.parametrize(
    "forged",
    [
        ModifyLabels(message_ids=("m1",), add=("INBOX",), remove=("Label_7",)),
        ModifyLabels(message_ids=("m3",), add=("INBOX",)),
        ModifyLabels(message_ids=("m9",), remove=("Label_12",)),
        ModifyLabels(message_ids=("m1",), add=("Label_7",)),
    ],
)
def test_a_forged_line_in_an_interrupted_undo_is_refused(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path, forged: ModifyLabels
) -> None:
    """A right chain, and a change that is no inverse of the run's: another label, INBOX for mail that kept it."""
    template, run, _ = executed
    world = template.fresh(tmp_path / "w")
    killed(world, run, 10, is_torn=False)
    (stored,) = [one for one in load_receipts(world.context.workspace) if one.receipt.opened.purpose == "undo"]
    path = receipt_path(world.context.workspace, stored.run)
    journal = Journal.reopen(path, path.with_suffix(".head"), stored.receipt, KEY)
    journal.intent(forged, {one: ["Label_12"] for one in forged.message_ids})
    received = world.mailbox.received
    with pytest.raises(Tampered):
        world.undo(run)
    assert world.mailbox.received == received
    verify_refuses(world, stored.run)


def verify_refuses(world: World, run: str) -> None:
    """The check of the whole workspace names the receipt too."""
    with pytest.raises(WrongDigest) as caught:
        verify(world.context)
    assert f"receipts/{run}.jsonl" in caught.value.what


@pytest.mark.contract("AP-9", "AP-8")
def test_a_forged_undo_receipt_cannot_make_an_undo_look_done(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    """Somebody without the key writes that everything was restored: refused, not believed."""
    template, run, _ = executed
    world = template.fresh(tmp_path / "w")
    done = template.fresh(tmp_path / "done")
    undone = done.undo(run).run
    data = receipt_path(done.context.workspace, undone).read_bytes()
    path = receipt_path(world.context.workspace, undone)
    path.write_bytes(rechained(data.replace(b'"at":"2026', b'"at":"2025')))
    with pytest.raises(Tampered):
        world.undo(run)
    assert world.mailbox.received == template.world.mailbox.received


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


def test_an_interrupted_execution_is_finished_before_any_undo(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    first = world.execute(world.ready({"m1": "archive"}))
    world.clock.pass_minutes(1)
    world.capture()
    digest = world.ready({"m2": "archive"})
    with killing(world, 20, []), suppress(Killed):
        world.execute(digest)
    for run in (first.run, ""):
        with pytest.raises(Busy) as caught:
            world.undo(run, first.receipt)
        assert caught.value.next_command == f"gmailtriage execute {digest}"


@pytest.mark.contract("AP-9", "P1")
def test_even_a_receipt_closed_with_the_key_is_undone_only_as_far_as_it_was_approved(tmp_path: Path) -> None:
    """A faulty run of ours that changed what nobody approved would not be made worse by its undo."""
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    digest = world.ready({"m1": "archive"})
    with killing(world, 1, [], only="closed about to be written"), suppress(Killed):
        world.execute(digest)
    (stored,) = load_receipts(world.context.workspace)
    path = receipt_path(world.context.workspace, stored.run)
    journal = Journal.reopen(path, path.with_suffix(".head"), stored.receipt, KEY)
    journal.intent(ModifyLabels(message_ids=("m2",), add=("Label_7",), remove=("INBOX",)), {"m2": ["INBOX"]})
    journal.close(units=0, requests=0, at=world.clock.now())
    received = world.mailbox.received
    with pytest.raises(Tampered):
        world.undo(stored.run)
    assert world.mailbox.received == received
