"""The counts of the last long run are those of tests that exist, with the numbers that they declare today."""

import json
from pathlib import Path

from tests.guarantees.counts import (
    FILE,
    ROOT,
    Count,
    Counts,
    Said,
    added_up,
    declared_by,
    name_of,
    read_counts,
    read_lines,
    to_toml,
)

SOURCE = """
@settings(max_examples=sweep(300))
def test_drawn(): ...

def test_loop():
    for _ in range(sweep(40_000, 100)): ...
    for _ in range(sweep(5)): ...

class TestMany:
    def test_inner(self): sweep(7)

def helper(): sweep(9)
def test_plain(): other.sweep(3)
"""


def test_what_a_test_declares_is_read_from_its_source(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(SOURCE)
    found = {"test_drawn": 300, "test_loop": 40_005, "TestMany.test_inner": 7, "test_plain": 0}
    assert declared_by(tmp_path) == {f"tests/test_a.py::{name}": number for name, number in found.items()}


def test_names_lose_their_parameters_and_keep_their_class() -> None:
    assert name_of("tests/a/test_b.py::TestC::test_d[x-y::z]") == "tests/a/test_b.py::TestC.test_d"
    assert name_of("tests/a/test_b.py::TestMachine::runTest") == "tests/a/test_b.py::TestMachine"


def line(test: str, at: float, outcome: str = "passed", *said: dict[str, object]) -> dict[str, object]:
    """What a test leaves behind."""
    return {"test": f"tests/t.py::{test}", "outcome": outcome, "at": at, "seconds": 1.0, "said": list(said)}


def test_parameters_add_up_the_newest_outcome_counts_and_a_failure_counts_nothing() -> None:
    kills = {"what": "kills", "runs": 3, "hits": {"sent": 2, "closed": 1}}
    lines = [
        line("a[1]", 1),
        line("a[2]", 2),
        line("b", 3, "failed"),
        line("b", 4),
        line("c", 5),
        line("c", 6, "failed"),
        line("d[1]", 7, "passed", kills),
        line("d[2]", 8, "passed", kills),
        line("plain", 9),
    ]
    declared = {f"tests/t.py::{name}": 10 for name in "abcd"}
    assert added_up(reversed(lines), declared) == {
        "tests/t.py::a": Count(10, 20),
        "tests/t.py::b": Count(10, 10),
        "tests/t.py::d": Count(10, 6, (Said("kills", 6, {"closed": 2, "sent": 4}),)),
    }


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    said = (Said("kills", 5, {"before intent": 3, "not killed": 2}),)
    counts = Counts("2026-11-30", 9, 4, {"tests/t.py::a": Count(10, 20), "tests/t.py::T.b": Count(0, 5, said)})
    (tmp_path / "counts.toml").write_text(to_toml(counts))
    assert read_counts(tmp_path / "counts.toml") == counts
    assert read_counts(tmp_path / "none.toml") == Counts()


def test_lines_of_all_workers_are_read(tmp_path: Path) -> None:
    for worker in ("gw0", "gw1"):
        (tmp_path / f"{worker}.jsonl").write_text(json.dumps(line(worker, 1)) + "\n")
    assert [one["test"] for one in read_lines(tmp_path)] == ["tests/t.py::gw0", "tests/t.py::gw1"]


def test_every_committed_count_is_of_a_test_that_declares_the_same_number_today() -> None:
    counts = read_counts(FILE)
    assert counts.true_for(declared_by(ROOT)) == counts, "make docs drops what is no longer true"
