"""The mutants of a source and the loop that runs them: each differs, each compiles, and who looks kills them."""

import ast

import pytest

from pipeline.judge import gate
from pipeline.judge.gate import standing_reasons
from tests.mutants.__main__ import EXPLAINED, ROOT, TARGETS, Target, evenly, explained, survives, verdict
from tests.mutants.mutate import Mutant, mutants
from tests.mutants.swap import in_place_of

SOURCE = '''"""Manual."""
LIMIT = 3
Kind = Literal["a", "b"]

def may(a: "int", b=True):
    """Docstring."""
    if a < LIMIT and not b:
        return ("x", "y")
    return any(one for one in (a, b) if one) or f"no {a}"
'''


def test_each_mutant_compiles_and_differs_and_has_a_name_of_its_own() -> None:
    found = mutants(SOURCE)
    assert len({one.id for one in found}) == len({one.source for one in found}) == len(found) >= 15
    for one in found:
        ast.parse(one.source)
        assert one.source != ast.unparse(ast.parse(SOURCE))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("a < LIMIT", "a <= LIMIT"),
        ("and (not b)", "and b"),
        ("a < LIMIT and", "a < LIMIT or"),
        ("('x', 'y')", "('y',)"),
        ("any(", "all("),
        ("b=True", "b=False"),
        (" if one", ""),
        ("no {a}", "no XX{a}"),
    ],
)
def test_each_kind_of_change_is_made(before: str, after: str) -> None:
    plain = ast.unparse(ast.parse(SOURCE))
    assert before in plain
    wanted = ast.unparse(ast.parse(plain.replace(before, after, 1)))
    assert wanted in {ast.unparse(ast.parse(one.source)) for one in mutants(SOURCE)}


def test_docstrings_annotations_and_types_stay() -> None:
    for one in mutants(SOURCE):
        for kept in ('"""Manual."""', '"""Docstring."""', "Literal['a', 'b']", "a: 'int'"):
            assert kept in one.source


def test_a_mutant_is_in_place_for_everyone_who_imported_a_function_and_gone_afterwards() -> None:
    source = TARGETS["gate"].path.read_text("utf-8")
    lax = Mutant("lax", source.replace("LOWEST_CONFIDENCE: Final = 0.80", "LOWEST_CONFIDENCE: Final = 0.10"))
    blind = Mutant("blind", source.replace('if facts.screen == "clean" else', "if True else"))
    assert lax.source != source != blind.source
    facts = gate.Facts("m", ("INBOX",), "partial", "fetched", (), (), True, False, False)
    with in_place_of(gate, blind):
        assert standing_reasons(facts) == ()
    assert standing_reasons(facts) == ("screen:partial",)
    with in_place_of(gate, lax):
        assert gate.LOWEST_CONFIDENCE == 0.10
    assert gate.LOWEST_CONFIDENCE == 0.80


def test_a_source_that_does_not_load_is_dead_and_changes_nothing() -> None:
    before = gate.LOWEST_CONFIDENCE
    assert not survives(Target("pipeline.judge.gate", ()), Mutant("broken", "raise ValueError"))
    assert survives(Target("pipeline.judge.gate", ()), Mutant("same", TARGETS["gate"].path.read_text("utf-8")))
    assert before == gate.LOWEST_CONFIDENCE


def test_a_survivor_without_an_explanation_fails_and_so_does_a_low_share(capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict("gate", 100, ["a: b"], {"a: b": "because"})
    assert not verdict("gate", 100, ["a: b"], {})
    assert not verdict("gate", 10, ["a: b"], {"a: b": "because"})
    assert "99.0% killed" in capsys.readouterr().out


def test_a_look_takes_some_of_everywhere() -> None:
    found = tuple(Mutant(str(number), "") for number in range(10))
    assert [one.id for one in evenly(found, 4)] == ["0", "2", "5", "7"]
    assert evenly(found, 0) == evenly(found, 99) == found


def test_every_explanation_is_of_a_mutant_that_exists() -> None:
    assert explained().keys() == TARGETS.keys(), EXPLAINED
    for name, reasons in explained().items():
        ids = {one.id for one in mutants(TARGETS[name].path.read_text("utf-8"))}
        assert reasons.keys() <= ids
        assert all(len(why) > 20 for why in reasons.values())
        assert all((ROOT / test).exists() for test in (*TARGETS[name].quick, *TARGETS[name].thorough))
