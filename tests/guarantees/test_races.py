"""Two real processes, one approval, the same moment: one run, one set of changes; the other is told why not."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pipeline.config import REPOSITORY
from tests.guarantees.commanded import ENV, Service
from tests.guarantees.test_fault_matrix import judge_receipt
from tests.guarantees.wired import WISHES
from tests.sweeps import sweep, told
from twin.state import Options

Racer = subprocess.Popen[str]


@pytest.fixture(scope="module")
def racers() -> Iterator[tuple[Racer, Racer]]:
    """Two processes that wait for a start."""
    with ExitStack() as stack:
        yield (stack.enter_context(racer()), stack.enter_context(racer()))


def racer() -> Racer:
    """One of them; it ends when its stdin does."""
    argv = [sys.executable, "-m", "tests.guarantees.racer"]
    env = {**os.environ, **ENV}
    return subprocess.Popen(argv, cwd=REPOSITORY, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def race(service: Service, place: Path, racers: tuple[Racer, Racer]) -> list[str]:
    """How each ended, sorted."""
    told_to = {"place": str(place), "config": str(service.config), "digest": service.digest, "at": time.time() + 0.05}
    for one in racers:
        assert one.stdin is not None
        one.stdin.write(json.dumps(told_to) + "\n")
        one.stdin.flush()
    return sorted(one.stdout.readline().strip() for one in racers if one.stdout is not None)


def raced(service: Service, racers: tuple[Racer, Racer], folder: Path, runs: int) -> Iterator[list[str]]:
    """So many races, each judged: one did the work and the other was refused. How both ended."""
    for number in range(runs):
        place = service.fresh(folder / str(number))
        before = service.labels()
        ended = race(service, place, racers)
        assert ended in (["busy", "done"], ["consumed", "done"]), ended
        yield ended
        with service.world(place) as world:
            judge_receipt(service.wired(world), before)


@pytest.mark.contract("AP-4")
def test_two_processes_at_once_are_one_run(racers: tuple[Racer, Racer], tmp_path: Path) -> None:
    hits: Counter[str] = Counter()
    with Service.started(tmp_path / "service") as service:
        for ended in raced(service, racers, tmp_path, sweep(500, 25)):
            hits.update(ended)
            sent = [seen for seen in service.twin.mutations if seen.route == "messages.batchModify"]
            assert sum(len(json.loads(seen.body)["ids"]) for seen in sent) == len(WISHES), "each target once"
    told("races of two processes", hits, runs=hits["done"], states=("done",))


@pytest.mark.contract("AP-4")
def test_two_processes_at_once_move_each_message_once(racers: tuple[Racer, Racer], tmp_path: Path) -> None:
    hits: Counter[str] = Counter()
    with Service.started(tmp_path / "service", Options(trash_keeps_inbox=True)) as service:
        for ended in raced(service, racers, tmp_path, sweep(200, 20)):
            hits.update(ended)
            sent = [seen.path for seen in service.twin.mutations if seen.route == "messages.trash"]
            assert len(sent) == len(set(sent)) == len(WISHES), "each target once"
    told("races of two processes for the trash", hits, runs=hits["done"], states=("done",))
