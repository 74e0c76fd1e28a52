"""Whether today's rules would decide again what the newest approved run decided, and whom they would have to hold off.

    decision_would_change   a decision of the newest log differs today in its class, or in whether its words hold it
    rule_hits_protected     a rule that would file mail decided mail that is protected for what it says or who wrote it

Only what rules and words say is compared. A star, a reply or a few days more also change what may happen to a message,
and no edit of a rule mends that.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pipeline.judge.lint_mail import OWNERS_TIERS
from pipeline.judge.rule_places import FILE_OF_TIER
from pipeline.models.findings import Finding, Severity, number_of, removal
from pipeline.models.rules import Rule, RuleSet

WORDS: Final = frozenset(
    {"account_security", "money", "legal", "health", "employment", "orders", "housing_family", "travel_delivery"}
)
"""Protected classes that words raise, so that rules can change them."""
NOT_FOR_RULES: Final = (WORDS - {"employment"}) | {"direct_human", "live_conversation", "injected"}
"""Protected classes whose mail a filing rule should not name. A star or an attachment is nothing a rule could know."""
_OF_RULES: Final = ("not_archivable", "override_not_safe", "low_confidence")


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision as a log or today's table tells it."""

    message_id: str
    classification: str | None
    rule: str | None
    action: str
    reasons: tuple[str, ...]
    protected: tuple[str, ...]

    @property
    def is_held(self) -> bool:
        """Whether the rules' own words keep it in the inbox."""
        return any(_is_of_rules(reason) for reason in self.reasons)


def _is_of_rules(reason: str) -> bool:
    kind, _, name = reason.partition(":")
    return kind == "action" or reason in _OF_RULES or (kind == "protected" and name in WORDS)


def would_change(
    run: str, logged: Iterable[Decided], today: Mapping[str, Decided], standing: frozenset[str]
) -> Iterator[Finding]:
    """Differences by kind; only a message whose change by that run still stands has to be mended."""
    groups: dict[tuple[str, bool], list[Decided]] = defaultdict(list)
    for old in logged:
        new = today.get(old.message_id)
        if new is not None and (old.classification, old.is_held) != (new.classification, new.is_held):
            groups[_change(old, new), old.message_id in standing].append(old)
    for (change, is_standing), members in sorted(groups.items()):
        yield _changed(run, change, members, is_standing=is_standing)


def _change(old: Decided, new: Decided) -> str:
    return f"{_told(old)} -> {_told(new)}"


def _told(one: Decided) -> str:
    return f"{one.classification or 'none'} ({'held' if one.is_held else 'not held'})"


def _changed(run: str, change: str, members: list[Decided], *, is_standing: bool) -> Finding:
    was_archived = any(one.action == "label+archive" for one in members)
    severity: Severity = (
        ("error" if was_archived and change.endswith("(held)") else "warning") if is_standing else "note"
    )
    mend = f"gmailtriage undo {run}, then gmailtriage plan; or put the rules back" if is_standing else ""
    what = f"{number_of(len(members), 'decision')} of run {run} would be another under today's rules: {change}"
    subject = f"{change}{'' if is_standing else ', nothing done'}"
    return Finding(severity, "decision_would_change", subject, what, mend, message_ids=_ids(members))


def hits_protected(rules: RuleSet, today: Iterable[Decided]) -> Iterator[Finding]:
    """Rules that would file mail and that decided mail which they had better not name."""
    by_rule: dict[str, list[Decided]] = defaultdict(list)
    for one in today:
        if one.rule is not None and NOT_FOR_RULES.intersection(one.protected):
            by_rule[one.rule].append(one)
    for rule in rules.rules:
        found = rules.classification(rule.classification)
        if rule.name in by_rule and found is not None and found.archivable and rule.is_safe_to_archive:
            yield _hit(rule, by_rule[rule.name])


def _hit(rule: Rule, members: list[Decided]) -> Finding:
    classes = sorted({name for one in members for name in one.protected if name in NOT_FOR_RULES})
    is_owners = rule.tier in OWNERS_TIERS
    edit = "edit: safe_to_archive = false" if rule.tier == "override" else removal(rule.name)
    mails = number_of(len(members), "message")
    what = f"it means to archive and decided {mails} protected as {', '.join(classes)}"
    mend = f"{edit}, or make it narrower" if is_owners else ""
    severity: Severity = "warning" if is_owners else "note"
    return Finding(
        severity, "rule_hits_protected", rule.name, what, mend, FILE_OF_TIER[rule.tier], rule.name, _ids(members)
    )


def _ids(members: Iterable[Decided]) -> tuple[str, ...]:
    return tuple(sorted(one.message_id for one in members))
