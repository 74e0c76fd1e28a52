"""Does a receipt belong to its approval? A chain proves that nobody changed a line, not that the run was allowed.

Every line that announces a change must be one that the manifest and its approval allow, on an approved id, with the
planned label; a closed receipt is authenticated with the approval key, and its digest stands apart; an open one is as
long as its head says. So a receipt that was cut at a line's end cannot pass for an interrupted one. Raises Tampered,
naming the receipt.
"""

from collections.abc import Callable, Set

from pipeline.models.manifest import ExistingLabel, Target
from pipeline.models.operation import CreateLabel, ModifyLabels, Operation, Trash, is_user_label
from pipeline.models.receipt import Closed, Intent, LabelCreated
from pipeline.refusals import Tampered
from pipeline.sealing.authority import Allowed
from pipeline.sealing.documents import approval_path, closed_path
from pipeline.sealing.heads import check_head, head_path
from pipeline.sealing.progress import Progress, fold_events
from pipeline.sealing.receipts import StoredReceipt, load_receipt, load_receipts, receipt_names
from pipeline.store import exists, read_bytes, remove_file, write_once
from pipeline.workspace import Workspace


def check_execution(stored: StoredReceipt, allowed: Allowed) -> Progress:
    """What an execution's receipt adds up to, when each of its lines is allowed. Raises Tampered."""
    opened, manifest, approval = stored.receipt.opened, allowed.manifest, allowed.approval
    is_bound = (opened.run, opened.purpose, opened.account, opened.address, opened.manifest, opened.approval) == (
        approval.run, "execute", manifest.account, manifest.address, manifest.sha256, approval.sha256
    )  # fmt: skip
    if not is_bound or opened.message_ids != approval.message_ids or opened.undoes is not None or opened.leaves:
        raise tampered(stored, "its opening is not the approval's")
    events = stored.receipt.events
    made = {(event.name.casefold(), event.id) for event in events if isinstance(event, LabelCreated)}
    for event in events:
        if isinstance(event, Intent) and not _is_allowed(event.operation, allowed, made):
            raise tampered(stored, f"line {event.sequence + 1} announces what was not approved")
    return fold_events(events)


def check_closing(workspace: Workspace, stored: StoredReceipt, key: bytes) -> bool:
    """Whether the receipt is closed. Raises Tampered when its closing is forged or was cut off."""
    last = stored.receipt.events[-1]
    if isinstance(last, Closed) and not last.is_authentic(key):
        raise tampered(stored, "its last line was not written with this account's approval key")
    if _is_noted(workspace, stored):
        return True
    if not isinstance(last, Closed):
        check_head(workspace, stored, key)
    return isinstance(last, Closed)


def _is_noted(workspace: Workspace, stored: StoredReceipt) -> bool:
    """Whether its digest is kept apart, as it is for a closed one. Raises Tampered when another digest is."""
    path = closed_path(workspace, stored.run)
    if exists(path) and read_bytes(path) != stored.sha256.encode():
        raise tampered(stored, f"it was closed with another digest ({path.name})")
    return exists(path)


def refuse_forged(workspace: Workspace, key_of: Callable[[], bytes]) -> None:
    """Silent when every receipt here is as it was closed, or open as its head says; nothing may rest on another.

    Whose account a receipt says it is of is read only then. Raises Tampered; the key is asked for only when it is
    needed.
    """
    for name in receipt_names(workspace):
        stored = load_receipt(workspace.receipts / name)
        if stored.receipt.opened.account == workspace.account:
            check_closing(workspace, stored, key_of())
        else:
            _is_noted(workspace, stored)


def is_authentic(workspace: Workspace, stored: StoredReceipt, key: bytes) -> bool:
    """Whether a receipt is as it was closed with the account's key, or open as its head says."""
    try:
        check_closing(workspace, stored, key)
    except Tampered:
        return False
    return True


def newest_run(workspace: Workspace, key: bytes) -> str | None:
    """What a run that begins now comes after; None = it is the first. Raises Tampered.

    A receipt that somebody put here is passed over: once it is removed, what came after it would miss it for ever. One
    of ours that was altered is not: it is known by its digest that stands apart, and must be put back."""
    return next((one.run for one in reversed(load_receipts(workspace)) if _is_ours(workspace, one, key)), None)


def _is_ours(workspace: Workspace, stored: StoredReceipt, key: bytes) -> bool:
    if exists(closed_path(workspace, stored.run)):
        return True
    is_approved_here = exists(approval_path(workspace, stored.receipt.opened.manifest))
    return is_approved_here and is_authentic(workspace, stored, key)


def note_closing(workspace: Workspace, stored: StoredReceipt) -> None:
    """Keep a closed receipt's digest apart from it, in place of its head. The same digest may come again."""
    write_once(closed_path(workspace, stored.run), stored.sha256.encode())
    remove_file(head_path(workspace, stored.run))


def tampered(stored: StoredReceipt, evidence: str) -> Tampered:
    """The refusal of one receipt."""
    return Tampered(f"receipt {stored.run}.jsonl was altered", evidence=evidence, next_command="gmailtriage verify")


def _is_allowed(operation: Operation, allowed: Allowed, made: Set[tuple[str, str]]) -> bool:
    if isinstance(operation, CreateLabel):
        return operation.name in allowed.new_labels
    targets = {target.message_id: target for target in allowed.targets}
    if isinstance(operation, Trash):
        return operation.message_id in targets and targets[operation.message_id].change.kind == "trash"
    if not isinstance(operation, ModifyLabels):
        return False
    return all(
        message_id in targets and _is_planned(operation, targets[message_id], made)
        for message_id in operation.message_ids
    )


def _is_planned(operation: ModifyLabels, target: Target, made: Set[tuple[str, str]]) -> bool:
    if len(operation.add) != 1 or not is_user_label(operation.add[0]):
        return False
    ref, label = target.label, operation.add[0]
    if ref is None:
        return False
    is_label = label == ref.id if isinstance(ref, ExistingLabel) else (ref.create.casefold(), label) in made
    return is_label and operation.remove == (("INBOX",) if target.change.kind == "archive" else ())
