"""Whether a rule's own words keep its mail in the inbox: then it can label and never archive.

A rule on "please confirm your subscription" is hit only by mail that holds these words; if they are action language or
protected words too, the gate holds that mail. Looked for with the same matcher that real mail meets.

It does so always only where the gate sees all that the rule sees. Overrides and templates are looked for in the whole
text; action words, and what sentences say, only in what is meant: no hypothetical sentence, no harmless phrase.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pipeline.judge.cascade import action_language
from pipeline.judge.examples import word_classes
from pipeline.judge.gate import WAIVABLE
from pipeline.mail.address import Sender, read_sender
from pipeline.mail.matcher import Hit, MarkerField, Matcher, Probe
from pipeline.models.policy import Policy
from pipeline.models.rules import Rule, RuleSet

_NOBODY: Final = read_sender(["x@lint.invalid"])
_TEXTS: Final = ("subject", "body", "text")
_WITHOUT_WORDS: Final = ("sentence", "shape")
"""Conditions that no single marker shows a mail for."""


@dataclass(frozen=True, slots=True)
class Suppressed:
    """The gate's reasons, and whether they stand whatever surrounds the words, also in an "if"."""

    reasons: str = ""
    is_always: bool = False


def suppressed_by(rule: Rule, rules: RuleSet, policy: Policy) -> Suppressed:
    """The gate's reasons that stand where some condition of the rule is met; none without any."""
    roles = ("action", "protected", "harmless")  # and what always counts: some sets do not in letters to many
    matcher = Matcher(marker for marker in rules.markers() if marker.role in roles and not marker.unless)
    for field, markers in rule.conditions:
        probes = [probe for marker in markers for probe in _probes(field, marker)]
        found = matcher.hits_of(probes)
        reasons = [_reason(hits, rule, rules, policy) for hits in found]
        if reasons and all(reasons) and not _has_a_twin(field, rule):
            sure = [_reason(_sure(hits, field, rule), rule, rules, policy) for hits in found]
            return Suppressed(", ".join(sorted(set(sure if all(sure) else reasons))), all(sure))
    return Suppressed()


def _sure(hits: tuple[Hit, ...], field: MarkerField, rule: Rule) -> tuple[Hit, ...]:
    """The hits that nothing around the marker could take away: of senders, and of words that always protect."""
    if field not in _TEXTS:
        return hits
    return tuple(hit for hit in hits if rule.role == "rule" and hit.role == "protected" and hit.field in _TEXTS)


def _has_a_twin(field: MarkerField, rule: Rule) -> bool:
    """The two kinds of domain are one condition: one of them alone says nothing about all of its mail."""
    domains = {name for name, _ in rule.conditions if name.startswith("domain_")}
    return field in domains and len(domains) > 1


def _probes(field: MarkerField, marker: str) -> Iterator[Probe]:
    """The least mail in which the marker is hit, one for each place where it may stand."""
    if field in ("subject", "text"):
        yield Probe(_NOBODY, subject=marker)
    if field in ("body", "text"):
        yield Probe(_NOBODY, body=marker)
    if field not in (*_TEXTS, *_WITHOUT_WORDS):
        yield Probe(_sender(marker))


def _sender(marker: str) -> Sender:
    if "@" in marker:
        return read_sender([marker])
    if "." in marker:
        return read_sender([f"x@{marker.removeprefix('.')}"])
    return read_sender([f'"{marker}" <x@lint.invalid>'])


def _reason(hits: tuple[Hit, ...], rule: Rule, rules: RuleSet, policy: Policy) -> str:
    asks = action_language(hits, rules, rule.classification)
    classes = word_classes(hits, rules)
    is_waived = classes == (WAIVABLE,) and rule.classification in policy.protect.waive_employment_for and not asks
    stands = (*(f"action:{name}" for name in asks), *(() if is_waived else (f"protected:{name}" for name in classes)))
    return stands[0] if stands else ""
