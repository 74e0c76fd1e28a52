"""Gmail busy, silent, refusing, lying or forgetful: nothing is falsely verified, and nothing is sent twice unread."""

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from pipeline.gmail.answers import Answer
from pipeline.models.operation import CreateLabel, ModifyLabels
from pipeline.models.receipt import ReadBack
from pipeline.refusals import (
    PartlyDone,
)
from pipeline.sealing.progress import fold_events
from tests.fakes import MINE, FakeGateway, Fault, Mailbox, Template, World, mail
from tests.guarantees.executions import (
    attempt,
    judge,
    killed,
    no_locks,
    refuse_foreign_changes,
    settle,
)
from tests.sweeps import part, told

pytestmark = pytest.mark.usefixtures("quick")

METHODS = ("getProfile", "labels.list", "threads.get", "messages.get", "history.list", "labels.create",
           "messages.batchModify")  # fmt: skip

KINDS = ("drop-before", "drop-after", "429", "403-rate", "403", "400", "404", "409", "500", "503", "garbage",
         "unsent", "pretended", "identity", "wrong-account")  # fmt: skip


@pytest.mark.contract("AP-6", "AP-7")
def test_fault_matrix_none_falsely_verified(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """Every call, every fault, three positions, once and for ever; then the faults end and it is run again."""
    template, digest = prepared
    hits: Counter[str] = Counter()
    cells = [(*cell, forever) for forever in (True, False) for cell in product(METHODS, KINDS, (1, 2, 3))]
    for number, (method, kind, nth, forever) in enumerate(part(cells)):
        world = template.fresh(tmp_path / str(number))
        before = world.mailbox.label_sets()
        world.gmail.faults.append(Fault(method, nth, kind, forever))
        hits[attempt(world, digest)] += 1
        refuse_foreign_changes(world.mailbox)
        world.gmail.faults.clear()
        settle(world, digest)
        judge(world, before)
    told("faults in memory", hits)
    assert hits["done"] and hits["partly-done"] and hits["sign-in-again"] and hits["unreachable"], hits


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


@pytest.mark.contract("ID-1", "AP-4")
@pytest.mark.parametrize("what", ["swapped", "expired"])
def test_a_retry_is_a_request_like_any_other_identity_and_time_come_first(
    prepared: tuple[Template, str], tmp_path: Path, what: str
) -> None:
    """The first batch gets a 503; while we wait the credential opens another mailbox, or the hour is over."""
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()

    def meanwhile(mailbox: Mailbox) -> None:
        mailbox.address = "other@example.com" if what == "swapped" else mailbox.address
        world.clock.pass_minutes(60 if what == "expired" else 0)

    world.gmail.faults += [Fault("messages.batchModify", 1, "503"), Fault("messages.get", 2, meanwhile)]
    assert attempt(world, digest) == ("wrong-account" if what == "swapped" else "partly-done")
    assert world.mailbox.asked["messages.batchModify"] == 1
    judge(world, before)


@pytest.mark.contract("AP-6")
def test_three_sick_messages_in_a_sound_gmail_are_indeterminate_and_the_rest_is_proved(tmp_path: Path) -> None:
    """getProfile tells a sick message from a sick Gmail: the run goes on and closes."""
    world = World.make(tmp_path, [mail(f"m{n}", "INBOX") for n in range(6)])
    digest = world.ready()
    world.gmail.faults += [Fault("messages.get", 6 + n, "500") for n in (1, 2, 3)]
    with pytest.raises(PartlyDone):
        world.execute(digest)
    (name,) = [name for name in world.files() if name.endswith(".jsonl") and "receipts" in name]
    found = Counter(fold_events(world.receipt(Path(name).stem).events).statuses().values())
    assert found == {"verified": 3, "indeterminate": 3}
    world.undo()
    assert all(labels == {"INBOX"} for labels in world.mailbox.label_sets().values()), "undo looks for itself"


@pytest.mark.contract("AP-6")
def test_a_history_record_proves_only_the_intended_labels(tmp_path: Path) -> None:
    """Above the limit history is the proof; a record that shows other labels is doubt, and doubt is read."""
    world = World.make(tmp_path, [mail(f"m{n}", "INBOX") for n in range(4)], history_above_targets=0)
    digest = world.ready()

    def lie(mailbox: Mailbox) -> None:
        for record in mailbox.history:
            for item in record.get("labelsRemoved", []):
                if item["message"]["id"] == "m2":
                    item["message"]["labelIds"] = ["INBOX", MINE]

    world.gmail.faults.append(Fault("history.list", 3, lie))
    finished = world.execute(digest)
    proofs = [event for event in world.receipt(finished.run).events if isinstance(event, ReadBack)]
    assert {proof.via: [one.message_id for one in proof.after] for proof in proofs} == {
        "history": ["m0", "m1", "m3"],
        "read": ["m2"],
    }
    assert finished.statuses["verified"] == 4


@pytest.mark.contract("AP-7", "P2")
def test_a_create_whose_fate_is_unknown_is_not_sent_again_after_a_kill(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    """The request was lost, then the process died: one more run looks for the label, and lists what needs it."""
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    before = world.mailbox.label_sets()
    world.gmail.faults.append(Fault("labels.create", 1, "drop-before"))
    killed(world, digest, 1, is_torn=False, only="answered about to be written")
    assert world.mailbox.asked["labels.create"] == 1
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert world.mailbox.asked["labels.create"] == 1 and "its label could not be made" in caught.value.evidence
    assert world.mailbox.label_sets() == before
