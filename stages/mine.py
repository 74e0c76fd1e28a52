"""mine: the sealed decisions log in, proposed sender rules out. Learning only proposes; nothing becomes active here.

A sender is proposed when at least `minimum_evidence` messages of exactly one address were decided alike, approved,
verified and neither undone nor taken back by hand. Every reason against a proposal is listed, and one is enough to keep
it from being promoted. A rule's own hits are never evidence for it, and a message counts once however often it was
decided.

    decision_logs + rules + messages + relations + screen + protected + mail_state -> proposals
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.artifacts import POLICY, Derived
from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.mail.domains import is_free_mail
from pipeline.models.decision import Decision
from pipeline.models.policy import Policy
from pipeline.models.rules import RuleSet
from pipeline.rulebook import RULES
from pipeline.sealing.documents import DECISION_LOGS
from pipeline.stage import Stage
from pipeline.tables import PROPOSALS as PROPOSALS_TABLE
from stages.normalize import MAIL_STATE, MESSAGES
from stages.protect import PROTECTED
from stages.relate import RELATIONS
from stages.screen import SCREEN

Row = Mapping[str, object]
Logs = tuple[tuple[str, tuple[Decision, ...]], ...]
HARMLESS = frozenset({"employment", "recent"})
"""Protected classes that every piece of job mail wears; any other class on a sender's mail blocks the proposal."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the snapshot knows beside the log, by message id and by address."""

    messages: Mapping[str, Row]
    of_address: Mapping[str, tuple[Row, ...]]
    standing: frozenset[str]
    """Message ids whose verified change still stands."""
    dangerous: frozenset[str]
    """Message ids that are not clean, or protected by more than being job mail."""
    written_to: frozenset[str]


def mine(
    decision_logs: Logs,
    rules: RuleSet,
    messages: pl.DataFrame,
    relations: pl.DataFrame,
    screen: pl.DataFrame,
    protected: pl.DataFrame,
    mail_state: pl.DataFrame,
    policy: Policy,
) -> pl.DataFrame:
    """The proposals table: one row a sender address and classification, sorted by digest."""
    known = knowledge(messages, relations, screen, protected, mail_state)
    evidence = by_sender(decision_logs, known)
    fresh = {address: found for address, found in evidence.items() if not has_rule(address, rules)}
    return PROPOSALS_TABLE.frame(
        proposal(address, found, known, rules, policy) for address, found in sorted(fresh.items())
    )


def knowledge(
    messages: pl.DataFrame,
    relations: pl.DataFrame,
    screen: pl.DataFrame,
    protected: pl.DataFrame,
    mail_state: pl.DataFrame,
) -> Knowledge:
    """Index the tables once."""
    rows = {str(row["id"]): row for row in messages.iter_rows(named=True)}
    of_address: dict[str, list[Row]] = defaultdict(list)
    for row in rows.values():
        of_address[str(row["from_address"])].append(row)
    is_standing = ~pl.col("is_undone") & ~pl.col("is_reversed_by_hand") & pl.col("labelled_at").is_not_null()
    clean = frozenset(screen.filter(pl.col("verdict") == "clean")["message_id"])
    safe = {str(row["message_id"]) for row in protected.iter_rows(named=True) if is_harmless(row["classes"])}
    return Knowledge(
        messages=rows,
        of_address={address: tuple(found) for address, found in of_address.items()},
        standing=frozenset(mail_state.filter(is_standing)["message_id"]),
        dangerous=frozenset(rows) - (clean & safe),
        written_to=frozenset(relations.filter(pl.col("is_written_to"))["address"]),
    )


def is_harmless(classes: object) -> bool:
    """Whether protected classes say no more than that this is job mail. Unknown is not harmless."""
    return isinstance(classes, list) and HARMLESS.issuperset(classes)


