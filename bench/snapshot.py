"""B1 to B4: from packs on disk to a verified snapshot, against the floor and the Node peer."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.measure import COMMAND, IMPORT_POLARS, PYTHON, Cost, Result, cost, generated, interleaved, result, size

HERE = Path(__file__).parent


def ours(root: Path, processes: int = 1) -> Cost:
    """The whole command that makes the snapshot, from nothing, by so many processes."""
    shutil.rmtree(root / "data" / "snapshots", ignore_errors=True)
    return cost([COMMAND, "normalize", "--only", "--workspace", str(root)], processes)


def floor(root: Path) -> Cost:
    """Reading, hashing and parsing the same bytes, and nothing else."""
    return cost([PYTHON, str(HERE / "floor.py"), str(root)])


def node(root: Path) -> Cost:
    """The Node script on the same bodies, one file each."""
    return cost(["node", str(HERE / "peer.mjs"), str(root / "responses"), str(root / "peer.json")])


def against_floor(*, is_smoke: bool) -> list[Result]:
    """B1: share of the floor's speed that we reach, serially; and how much faster two processes are than one."""
    count = size(100_000, 5_000, 200, is_smoke=is_smoke)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = generated("messages", Path(folder) / "box", count)
        pairs = interleaved(lambda: ours(root), lambda: floor(root), runs(is_smoke))
        both = interleaved(lambda: ours(root, 2), lambda: ours(root), runs(is_smoke))
    shares = [there.seconds / here.seconds for here, there in pairs]
    gains = [alone.seconds / two.seconds for two, alone in both]
    peer = f"read + sha256 + simdjson, {count} messages"
    return [
        result("B1", shares, bar=0.75, better="higher", unit="of the floor's speed", peer=peer),
        result("B1", gains, bar=1.6, better="higher", unit="x, two processes", peer=f"one process, {count} messages"),
    ]


def against_node(*, is_smoke: bool) -> list[Result]:
    """B2: full messages, times as fast as Node, and our peak memory."""
    count = size(100_000, 5_000, 200, is_smoke=is_smoke)
    return _speed_and_memory("B2", "messages", count, (2.0, 300), is_smoke=is_smoke)


def threads_against_node(*, is_smoke: bool) -> list[Result]:
    """B3: threads in the search_threads shape, one process and two."""
    count = size(1_000_000, 20_000, 1_000, is_smoke=is_smoke)
    alone = _speed_and_memory("B3", "threads", count, (1.8, 400), is_smoke=is_smoke)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = generated("threads", Path(folder) / "box", count)
        pairs = interleaved(lambda: ours(root, 2), lambda: node(root), runs(is_smoke))
    return [*alone, _ratio("B3", pairs, 2.5, f"Node, {count} threads, two processes")]


def cold_start(*, is_smoke: bool) -> list[Result]:
    """B4: few threads, whole process, as a multiple of importing polars plus Node."""
    count = size(10_000, 10_000, 1_000, is_smoke=is_smoke)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = generated("threads", Path(folder) / "box", count)
        pairs = interleaved(
            lambda: ours(root), lambda: Cost(node(root).seconds + cost(IMPORT_POLARS).seconds, 0), runs(is_smoke)
        )
    ratios = [here.seconds / there.seconds for here, there in pairs]
    return [
        result("B4", ratios, bar=1.0, better="lower", unit="x the sum", peer=f"import polars + Node, {count} threads")
    ]


def _speed_and_memory(name: str, kind: str, count: int, bars: tuple[float, float], *, is_smoke: bool) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = generated(kind, Path(folder) / "box", count)
        pairs = interleaved(lambda: ours(root), lambda: node(root), runs(is_smoke))
    return [
        _ratio(name, pairs, bars[0], f"Node, {count} {kind}"),
        result(name, [here.peak_mb for here, _ in pairs], bar=bars[1], better="lower", unit="MB at the peak",
               peer=f"Node takes {max(there.peak_mb for _, there in pairs):.0f}"),
    ]  # fmt: skip


def _ratio(name: str, pairs: Sequence[tuple[Cost, Cost]], bar: float, peer: str) -> Result:
    speeds = [there.seconds / here.seconds for here, there in pairs]
    return result(name, speeds, bar=bar, better="higher", unit="x Node's speed", peer=peer)


def runs(is_smoke: bool) -> int:
    """Pairs after the warm-up."""
    return 1 if is_smoke else 5
