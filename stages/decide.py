"""decide: one decision for every message of the snapshot, exactly once.

Promises: the cascade (irrelevant, relevance, override, tier 1, template, sender, review) only classifies; the gate
comes last, spans every tier and can only weaken. Uncertain never archives, protected wins, a thread of which one member
must stay is not archived at all, and mail that was handled before or taken back by hand is left alone.

    messages, threads, labels, screen, hits, protected, mail_state, rules, policy, as_of -> decisions
    action: leave | label | label+archive, with the gate's reasons
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from pipeline.artifacts import AS_OF, POLICY, Derived
from pipeline.judge.cascade import Verdict, action_language, classify
from pipeline.judge.gate import Facts, Ruling, rule_threads, standing_classes
from pipeline.judge.hit_rows import hits_by_message
from pipeline.judge.whole import whole_threads
from pipeline.mail.matcher import Hit
from pipeline.models.policy import Policy
from pipeline.models.rules import RuleSet
from pipeline.rulebook import RULES
from pipeline.stage import Stage
from pipeline.tables import DECISIONS as DECISIONS_TABLE
from stages.match import HITS
from stages.normalize import LABELS, MAIL_STATE, MESSAGES, THREADS
from stages.protect import PROTECTED
from stages.screen import SCREEN

Row = Mapping[str, Any]
PART = 2_048
"""Threads that are decided at a time."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the other stages found, by message id; a message that is missing here is unknown, not fine."""

    screens: Mapping[str, str]
    protected: Mapping[str, list[str]]
    states: Mapping[str, Row]
    hits: Mapping[str, list[Hit]]
    our_label_ids: frozenset[str]
    opens_at: datetime | None


def decide(
    messages: pl.DataFrame,
    threads: pl.DataFrame,
    labels: pl.DataFrame,
    screen: pl.DataFrame,
    hits: pl.DataFrame,
    protected: pl.DataFrame,
    mail_state: pl.DataFrame,
    rules: RuleSet,
    policy: Policy,
    as_of: datetime,
) -> pl.DataFrame:
    """The decisions table: every message of `messages` once."""
    known = known_of(labels, screen, hits.clear(), protected, mail_state, rules, policy, as_of)
    whole = whole_threads(threads, messages)
    frames = [
        decide_part(part, replace(known, hits=hits_by_message(hits_in(part, hits))), whole, rules, policy, as_of)
        for part in by_threads(messages)
    ]
    return DECISIONS_TABLE.checked(pl.concat([DECISIONS_TABLE.frame(()), *frames]))


def by_threads(messages: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The messages in parts of whole threads: a part's rows and hits are all that is held at a time."""
    number = messages.with_columns(pl.col("thread_id").rank("dense").fill_null(0).alias("number") // PART)
    for part in number.partition_by("number", maintain_order=True):
        yield part.drop("number")


def decide_part(
    messages: pl.DataFrame, known: Known, whole: Mapping[str, bool], rules: RuleSet, policy: Policy, as_of: datetime
) -> pl.DataFrame:
    """The decisions of some threads, each with all its messages."""
    rows = messages.rows(named=True)
    verdicts = {row["id"]: verdict_of(row, known, rules, policy) for row in rows}
    facts = {row["id"]: facts_of(row, known, verdicts[row["id"]], rules) for row in rows}
    cases: dict[str, list[tuple[Facts, Verdict]]] = defaultdict(list)
    for row in rows:
        cases[row["thread_id"]].append((facts[row["id"]], verdicts[row["id"]]))
    ruled = rule_threads(cases, whole, rules, policy)
    return DECISIONS_TABLE.frame(
        decision_row(row, facts[row["id"]], verdicts[row["id"]], ruled[row["id"]], as_of) for row in rows
    )


def known_of(
    labels: pl.DataFrame,
    screen: pl.DataFrame,
    hits: pl.DataFrame,
    protected: pl.DataFrame,
    mail_state: pl.DataFrame,
    rules: RuleSet,
    policy: Policy,
    as_of: datetime,
) -> Known:
    """What the other stages found, indexed by message id."""
    return Known(
        screens=dict(zip(screen["message_id"], screen["verdict"], strict=True)),
        protected=dict(zip(protected["message_id"], protected["classes"], strict=True)),
        states={row["message_id"]: row for row in mail_state.rows(named=True)},
        hits=hits_by_message(hits),
        our_label_ids=frozenset(labels.filter(pl.col("folded_name").is_in(_own_names(rules)))["id"]),
        opens_at=None if policy.window_days == "all" else as_of - timedelta(days=policy.window_days),
    )


def _own_names(rules: RuleSet) -> list[str]:
    return sorted(rules.folded_label_names)


def hits_in(messages: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The hits of these messages."""
    return hits.join(messages.select(pl.col("id").alias("message_id")), on="message_id", how="semi")


def facts_of(row: Row, known: Known, verdict: Verdict, rules: RuleSet) -> Facts:
    """What the gate may know of one message."""
    hits = known.hits.get(row["id"], ())
    labels, state = row["label_ids"], known.states.get(row["id"])
    classes = known.protected.get(row["id"])
    return Facts(
        message_id=row["id"],
        label_ids=None if labels is None else tuple(labels),
        screen=known.screens.get(row["id"]),
        body_state=row["body_state"],
        protected=None if classes is None else tuple(classes),
        action_language=action_language(hits, rules, verdict.classification),
        is_in_window=is_in_window(row["date"], known.opens_at),
        is_handled=bool(known.our_label_ids.intersection(labels or ())) or _is_done(state),
        is_reversed_by_hand=state is not None and state["is_reversed_by_hand"] is not False,
    )


def verdict_of(row: Row, known: Known, rules: RuleSet, policy: Policy) -> Verdict:
    """What the cascade says of one message."""
    return classify(known.hits.get(row["id"], ()), rules, review_everything=policy.review_everything)


def is_in_window(date: datetime | None, opens_at: datetime | None) -> bool:
    """By Gmail's own date, never by the sender's; an unknown date is outside any window but `all`."""
    return opens_at is None or (date is not None and date >= opens_at)


def _is_done(state: Row | None) -> bool:
    """Verified in a receipt that was not undone; an undo forgets, so the mail may be triaged again."""
    if state is None or state["is_undone"] is True:
        return False
    return state["labelled_at"] is not None or state["archived_at"] is not None


def decision_row(row: Row, facts: Facts, verdict: Verdict, ruling: Ruling, as_of: datetime) -> dict[str, object]:
    """One row of decisions, field by field."""
    return {
        "message_id": row["id"],
        "thread_id": row["thread_id"],
        "as_of": as_of,
        "sender": row["from_address"],
        "subject": row["subject"] or "",
        "phase": "decide",
        "classification": verdict.classification,
        "confidence": verdict.confidence,
        "source": verdict.source,
        "rule": verdict.rule,
        "evidence": list(verdict.evidence),
        "reasons": list(ruling.reasons),
        "screen": facts.screen or "unknown",
        "protected": list(standing_classes(facts, ruling)),
        "action": ruling.action,
    }


DECISIONS = Derived(
    "decisions", "one decision a message: tier, class, confidence, evidence, reasons, action", DECISIONS_TABLE
)

STAGE = Stage(
    "decide",
    reads=(MESSAGES, THREADS, LABELS, SCREEN, HITS, PROTECTED, MAIL_STATE, RULES, POLICY, AS_OF),
    writes=(DECISIONS,),
    keeps="message",
    run=decide,
)
