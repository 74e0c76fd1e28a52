"""Stage declarations: contradictions are refused at import with both sides, and a new stage is one new file."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import stages
from pipeline.artifacts import Artifact, Derived, Fact
from pipeline.config import REPOSITORY
from pipeline.makerules import BEGIN, END, rules_block, sources, with_block
from pipeline.refusals import StageRefused
from pipeline.stage import Option, Stage, discover, in_order, upstream
from pipeline.tables import SCREEN
from tests.strategies.captures import Letter, capture_of
from tests.worlds import make_folders, write_capture

FACT = Fact("fact", "evidence", "a fact", lambda place: None)


def derived(name: str) -> Derived:
    return Derived(name, f"the {name}", SCREEN)


A, B, C = derived("a"), derived("b"), derived("c")


def stage(name: str, reads: tuple[Artifact, ...], writes: tuple[Artifact, ...]) -> Stage:
    """A pure stage whose function has the right parameters."""
    scope: dict[str, Any] = {}
    parameters = ", ".join(artifact.name for artifact in reads)
    exec(f"def run({parameters}): return None", scope)  # noqa: S102  only a signature differs
    return Stage(name, reads, writes, scope["run"])


# --- refused at import


@pytest.mark.parametrize(
    "run", [lambda: 0, lambda b: 0, lambda b, a: 0, lambda a, b, c: 0, lambda *a: 0, lambda a, bb: 0]
)
def test_other_parameters_than_the_stage_reads_are_refused_with_both_lists(run: Any) -> None:
    with pytest.raises(StageRefused) as refusal:
        Stage("odd", reads=(A, B), writes=(C,), run=run)
    assert "function: " in refusal.value.evidence
    assert refusal.value.evidence.endswith("declared: a, b")
    Stage("even", reads=(A, B), writes=(C,), run=lambda a, b: 0)


def test_a_stage_at_the_rim_takes_the_context_and_its_options_only() -> None:
    option = Option("days", int, 7, "how many")
    Stage("asks", reads=(A,), writes=(FACT,), kind="asks", run=lambda context, days: 0, options=(option,))
    for run in (lambda a: 0, lambda context: 0, lambda days, context: 0):
        with pytest.raises(StageRefused, match="parameters"):
            Stage("asks", reads=(A,), writes=(FACT,), kind="asks", run=run, options=(option,))


def test_a_pure_stage_never_writes_a_fact() -> None:
    with pytest.raises(StageRefused, match="derived artifacts only"):
        Stage("sealer", reads=(A,), writes=(FACT,), run=lambda a: 0)


def test_two_writers_of_a_derived_artifact_are_refused_by_both_names() -> None:
    with pytest.raises(StageRefused, match="two stages write c") as refusal:
        in_order([stage("first", (FACT,), (C,)), stage("second", (FACT,), (C,))])
    assert "first" in refusal.value.evidence
    assert "second" in refusal.value.evidence


def test_a_fact_may_have_several_writers() -> None:
    rim = [Stage(name, (), (FACT,), kind="asks", run=lambda context: 0) for name in ("fetch", "ingest")]
    assert list(in_order(rim)) == ["fetch", "ingest"]


def test_a_cycle_is_refused_with_both_sides() -> None:
    circle = [stage("first", (A,), (B,)), stage("second", (B,), (A,)), stage("third", (FACT,), (C,))]
    with pytest.raises(StageRefused, match="wait for each other") as refusal:
        in_order(circle)
    assert "first reads from second" in refusal.value.evidence
    assert "second reads from first" in refusal.value.evidence


def test_a_cycle_through_a_fact_is_none() -> None:
    seals = Stage("freeze", (A,), (FACT,), kind="seals", run=lambda context: 0)
    assert list(in_order([seals, stage("normalize", (FACT,), (A,))])) == ["normalize", "freeze"]


def test_reading_what_nobody_writes_is_refused_by_name() -> None:
    with pytest.raises(StageRefused, match="lonely") as refusal:
        in_order([stage("lonely", (A,), (B,))])
    assert refusal.value.evidence == "a"


def test_a_stage_that_bears_another_name_than_its_module_is_refused(tmp_path: Path) -> None:
    for name, declared in (("good", "good"), ("two_words", "two-words")):
        package = package_of(tmp_path / name, {f"{name}.py": module_text(declared)})
        assert list(discover(package)) == [declared]
    package = package_of(
        tmp_path / "copied", {"original.py": module_text("original"), "copy.py": module_text("original")}
    )
    with pytest.raises(StageRefused) as refusal:
        discover(package)
    assert refusal.value.evidence == "copy.py declares original"


def module_text(name: str) -> str:
    return (
        "from pipeline.stage import Stage\n"
        "def run(context): return None\n"
        f"STAGE = Stage({name!r}, reads=(), writes=(), kind='asks', run=run)\n"
    )


def package_of(folder: Path, files: dict[str, str]) -> ModuleType:
    """A package on disk under a name of its own."""
    name = f"stages_of_{folder.name}"
    place = folder / name
    place.mkdir(parents=True)
    (place / "__init__.py").write_text("")
    for file, text in files.items():
        (place / file).write_text(text)
    package = ModuleType(name)
    package.__path__ = [str(place)]
    sys.modules[name] = package
    return package


# --- order and outputs


def test_each_stage_comes_after_what_it_reads_whatever_its_name() -> None:
    ordered = in_order([stage("z", (FACT,), (A,)), stage("m", (A,), (B,)), stage("b", (A, B), (C,))])
    assert list(ordered) == ["z", "m", "b"]
    assert [one.name for one in upstream(ordered, "m")] == ["z", "m"]
    assert [one.name for one in upstream(ordered, "z")] == ["z"]


@pytest.mark.parametrize("result", [{}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": 1, "B": 2}])
def test_a_stage_that_returns_other_artifacts_than_declared_is_refused(result: dict[str, int]) -> None:
    several = stage("several", (FACT,), (A, B))
    with pytest.raises(StageRefused, match="returned other artifacts"):
        several.outputs(result)
    assert several.outputs({"b": 2, "a": 1}) == {"a": 1, "b": 2}
    assert stage("one", (FACT,), (A,)).outputs(5) == {"a": 5}


# --- the make rules


def test_a_rule_lists_inputs_the_stage_file_and_its_first_party_imports(tmp_path: Path) -> None:
    (tmp_path / "pipeline").mkdir()
    (tmp_path / "pipeline" / "one.py").write_text("import pipeline.two\nimport json\n")
    (tmp_path / "pipeline" / "two.py").write_text("from pipeline import three\nimport pipeline.one\n")
    (tmp_path / "pipeline" / "three.py").write_text("def late():\n    import pipeline.four\n")
    (tmp_path / "pipeline" / "four.py").write_text("")
    module = tmp_path / "stage.py"
    module.write_text("from pipeline.one import x\n")
    assert sources(module, tmp_path) == ("pipeline/one.py", "pipeline/three.py", "pipeline/two.py", "stage.py")


def test_a_makefile_without_the_markers_is_refused_and_the_rest_of_it_stays() -> None:
    assert (
        with_block(f"before\n{BEGIN}\nold\n{END}\nafter\n", f"{BEGIN}\nnew\n{END}")
        == f"before\n{BEGIN}\nnew\n{END}\nafter\n"
    )
    for text in ("", BEGIN, END):
        with pytest.raises(StageRefused, match="block"):
            with_block(text, "x")


# --- a new stage is one new file

COUNT_BY_DAY = '''"""count_mail: how many messages there are. A stage that a newcomer added.

    messages -> mail_counts
