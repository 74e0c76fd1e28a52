"""The executor, attacked: killed at every step, lied to, raced, and given another mailbox half-way.

The mailbox is in memory and new for each run. After every attack the same questions: did anything change that was not
approved, is anything called verified that is not so, is every target accounted for, and are the prior labels true?
"""

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import pipeline.journal
from pipeline.gmail.answers import Answer
from pipeline.journal import Journal
from pipeline.models.manifest import NewLabel
from pipeline.models.operation import CreateLabel, ModifyLabels
from pipeline.models.receipt import Closed, Intent, ReadBack
from pipeline.progress import Progress, fold_events
from pipeline.refusals import (
    ApprovalRefused,
    BudgetRefused,
    Busy,
    Consumed,
    DriftAborted,
    Expired,
    IdentityRefused,
    InputRefused,
    PartlyDone,
    Refusal,
    SignInAgain,
    Tampered,
    WriteFailed,
    WrongAccount,
)
from pipeline.store import locked
from tests.fakes import KEY, MINE, FakeGateway, Fault, Killed, Mailbox, Template, World, killing, mail, no_fsync
from tests.strategies.kills import ENDED, STATES, kill_points, state_of
from tests.sweeps import sweep

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, str]:
    """Six messages in five threads, four approved of five targets, two changes, a label to create, batches of two."""
    messages = [
        mail("m1", "INBOX", "UNREAD"),
        mail("m2", "INBOX", "CATEGORY_UPDATES"),
        mail("m3", "INBOX"),
        mail("m4", "INBOX", "Label_7", thread="m3"),
        mail("m5", "INBOX"),
        mail("m6", "INBOX", "STARRED"),
    ]
    world = World.make(tmp_path_factory.mktemp("world"), messages, batch_size=2)
    wishes = {"m1": "archive", "m2": "archive", "m3": "label", "m4": "archive", "m5": "archive"}
    digest = world.ready(wishes, NewLabel(create="Jobs/Alerts"), only="m1,m2,m3,m4")
    return Template(world), digest


APPROVED = {"m1": "archive", "m2": "archive", "m3": "label", "m4": "archive"}


def settle(world: World, digest: str) -> str:
    """Run the command again until it says that it is over; at most three times."""
    for _ in range(3):
        try:
            world.execute(digest)
            return "done"
        except Consumed:
            return "over"
        except PartlyDone:
            return "partly"
    raise AssertionError("never ends")


def judge(world: World, before: dict[str, set[str]], *, is_alone: bool = True) -> Progress:
    """The questions. Returns what the one receipt says."""
    (name,) = [name for name in world.files() if name.startswith("receipts/") and name.endswith(".jsonl")]
    receipt = world.receipt(Path(name).stem)
    progress = fold_events(receipt.events)
    closed = receipt.events[-1]
    assert isinstance(closed, Closed) and closed.is_authentic(KEY)
    assert sum(closed.statuses.values()) == len(APPROVED) and not progress.pending
    for message_id, status in progress.statuses().items():
        now = world.mailbox.messages.get(message_id)
        if status == "verified":
            assert now is not None
            wanted = before[message_id] | {progress.operations[message_id].add[0]}
            wanted -= {"INBOX"} if APPROVED[message_id] == "archive" else set()
            assert not is_alone or now.labels == wanted, (message_id, now.labels)
        if status in ("not_sent", "failed") and now is not None:
            assert not is_alone or now.labels == before[message_id], (message_id, now.labels)
        if message_id in progress.first_before:
            assert not is_alone or set(progress.first_before[message_id]) == before[message_id]
    refuse_foreign_changes(world.mailbox)
    return progress


def refuse_foreign_changes(mailbox: Mailbox) -> None:
    """Nothing but the approved changes on the approved ids, and at most one label made."""
    made = [one for one in mailbox.changes if isinstance(one, CreateLabel)]
    assert [one.name for one in made] in ([], ["Jobs/Alerts"])
    for change in mailbox.changes:
        if isinstance(change, ModifyLabels):
            assert set(change.message_ids) <= APPROVED.keys()
            assert change.remove in ((), ("INBOX",)) and change.add[0] not in ("INBOX", MINE)
            kinds = {APPROVED[one] for one in change.message_ids}
            assert kinds == {"archive" if change.remove else "label"}


