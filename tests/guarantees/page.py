"""docs/guarantees.md, written from the tests that bear the project's IDs.

A test bears an ID by `@pytest.mark.contract("AP-3")` on the function, on its class, on the whole module (`pytestmark`)
or by `TestUndo = pytest.mark.contract("AP-9")(Machine.TestCase)`. The files are parsed, never imported.

The counts beside them are those of the last long run (`tests/guarantees/counts.py`), as far as they are still true.

    python -m tests.guarantees.page           compares; exit 1 when the page is stale or an ID has no test
    python -m tests.guarantees.page --write   rewrites the page, and drops counts that are no longer true
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.guarantees.counts import FILE, Count, Counts, declared_by, read_counts, to_toml
from tests.guarantees.invariants import GROUPS, INVARIANTS

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "guarantees.md"
HEADER = """\
# Guarantees

Written by `make docs` from the tests that bear these IDs; do not edit. `make check` fails when an ID has no test.

`make test` runs a tenth of each sweep, `make test-long` the whole. The points are what the tests of an ID tried in the
last long run: generated examples, kills, faults, cuts{run}. A number in
brackets is declared and was not run in full since it changed.

"""


@dataclass(frozen=True, slots=True, order=True)
class Bearer:
    """A test that bears an ID: file relative to the repository, and name (`Class.name` inside a class)."""

    path: str
    name: str


def bearers(root: Path) -> dict[str, tuple[Bearer, ...]]:
    """ID -> the tests under `root`/tests that bear it, sorted."""
    found: dict[str, set[Bearer]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for contract_id, name in marked(ast.parse(path.read_bytes())):
            found.setdefault(contract_id, set()).add(Bearer(path.relative_to(root).as_posix(), name))
    return {contract_id: tuple(sorted(tests)) for contract_id, tests in found.items()}


def marked(module: ast.Module) -> Iterator[tuple[str, str]]:
    """(ID, test name) of every test in a parsed file."""
    everywhere = [i for node in module.body if _assigns_pytestmark(node) for i in ids_in(node)]
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            yield from _of_class(node, everywhere)
        elif _is_test(node):
            yield from _pairs(node, everywhere)
        elif isinstance(node, ast.Assign) and not _assigns_pytestmark(node):
            yield from ((i, target.id) for target in node.targets if isinstance(target, ast.Name) for i in ids_in(node))


def _of_class(node: ast.ClassDef, outer: list[str]) -> Iterator[tuple[str, str]]:
    inherited = [*outer, *(i for decorator in node.decorator_list for i in ids_in(decorator))]
    for inner in node.body:
        if _is_test(inner):
            yield from ((i, f"{node.name}.{name}") for i, name in _pairs(inner, inherited))


def _pairs(node: ast.stmt, inherited: Iterable[str]) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        own = (i for decorator in node.decorator_list for i in ids_in(decorator))
        yield from ((i, node.name) for i in dict.fromkeys((*inherited, *own)))


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _assigns_pytestmark(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in node.targets)


def ids_in(node: ast.AST) -> tuple[str, ...]:
    """The texts that stand in `….contract("…")` anywhere below a node."""
    calls = (call for call in ast.walk(node) if isinstance(call, ast.Call) and _is_contract(call.func))
    return tuple(arg.value for call in calls for arg in call.args if _is_text(arg))


def _is_contract(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "contract"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def problems(found: Mapping[str, tuple[Bearer, ...]]) -> tuple[str, ...]:
    """IDs that no test bears, and IDs that tests bear and nobody promised."""
    without = (f"{name}: no test bears it" for name in INVARIANTS if name not in found)
    unknown = (f"{name}: not in tests/guarantees/invariants.py" for name in sorted(found) if name not in INVARIANTS)
    return (*without, *unknown)


def page(found: Mapping[str, tuple[Bearer, ...]], numbers: "Numbers") -> str:
    """The whole page: one table a group, then the tests of each ID."""
    tables = (_table(prefix, heading, found, numbers) for prefix, heading in GROUPS)
    tests = (_tests(name, found.get(name, ()), numbers) for name in INVARIANTS)
    return HEADER.format(run=numbers.run) + "\n".join(tables) + "\n# The tests\n\n" + "\n".join(tests)


@dataclass(frozen=True, slots=True)
class Numbers:
    """What tests declare, and what they did in the last long run as far as that is still true."""

    declared: Mapping[str, int]
    counts: Counts

    @property
    def run(self) -> str:
        """When the last long run was and how long it took."""
        counts = self.counts
        return f" ({counts.day}; {counts.tests:,} tests in {counts.minutes} minutes)" if counts.day else ""

    def count(self, test: Bearer) -> Count:
        """What a test did; nothing when it was not run since it changed."""
        return self.counts.of.get(f"{test.path}::{test.name}", Count(0, 0))

    def points(self, tests: Iterable[Bearer]) -> str:
        """The points of several tests together; a dash for none."""
        total = sum(self.count(test).runs for test in tests)
        return f"{total:,}" if total else "–"

    def shown(self, test: Bearer) -> str:
        """A test's name with its points."""
        runs, declared = self.count(test).runs, self.declared.get(f"{test.path}::{test.name}", 0)
        number = f" {runs:,}" if runs else f" ({declared:,})" if declared else ""
        return f"`{test.name}`{number}"


def numbers_of(root: Path, file: Path) -> Numbers:
    """The numbers of the tests under a root and of a counts.toml."""
    declared = declared_by(root)
    return Numbers(declared, read_counts(file).true_for(declared))


def _table(prefix: str, heading: str, found: Mapping[str, tuple[Bearer, ...]], numbers: Numbers) -> str:
    rows = (
        f"| [{name}](#{name.lower()}) | {text} | {len(tests)} | {numbers.points(tests)} |\n"
        for name, text in INVARIANTS.items()
        if name.startswith(prefix)
        for tests in [found.get(name, ())]
    )
    return f"## {heading}\n\n| ID | what always holds | tests | points |\n|---|---|---|---|\n{''.join(rows)}"


def _tests(name: str, tests: Iterable[Bearer], numbers: Numbers) -> str:
    by_path: dict[str, list[Bearer]] = {}
    for test in tests:
        by_path.setdefault(test.path, []).append(test)
    lines = (
        f"- [{path}](../{path}): {', '.join(numbers.shown(test) for test in found)}\n{_said(found, numbers)}"
        for path, found in by_path.items()
    )
    return f"## {name}\n\n{''.join(lines)}"


def _said(tests: Iterable[Bearer], numbers: Numbers) -> str:
    """The histograms of a file's sweeps."""
    said = [one for test in tests for one in numbers.count(test).said if one.hits]
    return "".join(
        f"  - {one.what}, {one.runs:,}: {', '.join(f'{state} {number:,}' for state, number in one.hits.items())}\n"
        for one in said
    )


def main(arguments: list[str]) -> int:
    """Compare or rewrite the page; returns the exit code and says on stderr what is wrong."""
    found = bearers(ROOT)
    wrong = problems(found)
    for line in wrong:
        sys.stderr.write(f"{line}\n")
    numbers = numbers_of(ROOT, FILE)
    fresh = page(found, numbers).encode()
    if "--write" in arguments:
        if numbers.counts.day:
            FILE.write_text(to_toml(numbers.counts))
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_bytes(fresh)
    is_stale = not PAGE.exists() or PAGE.read_bytes() != fresh
    return 1 if wrong or is_stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
