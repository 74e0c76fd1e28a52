"""B9, first half: what `make plan` costs when nothing changed. B12: the start of a command."""

import tempfile

from bench.measure import COMMAND, IMPORT_POLARS, Result, interleaved, result, seconds


def nothing_to_do(*, is_smoke: bool) -> list[Result]:
    """B9, first half: milliseconds of a second `make plan`."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        workspace = f"{folder}/demo"
        seconds([COMMAND, "fetch", "--workspace", workspace])
        plan = ["make", "--silent", "plan", f"WORKSPACE={workspace}"]
        seconds(plan)
        times = [seconds(plan) * 1000 for _ in range(3 if is_smoke else 11)]
    return [result("B9", times, bar=50, better="lower", unit="ms, nothing to do", peer="itself")]


def start_up(*, is_smoke: bool) -> list[Result]:
    """B12: `--help` and a pure stage on an empty mailbox, as multiples of importing polars."""
    runs = 3 if is_smoke else 11
    helped = interleaved(lambda: seconds([COMMAND, "--help"]), lambda: seconds(IMPORT_POLARS), runs)
    ratios = [ours / theirs for ours, theirs in helped]
    return [
        result("B12", ratios, bar=1.0, better="lower", unit="x, --help", peer="python -c 'import polars'"),
        _stage(runs),
    ]


def _stage(runs: int) -> Result:
    with tempfile.TemporaryDirectory(prefix="bench-") as workspace:
        stage = [COMMAND, "normalize", "--only", "--workspace", workspace]
        pairs = interleaved(lambda: seconds(stage), lambda: seconds(IMPORT_POLARS), runs)
    ratios = [ours / theirs for ours, theirs in pairs]
    return result("B12", ratios, bar=1.5, better="lower", unit="x, a pure stage", peer="python -c 'import polars'")
