"""The executor's promises one by one: one use, one mailbox, one account of what was done, and nothing that plans."""

import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.changes.journal import Journal
from pipeline.models.operation import ModifyLabels
from pipeline.models.receipt import Intent, ReadBack
from pipeline.refusals import (
    ApprovalRefused,
    BudgetRefused,
    Busy,
    Consumed,
    Expired,
    Refusal,
    SignInAgain,
    Tampered,
    WrongAccount,
)
from pipeline.store import locked
from tests.fakes import KEY, MINE, Fault, Template, World, mail
from tests.guarantees.executions import (
    attempt,
    judge,
    killed,
    no_locks,
    rechained,
    settle,
)
from tests.sweeps import sweep, told

pytestmark = pytest.mark.usefixtures("quick")

ROOT = Path(__file__).parents[2]


@pytest.mark.contract("AP-4")
def test_without_the_marker_a_copy_would_execute_twice(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """The guard broken once, on purpose: `test_a_copied_workspace_cannot_execute_twice` rests on the marker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stages.execute.consume", lambda *_: None)
        patch.setattr("pipeline.changes.closing.note_closing", lambda *_: None)
        with pytest.raises(pytest.fail.Exception):
            test_a_copied_workspace_cannot_execute_twice(prepared, tmp_path)


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
    assert received == nth - 2, "the label is the first request, then a batch each"
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
    world.gmail.faults.append(Fault("getProfile", 5, "identity", forever=True))
    with pytest.raises(SignInAgain) as caught:
        world.execute(digest)
    assert caught.value.exit_code == 4
    asked = world.mailbox.asked["messages.batchModify"]
    world.gmail.faults.clear()
    assert settle(world, digest) == "done", "signed in again, the same command reads back and goes on"
    assert set(judge(world, before).statuses().values()) == {"verified"}
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
    told("races of two threads", hits, runs=hits["done"])


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
    reading = {
        "pipeline.evidence.query",
        "pipeline.rulebook",
        "pipeline.evidence.raw",
        "pipeline.mail",
        "pipeline.judge",
    }
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
    journal = Journal.reopen(path, path.with_suffix(".head"), world.receipt(path.stem), KEY)
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


@pytest.mark.contract("P1", "AP-8")
@pytest.mark.parametrize(
    "change",
    [
        {"address": "other@example.com"},
        {"manifest": "0" * 64},
        {"approval": "0" * 64},
        {"account": "other"},
        {"purpose": "undo"},
        {"undoes": "0" * 16},
        {"message_ids": ["m1", "m2", "m3", "m4", "m5"]},
        {"message_ids": ["m1", "m2", "m3"]},
    ],
)
def test_an_open_receipt_with_another_opening_is_refused(
    prepared: tuple[Template, str], tmp_path: Path, change: dict[str, object]
) -> None:
    """An open receipt carries no MAC: it counts only as far as approval and manifest bear it out."""
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    killed(world, digest, 40, is_torn=False)
    (path,) = (tmp_path / "w" / "receipts").glob("*.jsonl")
    path.write_bytes(rechained(path.read_bytes(), change))
    received = world.mailbox.received
    with pytest.raises((Tampered, Busy)):
        world.execute(digest)
    assert world.mailbox.received == received


def test_a_manifest_over_its_own_budget_is_not_executed(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    world.plan({"m1": "archive"})
    manifest = world.freeze()
    dear = manifest.model_copy(update={"price": manifest.price.model_copy(update={"units": 10**9})})
    (world.context.workspace.manifests / f"{dear.sha256}.json").write_bytes(dear.to_bytes())
    world.approve(dear)
    assert attempt(world, dear.sha256) == "budget-refused" and world.gmail.opened == 0
