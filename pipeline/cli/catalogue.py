"""Which commands there are, and their one-line summaries, read from docstrings without importing a stage.

Stages are the modules of `stages/`; the other commands are pure readings of facts and live beside this module.
"""

import ast
from functools import cache
from pathlib import Path

from pipeline.store import list_names, read_bytes

REPOSITORY = Path(__file__).resolve().parents[2]
"""The same as in pipeline.config, which would load the models before `--help` is printed."""

FLOW = (
    *("fetch", "wanted", "ingest", "normalize", "screen", "match", "relate", "protect", "decide", "plan", "freeze"),
    *("show", "why", "rehearse", "approve", "execute", "undo", "runs", "undo-all", "panic"),
    *("grant", "grants", "label", "revoke"),
    *("mine", "promote", "verify", "reproduce"),
    *("demo", "real-mail", "twin"),
)
"""The order in which a person meets the commands; what is new stands after them."""

COMMANDS = (
    "show",
    "why",
    "reproduce",
    "demo",
    "twin",
    "real_mail",
    "wanted",
    "panic",
    "runs",
    "undo_all",
    "rehearse",
    "grants",
    "label",
)
"""Modules in pipeline/cli that hold a command of their own."""


def command_name(module: str) -> str:
    """`real_mail` -> `real-mail`."""
    return module.replace("_", "-")


@cache
def catalogue() -> dict[str, str]:
    """Command name -> first sentence of its manual, in the order of the flow."""
    stages = {name[:-3]: REPOSITORY / "stages" / name for name in list_names(REPOSITORY / "stages") if _is_module(name)}
    others = {name: REPOSITORY / "pipeline" / "cli" / f"{name}.py" for name in COMMANDS}
    found = {**stages, **others}
    named = {command_name(name): summary(path) for name, path in sorted(found.items())}
    return {name: named[name] for name in sorted(named, key=lambda one: FLOW.index(one) if one in FLOW else len(FLOW))}


def is_stage(name: str) -> bool:
    """Whether a command is a stage."""
    return name.replace("-", "_") not in COMMANDS


def summary(path: Path) -> str:
    """The first sentence of a module's docstring, without the leading name."""
    text = ast.get_docstring(ast.parse(read_bytes(path))) or ""
    line = " ".join(text.split("\n\n")[0].split()).split(". ")[0]
    name, _, rest = line.partition(": ")
    text = rest if name == path.stem and rest else line
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def _is_module(name: str) -> bool:
    return name.endswith(".py") and not name.startswith("_")
