"""execute: make exactly the approved changes of one manifest, and prove them.

    gmailtriage execute 9f2c…            (the manifest's full sha256; there is no "latest")

It reads the manifest, its approval and Gmail's present labels, and nothing else: no query, no rule, no body. In this
order: the account's lock; manifest and approval, authentic and in time; every pin; the attested identity; labels;
drift. Until here nothing is written and any failure changes nothing. Then the receipt, the consumption marker, the
labels to create, and batch after batch: identity again, what changed since is left out, intent on the disk, one
request, every id read back. It ends with every target verified, or raises PartlyDone with a closed receipt that lists
the rest.

Interrupted at any instruction, the same command goes on: what was announced is read back first, then the rest is sent
if time and pins still allow it, else closed as not sent. `--resume` refuses to begin a new run.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.artifacts import CAPTURES, Place
from pipeline.authority import Allowed, check_times, judge_approval, new_labels
from pipeline.batches import Batch, Wish, batches
from pipeline.changing import Changer, ChangingGateway, Prepared, change_all, finish_open
from pipeline.closing import Finished, close, conclude
from pipeline.context import Context
from pipeline.drift import Changed, Finding, Steady, inspect, recheck, refuse_drift
from pipeline.gmail.capability import METHODS
from pipeline.journal import Journal
from pipeline.labelling import UserLabels, make_labels, read_labels, refuse_lost_labels
from pipeline.models.manifest import Target
from pipeline.models.receipt import Excluded
from pipeline.pins import refuse_changed_pins
from pipeline.receipts import RECEIPTS, receipt_path
from pipeline.refusals import (
    AnswerRefused,
    ApprovalRefused,
    BudgetRefused,
    DriftAborted,
    Expired,
    IdentityRefused,
    NothingToDo,
    Refusal,
    WrongAccount,
)
from pipeline.sealed import APPROVALS, MANIFESTS, decisions_log_data, full_digest, read_approval, read_manifest
from pipeline.stage import Option, Stage
from pipeline.standing import Interrupted, consume, refuse_open_runs, standing_of
from pipeline.store import locked
from pipeline.touched import NoHistory, changes_since


def execute(context: Context, manifest: str, resume: bool) -> Finished:
    """The closed run of an approved manifest. Raises ApprovalRefused, DriftAborted, IdentityRefused, PartlyDone."""
    digest = full_digest(manifest)
    holder = f"gmailtriage execute {digest[:16]}, process {os.getpid()}"
    with locked(context.workspace.lock, holder):
        allowed = load_allowed(context, digest)
        refuse_open_runs(context.workspace, but=allowed.approval.run)
        match standing_of(context.workspace, allowed, context.approval_key()):
            case Interrupted(stored=stored):
                journal = Journal.reopen(
                    receipt_path(context.workspace, stored.run), stored.receipt, context.approval_key()
                )
                return _resume(context, allowed, journal)
            case _ if resume:
                raise NothingToDo("no interrupted run of this manifest", next_command=f"gmailtriage execute {digest}")
            case _:
                return _begin(context, allowed)


def load_allowed(context: Context, digest: str) -> Allowed:
    """Manifest and approval, each as it was sealed and binding the other. Raises NotApproved or Tampered."""
    manifest = read_manifest(context.workspace, digest)
    approval = read_approval(context.workspace, digest)
    allowed = judge_approval(manifest, approval, context.approval_key())
    decisions_log_data(context.workspace, approval)
    if manifest.address.casefold() != context.account.address.casefold() or manifest.status != context.account.status:
        raise WrongAccount("the manifest was made for another mailbox", evidence="its address or status differ",
                           next_command="gmailtriage show accounts")  # fmt: skip
    return allowed


def _begin(context: Context, allowed: Allowed) -> Finished:
    """A new run: every check that can fail comes before the first line of the receipt."""
    _refuse_stale(context, allowed)
    gateway = context.gmail.for_execute()
    labels = read_labels(gateway)
    refuse_lost_labels(labels, allowed.targets)
    run = _Run(context, allowed, gateway)
    findings = run.gate(allowed.targets)
    refuse_drift(findings, allowed.manifest.limits.drift_share)
    path = receipt_path(context.workspace, allowed.approval.run)
    journal = Journal.begin(path, context.approval_key(), _opening(context, allowed))
    consume(context.workspace, allowed)
    changer = run.changer(journal)
    _exclude(changer, findings)
    return run.work(changer, labels)


def _resume(context: Context, allowed: Allowed, journal: Journal) -> Finished:
    """An interrupted run: what was announced is read back; what was not is sent only while everything still holds."""
    consume(context.workspace, allowed)
    gateway = context.gmail.for_execute()
    run = _Run(context, allowed, gateway)
    changer = run.changer(journal)
    finish_open(changer)
    try:
        _refuse_stale(context, allowed)
    except (ApprovalRefused, DriftAborted, BudgetRefused) as stop:
        return run.end(changer, stop)
    waiting = run.targets_of(journal.progress.untouched())
    _exclude(changer, run.gate(waiting))
    return run.work(changer, read_labels(gateway))


def _refuse_stale(context: Context, allowed: Allowed) -> None:
    """Silent while the run may send: in time, within budget, every pin unchanged."""
    price, limits = allowed.manifest.price, allowed.manifest.limits
    check_times(allowed, context.wall.now())
    if price.units > limits.budget_units:
        evidence = f"{price.units} units, budget {limits.budget_units}"
        raise BudgetRefused("the manifest's price is over the policy's budget", evidence=evidence)
    refuse_changed_pins(Place(context.workspace, context.config), allowed.manifest)


@dataclass(frozen=True, slots=True)
class _Run:
    """One run's fixed surroundings."""

    context: Context
    allowed: Allowed
    gateway: ChangingGateway

    @property
    def is_small(self) -> bool:
        """Whether every message is read, rather than proved by history."""
        return len(self.allowed.targets) <= self.allowed.manifest.limits.history_above_targets

    def changer(self, journal: Journal) -> Changer:
        """The run's way to the mailbox."""
        manifest, approval = self.allowed.manifest, self.allowed.approval
        expires_at = min(manifest.expires_at, approval.expires_at)
        return Changer(self.gateway, journal, self.context.monotonic, self.context.wall, expires_at)

    def targets_of(self, message_ids: tuple[str, ...]) -> tuple[Target, ...]:
        """The targets of these ids."""
        wanted = set(message_ids)
        return tuple(target for target in self.allowed.targets if target.message_id in wanted)

    def gate(self, targets: tuple[Target, ...]) -> dict[str, Finding]:
        """Every target against the mailbox, before anything is sent."""
        if self.is_small:
            return inspect(self.gateway, targets, NoHistory("a small run reads every thread"))
        newest = str(self.gateway.reattest().document.get("historyId", ""))
        return inspect(self.gateway, targets, changes_since(self.gateway, self.allowed.manifest.history_id, newest))

    def work(self, changer: Changer, labels: UserLabels) -> Finished:
        """Labels, then batches, then the end."""
        waiting = self.targets_of(changer.journal.progress.untouched())
        try:
            known = make_labels(changer, new_labels(waiting), labels)
        except (Expired, IdentityRefused) as stop:
            return self.end(changer, stop)
        wishes = {target.message_id: _wish(target, known) for target in waiting}
        _exclude(changer, {one: Changed("its label could not be made") for one, wish in wishes.items() if wish is None})
        cut = batches((wish for wish in wishes.values() if wish is not None), self.allowed.manifest.limits.batch_size)
        return self.end(changer, change_all(changer, cut, lambda batch, now: self.prepare(changer, batch, now)))

    def prepare(self, changer: Changer, batch: Batch, history_id: str) -> Prepared:
        """The batch without what changed since the plan, with the labels that its messages wear now."""
        targets = self.targets_of(batch.message_ids)
        findings = self._recheck(targets, history_id)
        _exclude(changer, findings)
        steady = {one: found.label_ids for one, found in findings.items() if isinstance(found, Steady)}
        changer.history_id = "" if self.is_small else history_id
        ready = batch.only(steady)
        return [(ready, steady)] if ready.message_ids else []

    def _recheck(self, targets: tuple[Target, ...], history_id: str) -> dict[str, Finding]:
        check = recheck if self.is_small else inspect
        try:
            touched = changes_since(self.gateway, self.allowed.manifest.history_id, history_id)
            return check(self.gateway, targets, touched)
        except (BudgetRefused, AnswerRefused) as trouble:
            self.gateway.reattest()  # a sick Gmail stops the run here and leaves it open; a sick thread does not
            return {target.message_id: Changed(f"could not be read: {trouble.slug}") for target in targets}

    def end(self, changer: Changer, stop: Refusal | None) -> Finished:
        """Close the receipt; then say what stopped the run, or what is not verified, or that all is well."""
        finished = close(changer, self.context.workspace)
        return conclude(finished, finished.listed, stop, f"gmailtriage undo {finished.run}, or gmailtriage fetch")


def _wish(target: Target, labels: UserLabels) -> Wish | None:
    label = labels.id_of(target.change.label)
    removed = ("INBOX",) if target.change.kind == "archive" else ()
    return Wish(target.message_id, (label,), removed) if label is not None else None


def _exclude(changer: Changer, findings: Mapping[str, Finding]) -> None:
    for message_id, found in sorted(findings.items()):
        if isinstance(found, Changed):
            changer.journal.append(Excluded, message_id=message_id, reason=found.reason)


def _opening(context: Context, allowed: Allowed) -> dict[str, object]:
    approval = allowed.approval
    return {
        "run": approval.run,
        "purpose": "execute",
        "account": approval.account,
        "address": allowed.manifest.address,
        "manifest": approval.manifest,
        "approval": approval.sha256,
        "message_ids": approval.message_ids,
        "at": context.wall.now(),
    }


STAGE = Stage(
    "execute",
    reads=(MANIFESTS, APPROVALS, CAPTURES),
    writes=(RECEIPTS,),
    kind="changes",
    methods=METHODS["execute"],
    run=execute,
    options=(
        Option("manifest", str, "", "the approved manifest's full sha256", is_argument=True),
        Option("resume", bool, False, "only finish an interrupted run"),
    ),
)
