"""Taking a rule out: one cut, every other byte stays, and what would not load again is refused before it is written."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import ruleedits
from pipeline.refusals import RulesRefused
from pipeline.rulebook import read_rules
from pipeline.ruleedits import cut, without
from stages.promote import with_rule
from tests.strategies.captures import RULE_FILES
from tests.strategies.case_files import case_path
from tests.strategies.rules import shipped
from tests.sweeps import sweep

COMMENTED = b"""# mine, do not touch
version = 1 # one

# why the first is here
[[rule]]   # by hand
name = "boardly"
domain_equals = [
    "boardly.example", # their alerts
]
classification = "Job Alert"
confidence = 0.85 # last

# why the second is here
[[rule]]
name = "greenfield"
domain_equals = ["greenfield.example"]
classification = "Job Alert"
confidence = 0.9
# the end, without a newline"""
FILES = {**dict(RULE_FILES), "sender_rules.toml": COMMENTED}


def files(**changes: bytes) -> tuple[tuple[str, bytes], ...]:
    return tuple({**FILES, **{f"{name}.toml": data for name, data in changes.items()}}.items())


def comments(data: bytes) -> list[str]:
    return [line.partition("#")[2] for line in data.decode().splitlines() if "#" in line]


@pytest.mark.parametrize("name", ["boardly", "greenfield"])
def test_one_rule_goes_and_the_comments_around_it_stay(name: str) -> None:
    edit = cut(files(), name)
    assert edit.file == "sender_rules.toml"
    left = tomllib.loads(edit.new.decode())["rule"]
    assert [rule["name"] for rule in left] == [one for one in ("boardly", "greenfield") if one != name]
    assert edit.removed.startswith("[[rule]]") and name in edit.removed
    outside = edit.old.replace(edit.removed.encode(), b"")
    assert comments(edit.new) == comments(outside)
    assert edit.new.endswith(b"# the end, without a newline")


def test_rules_of_every_tier_can_go_from_the_shipped_files() -> None:
    book = read_rules(shipped())
    for rule in book.rules:
        try:
            edit = cut(shipped(), rule.name)
        except RulesRefused as refused:
            assert "would not load" in refused.what, rule.name  # an example rests on it
            continue
        left = read_rules(tuple((name, edit.new if name == edit.file else data) for name, data in shipped()))
        assert [one.name for one in left.rules] == [one.name for one in book.rules if one.name != rule.name]


def test_rule_on_which_an_example_rests_is_refused_with_the_example_named() -> None:
    example = b"""
[[example]]
name = "greenfield is filed"
from = "Greenfield <news@greenfield.example>"
subject = "News"
classification = "Job Alert"
action = "label+archive"
"""
    with pytest.raises(RulesRefused) as refused:
        cut(files(sender_rules=COMMENTED + b"\n" + example), "greenfield")
    assert "greenfield is filed" in refused.value.evidence
    assert "rules --remove greenfield" in refused.value.next_command


@pytest.mark.parametrize("name", ["nobody", "Boardly", "boardly ", "", "rule", "codes", "asks for something"])
def test_what_is_no_rule_is_refused(name: str) -> None:
    with pytest.raises(RulesRefused):
        cut(files(), name)


def test_near_name_is_told_and_not_taken() -> None:
    with pytest.raises(RulesRefused) as refused:
        cut(files(), "BOARDLY")
    assert "boardly" in refused.value.evidence


def test_name_in_several_files_is_refused_with_each_place() -> None:
    with pytest.raises(RulesRefused) as refused:
        cut(files(template_rules=FILES["template_rules.toml"].replace(b'"thanks"', b'"boardly"')), "boardly")
    assert "sender_rules.toml" in refused.value.evidence and "template_rules.toml" in refused.value.evidence
    with pytest.raises(RulesRefused, match="more than once"):
        cut(files(sender_rules=COMMENTED.replace(b'"greenfield"', b'"boardly"')), "boardly")


@pytest.mark.contract("JU-4")
def test_words_that_keep_mail_in_the_inbox_cannot_be_taken_out_by_name() -> None:
    with pytest.raises(RulesRefused, match="no rule"):
        cut(files(), "asks for something")


def test_broken_rules_can_be_mended_by_taking_the_broken_rule_out() -> None:
    wrong = COMMENTED.replace(
        b'classification = "Job Alert"\nconfidence = 0.9', b'classification = "None"\nconfidence = 1'
    )
    with pytest.raises(RulesRefused):
        read_rules(files(sender_rules=wrong))
    assert b"greenfield" not in cut(files(sender_rules=wrong), "greenfield").new


