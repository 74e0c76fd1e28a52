"""How many points each sweep tried in the last long run: `counts.toml`, written by the run itself and shown on the
guarantees page.

A long run leaves a line for each test in build/sweeps/ (`tests/conftest.py`). `make counts` adds them up, by test
function, into counts.toml. An entry says what the test's source declared then (the N of its `sweep(N)` calls); when
the source declares another number now, or the test is gone, the entry is no longer true: it is not shown, and
`make docs` drops it.

    python -m tests.guarantees.counts           adds the lines of build/sweeps/ to counts.toml
"""

import ast
import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import tomlkit

ROOT = Path(__file__).resolve().parent.parent.parent
FILE = Path(__file__).with_name("counts.toml")
LINES = ROOT / "build" / "sweeps"
HEADER = "Written by `make counts` from what `make test-long` left behind; do not edit."
Line = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Said:
    """A sweep of a test: its name, its points, and how often it met each state."""

    what: str
    runs: int
    hits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Count:
    """What a test function did in a long run. `declared`: the sum of its `sweep(N)`; `runs`: the points it tried, over
    all its parameters."""

    declared: int
    runs: int
    said: tuple[Said, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """The last long run: its day, its length, and the count of each sweep by `path::name`."""

    day: str = ""
    tests: int = 0
    minutes: int = 0
    of: Mapping[str, Count] = field(default_factory=dict)

    def true_for(self, declared: Mapping[str, int]) -> "Counts":
        """Without the entries of tests that are gone or declare another number now."""
        kept = {name: count for name, count in self.of.items() if declared.get(name, -1) == count.declared}
        return Counts(self.day, self.tests, self.minutes, kept)


def declared_by(root: Path) -> dict[str, int]:
    """`path::name` of every test under `root`/tests -> the sum of the numbers in its `sweep(N)` calls; 0 = none."""
    found: dict[str, int] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        where = path.relative_to(root).as_posix()
        found |= {f"{where}::{name}": number for name, number in _of_module(ast.parse(path.read_bytes()))}
    return found


def _of_module(module: ast.Module) -> Iterator[tuple[str, int]]:
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{inner.name}", _sweeps(inner)) for inner in node.body if _is_test(inner))  # type: ignore[attr-defined]  # only functions are tests
        elif _is_test(node):
            yield node.name, _sweeps(node)  # type: ignore[attr-defined]  # the same


def _is_test(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _sweeps(node: ast.AST) -> int:
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name))
    numbers = (one.args[0] for one in calls if one.func.id == "sweep" and one.args)  # type: ignore[attr-defined]  # a Name
    return sum(int(one.value) for one in numbers if isinstance(one, ast.Constant) and isinstance(one.value, int))


def name_of(node_id: str) -> str:
    """`tests/a/test_b.py::TestC::test_d[x]` -> `tests/a/test_b.py::TestC.test_d`."""
    path, _, rest = node_id.partition("[")[0].partition("::")
    return f"{path}::{rest.replace('::', '.').removesuffix('.runTest')}"


def added_up(lines: Iterable[Line], declared: Mapping[str, int]) -> dict[str, Count]:
    """The count of each test function that sweeps and of which every parameter passed when it last ran."""
    newest = {str(line["test"]): line for line in sorted(lines, key=lambda line: float(str(line["at"])))}
    by_name: dict[str, list[Line]] = {}
    for node_id, line in newest.items():
        by_name.setdefault(name_of(node_id), []).append(line)
    counts = {name: _count(found, declared.get(name, 0)) for name, found in by_name.items() if _all_passed(found)}
    return {name: count for name, count in sorted(counts.items()) if count.runs}


def _all_passed(lines: Iterable[Line]) -> bool:
    return all(line["outcome"] == "passed" for line in lines)


def _count(lines: list[Line], declared: int) -> Count:
    said = [_said(one) for line in lines for one in line["said"]]  # type: ignore[attr-defined]  # a list by the writer
    total: dict[str, Said] = {}
    for one in said:
        before = total.get(one.what, Said(one.what, 0, {}))
        hits = {key: before.hits.get(key, 0) + one.hits.get(key, 0) for key in sorted({*before.hits, *one.hits})}
        total[one.what] = Said(one.what, before.runs + one.runs, hits)
    runs = sum(one.runs for one in total.values()) or declared * len(lines)
    return Count(declared, runs, tuple(total.values()))


def _said(one: Mapping[str, object]) -> Said:
    hits = one.get("hits", {})
    return Said(str(one["what"]), int(str(one["runs"])), {str(k): int(v) for k, v in dict(hits).items()})  # type: ignore[call-overload]  # a table by the writer


def read_lines(folder: Path) -> list[Line]:
    """What long runs left in a folder."""
    files = sorted(folder.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def read_counts(file: Path = FILE) -> Counts:
    """counts.toml; nothing when it does not exist."""
    if not file.exists():
        return Counts()
    value = tomllib.loads(file.read_text())
    run = value.pop("long_run")
    of = {
        name: Count(one["declared"], one["runs"], tuple(_said(said) for said in one.get("said", ())))
        for name, one in value.items()
    }
    return Counts(run["day"], run["tests"], run["minutes"], of)


def to_toml(counts: Counts) -> str:
    """The bytes of counts.toml, tests by name."""
    document = tomlkit.document()
    document.add(tomlkit.comment(HEADER))
    document["long_run"] = {"day": counts.day, "tests": counts.tests, "minutes": counts.minutes}
    for name, count in sorted(counts.of.items()):
        said = [{"what": one.what, "runs": one.runs, "hits": dict(one.hits)} for one in count.said]
        document[name] = {"declared": count.declared, "runs": count.runs, **({"said": said} if said else {})}
    return tomlkit.dumps(document)


def main() -> int:
    """Add what build/sweeps/ holds to counts.toml; the exit code."""
    declared, before, lines = declared_by(ROOT), read_counts(), read_lines(LINES)
    if not lines:
        sys.stderr.write("build/sweeps/ is empty: make test-long first\n")
        return 1
    ends = [float(str(line["at"])) for line in lines]
    starts = [float(str(line["at"])) - float(str(line["seconds"])) for line in lines]
    counts = Counts(
        day=datetime.fromtimestamp(max(ends), UTC).date().isoformat(),
        tests=len({line["test"] for line in lines}),
        minutes=round((max(ends) - min(starts)) / 60),
        of={**before.of, **added_up(lines, declared)},
    )
    FILE.write_text(to_toml(counts.true_for(declared)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
