"""undo: take back exactly what one run changed, except where a person changed it since.

    gmailtriage undo                     (the newest run that can be undone; asks at a terminal)
    gmailtriage undo RUN --digest SHA    (the receipt's full sha256 stands for the yes)
    gmailtriage undo RUN --only group:job_alert --except sender:jobs.example

It reads a receipt and Gmail's present labels. For each message of the run it looks right before it changes anything:
a label that we added and that is still there goes; INBOX comes back where we took it and it is still gone; what a
person settled since is left and listed, and so is mail in trash or spam. Rules and policy may have changed: an undo
does not ask them. `--only` and `--except` take back a part (`group:NAME`, `sender:ADDRESS`, `sender:DOMAIN`, or an id,
with commas between them); the receipt names what was left, and a later undo takes the rest. A second undo of the same
does nothing and says so; an undo cannot be undone, but its mail can be triaged again. Mail that Gmail does not know is
listed; another undo of the same run looks for it again, and does nothing while it is still gone.
Labels that the run created stay. Mail that the run trashed is taken out of the trash, one message a request, and then
INBOX is put as it was where Gmail did not do so; Gmail keeps the trash for 30 days, and what is gone is listed.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from pipeline.changes.batches import Batch, Wish, batches
from pipeline.changes.changer import Changer, ChangingGateway
from pipeline.changes.changing import Prepared, change_all, finish_open, look_all
from pipeline.changes.closing import Finished, close, conclude, named, telling_how_to_go_on
from pipeline.changes.inverse import (
    AWAY,
    BY_HAND,
    TRASHED_BY_US,
    UNKNOWN,
    VANISHED,
    Leave,
    Made,
    Restore,
    is_ended,
    judge_restore,
    made_by,
    rest_of,
    wishes_of,
)
from pipeline.changes.journal import Journal
from pipeline.changes.overlaid import trashed_by_runs
from pipeline.changes.parts import part_digest, rows_of_run
from pipeline.changes.readback import Gone, Seen, Sight
from pipeline.changes.runs import forged_runs
from pipeline.changes.stopping import telling_what_was_stopped
from pipeline.changes.undoing import Task, check_source, choose, task_of
from pipeline.context import Context
from pipeline.gmail.capability import METHODS
from pipeline.models.manifest import Manifest
from pipeline.models.receipt import Excluded
from pipeline.refusals import AlreadyUndone, NotApproved, NotATerminal, Refusal, StatusForbids, WrongAccount
from pipeline.sealing.authority import Allowed, judge_approval
from pipeline.sealing.binding import newest_run, refuse_forged
from pipeline.sealing.confirming import confirm
from pipeline.sealing.documents import read_approval, read_decisions_log, read_manifest
from pipeline.sealing.granting import missing_receipts
from pipeline.sealing.heads import head_path
from pipeline.sealing.progress import fold_events
from pipeline.sealing.receipts import (
    RECEIPTS,
    StoredReceipt,
    load_receipts,
    receipt_path,
)
from pipeline.sealing.selecting import select, split_selectors
from pipeline.sealing.standing import refuse_open_runs
from pipeline.stage import Option, Stage
from pipeline.store import locked
from pipeline.workspace import Workspace


def undo(context: Context, run: str, digest: str, only: str, except_: str) -> Finished:
    """The closed undo of a run's receipt, or of a part of it. Raises ApprovalRefused's kinds, SelectorRefused,
    IdentityRefused, PartlyDone."""
    holder = f"gmailtriage undo {run}, process {os.getpid()}"
    with locked(context.workspace.lock, holder):
        task, manifest = load_task(context, run, split_selectors(only), split_selectors(except_))
        refuse_open_runs(context.workspace, but=task.run)
        if task.is_gone:
            refuse_still_gone(context.gmail.for_undo(), task)
        confirm_undo(context, task, digest)
        command = f"gmailtriage undo {task.source.run}"
        with telling_how_to_go_on(command), telling_what_was_stopped(context.workspace, task.run, command):
            gateway = context.gmail.for_undo()
            trashed, is_missing = trashed_by_us(context, task), cache(lambda: bool(missing_receipts(context.workspace)))
            return _Undo(context, task, manifest.limits.batch_size, gateway, trashed, is_missing).run()


def trashed_by_us(context: Context, task: Task) -> dict[str, str]:
    """Messages that lie in the trash by a run that still stands and is not the one to be undone, with that run."""
    receipts = load_receipts(context.workspace)
    forged = forged_runs(context.workspace, receipts, context.approval_key())
    return {one: run for one, run in trashed_by_runs(receipts, forged).items() if run != task.source.run}


def load_task(
    context: Context, run: str, only: tuple[str, ...] = (), except_: tuple[str, ...] = ()
) -> tuple[Task, Manifest]:
    """The undo that a run's receipt still allows, with the manifest behind it. Raises ApprovalRefused's kinds, and
    SelectorRefused for a selector that means no message of the run."""
    key, workspace = context.approval_key(), context.workspace
    if not run:
        refuse_forged(workspace, lambda: key)
    receipts = load_receipts(workspace)
    source = choose(receipts, run)
    opened = source.receipt.opened
    if not source.receipt.is_closed:
        refuse_open_runs(workspace, but="")
    manifest = read_manifest(workspace, opened.manifest)
    allowed = judge_approval(manifest, read_approval(workspace, opened.manifest), key)
    check_source(workspace, source, allowed, key)
    if opened.address.casefold() != context.account.address.casefold():
        raise WrongAccount("the receipt is of another mailbox", evidence="its address is not the registry's")
    refuse_untrashing(context, source)
    part = choose_part(workspace, source, allowed, only, except_) if only or except_ else None
    return task_of(workspace, source, receipts, key, part), manifest


def refuse_untrashing(context: Context, source: StoredReceipt) -> None:
    """Silent when the account may take mail out of the trash, or need not. Raises StatusForbids before anything."""
    is_trash = source.receipt.opened.trash_kept_until is not None
    if is_trash and context.account.status != "cleanup-enabled":
        raise StatusForbids(
            f"account {context.account.id} may not take mail out of the trash",
            evidence=f"mailboxes.toml: status = {context.account.status}",
            next_command="set status = cleanup-enabled in mailboxes.toml, then undo again",
        )


def choose_part(
    workspace: Workspace, source: StoredReceipt, allowed: Allowed, only: tuple[str, ...], except_: tuple[str, ...]
) -> tuple[str, ...]:
    """Ids of the run's messages that the selectors mean, undone since or not. Raises SelectorRefused."""
    made = made_by(fold_events(source.receipt.events))
    decisions = read_decisions_log(workspace, allowed.approval)
    return select(rows_of_run(made, allowed.targets, decisions), only, except_)


