"""What Gmail should never answer, at the worst moment: nothing is believed that was not seen, and nothing crashes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.gmail.answers import Answer
from pipeline.models.manifest import NewLabel
from pipeline.refusals import AnswerRefused, PartlyDone
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
    assert asked["messages.get"] == 1, "only the doubtful one was read"


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
