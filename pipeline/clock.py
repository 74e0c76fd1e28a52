"""Two injected clocks: wall time for documents, monotonic time for pacing and timeouts.

In the demo the wall clock is logical: a fixed start plus one second for each document the workspace holds, so that
no two facts share a time and a rerun writes the same bytes. In demo, loopback and tests the monotonic clock is
virtual: waiting costs nothing, yet the quota meter counts every unit.

>>> wall = LogicalWall(documents=2)
>>> wall.now().isoformat()
'2026-11-28T09:00:02+00:00'
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

DEMO_START = datetime(2026, 11, 28, 9, 0, 0, tzinfo=UTC)


class Wall(Protocol):
    """Tells the time that documents carry."""

    def now(self) -> datetime:
        """The present, UTC, whole milliseconds at most."""


class Monotonic(Protocol):
    """Seconds that only grow, and a way to wait for them."""

    def now(self) -> float:
        """Seconds since an arbitrary start."""

    def sleep(self, seconds: float) -> None:
        """Wait; a virtual clock only advances."""


@dataclass(frozen=True)
class SystemWall:
    """The machine's clock in UTC, cut to whole seconds (documents need no more, and files stay readable)."""

    def now(self) -> datetime:
        """The present, UTC, whole seconds."""
        return datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True)
class LogicalWall:
    """The demo's clock: `start` plus one second for each document that exists."""

    documents: int
    start: datetime = DEMO_START

    def now(self) -> datetime:
        """Start plus `documents` seconds."""
        return self.start + timedelta(seconds=self.documents)


@dataclass(frozen=True)
class FixedWall:
    """A clock that stands still: reproduce and tests."""

    at: datetime

    def now(self) -> datetime:
        """Always `at`."""
        return self.at


@dataclass(frozen=True)
class SystemMonotonic:
    """The machine's monotonic clock."""

    def now(self) -> float:
        """Seconds since boot or so."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Really wait."""
        time.sleep(max(0.0, seconds))


@dataclass
class VirtualMonotonic:
    """Time that passes only when somebody waits."""

    elapsed: float = 0.0

    def now(self) -> float:
        """Seconds waited so far."""
        return self.elapsed

    def sleep(self, seconds: float) -> None:
        """Advance without waiting."""
        self.elapsed += max(0.0, seconds)
