"""The cascade: which rule decides, and what no rule decides."""

from dataclasses import replace

import pytest

from pipeline.judge.cascade import action_language, classify
from pipeline.mail.matcher import Hit
from tests.strategies.rules import override, rule_set, sender_rule

BOARDS = rule_set(senders=[sender_rule()])
HIT = Hit("rule", "boards", "domain_equals", "1")


@pytest.mark.contract("JU-5")
def test_unknown_category_becomes_review_manually_with_no_confidence() -> None:
    odd = replace(BOARDS, rules=(replace(BOARDS.rules[0], classification="Unheard Of"),))
    verdict = classify([HIT], odd)
    assert (verdict.classification, verdict.confidence, verdict.source) == ("Review Manually", 0.0, "sender")


def test_relevant_mail_that_no_rule_decides_has_no_confidence() -> None:
    verdict = classify([Hit("action", "asks", "text", "1")], BOARDS)
    assert (verdict.source, verdict.classification, verdict.confidence) == ("review", "Review Manually", 0.0)
    assert classify([], BOARDS).confidence == 0.0


def test_protected_words_alone_make_nothing_relevant() -> None:
    assert classify([Hit("protected", "money words", "text", "1")], BOARDS).source == "none"


def test_action_set_that_makes_nothing_relevant_still_counts_as_action() -> None:
    quiet = {"name": "quiet", "makes_relevant": False, "text_contains": ["please"]}
    rules = rule_set(actions=[quiet])
    hit = Hit("action", "quiet", "text", "1")
    assert classify([hit], rules).source == "none"
    assert action_language([hit], rules, None) == ("quiet",)


@pytest.mark.contract("JU-4")
def test_action_set_for_some_classes_counts_for_these_and_for_no_other() -> None:
    for_alerts = {"name": "days", "makes_relevant": False, "only_for": ["Job Alert"], "text_contains": ["monday"]}
    rules = rule_set(actions=[for_alerts])
    hit = Hit("action", "days", "text", "1")
    assert action_language([hit], rules, "Job Alert") == ("days",)
    assert action_language([hit], rules, "Application Received") == ()
    assert action_language([hit], rules, None) == ()


@pytest.mark.contract("JU-3")
def test_action_set_that_these_rules_do_not_know_counts() -> None:
    assert action_language([Hit("action", "of other rules", "text", "1")], BOARDS, "Job Alert") == ("of other rules",)


def test_hit_of_a_rule_that_is_gone_decides_nothing() -> None:
    assert classify([Hit("rule", "gone", "sender", "1")], BOARDS).source == "none"


def test_evidence_names_the_hits_of_the_deciding_rule_only() -> None:
    rules = rule_set(senders=[sender_rule()], overrides=[override()])
    hits = [HIT, Hit("rule", "mine", "subject", "1"), Hit("protected", "money words", "text", "1")]
    assert classify(hits, rules).evidence == ("mine/subject/1",)


@pytest.mark.contract("JU-3")
def test_hit_of_another_role_is_no_evidence_and_decides_nothing() -> None:
    """A set of other rules, or of the pipeline's own, may bear the name of a rule."""
    alike = [Hit("protected", "boards", "body", "short"), Hit("shape", "boards", "shape", "list")]
    assert classify([HIT, *alike], BOARDS).evidence == ("boards/domain_equals/1",)
    assert classify([Hit("shape", "asks", "shape", "list")], BOARDS).source == "none"
    assert classify([Hit("shape", "irrelevant", "shape", "list")], BOARDS).source == "none"
