"""How far a sweep goes, and what it says about itself: a tenth in the normal run, whole with SWEEP=full.

    for number in range(sweep(500)):        # 500 in `make test-long`, 50 otherwise
        hits[state] += 1
    told("repeated kills", hits, floor=10)  # prints, keeps it for docs/guarantees.md, fails below the floor

>>> sweep(1000) in (100, 1000)
True
>>> len(part(range(1000))) in (100, 1000)
True
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

IS_FULL = os.environ.get("SWEEP") == "full"
Point = TypeVar("Point")


def sweep(full: int, share: int = 10) -> int:
    """Examples for this run: `full` in the long profile, `full // share` (at least 10) otherwise."""
    return full if IS_FULL else max(10, full // share)


def part(points: Sequence[Point], share: int = 10) -> list[Point]:
    """The points of this run: all of them in the long profile, otherwise every `share`-th, the last one among them."""
    return list(points) if IS_FULL else list(points[(len(points) - 1) % share :: share])


@dataclass(frozen=True)
class Told:
    """What one sweep said: how many points it tried, and how often it met each state."""

    what: str
    runs: int
    hits: Mapping[str, int]


SAID: list[Told] = []
"""What the test that is running has said so far; `tests/conftest.py` empties it after each test."""


def told(what: str, hits: Mapping[str, int], *, runs: int = 0, states: Sequence[str] = (), floor: int = 10) -> None:
    """Print a sweep's count and histogram and keep them; fails when one of `states` was met less than `floor` times.
    `runs`: the points tried, where the hits do not add up to them."""
    ordered = dict(sorted(hits.items()))
    SAID.append(Told(what, runs or sum(hits.values()), ordered))
    print(f"{what}: {SAID[-1].runs} points, {ordered}")
    rare = {state: hits.get(state, 0) for state in states if hits.get(state, 0) < floor}
    assert not rare, f"{what}: met less than {floor} times: {rare}"
