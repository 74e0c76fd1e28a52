"""Where an approval stands: never used, interrupted, or used up. Judged under the account's lock.

The receipt is created first and the consumption marker second, both before any change, both exclusive. So a marker
without a receipt means that the receipt was lost or that this is a copy of the workspace: used up. A receipt without
its closing line means that the run was interrupted: the same command finishes it. A live account keeps the marker by
account, outside the workspace, so a copied workspace cannot execute twice.
"""

from dataclasses import dataclass

from pipeline.canonical import canonical_bytes
from pipeline.refusals import Busy, Consumed
from pipeline.sealing.authority import Allowed
from pipeline.sealing.binding import check_closing, check_execution, note_closing
from pipeline.sealing.documents import closed_path, consumed_path
from pipeline.sealing.receipts import StoredReceipt, load_receipt, load_receipts, receipt_path
from pipeline.store import DISK, Disk, create_exclusive, exists
from pipeline.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Unused:
    """Nothing was done under this approval."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Its run began and did not end."""

    stored: StoredReceipt


Standing = Unused | Interrupted


def standing_of(workspace: Workspace, allowed: Allowed, key: bytes) -> Standing:
    """Unused or Interrupted. Raises Consumed when the approval is used up, Tampered for a receipt that is not its."""
    run = allowed.approval.run
    path = receipt_path(workspace, run)
    is_marked = exists(consumed_path(workspace, allowed.approval.sha256)) or exists(closed_path(workspace, run))
    if not exists(path):
        if is_marked:
            raise _consumed(allowed, f"its marker exists and receipts/{run}.jsonl is not here")
        return Unused()
    stored = load_receipt(path)
    check_execution(stored, allowed)
    if check_closing(workspace, stored, key):
        note_closing(workspace, stored)
        raise _consumed(allowed, f"receipts/{run}.jsonl is closed")
    return Interrupted(stored)


def consume(workspace: Workspace, allowed: Allowed, disk: Disk = DISK) -> None:
    """Put the marker down; it stays. On an interrupted run it may stand already with the same words."""
    approval = allowed.approval
    path = consumed_path(workspace, approval.sha256)
    if not exists(path):
        create_exclusive(path, consumed_words(approval.sha256, approval.manifest, approval.run), disk)


def consumed_words(approval: str, manifest: str, run: str) -> bytes:
    """What a marker says."""
    return canonical_bytes({"approval": approval, "manifest": manifest, "run": run})


def refuse_open_runs(workspace: Workspace, *, but: str) -> None:
    """Silent when no other run of the account waits to be finished. Raises Busy, naming the command that does it."""
    for stored in load_receipts(workspace):
        opened = stored.receipt.opened
        if not stored.receipt.is_closed and stored.run != but:
            command = f"undo {opened.undoes}" if opened.purpose == "undo" else f"execute {opened.manifest}"
            raise Busy(
                f"run {stored.run} was interrupted and comes first",
                evidence=f"receipts/{stored.run}.jsonl is not closed",
                next_command=f"gmailtriage {command}",
            )


def _consumed(allowed: Allowed, evidence: str) -> Consumed:
    run = allowed.approval.run
    return Consumed(
        f"the approval of manifest {allowed.manifest.sha256} was executed before",
        evidence=evidence,
        next_command=f"gmailtriage undo {run}",
    )
