"""Quota in units: what a plan will cost, and a meter that paces requests so that Gmail never has to.

The meter is a token bucket. Its burst is a fortieth of a minute's units and it refills with the rest, so that no
60 seconds see more than `units_per_minute`. On a virtual clock waiting is free, yet every unit is counted.

>>> price({"messages.get": 300, "messages.list": 2}, Quota())
Price(units=6010, requests=302, minutes=1.0)
"""

from collections.abc import Mapping

from pipeline.clock import Monotonic
from pipeline.models.manifest import Price
from pipeline.models.policy import Quota


def price(counts: Mapping[str, int], quota: Quota) -> Price:
    """The price of so many requests of each method, e.g. `{"messages.get": 300}`; minutes at the full rate."""
    units = sum(quota.cost(method) * count for method, count in counts.items())
    minutes = round(units / quota.units_per_minute, 2)
    return Price(units=units, requests=sum(counts.values()), minutes=minutes)


class Meter:
    """Counts `spent_units` and `requests`, and waits on its clock where a request would come too early."""

    __slots__ = ("_burst", "_level", "_seen", "monotonic", "quota", "requests", "spent_units")

    def __init__(self, quota: Quota, monotonic: Monotonic) -> None:
        self.quota = quota
        self.monotonic = monotonic
        self.spent_units = 0
        self.requests = 0
        self._burst = max(1.0, quota.units_per_minute / 40)
        self._level = self._burst
        self._seen = monotonic.now()

    def charge(self, method: str) -> int:
        """Wait until one request of `method` fits (a dear one needs a full bucket), count it, return its units."""
        units = self.quota.cost(method)
        self._refill()
        missing = min(float(units), self._burst) - self._level
        if missing > 0:
            self.monotonic.sleep(missing / self._units_per_second)
            self._refill()
        self._level -= units
        self.spent_units += units
        self.requests += 1
        return units

    @property
    def _units_per_second(self) -> float:
        return max(1.0, self.quota.units_per_minute - self._burst) / 60

    def _refill(self) -> None:
        now = self.monotonic.now()
        self._level = min(self._burst, self._level + (now - self._seen) * self._units_per_second)
        self._seen = now
