"""The whole path of one message through cascade and gate, told step by step: what each tier and each clause said.

Promises: it decides nothing and copies no threshold; every verdict comes from the cascade's and the gate's own
functions, asked one question at a time. The tier that `decides` is the decision's source, the clauses that bar are the
gate's reasons. Out come names, numbers and reasons, never text of the mail.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pipeline.judge.cascade import Verdict, evidence_of
from pipeline.judge.gate import Facts, Ruling, leave_reason, permit_archive, rule_thread
from pipeline.mail.matcher import Hit
from pipeline.models.policy import Policy
from pipeline.models.rules import IRRELEVANT, TIERS, Rule, RuleSet

Said = Literal["decides", "would decide", "says nothing"]
Answer = Literal["passes", "bars", "waived"]


@dataclass(frozen=True, slots=True)
class Met:
    """A rule or set that was hit: where, and which of its conditions were not; it holds when none is missing."""

    name: str
    evidence: tuple[str, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One tier's answer. `would decide` is what a tier has to say that was not asked any more."""

    tier: str
    said: Said
    met: tuple[Met, ...]

    @property
    def winner(self) -> str:
        """The first rule or set that holds, or an empty string."""
        return next((one.name for one in self.met if not one.missing), "")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the gate and its verdict; the reasons are the gate's own words."""

    name: str
    answer: Answer
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """One message of the thread: its ruling alone, and whether it keeps the whole thread in the inbox."""

    message_id: str
    is_holding: bool
    reasons: tuple[str, ...]


def steps(hits: Sequence[Hit], rules: RuleSet, *, review_everything: bool = False) -> tuple[Step, ...]:
    """Each tier in the order of asking."""
    asked = [("irrelevant", tuple(_sets_met(hits, {IRRELEVANT})))]
    asked += [(tier, tuple(_rules_met(hits, rules.tier(tier)))) for tier in TIERS]
    relevant = {found.name for found in rules.sets if found.makes_relevant}
    everything = (Met("review_everything", ()),) if review_everything else ()
    asked.append(("review", (*_sets_met(hits, relevant), *everything)))
    told: list[Step] = []
    for tier, met in asked:
        is_late = any(step.said == "decides" for step in told)
        told.append(_step(tier, met, is_late=is_late))
    return tuple(told)


def _step(tier: str, met: tuple[Met, ...], *, is_late: bool) -> Step:
    if all(one.missing for one in met):
        return Step(tier, "says nothing", met)
    return Step(tier, "would decide" if is_late else "decides", met)


def _sets_met(hits: Sequence[Hit], names: set[str]) -> list[Met]:
    found = sorted({hit.rule for hit in hits if hit.rule in names})
    return [Met(name, evidence_of(hits, {name})) for name in found]


def _rules_met(hits: Sequence[Hit], rules: Sequence[Rule]) -> list[Met]:
    named = {hit.rule for hit in hits}
    return [
        Met(rule.name, evidence_of(hits, {rule.name}), _missing(rule, hits)) for rule in rules if rule.name in named
    ]


def _missing(rule: Rule, hits: Sequence[Hit]) -> tuple[str, ...]:
    """The conditions without a hit; the two kinds of domain are one condition."""
    if rule.holds(hits):
        return ()
    found = {hit.field for hit in hits if hit.rule == rule.name and hit.role == rule.role}
    has_domain = any(field.startswith("domain_") for field in found)
    fields = [field for field, _ in rule.conditions if field not in found]
    return tuple(field for field in fields if not (has_domain and field.startswith("domain_")))


_PERMITS: Final = (
    ("its class may be archived", "not_archivable"),
    ("its rule allows archive", "override_not_safe"),
    ("it is sure enough", "low_confidence"),
    ("its screen is clean", "screen:"),
    ("its body was read", "body:"),
    ("its labels are known", "labels_unknown"),
    ("nothing protects it", "protected:"),
    ("nothing in it asks for anything", "action:"),
)
"""Each clause of the permission to archive, and how its reasons begin."""


def archive_clauses(facts: Facts, verdict: Verdict, rules: RuleSet, policy: Policy) -> tuple[Clause, ...]:
    """Every clause of the permission to archive."""
    permission = permit_archive(facts, verdict, rules, policy)
    reasons = set(getattr(permission, "reasons", ()))
    if not verdict.is_safe_to_archive:
        reasons.add("override_not_safe")  # the gate stops at a class that is not archivable and does not ask on
    waivers = tuple(getattr(permission, "waivers", ()))
    return tuple(_clause(name, start, sorted(reasons), waivers) for name, start in _PERMITS)


def _clause(name: str, start: str, reasons: Sequence[str], waivers: tuple[str, ...]) -> Clause:
    found = tuple(reason for reason in reasons if reason.startswith(start))
    if waivers and start == "protected:" and not found:
        return Clause(name, "waived", waivers)
    return Clause(name, "bars" if found else "passes", found)


_QUIET: Final = Facts("quiet", ("INBOX",), "clean", "fetched", (), (), True, False, False)
"""A message against which nothing speaks: each question is asked about it with one fact changed."""
_SURE: Final = Verdict("sender", "quiet", 1.0, "quiet")


def action_clauses(facts: Facts, verdict: Verdict) -> tuple[Clause, ...]:
    """Every clause that decides whether anything may happen to the message at all."""
    asked = (
        ("it is in the inbox and nowhere else", replace(_QUIET, label_ids=facts.label_ids), _SURE),
        ("it lies in the window", replace(_QUIET, is_in_window=facts.is_in_window), _SURE),
        ("it was not handled before", replace(_QUIET, is_handled=facts.is_handled), _SURE),
        ("it was not taken back by hand", replace(_QUIET, is_reversed_by_hand=facts.is_reversed_by_hand), _SURE),
        ("its screen lets it be touched", replace(_QUIET, screen=facts.screen), _SURE),
        ("it is relevant", _QUIET, verdict),
    )
    return tuple(_asked(name, leave_reason(one, said)) for name, one, said in asked)


def _asked(name: str, reason: str) -> Clause:
    return Clause(name, "bars" if reason else "passes", (reason,) if reason else ())


def members(cases: Sequence[tuple[Facts, Verdict]], rules: RuleSet, policy: Policy) -> tuple[Member, ...]:
    """Each member of a thread, alone: whether it would keep a quiet message beside it in the inbox."""
    return tuple(_member(facts, verdict, rules, policy) for facts, verdict in cases)


def _member(facts: Facts, verdict: Verdict, rules: RuleSet, policy: Policy) -> Member:
    (alone,) = rule_thread([(facts, verdict)], rules, policy, is_whole=True)
    archivable = next((found.name for found in rules.classifications if found.archivable), None)
    beside: tuple[Ruling, ...] = ()
    if archivable is not None:
        quiet = (_QUIET, replace(_SURE, classification=archivable))
        beside = rule_thread([quiet, (facts, verdict)], rules, policy, is_whole=True)
    is_holding = bool(beside) and beside[0].action != "label+archive"
    return Member(facts.message_id, is_holding, (alone.action, *alone.reasons))


def classes(facts: Facts, evidence: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Protected class -> the evidence ids behind it, without the class before them."""
    found: dict[str, tuple[str, ...]] = dict.fromkeys(facts.protected or ("uncertain",), ())
    for one in evidence:
        name, _, why = one.partition(":")
        found[name] = (*found.get(name, ()), why)
    return found
