"""Example messages inside the rule files, judged by the same matcher, cascade and gate that real mail meets.

An example is read as clean and fully fetched, alone in its thread and in the inbox, with employment waived for its
classification; protected words and action language count as always. There is no switch to skip this.
"""

from collections.abc import Iterable

from pipeline.judge.cascade import action_language, classify
from pipeline.judge.gate import Facts, Ruling, rule_thread
from pipeline.mail.address import read_sender
from pipeline.mail.matcher import Hit, Matcher, Probe
from pipeline.models.policy import Policy, Protection
from pipeline.models.rulefiles import Example
from pipeline.models.rules import RuleSet
from pipeline.refusals import RulesRefused


def check_examples(rules: RuleSet) -> RuleSet:
    """The rules themselves. Raises RulesRefused, naming the first examples that get another decision."""
    waived = Protection(waive_employment_for=tuple(found.name for found in rules.classifications))
    policy = Policy(version=1, protect=waived)
    probes = [Probe(read_sender([one.sender]), one.subject, one.body, shapes=one.shape) for one in rules.examples]
    found = Matcher(rules.markers()).hits_of(probes)
    failed = [
        problem
        for example, hits in zip(rules.examples, found, strict=True)
        if (problem := _problem(example, hits, rules, policy))
    ]
    if failed:
        raise RulesRefused(
            f"{len(failed)} of {len(rules.examples)} examples get another decision",
            evidence="; ".join(failed[:5]),
            next_command="correct the rule or the example in rules/",
        )
    return rules


def _problem(example: Example, hits: tuple[Hit, ...], rules: RuleSet, policy: Policy) -> str:
    verdict = classify(hits, rules)
    facts = Facts(
        message_id=example.name,
        label_ids=("INBOX",),
        screen="clean",
        body_state="fetched",
        protected=word_classes(hits, rules),
        action_language=action_language(hits, rules, verdict.classification),
        is_in_window=True,
        is_handled=False,
        is_reversed_by_hand=False,
    )
    (ruling,) = rule_thread([(facts, verdict)], rules, policy, is_whole=True)
    return _difference(example, verdict.classification or "none", ruling)


def _difference(example: Example, classification: str, ruling: Ruling) -> str:
    if (classification, ruling.action) == (example.classification, example.action):
        return ""
    why = f" ({', '.join(ruling.reasons)})" if ruling.reasons else ""
    wanted = f"{example.classification} / {example.action}"
    return f"{example.name}: wants {wanted}, gets {classification} / {ruling.action}{why}"


def word_classes(hits: Iterable[Hit], rules: RuleSet) -> tuple[str, ...]:
    """The protected classes that words raise, sorted."""
    protects = {found.name: found.protects for found in rules.sets if found.protects is not None}
    raised = {protects[hit.rule] for hit in hits if hit.role == "protected" and hit.rule in protects}
    return tuple(sorted(raised))