def refuse_still_gone(gateway: ChangingGateway, task: Task) -> None:
    """Silent when mail that an earlier undo found gone is there again. Raises AlreadyUndone, before anybody is asked
    and anything is written."""
    if all(isinstance(sight, Gone) for _, sight in look_all(gateway, task.message_ids)):
        why = dict.fromkeys(task.message_ids, VANISHED)
        raise AlreadyUndone(f"run {task.source.run} was undone before, except for mail that is still gone",
                            evidence=named(task.message_ids, why))  # fmt: skip


def confirm_undo(context: Context, task: Task, digest: str) -> None:
    """Silent when a person, or the receipt's full digest, says yes. Raises NotApproved or NotATerminal."""
    if digest:
        if digest != task.source.sha256:
            raise NotApproved("the digest is not that of the receipt", evidence=f"receipts/{task.source.run}.jsonl")
        return
    if context.terminal is None:
        raise NotATerminal(
            "an undo is confirmed by a person at a terminal, or by the receipt's full digest",
            evidence=f"receipts/{task.source.run}.jsonl, {len(task.made)} messages",
            next_command=f"gmailtriage undo {task.source.run} --digest SHA256",
        )
    digest = part_digest(task.source.sha256, task.message_ids, is_whole=not task.leaves)
    confirm(context.terminal, digest, "\n".join(described(context, task)))


def described(context: Context, task: Task) -> list[str]:
    """What a person sees before saying yes."""
    opened, made = task.source.receipt.opened, task.made
    until = opened.trash_kept_until
    return [
        f"undo      run {task.source.run} of {opened.at:%Y-%m-%d %H:%M:%S} UTC",
        f"mailbox   {context.account.id} = {opened.address}",
        f"messages  {len(made)}: {sum(bool(one.removed) for one in made)} back to the inbox, "
        f"{sum(bool(one.added) and not one.is_trashed for one in made)} lose our label, "
        f"{sum(one.is_trashed for one in made)} out of the trash",
        *([f"deadline  Gmail keeps them until {until:%Y-%m-%d %H:%M:%S} UTC"] if until is not None else []),
        *([f"left      {len(task.leaves)} more of the run, which you did not ask for"] if task.leaves else []),
        "          what you changed by hand since then stays as you left it",
    ]


