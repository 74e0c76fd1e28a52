"""promote: one rule more, every other byte as it was, the whole rule book checked before the file changes."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.clock import FixedWall, VirtualMonotonic
from pipeline.config import find_config
from pipeline.context import Context
from pipeline.refusals import NotATerminal, ProposalRefused, WriteFailed
from pipeline.rulebook import read_rules
from pipeline.tables import PROPOSALS as TABLE
from stages import promote as module
from stages.promote import promote, with_rule
from tests.strategies.captures import NOON, RULE_FILES
from tests.strategies.case_files import case_json, case_path
from tests.sweeps import sweep
from tests.worlds import make_folders

SENDER = "hello@openings.example"


def proposal(**changes: Any) -> dict[str, Any]:
    values = {
        "digest": "a" * 64,
        "name": f"mined {SENDER}",
        "sender_contains": SENDER,
        "domain_equals": None,
        "classification": "Job Alert",
        "confidence": 0.9,
        "message_count": 5,
        "evidence": ["m1"],
        "reasons_against": [],
    }
    return {**values, **changes}


def context_with(folder: Path, *rows: dict[str, Any], files: Any = RULE_FILES) -> Context:
    folders = make_folders(folder, rules=tuple(files))
    return Context(
        workspace=folders.workspace(),
        config=find_config("demo", {}, folders.config),
        wall=FixedWall(NOON),
        monotonic=VirtualMonotonic(),
        gmail=None,  # type: ignore[arg-type]  # promote never asks Gmail
        approval_key=lambda: b"",
        terminal=None,
        derive=lambda *wanted: (TABLE.frame(rows),),
        say=lambda text: None,
    )


def rule_file(context: Context) -> Path:
    return context.config.rules_folder() / "sender_rules.toml"


@pytest.mark.contract("LE-1")
def test_exactly_one_rule_is_added_and_every_other_byte_stays(tmp_path: Path) -> None:
    context = context_with(tmp_path, proposal())
    before = {path.name: path.read_bytes() for path in context.config.rules_folder().iterdir()}
    text = promote(context, "a" * 64)
    assert SENDER in text
    after = {path.name: path.read_bytes() for path in context.config.rules_folder().iterdir()}
    assert after["sender_rules.toml"].startswith(before["sender_rules.toml"])
    assert {name for name in after if after[name] != before.get(name)} == {"sender_rules.toml"}
    rules = read_rules(tuple(sorted(after.items()))).tier("sender")
    assert [rule.name for rule in rules] == ["boardly", f"mined {SENDER}"]
    assert rules[-1].classification == "Job Alert"


@pytest.mark.contract("LE-1")
@pytest.mark.parametrize(
    "digest", ["b" * 64, "a" * 16, "A" * 64, "a" * 63, f"{'a' * 64} ", "../sender_rules.toml", "*"]
)
def test_any_other_digest_is_refused_and_nothing_changes(digest: str, tmp_path: Path) -> None:
    context = context_with(tmp_path, proposal())
    before = rule_file(context).read_bytes()
    with pytest.raises(ProposalRefused):
        promote(context, digest)
    assert rule_file(context).read_bytes() == before


@pytest.mark.contract("LE-1")
def test_without_a_digest_nobody_said_yes(tmp_path: Path) -> None:
    with pytest.raises(NotATerminal):
        promote(context_with(tmp_path, proposal()), "")


@pytest.mark.contract("LE-1", "LE-2")
def test_one_reason_against_is_enough(tmp_path: Path) -> None:
    context = context_with(tmp_path, proposal(reasons_against=["protected_or_unclean_mail"]))
    before = rule_file(context).read_bytes()
    with pytest.raises(ProposalRefused) as refusal:
        promote(context, "a" * 64)
    assert refusal.value.evidence == "protected_or_unclean_mail"
    assert rule_file(context).read_bytes() == before


BROKEN: dict[str, dict[str, Any]] = {
    "a name with a line break": {"name": 'evil"\n[[rule]]\nconfidence = 1'},
    "an invisible name": {"name": "mined \u202e"},
    "a name that is taken": {"name": "boardly"},
    "an unknown class": {"classification": "Anything"},
    "confidence over one": {"confidence": 1.5},
    "an empty sender": {"sender_contains": ""},
    "an empty name": {"name": " "},
}


@pytest.mark.contract("LE-1", "JU-5")
@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN.keys())
def test_a_rule_that_would_break_the_book_is_refused_before_the_file_changes(
    change: dict[str, Any], tmp_path: Path
) -> None:
    context = context_with(tmp_path, proposal(**change))
    before = rule_file(context).read_bytes()
    with pytest.raises(ProposalRefused):
        promote(context, "a" * 64)
    assert rule_file(context).read_bytes() == before


EXAMPLE = f"""
[[example]]
name = "openings stay"
from = "Openings <{SENDER}>"
subject = "An interview? No: openings"
body = "New openings"
classification = "Review Manually"
action = "label"
"""


@pytest.mark.contract("LE-1")
def test_an_example_that_would_get_another_decision_stops_the_promotion(tmp_path: Path) -> None:
    files = {**dict(RULE_FILES)}
    files["manual_overrides.toml"] += EXAMPLE.encode()
    read_rules(tuple(files.items()))
    context = context_with(tmp_path, proposal(), files=files.items())
    before = rule_file(context).read_bytes()
    with pytest.raises(ProposalRefused, match="no longer load"):
        promote(context, "a" * 64)
    assert rule_file(context).read_bytes() == before
    other = context_with(tmp_path / "other", proposal(sender_contains="x@other.example"), files=files.items())
    promote(other, "a" * 64)


def test_comments_and_odd_layout_stay_even_without_a_final_newline(tmp_path: Path) -> None:
    files = dict(RULE_FILES)
    odd = (
        b'# mine, do not touch\r\nversion = 1 # one\n\n\n[[rule]]   # by hand\nname = "boardly"\n'
        b'domain_equals = [ "boardly.example",\n  ] # keep\nclassification = "Job Alert"\nconfidence = 0.85 # last'
    )
    files["sender_rules.toml"] = odd
    context = context_with(tmp_path, proposal(), files=files.items())
    promote(context, "a" * 64)
    assert rule_file(context).read_bytes().startswith(odd + b"\n")
    assert len(tomllib.loads(rule_file(context).read_text())["rule"]) == 2


@pytest.mark.parametrize("old", [b"version = 1\nrule = []\n", b"version = 1\n[rule]\na = 1\n", b"\xff", b"[[rule"])
def test_a_file_that_cannot_take_a_rule_is_refused_by_name(old: bytes) -> None:
    with pytest.raises(ProposalRefused):
        with_rule(old, {"name": "x"})


def test_case_94_rule_file_edit_corrupts_neither_order_nor_comments_nor_name() -> None:
    """The hand-written file has its tables out of order and no final newline; the name tries to be a table."""
    old = case_path("94", "sender_rules.toml").read_bytes().replace(b"sender_rules", b"rule")
    rule = case_json("94", "approved_rule.json")
    new = with_rule(old, rule)
    before, after = tomllib.loads(old.decode()), tomllib.loads(new.decode())
    assert new.startswith(old)
    assert after["rule"] == [*before["rule"], rule]
    assert after["meta"] == before["meta"] == {"owner": "me"}
    assert "manual_overrides" not in after
    assert not old.endswith(b"\n")


@pytest.mark.contract("LE-1")
@settings(max_examples=sweep(500), deadline=None)
@given(
    st.text(max_size=30)
    | st.sampled_from(['"', '"""', "'", "]]\n[[rule]]", "\\", "\\u0000", "#", "\r\n", "\x7f", "="]),
    st.lists(st.text(max_size=10), max_size=3),
    st.floats(0, 1),
)
def test_hostile_names_stay_one_string(name: str, senders: list[str], confidence: float) -> None:
    old = dict(RULE_FILES)["sender_rules.toml"]
    rule = {"name": name, "sender_contains": senders, "classification": "Job Alert", "confidence": confidence}
    try:
        new = with_rule(old, rule)
    except (ProposalRefused, UnicodeEncodeError):
        return
    assert new.startswith(old)
    assert tomllib.loads(new.decode())["rule"][1:] == [rule]
    assert json.dumps(tomllib.loads(new.decode())["rule"][:1]) == json.dumps(tomllib.loads(old.decode())["rule"])


@pytest.mark.contract("AP-8")
def test_a_disk_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_with(tmp_path, proposal())
    before = rule_file(context).read_bytes()

    def full(path: Path, data: bytes) -> None:
        raise WriteFailed(f"cannot write {path.name}")

    monkeypatch.setattr(module, "replace_file", full)
    with pytest.raises(WriteFailed):
        promote(context, "a" * 64)
    assert rule_file(context).read_bytes() == before
