"""lint: each thing that can be wrong with rules that load is found and named; the same rules put right are green."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from pipeline.judge.covering import covers, groups_of
from pipeline.judge.lint import lint
from pipeline.judge.lint_mail import Stored, lint_mail
from pipeline.judge.stored import stored_from
from pipeline.models.findings import Finding, counts, is_green
from pipeline.models.policy import Policy, Protection
from pipeline.models.rules import RuleSet, parse_rules
from tests.strategies.judgement import POLICY, capture_of, judge, mailboxes, noise
from tests.strategies.rules import override, rule_set, rule_sets, sender_rule, shipped
from tests.sweeps import sweep

PLAIN = Policy(version=1)


def found(policy: Policy = POLICY, **changes: Any) -> list[tuple[str, str, str]]:
    """(severity, id, file) of every finding of a small rule set."""
    return [(one.severity, one.id, one.file) for one in lint(rule_set(**changes), policy)]


def template(name: str = "t", **changes: Any) -> dict[str, Any]:
    base = {"name": name, "body_contains_any": ["view job"], "classification": "Job Alert", "confidence": 0.9}
    return {**base, **changes}


def test_rules_that_do_not_meet_are_green() -> None:
    assert found(overrides=[override()], templates=[template()], senders=[sender_rule()]) == []


def test_the_shipped_rules_are_green() -> None:
    assert lint(parse_rules(shipped()), POLICY) == ()


# --- shadowed and in conflict


def test_rule_of_a_later_tier_that_an_earlier_one_covers_is_shadowed() -> None:
    wide = override(sender_contains=[".jobly.example"], subject_contains=None)
    wide = {key: value for key, value in wide.items() if value is not None}
    narrow = sender_rule(domain_equals=["mail.jobly.example"])
    assert found(overrides=[wide], senders=[narrow]) == [("warning", "shadowed/boards", "sender_rules.toml")]
    assert found(overrides=[{**wide, "sender_contains": ["corp.example"]}], senders=[narrow]) == []


def test_rule_whose_senders_are_irrelevant_is_shadowed() -> None:
    assert found(irrelevant={"sender_contains": [".jobly.example"]}, senders=[sender_rule()]) == [
        ("warning", "shadowed/boards", "sender_rules.toml")
    ]
    assert found(irrelevant={"domains": ["corp.example"]}, senders=[sender_rule()]) == []


def test_same_condition_and_another_class_is_a_conflict_and_the_same_class_a_repetition() -> None:
    twin = sender_rule("twin", domain_equals=["JOBLY.example"])
    other = {**twin, "classification": "Interview"}
    assert found(senders=[sender_rule(), twin]) == [("warning", "shadowed/twin", "sender_rules.toml")]
    assert found(senders=[sender_rule(), other]) == [("error", "conflict/twin", "sender_rules.toml")]


def test_single_marker_that_an_earlier_rule_takes_is_a_conflict() -> None:
    second = sender_rule("second", domain_equals=["corp.example", "jobly.example"], classification="Interview")
    assert found(senders=[sender_rule(), second]) == [
        ("warning", "conflict/second/domain_equals/2", "sender_rules.toml")
    ]
    assert found(senders=[sender_rule(), {**second, "classification": "Job Alert"}]) == []


# --- dead


@pytest.mark.contract("JU-5")
@pytest.mark.parametrize(
    "change",
    [{"conditions": ()}, {"conditions": (("subject", ()),)}, {"classification": "Unheard Of"}],
    ids=["no condition", "an empty condition", "an unknown class"],
)
def test_rule_that_can_decide_nothing_is_dead(change: dict[str, Any]) -> None:
    """Loading refuses these; a rule set that was made in another way is judged all the same."""
    rules = rule_set(senders=[sender_rule()])
    spoiled = replace(rules, rules=(replace(rules.rules[0], **change),))
    assert [(one.severity, one.id) for one in lint(spoiled, POLICY)] == [("error", "dead/boards")]


# --- never archives


@pytest.mark.parametrize(
    ("change", "severity"),
    [
        ({"confidence": 0.79}, "warning"),
        ({"classification": "Interview"}, "warning"),
        ({"safe": False, "confidence": 0.79}, ""),
        ({"safe": False, "classification": "Interview"}, ""),
        ({"confidence": 0.8}, ""),
    ],
)
def test_override_that_says_it_archives_and_never_can(change: dict[str, Any], severity: str) -> None:
    expected = [(severity, "never_archives/mine", "manual_overrides.toml")] if severity else []
    assert found(overrides=[override(**change)]) == expected


def test_low_confidence_elsewhere_is_a_choice_and_a_policy_counts() -> None:
    assert found(senders=[sender_rule(confidence=0.79)]) == [("note", "never_archives/boards", "sender_rules.toml")]
    strict = Policy(version=1, minimum_confidence=0.99)
    assert [one[0] for one in found(strict, senders=[sender_rule()])] == ["note"]


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    ("words", "is_kept"),
    [
        (["please reply by noon"], True),
        (["an INTERVIEW digest", "reply by noon"], True),
        (["your invoice"], True),
        (["digest", "reply by noon"], False),
        (["digest"], False),
    ],
)
def test_rule_whose_own_words_ask_for_something_never_archives(words: list[str], is_kept: bool) -> None:
    expected = [("warning", "never_archives/t", "template_rules.toml")] if is_kept else []
    assert found(templates=[template(body_contains_any=words)]) == expected


def test_employment_in_its_own_words_counts_only_without_the_waiver() -> None:
    asks = template(body_contains_any=["apply here"])
    assert found(POLICY, templates=[asks]) == []
    assert [one[1] for one in found(PLAIN, templates=[asks])] == ["never_archives/t"]
    waived = Policy(version=1, protect=Protection(waive_employment_for=("Rejection",)))
    assert [one[1] for one in found(waived, templates=[asks])] == ["never_archives/t"]


# --- catches people


@pytest.mark.contract("LE-2")
@pytest.mark.parametrize(
    ("markers", "severity"),
    [
        (["gmail.com"], "error"),
        ([".outlook.com"], "error"),
        (["priya"], "warning"),
        (["Priya Nair"], "warning"),
        (["Émilie".replace("ie", "y")], "warning"),
        (["jobly"], ""),
        (["jobly alerts"], ""),
        (["laura jobs"], ""),
        (["ngozi"], "warning"),
        (["frau"], "warning"),
        (["Mr Jobly"], "warning"),
        (["a"], "warning"),
        (["grandma"], "warning"),
        (["quill anna"], "warning"),
        ([".co.uk"], "error"),
        (["googlegroups.com"], "error"),
        (["april"], ""),
        (["papa pizza"], ""),
        (["hr@jobly.example"], ""),
        (["jobly.example"], ""),
    ],
)
def test_sender_words_that_name_a_person_or_everybody(markers: list[str], severity: str) -> None:
    rule = template(sender_contains=markers)
    expected = [(severity, "catches_people/t/sender/1", "template_rules.toml")] if severity else []
    assert found(templates=[rule]) == expected
    irrelevant = found(irrelevant={"sender_contains": markers})
    assert [one[0] for one in irrelevant] == ([severity] if severity else [])


def test_free_mail_domains_of_sender_rules_and_personal_names_of_the_policy() -> None:
    rule = sender_rule(domain_equals=["gmail.com"])
    assert found(senders=[rule]) == [("error", "catches_people/boards/domain_equals/1", "sender_rules.toml")]
    mine = Policy(version=1, protect=Protection(personal_names=("Okonkwo Jobly",)))
    assert [one[1] for one in found(mine, templates=[template(sender_contains=["jobly"])])] == [
        "catches_people/t/sender/1"
    ]


@pytest.mark.contract("LE-2")
@pytest.mark.parametrize(
    ("domain", "severity"),
    [
        *((name, "error") for name in ("co.uk", "com.au", "github.io", "gmail.com", "mail.gmail.com", "email.com")),
        *((name, "error") for name in ("googlegroups.com", "privaterelay.appleid.com", "aim.com", "usa.net")),
        *((name, "") for name in ("jobly.example", "news.jobly.example", "notgooglegroups.com")),
    ],
)
def test_domain_that_strangers_share_is_an_error_in_either_condition(domain: str, severity: str) -> None:
    for field in ("domain_equals", "domain_under"):
        rule = {key: value for key, value in sender_rule().items() if key != "domain_equals"}
        ids = [(severity, f"catches_people/boards/{field}/1", "sender_rules.toml")] if severity else []
        assert found(senders=[{**rule, field: [domain]}]) == ids


def test_domain_above_one_that_forwards_is_shared_with_what_is_under_it() -> None:
    rule = {key: value for key, value in sender_rule().items() if key != "domain_equals"}
    assert [one[0] for one in found(senders=[{**rule, "domain_under": ["appleid.com"]}])] == ["error"]
    assert found(senders=[{**rule, "domain_equals": ["appleid.com"]}]) == []


# --- what lint says is true


IF = "If there is a match, we will call you back soon."
WIDE = {"name": "wide", "classification": "Application Received", "confidence": 0.9, "body_contains": ["call you back"]}


def decided_by(rules: RuleSet, text: str) -> tuple[Any, Any]:
    row = judge(capture_of([noise(text=text)]), rules).row("decisions", "a1")
    return row["rule"], row["action"]


def test_template_that_a_pattern_covers_in_what_is_meant_alone_is_not_shadowed() -> None:
    """Patterns do not look at what would happen if; templates do."""
    narrow = template(body_contains_any=["will call you back soon"])
    rules = rule_set(patterns=[WIDE], templates=[narrow])
    assert decided_by(rules, IF)[0] == "t"
    assert lint(rules, POLICY) == ()
    same = rule_set(templates=[template("w", body_contains_any=["call you back"]), narrow])
    assert [one.id for one in lint(same, POLICY)] == ["shadowed/t"]


def test_rule_on_action_words_is_said_to_archive_what_only_says_them_in_an_if() -> None:
    """The gate does not hold an "if"; only of words that always protect is "always" true."""
    rules = rule_set(templates=[template(body_contains_any=["an interview"])])
    (one,) = lint(rules, POLICY)
    assert "action:asks" in one.what and "always" not in one.what
    assert decided_by(rules, "If your profile is a match, there will be an interview.") == ("t", "label+archive")
    (one,) = lint(rule_set(templates=[template(body_contains_any=["your invoice"])]), POLICY)
    assert "always raise protected:money" in one.what


def test_condition_on_a_sentence_or_a_shape_is_no_senders_name() -> None:
    from_boards = {"name": "boards ask", "makes_relevant": True, "sender_contains": ["jobly", "list"]}
    base = {"name": "p", "classification": "Job Alert", "confidence": 0.9}
    for condition in ({"sentence_says": ["jobly & jobs"]}, {"shape_is": ["list"]}):
        assert found(patterns=[{**base, **condition}], actions=[from_boards]) == []


# --- every finding


@settings(max_examples=sweep(1500), deadline=None)
@given(rule_sets())
def test_every_finding_names_its_rule_and_what_mends_it(rules: RuleSet) -> None:
    findings = lint(rules, POLICY)
    names = {rule.name for rule in rules.rules} | {"irrelevant"}
    assert all(one.rule in names and one.file and one.what and one.mend for one in findings)
    assert len({one.id for one in findings}) == len(findings)
    assert sum(counts(findings).values()) == len(findings)
    assert findings == lint(rules, POLICY)


@settings(max_examples=sweep(1500), deadline=None)
@given(rule_sets())
def test_a_shadowed_rule_can_go_and_nothing_else_is_found(rules: RuleSet) -> None:
    """Mending works: without the rules that are shadowed or in conflict as a whole, none is."""
    idle = {one.rule for one in lint(rules, POLICY) if one.kind in ("shadowed", "conflict") and one.subject == one.rule}
    mended = replace(rules, rules=tuple(rule for rule in rules.rules if rule.name not in idle))
    assert [one for one in lint(mended, POLICY) if one.subject in {r.name for r in mended.rules}
            and one.kind in ("shadowed", "conflict")] == []  # fmt: skip


@settings(max_examples=sweep(400), deadline=None)
@given(mailboxes(), rule_sets())
def test_a_shadowed_rule_decides_no_mail(resources: list[dict[str, Any]], rules: RuleSet) -> None:
    tables = judge(capture_of(resources), rules).tables
    stored = stored_from(tables["hits"], tables["decisions"], tables["protected"])
    idle = {one.rule for one in lint(rules, POLICY) if one.kind == "shadowed"}
    assert not idle & set(stored.decided_by.values())
    told = lint_mail(rules, stored)
    deciding = {rule.name for rule in rules.rules if rule.name in stored.decided_by.values()}
    assert not deciding & {one.rule for one in told if one.kind in ("never_hit", "always_beaten")}


# --- stored mail


def stored(rules: RuleSet, *resources: dict[str, Any]) -> Stored:
    tables = judge(capture_of(resources), rules).tables
    return stored_from(tables["hits"], tables["decisions"], tables["protected"])


def told(rules: RuleSet, *resources: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.severity, one.id) for one in lint_mail(rules, stored(rules, *resources))]


def test_owners_rule_that_no_mail_meets_is_a_warning_and_a_pattern_is_not() -> None:
    pattern = {"name": "p", "classification": "Job Alert", "confidence": 0.9, "text_contains": ["no such words"]}
    rules = rule_set(senders=[sender_rule(domain_equals=["gone.example"])], patterns=[pattern])
    assert told(rules, noise()) == [("warning", "never_hit/boards"), ("note", "never_hit/p")]
    assert told(rule_set(senders=[sender_rule()]), noise()) == []


def test_an_empty_mailbox_says_nothing() -> None:
    assert told(rule_set(senders=[sender_rule()])) == []


def test_rule_that_is_met_and_never_decides_is_told() -> None:
    rules = rule_set(overrides=[override(subject_contains=["new jobs"])], senders=[sender_rule()])
    assert told(rules, noise()) == [("note", "always_beaten/boards")]


@pytest.mark.contract("LE-2")
def test_sender_words_that_name_a_person_in_stored_mail() -> None:
    person = noise("p1", sender="Okonkwo Adaeze <adaeze@jobly.example>")
    rules = rule_set(senders=[sender_rule(sender_contains=["okonkwo", "jobly alerts"])])
    assert ("warning", "catches_people/boards/sender/1") in told(rules, noise(), person)
    assert told(rule_set(senders=[sender_rule()]), noise()) == []
    wording = template(sender_contains=["okonkwo"], body_contains_any=["view job"])
    assert ("note", "catches_people/t/sender/1") in told(rule_set(templates=[wording]), person)


def test_findings_hold_no_text_of_a_mail() -> None:
    person = noise("p1", sender="Okonkwo Canary <canary@jobly.example>", subject="Canary canary")
    rules = rule_set(senders=[sender_rule(sender_contains=["okonkwo"])])
    findings = lint_mail(rules, stored(rules, person))
    assert findings
    assert "canary" not in repr(findings).casefold()


def test_green_is_the_absence_of_what_must_be_mended() -> None:
    note, warning = Finding("note", "k", "s", "w"), Finding("warning", "k", "s", "w")
    assert is_green(()) and is_green((note,)) and not is_green((note, warning))
    assert counts((note, warning, warning)) == {"error": 0, "warning": 2, "note": 1}


def test_covering_is_used_with_the_conditions_of_a_rule() -> None:
    rules = rule_set(senders=[sender_rule(), sender_rule("sub", domain_equals=["mail.jobly.example"])])
    first, second = (groups_of(rule.conditions) for rule in rules.rules)
    assert not covers(first, second)
