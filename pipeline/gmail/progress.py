"""How far a long read is: rate, time left, units left. A line every few seconds, told to whoever listens.

>>> progress_line(150, 600, seconds=30.0, units_left=591_000)
'read 150 of 600 messages (25%), 300 a minute, 1.5 minutes left, 591000 units left'
>>> progress_line(1, 600, seconds=0.0, units_left=599_980)
'read 1 of 600 messages (0%), 599980 units left'
"""

from collections.abc import Callable

from pipeline.gmail.quota import Meter

EVERY_SECONDS = 2.0


def progress_line(done: int, total: int, *, seconds: float, units_left: int) -> str:
    """One line of progress; without a rate as long as no time has passed."""
    start = f"read {done} of {total} messages ({100 * done // max(1, total)}%)"
    if seconds <= 0 or done == 0:
        return f"{start}, {units_left} units left"
    per_minute = 60 * done / seconds
    minutes_left = (total - done) / per_minute
    return f"{start}, {per_minute:.0f} a minute, {minutes_left:.1f} minutes left, {units_left} units left"


class Progress:
    """Counts reads and says so every `EVERY_SECONDS` of the meter's clock."""

    __slots__ = ("_budget", "_done", "_meter", "_said_at", "_say", "_started_at", "_total")

    def __init__(self, total: int, meter: Meter, budget_units: int, say: Callable[[str], None]) -> None:
        self._total, self._meter, self._budget, self._say = total, meter, budget_units, say
        self._done = 0
        self._started_at = self._said_at = meter.monotonic.now()

    def step(self) -> None:
        """One more was read."""
        self._done += 1
        now = self._meter.monotonic.now()
        if now - self._said_at < EVERY_SECONDS:
            return
        self._said_at = now
        left = max(0, self._budget - self._meter.spent_units)
        self._say(progress_line(self._done, self._total, seconds=now - self._started_at, units_left=left))
