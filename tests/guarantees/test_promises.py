"""The promises on the whole loop: only what was approved, killed and finished, undone, altered and refused."""

from pathlib import Path
from typing import Any

import pytest

import pipeline.changes.journal
from pipeline.cli.loop import Loop
from pipeline.models.manifest import Manifest
from pipeline.refusals import PartlyDone, Refusal
from pipeline.sealing.receipts import load_receipts
from tests.guarantees.approved import Approved, fresh, label_id, loop_on, wanted
from tests.sweeps import IS_FULL

PROMISED = ("capture.json", "index.jsonl", ".pack", "manifest", "input", ".approval.json", "decisions", "receipt")
"""Kinds of fact of which each byte counts; of the markers beside the receipts only the existence does."""
LABELS_AND_BATCHES = {"labels.create", "messages.batchModify"}


@pytest.mark.contract("P1", "P6", "AP-10")
def test_exactly_the_approved_changes_happen_and_nothing_is_left_to_do(approved: Approved, place: Path) -> None:
    twin = fresh(approved.state)
    before = twin.label_sets()
    with loop_on(place, twin) as loop:
        done = loop.execute(approved.manifest)
        after = twin.label_sets()
        loop.fetch()
        again = loop.plan()
    targets = {target.message_id: target for target in approved.manifest.targets}
    assert {i for i in before if after[i] != before[i]} == targets.keys()
    assert all(after[i] == wanted(target, before[i], twin) for i, target in targets.items())
    assert done.statuses["verified"] == len(targets)
    assert {seen.route for seen in twin.mutations} == LABELS_AND_BATCHES
    assert not twin.recorded, "a request to send, to delete or to change settings"
    assert after.keys() == before.keys()
    assert not again.targets


@pytest.mark.contract("P6")
def test_mail_that_is_unsure_or_protected_stays_in_the_inbox(approved: Approved) -> None:
    archived = [target for target in approved.manifest.targets if target.change.kind == "archive"]
    assert len(archived) >= 10
    assert all(target.screen == "clean" and not target.protected for target in archived)
    assert all(target.confidence >= 0.8 for target in archived)


@pytest.mark.contract("P3", "AP-9")
def test_undo_restores_everything_but_what_a_person_changed_since_and_names_it(approved: Approved, place: Path) -> None:
    twin = fresh(approved.state)
    before = twin.label_sets()
    kinds = {kind: [t for t in approved.manifest.targets if t.change.kind == kind] for kind in ("label", "archive")}
    filed, unlabelled, starred = kinds["label"][0], kinds["label"][1], kinds["archive"][0]
    with loop_on(place, twin) as loop:
        done = loop.execute(approved.manifest)
        twin.relabel(filed.message_id, remove=("INBOX",))
        twin.relabel(unlabelled.message_id, remove=(label_id(unlabelled, twin),))
        twin.relabel(starred.message_id, add=("STARRED",))
        undone = loop.undo(done)
    after = twin.label_sets()
    assert after[filed.message_id] == before[filed.message_id] - {"INBOX"}
    assert after[starred.message_id] == before[starred.message_id] | {"STARRED"}
    changed = {i for i in before if after[i] != before[i]}
    assert changed == {filed.message_id, starred.message_id}
    assert undone.listed == {unlabelled.message_id: "changed since by hand"}


@pytest.mark.contract("P3")
def test_undo_of_an_untouched_run_is_the_identity(approved: Approved, place: Path) -> None:
    twin = fresh(approved.state)
    before = twin.label_sets()
    with loop_on(place, twin) as loop:
        loop.undo(loop.execute(approved.manifest))
    assert twin.label_sets() == before
    assert not twin.recorded


class Killed(BaseException):
    """The process died here."""


