"""A cascade that scans a body only while a rule is still open. The product scans all: this is what that costs.

Senders and subjects are matched first. A body is open when a rule that would win over what was found so far looks into
bodies and lacks nothing else, or when the mail could be archived, for then action words must be looked for. What it
leaves out is evidence: hits in bodies that cannot change the decision. Other packs' relevance words would open every
body that no rule claims.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipeline.judge.cascade import classify
from pipeline.mail.matcher import Hit, Matcher, Probe
from pipeline.mail.reader import Mail
from pipeline.models.rules import IRRELEVANT, Rule, RuleSet

BODIES = frozenset({"body", "text"})


def probe(mail: Mail) -> Probe:
    """What the cascade looks into: sender, subject, and the body as its reader sees it."""
    return Probe(mail.sender, mail.subject, f"{mail.body.text}\n{mail.body.visible_html_text}")


def hits_while_open(mails: Sequence[Mail], rules: RuleSet) -> list[tuple[Hit, ...]]:
    """The hits of each mail that its decision needs."""
    markers = rules.markers()
    heads = [Probe(mail.sender, mail.subject) for mail in mails]
    bodiless = Matcher(marker for marker in markers if marker.field != "body")
    found = list(bodiless.hits_of(heads))
    rest = _BodyRules(rules)
    still = [at for at, hits in enumerate(found) if rest.is_open(hits)]
    whole = Matcher(markers).hits_of([probe(mails[at]) for at in still])
    for at, hits in zip(still, whole, strict=True):
        found[at] = hits
    return found


class _BodyRules:
    """The rules that look into bodies, by their place; ready once for many mails."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._places = {rule.name: place for place, rule in enumerate(rules.rules)}
        self._bodies = {rule.name: _without_bodies(rule) for rule in rules.rules if _looks_inside(rule)}
        self._anywhere = [name for name, rule in self._bodies.items() if not rule.conditions]
        self._is_relevance_inside = any(
            one.makes_relevant and BODIES & {field for field, _ in one.conditions} for one in rules.sets
        )

    def is_open(self, hits: Sequence[Hit]) -> bool:
        """Whether the body may change what these hits of sender and subject say."""
        if any(hit.rule == IRRELEVANT for hit in hits):
            return False
        verdict = classify(hits, self._rules)
        if verdict.rule is None:
            return self._is_relevance_inside or any(True for _ in self._waiting(hits))
        found = self._rules.classification(verdict.classification)
        if found is not None and found.archivable and verdict.is_safe_to_archive:
            return True
        place = self._places[verdict.rule]
        return any(self._places[name] < place for name in self._waiting(hits))

    def _waiting(self, hits: Sequence[Hit]) -> Iterator[str]:
        """The rules that lack a word of the body and nothing else."""
        yield from self._anywhere
        for name in {hit.rule for hit in hits} & self._bodies.keys():
            if self._bodies[name].holds(hits):
                yield name


def _looks_inside(rule: Rule) -> bool:
    return bool(BODIES & {field for field, _ in rule.conditions})


def _without_bodies(rule: Rule) -> Rule:
    return replace(rule, conditions=tuple(pair for pair in rule.conditions if pair[0] not in BODIES))
