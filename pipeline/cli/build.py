"""The command tree: every name is listed, only the one that was asked for is imported."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command

from pipeline.cli.catalogue import catalogue, is_stage
from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir

if TYPE_CHECKING:  # `--help` loads no polars
    from pipeline.stage import Option, Stage

Command = Callable[..., Any]


def application(arguments: list[str]) -> Callable[..., Any]:
    """The application in which the command that `arguments` name is real and all others only have their help."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        help="Triage a Gmail inbox under rules its owner wrote: frozen plans, proved execution, undo.",
    )
    app.callback()(_root)
    for name, summary in catalogue().items():
        is_asked = name == (arguments[0] if arguments else "")
        command = _load(name) if is_asked else _listed_only
        app.command(name, help=_manual(name, summary) if is_asked else summary)(command)
    return get_command(app)


def _say_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version

        print(version("gmailtriage"))
        raise typer.Exit


def _root(
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_say_version, help="print it")] = False,
) -> None:
    """Nothing happens before the command."""


def _listed_only() -> None:
    """Stands for a command that was not asked for."""


def _manual(name: str, summary: str) -> str:
    if not is_stage(name):
        return summary
    text = inspect.getdoc(importlib.import_module(f"stages.{name.replace('-', '_')}")) or summary
    return "\n\n".join(_paragraph(part) for part in text.split("\n\n"))


def _paragraph(text: str) -> str:
    """Prose is wrapped by the terminal's width; an indented example keeps its lines."""
    return f"\b\n{text}" if text.startswith("    ") else " ".join(text.split())


def _load(name: str) -> Command:
    module = name.replace("-", "_")
    if not is_stage(name):
        command: Command = importlib.import_module(f"pipeline.cli.{module}").command
        return command
    stage: Stage = importlib.import_module(f"stages.{module}").STAGE
    return stage_command(stage)


def stage_command(stage: Stage) -> Command:
    """A command with the stage's options and the common ones."""

    def command(**given: Any) -> int:
        from pipeline.cli.running import run_pure, run_rim

        if stage.kind == "pure":
            return run_pure(stage, **given)
        return run_rim(stage, **given)

    own = [_parameter(option) for option in stage.options]
    if stage.kind == "pure":
        only = Annotated[bool, typer.Option("--only", help="run this stage alone, on derived files that exist")]
        own.append(inspect.Parameter("only", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=only))
    _sign(command, [*own, *_common()])
    return command


def _sign(command: Command, parameters: list[inspect.Parameter]) -> None:
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # inspect honours it
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def _common() -> list[inspect.Parameter]:
    shapes: dict[str, tuple[Any, object]] = {
        "account": (Account, "demo"),
        "workspace": (WorkspaceDir, None),
        "config": (ConfigDir, None),
        "json": (AsJson, False),
    }
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in shapes.items()
    ]


def _parameter(option: Option) -> inspect.Parameter:
    kind: Any = list[Path] if option.kind is tuple else option.kind
    if option.is_argument:
        annotation: Any = Annotated[kind, typer.Argument(help=option.help)]
        default = inspect.Parameter.empty if option.default in ((), None) else option.default
    else:
        annotation = Annotated[kind, typer.Option(option.flag, help=option.help)]
        default = option.default
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
