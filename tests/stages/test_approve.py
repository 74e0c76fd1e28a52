"""What an approval writes: the decisions log first, then the one document that names it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.models.approval import Approval
from pipeline.refusals import NotApproved, Tampered
from pipeline.sealing.documents import DECISION_LOGS, read_decision_logs, read_decisions_log
from pipeline.store import tree_files
from stages.approve import approve, decisions_of
from stages.decide import DECISIONS
from tests.fakes import World, mail, no_fsync


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Three messages; two are planned."""
    return World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX"), mail("m3", "INBOX")])


def approval_of(world: World, only: str = "") -> Approval:
    """Plan, freeze, approve."""
    world.plan({"m1": "archive", "m2": "label"})
    return world.approve(world.freeze(), only)


def test_the_log_holds_every_decision_and_marks_the_approved(world: World) -> None:
    approval = approval_of(world, only="m1")
    path = world.context.workspace.decisions / f"{approval.run}.jsonl"
    lines = path.read_bytes().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["message_id"], row["action"], row["approved"]) for row in rows] == [
        ("m1", "label+archive", True),
        ("m2", "label", False),
        ("m3", "leave", False),
    ]
    assert all(canonical_bytes(row) == line for row, line in zip(rows, lines, strict=True))
    assert sha256_hex(path.read_bytes()) == approval.decisions_log and approval.run == approval.sha256[:16]


def test_logs_are_read_with_the_approval_that_names_them(world: World) -> None:
    approval = approval_of(world)
    (found,) = read_decision_logs(world.context.workspace)
    assert found == (approval.run, read_decisions_log(world.context.workspace, approval))
    assert DECISION_LOGS.load(world.place) == (found,)
    assert [one.approved for one in found[1]] == [True, True, False]


def test_a_log_that_no_approval_names_is_no_evidence(world: World) -> None:
    approval = approval_of(world)
    path = world.context.workspace.decisions / f"{approval.run}.jsonl"
    (path.parent / "0123456789abcdef.jsonl").write_bytes(path.read_bytes())
    assert len(read_decision_logs(world.context.workspace)) == 1


@pytest.mark.contract("P4", "LE-1")
@pytest.mark.parametrize("what", ["flipped", "line gone", "line added", "missing"])
def test_a_poisoned_log_is_refused_by_its_reader(world: World, what: str) -> None:
    approval = approval_of(world)
    path = world.context.workspace.decisions / f"{approval.run}.jsonl"
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    if what == "missing":
        path.unlink()
    else:
        changed = {
            "flipped": data.replace(b'"approved":false', b'"approved":true', 1),
            "line gone": b"".join(lines[1:]),
            "line added": data + lines[0],
        }
        path.write_bytes(changed[what])
    with pytest.raises(Tampered):
        DECISION_LOGS.load(world.place)


def test_decisions_come_in_the_order_of_their_ids_whatever_the_frame_says(world: World) -> None:
    world.plan({"m1": "archive", "m2": "label"})
    frame = DECISIONS.load(world.place)
    assert decisions_of(frame, {"m1"}) == decisions_of(frame[::-1], {"m1"})  # type: ignore[arg-type, index]


@pytest.mark.contract("AP-11")
def test_a_refused_approval_derives_in_memory_and_writes_nothing(world: World) -> None:
    world.plan({"m1": "archive", "m2": "label"})
    digest = world.freeze().sha256
    before = {path: path.read_bytes() for path in tree_files(world.context.workspace.root)}
    with pytest.raises(NotApproved):
        approve(world.context, digest, digest, "other@example.com", "label=1", "", "")
    assert {path: path.read_bytes() for path in tree_files(world.context.workspace.root)} == before
