"""The real command, killed and failed by strace at one system call after the other, against a twin over HTTP.

`execute` and `undo` as a person types them: a SIGKILL, a full disk, a broken disk or a broken connection at the Nth
write, fsync, rename, link, unlink or send. Then the same command once more in this process; the truth is the twin's.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.refusals import AlreadyUndone, Consumed, NothingToDo, PartlyDone
from tests.guarantees.commanded import Injected, Service, strace_or_absent
from tests.guarantees.test_fault_matrix import judge_receipt
from tests.guarantees.wired import WISHES, Wired
from tests.sweeps import IS_FULL, told
from twin.state import Options

NAMES = ("write", "fsync", "rename", "link", "unlink", "sendto")
KILL = "signal=SIGKILL"
ERRORS: Mapping[str, str] = {
    "write": "error=ENOSPC",
    "fsync": "error=EIO",
    "rename": "error=EIO",
    "link": "error=ENOSPC",
    "sendto": "error=ECONNRESET",
}
POINTS = 320 if IS_FULL else 16
"""At least so many, spread evenly over everything that both commands do."""
FEWER = 120 if IS_FULL else 5
"""The same for trash."""


@dataclass(frozen=True)
class Point:
    """One command and what strace does to it."""

    command: str
    injected: Injected


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    strace_or_absent()
    with Service.started(tmp_path_factory.mktemp("service")) as started:
        yield started


@pytest.fixture(scope="module")
def littered_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The same for trash, on a Gmail that takes INBOX off in the trash and puts it nowhere after it."""
    strace_or_absent()
    with Service.started(tmp_path_factory.mktemp("littered"), Options()) as started:
        yield started


def points(service: Service, folder: Path, share: int) -> list[Point]:
    """Every call of both commands killed, and every one that can fail failed; an even choice of them."""
    done = service.fresh(folder / "count")
    calls = {"execute": service.calls(done, NAMES, "execute", service.digest)}
    calls["undo"] = service.calls(done, NAMES, "undo", *undo_words(service, done))
    found = [
        Point(command, Injected(name, nth, what))
        for command, counted in calls.items()
        for name in NAMES
        for what in (KILL, *([ERRORS[name]] if name in ERRORS else []))
        for nth in range(1, counted[name] + 1)
    ]
    step = max(1, len(found) // share)
    return found[step // 2 :: step]


def undo_words(service: Service, place: Path) -> tuple[str, str]:
    """The run and the digest that confirm an undo without a terminal."""
    with service.world(place) as world:
        from pipeline.changes.undoing import choose
        from pipeline.sealing.receipts import load_receipts

        stored = choose(load_receipts(world.context.workspace), "")
        return stored.run, f"--digest={stored.sha256}"


@pytest.mark.contract("P1", "P2", "P3", "AP-6", "AP-8", "AP-9")
def test_the_real_command_killed_or_failed_at_a_system_call_is_ended_by_one_more(
    service: Service, tmp_path: Path
) -> None:
    chosen = points(service, tmp_path, POINTS)
    hits = struck(service, tmp_path, chosen)
    told("system calls of the real command", hits, runs=len(chosen), states=("died", "refused"), floor=POINTS // 8)
    assert len(chosen) >= (300 if IS_FULL else 15)


@pytest.mark.contract("P1", "P2", "P3", "AP-6", "AP-8", "AP-9")
def test_the_real_command_killed_or_failed_while_it_trashes_or_brings_back_is_ended_by_one_more(
    littered_service: Service, tmp_path: Path
) -> None:
    chosen = points(littered_service, tmp_path, FEWER)
    hits = struck(littered_service, tmp_path, chosen)
    told("system calls of the real command beside trash", hits, runs=len(chosen), states=("died", "refused"),
         floor=max(1, FEWER // 8))  # fmt: skip
    assert {one.command for one in chosen} == {"execute", "undo"} and len(chosen) >= FEWER


def struck(service: Service, tmp_path: Path, chosen: list[Point]) -> Counter[str]:
    """One command after the other, struck at its point and ended; how often what happened."""
    hits: Counter[str] = Counter()
    for number, point in enumerate(chosen):
        place = service.fresh(tmp_path / str(number))
        before = service.labels()
        if point.command == "undo":
            execute(service, place)
            words = undo_words(service, place)
        else:
            words = (service.digest, "")
        done = service.command(place, point.command, *filter(None, words), strace=point.injected)
        assert "Traceback" not in done.stderr, (point, done.stderr)
        end_it(service, place, point, before)
        hits[f"{point.command} {point.injected.name} {point.injected.what.partition('=')[2]}"] += 1
        hits["died" if done.returncode < 0 else "refused" if done.returncode else "went on"] += 1
    return hits


def execute(service: Service, place: Path) -> None:
    """The run in this process, to its end."""
    with service.world(place) as world:
        world.execute(service.digest)


def end_it(service: Service, place: Path, point: Point, before: Mapping[str, frozenset[str]]) -> None:
    """One more run in this process, judged by the twin; then all is taken back."""
    with service.world(place) as world:
        if point.command == "execute":
            with suppress(Consumed, PartlyDone):
                world.execute(service.digest)
            judge_newest(service.wired(world), before)
        with suppress(AlreadyUndone, NothingToDo, PartlyDone):
            world.undo()
    assert service.labels() == before, point


def judge_newest(wired: Wired, before: Mapping[str, frozenset[str]]) -> None:
    """As the fault matrix judges, on the newest execution; without a fault of Gmail nothing is left but a label whose
    only request nobody heard of."""
    statuses = judge_receipt(wired, before)
    now = wired.labels()
    done = {one for one, status in statuses.items() if status == "verified"}
    assert done == {one for one in WISHES if now[one] == wired.wanted(one, before[one])}
    assert set(statuses.values()) <= {"verified", "not_sent"}
