"""The executor's ordinary day: what it changes, what it writes, and what a person then reads."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.changes.batches import Wish, batches
from pipeline.models.manifest import ExistingLabel, NewLabel
from pipeline.models.operation import CreateLabel, ModifyLabels
from pipeline.models.receipt import Closed, LabelCreated
from pipeline.refusals import NothingToDo, PartlyDone
from stages.execute import STAGE
from tests.fakes import MINE, Fault, World, mail, no_fsync
from tests.strategies.case_files import case_json


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.mark.contract("P1", "ID-4")
def test_case_41_an_archive_takes_inbox_and_adds_our_label_and_nothing_else(tmp_path: Path) -> None:
    """Input of the case: a starred, user-labelled, unread message; every label but INBOX stays."""
    (shown,) = case_json("41", "thread_before.json")["messages"]
    bad = case_json("41", "bad_request.json")
    with pytest.raises(ValueError, match="system label"):
        ModifyLabels(message_ids=(shown["id"],), add=tuple(bad["addLabelIds"]), remove=tuple(bad["removeLabelIds"]))
    world = World.make(tmp_path, [mail(shown["id"], *shown["labelIds"])])
    world.execute(world.ready())
    assert world.mailbox.labels_of(shown["id"]) == set(shown["labelIds"]) - {"INBOX"} | {MINE}
    (change,) = world.mailbox.changes
    assert isinstance(change, ModifyLabels) and (change.add, change.remove) == ((MINE,), ("INBOX",))


@pytest.mark.contract("AP-5")
def test_case_43_the_live_thread_of_the_case(tmp_path: Path) -> None:
    """Input of the case: the manifest knows one member, Gmail shows two."""
    (operation,) = case_json("43", "manifest.json")["operations"]
    (first, reply) = case_json("43", "live_thread.json")["messages"]
    world = World.make(tmp_path, [mail(first["id"], *first["labelIds"]), mail("18f0a1b2c3d40299", "INBOX")])
    digest = world.ready()
    world.mailbox.arrive(mail(reply["id"], *reply["labelIds"], thread=reply["threadId"]))
    assert operation["precondition"]["members"] == [first["id"]]
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert f"{first['id']} changed membership" in caught.value.evidence
    assert world.mailbox.labels_of(first["id"]) == {"INBOX"} and world.mailbox.labels_of("18f0a1b2c3d40299") == {MINE}
    assert not any(reply["id"] in text.decode("latin-1") for name, text in world.files().items() if "receipts" in name)


def test_case_53_the_answers_of_the_case(tmp_path: Path) -> None:
    """Input of the case: 403, then 503, then 204, a batch each."""
    answers = [str(answer["status"]) for answer in case_json("53", "responses.json")]
    assert answers == ["403", "503", "204"]
    world = World.make(tmp_path, [mail(f"m{n}", "INBOX") for n in range(3)], batch_size=1)
    world.gmail.faults += [Fault("messages.batchModify", n, kind) for n, kind in enumerate(answers[:2], start=1)]
    with pytest.raises(PartlyDone) as caught:
        world.execute(world.ready())
    assert "1 of 3" in caught.value.what and "m0 failed" in caught.value.evidence
    assert world.mailbox.asked["messages.batchModify"] == 4, "the 403 once, the 503 twice, the 204 once"


def test_case_46_the_ids_of_the_case_in_batches() -> None:
    case = case_json("46", "ids.json")
    ids = [case["pattern"] % number for number in range(case["count"])]
    cut = batches([Wish(one, (MINE,), ("INBOX",)) for one in ids], 1000)
    assert max(len(batch.message_ids) for batch in cut) == 100
    assert [one for batch in cut for one in batch.message_ids] == sorted(ids)


def test_the_receipt_can_be_read_aloud(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    finished = world.execute(world.ready({"m1": "archive", "m2": "label"}, NewLabel(create="Jobs")))
    lines = (world.context.workspace.receipts / f"{finished.run}.jsonl").read_text().splitlines()
    told = [json.loads(line)["event"] for line in lines]
    assert told == ["opened", "intent", "answered", "label_created"] + ["intent", "answered", "read_back"] * 2 + [
        "closed"
    ]
    made = [event for event in world.receipt(finished.run).events if isinstance(event, LabelCreated)]
    assert [(event.name, event.is_ours) for event in made] == [("Jobs", True)]
    assert str(finished).startswith(f"run {finished.run}: 2 verified") and finished.receipt in str(finished)
    closed = world.receipt(finished.run).events[-1]
    assert isinstance(closed, Closed) and closed.requests == finished.requests == sum(world.mailbox.asked.values())


def test_resume_alone_begins_nothing(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    digest = world.ready()
    with pytest.raises(NothingToDo):
        world.execute(digest, resume=True)
    assert world.mailbox.received == 0
    world.execute(digest)


def test_a_label_that_cannot_be_made_leaves_its_targets_and_does_the_rest_of_nothing(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    digest = world.ready(label=NewLabel(create="Jobs"))
    world.gmail.faults.append(Fault("labels.create", 1, "400"))
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert "its label could not be made" in caught.value.evidence and world.mailbox.labels_of("m1") == {"INBOX"}
    assert not world.mailbox.changes


def test_a_system_label_is_never_what_a_name_is_resolved_to(tmp_path: Path) -> None:
    """A listed label of type system under a planned name is no user label: the create is asked for, and refused."""
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    digest = world.ready(label=NewLabel(create="inbox"))
    with pytest.raises(PartlyDone):
        world.execute(digest)
    assert world.mailbox.labels_of("m1") == {"INBOX"}
    assert not [change for change in world.mailbox.changes if isinstance(change, CreateLabel)]


def test_the_declaration_names_its_methods_and_no_search() -> None:
    assert "messages.list" not in STAGE.methods and "messages.batchModify" in STAGE.methods
    assert ExistingLabel(id=MINE, name="Job Alert").id == MINE