def by_sender(logs: Logs, known: Knowledge) -> dict[str, dict[str, Decision]]:
    """Address -> message id -> its newest decision that counts as evidence."""
    found: dict[str, dict[str, Decision]] = defaultdict(dict)
    for _, decisions in logs:
        for decision in decisions:
            if is_evidence(decision, known) and decision.sender is not None:
                found[decision.sender][decision.message_id] = decision
    return found


def is_evidence(decision: Decision, known: Knowledge) -> bool:
    """Approved, verified, still standing, classified, no echo of a sender rule or of an unsure answer, and really from

    the sender that the log names: mail that the snapshot does not hold could not be judged.
    """
    is_own_echo = decision.source in ("sender", "irrelevant", "none", "review")
    is_answered = decision.classification is not None and not is_own_echo
    message = known.messages.get(decision.message_id)
    is_genuine = message is not None and message["from_address"] == decision.sender
    return decision.approved and is_answered and is_genuine and decision.message_id in known.standing


def has_rule(address: str, rules: RuleSet) -> bool:
    """Whether a sender rule names this very address already."""
    named = (texts for rule in rules.tier("sender") for field, texts in rule.conditions if field == "sender")
    return any(address in texts for texts in named)


def is_archivable(name: str, rules: RuleSet) -> bool:
    """Whether mail of a class may leave the inbox. What asks for attention is decided one message at a time."""
    found = rules.classification(name)
    return found is not None and found.archivable


def proposal(
    address: str, found: Mapping[str, Decision], known: Knowledge, rules: RuleSet, policy: Policy
) -> dict[str, object]:
    """One proposed rule with its evidence and every reason against it."""
    classes = sorted({str(decision.classification) for decision in found.values()})
    confidence = min(decision.confidence for decision in found.values())
    rule = {
        "name": f"mined {address}",
        "sender_contains": address,
        "classification": classes[0],
        "confidence": confidence,
    }
    return {
        "digest": sha256_hex(canonical_bytes(rule)),
        **rule,
        "domain_equals": None,
        "message_count": len(found),
        "evidence": sorted(found),
        "reasons_against": sorted(reasons_against(address, classes, found, known, rules, policy)),
    }


def reasons_against(
    address: str,
    classes: list[str],
    found: Mapping[str, Decision],
    known: Knowledge,
    rules: RuleSet,
    policy: Policy,
) -> set[str]:
    """Everything that speaks against a rule for this address, looking at all of its mail, not only at the evidence."""
    mail = known.of_address.get(address, ())
    checks = {
        "too_few_messages": len(found) < policy.minimum_evidence,
        "mixed_classifications": len(classes) != 1,
        "free_mail_domain": is_free_mail(address.rpartition("@")[2]),
        "mailing_list": any(is_posted_by_people(row) for row in mail),
        "not_authenticated": not mail or not all(is_authenticated(row) for row in mail),
        "written_to": address in known.written_to,
        "asks_for_attention": not any(is_archivable(name, rules) for name in classes),
        "protected_or_unclean_mail": any(str(row["id"]) in known.dangerous for row in mail),
    }
    return {reason for reason, holds in checks.items() if holds}


def is_posted_by_people(row: Row) -> bool:
    """A list address: mail with a List-Id that offers no one-click way out is a list where people post."""
    return row["list_id"] is not None and not row["one_click"]


def is_authenticated(row: Row) -> bool:
    """DMARC passed, or SPF and DKIM both did; unknown is not authenticated."""
    return row["dmarc"] == "pass" or (row["spf"] == "pass" and row["dkim"] == "pass")


def promotable(rows: Iterable[Row]) -> list[Row]:
    """Proposals with no reason against them."""
    return [row for row in rows if not row["reasons_against"]]


PROPOSALS = Derived("proposals", "proposed sender rules with their evidence and every reason against", PROPOSALS_TABLE)

STAGE = Stage(
    "mine",
    reads=(DECISION_LOGS, RULES, MESSAGES, RELATIONS, SCREEN, PROTECTED, MAIL_STATE, POLICY),
    writes=(PROPOSALS,),
    run=mine,
)
