"""Run one stage for the command line: open the session, call, print what came of it."""

import importlib
import sys
from pathlib import Path
from typing import Any

from pipeline.cli.hints import with_options
from pipeline.cli.options import session
from pipeline.cli.output import present
from pipeline.evidence.captures import capture_ids
from pipeline.models.approval import Approval
from pipeline.models.manifest import Manifest
from pipeline.refusals import MissingArtifact
from pipeline.run import make_all
from pipeline.stage import Stage, discover, upstream
from pipeline.store import list_names
from pipeline.workspace import Workspace

KEY_MAKERS = ("approve", "grant")
"""The commands of a person's yes: the only ones that may make a live account's approval key."""


def run_pure(stage: Stage, *, only: bool, account: str, workspace: Path | None, config: Path | None, json: bool) -> int:
    """Run a pure stage and, unless `only`, everything upstream of it, in one process."""
    with session(account, workspace, config) as opened:
        if not only:
            refuse_empty(opened.context.workspace)
        values = make_all((stage,) if only else chain_to(stage), opened.place)
        made = {artifact.name: values[artifact.name] for artifact in stage.derived}
        present(made, is_json=json, arguments=sys.argv[1:])
    return 0


def run_rim(
    stage: Stage, *, account: str, workspace: Path | None, config: Path | None, json: bool, **options: Any
) -> int:
    """Run a stage that asks, seals or changes."""
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    with session(account, workspace, config, may_create_key=stage.name in KEY_MAKERS) as opened:
        result = stage.run(opened.context, **plain)
        present({stage.name: result}, is_json=json, arguments=sys.argv[1:])
        hint = first_time(result, opened.context.workspace)
        if hint:
            print(with_options(hint, sys.argv[1:]), file=sys.stderr)
    return 0


def first_time(result: object, workspace: Workspace) -> str:
    """What to do before the first execution on a live account: see it happen on a copy. Empty = nothing to say."""
    digest = result.manifest if isinstance(result, Approval) else result.sha256 if isinstance(result, Manifest) else ""
    is_first = workspace.kind == "live" and not list_names(workspace.receipts)
    return f"before the first time: gmailtriage rehearse {digest} (on a copy in memory)" if digest and is_first else ""


def refuse_empty(workspace: Workspace) -> None:
    """Raise MissingArtifact where there is no capture: a mistyped folder must not read as an empty mailbox."""
    if not capture_ids(workspace):
        where = str(workspace.raw)
        raise MissingArtifact("there is no capture", evidence=where, next_command="gmailtriage fetch")


def chain_to(stage: Stage) -> tuple[Stage, ...]:
    """The pure stages that this one needs, itself last."""
    return upstream(discover(importlib.import_module("stages")), stage.name)
