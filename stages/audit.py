"""audit: what does not fit between the rules, the labels and the mail, each with the command or edit that mends it.

Promises: it only reads; every error and warning can be mended, and a mailbox in which nothing has to be mended is
green: `gmailtriage audit` then ends with 0, else with 9. Mail that you sent is counted apart and is never a finding.

    unclaimed_mail          inbox mail that no rule, pack or protection claims, by sender
    dangling_destination    rules point to a label that is gone or renamed
    unfilled_label          a label of ours that no rule fills
    never_hit               a rule that no stored mail meets
    rule_hits_protected     a filing rule that decided protected mail
    decision_would_change   the newest approved decisions against today's
    self_sent               a note: how much mail is yours

    rules, messages, labels, mail_state, hits, protected, decisions, decision_logs -> findings
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from pipeline.artifacts import Derived
from pipeline.judge.audit_decisions import Decided, hits_protected, would_change
from pipeline.judge.audit_labels import Filed, audit_labels
from pipeline.judge.lint_mail import held_by_rule, never_hit
from pipeline.judge.stored import stored_from
from pipeline.models.decision import Decision
from pipeline.models.findings import Finding, in_order, number_of
from pipeline.models.rules import RuleSet
from pipeline.rulebook import RULES
from pipeline.sealing.documents import DECISION_LOGS
from pipeline.stage import Stage
from pipeline.tables import FINDINGS as FINDINGS_TABLE
from stages.decide import DECISIONS
from stages.match import HITS
from stages.normalize import LABELS, MAIL_STATE, MESSAGES
from stages.protect import PROTECTED

Row = Mapping[str, Any]
Logs = tuple[tuple[str, tuple[Decision, ...]], ...]
_CLAIMED = ("protected:", "screen:", "body:", "action:")


def audit(
    rules: RuleSet,
    messages: pl.DataFrame,
    labels: pl.DataFrame,
    mail_state: pl.DataFrame,
    hits: pl.DataFrame,
    protected: pl.DataFrame,
    decisions: pl.DataFrame,
    decision_logs: Logs,
) -> pl.DataFrame:
    """The findings table. An empty mailbox has no findings."""
    rows = decisions.rows(named=True)
    today = {row["message_id"]: decided(row) for row in rows}
    states = mail_state.rows(named=True)
    found = [
        *unclaimed(rows),
        *audit_labels(rules, user_labels(labels), filed(states, decision_logs)),
        *(never_hit(rules, held_by_rule(rules, stored_from(hits, decisions, protected))) if rows else ()),
        *hits_protected(rules, today.values()),
        *changed(decision_logs, today, states),
        *self_sent(messages),
    ]
    return FINDINGS_TABLE.frame(finding_row(one) for one in in_order(found))


def unclaimed(rows: Sequence[Row]) -> Iterator[Finding]:
    """Inbox mail in the window that is nobody's, by sender: neither rules nor protection say a word about it."""
    by_sender: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if is_unclaimed(row):
            by_sender[row["sender"] or ""].append(row["message_id"])
    for sender, ids in sorted(by_sender.items()):
        mend = f'edit irrelevant_senders.toml: add "{sender}" to sender_contains, or write a rule for it'
        what = f"{number_of(len(ids), 'message')} in the inbox that no rule and no protection claims"
        yield Finding("warning", "unclaimed_mail", sender, what, mend, message_ids=tuple(sorted(ids)))


def is_unclaimed(row: Row) -> bool:
    """Whether a decision says that the mail is in the inbox, in the window, and not relevant, and nothing else."""
    reasons = row["reasons"] or ["?"]
    return reasons[0] == "not_relevant" and not any(reason.startswith(_CLAIMED) for reason in reasons)


def user_labels(labels: pl.DataFrame) -> dict[str, str]:
    """Label id -> name of the labels that people and we made."""
    mine = labels.filter(pl.col("type") == "user")
    return dict(zip(mine["id"], mine["name"], strict=True))


def filed(states: Sequence[Row], logs: Logs) -> Iterator[Filed]:
    """Every message under a label of ours whose change was not undone, with the class that its run decided."""
    classes = {(run, one.message_id): one.classification for run, decisions in logs for one in decisions}
    for row in states:
        name = classes.get((row["run"], row["message_id"]))
        if row["added_label_id"] is not None and row["is_undone"] is False and name is not None:
            yield Filed(row["message_id"], row["added_label_id"], name)


def changed(logs: Logs, today: Mapping[str, Decided], states: Sequence[Row]) -> Iterator[Finding]:
    """The newest approved run against today's rules."""
    if logs:
        run, decisions = logs[-1]
        standing = frozenset(row["message_id"] for row in states if row["run"] == run and is_standing(row))
        yield from would_change(run, (logged(one) for one in decisions), today, standing)


def is_standing(row: Row) -> bool:
    """Whether a run's change is still there: neither undone nor taken back by hand."""
    return row["is_undone"] is False and row["is_reversed_by_hand"] is False and row["labelled_at"] is not None


def decided(row: Row) -> Decided:
    """A row of decisions."""
    reasons, classes = tuple(row["reasons"]), tuple(row["protected"])
    return Decided(row["message_id"], row["classification"], row["rule"], row["action"], reasons, classes)


def logged(one: Decision) -> Decided:
    """A line of a decisions log."""
    return Decided(one.message_id, one.classification, one.rule, one.action, one.reasons, one.protected)


def self_sent(messages: pl.DataFrame) -> Iterator[Finding]:
    """The owner's own mail, by its SENT label, whatever address it shows."""
    mine = messages.filter(pl.col("is_sent_by_me").fill_null(False))
    if mine.height:
        inbox = mine.filter(pl.col("label_ids").list.contains("INBOX")).height
        what = f"{number_of(mine.height, 'message')} that you sent, {inbox} in the inbox: counted apart"
        yield Finding("note", "self_sent", "you", what, message_ids=tuple(sorted(mine["id"])))


def finding_row(one: Finding) -> dict[str, object]:
    """One row, field by field."""
    return {
        "id": one.id,
        "severity": one.severity,
        "kind": one.kind,
        "subject": one.subject,
        "file": one.file,
        "rule": one.rule,
        "what": one.what,
        "mend": one.mend,
        "message_ids": list(one.message_ids),
    }


FINDINGS = Derived("findings", "what does not fit, how bad it is, and what mends it", FINDINGS_TABLE)

STAGE = Stage(
    "audit",
    reads=(RULES, MESSAGES, LABELS, MAIL_STATE, HITS, PROTECTED, DECISIONS, DECISION_LOGS),
    writes=(FINDINGS,),
    run=audit,
)
