"""Run one stage for the command line: open the session, call, print what came of it."""

import importlib
from pathlib import Path
from typing import Any

from pipeline.artifacts import Derived
from pipeline.cli.options import session
from pipeline.cli.output import present
from pipeline.run import make_all
from pipeline.stage import Stage, discover, upstream


def run_pure(stage: Stage, *, only: bool, account: str, workspace: Path | None, config: Path | None, json: bool) -> int:
    """Run a pure stage and, unless `only`, everything upstream of it, in one process."""
    with session(account, workspace, config) as opened:
        values = make_all((stage,) if only else chain_to(stage), opened.place)
        present({artifact.name: values[artifact.name] for artifact in stage.derived}, is_json=json)
    return 0


def run_rim(
    stage: Stage, *, account: str, workspace: Path | None, config: Path | None, json: bool, **options: Any
) -> int:
    """Run a stage that asks, seals or changes; what it reads of derived files is made anew first."""
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    with session(account, workspace, config, may_create_key=stage.name == "approve") as opened:
        make_all(derived_before(stage), opened.place)
        present({stage.name: stage.run(opened.context, **plain)}, is_json=json)
    return 0


def chain_to(stage: Stage) -> tuple[Stage, ...]:
    """The pure stages that this one needs, itself last."""
    return upstream(discover(importlib.import_module("stages")), stage.name)


def derived_before(stage: Stage) -> tuple[Stage, ...]:
    """The pure stages behind the derived artifacts that a stage at the rim reads; none for most."""
    if not any(isinstance(artifact, Derived) for artifact in stage.reads):
        return ()
    return tuple(one for one in chain_to(stage) if one.kind == "pure")
