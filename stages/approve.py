"""approve: record a person's yes to one manifest, and the decisions behind it.

    gmailtriage approve 9f2c…                                   (asks at a terminal for the code on the screen)
    gmailtriage approve 9f2c… --only group:job_alert --except sender:jobs.example
    gmailtriage approve 9f2c… --digest 9f2c… --mailbox me@example.com --operations label=12,archive=30,create_label=3

Promises: the yes is to exact bytes, an exact mailbox, exact counts and an exact subset. `--only` and `--except` take
selectors with commas between them: `group:NAME`, `sender:ADDRESS`, `sender:DOMAIN`, or a message id. The approval names
the ids that they meant; a selector that means none is refused. A person sees a few messages of each group first.

Without a terminal everything must be stated and equal; a piped "y" is nobody's yes. The decisions log of the run is
written first, the approval last: it is the commit point, and a manifest has one. A refused approval writes nothing at
all.
"""

from datetime import datetime, timedelta

import polars as pl
from pydantic import ValidationError

from pipeline.artifacts import Place
from pipeline.canonical import sha256_hex
from pipeline.context import Context
from pipeline.models.approval import Approval, GrantedApproval, signed
from pipeline.models.decision import Decision
from pipeline.models.document import explain
from pipeline.models.manifest import KEPT_IN_TRASH, Manifest, Target
from pipeline.models.plan import Plan
from pipeline.models.receipt import GENESIS
from pipeline.refusals import AlreadyApproved, DocumentRefused, NotApproved, NotATerminal, Refusal
from pipeline.sealing.authority import count_operations, label_names, new_labels, subset, subset_digest
from pipeline.sealing.binding import refuse_forged
from pipeline.sealing.confirming import confirm
from pipeline.sealing.documents import (
    APPROVALS,
    DECISION_LOGS,
    MANIFESTS,
    approval_path,
    decisions_log_bytes,
    decisions_log_path,
    full_digest,
    read_manifest,
)
from pipeline.sealing.expiry import check_window
from pipeline.sealing.granting import fitting, no_grant, refuse_unfit, room_left
from pipeline.sealing.grants import GRANTS, read_grant
from pipeline.sealing.pins import limits_of, refuse_changed_pins
from pipeline.sealing.samples import group_lines, rows_of
from pipeline.sealing.selecting import select, split_selectors
from pipeline.sealing.stating import Stated, refuse_misstated, spell
from pipeline.stage import Option, Stage
from pipeline.store import create_exclusive, exists, locked, remove_file, write_once
from pipeline.tables import DECISIONS as DECISIONS_TABLE
from pipeline.untrusted import show
from stages.decide import DECISIONS
from stages.discard import DISCARDS
from stages.plan import PLAN

ACTIONS = {"label": "label", "archive": "label+archive", "trash": "trash"}


def approve(
    context: Context,
    manifest: str,
    digest: str,
    mailbox: str,
    operations: str,
    only: str,
    except_: str,
    grant: str = "",
) -> Approval:
    """The sealed approval. Raises ApprovalRefused's kinds or SelectorRefused; then nothing was written."""
    frozen = read_manifest(context.workspace, full_digest(manifest))
    refuse_unusable(context, frozen)
    frame = load_decisions(context, frozen)
    targets = choose(frozen, frame, only, except_)
    refuse_other_decisions(targets, frame)
    stated = Stated(digest, mailbox, operations)
    refuse_misstated(frozen, targets, stated)
    if grant:
        return approve_under(context, frozen, targets, frame, grant)
    if not stated.is_whole:
        ask(context, frozen, targets, frame)
    decisions = decisions_of(frame, {target.message_id for target in targets})
    draft = make_approval(frozen, targets, decisions, context.wall.now(), "stated" if stated.is_whole else "terminal")
    return commit(context, signed(draft, context.approval_key()), decisions)