def killed(world: World, digest: str, at: int, *, is_torn: bool, only: str = "") -> list[str]:
    """The steps until the process died; fewer than `at` when it came to its end."""
    seen: list[str] = []
    with killing(world, at, seen, is_torn=is_torn, only=only), suppress(Killed):
        with suppress(Refusal):
            world.execute(digest)
        seen.append(ENDED)
    return seen


@pytest.mark.contract("P2", "AP-6", "AP-4")
def test_killed_at_every_step_one_more_run_ends_it(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    hits: Counter[str] = Counter()
    for faults in ([], [Fault("messages.batchModify", 2, "drop-after")]):
        steps = killed(template.fresh(tmp_path / f"whole-{len(faults)}"), digest, 10_000, is_torn=False)
        for at in range(1, len(steps) + 1):
            for is_torn in (False, True):
                world = template.fresh(tmp_path / f"{len(faults)}-{at}-{is_torn}")
                world.gmail.faults.extend(faults)
                hits[kill_once_and_settle(world, digest, at, is_torn=is_torn)] += 1
    print("kill points", dict(hits))
    assert all(hits[state] >= 10 for state in STATES), hits


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


@pytest.mark.contract("P2", "AP-6")
def test_killed_again_and_again_with_faults_in_between(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    random, hits = Random(20261123), Counter[str]()
    for number in range(sweep(5000)):
        world = template.fresh(tmp_path / str(number))
        before = world.mailbox.label_sets()
        method = random.choice(["messages.batchModify", "labels.create"])
        kind = random.choice(["drop-before", "drop-after", "500", "429", "garbage", "unsent", "pretended"])
        faults = [Fault(method, random.randint(1, 3), kind)] if random.random() < 0.7 else []
        world.gmail.faults.extend(faults if not (method == "labels.create" and kind == "pretended") else [])
        for _ in range(random.randint(1, 3)):
            at, only = kill_points(random, 75)
            hits[state_of(killed(world, digest, at, is_torn=random.random() < 0.3, only=only))] += 1
        settle(world, digest)
        progress = judge(world, before)
        if "verified" in progress.statuses().values():
            try:
                world.undo()
            except PartlyDone:
                pytest.fail("an undo without faults restores everything")
        assert world.mailbox.label_sets() == before
    print("repeated kills", dict(hits))
    assert all(hits[state] >= 10 for state in STATES), hits


@pytest.mark.contract("AP-6")
def test_without_the_read_back_the_sweep_would_notice(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """The guard broken once, on purpose: a mailbox that pretends is believed, and `judge` sees it."""
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    world.gmail.faults.append(Fault("messages.batchModify", 1, "pretended"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.changing.verdict", lambda *_, **__: "verified")
        world.execute(digest)
    with pytest.raises(AssertionError):
        judge(world, before)


@pytest.mark.contract("AP-6")
def test_without_a_durable_intent_the_sweep_would_notice(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """The guard broken once, on purpose: intents that were not on the disk when the process died."""
    template, digest = prepared
    written = pipeline.journal.append_line

    def forgetful(path: Path, line: bytes, *rest: object) -> None:
        if b'"event":"intent"' not in line and b'"event":"answered"' not in line:
            written(path, line)

    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline.journal, "append_line", forgetful)
        killed(world, digest, 36, is_torn=False)
    assert world.mailbox.label_sets() != before, "the kill came after a change"
    with pytest.raises((AssertionError, Tampered)):
        settle(world, digest)
        judge(world, before)


@pytest.mark.contract("AP-4")
def test_without_the_marker_a_copy_would_execute_twice(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """The guard broken once, on purpose: `test_a_copied_workspace_cannot_execute_twice` rests on the marker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stages.execute.consume", lambda *_: None)
        patch.setattr("pipeline.closing.note_closing", lambda *_: None)
        with pytest.raises(pytest.fail.Exception):
            test_a_copied_workspace_cannot_execute_twice(prepared, tmp_path)


METHODS = ("getProfile", "labels.list", "threads.get", "messages.get", "history.list", "labels.create",
           "messages.batchModify")  # fmt: skip
KINDS = ("drop-before", "drop-after", "429", "403-rate", "403", "400", "404", "409", "500", "503", "garbage",
         "unsent", "pretended", "identity", "wrong-account")  # fmt: skip


@pytest.mark.contract("AP-6", "AP-7")
def test_fault_matrix_none_falsely_verified(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """Every call, every fault, three positions, once and for ever; then the faults end and it is run again."""
    template, digest = prepared
    hits: Counter[str] = Counter()
    for method in METHODS:
        for kind in KINDS:
            for nth in (1, 2, 3):
                for forever in (False, True):
                    world = template.fresh(tmp_path / f"{method}-{kind}-{nth}-{forever}")
                    before = world.mailbox.label_sets()
                    world.gmail.faults.append(Fault(method, nth, kind, forever))
                    hits[attempt(world, digest)] += 1
                    refuse_foreign_changes(world.mailbox)
                    world.gmail.faults.clear()
                    settle(world, digest)
                    judge(world, before)
    print("fault matrix", dict(hits))
    assert hits["done"] and hits["partly-done"] and hits["sign-in-again"] and hits["unreachable"], hits


def attempt(world: World, digest: str) -> str:
    """How one run ended, in one word."""
    try:
        world.execute(digest)
        return "done"
    except Refusal as refusal:
        return refusal.slug


@pytest.mark.contract("AP-7")
@pytest.mark.parametrize("kind", ["drop-before", "drop-after", "500", "garbage", "409", "429"])
def test_a_create_is_sent_once_then_looked_up(prepared: tuple[Template, str], tmp_path: Path, kind: str) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.gmail.faults.append(Fault("labels.create", 1, kind, forever=True))
    attempt(world, digest)
    assert world.mailbox.asked["labels.create"] == 1


@pytest.mark.contract("AP-7")
def test_case_53_403_is_final_503_is_retried_and_the_third_batch_is_still_recorded(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.gmail.faults += [Fault("messages.batchModify", 1, "403"), Fault("messages.batchModify", 2, "503")]
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert caught.value.exit_code == 7
    progress = judge(world, {one: set(m.labels) for one, m in template.world.mailbox.messages.items()})
    found = Counter(progress.statuses().values())
    assert found["failed"] >= 1 and found["verified"] >= 1 and sum(found.values()) == 4
    requests = [i.operation.message_ids for i in progress.intents.values() if isinstance(i.operation, ModifyLabels)]
    refused = {one for one, status in progress.statuses().items() if status == "failed"}
    assert sum(bool(refused & set(ids)) for ids in requests) == 1, "a 403 is not repeated"
    assert len(requests) == len(set(requests)) + 1, "the 503 was repeated once, after a read"


def test_case_53_every_batch_fails_and_the_exit_code_says_so(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.gmail.faults.append(Fault("messages.batchModify", 1, "503", forever=True))
    with pytest.raises(PartlyDone):
        world.execute(digest)
    progress = judge(world, world.mailbox.label_sets())
    assert set(progress.statuses().values()) == {"failed"}
    assert Counter(world.mailbox.asked)["messages.batchModify"] == 3 * 3, "three batches, three tries each"


@pytest.mark.contract("AP-6")
def test_a_vanished_id_answered_204_is_vanished_not_done(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.gmail.faults.append(Fault("messages.batchModify", 1, lambda mailbox: _vanish_all(mailbox, "m1", "m3")))
    with pytest.raises(PartlyDone):
        world.execute(digest)
    (run,) = {path.stem for path in (tmp_path / "w" / "receipts").glob("*.jsonl")}
    statuses = fold_events(world.receipt(run).events).statuses()
    assert "vanished" in statuses.values() and statuses["m2"] == "verified"


def _vanish_all(mailbox: Mailbox, *message_ids: str) -> None:
    for message_id in message_ids:
        mailbox.messages.pop(message_id, None)


@pytest.mark.contract("AP-6")
def test_a_server_that_drops_other_labels_is_a_conflict_not_done(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    """Case 41 seen from the other side: the label is there, and a user label is gone."""
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.gmail.faults.append(Fault("messages.batchModify", 1, lambda box: _lose(box, "m4"), forever=True))
    with pytest.raises(PartlyDone):
        world.execute(digest)
    progress = judge(world, template.world.mailbox.label_sets(), is_alone=False)
    assert progress.status("m4") in ("conflict", "not_sent")


def _lose(mailbox: Mailbox, message_id: str) -> None:
    mailbox.messages[message_id].labels.discard("Label_7")


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("nth", [2, 3, 4])
def test_credentials_swapped_between_batches_stop_the_run(
    prepared: tuple[Template, str], tmp_path: Path, nth: int
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    world.gmail.faults.append(Fault("getProfile", nth, "wrong-account", forever=True))
    with pytest.raises(WrongAccount) as caught:
        world.execute(digest)
    received = world.mailbox.received
    assert "closed" in caught.value.evidence
    progress = judge(world, before)
    assert "not_sent" in progress.statuses().values()
    with pytest.raises(Consumed):
        world.execute(digest)
    assert world.mailbox.received == received, "nothing was sent after the swap"


@pytest.mark.contract("ID-1")
def test_case_80_the_token_dies_in_mid_run_and_the_receipt_tells_the_truth(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    world.gmail.faults.append(Fault("messages.get", 6, "identity", forever=True))
    world.gmail.faults.append(Fault("getProfile", 4, "identity", forever=True))
    with pytest.raises(SignInAgain) as caught:
        world.execute(digest)
    assert caught.value.exit_code == 4
    asked = world.mailbox.asked["messages.batchModify"]
    world.gmail.faults.clear()
    settle(world, digest)
    judge(world, before)
    assert world.mailbox.asked["messages.batchModify"] >= asked


@pytest.mark.contract("AP-4")
def test_second_execution_is_refused_and_changes_nothing(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.execute(digest)
    files, received = world.files(), world.mailbox.received
    for resume in (False, True):
        with pytest.raises(Consumed):
            world.execute(digest, resume=resume)
    assert world.mailbox.received == received and world.files() == files


@pytest.mark.contract("AP-4")
def test_case_55_two_executes_at_once_one_is_busy_or_consumed(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    hits: Counter[str] = Counter()
    for number in range(sweep(500, 20)):
        world = template.fresh(tmp_path / str(number))
        before = world.mailbox.label_sets()
        barrier, outcomes = threading.Barrier(2), []

        def run(world: World = world, barrier: threading.Barrier = barrier, outcomes: list[str] = outcomes) -> None:
            barrier.wait()
            outcomes.append(attempt(world, digest))

        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) in (["busy", "done"], ["consumed", "done"]), outcomes
        hits.update(outcomes)
        judge(world, before)
    print("races", dict(hits))


@pytest.mark.contract("AP-4")
def test_case_55_busy_names_who_holds_the_lock(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    with locked(world.context.workspace.lock, "gmailtriage execute 12ab, process 4711"), pytest.raises(Busy) as caught:
        world.execute(digest)
    assert "4711" in caught.value.evidence and world.mailbox.received == 0


@pytest.mark.contract("AP-4")
def test_a_copied_workspace_cannot_execute_twice(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """A live account keeps marker and lock by account: here the copy shares the control folder."""
    template, digest = prepared
    first, copy = template.fresh(tmp_path / "first"), template.fresh(tmp_path / "copy")
    control = tmp_path / "control"
    copy.gmail.mailbox = first.mailbox
    for world in (first, copy):
        workspace = replace(world.context.workspace, control=control)
        world.context = replace(world.context, workspace=workspace)
    first.execute(digest)
    first.undo()  # now the copy's drift gate alone would find nothing to object to
    received = first.mailbox.received
    with pytest.raises(Consumed) as caught:
        copy.execute(digest)
    assert "not here" in caught.value.evidence and first.mailbox.received == received


@pytest.mark.contract("AP-4")
def test_expired_before_the_first_line_changes_nothing(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.clock.pass_minutes(60)
    files = world.files()
    with pytest.raises(Expired):
        world.execute(digest)
    assert world.mailbox.received == 0 and no_locks(world.files()) == no_locks(files)


def no_locks(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files without the lock, which is no fact."""
    return {name: data for name, data in files.items() if not name.endswith(".lock")}


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
    killed(world, digest, 34, is_torn=False)
    received = world.mailbox.received
    world.context = replace(world.context, config=replace(world.context.config, policy_bytes=b"version = 1\n"))
    assert attempt(world, digest) == "partly-done"
    assert world.mailbox.received == received
    judge(world, before)


@pytest.mark.contract("AP-5")
def test_case_43_a_reply_after_the_plan_excludes_its_thread_only(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.mailbox.arrive(mail("m9", "INBOX", "UNREAD", thread="m1"))
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert "m1 changed membership" in caught.value.evidence
    (run,) = {path.stem for path in (tmp_path / "w" / "receipts").glob("*.jsonl")}
    progress = fold_events(world.receipt(run).events)
    assert progress.excluded == {"m1": "changed membership"}
    assert [progress.status(one) for one in ("m2", "m3", "m4")] == ["verified"] * 3
    assert "m9" not in str(world.receipt(run)) and world.mailbox.labels_of("m1") == {"INBOX", "UNREAD"}


@pytest.mark.contract("AP-5")
def test_a_star_between_plan_and_execute_excludes_the_message(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.mailbox.edit("m2", add=("STARRED",))
    with pytest.raises(PartlyDone):
        world.execute(digest)
    assert world.mailbox.labels_of("m2") == {"INBOX", "CATEGORY_UPDATES", "STARRED"}


@pytest.mark.contract("AP-5")
def test_a_change_between_two_batches_is_seen(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """The mailbox changes after the drift gate, while the first batch is under way."""
    template, digest = prepared
    for edit, message_id in ((lambda box: box.edit("m4", add=("STARRED",)), "m4"),
                             (lambda box: box.arrive(mail("m9", "INBOX", thread="m3")), "m3")):  # fmt: skip
        world = template.fresh(tmp_path / message_id)
        world.gmail.faults.append(Fault("labels.create", 1, edit))
        with pytest.raises(PartlyDone):
            world.execute(digest)
        assert "INBOX" in world.mailbox.labels_of(message_id)
        assert not any(message_id in c.message_ids for c in world.mailbox.changes if isinstance(c, ModifyLabels))


@pytest.mark.contract("AP-5")
def test_drift_over_the_share_aborts_with_nothing_written(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.mailbox.edit("m1", add=("STARRED",))
    world.mailbox.edit("m2", add=("STARRED",))
    files = world.files()
    with pytest.raises(DriftAborted) as caught:
        world.execute(digest)
    assert "m1 changed labels" in caught.value.evidence and caught.value.exit_code == 6
    assert world.mailbox.received == 0 and no_locks(world.files()) == no_locks(files)


@pytest.mark.contract("AP-5")
@pytest.mark.parametrize("part", ["policy", "rules", "more-rules", "record", "capture", "seal"])
def test_a_changed_pin_aborts_and_is_named(prepared: tuple[Template, str], tmp_path: Path, part: str) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    config = world.context.config
    changed = {
        "policy": replace(config, policy_bytes=config.policy_bytes + b"\n"),
        "rules": replace(config, rules=(("taxonomy.toml", b"x = 2\n"),)),
        "more-rules": replace(config, rules=(*config.rules, ("extra.toml", b""))),
        "record": replace(config, account=config.account.model_copy(update={"alias": ("loop", "other")})),
    }
    world.context = replace(world.context, config=changed.get(part, config))
    if part in ("capture", "seal"):
        name = {"capture": "getProfile.pack", "seal": "capture.json"}[part]
        (path,) = (tmp_path / "w" / "data" / "raw" / "loop").glob(f"*/{name}")
        path.write_bytes(path.read_bytes().replace(b"a", b"b", 1))
    with pytest.raises(DriftAborted):
        world.execute(digest)
    assert world.mailbox.received == 0 and world.gmail.opened == 0, "not even a gateway was opened"


@pytest.mark.contract("AP-5")
def test_a_label_of_the_plan_that_is_gone_aborts(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    digest = world.ready()
    del world.mailbox.labels[MINE]
    with pytest.raises(DriftAborted):
        world.execute(digest)
    assert world.mailbox.received == 0


@pytest.mark.contract("AP-5")
def test_a_look_alike_of_a_new_label_is_used_not_made(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.mailbox.labels["Label_77"] = "JOBS/alerts"
    world.execute(digest)
    assert world.mailbox.asked["labels.create"] == 0 and "Label_77" in world.mailbox.labels_of("m1")


def test_trashed_mail_is_left_alone_even_when_its_fingerprint_says_so(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX", "TRASH"), mail("m2", "INBOX")], history_above_targets=0)
    digest = world.ready()
    with pytest.raises(PartlyDone):
        world.execute(digest)
    assert world.mailbox.labels_of("m1") == {"INBOX", "TRASH"} and world.mailbox.labels_of("m2") == {MINE}


@pytest.mark.contract("AP-6")
@pytest.mark.parametrize("history", ["there", "gone", "late"])
def test_case_46_over_1000_ids_each_in_one_batch_of_at_most_a_hundred(tmp_path: Path, history: str) -> None:
    world = World.make(tmp_path, [mail(f"18f0a1b2c3d5{n:04x}", "INBOX") for n in range(1001)], budget_units=10**8)
    digest = world.ready()
    world.mailbox.is_history_gone = history == "gone"
    if history == "late":
        world.mailbox.history_id += 1
    finished = world.execute(digest)
    sent = [c.message_ids for c in world.mailbox.changes if isinstance(c, ModifyLabels)]
    assert finished.statuses["verified"] == 1001
    assert sorted(one for ids in sent for one in ids) == sorted(world.mailbox.messages)
    assert max(map(len, sent)) == 100 and len(sent) == 11
    receipt = world.receipt(finished.run)
    proofs = {event.via for event in receipt.events if isinstance(event, ReadBack)}
    assert proofs == ({"read"} if history == "gone" else {"history"})
    assert world.mailbox.asked["messages.get"] == (1001 if history == "gone" else 0)
    assert sum(isinstance(event, Intent) for event in receipt.events) == 11


@pytest.mark.contract("AP-3")
def test_the_executor_cannot_import_what_plans() -> None:
    """In a process of its own: after importing both changing stages no planning module is there."""
    code = "import sys, stages.execute, stages.undo; print(' '.join(sorted(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(found.stdout.split())
    planning = {f"stages.{name}" for name in ("plan", "decide", "match", "screen", "normalize", "protect", "freeze")}
    reading = {"pipeline.query", "pipeline.rulebook", "pipeline.raw", "pipeline.mail", "pipeline.judge"}
    assert not loaded & (planning | reading), loaded & (planning | reading)


@pytest.mark.contract("AP-3")
def test_the_executor_asks_for_nothing_but_labels(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.execute(digest)
    allowed = {"getProfile", "labels.list", "labels.create", "history.list", "threads.get", "messages.get",
               "messages.batchModify"}  # fmt: skip
    assert set(world.mailbox.asked) <= allowed


@pytest.mark.contract("P1", "P4")
def test_two_targets_exchanged_after_approval_are_refused(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    path = tmp_path / "w" / "manifests" / f"{digest}.json"
    path.write_bytes(path.read_bytes().replace(b'"m1"', b'"mX"').replace(b'"m6"', b'"m1"').replace(b'"mX"', b'"m6"'))
    with pytest.raises(Tampered):
        world.execute(digest)
    assert world.mailbox.received == 0


@pytest.mark.contract("P1", "AP-8")
def test_a_forged_line_in_an_open_receipt_is_refused(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """A line with a right chain that announces a change nobody approved."""
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    killed(world, digest, 20, is_torn=False)
    (path,) = (tmp_path / "w" / "receipts").glob("*.jsonl")
    journal = Journal.reopen(path, world.receipt(path.stem), KEY)
    journal.intent(ModifyLabels(message_ids=("m6",), add=(MINE,), remove=("INBOX",)), {"m6": ["INBOX", "STARRED"]})
    received = world.mailbox.received
    with pytest.raises(Tampered):
        world.execute(digest)
    assert world.mailbox.received == received


@pytest.mark.contract("AP-8", "P4")
def test_a_closed_receipt_cut_at_a_line_does_not_pass_for_interrupted(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    finished = world.execute(digest)
    path = tmp_path / "w" / "receipts" / f"{finished.run}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for kept in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:kept]))
        received = world.mailbox.received
        for command in (lambda: world.execute(digest), lambda: world.undo(finished.run, "0" * 64)):
            with pytest.raises(ApprovalRefused):
                command()
        assert world.mailbox.received == received


def test_budget_of_the_manifest_is_held(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")], budget_units=99)
    world.plan({"m1": "archive"})
    with pytest.raises(BudgetRefused) as caught:
        world.freeze()
    assert caught.value.exit_code == 8 and not (tmp_path / "workspace" / "manifests").exists()


def test_execute_without_an_id_never_means_the_latest(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    for text in ("", "latest", digest[:8], digest.upper(), f"../{digest}", digest + "\n"):
        with pytest.raises(Refusal) as caught:
            world.execute(text)
        assert caught.value.exit_code == 2
    assert world.mailbox.received == 0


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


def test_an_interrupted_run_comes_before_any_other(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    killed(world, digest, 40, is_torn=False)
    with pytest.raises(Busy) as caught:
        world.freeze()
    assert caught.value.next_command == f"gmailtriage execute {digest}"
    with pytest.raises(InputRefused):
        world.undo()


@pytest.mark.contract("AP-5")
@pytest.mark.parametrize("is_large", [False, True])
def test_drift_on_generated_mailboxes_against_an_independent_judge(tmp_path: Path, is_large: bool) -> None:
    """Random threads, plans and edits by hand; a slow and obvious judge says which targets changed."""
    random, hits = Random(43), Counter[str]()
    for number in range(sweep(1000)):
        messages = [mail(f"m{n:02d}", "INBOX", thread=f"t{random.randrange(8)}") for n in range(random.randint(2, 14))]
        policy = {"history_above_targets": 0 if is_large else 300, "batch_size": random.choice([1, 3, 100])}
        world = World.make(tmp_path / str(number), messages, drift_share=0.3, **policy)
        chosen = random.sample(messages, random.randint(1, len(messages)))
        digest = world.ready({one.id: random.choice(["label", "archive"]) for one in chosen})
        before, members = world.mailbox.label_sets(), membership(world.mailbox)
        hand(world.mailbox, random)
        changed = changed_targets(world.mailbox, {one.id for one in chosen}, before, members)
        now = world.mailbox.label_sets()
        outcome = attempt(world, digest)
        allowed = max(1, int(0.3 * len(chosen) + 1e-9))
        if len(changed) > allowed or len(changed) == len(chosen):
            assert outcome == "drift-aborted" and world.mailbox.received == 0
        else:
            assert outcome == ("partly-done" if changed else "done")
            touched = {one for c in world.mailbox.changes if isinstance(c, ModifyLabels) for one in c.message_ids}
            assert touched == {one.id for one in chosen} - changed
            assert all(world.mailbox.label_sets().get(one) == now.get(one) for one in changed)
        hits[outcome] += 1
    print("drift", "large" if is_large else "small", dict(hits))
    assert min(hits[one] for one in ("done", "partly-done", "drift-aborted")) >= 10, hits


def membership(mailbox: Mailbox) -> dict[str, set[str]]:
    """Thread -> every message id in it."""
    found: dict[str, set[str]] = {}
    for one in mailbox.messages.values():
        found.setdefault(one.thread, set()).add(one.id)
    return found


def hand(mailbox: Mailbox, random: Random) -> None:
    """A few edits by the owner and by the world, with their history."""
    for number in range(random.choice([0, 0, 1, 2, 5, 9])):
        one = random.choice(list(mailbox.messages.values()))
        match random.randrange(5):
            case 0:
                mailbox.edit(one.id, add=("STARRED",))
            case 1:
                mailbox.edit(one.id, remove=("INBOX",))
            case 2:
                mailbox.edit(one.id, add=("TRASH",))
            case 3:
                mailbox.arrive(mail(f"new{number}", random.choice(["INBOX", "DRAFT", "SPAM"]), thread=one.thread))
            case _:
                mailbox.edit(one.id, add=("UNREAD",))
                mailbox.edit(one.id, remove=("UNREAD",))


def changed_targets(
    mailbox: Mailbox, targets: set[str], before: dict[str, set[str]], members: dict[str, set[str]]
) -> set[str]:
    """Slow and obvious: other labels, or a new live member in the thread."""
    found = set()
    for one in targets:
        message = mailbox.messages[one]
        thread = [other for other in mailbox.messages.values() if other.thread == message.thread]
        live = {other.id for other in thread if not other.labels & {"TRASH", "SPAM"}}
        if message.labels != before[one] or live - members[message.thread]:
            found.add(one)
    return found


@pytest.mark.contract("AP-5", "P4")
def test_any_byte_of_anything_pinned_changed_aborts_before_a_gateway_is_opened(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world, random = template.fresh(tmp_path / "w"), Random(5)
    files = [path for path in (tmp_path / "w" / "data" / "raw").rglob("*") if path.is_file()]
    config = world.context.config
    hits: Counter[str] = Counter()
    for _ in range(sweep(300)):
        kind = random.choice(["capture", "policy", "rules"])
        path = random.choice(files)
        data = {"capture": path.read_bytes(), "policy": config.policy_bytes, "rules": config.rules[0][1]}[kind]
        flipped = bytearray(data)
        flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
        if kind == "capture":
            path.write_bytes(bytes(flipped))
        changed = {
            "capture": config,
            "policy": replace(config, policy_bytes=bytes(flipped)),
            "rules": replace(config, rules=((config.rules[0][0], bytes(flipped)),)),
        }[kind]
        with pytest.raises(DriftAborted):
            world.with_context(config=changed).execute(digest)
        if kind == "capture":
            path.write_bytes(data)
        hits[kind] += 1
    print("pins", dict(hits))
    assert world.gmail.opened == 0 and world.mailbox.received == 0 and len(hits) == 3


@pytest.mark.contract("AP-4")
def test_double_applies(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    for number in range(sweep(200)):
        world = template.fresh(tmp_path / str(number))
        assert attempt(world, digest) == "done"
        received = world.mailbox.received
        if number % 2:
            world.undo()
            received = world.mailbox.received
        assert attempt(world, digest) == "consumed" and world.mailbox.received == received


@pytest.mark.contract("AP-8", "P2")
def test_a_disk_that_fills_at_any_line_stops_the_run_and_one_more_ends_it(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    """A refusal like any other, and nothing in between may swallow it and go on."""
    template, digest = prepared
    written = pipeline.journal.append_line
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
            patch.setattr(pipeline.journal, "append_line", lambda path, line, disk, full=full: full(path, line))
            outcome = attempt(world, digest)
        assert outcome == ("write-failed" if len(seen) >= nth else "done")
        assert len(seen) <= nth and world.mailbox.received == seen[-1], "nothing is sent after the failure"
        settle(world, digest)
        judge(world, before)


@pytest.mark.contract("AP-7", "ID-4")
@pytest.mark.parametrize(
    "document",
    [{}, {"id": "INBOX", "name": "Jobs/Alerts"}, {"id": "STARRED", "name": "Jobs/Alerts"}, {"id": "Label_9"},
     {"id": "Label_9", "name": "Other"}, {"id": ["Label_9"], "name": "Jobs/Alerts"}],
)  # fmt: skip
def test_a_create_answer_that_is_not_our_label_is_looked_up(
    prepared: tuple[Template, str], tmp_path: Path, document: dict[str, object]
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    processed = FakeGateway._process

    def lie(gateway: FakeGateway, operation: ModifyLabels | CreateLabel) -> Answer:
        answer = processed(gateway, operation)
        return Answer(200, document) if isinstance(operation, CreateLabel) else answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FakeGateway, "_process", lie)
        world.execute(digest)
    (label_id,) = (one for one, name in world.mailbox.labels.items() if name == "Jobs/Alerts")
    assert world.mailbox.labels_of("m1") == {"UNREAD", label_id} and world.mailbox.asked["labels.create"] == 1


@pytest.mark.parametrize("labels", [None, {}, [1], [{"id": "Label_1"}], [{"id": 1, "name": "x"}]])
def test_a_label_list_of_unknown_shape_stops_before_anything_is_written(
    prepared: tuple[Template, str], tmp_path: Path, labels: object
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    files = no_locks(world.files())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FakeGateway, "_labels", lambda _: Answer(200, {"labels": labels}))
        assert attempt(world, digest) == "answer-refused"
    assert no_locks(world.files()) == files and world.mailbox.received == 0