@pytest.mark.contract("P2")
@pytest.mark.parametrize("is_before", [True, False], ids=["before-the-line", "after-the-line"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.99] if IS_FULL else [0.3, 0.99])
def test_killed_at_a_line_of_the_receipt_one_more_run_finishes_it(
    approved: Approved, place: Path, monkeypatch: pytest.MonkeyPatch, share: float, is_before: bool
) -> None:
    twin = fresh(approved.state)
    before = twin.label_sets()
    deadly = int(share * lines_of_a_whole_run(approved))
    real, written = pipeline.changes.journal.append_line, [0]

    def append_line(*arguments: Any) -> None:
        if written[0] == deadly and is_before:
            raise Killed
        real(*arguments)
        written[0] += 1
        if written[0] == deadly + 1 and not is_before:
            raise Killed

    monkeypatch.setattr(pipeline.changes.journal, "append_line", append_line)
    with loop_on(place, twin) as loop, pytest.raises(Killed):
        loop.execute(approved.manifest)
    monkeypatch.setattr(pipeline.changes.journal, "append_line", real)
    with loop_on(place, twin) as loop:
        listed = listed_by(loop, approved.manifest)
        receipt = load_receipts(loop.context.workspace)[0].receipt
    after = twin.label_sets()
    targets = {target.message_id: target for target in approved.manifest.targets}
    assert receipt.is_closed and len(listed) < len(targets)
    assert {i for i in before if after[i] != before[i]} == targets.keys() - listed
    assert all(after[i] == wanted(t, before[i], twin) for i, t in targets.items() if i not in listed)
    prior: dict[str, set[str]] = {}
    for event in receipt.events:
        for state in event.before if event.event == "intent" else ():
            prior.setdefault(state.message_id, set(state.label_ids))
    assert prior.keys() >= targets.keys() - listed
    assert all(labels == before[i] for i, labels in prior.items())


def lines_of_a_whole_run(approved: Approved) -> int:
    """Lines of the receipt after the opening, at most: labels to create and batches, three lines each."""
    changes = {target.change.model_dump_json() for target in approved.manifest.targets}
    return 3 * (len(approved.manifest.new_labels) + len(changes))


def listed_by(loop: Loop, manifest: Manifest) -> set[str]:
    """The targets that the second run lists as not done: those of a label whose only creation was not sent."""
    try:
        return set(loop.execute(manifest).listed)
    except PartlyDone:
        closed = load_receipts(loop.context.workspace)[0].receipt.events[-1]
        return set(closed.not_sent) if closed.event == "closed" else set()


@pytest.mark.contract("P4")
def test_one_altered_byte_in_any_fact_is_refused_by_name(approved: Approved, place: Path) -> None:
    twin = fresh(approved.state)
    with loop_on(place, twin) as loop:
        loop.execute(approved.manifest)
        loop.verify()
        kinds = {kind_of(path, place): path for path in loop.context.workspace.fact_files()}
        for kind in PROMISED:
            path = kinds[kind]
            data = path.read_bytes()
            path.write_bytes(flipped(data))
            assert path.name[:16] in refused_by(loop), kind
            path.write_bytes(data)
        loop.verify()


def refused_by(loop: Loop) -> str:
    """What verify says when it refuses; empty when it does not."""
    try:
        loop.verify()
    except Refusal as refusal:
        return f"{refusal.what} {refusal.evidence}"
    return ""


def flipped(data: bytes) -> bytes:
    """One bit of the byte in the middle is another one."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def kind_of(path: Path, root: Path) -> str:
    """What kind of fact a file is."""
    folder = path.relative_to(root).parts[0]
    if path.name.endswith(".approval.json"):
        return ".approval.json"
    if folder == "manifests":
        return "input" if path.parent.name == "inputs" else "manifest"
    if folder == "receipts":
        return "receipt" if path.suffix == ".jsonl" else path.suffix
    if path.parent.parent.name == "decisions":
        return "decisions"
    return path.name if path.suffix == ".json" or path.name == "index.jsonl" else path.suffix
