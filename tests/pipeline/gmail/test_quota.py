"""The meter: no minute sees more than its units, every unit is counted, and a price is what will be paid."""

from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.clock import VirtualMonotonic
from pipeline.gmail.calls import CALLS
from pipeline.gmail.quota import Meter, price
from pipeline.models.policy import UNIT_COSTS, Quota
from tests.sweeps import sweep

METHODS = sorted(CALLS)


def test_every_callable_method_has_its_documented_price() -> None:
    assert CALLS.keys() <= UNIT_COSTS.keys()


def test_price_is_units_requests_and_minutes_of_the_accounts_own_table() -> None:
    counts = {"messages.get": 10_000, "messages.list": 20}
    assert price(counts, Quota()).model_dump() == {"units": 200_100, "requests": 10_020, "minutes": 33.35}
    old_project = Quota(units_per_minute=15_000, costs={"messages.get": 5})
    assert price(counts, old_project).model_dump() == {"units": 50_100, "requests": 10_020, "minutes": 3.34}
    assert price({}, Quota()).units == 0


@pytest.mark.contract("AP-7")
@settings(max_examples=sweep(400), deadline=None)
@given(
    st.integers(1000, 15_000),
    st.lists(st.tuples(st.sampled_from(METHODS), st.floats(0, 30)), min_size=1, max_size=200),
)
def test_no_sixty_seconds_see_more_than_a_minutes_units(rate: int, requests: list[tuple[str, float]]) -> None:
    clock = VirtualMonotonic()
    meter = Meter(Quota(units_per_minute=rate), clock)
    spent: list[tuple[float, int]] = []
    for method, pause in requests * 3:
        clock.sleep(pause if pause < 3 else 0)
        units = meter.charge(method)
        spent.append((clock.now(), units))
    for start, _ in spent:
        assert sum(units for at, units in spent if start <= at < start + 60) <= rate + 1e-6
    assert meter.spent_units == sum(units for _, units in spent)
    assert meter.requests == len(spent)


def test_meter_spends_what_the_price_said_in_about_the_time_it_said() -> None:
    clock = VirtualMonotonic()
    meter = Meter(Quota(), clock)
    for _ in range(1200):
        meter.charge("messages.get")
    told = price({"messages.get": 1200}, Quota())
    assert (meter.spent_units, meter.requests) == (told.units, told.requests)
    assert told.minutes * 60 <= clock.now() <= told.minutes * 60 * 1.1


def test_a_rate_below_one_request_still_ends() -> None:
    clock = VirtualMonotonic()
    meter = Meter(Quota(units_per_minute=1), clock)
    levels = list(accumulate(meter.charge("messages.batchModify") for _ in range(3)))
    assert levels == [50, 100, 150]
    assert clock.now() >= 100
