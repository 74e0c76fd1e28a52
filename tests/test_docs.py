"""What the documents say exists exists: targets, commands, links, files, words, decisions."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

import stages
from pipeline.cli.catalogue import catalogue
from pipeline.stage import Stage, discover, in_order
from pipeline.tables import MESSAGES
from tests.guarantees.borders import violations
from tests.guarantees.invariants import INVARIANTS
from tests.session import session_in

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("docs", ".github", "tests", "notebooks")
PAGES = tuple(sorted({*ROOT.glob("*.md"), *(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.md"))}))
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
WRITTEN = [page for page in PAGES if page.name != "guarantees.md"]
ELSEWHERE = re.compile(r"(?<![\w.~*}>/-])/[a-z]+/[\w./-]*")
"""An absolute path: a reader has the repository and nothing else."""
UPWARDS = re.compile(r"(?<![\w.])(?:\.\./)+[\w./-]*")
MARKETING = re.compile(r"\b(simply|easily|effortless\w*|powerful|blazing\w*|seamless\w*|world-class|robust\w*)\b", re.I)
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:^|[\s`/(])gmailtriage ([a-z][a-z-]*)", re.MULTILINE)
TARGET = re.compile(r"(?:`|^ {4}|; )make ([a-z][a-z -]*)", re.MULTILINE)
PATH = re.compile(r"`((?:pipeline|stages|twin|tests|docs|locks|rules|notebooks|\.ci)/[A-Za-z0-9_./-]*)`")
NOT_TARGETS = frozenset({"make", "is", "re", "it", "on", "a", "the", "that"})
EXAMPLES = frozenset({"stages/senders.py", "tests/stages/test_senders.py", "stages/NAME.py", "tests/cases/NN-name/"})
"""Files of the worked example, and names with a blank to fill in."""


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def targets() -> frozenset[str]:
    """Names that the Makefile has a rule for."""
    return frozenset(re.findall(r"^([a-z][a-z-]*):", text("Makefile"), re.MULTILINE))


def anchors(page: Path) -> frozenset[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings)


def test_there_is_something_to_check() -> None:
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/glossary.md", "docs/agents.md"} <= set(NAMES)
    assert {"demo", "test", "check", "plan"} <= targets()


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    found = {word for words in TARGET.findall(page.read_text()) for word in words.split()[:2]} - NOT_TARGETS
    assert found <= targets()


def test_the_two_commands_of_the_readme_are_there() -> None:
    readme = text("README.md")
    assert "make demo" in readme and "make test" in readme
    assert {"demo", "test"} <= targets()


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    known = catalogue().keys() | {"senders"}  # the worked example
    assert set(COMMAND.findall(_without_prose(page.read_text()))) <= known


def _without_prose(page: str) -> str:
    """Code only: spans, blocks and indented lines, where the name is followed by a command and not by a verb."""
    spans = re.findall(r"`[^`\n]+`", page)
    blocks = re.findall(r"```.*?```", page, re.DOTALL)
    lines = [line for line in page.splitlines() if line.startswith("    ")]
    return "\n".join([*spans, *blocks, *lines])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_between_pages_resolves(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        place, _, anchor = link.partition("#")
        assert "://" not in link, f"{link}: pages refer to the repository only"
        target = (page.parent / place).resolve() if place else page
        assert target.exists() and target.is_relative_to(ROOT), link
        if anchor:
            assert anchor in anchors(target), link


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    missing = {name for name in PATH.findall(page.read_text()) if not (ROOT / name).exists()}
    assert missing <= EXAMPLES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_leads_out_of_the_repository_or_praises_it(page: Path) -> None:
    prose = page.read_text(encoding="utf-8")
    assert not ELSEWHERE.findall(prose)
    outside = [path for path in UPWARDS.findall(prose) if not (page.parent / path).resolve().is_relative_to(ROOT)]
    assert not outside
    assert not MARKETING.findall(prose)


@pytest.mark.parametrize(
    ("words", "is_outside"),
    [
        ("see /home/someone/notes.md", True),
        ("in ~/.config/gmailtriage/ and $XDG_STATE_HOME/gmailtriage/", False),
        ("`/batch` or a/b/c", False),
    ],
)
def test_an_absolute_path_is_noticed(words: str, is_outside: bool) -> None:
    assert bool(ELSEWHERE.search(words)) is is_outside


def test_the_index_of_decisions_is_complete_and_no_number_is_used_twice() -> None:
    pages = sorted(path.name for path in (ROOT / "docs" / "adr").glob("[0-9]*.md"))
    numbers = [int(name[:4]) for name in pages]
    assert numbers == list(range(1, len(pages) + 1))
    assert set(pages) == set(re.findall(r"\]\((\d{4}-[a-z0-9-]+\.md)\)", text("docs/adr/README.md")))
    for name in pages:
        page = text(f"docs/adr/{name}")
        assert page.startswith(f"# {name[:4]} ")
        assert "## What lost" in page, f"{name}: a decision names the options that lost"


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    names = {re.split(r"[ ;<>=\[]", one)[0].lower() for one in wanted}
    page = text("docs/adr/0008-dependencies.md").lower()
    assert {name for name in names if name not in page} == set()


def test_the_glossary_has_every_stage_and_explains_each_word_once() -> None:
    glossary = text("docs/glossary.md")
    assert {name for name in discover(stages) if not re.search(rf"\b{name}\b", glossary)} == set()
    words = [word.lower() for word in re.findall(r"\*\*([^*]+)\*\*", glossary)]
    assert sorted({word for word in words if words.count(word) > 1}) == []


def test_the_changelog_has_the_version_of_the_project() -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", text("CHANGELOG.md"), re.MULTILINE)


def test_the_readme_counts_the_guarantees_and_says_every_promise() -> None:
    promises = [name for name in INVARIANTS if name.startswith("P")]
    assert f"the {len(INVARIANTS) - len(promises)} guarantees below them" in text("README.md")
    assert re.findall(r"^- \*\*(P\d)\*\* ", text("README.md"), re.MULTILINE) == promises


def test_every_exit_code_of_a_refusal_is_in_the_readme() -> None:
    tree = ast.parse(text("pipeline/refusals.py"))
    codes = {
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "exit_code" for target in node.targets)
        and isinstance(node.value, ast.Constant)
    }
    rows = {int(code) for code in re.findall(r"^\| (\d) \|", text("README.md"), re.MULTILINE)}
    assert rows == codes | {0}


def test_the_worked_example_is_a_stage_that_fits_and_runs() -> None:
    found = re.search(r"<!-- example: stages/senders\.py -->\n```python\n(.*?)```", text("CONTRIBUTING.md"), re.DOTALL)
    assert found is not None
    module = ModuleType("stages.senders")
    exec(compile(found[1], "stages/senders.py", "exec"), module.__dict__)  # noqa: S102  our own page
    stage = module.STAGE
    assert isinstance(stage, Stage)
    assert "senders" in in_order([*discover(stages).values(), stage])
    rows = [{**dict.fromkeys(MESSAGES.columns), "id": f"m{n}", "from_address": who} for n, who in enumerate("aab")]
    frame = pl.DataFrame([*rows, {**rows[0], "id": "m9", "from_address": None}], schema=MESSAGES.schema)
    table = stage.outputs(stage.run(frame))["sender_counts"]
    assert stage.derived[0].form.rows(table) == (  # type: ignore[union-attr]  # a table
        {"address": "a", "message_count": 2},
        {"address": "b", "message_count": 1},
    )


def test_the_worked_example_passes_the_projects_own_checks(tmp_path: Path) -> None:
    found = re.search(r"<!-- example: stages/senders\.py -->\n```python\n(.*?)```", text("CONTRIBUTING.md"), re.DOTALL)
    assert found is not None
    assert violations("stages.senders", found[1]) == []
    place = tmp_path / "senders.py"
    place.write_text(found[1])
    linter = [
        str(Path(sys.executable).with_name("ruff")),
        "check",
        "--config",
        str(ROOT / "pyproject.toml"),
        str(place),
    ]
    assert subprocess.run(linter, capture_output=True, check=False).returncode == 0


def test_the_session_in_the_readme_is_the_committed_run() -> None:
    session = session_in(text("README.md"))
    found = set(re.findall(r"\b(?:[0-9a-f]{64}|[0-9a-f]{16})\b", session))
    facts = [path for folder in ("manifests", "receipts") for path in (ROOT / folder).rglob("*") if path.is_file()]
    names = {path.name.split(".")[0] for path in facts}
    assert found & names, "python -m tests.session --write"
    manifest = next(path for path in facts if re.fullmatch(r"[0-9a-f]{64}\.json", path.name))
    assert manifest.stem in session
    assert re.search(r"^identical: \d+ files$", session, re.MULTILINE)
