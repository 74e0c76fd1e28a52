"""Which mail lies in the trash by which run of ours, so that an older run's undo does not take it for a person's. Pure.

However the run of trash ended: what it may have put there counts, also where its read-back met another change, or none.
Only an undo that settled the message, and is authentic, ends that.

    trashed_by_runs(receipts, forged)["18f0a1b2c3d40240"]     # the run to be undone first
"""

from collections.abc import Collection, Iterable

from pipeline.changes.inverse import is_settled, made_by
from pipeline.sealing.progress import fold_events
from pipeline.sealing.receipts import StoredReceipt


def trashed_by_runs(receipts: Iterable[StoredReceipt], forged: Collection[str] = ()) -> dict[str, str]:
    """Message id -> the run that trashed it, where that is the newest that changed it and still stands. Receipts come
    oldest first; an undo among the `forged` settles nothing."""
    listed = tuple(receipts)
    settled = _settled(one for one in listed if one.run not in forged)
    newest: dict[str, tuple[str, bool]] = {}
    for stored in (one for one in listed if one.receipt.opened.purpose == "execute"):
        made = made_by(fold_events(stored.receipt.events))
        left = (one for one in made if (stored.sha256, one.message_id) not in settled)
        newest |= {one.message_id: (stored.run, one.is_trashed) for one in left}
    return {message_id: run for message_id, (run, is_trashed) in newest.items() if is_trashed}


def _settled(receipts: Iterable[StoredReceipt]) -> frozenset[tuple[str | None, str]]:
    """Digest of the receipt that was undone, and message id."""
    undos = [one.receipt for one in receipts if one.receipt.opened.purpose == "undo"]
    told = ((one.opened.undoes_sha256, fold_events(one.events)) for one in undos)
    return frozenset((source, one) for source, undo in told for one in undo.message_ids if is_settled(undo, one))
