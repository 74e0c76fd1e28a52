"""Whether a rule's own words keep its mail in the inbox: then it can label and never archive.

A rule on "please confirm your subscription" is hit only by mail that holds these words; if they are action language or
protected words too, the gate holds all of that mail. Looked for with the same matcher that real mail meets.
"""

from collections.abc import Iterator

from pipeline.judge.cascade import action_language
from pipeline.judge.examples import word_classes
from pipeline.judge.gate import WAIVABLE
from pipeline.mail.address import Sender, read_sender
from pipeline.mail.matcher import Hit, MarkerField, Matcher, Probe
from pipeline.models.policy import Policy
from pipeline.models.rules import Rule, RuleSet

_NOBODY = read_sender(["x@lint.invalid"])


def suppressed_by(rule: Rule, rules: RuleSet, policy: Policy) -> str:
    """A gate's reason that stands whenever some condition of the rule is met, or an empty string."""
    roles = ("action", "protected", "harmless")  # and what always counts: some sets do not in letters to many
    matcher = Matcher(marker for marker in rules.markers() if marker.role in roles and not marker.unless)
    for field, markers in rule.conditions:
        probes = [probe for marker in markers for probe in _probes(field, marker)]
        reasons = [_reason(hits, rule, rules, policy) for hits in matcher.hits_of(probes)]
        if reasons and all(reasons) and not _has_a_twin(field, rule):
            return ", ".join(sorted(set(reasons)))
    return ""


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
    if field not in ("subject", "body", "text"):
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
