"""The guarantees page says what the tests say: no ID without a test, no test for an ID that nobody promised."""

import ast
from pathlib import Path

from tests.guarantees.counts import FILE, Count, Counts, Said
from tests.guarantees.invariants import GROUPS, INVARIANTS
from tests.guarantees.page import PAGE, ROOT, Bearer, Numbers, bearers, marked, numbers_of, page, problems

MARKED = """
pytestmark = pytest.mark.contract("P4")

@pytest.mark.contract("AP-1", "AP-2")
def test_one(): ...

@pytest.mark.contract("AP-1")
class TestMany:
    @pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.contract("ID-1"))])
    def test_two(self, n): ...
    def helper(self): ...

def helper(): ...

TestMachine = pytest.mark.contract("AP-9")(Machine.TestCase)
"""


def test_every_way_to_mark_a_test_is_read() -> None:
    assert set(marked(ast.parse(MARKED))) == {
        ("P4", "test_one"),
        ("AP-1", "test_one"),
        ("AP-2", "test_one"),
        ("P4", "TestMany.test_two"),
        ("AP-1", "TestMany.test_two"),
        ("ID-1", "TestMany.test_two"),
        ("AP-9", "TestMachine"),
    }


def test_an_id_in_a_comment_a_docstring_or_a_helper_bears_nothing() -> None:
    text = '"""pytest.mark.contract("AP-1")"""\n# contract("AP-2")\n@pytest.mark.contract("AP-3")\ndef helper(): ...\n'
    assert list(marked(ast.parse(text))) == []


def test_an_id_without_a_test_and_a_test_for_an_unknown_id_are_named() -> None:
    found = {name: (Bearer("tests/test_x.py", "test_x"),) for name in INVARIANTS if name != "AP-3"}
    assert problems(found) == ("AP-3: no test bears it",)
    everything = {**found, "AP-3": found["AP-4"], "AP-99": found["AP-4"]}
    assert problems(everything) == ("AP-99: not in tests/guarantees/invariants.py",)


def test_every_id_stands_in_exactly_one_group() -> None:
    assert all(sum(name.startswith(prefix) for prefix, _ in GROUPS) == 1 for name in INVARIANTS)


def test_a_new_bearer_makes_the_page_stale(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    before = page(bearers(tmp_path), Numbers({}, Counts()))
    (tmp_path / "tests" / "test_new.py").write_text('@pytest.mark.contract("P1")\ndef test_new(): ...\n')
    assert "test_new" not in before
    assert "[tests/test_new.py](../tests/test_new.py): `test_new`" in page(bearers(tmp_path), Numbers({}, Counts()))


def test_the_points_of_a_long_run_stand_beside_their_test_and_a_changed_number_stands_in_brackets() -> None:
    found = {"AP-6": (Bearer("tests/test_x.py", "test_kills"), Bearer("tests/test_x.py", "test_more"))}
    count = Count(5000, 5000, (Said("kills", 5000, {"sent": 4000, "closed": 1000}),))
    declared = {"tests/test_x.py::test_kills": 5000, "tests/test_x.py::test_more": 70}
    counts = Counts("2026-11-30", 12, 3, {"tests/test_x.py::test_kills": count})
    shown = page(found, Numbers(declared, counts))
    assert "`test_kills` 5,000, `test_more` (70)" in shown
    assert "  - kills, 5,000: sent 4,000, closed 1,000\n" in shown and "(2026-11-30; 12 tests in 3 minutes)" in shown
    later = counts.true_for({**declared, "tests/test_x.py::test_kills": 9})
    assert later.of == {}


def test_every_promised_id_has_a_test() -> None:
    assert problems(bearers(ROOT)) == ()


def test_the_committed_page_is_fresh() -> None:
    assert PAGE.read_text() == page(bearers(ROOT), numbers_of(ROOT, FILE)), "make docs"
