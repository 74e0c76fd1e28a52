"""Which receipt an undo is about, and what of it is still to be taken back. Read under the account's lock.

The first undo of a receipt has a run id made from the receipt's digest alone, so it can exist once. When it was about a
part, or ended with messages that Gmail refused, a further undo is about the rest only; when nothing is left, or nothing
of the part that is asked for, it is AlreadyUndone. Mail that Gmail did not know is looked for again by each later undo
that names the run; the newest run that can be undone is not chosen for its sake.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.changes.inverse import Made, is_gone, is_settled, left_by, made_by
from pipeline.models.operation import CreateLabel, ModifyLabels, Operation, Trash, Untrash
from pipeline.models.receipt import Intent
from pipeline.refusals import AlreadyUndone, Busy, MissingArtifact, NothingToDo, UndoOfUndo, UsageRefused
from pipeline.sealing.authority import Allowed
from pipeline.sealing.binding import check_closing, check_execution, note_closing, tampered
from pipeline.sealing.heads import refuse_lost
from pipeline.sealing.progress import Progress, fold_events
from pipeline.sealing.receipts import StoredReceipt
from pipeline.workspace import Workspace

_RUN = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Task:
    """One undo: the receipt it is about, its own run id, what it takes back, its receipt if interrupted, what of the
    run it leaves by choice, and whether an earlier undo found all that it is about gone."""

    source: StoredReceipt
    run: str
    made: tuple[Made, ...]
    interrupted: StoredReceipt | None
    leaves: tuple[str, ...]
    is_gone: bool = False

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The messages it is about, sorted."""
        return tuple(one.message_id for one in self.made)

    def opening(self) -> dict[str, object]:
        """The words of its receipt's first line, without the time."""
        opened = self.source.receipt.opened
        return {
            "run": self.run,
            "purpose": "undo",
            "account": opened.account,
            "address": opened.address,
            "manifest": opened.manifest,
            "approval": opened.approval,
            "undoes": self.source.run,
            "undoes_sha256": self.source.sha256,
            "message_ids": self.message_ids,
            "leaves": self.leaves,
        }


def choose(receipts: Iterable[StoredReceipt], run: str) -> StoredReceipt:
    """The receipt of a run, or the newest one that an undo can still do something about when `run` is empty.
    Raises UsageRefused, MissingArtifact, UndoOfUndo, NothingToDo or AlreadyUndone."""
    listed = tuple(receipts)
    if run:
        return _named(listed, run)
    runs = [one for one in listed if one.receipt.opened.purpose == "execute" and one.receipt.is_closed]
    if not runs:
        raise NothingToDo("there is no finished run to undo", next_command="gmailtriage show")
    for stored in reversed(runs):
        if still_to_do(stored, _undos_of(listed, stored)):
            return stored
    gone = [one.run for one in runs if _left(one, _undos_of(listed, one))]
    raise AlreadyUndone(
        "every run was undone before",
        evidence=f"the newest is {runs[-1].run}",
        next_command=f"gmailtriage undo {gone[-1]} (looks again for what was gone)" if gone else "",
    )


def still_to_do(source: StoredReceipt, undos: Iterable[StoredReceipt]) -> tuple[Made, ...]:
    """What the closed ones of these undos have neither settled nor found gone; the last one that was about a message
    says so. Undos oldest first."""
    listed = tuple(undos)
    gone = _gone(listed)
    return tuple(one for one in _left(source, listed) if one.message_id not in gone)


def _named(receipts: tuple[StoredReceipt, ...], run: str) -> StoredReceipt:
    if not _RUN.fullmatch(run):
        raise UsageRefused("a run is named by 16 hex digits", evidence=f"{len(run)} characters given")
    found = [one for one in receipts if one.run == run]
    if not found:
        raise MissingArtifact("there is no receipt of that run", evidence=f"receipts/{run}.jsonl",
                              next_command="gmailtriage show")  # fmt: skip
    if found[0].receipt.opened.purpose == "undo":
        raise UndoOfUndo(f"run {run} is an undo itself", evidence=f"it undid {found[0].receipt.opened.undoes}",
                         next_command="gmailtriage plan (its mail can be triaged again)")  # fmt: skip
    return found[0]


def task_of(
    workspace: Workspace,
    source: StoredReceipt,
    receipts: Iterable[StoredReceipt],
    key: bytes,
    part: Collection[str] | None = None,
) -> Task:
    """What is left of a receipt, or of the `part` of it that is named by ids. Raises AlreadyUndone, NothingToDo, Busy
    while the undo of another part waits to be finished, or Tampered for a forged undo receipt."""
    undos = _undos_of(receipts, source)
    closed = tuple(one for one in undos if check_closing(workspace, one, key))
    for one in closed:
        note_closing(workspace, one)
    run = undo_run(source.sha256, len(closed))
    interrupted = next((one for one in undos if one.run == run), None)
    if interrupted is not None:
        return _resumed(source, _left(source, closed), interrupted, part)
    refuse_lost(workspace, run)
    task = _task(source, run, _left(source, closed), part)
    if not task.made and closed:
        what = "was undone before" if part is None else "was undone before, as far as that part goes"
        raise AlreadyUndone(f"run {source.run} {what}", evidence=f"receipts/{closed[-1].run}.jsonl")
    if not task.made:
        raise NothingToDo(f"run {source.run} changed nothing", evidence=f"receipts/{source.run}.jsonl")
    return replace(task, is_gone=_gone(closed).issuperset(task.message_ids))