"""

import polars as pl

from pipeline.artifacts import Derived
from pipeline.stage import Stage
from pipeline.tables import Table
from stages.normalize import MESSAGES

TABLE = Table("mail_counts", {"name": pl.String(), "number": pl.Int64()}, ("name",))
MAIL_COUNTS = Derived("mail_counts", "how many", TABLE)


def count_mail(messages: pl.DataFrame) -> pl.DataFrame:
    """One row."""
    return MAIL_COUNTS.form.frame([{"name": "messages", "number": messages.height}])


STAGE = Stage("count-mail", reads=(MESSAGES,), writes=(MAIL_COUNTS,), run=count_mail)
'''


@pytest.fixture
def copied_tree(tmp_path: Path) -> Path:
    """A copy of the tree, the demo's configuration with it."""
    tree = tmp_path / "tree"
    for name in ("pipeline", "stages", "twin", "rules"):
        shutil.copytree(REPOSITORY / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(REPOSITORY / name, tree)
    return tree


def run_in(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *words], cwd=tree, env=env, capture_output=True, text=True, check=False)


COMMAND = "import sys; from pipeline.cli import run; sys.exit(run(sys.argv[1:]))"


def test_a_new_stage_is_one_new_file(copied_tree: Path) -> None:
    """It is a command with help, a make rule, and it runs: nothing else was touched."""
    (copied_tree / "stages" / "count_mail.py").write_text(COUNT_BY_DAY)
    assert "How many messages there are." in run_in(copied_tree, "-c", COMMAND, "--help").stdout
    manual = run_in(copied_tree, "-c", COMMAND, "count-mail", "--help")
    assert "A stage that a newcomer added" in manual.stdout
    assert "--workspace" in manual.stdout
    assert run_in(copied_tree, "-m", "pipeline.makerules").returncode == 1, "the committed block is stale now"
    assert run_in(copied_tree, "-m", "pipeline.makerules", "--write").returncode == 0
    makefile = (copied_tree / "Makefile").read_text()
    assert "$(SNAPSHOTS)/mail_counts.parquet :" in makefile
    assert "$(GMAILTRIAGE) count-mail --only $(WHERE)" in makefile
    assert "stages/count_mail.py" in makefile

    folders = make_folders(copied_tree / "owner")
    write_capture(folders.workspace(), capture_of([Letter("a1", "a1"), Letter("b1", "b1")]))
    ran = run_in(copied_tree, "-c", COMMAND, "count-mail", "--json", *folders.words)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {"mail_counts": {"rows": 1}}
    assert (folders.place / "data" / "snapshots" / "demo" / "mail_counts.parquet").exists()


def test_the_committed_stages_make_a_block_of_rules() -> None:
    found = discover(stages)
    block = rules_block(found, REPOSITORY)
    for one in found.values():
        assert (f"$(GMAILTRIAGE) {one.name} --only" in block) == (one.kind == "pure")
    assert "capture.json" not in block, "facts never get a file rule"
