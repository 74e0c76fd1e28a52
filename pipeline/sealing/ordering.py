"""In which order runs were opened, whatever the clock said: each opening names the run that was the newest then. Pure.

Whole seconds are all that a wall clock gives, and it may be moved back between two runs. So order is the number of runs
on the way back along `after`; only receipts of equal depth (those of older workspaces name nobody, and two copies of a
workspace may have gone on apart and been put together again) are told apart by time of opening, then by run id.

    ranks(one.opened for one in receipts)["18f0a1b2c3d40240"]     # a Rank; ranks sort, oldest first

A named run that is not here means that a receipt is missing, and then nobody knows what came first: Tampered.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import pairwise

from pipeline.models.receipt import Opened
from pipeline.refusals import Tampered

Rank = tuple[int, datetime, str]
"""Runs before it on its chain, time of opening, run id."""


def ranks(openings: Iterable[Opened]) -> dict[str, Rank]:
    """Run -> its rank among these openings of one account. Raises Tampered, naming the run that is missing."""
    opened = {one.run: one for one in openings}
    refuse_broken(opened.values())
    depths: dict[str, int] = {}
    for run in opened:
        way = list(_way_back(run, opened, depths))
        earlier = opened[way[-1]].after if way else None
        depth = depths[earlier] + 1 if earlier is not None else 0
        depths |= {one: depth + number for number, one in enumerate(reversed(way))}
    return {run: (depths[run], one.at, run) for run, one in opened.items()}


def _way_back(run: str, opened: Mapping[str, Opened], known: Collection[str]) -> Iterator[str]:
    """The run and those before it, newest first, as far as nothing is known of them. Raises Tampered for a circle."""
    passed: set[str] = set()
    at: str | None = run
    while at is not None and at not in known:
        if at in passed:
            raise Tampered("receipts were altered: each came after the other", evidence=f"receipts/{at}.jsonl",
                           next_command="gmailtriage verify")  # fmt: skip
        passed.add(at)
        yield at
        at = opened[at].after


def missing_runs(openings: Collection[Opened]) -> dict[str, str]:
    """Run that is not here -> a run that came after it, sorted."""
    here = {one.run for one in openings}
    named = {one.after: one.run for one in openings if one.after is not None}
    return {run: named[run] for run in sorted(named.keys() - here)}


def twins(openings: Collection[Opened]) -> dict[str, str]:
    """Run -> the one before it, which another run came right after too. That is no forgery: a workspace was put back
    from a copy and went on, and then what had been missing was put back too."""
    pairs = sorted((one.after, one.run) for one in openings if one.after is not None)
    return {run: after for (before, _), (after, run) in pairwise(pairs) if before == after}


def refuse_broken(openings: Collection[Opened]) -> None:
    """Silent when every run that another came after is here. Raises Tampered."""
    for run, later in missing_runs(openings).items():
        raise Tampered(
            f"receipt {run}.jsonl is gone",
            evidence=f"run {later} came after it",
            next_command="put the file back from a copy, then gmailtriage verify",
        )