def approve_under(
    context: Context, manifest: Manifest, targets: tuple[Target, ...], frame: pl.DataFrame, digest: str
) -> Approval:
    """The approval of what a standing grant allows of these targets: labels alone, the newest mail first, within its
    counts. Its decisions are marked as approved by no person. Raises NoGrant or Tampered."""
    now, key = context.wall.now(), context.approval_key()
    grant = read_grant(context.workspace, digest, key)
    refuse_unfit(context.workspace, grant, manifest, now)
    refuse_unplanned(context, manifest, targets)
    room = room_left(context.workspace, grant, now, key, but="")
    fit = fitting(grant, targets)
    if not fit or not room:
        raise no_grant(grant, f"{len(fit)} of the targets fit it, {room} are left of its counts")
    chosen = subset(manifest, (target.message_id for target in fit[:room]))
    decisions = decisions_of(frame, set())
    plain = make_approval(manifest, chosen, decisions, now, "stated").model_dump()
    expires_at = min(manifest.expires_at, grant.expires_at)
    ours = {"approved_by": "grant", "grant": digest, "expires_at": expires_at}
    return commit(context, signed(GrantedApproval.model_validate(plain | ours), key), decisions)


def refuse_unplanned(context: Context, manifest: Manifest, targets: tuple[Target, ...]) -> None:
    """Silent when targets and limits are what the plan and policy say, in every field: under a grant no person looks at
    them. Raises NotApproved for an invented manifest."""
    (plan,) = context.derive(PLAN)
    planned = plan.targets if isinstance(plan, Plan) else ()
    odd = [target.message_id for target in targets if target not in planned]
    if odd or manifest.limits != limits_of(context.config.policy, context.account):
        raise NotApproved("the manifest is not what is planned now", evidence=", ".join(odd[:5]) or "its limits",
                          next_command="gmailtriage freeze")  # fmt: skip


def refuse_unusable(context: Context, manifest: Manifest) -> None:
    """Silent for a manifest that can still be executed. Raises AlreadyApproved, Expired and its like, DriftAborted."""
    if exists(approval_path(context.workspace, manifest.sha256)):
        raise AlreadyApproved(
            "this manifest has its approval; another subset is another manifest",
            evidence=f"{manifest.sha256}.approval.json",
            next_command=f"gmailtriage execute {manifest.sha256}",
        )
    refuse_forged(context.workspace, context.approval_key)
    longest = timedelta(minutes=context.config.policy.expiry_minutes)
    name = f"manifest {manifest.sha256}"
    check_window(manifest.created_at, manifest.expires_at, context.wall.now(), longest=longest, name=name)
    refuse_changed_pins(Place(context.workspace, context.config), manifest)


def load_decisions(context: Context, manifest: Manifest) -> pl.DataFrame:
    """The decisions table whose digest the manifest pins. Raises NotApproved when it is another by now."""
    (frame,) = context.derive(DISCARDS if manifest.operation == "trash" else DECISIONS)
    if not isinstance(frame, pl.DataFrame):
        raise TypeError("decisions is a table")
    if DECISIONS_TABLE.digest(frame) != manifest.pins.decisions:
        raise NotApproved("the decisions are not those that the manifest pins", evidence="their digests differ",
                          next_command="gmailtriage plan, then gmailtriage freeze")  # fmt: skip
    return frame


def choose(manifest: Manifest, frame: pl.DataFrame, only: str, except_: str) -> tuple[Target, ...]:
    """The targets that the selectors mean. Raises SelectorRefused, naming one that means none of them."""
    rows = rows_of(manifest.targets, frame)
    return subset(manifest, select(rows, split_selectors(only), split_selectors(except_)))


def refuse_other_decisions(targets: tuple[Target, ...], frame: pl.DataFrame) -> None:
    """Silent when every target is what was decided about its message. Raises NotApproved for an invented target."""
    decided = {row["message_id"]: row for row in frame.iter_rows(named=True)}
    for target in targets:
        row = decided.get(target.message_id, {})
        wanted = (target.thread_id, ACTIONS[target.change.kind], target.classification, target.screen)
        if tuple(row.get(name) for name in ("thread_id", "action", "classification", "screen")) != wanted:
            raise NotApproved("a target is not what was decided", evidence=f"message {target.message_id}",
                              next_command="gmailtriage freeze")  # fmt: skip


def ask(context: Context, manifest: Manifest, targets: tuple[Target, ...], frame: pl.DataFrame) -> None:
    """Silent when the person at the terminal typed the code. Raises NotATerminal when there is none, NotApproved."""
    if context.terminal is None:
        raise NotATerminal(
            "an approval comes from a person at a terminal, or from a caller that states everything",
            evidence="wanted: the manifest's id, --digest, --mailbox and --operations",
            next_command=f"gmailtriage show {manifest.sha256}",
        )
    text = [*group_lines(rows_of(targets, frame)), *described(context, manifest, targets)]
    confirm(context.terminal, subset_digest(manifest, targets), "\n".join(text))


