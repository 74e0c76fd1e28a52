"""make: it does what is needed and nothing else, in a copy of the tree with a fetched demo mailbox."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from pipeline.config import REPOSITORY

PURE = {"normalize", "screen", "match", "relate", "protect", "decide", "discard", "plan"}


class Tree:
    """A copy of the tree that shares the environment; `make` runs in it and tells which stages ran."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.first_run: list[str] = []

    def run(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        env |= {"PYTHONPATH": str(self.root), "POLARS_MAX_THREADS": "1", "HOME": str(self.root / "home")}
        done = subprocess.run(words, cwd=self.root, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def make(self, *words: str) -> list[str]:
        """Names of the stages that ran, in order."""
        return re.findall(r"gmailtriage ([a-z-]+) --only", self.run("make", *words).stdout)

    def touch(self, name: str) -> None:
        """Newer than everything that was made so far."""
        later = time.time() + 0.01
        os.utime(self.root / name, (later, later))

    @property
    def snapshots(self) -> Path:
        return self.root / "data" / "snapshots" / "demo"

    @property
    def captures(self) -> list[Path]:
        return sorted((self.root / "data" / "raw" / "demo").glob("2*"))


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """The copy, its demo mailbox fetched from the twin and everything made once."""
    root = tmp_path_factory.mktemp("copy") / "tree"
    root.mkdir()
    for name in ("pipeline", "stages", "twin", "rules"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "mailboxes.toml", "policy.toml", "pyproject.toml"):
        shutil.copy(REPOSITORY / name, root)
    shutil.copytree(REPOSITORY / "locks", root / "locks")
    (root / ".venv").symlink_to(REPOSITORY / ".venv")
    tree = Tree(root)
    tree.run(".venv/bin/python", "-m", "pipeline.makerules", "--write")
    tree.run(".venv/bin/gmailtriage", "fetch", "--json")
    tree.first_run = tree.make("plan")
    return tree


# Each test leaves everything made, so that the next begins with nothing to do: a whole rebuild is seven processes.


def test_stages_run_each_once_in_the_order_in_which_they_read(fetched: Tree) -> None:
    ran = fetched.first_run
    assert set(ran) == PURE
    assert len(ran) == len(PURE), "each once, though some write several files"
    assert ran.index("normalize") < ran.index("relate") < ran.index("protect")
    assert ran[-3:] == ["decide", "discard", "plan"]


def test_a_second_make_plan_does_nothing(fetched: Tree) -> None:
    before = {path: path.stat().st_mtime_ns for path in fetched.snapshots.iterdir()}
    assert fetched.make("plan") == []
    assert {path: path.stat().st_mtime_ns for path in fetched.snapshots.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("stages/plan.py", {"plan"}),
        ("stages/relate.py", {"relate", "protect", "decide", "discard", "plan"}),
        ("stages/fetch.py", set()),
        ("README.md", set()),
    ],
)
def test_touching_a_file_runs_only_what_depends_on_it(name: str, wanted: set[str], fetched: Tree) -> None:
    (fetched.root / "README.md").touch()
    fetched.touch(name)
    assert set(fetched.make("plan")) == wanted
    assert fetched.make("plan") == []


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("stages/normalize.py", PURE - {"screen", "match"}),
        ("stages/decide.py", {"decide", "discard", "plan"}),
        ("pipeline/tables.py", PURE),
        ("policy.toml", {"protect", "decide", "discard", "plan"}),
    ],
)
def test_what_would_run_when_a_file_is_newer(name: str, wanted: set[str], fetched: Tree) -> None:
    """By make's own dry run, which costs no process a stage."""
    would = set(re.findall(r"gmailtriage ([a-z-]+) --only", fetched.run("make", "-n", "-W", name, "plan").stdout))
    if name == "policy.toml":  # the owner's files are one prerequisite, of rules too
        assert wanted <= would <= PURE - {"normalize", "relate"}
    else:
        assert would == wanted


