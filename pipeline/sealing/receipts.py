"""All receipts of a workspace, read with their chains checked, and what they say about each message.

    folds = fold_receipts(read_receipts(workspace))
    folds["18f0a1b2c3d40240"].archived_at

Only verified changes count. A change that an undo verified as taken back is `is_undone`: the message is forgotten and
may be triaged again. Order is that of the runs themselves (`ordering`), never that of a clock or of file names.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pipeline.artifacts import Fact
from pipeline.canonical import sha256_hex
from pipeline.models.operation import ModifyLabels
from pipeline.models.receipt import Receipt, read_receipt
from pipeline.refusals import Tampered
from pipeline.sealing.ordering import ranks
from pipeline.sealing.progress import Progress, fold_events
from pipeline.store import list_names, read_bytes
from pipeline.workspace import Workspace


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """A receipt with its run id and the sha256 of its file."""

    run: str
    sha256: str
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class MailFold:
    """What our runs did to one message. Times are those of the runs' openings, UTC.

    `at` and `after_labels` are the last verified sighting by a receipt, an undo's included.
    """

    run: str
    at: datetime
    after_labels: tuple[str, ...] | None
    classified_at: datetime
    labelled_at: datetime | None
    archived_at: datetime | None
    added_label_id: str | None
    removed_inbox: bool
    is_undone: bool
    trashed_at: datetime | None = None
    under: "MailFold | None" = None
    """What stood before the message was trashed: it stands again when it is taken out."""


def receipt_path(workspace: Workspace, run: str) -> Path:
    """Where a run's receipt lies."""
    return workspace.receipts / f"{run}.jsonl"


def receipt_names(workspace: Workspace) -> tuple[str, ...]:
    """Names of the receipt files, whosever they say they are, sorted."""
    return tuple(name for name in list_names(workspace.receipts) if name.endswith(".jsonl") and name[0] != ".")


def load_receipts(workspace: Workspace) -> tuple[StoredReceipt, ...]:
    """Every receipt of the account, oldest first. Raises Tampered, naming the file that was altered or is gone."""
    return in_order(one for one in load_all(workspace) if one.receipt.opened.account == workspace.account)


def load_all(workspace: Workspace) -> tuple[StoredReceipt, ...]:
    """Every receipt here, by file name, of whatever account. Raises Tampered."""
    return tuple(load_receipt(workspace.receipts / name) for name in receipt_names(workspace))


def in_order(stored: Iterable[StoredReceipt]) -> tuple[StoredReceipt, ...]:
    """One account's receipts, oldest first. Raises Tampered when one that another names is not among them."""
    listed = tuple(stored)
    order = ranks(one.receipt.opened for one in listed)
    return tuple(sorted(listed, key=lambda one: order[one.run]))


def load_receipt(path: Path) -> StoredReceipt:
    """One receipt file, chain checked. Raises Tampered or MissingArtifact."""
    data = read_bytes(path)
    receipt = read_receipt(data, path.name)
    if receipt.opened.run != path.stem:
        raise Tampered(f"receipt {path.name} was altered", evidence=f"it is the receipt of run {receipt.opened.run}")
    return StoredReceipt(path.stem, sha256_hex(data), receipt)


def read_receipts(workspace: Workspace) -> tuple[Receipt, ...]:
    """Every receipt of the account, oldest first, without file names."""
    return tuple(one.receipt for one in load_receipts(workspace))


def fold_receipts(receipts: Iterable[Receipt]) -> dict[str, MailFold]:
    """Message id -> what verified runs did to it. The newest execution wins; an undo marks it undone."""
    folds: dict[str, MailFold] = {}
    listed = tuple(receipts)
    order = ranks(one.opened for one in listed)
    for receipt in sorted(listed, key=lambda one: order[one.opened.run]):
        progress = fold_events(receipt.events)
        verified = [message_id for message_id in progress.message_ids if progress.status(message_id) == "verified"]
        for message_id in verified:
            if receipt.opened.purpose == "execute":
                folds[message_id] = _done(receipt, progress, message_id, folds.get(message_id))
            elif message_id in folds and folds[message_id].run == receipt.opened.undoes:
                folds[message_id] = _undone(folds[message_id], receipt, progress, message_id)
    return folds


def _done(receipt: Receipt, progress: Progress, message_id: str, earlier: MailFold | None) -> MailFold:
    operation, at = progress.operations[message_id], receipt.opened.at
    if not isinstance(operation, ModifyLabels):
        return _trashed(receipt, progress.after[message_id].label_ids, earlier)
    removed_inbox = "INBOX" in operation.remove
    return MailFold(
        run=receipt.opened.run,
        at=at,
        after_labels=progress.after[message_id].label_ids,
        classified_at=at,
        labelled_at=at if operation.add else None,
        archived_at=at if removed_inbox else None,
        added_label_id=operation.add[0] if operation.add else None,
        removed_inbox=removed_inbox,
        is_undone=False,
    )


def _trashed(receipt: Receipt, after: tuple[str, ...] | None, earlier: MailFold | None) -> MailFold:
    """What stood before stands under it; a change that was undone is forgotten."""
    run, at = receipt.opened.run, receipt.opened.at
    if earlier is not None and not earlier.is_undone:
        return replace(earlier, run=run, at=at, after_labels=after, trashed_at=at, under=earlier)
    return MailFold(run, at, after, at, None, None, None, removed_inbox=False, is_undone=False, trashed_at=at)


def _undone(fold: MailFold, receipt: Receipt, progress: Progress, message_id: str) -> MailFold:
    after = progress.after[message_id].label_ids
    if fold.under is not None:
        return replace(fold.under, at=receipt.opened.at, after_labels=after)
    return replace(fold, at=receipt.opened.at, after_labels=after, is_undone=True)


RECEIPTS = Fact("receipts", "sealed", "what was done, line by line", lambda place: read_receipts(place.workspace))
