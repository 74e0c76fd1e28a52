"""Where one part rests on what another wrote: receipts behind counts, plans behind grants, runs over runs."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.canonical import canonical_bytes
from pipeline.changes.inverse import TRASHED_BY_US
from pipeline.models.manifest import ExistingLabel
from pipeline.refusals import ApprovalRefused, NotApproved, PartlyDone, Tampered
from stages.approve import approve
from tests.fakes import World, mail
from tests.guarantees.test_grants import grant_of, label, put

Edit = Callable[[dict[str, Any]], None]


def world_in(folder: Path, count: int = 6, **policy: Any) -> World:
    letters = [mail(f"m{number}", "INBOX") for number in range(1, count + 1)]
    return World.make(folder, letters, batch_size=2, **policy)


def forge_receipt(path: Path, edit: Edit) -> None:
    """Another first line, and a chain that fits it; no key is needed for that."""
    previous, lines = "0" * 64, []
    for number, line in enumerate(path.read_bytes().splitlines()):
        event = json.loads(line)
        if number == 0:
            edit(event)
        data = canonical_bytes({**event, "previous": previous})
        previous = hashlib.sha256(data).hexdigest()
        lines.append(data + b"\n")
    path.write_bytes(b"".join(lines))


FORGERIES: dict[str, dict[str, Any]] = {
    "at": {"at": "2026-01-01T00:00:00Z"},
    "account": {"account": "other"},
    "purpose": {"purpose": "undo", "undoes": "0" * 16, "undoes_sha256": "a" * 64},
}


@pytest.mark.contract("AP-12", "P4")
@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_receipt_gives_a_grant_no_new_day(change: dict[str, Any], tmp_path: Path) -> None:
    world = world_in(tmp_path)
    world.plan({f"m{number}": "label" for number in range(1, 4)})
    put(world, grant_of(world, per_run=3, per_day=3))
    done = label(world)
    forge_receipt(world.context.workspace.receipts / f"{done.run}.jsonl", lambda event: event.update(change))
    world.clock.pass_minutes(5)
    world.capture()
    world.plan({f"m{number}": "label" for number in range(4, 7)})
    with pytest.raises((Tampered, ApprovalRefused)):
        label(world)
    assert sum("Label_1" in worn for worn in world.mailbox.label_sets().values()) == 3


@pytest.mark.contract("P4", "JU-3")
def test_nothing_is_frozen_or_approved_over_a_forged_receipt(tmp_path: Path) -> None:
    world = world_in(tmp_path)
    done = world.execute(world.ready({"m1": "archive"}))
    world.clock.pass_minutes(5)
    world.capture()
    world.plan({"m2": "archive"})
    manifest = world.freeze()
    forge_receipt(world.context.workspace.receipts / f"{done.run}.jsonl", lambda event: event.update(leaves=[]) or
                  event.update(at="2026-01-01T00:00:00Z"))  # fmt: skip
    with pytest.raises(Tampered):
        world.freeze()
    with pytest.raises(Tampered):
        approve(world.context, manifest.sha256, "", "", "", "", "")


@pytest.mark.contract("AP-12")
def test_a_grant_approves_no_manifest_that_is_not_the_plan(tmp_path: Path) -> None:
    world = world_in(tmp_path, drift_share=0.0)
    world.mailbox.labels["Label_2"] = "Other"
    world.plan({"m1": "label", "m2": "label"}, ExistingLabel(id="Label_2", name="Other"))
    grant = put(world, grant_of(world))
    frozen = world.freeze()
    document = json.loads(frozen.to_bytes())
    for target in document["targets"]:
        target["change"]["label"] = {"id": "Label_1", "name": "Job Alert"}
    data = canonical_bytes(document)
    digest = hashlib.sha256(data).hexdigest()
    (world.context.workspace.manifests / f"{digest}.json").write_bytes(data)
    with pytest.raises(NotApproved, match="not what is planned"):
        approve(world.context, digest, "", "", "", "", "", grant)


@pytest.mark.contract("AP-9", "P3")
def test_mail_that_a_newer_run_of_ours_trashed_is_not_settled_by_the_undo_of_an_older_one(tmp_path: Path) -> None:
    world = world_in(tmp_path, status="cleanup-enabled", drift_share=0.5)
    before = world.mailbox.label_sets()
    first = world.execute(world.ready({"m1": "archive"}))
    world.clock.pass_minutes(5)
    world.capture()
    second = world.execute(world.ready({"m1": "trash"}))
    world.clock.pass_minutes(5)
    with pytest.raises(PartlyDone, match="m1") as caught:
        world.undo(first.run)
    assert TRASHED_BY_US in str(caught.value)
    for run in (second.run, first.run):
        world.clock.pass_minutes(5)
        world.undo(run)
    assert world.mailbox.label_sets() == before


@pytest.mark.contract("AP-9", "P1", "P3")
def test_an_undo_of_trash_leaves_what_a_newer_run_of_ours_trashed_again(tmp_path: Path) -> None:
    """The owner took it out in between: what lies in the trash now is the newer run's."""
    world = world_in(tmp_path, status="cleanup-enabled", drift_share=0.5)
    first = world.execute(world.ready({"m1": "trash", "m2": "trash"}))
    world.clock.pass_minutes(5)
    world.mailbox.edit("m1", add=("INBOX",), remove=("TRASH",))
    rescued = world.mailbox.labels_of("m1")
    world.capture()
    second = world.execute(world.ready({"m1": "trash"}))
    trashed = world.mailbox.labels_of("m1")
    world.clock.pass_minutes(5)
    with pytest.raises(PartlyDone, match="m1") as caught:
        world.undo(first.run)
    assert TRASHED_BY_US in str(caught.value)
    assert world.mailbox.labels_of("m1") == trashed and "TRASH" not in world.mailbox.labels_of("m2")
    world.clock.pass_minutes(5)
    world.undo(second.run)
    assert world.mailbox.labels_of("m1") == rescued
    world.clock.pass_minutes(5)
    assert world.undo(first.run).listed == {"m1": "changed since by hand"}
    assert world.mailbox.labels_of("m1") == rescued
