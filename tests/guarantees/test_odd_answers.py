"""What Gmail should never answer, at the worst moment: nothing is believed that was not seen, and nothing crashes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.gmail.answers import Answer, GmailError
from pipeline.models.manifest import NewLabel
from pipeline.refusals import AnswerRefused, PartlyDone
from stages.plan import PLAN
from tests.fakes import FakeGateway, Fault, Mailbox, World, mail

pytestmark = pytest.mark.usefixtures("quick")
ODD_IDS = ["\x1b[2J", "a b", "x" * 200, "\ud800", ""]
ODD_NUMBERS = ["--5", "9" * 5000, "\u0663", "", "5 ", None, 5]


def answering(monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[Any], Any]) -> None:
    """Every answer of one method passes through `change`."""
    true = getattr(FakeGateway, name)
    monkeypatch.setattr(FakeGateway, name, lambda self: change(true(self)))


def wearing(monkeypatch: pytest.MonkeyPatch, label_id: str) -> None:
    """After the first request every message shows one label more."""
    true = FakeGateway._message

    def message(self: FakeGateway, message_id: str) -> Answer:
        shown = dict(true(self, message_id).document)
        return Answer(200, {**shown, "labelIds": [*shown["labelIds"], label_id]} if self.mailbox.changes else shown)

    monkeypatch.setattr(FakeGateway, "_message", message)


@pytest.mark.contract("AP-6")
def test_a_message_deleted_between_request_and_read_back_is_not_verified_by_history(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail(f"m{n}", "INBOX") for n in range(4)], history_above_targets=1)
    digest = world.ready()
    asked = world.mailbox.asked

    def vanish(mailbox: Mailbox) -> None:
        mailbox.vanish("m2")

    world.gmail.faults.append(Fault("history.list", 3, vanish))
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert "m2 vanished" in caught.value.evidence and "1 of 4" in caught.value.what
    assert asked["messages.get"] == 2, "only the doubtful one was read, twice"


@pytest.mark.contract("AP-6", "P2")
@pytest.mark.parametrize("label_id", ODD_IDS)
def test_a_label_id_that_no_receipt_can_hold_makes_the_message_indeterminate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, label_id: str
) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    digest = world.ready()
    wearing(monkeypatch, label_id)
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert "m1 indeterminate" in caught.value.evidence
    with pytest.raises(PartlyDone) as caught:
        world.undo()
    assert "could not be read" in caught.value.evidence
    monkeypatch.undo()
    world.undo()
    assert world.mailbox.label_sets() == {"m1": {"INBOX"}, "m2": {"INBOX"}}


@pytest.mark.contract("AP-5")
@pytest.mark.parametrize("date", ODD_NUMBERS)
def test_a_thread_whose_date_is_no_number_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, date: object
) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    digest = world.ready()
    monkeypatch.setattr("tests.fakes._shown", lambda one: {"id": one.id, "labelIds": ["INBOX"], "internalDate": date})
    with pytest.raises(AnswerRefused):
        world.execute(digest)
    assert world.mailbox.received == 0


@pytest.mark.contract("AP-5", "AP-6")
@pytest.mark.parametrize("number", ODD_NUMBERS)
@pytest.mark.parametrize("limit", [0, 300])
def test_history_ids_that_are_no_numbers_only_cost_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: object, limit: int
) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")], history_above_targets=limit)
    digest = world.ready()
    answering(monkeypatch, "_profile", lambda answer: Answer(200, {**answer.document, "historyId": number}))
    assert world.execute(digest).statuses["verified"] == 2


@pytest.mark.contract("AP-7", "P1")
@pytest.mark.parametrize("told", ["Label_77", "Label_\x1b", "INBOX", 5, None])
def test_the_id_of_a_new_label_is_looked_up_before_it_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: object
) -> None:
    """The answer names another label of the owner's, or none: the list says which one the name has."""
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    world.mailbox.labels["Label_77"] = "Private"
    digest = world.ready(label=NewLabel(create="Jobs/Alerts"))
    true = FakeGateway._process

    def process(self: FakeGateway, operation: Any) -> Answer:
        answer = true(self, operation)
        return Answer(200, {**answer.document, "id": told}) if answer.document else answer

    monkeypatch.setattr(FakeGateway, "_process", process)
    world.execute(digest)
    (made,) = [one for one, name in world.mailbox.labels.items() if name == "Jobs/Alerts"]
    assert world.mailbox.labels_of("m1") == {made}
    assert world.mailbox.asked["labels.create"] == 1


def denying(monkeypatch: pytest.MonkeyPatch, message_id: str, times: int) -> None:
    """The next reads of one message answer 404 although it is there."""
    true, left = FakeGateway._message, [times]

    def message(self: FakeGateway, asked: str) -> Answer:
        if asked == message_id and left[0]:
            left[0] -= 1
            raise GmailError("messages.get", 404, "notFound")
        return true(self, asked)

    monkeypatch.setattr(FakeGateway, "_message", message)


@pytest.mark.contract("P3", "AP-9")
def test_one_404_of_a_message_that_is_there_loses_it_neither_to_the_run_nor_to_the_undo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    digest = world.ready()
    world.gmail.faults.append(Fault("messages.get", 3, lambda box: denying(monkeypatch, "m1", 1)))
    assert world.execute(digest).statuses["verified"] == 2
    denying(monkeypatch, "m1", 1)
    assert world.undo().statuses["verified"] == 2
    assert world.mailbox.label_sets() == {"m1": {"INBOX"}, "m2": {"INBOX"}}


@pytest.mark.contract("P3", "AP-9")
def test_what_the_run_took_for_vanished_is_restored_when_it_is_there_after_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    digest = world.ready()
    world.gmail.faults.append(Fault("messages.batchModify", 1, lambda box: denying(monkeypatch, "m1", 9)))
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert "m1 vanished" in caught.value.evidence
    monkeypatch.undo()
    world.undo()
    assert world.mailbox.label_sets() == {"m1": {"INBOX"}, "m2": {"INBOX"}}


@pytest.mark.contract("P3", "AP-7")
def test_a_label_that_only_a_later_list_shows_is_noted_before_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the run would send what its own receipt does not bear out, and no undo would take it."""
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    plan = world.plan({"m1": "archive", "m2": "archive"}, NewLabel(create="Jobs/A"))
    other = plan.targets[1].change.model_copy(update={"label": NewLabel(create="Jobs/B")})
    targets = (plan.targets[0], plan.targets[1].model_copy(update={"change": other}))
    counts = plan.counts.model_copy(update={"create_label": 2})
    two = plan.model_copy(update={"targets": targets, "new_labels": ("Jobs/A", "Jobs/B"), "counts": counts})
    PLAN.save(world.place, two)
    manifest = world.freeze()
    world.approve(manifest)
    true, asked = FakeGateway._labels, []

    def labels(self: FakeGateway) -> Answer:
        asked.append(1)
        return Answer(200, {"labels": []}) if len(asked) == 2 else true(self)

    monkeypatch.setattr(FakeGateway, "_labels", labels)
    assert world.execute(manifest.sha256).statuses["verified"] == 2
    world.undo()
    assert world.mailbox.label_sets() == {"m1": {"INBOX"}, "m2": {"INBOX"}}
