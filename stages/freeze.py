"""freeze: seal the plan as a manifest, named by its sha256, before anyone is asked.

Promises: the manifest pins everything that the plan was made from (captures, receipts, rules, policy, registry record,
decisions) and holds every value that execution needs; it holds no subject and no sender; what it pins of the owner's
files lies beside it, write-once. An empty plan seals nothing. Who the mailbox is comes only from a getProfile answer
in the captures, never from a header. `--operation trash` freezes what is planned for the trash, in a cleanup-enabled
account: a manifest holds changes of labels, or trash, never both.

    manifests/<sha256>.json and manifests/inputs/<sha256>
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import polars as pl
from pydantic import ValidationError

from pipeline.artifacts import CAPTURES, Derived, Place
from pipeline.canonical import parse_json_object, sha256_hex
from pipeline.context import Context
from pipeline.evidence.captures import RawCapture, read_captures
from pipeline.models.document import explain
from pipeline.models.manifest import Manifest, Pins, Rollback
from pipeline.models.plan import Plan
from pipeline.models.policy import Policy
from pipeline.models.registry import AccountRecord
from pipeline.refusals import (
    BudgetRefused,
    DocumentRefused,
    NothingToDo,
    StatusForbids,
    TableRefused,
    Unattested,
    UsageRefused,
    WrongAccount,
)
from pipeline.sealing.binding import refuse_forged
from pipeline.sealing.documents import MANIFESTS, input_path, manifest_path
from pipeline.sealing.pins import limits_of, make_pins, pinned_inputs
from pipeline.sealing.receipts import RECEIPTS, load_receipts
from pipeline.sealing.standing import refuse_open_runs
from pipeline.stage import Option, Stage
from pipeline.store import write_once
from pipeline.tables import DECISIONS as DECISIONS_TABLE
from stages.decide import DECISIONS
from stages.discard import DISCARDS
from stages.normalize import MESSAGES
from stages.plan import PLAN, TRASH_PLAN


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the mailbox is, by its own word, and the history id from which changes are drift."""

    address: str
    history_id: str


def freeze(context: Context, operation: str = "organize") -> Manifest:
    """The sealed manifest of the current plan. Raises NothingToDo, Unattested, BudgetRefused, Busy or TableRefused,
    StatusForbids for trash in an account that has none."""
    wanted = artifacts_of(operation)
    refuse_trash(operation, context.account)
    place = Place(context.workspace, context.config)
    refuse_forged(context.workspace, context.approval_key)
    refuse_open_runs(context.workspace, but="")
    plan, decisions, messages = _checked(context.derive(*wanted))
    decided = DECISIONS_TABLE.digest(decisions)
    refuse_unfit(plan, decided, context.config.policy)
    captures = read_captures(context.workspace)
    identity = identity_of(captures, context.account, plan, messages)
    pins = make_pins(place, captures, load_receipts(context.workspace), decided)
    manifest = freeze_plan(plan, pins, identity, context.account, context.config.policy, context.wall.now())
    for data in pinned_inputs(place):
        write_once(input_path(context.workspace, sha256_hex(data)), data)
    write_once(manifest_path(context.workspace, manifest.sha256), manifest.to_bytes())
    return manifest


def refreeze(place: Place, values: Mapping[str, object], manifest: Manifest) -> Manifest:
    """The manifest that derived `values` give with another manifest's own times; writes nothing."""
    plan, decisions, messages = _checked(tuple(values[one.name] for one in artifacts_of(manifest.operation)))
    captures, config = read_captures(place.workspace), place.config
    identity = identity_of(captures, config.account, plan, messages)
    pins = make_pins(place, captures, load_receipts(place.workspace), DECISIONS_TABLE.digest(decisions))
    again = freeze_plan(plan, pins, identity, config.account, config.policy, manifest.created_at)
    return again.model_copy(update={"expires_at": manifest.expires_at})


def artifacts_of(operation: str) -> tuple[Derived, Derived, Derived]:
    """The plan, the decisions behind it and the messages, for an operation. Raises UsageRefused."""
    known = {"organize": (PLAN, DECISIONS, MESSAGES), "trash": (TRASH_PLAN, DISCARDS, MESSAGES)}
    if operation not in known:
        raise UsageRefused("a manifest is about organize or trash", evidence=f"{len(operation)} characters given",
                           next_command="gmailtriage freeze --operation trash")  # fmt: skip
    return known[operation]


def refuse_trash(operation: str, account: AccountRecord) -> None:
    """Silent unless trash is asked for in an account that is not cleanup-enabled. Raises StatusForbids."""
    if operation == "trash" and account.status != "cleanup-enabled":
        raise StatusForbids(
            f"account {account.id} may not trash",
            evidence=f"mailboxes.toml: status = {account.status}",
            next_command="change the status in mailboxes.toml if you mean it",
        )


