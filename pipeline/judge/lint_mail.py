"""What stored mail says about the rules: never hit, always beaten, or naming people.

    never_hit        no stored mail meets it; only a note for wording: an offer that never came is no fault of its rule
    always_beaten    it is met, and an earlier rule answers every time
    catches_people   its sender words name somebody whom the protection takes for a person

Pure: rules and what the stages found in, findings out. An empty mailbox says nothing about any rule.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pipeline.judge.rule_places import FILE_OF_TIER
from pipeline.mail.matcher import Hit
from pipeline.models.findings import Finding, Severity, in_order, number_of, removal
from pipeline.models.rules import Rule, RuleSet

OWNERS_TIERS: Final = frozenset({"override", "sender"})
"""Rules about one's own senders: what they name should exist. Patterns and templates say what might come one day."""
_SENDER_FIELDS: Final = frozenset({"sender", "domain_equals", "domain_under"})


@dataclass(frozen=True, slots=True)
class Stored:
    """Stored mail, by message id: its hits, the rule that decided it (or None), and whether a person wrote it."""

    hits: Mapping[str, tuple[Hit, ...]]
    decided_by: Mapping[str, str | None]
    people: frozenset[str]


def lint_mail(rules: RuleSet, stored: Stored) -> tuple[Finding, ...]:
    """Every finding that stored mail gives, worst first."""
    if not stored.decided_by:
        return ()
    met = held_by_rule(rules, stored)
    return in_order((*never_hit(rules, met), *_always_beaten(rules, stored, met), *_people(rules, stored)))


def held_by_rule(rules: RuleSet, stored: Stored) -> dict[str, tuple[str, ...]]:
    """Rule name -> ids of the mail that meets all its conditions, for rules that some mail meets."""
    met: dict[str, list[str]] = defaultdict(list)
    by_name = {rule.name: rule for rule in rules.rules}
    for message_id, hits in sorted(stored.hits.items()):
        for name in sorted({hit.rule for hit in hits} & by_name.keys()):
            if by_name[name].holds(hits):
                met[name].append(message_id)
    return {name: tuple(ids) for name, ids in met.items()}


def never_hit(rules: RuleSet, met: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    """Rules that no stored mail meets."""
    for rule in rules.rules:
        if rule.name not in met:
            is_owners = rule.tier in OWNERS_TIERS
            severity: Severity = "warning" if is_owners else "note"
            mend = removal(rule.name) if is_owners else ""
            yield _finding(severity, "never_hit", rule, "no stored mail meets it", mend)


def _always_beaten(rules: RuleSet, stored: Stored, met: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    for rule in rules.rules:
        ids = met.get(rule.name, ())
        if ids and rule.name not in {stored.decided_by.get(one) for one in ids}:
            what = f"met by {number_of(len(ids), 'stored message')}, and an earlier answer decides every one"
            yield _finding("note", "always_beaten", rule, what, f"gmailtriage why {ids[0]}", ids)


def _people(rules: RuleSet, stored: Stored) -> Iterator[Finding]:
    """A warning when the rule goes by the sender alone and could file the mail; else its other words decide."""
    by_name = {rule.name: rule for rule in rules.rules}
    for (name, place), ids in sorted(_caught(stored, by_name).items()):
        rule = by_name[name]
        found = rules.classification(rule.classification)
        files = found is not None and found.archivable and rule.is_safe_to_archive
        is_alone = {field for field, _ in rule.conditions} <= _SENDER_FIELDS
        severity: Severity = "warning" if files and is_alone else "note"
        what = f"marker {place} names the sender of {number_of(len(ids), 'message')} that a person seems to write"
        mend = f"edit: name whole addresses; see gmailtriage why {ids[0]}"
        yield _finding(severity, "catches_people", rule, what, mend, ids, f"{name}/{place}")


def _caught(stored: Stored, rules: Mapping[str, Rule]) -> dict[tuple[str, str], tuple[str, ...]]:
    """(rule, field/number) -> ids of people's mail that the sender marker names."""
    caught: dict[tuple[str, str], list[str]] = defaultdict(list)
    for message_id in sorted(stored.people):
        for hit in stored.hits.get(message_id, ()):
            if hit.field in _SENDER_FIELDS and hit.rule in rules:
                caught[hit.rule, f"{hit.field}/{hit.marker}"].append(message_id)
    return {place: tuple(ids) for place, ids in caught.items()}


def _finding(
    severity: Severity, kind: str, rule: Rule, what: str, mend: str, ids: Iterable[str] = (), subject: str = ""
) -> Finding:
    return Finding(severity, kind, subject or rule.name, what, mend, FILE_OF_TIER[rule.tier], rule.name, tuple(ids))
