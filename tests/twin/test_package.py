"""What the package promises about itself: its imports, its examples, the mailbox it serves by default."""

import ast
import doctest
import importlib
import sys
from pathlib import Path

import pytest

import twin
from twin.command import build

FOLDER = Path(twin.__file__).parent
MODULES = sorted(f"twin.{path.stem}" for path in FOLDER.glob("*.py") if not path.stem.startswith("__"))


def imported(path: Path) -> set[str]:
    """Top-level names that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found


def test_the_twin_imports_the_standard_library_and_itself_only() -> None:
    files = list(FOLDER.rglob("*.py"))
    foreign = {(path.name, name) for path in files for name in imported(path) - sys.stdlib_module_names - {"twin"}}
    assert len(files) > 25 and foreign == set()


def test_nothing_but_the_demo_writers_reads_mail_with_the_standard_parser() -> None:
    users = {path.name for path in FOLDER.glob("*.py") if "email" in imported(path)}
    assert users == {"arrivals.py", "folder.py"}  # dates only


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_hold(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__ and len(module.__doc__) > 60
    assert doctest.testmod(module).failed == 0


def test_the_demo_mailbox_is_served_by_default() -> None:
    made = build()
    assert len(made.state.mail.messages) > 300 and made.address.endswith("example.com")
    assert build(email="x@demo.example").address == "x@demo.example"
