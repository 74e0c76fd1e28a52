"""execute: make exactly the approved changes of one manifest, and prove them.

    gmailtriage execute 9f2c…            (the manifest's full sha256; there is no "latest")

It reads the manifest, its approval and Gmail's present labels, and nothing else: no query, no rule, no body. An
approval under a standing grant is judged by that grant once more, whose count for a day comes from older receipts.

In this order: the account's lock; manifest and approval, authentic and in time; every pin; the attested identity;
labels; drift. Until here nothing is written and any failure changes nothing. Then the receipt, the consumption marker,
the labels to create, and batch after batch: identity again, what changed since is left out, intent on the disk, one
request, every id read back. Trash goes the same way, one message a request. It ends with every target verified, or
raises PartlyDone with a closed receipt that lists the rest. The kill switch is looked for before every request; it
leaves the receipt open, for the same command.

Interrupted at any instruction, the same command goes on: what was announced is read back first, then the rest is sent
if time and pins still allow it, else closed as not sent. `--resume` refuses to begin a new run.
"""

import os

from pipeline.artifacts import CAPTURES, Place
from pipeline.changes.changer import Changer
from pipeline.changes.changing import finish_open
from pipeline.changes.closing import Finished, telling_how_to_go_on
from pipeline.changes.drift import DRIFTED, refuse_drift, refuse_more_drift
from pipeline.changes.executing import Execution, exclude
from pipeline.changes.journal import Journal
from pipeline.changes.labelling import read_labels, refuse_lost_labels
from pipeline.changes.stopping import telling_what_was_stopped
from pipeline.context import Context
from pipeline.gmail.capability import METHODS
from pipeline.models.manifest import KEPT_IN_TRASH
from pipeline.refusals import ApprovalRefused, BudgetRefused, DriftAborted, NothingToDo, WrongAccount
from pipeline.sealing.authority import Allowed, check_times, judge_approval
from pipeline.sealing.binding import newest_run
from pipeline.sealing.documents import (
    APPROVALS,
    MANIFESTS,
    decisions_log_data,
    full_digest,
    read_approval,
    read_manifest,
)
from pipeline.sealing.granting import refuse_ungranted
from pipeline.sealing.grants import GRANTS
from pipeline.sealing.heads import head_path
from pipeline.sealing.pins import refuse_changed_pins
from pipeline.sealing.receipts import RECEIPTS, StoredReceipt, receipt_path
from pipeline.sealing.standing import Interrupted, consume, refuse_open_runs, standing_of
from pipeline.stage import Option, Stage
from pipeline.store import locked


def execute(context: Context, manifest: str, resume: bool) -> Finished:
    """The closed run of an approved manifest. Raises ApprovalRefused, DriftAborted, IdentityRefused, PartlyDone."""
    digest = full_digest(manifest)
    holder = f"gmailtriage execute {digest[:16]}, process {os.getpid()}"
    with locked(context.workspace.lock, holder):
        allowed = load_allowed(context, digest)
        refuse_open_runs(context.workspace, but=allowed.approval.run)
        standing = standing_of(context.workspace, allowed, context.approval_key())
        if resume and not isinstance(standing, Interrupted):
            raise NothingToDo("no interrupted run of this manifest", next_command=f"gmailtriage execute {digest}")
        resuming = f"gmailtriage execute {digest} --resume"
        with (
            telling_how_to_go_on(f"gmailtriage execute {digest}"),
            telling_what_was_stopped(context.workspace, allowed.approval.run, resuming),
        ):
            if isinstance(standing, Interrupted):
                return _resume(context, allowed, standing.stored)
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
    price = allowed.manifest.price
    context.say(f"at most {price.units} quota units, {price.requests} requests, {price.minutes} minutes")
    gateway = context.gmail.for_execute()
    labels = read_labels(gateway)
    refuse_lost_labels(labels, allowed.targets)
    run = Execution(context, allowed, gateway)
    findings = run.gate(allowed.targets)
    refuse_drift(findings, allowed.manifest.limits.drift_share)
    path = receipt_path(context.workspace, allowed.approval.run)
    head = head_path(context.workspace, allowed.approval.run)
    journal = Journal.begin(path, head, context.approval_key(), _opening(context, allowed))
    consume(context.workspace, allowed)
    changer = run.changer(journal)
    exclude(changer, findings)
    return run.work(changer, labels)


def _resume(context: Context, allowed: Allowed, stored: StoredReceipt) -> Finished:
    """An interrupted run: what was announced is read back; what was not is sent only while everything still holds."""
    path, head = receipt_path(context.workspace, stored.run), head_path(context.workspace, stored.run)
    journal = Journal.reopen(path, head, stored.receipt, context.approval_key())
    consume(context.workspace, allowed)
    run = Execution(context, allowed, context.gmail.for_execute())
    changer = run.changer(journal)
    finish_open(changer)
    try:
        _refuse_stale(context, allowed)
    except (ApprovalRefused, DriftAborted, BudgetRefused) as stop:
        return run.end(changer, stop)
    return _go_on(run, changer)


def _go_on(run: Execution, changer: Changer) -> Finished:
    """What was not sent passes the gates of the beginning again; where it does not, the run ends and lists it."""
    progress, allowed = changer.journal.progress, run.allowed
    waiting = run.targets_of(progress.untouched())
    labels, findings = read_labels(run.gateway), run.gate(waiting)
    exclude(changer, findings)
    drifted = sum(reason in DRIFTED for reason in progress.excluded.values())
    try:
        refuse_lost_labels(labels, waiting)
        refuse_more_drift(drifted, len(allowed.targets), allowed.manifest.limits.drift_share)
    except DriftAborted as stop:
        return run.end(changer, stop)
    return run.work(changer, labels)


def _refuse_stale(context: Context, allowed: Allowed) -> None:
    """Silent while the run may send: in time, within its grant if it is under one and budget, every pin unchanged."""
    price, limits = allowed.manifest.price, allowed.manifest.limits
    check_times(allowed, context.wall.now())
    refuse_ungranted(context.workspace, allowed, context.approval_key(), context.wall.now())
    if price.units > limits.budget_units:
        evidence = f"{price.units} units, budget {limits.budget_units}"
        raise BudgetRefused("the manifest's price is over the policy's budget", evidence=evidence)
    refuse_changed_pins(Place(context.workspace, context.config), allowed.manifest)


def _opening(context: Context, allowed: Allowed) -> dict[str, object]:
    approval, now = allowed.approval, context.wall.now()
    return {
        "run": approval.run,
        "purpose": "execute",
        "account": approval.account,
        "address": allowed.manifest.address,
        "manifest": approval.manifest,
        "approval": approval.sha256,
        "message_ids": approval.message_ids,
        "after": newest_run(context.workspace, context.approval_key()),
        "at": now,
        "trash_kept_until": now + KEPT_IN_TRASH if allowed.manifest.operation == "trash" else None,
    }


STAGE = Stage(
    "execute",
    reads=(MANIFESTS, APPROVALS, GRANTS, CAPTURES),
    writes=(RECEIPTS,),
    kind="changes",
    methods=METHODS["execute"],
    run=execute,
    options=(
        Option("manifest", str, "", "the approved manifest's full sha256", is_argument=True),
        Option("resume", bool, False, "only finish an interrupted run"),
    ),
)
