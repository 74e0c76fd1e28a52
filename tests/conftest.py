"""Keeps what each passed sweep of a long run said, for `make counts`: one line a test in build/sweeps/."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.sweeps import IS_FULL, SAID

FOLDER = Path(__file__).resolve().parent.parent / "build" / "sweeps"


LONGEST = (
    "test_commands",
    "test_killed_processes",
    "test_machine",
    "test_decide_reached",
    "test_judgement",
    "test_loop",
)
"""Files that take longest, longest first: begun last, one of them would keep a core while the other idles."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first; all others in their order."""
    rank = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(LONGEST)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """After the body of each test: a line about it when it passed in the long profile."""
    report = yield
    if report.when == "call":  # type: ignore[attr-defined]  # pytest's own report
        said = [asdict(one) for one in SAID]
        SAID.clear()
        if IS_FULL:
            outcome = report.outcome  # type: ignore[attr-defined]  # the same
            seconds = round(report.duration, 2)  # type: ignore[attr-defined]  # the same
            line = {"test": item.nodeid, "outcome": outcome, "at": time.time(), "seconds": seconds, "said": said}
            keep(line)
    return report


def keep(line: dict[str, object]) -> None:
    """One line in the file of this worker process."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
