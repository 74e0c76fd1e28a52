"""The benchmarks' own parts that could deceive: rules and mail from a seed, the plain loop, the Sieve script."""

import shutil
import tempfile
from dataclasses import replace
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from bench import cascade, sieve
from bench.letters import generated_letters, rfc822
from bench.opened import hits_while_open
from bench.owner_rules import resource, rule_files
from bench.sieve_script import UntranslatableError, script_of
from pipeline.mail.reader import Mail, read_message
from pipeline.models.rules import parse_rules
from tests.strategies.mail import message
from tests.strategies.rules import rule_set

SIZE = 120
UNSAID = ({"name": "unsaid", "makes_relevant": False, "text_contains": ["zyzyzy"]},)


@pytest.fixture(scope="module")
def box() -> cascade.Box:
    """A small mailbox under the seeded rules."""
    return cascade.box_of(SIZE)


def test_rules_are_as_many_as_the_bar_is_about_and_the_same_each_time() -> None:
    rules = parse_rules(rule_files())
    assert [len(rules.tier(tier)) for tier in ("override", "tier1", "template", "sender")] == [50, 0, 60, 200]
    assert rule_files() == rule_files()
    assert resource(7) == resource(7) != resource(8)


def test_mail_reaches_every_tier_and_every_action(box: cascade.Box) -> None:
    decided = cascade.plain(box)
    assert {one[1] for one in decided} == {"irrelevant", "override", "template", "sender", "none"}
    assert {one[5] for one in decided} == {"leave", "label", "label+archive"}


def test_all_ways_to_decide_come_to_the_same(box: cascade.Box) -> None:
    cascade.refuse_unequal(box, cascade.first(box, 20))


def test_one_other_decision_stops_the_benchmark(box: cascade.Box, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = [*cascade.plain(box)[:-1], ("x", "none", None, None, 0.0, "leave")]
    monkeypatch.setattr(cascade, "plain", lambda _: wrong)
    with pytest.raises(AssertionError, match="1 decisions differ"):
        cascade.refuse_unequal(box, cascade.first(box, 1))


def test_bodies_are_skipped_only_where_nothing_can_be_archived(box: cascade.Box) -> None:
    looked, every = (look(box.mails, box.rules) for look in (hits_while_open, cascade.every_hit))
    skipped = {mail.id for mail, some, all_ in zip(box.mails, looked, every, strict=True) if some != all_}
    assert skipped
    assert not skipped & {one[0] for one in cascade.plain(box) if one[5] == "label+archive"}


@pytest.mark.parametrize(("tier", "key"), [("templates", "body_contains_any"), ("patterns", "text_contains")])
def test_rule_with_nothing_but_words_of_the_body_opens_every_body(tier: str, key: str) -> None:
    rule = {"name": "words", "classification": "Interview", "confidence": 0.9, key: ["view job"]}
    mail = read_message(message(text="Please view job 7"))
    assert isinstance(mail, Mail)
    (hits,) = hits_while_open((mail,), rule_set(**{tier: [rule]}, actions=UNSAID))
    assert "words" in {hit.rule for hit in hits}


def test_both_forms_of_a_letter_say_the_same() -> None:
    found = resource(3)
    mail = read_message(found)
    other = message_from_bytes(rfc822(found), policy=policy.default)
    assert isinstance(mail, Mail)
    assert other["subject"] == mail.subject
    assert str(other["from"]).endswith(f"<{mail.sender.address}>")
    plain = other.get_body(("plain",))
    assert plain is not None
    assert plain.get_content().split() == mail.body.text.split()
    assert other.get_body(("html",)) is not None


def test_script_holds_each_rule_in_the_order_of_the_tiers() -> None:
    rules = parse_rules(rule_files())
    script = script_of(rules)
    places = [script.index(f'fileinto "{rule.name}"') for rule in rules.rules]
    assert places == sorted(places)
    assert script.index('fileinto "irrelevant"') < places[0]


@pytest.mark.parametrize(
    "condition",
    [
        {"sender_contains": ["jobly alerts"]},
        {"body_contains_any": ["größer"]},
    ],
)
def test_what_sieve_cannot_say_is_refused_not_translated(condition: dict[str, list[str]]) -> None:
    rule = {"name": "odd", "classification": "Interview", "confidence": 0.9, **condition}
    with pytest.raises(UntranslatableError):
        script_of(rule_set(templates=[rule], actions=UNSAID))


def test_what_the_peer_prints_is_read_message_by_message() -> None:
    printed = """>> Filtering message:

  ID:      <3@bench.example>
  Subject: store message in folder: x

Performed actions:

 * store message in folder: sender-7+asks

>> Filtering message:

  ID:      <4@bench.example>

Implicit keep:

 * store message in folder: INBOX
"""
    assert sieve.filtered(printed) == {3: "sender-7+asks", 4: "INBOX"}


def test_missing_peer_is_said_by_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    assert sieve.against_sieve(is_smoke=True) == []
    assert "sieve-filter is not installed (Debian: apt-get install dovecot-sieve)" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which(sieve.PROGRAM) is None, reason="sieve-filter is not installed")
def test_sieve_decides_every_message_by_the_same_rule_and_another_rule_is_seen() -> None:
    rules = parse_rules(rule_files())
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = generated_letters(Path(folder) / "box", 40)
        sieve.refuse_unequal(root, rules)
        fewer = replace(rules, rules=tuple(rule for rule in rules.rules if rule.tier != "sender"))
        with pytest.raises(AssertionError, match="differ"):
            sieve.refuse_unequal(root, fewer)
