"""Which rule decides a message: irrelevant, relevance, override, tier 1, template, sender, review. The first wins.

The cascade only classifies. Whether anything may happen to the message is the gate's business (gate.py).

    classify((), rules).source     # 'none': no pack, rule or action word, so not ours and left untouched
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.mail.matcher import Hit, Role
from pipeline.models.decision import Source
from pipeline.models.rules import IRRELEVANT, TIERS, Rule, RuleSet

UNSURE = 0.0
"""The confidence of what no rule decides."""
_DECIDING: Final[frozenset[Role]] = frozenset({"rule", "pattern", "action"})
"""Roles by which a rule or a set can decide; the hits of the others are no evidence for it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say. `classification` is None for mail that is irrelevant or not relevant."""

    source: Source
    classification: str | None = None
    confidence: float = UNSURE
    rule: str | None = None
    evidence: tuple[str, ...] = ()
    is_safe_to_archive: bool = True
    only_to_file: bool = False


def classify(hits: Sequence[Hit], rules: RuleSet, *, review_everything: bool = False) -> Verdict:
    """The verdict of the first tier that decides; Review Manually for relevant mail that none decides."""
    if any(hit.rule == IRRELEVANT and hit.role == "rule" for hit in hits):
        return Verdict("irrelevant", evidence=evidence_of(hits, {IRRELEVANT}))
    rule = deciding_rule(hits, rules)
    if rule is not None:
        return _decided(rule, hits, rules)
    named = {hit.rule for hit in hits if hit.role in _DECIDING}
    relevant = {found.name for found in rules.sets if found.makes_relevant} & named
    if relevant or review_everything:
        return Verdict("review", rules.review, evidence=evidence_of(hits, relevant))
    return Verdict("none")


def deciding_rule(hits: Sequence[Hit], rules: RuleSet) -> Rule | None:
    """The first rule, tier by tier and in file order, whose every condition was hit."""
    named = {hit.rule for hit in hits}
    held = [rule for rule in rules.rules if rule.name in named and rule.holds(hits)]
    return min(held, key=lambda rule: TIERS.index(rule.tier), default=None)


def _decided(rule: Rule, hits: Sequence[Hit], rules: RuleSet) -> Verdict:
    known = rules.classification(rule.classification) is not None
    return Verdict(
        source=rule.tier,
        classification=rule.classification if known else rules.review,
        confidence=rule.confidence if known else UNSURE,
        rule=rule.name,
        evidence=evidence_of(hits, {rule.name}),
        is_safe_to_archive=rule.is_safe_to_archive,
        only_to_file=rule.only_to_file,
    )


def evidence_of(hits: Iterable[Hit], names: set[str]) -> tuple[str, ...]:
    """Evidence ids of the named rules' hits: `rule name/field/marker number`, never text of the mail."""
    own = (hit for hit in hits if hit.rule in names and hit.role in _DECIDING)
    return tuple(sorted(f"{hit.rule}/{hit.field}/{hit.marker}" for hit in own))


def action_language(hits: Iterable[Hit], rules: RuleSet, classification: str | None) -> tuple[str, ...]:
    """The action sets that were hit: the mail asks the owner for something. A set these rules do not know counts."""
    elsewhere = {found.name for found in rules.sets if found.only_for and classification not in found.only_for}
    return tuple(sorted({hit.rule for hit in hits if hit.role == "action"} - elsewhere))
