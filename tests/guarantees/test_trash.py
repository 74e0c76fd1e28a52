"""Trash: one message a request, never beside other changes, and all the way back wherever Gmail leaves INBOX."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import ValidationError

from pipeline.changes.readback import is_reached
from pipeline.changes.undoing import check_undo
from pipeline.models.manifest import KEPT_IN_TRASH, Manifest
from pipeline.models.operation import CreateLabel, ModifyLabels, Trash, Untrash
from pipeline.models.receipt import STATUSES, Closed
from pipeline.refusals import (
    AlreadyUndone,
    Consumed,
    DriftAborted,
    Expired,
    PartlyDone,
    Refusal,
    StatusForbids,
    Tampered,
    UndoOfUndo,
    WrongAccount,
)
from pipeline.sealing.authority import judge_approval
from pipeline.sealing.binding import check_execution
from pipeline.sealing.documents import read_approval, read_manifest
from pipeline.sealing.progress import fold_events
from pipeline.sealing.receipts import fold_receipts, load_receipts, read_receipts
from stages.approve import approve
from stages.verify import verify
from tests.fakes import KEY, Fault, Killed, Template, Typist, World, killing, mail
from tests.guarantees.executions import settle
from tests.guarantees.test_standalone import refused
from tests.guarantees.trashes import APPROVED, BOX, WAYS, WISHES, in_trash
from tests.guarantees.undos import finish
from tests.strategies.kills import state_of
from tests.sweeps import IS_FULL, sweep, told

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture(scope="module", params=WAYS, ids=["plain", "gives", "keeps", "keeps-gives"])
def prepared(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, str]:
    """Five messages, four planned for the trash (one of them archived before), three approved."""
    messages = [mail(one, *labels, thread="m1" if one == "m2" else "") for one, labels in BOX.items()]
    world = World.make(tmp_path_factory.mktemp("world"), messages, status="cleanup-enabled", drift_share=0.5)
    world.mailbox.trash_keeps_inbox, world.mailbox.untrash_gives_inbox = request.param
    return Template(world), world.ready(WISHES, only=",".join(sorted(APPROVED)))


@pytest.mark.contract("AP-9", "P3", "ID-4", "AP-10")
def test_trash_and_all_the_way_back(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    done = world.execute(digest)
    assert world.mailbox.label_sets() == {
        one: in_trash(world, labels) if one in APPROVED else labels for one, labels in BOX.items()
    }
    assert [type(change) for change in world.mailbox.changes] == [Trash] * 3
    opened = world.receipt(done.run).opened
    assert opened.trash_kept_until == opened.at + KEPT_IN_TRASH and KEPT_IN_TRASH.days == 30
    folds = fold_receipts(read_receipts(world.context.workspace))
    assert folds.keys() == APPROVED and all(fold.trashed_at for fold in folds.values())
    assert verify(world.context).findings == () and refused(world.context.workspace.root) == []

    world.clock.pass_minutes(5)
    undone = world.undo()
    assert world.mailbox.label_sets() == BOX and undone.statuses["verified"] == 3
    assert {type(change) for change in world.mailbox.changes[3:]} <= {Untrash, ModifyLabels}
    for change in world.mailbox.changes:
        assert not isinstance(change, ModifyLabels) or {*change.add, *change.remove} == {"INBOX"}
    assert all(fold.is_undone for fold in fold_receipts(read_receipts(world.context.workspace)).values())
    assert verify(world.context).findings == () and refused(world.context.workspace.root) == []
    with pytest.raises(AlreadyUndone):
        world.undo(done.run)
    with pytest.raises(UndoOfUndo):
        world.undo(undone.run)
    assert world.receipt(undone.run).opened.trash_kept_until is None


@pytest.mark.contract("AP-6", "AP-9")
def test_a_large_run_is_proved_by_history_and_taken_back(tmp_path: Path) -> None:
    messages = [mail(one, *labels) for one, labels in BOX.items()]
    world = World.make(tmp_path, messages, status="cleanup-enabled", history_above_targets=2)
    done = world.execute(world.ready(WISHES))
    backs = [event for event in world.receipt(done.run).events if event.event == "read_back"]
    assert done.statuses["verified"] == 4 and {event.via for event in backs} == {"history"}
    world.undo()
    assert world.mailbox.label_sets() == BOX


@pytest.mark.contract("AP-4")
def test_a_yes_to_trash_is_used_once(littered: list[tuple[Template, str]], tmp_path: Path) -> None:
    """Also after an undo, also when the mail is back in the inbox by hand."""
    ends = Counter[str]()
    for number in range(sweep(200)):
        template, digest = littered[number % 4]
        world = template.fresh(tmp_path / str(number))
        done = world.execute(digest)
        if number % 3 == 1:
            world.undo(done.run)
        if number % 3 == 2:
            world.mailbox.edit("m1", add=("INBOX",), remove=("TRASH",))
        now, received = world.mailbox.label_sets(), world.mailbox.received
        with pytest.raises(Consumed):
            world.execute(digest)
        assert world.mailbox.received == received and world.mailbox.label_sets() == now
        ends[("after the run", "after its undo", "after a hand")[number % 3]] += 1
    told("double applies of trash", ends, states=("after the run", "after its undo", "after a hand"), floor=3)


@pytest.mark.contract("AP-4", "AP-2")
def test_after_its_expiry_nothing_is_trashed_and_what_was_announced_is_read_back(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "late")
    world.clock.pass_minutes(61)
    with pytest.raises(Expired):
        world.execute(digest)
    world = template.fresh(tmp_path / "killed")
    with killing(world, 1, [], only="messages.trash answered"), suppress(Killed):
        world.execute(digest)
    world.clock.pass_minutes(61)
    with pytest.raises(PartlyDone):
        world.execute(digest)
    (stored,) = load_receipts(world.context.workspace)
    assert fold_events(stored.receipt.events).counts() == dict.fromkeys(STATUSES, 0) | {"verified": 1, "not_sent": 2}
    world.undo()
    assert world.mailbox.label_sets() == BOX


def honest(world: World, before: dict[str, set[str]]) -> None:
    """Every receipt closed and true: what is called verified is so, and prior labels are those of before."""
    for stored in load_receipts(world.context.workspace):
        progress, last = fold_events(stored.receipt.events), stored.receipt.events[-1]
        assert isinstance(last, Closed) and last.is_authentic(KEY) and not progress.pending
        assert set(progress.message_ids) <= APPROVED
        if stored.receipt.opened.purpose == "execute":
            for one, worn in progress.first_before.items():
                assert set(worn) == before[one]
    for change in world.mailbox.changes:
        assert isinstance(change, Trash | Untrash | ModifyLabels) and set(change.message_ids) <= APPROVED
        assert not isinstance(change, ModifyLabels) or {*change.add, *change.remove} == {"INBOX"}
    assert world.mailbox.revived == []


@pytest.mark.contract("AP-6", "P2", "P3", "AP-9")
def test_killed_anywhere_one_more_run_ends_it_and_undo_gives_everything_back(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    hits, steps = Counter[str](), []
    world = template.fresh(tmp_path / "count")
    with killing(world, 0, steps):
        run = world.execute(digest).run
        executed = len(steps)
        world.undo(run)
    points = range(1, len(steps) + 1)
    chosen = points if IS_FULL else sorted(Random(1).sample(points, 24))
    for at in chosen:
        world = template.fresh(tmp_path / str(at))
        seen: list[str] = []
        with killing(world, at, seen, is_torn=bool(at % 2)), suppress(Killed):
            world.execute(digest)
            world.undo(run)
        hits[state_of(seen)] += 1
        if at <= executed:
            assert settle(world, digest) in ("done", "over")
            assert {one: world.mailbox.labels_of(one) for one in APPROVED} == {
                one: in_trash(world, BOX[one]) for one in APPROVED
            }
        finish(world, run, tries=4)
        assert world.mailbox.label_sets() == BOX, at
        honest(world, BOX)
        assert verify(world.context).findings == () and refused(world.context.workspace.root) == []
    told("trash and its undo killed in thought", hits, states=("intent written", "recorded", "read back"), floor=1)


FAULTS = ["403", "404", "429", "403-rate", "500", "503", "drop-before", "drop-after", "garbage", "unsent", "pretended"]


@pytest.mark.contract("AP-6", "AP-7", "P2", "P3")
@pytest.mark.parametrize("method", ["messages.trash", "messages.untrash", "messages.get", "threads.get", "getProfile"])
def test_no_fault_makes_a_false_verified_and_every_label_comes_back(
    prepared: tuple[Template, str], tmp_path: Path, method: str
) -> None:
    template, digest = prepared
    ends = Counter[str]()
    for number, kind in enumerate(FAULTS):
        for nth in (1, 2, 3) if IS_FULL else (2,):
            world = template.fresh(tmp_path / f"{number}-{nth}")
            world.gmail.faults.append(Fault(method, nth + world.mailbox.asked[method], kind))
            with suppress(Refusal):
                world.execute(digest)
            settle(world, digest)
            (stored,) = load_receipts(world.context.workspace)
            progress = fold_events(stored.receipt.events)
            for one, status in progress.statuses().items():
                now = world.mailbox.labels_of(one)
                assert (status == "verified") <= (now == in_trash(world, BOX[one])), (kind, nth, one, status)
                assert status not in ("not_sent", "failed") or now == BOX[one]
                ends[status] += 1
            with suppress(Refusal):
                world.undo(stored.run)
            finish(world, stored.run, tries=4)
            is_lie = (method, kind) == ("messages.get", "404")  # who is told that a message is gone believes it
            assert is_lie or world.mailbox.label_sets() == BOX, (kind, nth)
            honest(world, BOX)
    told(f"trash while {method} fails", ends, states=("verified",))


@pytest.mark.contract("AP-9", "P3")
def test_what_the_owner_did_with_trashed_mail_stands_and_is_listed(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    run = world.execute(digest).run
    world.mailbox.edit("m1", ("STARRED",), ())
    world.mailbox.edit("m2", ("Label_9",), ("TRASH",))
    world.mailbox.edit("m3", ("SPAM",), ("TRASH",))
    now = world.mailbox.label_sets()
    finished = world.undo(run)
    assert finished.listed == {"m2": "changed since by hand", "m3": "in trash, spam or drafts"}
    assert world.mailbox.label_sets() == {**now, "m1": BOX["m1"] | {"STARRED"}}


@pytest.mark.contract("AP-9")
def test_mail_that_gmail_deleted_is_listed_as_vanished(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    run = world.execute(digest).run
    world.mailbox.vanish("m2")
    assert world.undo(run).listed == {"m2": "vanished"}
    assert world.mailbox.label_sets() == {one: labels for one, labels in BOX.items() if one != "m2"}


@pytest.mark.contract("AP-9", "P3")
@pytest.mark.parametrize("nth", [1, 2, 3, 4, 5, 6, 7, 8])
def test_trashed_mail_that_gmail_denied_for_a_while_is_brought_back_by_a_later_undo(
    prepared: tuple[Template, str], tmp_path: Path, nth: int
) -> None:
    """From any read of the undo on, also right after a message came out of the trash."""
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    run = world.execute(digest).run
    world.gmail.faults.append(Fault("messages.get", world.mailbox.asked["messages.get"] + nth, "404", forever=True))
    with suppress(PartlyDone):
        world.undo(run)
    world.gmail.faults.clear()
    for _ in range(2):
        with suppress(PartlyDone, AlreadyUndone):
            world.undo(run)
    assert world.mailbox.label_sets() == BOX


@pytest.mark.contract("AP-9")
def test_a_part_of_the_trash_is_taken_back(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    run = world.execute(digest).run
    world.undo(run, only="m2,m3")
    assert {one: world.mailbox.labels_of(one) for one in ("m1", "m2", "m3")} == {
        "m1": in_trash(world, BOX["m1"]), "m2": BOX["m2"], "m3": BOX["m3"]
    }  # fmt: skip
    world.undo(run)
    assert world.mailbox.label_sets() == BOX and verify(world.context).findings == ()


@pytest.mark.contract("AP-5")
def test_a_target_that_changed_is_left_out_and_too_many_stop_the_run(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "one")
    world.mailbox.edit("m3", ("STARRED",))
    with pytest.raises(PartlyDone):
        world.execute(digest)
    assert world.mailbox.labels_of("m3") == BOX["m3"] | {"STARRED"} and "TRASH" in world.mailbox.labels_of("m1")
    world = template.fresh(tmp_path / "two")
    world.mailbox.arrive(mail("m9", "INBOX", thread="m1"))
    with pytest.raises(DriftAborted):
        world.execute(digest)
    assert world.mailbox.changes == []


@pytest.mark.contract("ID-5")
def test_an_account_that_lost_its_status_neither_trashes_nor_untrashes(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    lesser = world.with_context(config=lowered(world))
    with pytest.raises(WrongAccount):
        lesser.execute(digest)
    run = world.execute(digest).run
    files = world.files()
    with pytest.raises(StatusForbids):
        lesser.undo(run)
    assert world.files() == files
    with pytest.raises(StatusForbids):
        lesser.freeze("trash")


def lowered(world: World) -> Any:
    """The same configuration for an account that only organizes."""
    record = world.context.account.model_copy(update={"status": "organize-only"})
    return replace(world.context.config, account=record)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, Manifest]]:
    """A sealed manifest of trash."""
    world = World.make(tmp_path_factory.mktemp("frozen"), [mail("m1", "INBOX"), mail("m2")], status="cleanup-enabled")
    world.plan({"m1": "trash", "m2": "trash"})
    yield world, world.freeze("trash")


@pytest.mark.contract("ID-4", "AP-1", "JU-3")
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("targets", 0, "change"), {"kind": "label", "label": {"create": "Jobs"}}),
        (("targets", 0, "change"), {"kind": "trash", "label": {"create": "Jobs"}}),
        (("targets", 0, "change"), {"kind": "delete"}),
        (("targets", 0, "protected"), ["money"]),
        (("targets", 0, "screen"), "suspicious"),
        (("targets", 0, "rule"), None),
        (("targets", 0, "classification"), "Job Alert"),
        (("status",), "organize-only"),
        (("counts", "trash"), 1),
        (("rollback", "method"), "inverse-label-delta"),
    ],
)
def test_a_manifest_of_trash_holds_nothing_else(
    frozen: tuple[World, Manifest], path: tuple[str | int, ...], value: object
) -> None:
    _, manifest = frozen
    document: Any = manifest.model_dump(mode="json")
    Manifest.model_validate_json(manifest.to_bytes())
    place = document
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    with pytest.raises(ValidationError):
        Manifest.model_validate_json(json.dumps(document))


@pytest.mark.contract("ID-4", "AP-1")
def test_labels_and_trash_in_one_manifest_are_refused_however_well_they_add_up(frozen: tuple[World, Manifest]) -> None:
    document: Any = frozen[1].model_dump(mode="json")
    document["targets"][0] |= {"change": {"kind": "label", "label": {"create": "Jobs"}}, "classification": "Job Alert"}
    document["counts"] |= {"label": 1, "trash": 1, "create_label": 1}
    document["new_labels"] = ["Jobs"]
    with pytest.raises(ValidationError, match="trash stands beside other changes"):
        Manifest.model_validate_json(json.dumps(document))


def test_a_person_is_told_how_long_the_way_back_is_open(frozen: tuple[World, Manifest], tmp_path: Path) -> None:
    typist = Typist()
    world = Template(frozen[0]).fresh(tmp_path / "w").with_context(terminal=typist)
    approve(world.context, frozen[1].sha256, "", "", "", "", "")
    assert "trash=2" in typist.screen and "within 30 days" in typist.screen and "old_adverts: 2" in typist.screen
    world.execute(frozen[1].sha256)
    world.undo(digest="")
    assert "2 out of the trash" in typist.screen and "Gmail keeps them until 2026-12-23" in typist.screen


@pytest.mark.contract("AP-2")
def test_the_count_of_trash_must_be_stated_and_right(frozen: tuple[World, Manifest]) -> None:
    world, manifest = frozen
    files = world.files()
    for operations in ("label=2", "trash=1", "trash=2,archive=1", "archive=2"):
        with pytest.raises(Refusal):
            approve(world.context, manifest.sha256, manifest.sha256, manifest.address, operations, "", "")
    assert world.files() == files
    assert approve(
        world.context, manifest.sha256, manifest.sha256, manifest.address, "trash=2", "", ""
    ).operations.trash


@pytest.mark.contract("AP-1", "AP-6")
def test_a_receipt_that_announces_trash_for_a_label_manifest_is_refused(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    digest = world.ready({"m1": "archive", "m2": "label"})
    world.execute(digest)
    (stored,) = load_receipts(world.context.workspace)
    manifest = read_manifest(world.context.workspace, digest)
    allowed = judge_approval(manifest, read_approval(world.context.workspace, digest), KEY)
    check_execution(stored, allowed)
    events = tuple(
        event.model_copy(update={"operation": Trash(message_id="m1")}) if event.event == "intent" else event
        for event in stored.receipt.events
    )
    forged = replace(stored, receipt=stored.receipt.model_copy(update={"events": events}))
    with pytest.raises(Tampered):
        check_execution(forged, allowed)


@pytest.mark.contract("AP-9", "P1")
@pytest.mark.parametrize(
    "operation",
    [
        Trash(message_id="m1"),
        ModifyLabels(message_ids=("m1",), add=("Label_9",)),
        ModifyLabels(message_ids=("m1",), add=("INBOX",), remove=("Label_9",)),
        ModifyLabels(message_ids=("m4",), add=("INBOX",)),
        Untrash(message_id="m4", is_to_inbox=True),
        CreateLabel(name="Jobs"),
    ],
)
def test_an_undo_of_trash_announces_nothing_but_the_way_back(
    prepared: tuple[Template, str], tmp_path: Path, operation: Any
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.execute(digest)
    world.undo()
    (stored,) = [one for one in load_receipts(world.context.workspace) if one.receipt.opened.purpose == "undo"]
    check_undo(stored, load_receipts(world.context.workspace))
    first = next(event.sequence for event in stored.receipt.events if event.event == "intent")
    events = tuple(
        event.model_copy(update={"operation": operation}) if event.sequence == first else event
        for event in stored.receipt.events
    )
    forged = replace(stored, receipt=stored.receipt.model_copy(update={"events": events}))
    with pytest.raises(Tampered):
        check_undo(forged, load_receipts(world.context.workspace))


@pytest.mark.contract("ID-4")
@pytest.mark.parametrize(
    ("before", "now", "is_done"),
    [
        ({"INBOX", "A"}, {"TRASH", "A"}, True),
        ({"INBOX", "A"}, {"TRASH", "A", "INBOX"}, True),
        ({"A"}, {"TRASH", "A"}, True),
        ({"A"}, {"TRASH", "A", "INBOX"}, False),
        ({"INBOX", "A"}, {"TRASH"}, False),
        ({"INBOX", "A"}, {"A"}, False),
        ({"INBOX", "A"}, {"INBOX", "A"}, False),
        ({"INBOX", "A"}, {"TRASH", "A", "STARRED"}, False),
    ],
)
def test_only_trash_with_every_other_label_as_it_was_is_done(before: set[str], now: set[str], is_done: bool) -> None:
    assert is_reached(Trash(message_id="m1"), before, frozenset(now)) is is_done
