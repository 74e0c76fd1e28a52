"""B8: how memory grows with mail. B9: what a run costs when little changed."""

import math
import shutil
import tempfile
from pathlib import Path

from bench import startup
from bench.measure import COMMAND, Cost, Result, cost, generated, result, size
from bench.snapshot import runs


def whole_plan(root: Path) -> Cost:
    """Every pure stage, bodies included, in one process."""
    return cost([COMMAND, "plan", "--workspace", str(root)])


def memory(*, is_smoke: bool) -> list[Result]:
    """B8: the exponent of peak memory when mail grows tenfold, and the peak itself."""
    few = size(100_000, 500, 50, is_smoke=is_smoke)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        small = generated("messages", Path(folder) / "small", few)
        large = generated("messages", Path(folder) / "large", few * 10)
        pairs = [(whole_plan(small).peak_mb, whole_plan(large).peak_mb) for _ in range(1 if is_smoke else 3)]
    exponents = [math.log10(more / less) for less, more in pairs]
    peer = f"itself, {few} and {few * 10} messages"
    return [
        result("B8", exponents, bar=0.15, better="lower", unit="exponent of the peak", peer=peer),
        result("B8", [more for _, more in pairs], bar=400, better="lower", unit="MB at the peak", peer=peer),
    ]


def reruns(*, is_smoke: bool) -> list[Result]:
    """B9: nothing to do; and 100 new messages, less half a second, as a share of the full rebuild."""
    return [*startup.nothing_to_do(is_smoke=is_smoke), new_mail(is_smoke=is_smoke)]


def new_mail(*, is_smoke: bool) -> Result:
    """B9, second half: each round adds 100 messages to the mailbox and plans; then all is built from nothing."""
    count = size(100_000, 2_000, 100, is_smoke=is_smoke)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = generated("messages", Path(folder) / "box", count)
        whole_plan(root)
        shares = [_share(root, count + 100 * number) for number in range(runs(is_smoke))]
    peer = f"full rebuild of {count} messages"
    return result("B9", shares, bar=0.03, better="lower", unit="of the rebuild, + 0.5 s", peer=peer)


def _share(root: Path, first: int) -> float:
    generated("messages", root, 100, first)
    added = whole_plan(root)
    shutil.rmtree(root / "data" / "snapshots" / "demo")
    return (added.seconds - 0.5) / whole_plan(root).seconds
