"""B10: how much of the quota's limit the meter uses on the virtual clock, for the old and the new tables."""

from bench.measure import Result, result
from pipeline.clock import VirtualMonotonic
from pipeline.gmail.quota import Meter
from pipeline.models.policy import Quota

TABLES = {"new": Quota(), "old": Quota(units_per_minute=15_000, costs={"messages.get": 5, "threads.get": 10})}


def limit_used(*, is_smoke: bool) -> list[Result]:
    """B10: share of the limit that a long fetch uses, in the steady state."""
    reads = 2_000 if is_smoke else 100_000
    shares = [used(quota, reads) for quota in TABLES.values()]
    return [result("B10", shares, bar=0.97, better="higher", unit="of the limit used", peer="the quota itself")]


def used(quota: Quota, reads: int) -> float:
    """Units that were spent over units that the limit would have allowed in the time it took."""
    clock = VirtualMonotonic()
    meter = Meter(quota, clock)
    for _ in range(reads):
        meter.charge("messages.get")
    return meter.spent_units / (quota.units_per_minute * clock.now() / 60)