def test_a_deleted_derived_file_is_noticed_and_made_again(fetched: Tree) -> None:
    before = (fetched.snapshots / "plan.json").read_bytes()
    (fetched.snapshots / "plan.json").unlink()
    assert fetched.make("plan") == ["plan"]
    assert (fetched.snapshots / "plan.json").read_bytes() == before
    assert fetched.make("plan") == []


def test_a_stage_that_fails_leaves_nothing_that_looks_made_and_heals(fetched: Tree) -> None:
    before = (fetched.snapshots / "threads.parquet").read_bytes()
    pack = next(fetched.captures[0].glob("messages.get.pack"))
    whole = pack.read_bytes()
    pack.write_bytes(whole[:-9])
    (fetched.snapshots / "threads.parquet").unlink()
    done = fetched.run("make", "plan", code=2)
    assert "tampered-capture" in done.stderr
    assert not (fetched.snapshots / "threads.parquet").exists()
    pack.write_bytes(whole)
    assert "normalize" in fetched.make("plan")
    assert (fetched.snapshots / "threads.parquet").read_bytes() == before


def built(fetched: Tree) -> dict[str, bytes]:
    """Every derived file, shards included."""
    files = (path for path in fetched.snapshots.rglob("*") if path.is_file() and path.name != "facts.list")
    return {str(path.relative_to(fetched.snapshots)): path.read_bytes() for path in files}


@pytest.mark.contract("EV-6")
def test_an_added_and_a_removed_capture_are_noticed_and_two_jobs_give_the_same_bytes(fetched: Tree) -> None:
    before = built(fetched)
    first = fetched.captures[0]
    fetched.run(".venv/bin/gmailtriage", "fetch", "--json")
    second = next(path for path in fetched.captures if path != first)
    assert set(fetched.make("plan", "-j2")) == PURE
    assert str(second.name) in (fetched.snapshots / "facts.list").read_text()
    shutil.rmtree(second)
    assert set(fetched.make("-j2", "plan")) == PURE
    assert built(fetched) == before
    assert fetched.make("plan") == []


def test_in_one_process_the_same_files_come_out(fetched: Tree) -> None:
    made = {path.name: path.read_bytes() for path in fetched.snapshots.glob("*.json")}
    made |= {path.name: path.read_bytes() for path in fetched.snapshots.glob("*.parquet")}
    fetched.run(".venv/bin/gmailtriage", "plan", "--json")
    assert {name: (fetched.snapshots / name).read_bytes() for name in made} == made


@pytest.mark.contract("EV-8")
@pytest.mark.parametrize(
    "bad", ["a b", "a%b", "a:b", "a#b", "a$$b", "a;b", "a'b", 'a"b', "a`b", "a*b", "a(b", "a>b", ""]
)
@pytest.mark.parametrize("name", ["WORKSPACE", "ACCOUNT"])
def test_a_name_that_make_would_misread_is_refused_before_anything_runs(name: str, bad: str, fetched: Tree) -> None:
    for target in ("plan", "clean", "help"):
        done = fetched.run("make", target, f"{name}={bad}", code=2)
        assert "name-refused" in done.stderr
        assert done.stdout == ""


def test_another_workspace_has_files_of_its_own(fetched: Tree) -> None:
    would = fetched.run("make", "-n", "plan", "WORKSPACE=build/other").stdout
    assert would.count("--workspace build/other --account demo") == len(PURE)
    assert "--workspace . " not in would


def test_make_alone_is_help(fetched: Tree) -> None:
    out = fetched.run("make").stdout
    assert "make plan" in out
    assert "gmailtriage" not in out.replace("gmailtriage plan", "")


def test_the_committed_rules_block_is_the_one_that_the_stages_declare() -> None:
    from pipeline.makerules import main

    assert main([]) == 0, "make rules"


def test_cleaning_removes_what_is_derived_and_no_fact(fetched: Tree) -> None:
    facts = sorted((fetched.root / "data" / "raw").rglob("*"))
    fetched.run("make", "clean")
    assert not fetched.snapshots.exists()
    assert sorted((fetched.root / "data" / "raw").rglob("*")) == facts