@pytest.mark.parametrize("old", [b"version = 1\nrule = [{name = 'x'}]\n", b"\xff", b"[[rule", b"rule = 1"])
def test_file_of_another_layout_is_refused_by_name(old: bytes) -> None:
    with pytest.raises(RulesRefused):
        without(old, "rule", 0, "sender_rules.toml")


def test_an_edit_that_takes_more_than_the_rule_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the editor answers: the new file must say what the old one said, without that rule."""
    monkeypatch.setattr(ruleedits, "_split", lambda *given: ("version = 1\n", "", ""))
    with pytest.raises(RulesRefused, match="more than one rule"):
        without(COMMENTED, "rule", 0)


def test_case_94_tables_out_of_order_keep_their_order_or_the_edit_is_refused() -> None:
    old = case_path("94", "sender_rules.toml").read_bytes()
    for index, kept in ((0, "Nail"), (1, "Hammer")):
        try:
            new, _ = without(old, "sender_rules", index, "sender_rules.toml")
        except RulesRefused:
            continue
        read = tomllib.loads(new.decode())
        assert [rule["name"] for rule in read["sender_rules"]] == [kept]
        assert read["meta"] == {"owner": "me"}
        assert new.startswith(b"# my rules, do not reorder\n")


def test_a_rule_that_promote_added_leaves_the_file_as_it_was() -> None:
    rule = {"name": "mined x", "sender_contains": ["x@y.example"], "classification": "Job Alert", "confidence": 0.9}
    for old in (COMMENTED + b"\n", FILES["template_rules.toml"], b"version = 1\n"):
        new = with_rule(old, rule)
        index = len(tomllib.loads(new.decode())["rule"]) - 1
        assert without(new, "rule", index)[0] == old


TEXTS = ['"a"', "'b # no comment'", '"""\n[[rule]]\nname = 1\n"""', "'''\n# text\n'''", '"\\u0000"', "0.5", "true"]
GAPS = ["", "\n", "\n\n", "# a comment\n", "\n# one\n\n# two\n", "  \t\n"]
ENDS = ["", " # behind", "   "]


@st.composite
def rule_files(draw: st.DrawFn) -> tuple[str, int]:
    """(a file with one to four rules, laid out as people do, the number of one of them)."""
    many = draw(st.integers(1, 4))
    text = draw(st.sampled_from(["version = 1\n", "# top\nversion = 1 # one\n", ""]))
    for number in range(many):
        text += draw(st.sampled_from(GAPS)) + "[[rule]]" + draw(st.sampled_from(ENDS)) + f'\nname = "r{number}"\n'
        for key in range(draw(st.integers(0, 2))):
            text += draw(st.sampled_from(GAPS)) + draw(st.sampled_from(["", "  "])) + f"k{key} = "
            value = draw(st.sampled_from([*TEXTS, "[\n 1, # in\n # own line\n 2,\n]", "{a = 1}"]))
            text += value + draw(st.sampled_from(ENDS)) + "\n"
    text += draw(st.sampled_from([*GAPS, "[meta]\nx = 1\n", "# end"]))
    return text, draw(st.integers(0, many - 1))


@settings(max_examples=sweep(3000), deadline=None)
@given(rule_files(), st.booleans(), st.booleans())
def test_any_layout_loses_one_rule_and_no_other_byte(given_file: tuple[str, int], is_cut: bool, is_dos: bool) -> None:
    text, index = given_file
    text = text.removesuffix("\n") if is_cut else text
    old = (text.replace("\n", "\r\n") if is_dos else text).encode()
    before = tomllib.loads(old.decode())
    new, removed = without(old, "rule", index)
    after: dict[str, Any] = tomllib.loads(new.decode())
    assert after.get("rule", []) == [rule for at, rule in enumerate(before["rule"]) if at != index]
    assert {key: value for key, value in after.items() if key != "rule"} == {
        key: value for key, value in before.items() if key != "rule"
    }
    start = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(new))
    assert old[:start] + new[start:] == new
    assert len(old) - len(new) in (len(removed.encode()), len(removed.encode()) + 1)
    rest = len(new) - start
    assert rest == 0 or old.endswith(new[start:]) or new[start - 1 :] in old
