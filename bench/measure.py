"""Interleaved timing of whole processes and the record of a result."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from pipeline.helpers import SETTING

T = TypeVar("T")
RESULTS = Path(__file__).parent / "results.json"
PYTHON = sys.executable
COMMAND = str(Path(PYTHON).parent / "gmailtriage")
IMPORT_POLARS = [PYTHON, "-c", "import polars"]


@dataclass(frozen=True)
class Result:
    """One benchmark's outcome. `value` is what the bar is compared with; `better` says which way is good."""

    id: str
    value: float
    bar: float
    better: str
    unit: str
    peer: str
    runs: int
    min: float
    median: float
    max: float
    machine: str

    @property
    def is_met(self) -> bool:
        """Whether the bar is reached."""
        return self.value >= self.bar if self.better == "higher" else self.value <= self.bar

    def line(self) -> str:
        """One row of the printed table."""
        word = "met" if self.is_met else "MISSED"
        spread = f"min {self.min:.3f} median {self.median:.3f} max {self.max:.3f}"
        return f"{self.id:5s} {self.value:9.3f} {self.unit:22s} bar {self.bar:<8g} {word:7s} {spread}  vs {self.peer}"


def result(name: str, values: Sequence[float], *, bar: float, better: str, unit: str, peer: str) -> Result:
    """A Result whose value is the median."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    middle = statistics.median(values)
    return Result(name, middle, bar, better, unit, peer, len(values), min(values), middle, max(values), machine)


@dataclass(frozen=True)
class Cost:
    """What one process took: wall seconds, and its own peak memory in MB (10^6 bytes)."""

    seconds: float
    peak_mb: float


def cost(command: Sequence[str], processes: int = 1) -> Cost:
    """The cost of a process that must succeed; ours may share its reading among so many, its helpers counted in time
    and not in memory."""
    env = {**os.environ, SETTING: str(processes)}
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
    _, status, usage = os.wait4(process.pid, 0)  # the only call that tells one child's memory
    taken = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return Cost(taken, usage.ru_maxrss * 1024 / 1e6)


def generated(kind: str, folder: Path, count: int, first: int = 0) -> Path:
    """A workspace that bench.generate filled; in a process of its own, so that its memory is not ours."""
    command = [PYTHON, "-m", "bench.generate", kind, str(folder), str(count), str(first)]
    subprocess.run(command, check=True)
    return folder


def size(full: int, usual: int, smoke: int, *, is_smoke: bool) -> int:
    """How many messages: FULL=1 in the environment asks for the sizes of the bar."""
    if is_smoke:
        return smoke
    return full if os.environ.get("FULL") == "1" else usual


def seconds(command: Sequence[str], env: dict[str, str] | None = None) -> float:
    """Wall seconds of a process that must succeed."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
    return time.perf_counter() - start


def interleaved(first: Callable[[], T], second: Callable[[], T], runs: int) -> list[tuple[T, T]]:
    """A B A B ... after one warm-up of each."""
    first(), second()
    return [(first(), second()) for _ in range(runs)]


def write(results: Sequence[Result]) -> None:
    """Replace results.json."""
    RESULTS.write_text(json.dumps([asdict(one) for one in results], indent=1) + "\n")
