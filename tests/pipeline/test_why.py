"""why: the told path is the one that was taken, for every message of generated mailboxes, and holds no mail text."""

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path as FilePath
from typing import Any

import pytest

from pipeline.cli import run
from pipeline.cli.why import Path, judged, path_of
from pipeline.cli.why_lines import why_lines
from pipeline.models.policy import Policy
from pipeline.models.rules import RuleSet
from pipeline.tables import DISCARDS as DISCARDS_TABLE
from tests.strategies.captures import Letter
from tests.strategies.captures import capture_of as capture_of_letters
from tests.strategies.judged_worlds import world_of
from tests.strategies.judgement import AS_OF, POLICY, Judged, capture_of, judge, mail_state, noise, state_row
from tests.strategies.rules import override, rule_set, sender_rule
from tests.sweeps import sweep
from tests.worlds import make_folders, write_capture

SEEN: Counter[str] = Counter()


def values_of(found: Judged, rules: RuleSet, policy: Policy = POLICY) -> dict[str, Any]:
    """What a chain of stages would have in memory."""
    return {**found.tables, "rules": rules, "policy": policy, "as_of": AS_OF}


def path(message: str, resources: list[dict[str, Any]], rules: RuleSet, **changed: Any) -> Path:
    return judged(message, values_of(judge(capture_of(resources), rules, **changed), rules))


def answers(clauses: Any) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {clause.name: (clause.answer, clause.reasons) for clause in clauses if clause.answer != "passes"}


def check_one(row: dict[str, Any], told: Path) -> None:
    """A decision against the path that is told for it."""
    deciding = [step for step in told.tiers if step.said == "decides"]
    assert [step.tier for step in deciding] == ([] if row["source"] == "none" else [row["source"]])
    assert row["rule"] in (None, *(step.winner for step in deciding))
    assert {name for step in told.tiers for one in step.met for name in one.evidence} >= set(row["evidence"])
    act, archive = answers(told.may_act), answers(told.may_archive)
    bars = {reason for answer, reasons in archive.values() for reason in reasons if answer == "bars"}
    is_held = any(member.is_holding for member in told.thread) or not told.is_whole_thread
    weaker = "leave" if told.only_to_file else "label"
    expected = "leave" if act else weaker if bars or is_held else "label+archive"
    assert row["action"] == expected
    said = [reason for reason in row["reasons"] if not reason.startswith("thread:")]
    waived = {reason for answer, reasons in archive.values() for reason in reasons if answer == "waived"}
    assert set(said) <= bars | waived | {reason for _, reasons in act.values() for reason in reasons}
    if row["action"] == "label" and not bars:
        assert (not told.is_whole_thread) is ("thread:not_read" in row["reasons"])
        SEEN["held by its thread"] += 1
    SEEN[row["action"]] += 1


def test_the_told_path_ends_in_the_decision_that_was_taken() -> None:
    SEEN.clear()
    for seed in range(sweep(2000)):
        world = world_of(seed)
        facts = {"rules": world.rules, "policy": world.policy, "as_of": AS_OF}
        for row in world.decisions[:4]:
            check_one(row, judged(row["message_id"], {**world.tables, **facts}))
    print(dict(SEEN))
    assert min(SEEN[name] for name in ("leave", "label", "label+archive", "held by its thread")) >= 5


def test_each_tier_is_told_in_order_with_what_it_would_have_said() -> None:
    rules = rule_set(
        overrides=[override(subject_contains=["nothing such"], sender_contains=["jobly"])],
        templates=[{"name": "t", "classification": "Job Alert", "confidence": 0.9, "body_contains_any": ["view job"]}],
        senders=[sender_rule()],
    )
    told = path("a1", [noise()], rules)
    assert [(step.tier, step.said, step.winner) for step in told.tiers] == [
        ("irrelevant", "says nothing", ""),
        ("override", "says nothing", ""),
        ("tier1", "says nothing", ""),
        ("template", "decides", "t"),
        ("sender", "would decide", "boards"),
        ("review", "says nothing", ""),
    ]
    (half,) = told.tiers[1].met
    assert (half.name, half.evidence, half.missing) == ("mine", ("mine/sender/1",), ("subject",))


