"""plan: decisions in, planned changes out. It holds no time and touches nothing.

Promises: a target for each message that decide wants labelled or archived, with the fingerprint of the state it was
decided on; labels are looked up by name without regard to case, as Gmail compares them, and one that does not exist is
planned as a creation; what does not fit under the archive cap is left out whole, newest first in, so that the next run
takes it. Applying the plan and planning again gives an empty plan. What discard wants trashed is a plan of its own,
because a manifest holds changes of labels, or trash, never both.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

import polars as pl

from pipeline.artifacts import ACCOUNT, POLICY, Derived
from pipeline.evidence.query import redacted
from pipeline.gmail.quota import price
from pipeline.models.manifest import (
    ArchiveChange,
    Change,
    Counts,
    ExistingLabel,
    Fingerprint,
    LabelChange,
    LabelRef,
    NewLabel,
    Price,
    Request,
    Target,
    TrashChange,
)
from pipeline.models.plan import Plan
from pipeline.models.policy import Policy, Quota
from pipeline.models.registry import AccountRecord
from pipeline.models.rules import RuleSet
from pipeline.refusals import TableRefused
from pipeline.rulebook import RULES
from pipeline.stage import Stage
from pipeline.tables import DECISIONS as DECISIONS_TABLE
from stages.decide import DECISIONS
from stages.discard import DISCARDS
from stages.normalize import LABELS, MESSAGES, THREADS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Row = Mapping[str, object]


def plan(
    decisions: pl.DataFrame,
    discards: pl.DataFrame,
    messages: pl.DataFrame,
    threads: pl.DataFrame,
    labels: pl.DataFrame,
    rules: RuleSet,
    policy: Policy,
    account: AccountRecord,
) -> dict[str, Plan]:
    """The planned changes of these decisions, and the planned trash. Raises TableRefused when decisions name a message
    that is not there."""
    refs = label_refs(rules, labels)
    wanted = decisions.filter(pl.col("action").is_in(["label", "label+archive"]))
    rows = [row for row in with_states(wanted, messages, threads).iter_rows(named=True) if changes_something(row, refs)]
    doomed = with_states(discards.filter(pl.col("action") == "trash"), messages, threads).rows(named=True)
    return {
        "plan": plan_of(decisions, under_cap(rows, policy.archive_cap), refs, policy, account),
        "trash_plan": plan_of(discards, under_cap(doomed, policy.trash_cap), refs, policy, account),
    }


def plan_of(
    decided: pl.DataFrame,
    rows: tuple[list[Row], list[Row]],
    refs: Mapping[str, LabelRef],
    policy: Policy,
    account: AccountRecord,
) -> Plan:
    """The plan of some decided rows: those that fit under the cap, and those that are left over."""
    kept, left_over = rows
    targets = tuple(sorted((target(row, refs) for row in kept), key=lambda one: one.message_id))
    new_labels = sorted({ref.create for one in targets if isinstance(ref := one.label, NewLabel)})
    return Plan(
        request=Request(window_days=policy.window_days, query=redacted(policy.query, policy.window_days)),
        decisions=DECISIONS_TABLE.digest(decided),
        targets=targets,
        new_labels=tuple(new_labels),
        counts=count(decided, targets, len(new_labels), [str(row["message_id"]) for row in left_over]),
        left_over=tuple(sorted(str(row["message_id"]) for row in left_over)),
        price=estimate(targets, len(new_labels), policy, account.quota),
    )


def with_states(wanted: pl.DataFrame, messages: pl.DataFrame, threads: pl.DataFrame) -> pl.DataFrame:
    """Wanted decisions with the state they rest on, newest first. Raises TableRefused when one has none."""
    states = messages.select("id", "date", "label_ids", "history_id")
    members = threads.select(pl.col("id").alias("thread_id"), "member_ids")
    joined = wanted.join(states, left_on="message_id", right_on="id").join(members, on="thread_id")
    if joined.height != wanted.height:
        raise TableRefused(
            "decisions name messages that the snapshot does not hold",
            evidence=f"{wanted.height - joined.height} of {wanted.height}",
            next_command="gmailtriage plan",
        )
    return joined.sort(["date", "message_id"], descending=[True, False])


def label_refs(rules: RuleSet, labels: pl.DataFrame) -> dict[str, LabelRef]:
    """Classification -> the label it wears: by name where the account has it, else to be created."""
    owned = labels.filter(pl.col("type") == "user").rows(named=True)
    return {one.name: label_ref(one.label, owned) for one in rules.classifications}


def label_ref(name: str, owned: Iterable[Row]) -> LabelRef:
    """The account's label of that name. Of several that differ in case the one spelled like it wins, then the lowest
    id. Another accent is another label, as it is for Gmail."""
    alike = [row for row in owned if row["folded_name"] == name.casefold()]
    if not alike:
        return NewLabel(create=name)
    best = min(alike, key=lambda row: (row["name"] != name, row["id"]))
    return ExistingLabel(id=str(best["id"]), name=str(best["name"]))


def changes_something(row: Row, refs: Mapping[str, LabelRef]) -> bool:
    """Whether the message would look different afterwards; one whose labels are unknown is left alone."""
    ref, worn = refs[str(row["classification"])], row["label_ids"]
    if not isinstance(worn, list):
        return False
    leaves_inbox = row["action"] == "label+archive" and "INBOX" in worn
    return leaves_inbox or not (isinstance(ref, ExistingLabel) and ref.id in worn)


def under_cap(rows: Iterable[Row], cap: int) -> tuple[list[Row], list[Row]]:
    """Rows in order while fewer than `cap` archive (or go to the trash); such rows beyond it are left over whole."""
    kept: list[Row] = []
    left_over: list[Row] = []
    taken = 0
    for row in rows:
        is_taken_away = row["action"] in ("label+archive", "trash")
        fits = not is_taken_away or taken < cap
        taken += is_taken_away and fits
        (kept if fits else left_over).append(row)
    return kept, left_over


def target(row: Row, refs: Mapping[str, LabelRef]) -> Target:
    """One planned change with the state it rests on."""
    return Target.model_validate(
        {
            "message_id": row["message_id"],
            "thread_id": row["thread_id"],
            "change": change_of(row, refs),
            "fingerprint": _fingerprint(row),
            "classification": row["classification"],
            "confidence": row["confidence"],
            "source": row["source"],
            "rule": row["rule"],
            "screen": row["screen"],
            "protected": tuple(_texts(row["protected"])),
            "reasons": tuple(_texts(row["reasons"])),
        }
    )


def change_of(row: Row, refs: Mapping[str, LabelRef]) -> Change:
    """The change that a decided row stands for."""
    if row["action"] == "trash":
        return TrashChange()
    ref = refs[str(row["classification"])]
    return ArchiveChange(label=ref) if row["action"] == "label+archive" else LabelChange(label=ref)


def _fingerprint(row: Row) -> Fingerprint:
    return Fingerprint.model_validate(
        {
            "label_ids": tuple(sorted(_texts(row["label_ids"]))),
            "thread_members": tuple(sorted(_texts(row["member_ids"]))),
            "internal_date_ms": _epoch_ms(row["date"]),
            "history_id": row["history_id"],
        }
    )


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise TypeError("a target's labels must be known")
    return value


def _epoch_ms(value: object) -> int:
    if not isinstance(value, datetime):
        raise TypeError("a target's date must be known")
    return (value - EPOCH) // timedelta(milliseconds=1)


def count(decisions: pl.DataFrame, targets: tuple[Target, ...], new_labels: int, left_over: list[str]) -> Counts:
    """Every decision exactly once: label + archive + trash + over_cap + protected + uncertain + excluded = decisions.

    What is not planned counts as over the cap, else as protected, else as uncertain (not clean), else as excluded.
    Unknown protection counts as protected, an unknown screen as uncertain.
    """
    kinds = Counter(target.change.kind for target in targets)
    planned = [target.message_id for target in targets]
    rest = decisions.filter(~pl.col("message_id").is_in([*planned, *left_over]))
    is_protected = (rest["protected"].list.len() > 0).fill_null(True)
    is_uncertain = (rest["screen"] != "clean").fill_null(True) & ~is_protected
    return Counts(
        label=kinds["label"],
        archive=kinds["archive"],
        create_label=new_labels,
        trash=kinds["trash"],
        excluded=rest.height - int(is_protected.sum()) - int(is_uncertain.sum()),
        protected=int(is_protected.sum()),
        uncertain=int(is_uncertain.sum()),
        over_cap=len(left_over),
    )


def estimate(targets: tuple[Target, ...], new_labels: int, policy: Policy, quota: Quota) -> Price:
    """What execution will cost with its checks and read-backs, at most: units, requests, minutes at the limit."""
    changes = Counter(target.change.model_dump_json() for target in targets if target.label is not None)
    edits = sum(math.ceil(number / policy.batch_size) for number in changes.values())
    trashed = sum(target.label is None for target in targets)  # each in a request of its own
    batches = edits + trashed
    reads = 0 if len(targets) > policy.history_above_targets else len(targets)
    pages = 2 * (1 + batches)  # the gate's and each batch's look at the history, which may take a second page
    requests = {
        "getProfile": 1 + batches + new_labels,
        "labels.list": 1 + new_labels,
        "labels.create": new_labels,
        "history.list": pages,
        "threads.get": (len({target.thread_id for target in targets}) if reads else 0) + trashed,
        "messages.get": 2 * reads,
        "messages.batchModify": edits,
        "messages.trash": trashed,
    }
    return price({name: number for name, number in requests.items() if number}, quota)


PLAN = Derived("plan", "the planned changes, their price and what was left out", Plan)
TRASH_PLAN = Derived("trash_plan", "what is planned for the trash, its price and what was left out", Plan)

STAGE = Stage(
    "plan",
    reads=(DECISIONS, DISCARDS, MESSAGES, THREADS, LABELS, RULES, POLICY, ACCOUNT),
    writes=(PLAN, TRASH_PLAN),
    run=plan,
)
