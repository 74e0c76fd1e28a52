"""Say why: the whole path of one message, each stage's verdict with its evidence ids, and what was decided."""

import json as json_text
from collections.abc import Mapping
from typing import Annotated

import polars as pl
import typer

from pipeline.artifacts import Derived
from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.cli.running import chain_to, refuse_empty
from pipeline.refusals import UnknownMessage
from pipeline.run import preview
from pipeline.tables import Table
from pipeline.untrusted import show
from stages.decide import DECISIONS
from stages.discard import DISCARDS
from stages.discard import STAGE as DISCARD
from stages.match import HITS
from stages.normalize import MAIL_STATE, MESSAGES
from stages.protect import PROTECTED
from stages.screen import SCREEN

PATH: tuple[Derived, ...] = (MESSAGES, SCREEN, HITS, PROTECTED, MAIL_STATE, DECISIONS, DISCARDS)
"""In the order in which a message passes them; a person reads the decision first."""


def command(
    message: Annotated[str, typer.Argument(help="a message id")],
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Print the path of a message, from tables that are made anew: an old verdict would be a wrong one."""
    with session(account, workspace, config) as opened:
        refuse_empty(opened.context.workspace)
        rows = path_of(message, preview(chain_to(DISCARD), opened.place))
    if json:
        print(json_text.dumps(rows, ensure_ascii=True, sort_keys=True))
        return 0
    for line in path_lines(rows):
        print(show(line))
    return 0


def path_lines(rows: Mapping[str, list[Mapping[str, object]]]) -> list[str]:
    """The path for a person, the decision first, one field a line."""
    found = [(artifact.name, row) for artifact in reversed(PATH) for row in rows[artifact.name]]
    return [line for name, row in found for line in (name, *_field_lines(row))]


def _field_lines(row: Mapping[str, object]) -> list[str]:
    return [f"    {name:22s} {_text(value)}" for name, value in row.items() if value not in (None, "", ())]


def path_of(message: str, values: Mapping[str, object]) -> dict[str, list[Mapping[str, object]]]:
    """The rows of a message in every table of the path. Raises UnknownMessage."""
    found = {artifact.name: rows_of(artifact, message, values[artifact.name]) for artifact in PATH}
    if not found["messages"]:
        raise UnknownMessage(
            "no message of that id is in the snapshot",
            evidence=f"{len(found)} tables were made",
            next_command="gmailtriage fetch",
        )
    return found


def rows_of(artifact: Derived, message: str, frame: object) -> list[Mapping[str, object]]:
    """The rows of one table, times as text."""
    if not isinstance(frame, pl.DataFrame) or not isinstance(artifact.form, Table):
        raise TypeError(f"{artifact.name} is no table")
    key = "id" if "id" in frame.columns else "message_id"
    return list(artifact.form.rows(frame.filter(pl.col(key) == message)))


def _text(value: object) -> str:
    return ", ".join(str(part) for part in value) if isinstance(value, tuple) else str(value)