def freeze_plan(
    plan: Plan, pins: Pins, identity: Identity, account: AccountRecord, policy: Policy, now: datetime
) -> Manifest:
    """The manifest of a plan: a pure function, the same for the same values. Raises DocumentRefused."""
    fields = {
        "account": account.id,
        "address": identity.address,
        "status": account.status,
        "history_id": identity.history_id,
        "request": plan.request,
        "pins": pins,
        "targets": plan.targets,
        "new_labels": plan.new_labels,
        "counts": plan.counts,
        "limits": limits_of(policy, account),
        "rollback": rollback_of(plan, account),
        "price": plan.price,
        "created_at": now,
        "expires_at": now + timedelta(minutes=policy.expiry_minutes),
    }
    try:
        return Manifest.model_validate(fields)
    except ValidationError as error:
        raise DocumentRefused("the plan contradicts itself", evidence=explain(error)) from None


def rollback_of(plan: Plan, account: AccountRecord) -> Rollback:
    """How the run is taken back."""
    command = f"gmailtriage undo --account {account.id}"
    return (
        Rollback(method="untrash-then-label-delta", command=command) if plan.counts.trash else Rollback(command=command)
    )


def refuse_unfit(plan: Plan, decisions: str, policy: Policy) -> None:
    """Silent for a plan that may be sealed. Raises NothingToDo, TableRefused or BudgetRefused."""
    if not plan.targets:
        raise NothingToDo("the plan is empty: nothing is sealed", next_command="gmailtriage fetch")
    if plan.decisions != decisions:
        raise TableRefused("the plan was made from other decisions", evidence=f"{plan.decisions[:16]}…",
                           next_command="gmailtriage plan")  # fmt: skip
    if plan.price.units > policy.budget_units:
        evidence = f"{plan.price.units} units, policy.toml: budget_units = {policy.budget_units}"
        raise BudgetRefused("the plan's price is over the budget", evidence=evidence)


def identity_of(captures: Iterable[RawCapture], account: AccountRecord, plan: Plan, messages: pl.DataFrame) -> Identity:
    """The attested address, and the oldest history id among the captures that showed a target: whatever changed after
    it is drift. Raises Unattested when no capture holds a getProfile answer, WrongAccount when one names another."""
    listed = tuple(captures)
    address = attested_address(listed, account)
    wanted = {target.message_id for target in plan.targets}
    used = set(messages.filter(pl.col("id").is_in(sorted(wanted)))["capture"])
    starts = [start for capture_id in sorted(used) if (start := _history_before(listed, capture_id)) is not None]
    if len(starts) < len(used) or not starts:
        raise _unattested(account, "no capture at or before the mail that the plan is about says the history id")
    return Identity(address, min(starts, key=int))


def attested_address(captures: Iterable[RawCapture], account: AccountRecord) -> str:
    """emailAddress of the captures' own getProfile bodies. Raises Unattested or WrongAccount."""
    bodies = [exchange.body for capture in captures for exchange in capture.bodies("getProfile")]
    found = [parse_json_object(body).get("emailAddress") for body in bodies]
    if not found:
        raise _unattested(account, "the captures hold no getProfile answer")
    if any(not isinstance(one, str) or one.casefold() != account.address.casefold() for one in found):
        raise WrongAccount("a capture's getProfile names another mailbox", evidence=f"account {account.id}",
                           next_command="gmailtriage verify")  # fmt: skip
    return str(found[-1])


def _history_before(captures: tuple[RawCapture, ...], capture_id: str) -> str | None:
    """The history id of a capture, or of the newest one before it that has one."""
    known = [one.seal.history_id for one in captures if one.seal.id <= capture_id and one.seal.history_id is not None]
    return known[-1] if known else None


def _unattested(account: AccountRecord, evidence: str) -> Unattested:
    return Unattested(
        f"nothing says that these captures are of account {account.id}",
        evidence=evidence,
        next_command=f"gmailtriage fetch --account {account.id}",
    )


def _checked(values: tuple[object, ...]) -> tuple[Plan, pl.DataFrame, pl.DataFrame]:
    plan, decisions, messages = values
    if not (isinstance(plan, Plan) and isinstance(decisions, pl.DataFrame) and isinstance(messages, pl.DataFrame)):
        raise TypeError("plan is a document, decisions and messages are tables")
    return plan, decisions, messages


STAGE = Stage(
    "freeze",
    reads=(PLAN, TRASH_PLAN, DECISIONS, DISCARDS, MESSAGES, CAPTURES, RECEIPTS),
    writes=(MANIFESTS,),
    kind="seals",
    run=freeze,
    options=(Option("operation", str, "organize", "organize (labels and archive) or trash"),),
)
