"""Runs, newest first: when, how their targets ended, and whether they were taken back, from receipts alone.

>>> summaries(())
()
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pipeline.changes.closing import unfinished
from pipeline.changes.inverse import made_by
from pipeline.changes.undoing import still_to_do
from pipeline.models.receipt import TargetStatus
from pipeline.sealing.binding import is_authentic
from pipeline.sealing.progress import fold_events
from pipeline.sealing.receipts import StoredReceipt
from pipeline.workspace import Workspace

Undone = Literal["yes", "partly", "no", "nothing to undo"]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One execution. `receipt` is the sha256 of its receipt's file; `undos` are the runs that took it back."""

    run: str
    account: str
    at: datetime
    manifest: str
    receipt: str
    is_closed: bool
    statuses: Mapping[TargetStatus, int]
    undone: Undone
    undos: tuple[str, ...]
    forged: tuple[str, ...]
    """This run, or undos that say they are of it, of which the receipt is not authentic: what it says is worth nothing,
    and no such undo is counted."""

    @property
    def can_be_undone(self) -> bool:
        """Whether an undo has something left to do."""
        return self.is_closed and self.undone in ("no", "partly") and not self.forged


def forged_runs(workspace: Workspace, receipts: Iterable[StoredReceipt], key: bytes) -> frozenset[str]:
    """Runs of which the receipt is not as it was closed with the account's key, nor open as its head says."""
    return frozenset(one.run for one in receipts if not is_authentic(workspace, one, key))


def summaries(receipts: Iterable[StoredReceipt], forged: Collection[str] = frozenset()) -> tuple[RunSummary, ...]:
    """Every execution, newest first, of receipts that come oldest first; `forged` are runs that were found to be so."""
    listed = tuple(receipts)
    undos = [one for one in listed if one.receipt.opened.purpose == "undo"]
    return tuple(_summary(one, undos, forged) for one in reversed(listed) if one.receipt.opened.purpose == "execute")


def _summary(stored: StoredReceipt, undos: Iterable[StoredReceipt], forged: Collection[str]) -> RunSummary:
    opened, progress = stored.receipt.opened, fold_events(stored.receipt.events)
    about = [one for one in undos if one.receipt.opened.undoes_sha256 == stored.sha256]
    own = [one for one in about if one.run not in forged]
    return RunSummary(
        run=stored.run,
        account=opened.account,
        at=opened.at,
        manifest=opened.manifest,
        receipt=stored.sha256,
        is_closed=stored.receipt.is_closed,
        statuses=progress.counts(),
        undone=_undone(stored, own),
        undos=tuple(one.run for one in own),
        forged=tuple(one.run for one in (stored, *about) if one.run in forged),
    )


def _undone(stored: StoredReceipt, undos: Iterable[StoredReceipt]) -> Undone:
    """What closed undos have ended of what the run made."""
    made = made_by(fold_events(stored.receipt.events))
    left = still_to_do(stored, undos)
    if not made:
        return "nothing to undo"
    return "yes" if not left else "partly" if len(left) < len(made) else "no"


def targets_of(stored: StoredReceipt) -> dict[str, str]:
    """Every target of a run with its status, or the reason why it was left out."""
    progress = fold_events(stored.receipt.events)
    return dict.fromkeys(progress.message_ids, "verified") | unfinished(progress)
