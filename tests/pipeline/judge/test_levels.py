"""The table of signs: it is whole, it adds up, and no further sign ever lowers what is forbidden."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.judge.levels import NEEDED, SIGNS, Level, level_of, sign_of, verdict_of
from tests.sweeps import sweep

JUDGE = Path(__file__).parents[3] / "pipeline" / "judge"
WORSE = {"clean": 0, "partial": 1, "unreadable": 2, "suspicious": 3, "injection": 4}
PLACES = ("", ":hidden", ":visible")
IDS = st.sampled_from([*(f"{name}{place}" for name in SIGNS for place in PLACES), "new_sign"])
EVIDENCE = st.lists(IDS, max_size=8)


@pytest.mark.contract("JU-8")
@given(EVIDENCE, IDS)
@settings(max_examples=sweep(20_000), deadline=None)
def test_another_hostile_sign_never_lowers_level_or_verdict(found: list[str], another: str) -> None:
    assert level_of([*found, another]) >= level_of(found)
    assert WORSE[verdict_of([*found, another])] >= WORSE[verdict_of(found)]


@pytest.mark.contract("JU-8")
@given(EVIDENCE)
@settings(max_examples=sweep(5_000), deadline=None)
def test_what_is_held_or_flagged_has_a_verdict_that_gets_no_action(found: list[str]) -> None:
    is_untouchable = verdict_of(found) in ("injection", "suspicious", "unreadable")
    assert is_untouchable or level_of(found) < Level.HOLD
    assert level_of(found) >= Level.HOLD or not is_untouchable


@given(EVIDENCE)
@settings(max_examples=sweep(2_000), deadline=None)
def test_order_and_repetition_of_evidence_say_nothing(found: list[str]) -> None:
    assert level_of(found) == level_of([*reversed(found), *found])
    assert verdict_of(found) == verdict_of([*reversed(found), *found])


def test_levels_nest_and_each_is_reached_by_some_sum() -> None:
    assert sorted(NEEDED, key=lambda level: NEEDED[level]) == [Level.WARY, Level.HOLD, Level.FLAG]
    assert level_of([]) is Level.NONE
    assert level_of(["lure"]) is Level.NONE
    assert level_of(["lure", "pressure"]) is Level.WARY
    assert level_of(["dmarc_fail"]) is Level.HOLD
    assert level_of(["dmarc_fail", "name_claims_brand"]) is Level.FLAG


def test_sign_that_nobody_described_weighs_the_most() -> None:
    assert level_of(["a_sign_of_tomorrow"]) is Level.FLAG
    assert verdict_of(["a_sign_of_tomorrow"]) == "suspicious"


def test_every_sign_has_its_reason_and_the_same_kind_wherever_it_was_found() -> None:
    for name, sign in SIGNS.items():
        assert len(sign.why.split()) >= 4, name
        assert sign.points >= 0
    assert sign_of("instruction:hidden") == sign_of("instruction:visible") == SIGNS["instruction"]


def test_every_sign_that_the_looks_can_yield_stands_in_the_table() -> None:
    """By the source: the constants that the looks yield, and the names of all patterns."""
    named = set()
    for path in (JUDGE / name for name in ("disguise.py", "senders.py", "borrowed.py", "injection.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Yield) and isinstance(node.value, ast.Constant):
                named.add(str(node.value.value))
    sources = ("orders.py", "addressees.py", "errands.py", "foreign_errands.py", "lures.py", "schemes.py")
    text = "".join((JUDGE / name).read_text() for name in sources)
    named |= set(re.findall(r"[pP]attern\(\s*\"(\w+)\"", text))
    assert len(named) > 40
    assert sorted(one for one in named if sign_of(one).why == sign_of("nobody knows it").why) == []
