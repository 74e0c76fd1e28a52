"""The judge against the slow obvious one, record by record, in worlds that reach every tier, class, reason and action.

Two ways to the same answer prove nothing about what no world reaches; so what was reached is counted, printed, and
must not be little.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.decision import Decision
from tests.reference import decide as reference
from tests.reference.compare import differences
from tests.strategies.judged_worlds import World, world_of
from tests.sweeps import sweep

TIERS = ("irrelevant", "none", "override", "tier1", "template", "sender", "review")
ACTIONS = ("leave", "label", "label+archive")
CLASSES = (
    *("direct_human", "live_conversation", "recent", "attachment", "starred", "important", "user_labelled"),
    *("account_security", "money", "legal", "health", "employment", "orders", "housing_family", "travel_delivery"),
    *("uncertain", "injected"),
)
REASONS = (
    *("not_archivable", "override_not_safe", "low_confidence", "labels_unknown", "waived:employment"),
    *("screen:unknown", "screen:suspicious", "screen:injection", "screen:unreadable", "screen:partial"),
    *("body:unknown", "body:empty", "body:lossy", "body:not_fetched"),
    *("action:asks", "action:documents", "action:asks an applicant"),
    *(f"protected:{name}" for name in CLASSES),
    *("in_sent", "in_draft", "in_spam", "in_trash", "in_chat", "not_in_inbox", "outside_window"),
    *("already_handled", "reversed_by_hand", "irrelevant", "not_relevant", "thread:not_read", "thread:member_stays"),
)
NO_REASONS = {"message_id"}
"""A name in the gate that only looks like one."""
FLOOR = 5
"""The least of each in a tenth of the sweep."""


@cache
def swept() -> tuple[Counter[str], list[object]]:
    """(what was reached, differences) over all worlds of the sweep, looked at once."""
    reached: Counter[str] = Counter()
    differing: list[object] = []
    for seed in range(sweep(4000)):
        world = world_of(seed)
        differing += [(seed, *one) for one in differences(world)]
        reached.update(reached_in(world))
    return reached, differing


def reached_in(world: World) -> Iterator[str]:
    """Every tier, class, reason and action of a world, once a message."""
    for row in world.decisions:
        yield from (f"tier {row['source']}", f"action {row['action']}", *(f"reason {one}" for one in row["reasons"]))
    for classes in world.tables["protected"]["classes"].to_list():
        yield from (f"class {name}" for name in classes)


@pytest.mark.contract("JU-2", "JU-3")
def test_fast_judge_gives_the_whole_record_of_the_slow_obvious_one() -> None:
    assert swept()[1] == []


@pytest.mark.parametrize(
    ("kind", "names"), [("tier", TIERS), ("action", ACTIONS), ("class", CLASSES), ("reason", REASONS)]
)
def test_worlds_reach_everything(kind: str, names: tuple[str, ...]) -> None:
    reached = swept()[0]
    counts = {name: reached[f"{kind} {name}"] for name in names}
    print(kind, counts)
    assert {name: count for name, count in counts.items() if count < FLOOR} == {}
    strangers = {name for name in reached if name.startswith(f"{kind} ")} - {f"{kind} {name}" for name in names}
    assert strangers == set(), "what is new needs a line above, and a world that reaches it"


def test_the_demo_reaches_every_action_and_what_its_rules_are_made_for() -> None:
    """Counts only: nobody who writes rules reads the demo's mail."""
    logs = sorted(Path("data/decisions/demo").glob("*.jsonl"))
    decisions = [Decision.model_validate_json(line) for log in logs for line in log.read_bytes().splitlines()]
    counts = Counter(name for one in decisions for name in (one.source, one.action, *one.reasons))
    print(dict(counts.most_common()))
    assert min(counts[name] for name in (*ACTIONS, "none", "tier1", "review")) >= FLOOR
    assert {name for name in counts if name.startswith("protected:")} <= {f"protected:{name}" for name in CLASSES}


@settings(max_examples=sweep(300), deadline=None)
@given(st.integers(4_000, 2**40))
def test_seeds_that_nobody_chose_agree_too(seed: int) -> None:
    assert differences(world_of(seed)) == []


def test_every_reason_that_the_gate_can_give_is_in_the_list() -> None:
    """Read from its source: a new reason shows here before any world meets it."""
    tree = ast.parse(Path("pipeline/judge/gate.py").read_text("utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    reasons = {text for text in texts if re.fullmatch(r"[a-z]+(_[a-z]+)+|[a-z]+:[a-z_]*", text)} - NO_REASONS
    starts = {f"{name.partition(':')[0]}:" for name in REASONS}
    assert reasons - set(REASONS) - starts == set()
    assert len(reasons) >= 10


def test_the_slow_judge_shares_nothing_with_the_judge() -> None:
    tree = ast.parse(Path(reference.__file__).read_text("utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    ours = {name for name in modules if name and name.split(".")[0] in ("pipeline", "stages", "tests")}
    assert ours == {
        "pipeline.mail.fold",
        "pipeline.mail.reader",
        "pipeline.models.policy",
        "pipeline.models.rules",
    }
