"""The committed block of make rules, written from the stages' own declarations.

A rule lists the derived files a stage reads, the facts list where it reads facts, the owner's files where it reads
those, the stage's own file and its first-party imports, so that touching any of them re-runs what depends on it.

    python -m pipeline.makerules          compares; exit 1 when the Makefile's block is stale
    python -m pipeline.makerules --write  rewrites it in place
"""

import ast
import importlib
import sys
import textwrap
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from pipeline.artifacts import Artifact, Derived
from pipeline.config import REPOSITORY
from pipeline.refusals import FindingsLeft, StageRefused
from pipeline.stage import Stage, discover
from pipeline.store import exists, read_bytes, replace_file
from pipeline.tables import FINDINGS

BEGIN, END = "# --- stage rules: begin (make rules writes them) ---", "# --- stage rules: end ---"
FIRST_PARTY = ("pipeline", "stages")


def rules_block(stages: Mapping[str, Stage], root: Path) -> str:
    """The make rules of all pure stages, in order, between the two markers; files that all of them use stand once."""
    pure = [stage for stage in stages.values() if stage.kind == "pure"]
    files = {stage.name: sources(Path(stage.run.__code__.co_filename), root) for stage in pure}
    shared = tuple(sorted(set.intersection(*(set(found) for found in files.values()))))
    rules = [_rule(stage, [name for name in files[stage.name] if name not in shared]) for stage in pure]
    return "\n".join([BEGIN, _wrapped("SHARED :=", shared), "", *rules, END])


def _rule(stage: Stage, own: list[str]) -> str:
    targets = " ".join(_target(artifact) for artifact in stage.derived)
    arrow = "&:" if len(stage.derived) > 1 else ":"
    inputs = [*_inputs(stage.reads), "$(SHARED)", *own]
    # A table of findings is whole whatever it says; its verdict is for who runs the command.
    verdict = f" || test $$? -eq {FindingsLeft.exit_code}" if any(one.form is FINDINGS for one in stage.derived) else ""
    return f"{_wrapped(f'{targets} {arrow}', inputs)}\n\t$(GMAILTRIAGE) {stage.name} --only $(WHERE){verdict}\n"


def _wrapped(start: str, words: Iterable[str]) -> str:
    """Words after `start`, broken into lines of make that a person can read."""
    lines = textwrap.wrap(" ".join(words), 110, break_long_words=False, break_on_hyphens=False)
    return " \\\n    ".join([start, *lines])


def _inputs(reads: Iterable[Artifact]) -> list[str]:
    found = []
    for artifact in reads:
        if isinstance(artifact, Derived):
            found.append(_target(artifact))
        else:
            found.append("$(OWNER_FILES)" if artifact.is_in_config else "$(FACTS)")
    return list(dict.fromkeys(found))


def _target(artifact: Derived) -> str:
    return f"$(SNAPSHOTS)/{artifact.file_name}"


def sources(module: Path, root: Path) -> tuple[str, ...]:
    """A module and everything of ours that it imports, directly or not, relative to the repository, sorted."""
    found: set[Path] = set()
    queue = [module]
    while queue:
        path = queue.pop()
        if path not in found:
            found.add(path)
            queue.extend(_imports(path, root))
    return tuple(sorted(str(path.relative_to(root)) for path in found))


@cache
def _imports(path: Path, root: Path) -> tuple[Path, ...]:
    tree = ast.parse(read_bytes(path))
    names = [name for node in tree.body for name in _names(node)]
    return tuple(file for name in names if name.split(".")[0] in FIRST_PARTY and (file := _file(name, root)))


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def _file(name: str, root: Path) -> Path | None:
    path = root.joinpath(*name.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if exists(file)), None)


def with_block(text: str, block: str) -> str:
    """A text with everything between the two markers replaced. Raises StageRefused when a marker is missing."""
    if BEGIN not in text or END not in text:
        raise StageRefused("the Makefile has no block for stage rules", evidence=f"markers: {BEGIN!r} … {END!r}")
    before, rest = text.split(BEGIN, 1)
    return before + block + rest.split(END, 1)[1]


def main(arguments: list[str]) -> int:
    """Compare or rewrite the Makefile's block; returns the exit code."""
    makefile = REPOSITORY / "Makefile"
    current = read_bytes(makefile).decode()
    fresh = with_block(current, rules_block(discover(importlib.import_module("stages")), REPOSITORY))
    if "--write" in arguments:
        replace_file(makefile, fresh.encode())
        return 0
    return 0 if fresh == current else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