def described(context: Context, manifest: Manifest, targets: tuple[Target, ...]) -> list[str]:
    """What a person sees last before saying yes: mailbox, changes, what is left out, price, expiry."""
    counts, price = manifest.counts, manifest.price
    return [
        f"mailbox   {context.account.id} = {manifest.address} ({manifest.status})",
        f"changes   {spell(count_operations(targets))} on {len(targets)} of {len(manifest.targets)} messages",
        *(f"creates   {show(name)}" for name in new_labels(targets)),
        *(f"label     {show(name)}" for name in label_names(targets)),
        f"left out  {counts.excluded} untouched, {counts.protected} protected, {counts.uncertain} uncertain, "
        f"{counts.over_cap} over the cap",
        f"price     at most {price.units} quota units, {price.requests} requests, {price.minutes} minutes",
        f"expires   {manifest.expires_at:%Y-%m-%d %H:%M:%S} UTC",
        f"undo      {manifest.rollback.command}{deadline(manifest)}",
        f"manifest  {manifest.sha256}",
    ]


def deadline(manifest: Manifest) -> str:
    """What must be known about the way back from the trash."""
    return f" (within {KEPT_IN_TRASH.days} days: then Gmail empties the trash)" if manifest.operation == "trash" else ""


def decisions_of(frame: pl.DataFrame, approved: set[str]) -> tuple[Decision, ...]:
    """Every decision of the run as sealed lines, `approved` for the approved targets."""
    rows = DECISIONS_TABLE.checked(frame).iter_rows(named=True)
    return tuple(_decision(row, row["message_id"] in approved) for row in rows)


def _decision(row: dict[str, object], is_approved: bool) -> Decision:
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    try:
        return Decision.model_validate({**plain, "approved": is_approved})
    except ValidationError as error:
        raise DocumentRefused("a decision cannot be sealed", evidence=explain(error)) from None


def make_approval(
    manifest: Manifest, targets: tuple[Target, ...], decisions: tuple[Decision, ...], now: datetime, by: str
) -> Approval:
    """The approval without its MAC."""
    return Approval.model_validate(
        {
            "manifest": manifest.sha256,
            "account": manifest.account,
            "operations": count_operations(targets),
            "message_ids": tuple(target.message_id for target in targets),
            "decisions_log": sha256_hex(decisions_log_bytes(decisions)),
            "approved_by": by,
            "approved_at": now,
            "expires_at": manifest.expires_at,
            "mac": GENESIS,
        }
    )


def commit(context: Context, approval: Approval, decisions: tuple[Decision, ...]) -> Approval:
    """Write the decisions log, then the approval. Raises AlreadyApproved when another approval came first."""
    path = approval_path(context.workspace, approval.manifest)
    with locked(context.workspace.lock, f"gmailtriage approve {approval.manifest[:16]}"):
        if exists(path):
            raise AlreadyApproved("another approval came first", evidence=path.name)
        log = decisions_log_path(context.workspace, approval.run)
        is_new = not exists(log)
        write_once(log, decisions_log_bytes(decisions))
        try:
            create_exclusive(path, approval.to_bytes())
        except Refusal:
            if is_new:
                remove_file(log)  # a log that no approval names is no evidence, and a refusal leaves nothing
            raise
    return approval


STAGE = Stage(
    "approve",
    reads=(MANIFESTS, PLAN, DECISIONS, DISCARDS, GRANTS),
    writes=(DECISION_LOGS, APPROVALS),
    kind="person",
    run=approve,
    options=(
        Option("manifest", str, "", "the manifest's full sha256", is_argument=True),
        Option("digest", str, "", "the manifest's full sha256 again, stated instead of a person"),
        Option("mailbox", str, "", "the mailbox's address, stated"),
        Option("operations", str, "", "label=N,archive=N,create_label=N,trash=N, stated"),
        Option("only", str, "", "only these: group:NAME, sender:ADDRESS, sender:DOMAIN or ids, separated by commas"),
        Option("except_", str, "", "all but these, in the same words"),
        Option("grant", str, "", "a standing grant's full sha256: approve what it allows, and ask nobody"),
    ),
)
