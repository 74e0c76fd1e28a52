"""discard: which old mail may go to the trash, under the owner's trash rules. It moves nothing.

Promises: only in a cleanup-enabled account, and only what a `[[trash]]` rule of the policy names by age, sender,
category and interaction, all four. One row for each message that meets a rule: trash, or leave with every reason why
not. The gate is stricter than the one for archive: nothing is waived, words that ask for something count whatever the
mail was classified as, and one member that stays keeps its whole thread. What is null or unknown keeps a message.

    messages, threads, screen, hits, protected, relations, mail_state, decisions, policy, account, as_of -> discards
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from pipeline.artifacts import ACCOUNT, AS_OF, POLICY, Derived
from pipeline.judge.trashing import Kept, Member, meets, permit_trash
from pipeline.judge.whole import whole_threads
from pipeline.models.policy import Policy, TrashRule
from pipeline.models.registry import AccountRecord
from pipeline.stage import Stage
from pipeline.tables import DISCARDS as DISCARDS_TABLE
from stages.decide import DECISIONS
from stages.match import HITS
from stages.normalize import MAIL_STATE, MESSAGES, THREADS
from stages.protect import PROTECTED
from stages.relate import RELATIONS
from stages.screen import SCREEN

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """What the other stages found, by message id; a message that is missing here is unknown, not fine."""

    screens: Mapping[str, str]
    protected: Mapping[str, list[str]]
    asks: Mapping[str, tuple[str, ...]]
    sources: Mapping[str, str]
    states: Mapping[str, Row]


def discard(
    messages: pl.DataFrame,
    threads: pl.DataFrame,
    screen: pl.DataFrame,
    hits: pl.DataFrame,
    protected: pl.DataFrame,
    relations: pl.DataFrame,
    mail_state: pl.DataFrame,
    decisions: pl.DataFrame,
    policy: Policy,
    account: AccountRecord,
    as_of: datetime,
) -> pl.DataFrame:
    """The discards table: one row for each message that meets a trash rule."""
    if account.status != "cleanup-enabled" or not policy.trash:
        return DISCARDS_TABLE.frame([])
    rows = messages.rows(named=True)
    correspondents = {row["address"]: row for row in relations.iter_rows(named=True)}
    ruled = [(row, rule) for row in rows if (rule := rule_of(row, correspondents, policy, as_of)) is not None]
    known = Known(
        screens=dict(zip(screen["message_id"], screen["verdict"], strict=True)),
        protected=dict(zip(protected["message_id"], protected["classes"], strict=True)),
        asks=asks_of(hits),
        sources=dict(zip(decisions["message_id"], decisions["source"], strict=True)),
        states={row["message_id"]: row for row in mail_state.iter_rows(named=True)},
    )
    members: dict[str, list[Member]] = defaultdict(list)
    for row in rows:
        members[row["thread_id"]].append(member_of(row, known))
    whole = whole_threads(threads, messages)
    return DISCARDS_TABLE.frame(
        discard_row(row, rule, members[row["thread_id"]], as_of, is_whole=whole.get(row["thread_id"], False))
        for row, rule in ruled
    )


def rule_of(row: Row, correspondents: Mapping[str, Row], policy: Policy, as_of: datetime) -> TrashRule | None:
    """The first rule that a message meets."""
    relation = correspondents.get(row["from_address"])
    return next((rule for rule in policy.trash if meets(rule, row, relation, as_of)), None)


def asks_of(hits: pl.DataFrame) -> dict[str, tuple[str, ...]]:
    """Message id -> every action set that was hit, whatever class it is for."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in hits.filter(pl.col("role") == "action").iter_rows(named=True):
        found[row["message_id"]].add(row["rule"])
    return {message_id: tuple(sorted(rules)) for message_id, rules in found.items()}


def member_of(row: Row, known: Known) -> Member:
    """What the gate may know of one message."""
    labels, state = row["label_ids"], known.states.get(row["id"])
    classes = known.protected.get(row["id"])
    return Member(
        message_id=row["id"],
        label_ids=None if labels is None else tuple(labels),
        screen=known.screens.get(row["id"]),
        body_state=row["body_state"],
        protected=None if classes is None else tuple(classes),
        asks=known.asks.get(row["id"], ()),
        is_irrelevant=known.sources.get(row["id"], "irrelevant") == "irrelevant",
        is_reversed_by_hand=state is not None and state["is_reversed_by_hand"] is not False,
    )


def discard_row(
    row: Row, rule: TrashRule, thread: Sequence[Member], as_of: datetime, *, is_whole: bool
) -> dict[str, object]:
    """One row of discards, field by field."""
    (member,) = [one for one in thread if one.message_id == row["id"]]
    permission = permit_trash(member, rule.name, thread, is_whole=is_whole)
    return {
        "message_id": row["id"],
        "thread_id": row["thread_id"],
        "as_of": as_of,
        "sender": row["from_address"],
        "subject": row["subject"] or "",
        "phase": "discard",
        "classification": None,
        "confidence": 1.0,
        "source": "policy",
        "rule": rule.name,
        "evidence": [f"{rule.name}/{what}" for what in ("age", "category", "interaction", "sender")],
        "reasons": list(permission.reasons) if isinstance(permission, Kept) else [],
        "screen": member.screen or "unknown",
        "protected": ["uncertain"] if member.protected is None else list(member.protected),
        "action": "leave" if isinstance(permission, Kept) else "trash",
    }


DISCARDS = Derived("discards", "old mail that meets a trash rule: trash, or leave and why", DISCARDS_TABLE)

STAGE = Stage(
    "discard",
    reads=(
        MESSAGES,
        THREADS,
        SCREEN,
        HITS,
        PROTECTED,
        RELATIONS,
        MAIL_STATE,
        DECISIONS,
        POLICY,
        ACCOUNT,
        AS_OF,
    ),
    writes=(DISCARDS,),
    run=discard,
)
