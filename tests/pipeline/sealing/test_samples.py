"""The examples that a person judges by: from every group, from different senders, inert, never more than asked."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.sealing.samples import Sample, group_lines, representatives
from tests.strategies.mail import HOSTILE_CHARACTERS

DAY = 86_400_000
GROUPS = ("job_alert/archive/daily", "interview/label/tier1")
senders = st.sampled_from(["a@one.example", "b@one.example", "c@two.example", "d@three.example", None])
subjects = st.text(st.sampled_from([*HOSTILE_CHARACTERS, "a", "\n", "\x1b"]), max_size=90)
drawn = st.builds(Sample, st.just("m"), st.sampled_from(GROUPS), senders, subjects, st.integers(0, 20_000 * DAY))
rows = st.lists(drawn, max_size=30).map(lambda found: [replace(row, message_id=f"m{n}") for n, row in enumerate(found)])


def sample(number: int, sender: str, day: int) -> Sample:
    """One message of the first group."""
    return Sample(f"m{number}", GROUPS[0], sender, "New jobs", day * DAY)


def test_each_sender_has_an_example_before_one_has_two_and_the_largest_and_newest_come_first() -> None:
    mail = [sample(n, "a@one.example", n) for n in range(5)]
    mail += [sample(5, "b@two.example", 9), sample(6, "c@three.example", 1)]
    assert [row.message_id for row in representatives(mail, 3)] == ["m4", "m6", "m5"]
    assert [row.message_id for row in representatives(mail, 5)] == ["m4", "m6", "m5", "m3", "m2"]


def test_a_group_says_how_many_it_is_and_how_many_are_not_shown() -> None:
    mail = [sample(n, "a@one.example", n) for n in range(5)] + [Sample("x", GROUPS[1], None, "Tuesday?", 0)]
    assert group_lines(mail, 2) == [
        "group     job_alert/archive/daily: 5",
        "          1970-01-05  one.example                   New jobs",
        "          1970-01-04  one.example                   New jobs",
        "          and 3 more",
        "group     interview/label/tier1: 1",
        "          1970-01-01  (no certain sender)           Tuesday?",
    ]


@pytest.mark.contract("OU-3", "AP-2")
@given(rows, st.integers(0, 5))
def test_every_group_is_named_and_no_line_holds_what_a_terminal_obeys(found: list[Sample], few: int) -> None:
    lines = group_lines(found, few)
    assert {line.split()[1].rstrip(":") for line in lines if line.startswith("group")} == {row.group for row in found}
    assert sum(int(line.rpartition(": ")[2]) for line in lines if line.startswith("group")) == len(found)
    assert all(line.isprintable() and len(line) < 200 for line in lines)
    assert lines == group_lines(found[::-1], few)


@given(rows, st.integers(0, 5))
def test_examples_are_members_once_and_no_more_than_asked(found: list[Sample], few: int) -> None:
    chosen = representatives(found, few)
    assert len(chosen) == min(few, len(found)) == len(set(chosen)) and set(chosen) <= set(found)
    domains = {row.domain for row in found}
    assert len({row.domain for row in chosen}) == min(len(domains), few)