@dataclass(frozen=True, slots=True)
class _Undo:
    """One undo's fixed surroundings."""

    context: Context
    task: Task
    batch_size: int
    gateway: ChangingGateway
    trashed: Mapping[str, str]
    """Messages that another run of ours put into the trash: no person did, so they are not settled."""
    is_a_receipt_missing: Callable[[], bool]
    """Looked up once, and only when a message lies in the trash that no receipt here explains."""

    def run(self) -> Finished:
        """Begin or go on; batch after batch; the end."""
        changer = Changer(self.gateway, self._journal(), self.context.monotonic, self.context.wall, None)
        finish_open(changer)
        waiting = set(changer.journal.progress.untouched())
        stop = self.take_back(changer, tuple(one for one in self.task.made if one.message_id in waiting))
        if stop is None:
            rests = (rest_of(changer.journal.progress, one) for one in self.task.message_ids)
            stop = self.take_back(changer, tuple(one for one in rests if one is not None))
        return self.end(changer, stop)

    def take_back(self, changer: Changer, made: tuple[Made, ...]) -> Refusal | None:
        """Send the inverse of this, batch after batch; what stopped it, if anything did."""
        by_id = {one.message_id: one for one in made}
        cut = batches(wishes_of(made), self.batch_size)
        return change_all(changer, cut, lambda batch, _: self.prepare(changer, batch, by_id))

    def _journal(self) -> Journal:
        key, workspace = self.context.approval_key(), self.context.workspace
        path, head = receipt_path(workspace, self.task.run), head_path(workspace, self.task.run)
        if self.task.interrupted is not None:
            return Journal.reopen(path, head, self.task.interrupted.receipt, key)
        opening = {**self.task.opening(), "after": newest_run(workspace, key), "at": self.context.wall.now()}
        return Journal.begin(path, head, key, opening)

    def prepare(self, changer: Changer, batch: Batch, made: Mapping[str, Made]) -> Prepared:
        """What of a batch may be taken back right now; what a person settled is noted and left."""
        self.context.say(f"{len(batch.message_ids)} messages: {batch.said}")
        wishes: list[Wish] = []
        before: dict[str, frozenset[str]] = {}
        for message_id, sight in look_all(changer.gateway, batch.message_ids):
            judged = self.judge(made[message_id], sight)
            if isinstance(judged, Leave):
                changer.journal.append(Excluded, message_id=message_id, reason=judged.reason)
                continue
            if judged.kept:
                changer.journal.append(Excluded, message_id=message_id, reason=BY_HAND, labels=judged.kept)
            wishes.append(judged.wish)
            before[message_id] = judged.before
        return [(ready, before) for ready in batches(wishes, self.batch_size)]

    def judge(self, made: Made, sight: Sight) -> Restore | Leave:
        """What may be taken back. Mail that a newer run of ours trashed is that run's, also when this one did too.
        While a receipt is missing, nobody knows whose mail in the trash is."""
        judged = judge_restore(made, sight)
        is_in_trash = isinstance(sight, Seen) and "TRASH" in sight.label_ids
        is_away = is_in_trash or (isinstance(judged, Leave) and judged.reason == AWAY)
        if is_away and made.message_id in self.trashed:
            return Leave(TRASHED_BY_US)
        is_doubtful = is_in_trash and isinstance(judged, Leave) and self.is_a_receipt_missing()
        return Leave(UNKNOWN) if is_doubtful else judged

    def end(self, changer: Changer, stop: Refusal | None) -> Finished:
        """Close the receipt. What a person settled, or Gmail does not know, is listed and fine; anything else that is
        not restored is PartlyDone."""
        finished = close(changer, self.context.workspace)
        open_ids = [one for one in finished.listed if not is_ended(changer.journal.progress, one)]
        return conclude(finished, open_ids, stop, self.next_command(finished))

    def next_command(self, finished: Finished) -> str:
        """This undo again, after those of the runs that come first."""
        waiting = [one for one, why in finished.listed.items() if why == TRASHED_BY_US]
        runs = sorted({self.trashed[one] for one in waiting if one in self.trashed})
        commands = [f"gmailtriage undo {run}" for run in (*runs, self.task.source.run)]
        return ", then ".join(["gmailtriage verify", *commands] if UNKNOWN in finished.listed.values() else commands)


STAGE = Stage(
    "undo",
    reads=(RECEIPTS,),
    writes=(RECEIPTS,),
    kind="changes",
    methods=METHODS["undo"],
    run=undo,
    options=(
        Option("run", str, "", "the run to undo; empty = the newest that can be undone", is_argument=True),
        Option("digest", str, "", "the receipt's full sha256: says yes where nobody sits at a terminal"),
        Option("only", str, "", "take back only these: group:NAME, sender:ADDRESS, sender:DOMAIN, ids"),
        Option("except_", str, "", "leave these as they are, by the same selectors"),
    ),
)