def test_each_clause_of_the_gate_has_its_verdict() -> None:
    rules = rule_set(overrides=[override(safe=False, confidence=0.5, classification="Interview")])
    resource = noise(subject="digest invoice", text="reply by noon", labels=("INBOX", "STARRED"))
    told = path("a1", [resource], rules)
    assert answers(told.may_act) == {}
    assert answers(told.may_archive) == {
        "its class may be archived": ("bars", ("not_archivable",)),
        "its rule allows archive": ("bars", ("override_not_safe",)),
        "it is sure enough": ("bars", ("low_confidence",)),
        "nothing protects it": ("bars", ("protected:money", "protected:starred")),
        "nothing in it asks for anything": ("bars", ("action:asks",)),
    }
    assert told.protected == {"money": ("money words/text/1",), "starred": ("label",)}


def test_every_clause_that_stops_an_action_is_told_not_only_the_first() -> None:
    state = mail_state(state_row("a1", is_reversed_by_hand=True))
    told = path("a1", [noise(labels=("SENT",))], rule_set(), mail_state=state)
    assert set(answers(told.may_act)) == {
        "it is in the inbox and nowhere else",
        "it was not handled before",
        "it was not taken back by hand",
        "it is relevant",
    }


def test_a_waiver_is_told_as_one() -> None:
    told = path("a1", [noise(text="apply")], rule_set(senders=[sender_rule()]))
    assert answers(told.may_archive) == {"nothing protects it": ("waived", ("waived:employment",))}


@pytest.mark.contract("JU-3")
def test_the_member_that_holds_a_thread_is_named() -> None:
    box = [noise("a1", "t"), noise("a2", "t", text="reply by noon"), noise("a3", "t", labels=("Label_1",))]
    told = path("a1", box, rule_set(senders=[sender_rule()]))
    assert [(one.message_id, one.is_holding) for one in told.thread] == [("a1", False), ("a2", True), ("a3", False)]
    assert told.thread[1].reasons == ("label", "action:asks")
    assert told.is_whole_thread


@pytest.mark.contract("EV-2", "OU-3")
def test_the_path_holds_no_text_of_the_mail() -> None:
    resource = noise(sender="Canary Bird <canary@jobly.example>", subject="canary digest", text="canary, reply by noon")
    rules = rule_set(senders=[sender_rule()], overrides=[override()])
    found = judge(capture_of([resource]), rules)
    told = judged("a1", values_of(found, rules))
    assert "canary" not in repr(asdict(told)).casefold()
    lines = why_lines(path_of("a1", {**found.tables, "discards": DISCARDS_TABLE.frame(())}), told)
    assert [line for line in lines if "canary" in line.casefold() and not line.startswith("    from_")] == [
        "    subject                canary digest"
    ]


def test_the_command_prints_the_path_and_the_same_as_json(
    tmp_path: FilePath, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = make_folders(tmp_path)
    write_capture(folders.workspace(), capture_of_letters([Letter("a1", "a1"), Letter("a2", "a1", subject="Hello")]))
    assert run(["why", "a1", *folders.words]) == 0
    text = capsys.readouterr().out
    assert text.startswith("decision: label+archive\n")
    for line in (
        "tier1       decides: alert words",
        "sender      would decide: boardly",
        "passes   nothing protects it",
        "a1 (this one): lets it go",
    ):
        assert line in text
    assert run(["why", "a1", "--json", *folders.words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["path"]["tiers"][2]["said"] == "decides"
    assert {one["message_id"] for one in document["path"]["thread"]} == {"a1", "a2"}
    assert document["decisions"][0]["message_id"] == "a1"
