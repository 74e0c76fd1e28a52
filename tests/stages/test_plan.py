"""plan: targets with fingerprints, nothing lost, whole targets under the cap, labels resolved before anything runs."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.manifest import ArchiveChange, ExistingLabel, LabelChange, NewLabel
from pipeline.models.plan import Plan
from pipeline.models.policy import Policy
from pipeline.models.rules import RuleSet
from pipeline.refusals import TableRefused
from pipeline.rulebook import read_rules
from pipeline.tables import DECISIONS, DISCARDS, MESSAGES, THREADS
from pipeline.tables import LABELS as LABELS_TABLE
from stages.plan import label_refs, plan, under_cap
from tests.strategies.captures import LABELS, NOON, RULE_FILES, Letter, account, capture_of
from tests.strategies.case_files import case_json
from tests.strategies.snapshots import normalized
from tests.sweeps import sweep

RULES: RuleSet = read_rules(RULE_FILES)
POLICY = Policy(version=1, window_days=90)
CLASSES = ("Job Alert", "Application Received", "Review Manually")


def decision(message_id: str, thread_id: str = "", **changes: Any) -> dict[str, Any]:
    values = {
        "message_id": message_id,
        "thread_id": thread_id or message_id,
        "as_of": NOON,
        "sender": "alerts@boardly.example",
        "subject": "Your job alert",
        "phase": "decide",
        "classification": "Job Alert",
        "confidence": 0.9,
        "source": "tier1",
        "rule": "alert words",
        "evidence": ["e1"],
        "reasons": [],
        "screen": "clean",
        "protected": [],
        "action": "label+archive",
    }
    return {**values, **changes}


def planned(
    decisions: list[dict[str, Any]],
    letters: list[Letter],
    labels: Any = LABELS,
    policy: Policy = POLICY,
    rules: RuleSet = RULES,
) -> Plan:
    tables = normalized((capture_of(letters, labels=labels),), ())
    frame = DECISIONS.frame(decisions)
    found = plan(
        frame, DISCARDS.frame([]), tables["messages"], tables["threads"], tables["labels"], rules, policy, account()
    )
    assert found["trash_plan"].targets == ()
    return found["plan"]


def box(count: int, **changes: Any) -> list[Letter]:
    """Letters m00, m01, ... the first the newest."""
    return [Letter(f"m{n:02d}", f"m{n:02d}", age=1 + n / 10, **changes) for n in range(count)]


# --- targets


@pytest.mark.contract("AP-1")
def test_a_target_carries_the_state_that_it_rests_on() -> None:
    letters = [Letter("a1", "a1", labels=("STARRED", "INBOX")), Letter("a2", "a1", labels=("SENT",))]
    (target,) = planned([decision("a1", reasons=["because"], action="label")], letters).targets
    assert target.fingerprint.label_ids == ("INBOX", "STARRED")
    assert target.fingerprint.thread_members == ("a1", "a2")
    assert target.fingerprint.internal_date_ms == int(letters[0].resource["internalDate"])
    assert target.fingerprint.history_id == "900100"
    assert (target.reasons, target.rule, target.source, target.confidence) == (
        ("because",),
        "alert words",
        "tier1",
        0.9,
    )
    assert isinstance(target.change, LabelChange)


def test_targets_are_sorted_and_the_order_of_rows_does_not_matter() -> None:
    letters, decisions = box(6), [decision(f"m{n:02d}") for n in range(6)]
    first = planned(decisions, letters)
    assert [target.message_id for target in first.targets] == [f"m{n:02d}" for n in range(6)]
    assert planned(decisions[::-1], letters[::-1]) == first
    assert planned(decisions, letters).to_bytes() == first.to_bytes()


@pytest.mark.parametrize("action", ["leave"])
def test_what_is_to_be_left_is_no_target(action: str) -> None:
    assert planned([decision("m00", action=action)], box(1)).targets == ()


@pytest.mark.contract("EV-4")
def test_decisions_about_mail_that_the_snapshot_lacks_are_refused_not_dropped() -> None:
    planned([decision("m00")], box(1))
    with pytest.raises(TableRefused, match="does not hold") as refusal:
        planned([decision("m00"), decision("m09")], box(1))
    assert refusal.value.evidence == "1 of 2"
    with pytest.raises(TableRefused, match="does not hold"):
        planned([decision("m00", "another-thread")], box(1))


# --- nothing to do is nothing


@pytest.mark.parametrize(
    ("labels", "action", "is_target"),
    [
        (("INBOX",), "label", True),
        (("INBOX", "Label_12"), "label", False),
        (("INBOX", "Label_12"), "label+archive", True),
        (("INBOX",), "label+archive", True),
        (("Label_12",), "label+archive", False),
        (("Label_12",), "label", False),
        (("STARRED",), "label+archive", True),
        (None, "label", False),
    ],
)
def test_a_change_that_would_change_nothing_is_left_out(labels: Any, action: str, is_target: bool) -> None:
    resource_labels = labels if labels is not None else ("a b",)  # no label id: unknown
    found = planned([decision("m00", action=action)], box(1, labels=resource_labels))
    assert len(found.targets) == int(is_target)
    assert total(found) == 1


# --- labels


def refs(labels: list[dict[str, str]]) -> dict[str, Any]:
    return label_refs(RULES, normalized((capture_of([], labels=labels),), ())["labels"])


def label(label_id: str, name: str, kind: str = "user") -> dict[str, str]:
    return {"id": label_id, "name": name, "type": kind}


def test_case_37_label_case_conflict_resolves_to_the_label_that_exists() -> None:
    labels = case_json("37", "labels.json")["labels"]
    files = dict(RULE_FILES)
    taxonomy = files["taxonomy.toml"].replace(b'label = "Job Alerts"', b'label = "receipts"')
    rules = read_rules(tuple({**files, "taxonomy.toml": taxonomy}.items()))
    found = planned([decision("m00")], box(1), labels=labels, rules=rules)
    assert found.targets[0].change == ArchiveChange(label=ExistingLabel(id="Label_12", name="Receipts"))
    assert found.new_labels == ()
    assert found.counts.create_label == 0


@pytest.mark.parametrize("name", ["Job Alerts", "job alerts", "JOB ALERTS"])
def test_a_label_in_another_case_is_used_not_made_again_and_keeps_its_name(name: str) -> None:
    assert refs([label("Label_5", name)])["Job Alert"] == ExistingLabel(id="Label_5", name=name)


@pytest.mark.parametrize("name", ["Jób Alerts", "Job  Alerts", "Job Alerts ", "Job\u200b Alerts", "Jοb Alerts"])
def test_a_label_that_only_looks_alike_is_another_label(name: str) -> None:
    assert refs([label("Label_5", name)])["Job Alert"] == NewLabel(create="Job Alerts")


def test_of_labels_in_several_cases_the_one_spelled_alike_wins_whatever_the_order() -> None:
    labels = [label("Label_1", "JOB Alerts"), label("Label_9", "Job Alerts"), label("Label_5", "job alerts")]
    exact = ExistingLabel(id="Label_9", name="Job Alerts")
    assert refs(labels)["Job Alert"] == refs(labels[::-1])["Job Alert"] == exact
    assert refs(labels[::2])["Job Alert"] == ExistingLabel(id="Label_1", name="JOB Alerts")


def test_a_system_label_of_that_name_is_no_label_of_ours() -> None:
    assert refs([label("CATEGORY_X", "Job Alerts", "system")])["Job Alert"] == NewLabel(create="Job Alerts")


def test_each_new_label_is_planned_once_and_only_when_a_target_wears_it() -> None:
    letters, labels = box(4), [one for one in LABELS if one["type"] == "system"]
    decisions = [decision(f"m{n:02d}", action="label") for n in range(3)]
    decisions.append(decision("m03", classification="Application Received", action="leave"))
    found = planned(decisions, letters, labels=labels)
    assert found.new_labels == ("Job Alerts",)
    assert found.counts.create_label == 1
    assert planned(decisions, letters).new_labels == ()


# --- the cap


@pytest.mark.contract("AP-10")
def test_over_the_cap_whole_targets_stay_and_the_next_run_takes_them() -> None:
    letters, decisions = box(5), [decision(f"m{n:02d}") for n in range(5)]
    decisions[4]["action"] = "label"
    policy = Policy(version=1, archive_cap=2)
    first = planned(decisions, letters, policy=policy)
    assert [target.message_id for target in first.targets] == ["m00", "m01", "m04"], "newest first, labels uncapped"
    assert first.left_over == ("m02", "m03")
    assert first.counts.over_cap == 2
    done = {target.message_id for target in first.targets}
    rest = [letter if letter.id not in done else replace(letter, labels=("Label_12",)) for letter in letters]
    left = [one if one["message_id"] not in done else {**one, "action": "leave"} for one in decisions]
    second = planned(left, rest, policy=policy)
    assert [target.message_id for target in second.targets] == ["m02", "m03"]
    assert second.left_over == ()


@settings(max_examples=sweep(500), deadline=None)
@given(st.lists(st.sampled_from(["label", "label+archive"]), max_size=12), st.integers(0, 6))
def test_the_cap_counts_archives_only_and_loses_nothing(actions: list[str], cap: int) -> None:
    rows = [{"action": action, "n": number} for number, action in enumerate(actions)]
    kept, left = under_cap(rows, cap)
    assert sorted([*kept, *left], key=lambda row: row["n"]) == rows
    assert sum(row["action"] == "label+archive" for row in kept) == min(cap, actions.count("label+archive"))
    assert all(row["action"] == "label+archive" for row in left)


# --- counts and price


def total(found: Plan) -> int:
    counts = found.counts
    parts = (counts.label, counts.archive, counts.over_cap, counts.protected, counts.uncertain, counts.excluded)
    return sum(parts)


decisions_of_any_kind = st.fixed_dictionaries(
    {
        "action": st.sampled_from(["leave", "label", "label+archive"]),
        "screen": st.sampled_from(["clean", "suspicious", "partial", "injection", "unreadable"]),
        "protected": st.sampled_from([[], ["money"], ["recent", "human"], None]),
        "classification": st.sampled_from(CLASSES),
    }
)


@pytest.mark.contract("JU-3")
@settings(max_examples=sweep(400), deadline=None)
@given(st.lists(decisions_of_any_kind, max_size=8), st.integers(0, 3))
def test_case_90_null_breaks_deny_gate_every_decision_is_counted_exactly_once(
    kinds: list[dict[str, Any]], cap: int
) -> None:
    for kind in kinds:  # what decide could never ask for: an archive that is not clean, or a null that is acted on
        if kind["action"] == "label+archive" and (kind["screen"] != "clean" or kind["protected"]):
            kind["action"] = "label"
        if kind["protected"] is None:
            kind["action"] = "leave"
    decisions = [decision(f"m{n:02d}", **kind) for n, kind in enumerate(kinds)]
    found = planned(decisions, box(len(kinds)), policy=Policy(version=1, archive_cap=cap))
    assert total(found) == len(decisions)
    left = [one for one in decisions if one["action"] == "leave"]
    assert found.counts.protected == sum(one["protected"] is None or len(one["protected"]) > 0 for one in left)
    assert found.counts.uncertain == sum(one["screen"] != "clean" and one["protected"] == [] for one in left)


def test_case_90_null_breaks_deny_gate_nulls_are_left_and_counted() -> None:
    rows = case_json("90", "rows.json")
    decisions = [
        decision(
            row["id"],
            action="label+archive" if row["id"] == "c" else "leave",
            screen="clean" if row["id"] == "c" else "unreadable",
        )
        for row in rows
    ]
    letters = [Letter(row["id"], row["id"], labels=tuple(row["labelIds"] or ()) or ("INBOX",)) for row in rows]
    found = planned(decisions, letters)
    assert [target.message_id for target in found.targets] == ["c"]
    assert (found.counts.uncertain, found.counts.archive, total(found)) == (2, 1, len(rows))


def test_the_price_counts_every_request_of_checks_changes_and_proof() -> None:
    letters, decisions = box(3), [decision(f"m{n:02d}") for n in range(3)]
    found = planned(decisions, letters)
    wanted = {
        "getProfile": 2,
        "labels.list": 1,
        "history.list": 4,
        "threads.get": 3,
        "messages.get": 6,
        "messages.batchModify": 1,
    }
    assert found.price.requests == sum(wanted.values())
    assert found.price.units == sum(account().quota.cost(name) * number for name, number in wanted.items())
    many = [replace(one, id=f"n{n}", thread=f"n{n}") for n, one in enumerate(box(1) * 301)]
    large = planned([decision(one.id) for one in many], many, policy=Policy(version=1, archive_cap=1000))
    assert large.price.requests < 301, "above 300 targets history proves them"


@pytest.mark.contract("AP-1")
def test_a_plan_holds_no_time_and_no_word_of_the_mail_or_the_query() -> None:
    policy = Policy(version=1, query="from:ann@vendor.example secretword")
    data = planned([decision("m00")], box(1), policy=policy).to_bytes()
    for word in (
        b"secretword",
        b"vendor.example",
        b"boardly",
        b"job alert for",
        b"created_at",
        b"expires_at",
        b"2026-",
    ):
        assert word not in data
    assert Plan.from_bytes(data).to_bytes() == data


@pytest.mark.contract("AP-10")
def test_after_the_changes_are_done_the_plan_is_empty() -> None:
    letters, decisions = box(3), [decision(f"m{n:02d}") for n in range(3)]
    assert planned(decisions, letters).targets
    done = [replace(letter, labels=("Label_12",)) for letter in letters]
    assert planned(decisions, done).targets == ()


def test_an_empty_mailbox_has_an_empty_plan() -> None:
    nothing = (DECISIONS, DISCARDS, MESSAGES, THREADS, LABELS_TABLE)
    plans = plan(*(table.frame([]) for table in nothing), RULES, POLICY, account())
    empty = plans["plan"]
    assert plans["trash_plan"] == empty
    assert (empty.targets, empty.new_labels, empty.left_over, total(empty)) == ((), (), (), 0)
    assert empty.decisions == DECISIONS.digest(pl.DataFrame(schema=DECISIONS.schema))
    assert NOON + timedelta(0) == NOON