def _task(source: StoredReceipt, run: str, left: tuple[Made, ...], part: Collection[str] | None) -> Task:
    meant = {one.message_id for one in left if part is None or one.message_id in part}
    made = tuple(one for one in left if one.message_id in meant)
    return Task(source, run, made, None, tuple(one.message_id for one in left if one.message_id not in meant))


def _resumed(
    source: StoredReceipt, left: tuple[Made, ...], interrupted: StoredReceipt, part: Collection[str] | None
) -> Task:
    """An interrupted undo goes on with the messages that it began with. Raises Busy when others are asked for."""
    begun = interrupted.receipt.opened.message_ids
    task = replace(_task(source, interrupted.run, left, begun), interrupted=interrupted)
    _check_interrupted(interrupted, task)
    if part is not None and task.message_ids != _task(source, interrupted.run, left, part).message_ids:
        raise Busy(
            f"the undo of another part of run {source.run} was interrupted and comes first",
            evidence=f"receipts/{interrupted.run}.jsonl is not closed",
            next_command=f"gmailtriage undo {source.run}",
        )
    return task


def undo_run(receipt_sha256: str, attempt: int) -> str:
    """The run id of the undo of a receipt; `attempt` counts the closed undos of it so far."""
    return sha256_hex(canonical_bytes({"undo": receipt_sha256, "attempt": attempt}))[:16]


def check_source(workspace: Workspace, source: StoredReceipt, allowed: Allowed, key: bytes) -> None:
    """Silent when the receipt is closed, authentic, and holds nothing that was not approved. Raises Tampered."""
    check_execution(source, allowed)
    if not check_closing(workspace, source, key):
        raise tampered(source, "it is not closed")


def check_undo(stored: StoredReceipt, receipts: Iterable[StoredReceipt]) -> None:
    """Silent when an undo's receipt holds only inverse changes of its source. Raises Tampered."""
    opened = stored.receipt.opened
    sources = [one for one in receipts if one.run == opened.undoes and one.sha256 == opened.undoes_sha256]
    if not sources:
        raise tampered(stored, "the receipt that it undid is not here as it was")
    made = {one.message_id: one for one in made_by(fold_events(sources[0].receipt.events))}
    if not {*opened.message_ids, *opened.leaves} <= made.keys() or set(opened.message_ids) & set(opened.leaves):
        raise tampered(stored, "its opening names messages that the run did not change")
    _check_intents(stored, made)


def _undos_of(receipts: Iterable[StoredReceipt], source: StoredReceipt) -> tuple[StoredReceipt, ...]:
    return tuple(one for one in receipts if one.receipt.opened.undoes_sha256 == source.sha256)


def _left(source: StoredReceipt, undos: Iterable[StoredReceipt]) -> tuple[Made, ...]:
    """What the run made, without what closed undos have settled; of mail that one of them took out of the trash, what
    is still to be done."""
    earlier = [fold_events(one.receipt.events) for one in undos if one.receipt.is_closed]
    made = made_by(fold_events(source.receipt.events))
    left = (one for one in made if not any(is_settled(undo, one.message_id) for undo in earlier))
    return tuple(_after(one, earlier) for one in left)


def _gone(undos: Iterable[StoredReceipt]) -> frozenset[str]:
    """Messages that were gone when the last closed undo that was about them looked."""
    told: dict[str, bool] = {}
    for undo in (fold_events(one.receipt.events) for one in undos if one.receipt.is_closed):
        told |= {one: is_gone(undo, one) for one in undo.message_ids}
    return frozenset(one for one, is_so in told.items() if is_so)


def _after(made: Made, undos: list[Progress]) -> Made:
    """The last undo that was about a message says what is left of it."""
    about = [undo for undo in undos if made.message_id in undo.untrashed]
    return left_by(about[-1], made) if about else made


def _check_interrupted(stored: StoredReceipt, task: Task) -> None:
    """An undo receipt that we go on with holds only inverse changes of its source."""
    opened = stored.receipt.opened.model_dump()
    if any(opened[name] != value for name, value in task.opening().items()):
        raise tampered(stored, "its opening is not this undo's")
    _check_intents(stored, {one.message_id: one for one in task.made})


def _check_intents(stored: StoredReceipt, made: dict[str, Made]) -> None:
    for event in stored.receipt.events:
        if isinstance(event, Intent) and not _is_inverse(event.operation, made):
            raise tampered(stored, f"line {event.sequence + 1} announces what is no inverse")


def _is_inverse(operation: Operation, made: dict[str, Made]) -> bool:
    if isinstance(operation, CreateLabel | Trash) or not set(operation.message_ids) <= made.keys():
        return False
    if isinstance(operation, Untrash):
        return made[operation.message_id].is_trashed
    return all(_takes_back(operation, made[message_id]) for message_id in operation.message_ids)


def _takes_back(operation: ModifyLabels, made: Made) -> bool:
    """Of mail that the run trashed, INBOX alone is put as it was."""
    if made.is_trashed:
        return {*operation.add, *operation.remove} == {"INBOX"}
    return made.removed.issuperset(operation.add) and made.added.issuperset(operation.remove)
