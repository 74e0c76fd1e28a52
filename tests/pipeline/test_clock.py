"""Two clocks that are handed in: nothing inside asks what time it is."""

import time
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.clock import DEMO_START, FixedWall, LogicalWall, SystemMonotonic, SystemWall, VirtualMonotonic
from tests.sweeps import sweep


def test_no_two_facts_of_the_demo_share_a_time() -> None:
    times = [LogicalWall(documents=number).now() for number in range(100)]
    assert len(set(times)) == 100
    assert times == sorted(times)
    assert times[0] == DEMO_START
    assert times[1] - times[0] == timedelta(seconds=1)


def test_the_logical_clock_does_not_look_at_the_machine() -> None:
    assert LogicalWall(3).now() == LogicalWall(3).now() == datetime(2026, 11, 28, 9, 0, 3, tzinfo=UTC)


def test_the_machine_clock_tells_utc_in_whole_seconds() -> None:
    now = SystemWall().now()
    assert now.tzinfo is UTC
    assert now.microsecond == 0
    assert abs(now - datetime.now(UTC)) < timedelta(seconds=2)


def test_a_fixed_clock_stands_still() -> None:
    assert FixedWall(DEMO_START).now() == FixedWall(DEMO_START).now() == DEMO_START


@settings(max_examples=sweep(300), deadline=None)
@given(st.lists(st.floats(-5, 10_000), max_size=20))
def test_virtual_time_passes_only_by_waiting_never_backwards_and_costs_nothing(waits: list[float]) -> None:
    clock, began = VirtualMonotonic(), time.monotonic()
    seen = [clock.now()]
    for seconds in waits:
        clock.sleep(seconds)
        seen.append(clock.now())
    assert seen == sorted(seen)
    assert clock.now() == sum(max(0.0, seconds) for seconds in waits)
    assert time.monotonic() - began < 1


def test_the_real_clock_waits_and_takes_a_negative_wait_as_none() -> None:
    clock, began = SystemMonotonic(), time.monotonic()
    clock.sleep(-1)
    clock.sleep(0.01)
    assert time.monotonic() - began >= 0.01
    assert clock.now() >= began
