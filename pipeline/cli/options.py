"""Options that every command takes, spelled once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.person import person
from pipeline.untrusted import show

if TYPE_CHECKING:  # `--help` loads no polars
    from pipeline.session import Session

Account = Annotated[str, typer.Option("--account", help="alias, id or address of a mailbox in the registry")]
WorkspaceDir = Annotated[Path | None, typer.Option("--workspace", help="folder of the mailbox's facts")]
ConfigDir = Annotated[Path | None, typer.Option("--config", help="folder of mailboxes.toml, policy.toml and rules/")]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON document on stdout")]


def say(text: str) -> None:
    """Progress, on stderr and only for a person."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


def warn(text: str) -> None:
    """What must be known even when nobody watches, on stderr."""
    print(show(text), file=sys.stderr)


@contextmanager
def session(
    account: str, workspace: Path | None, config: Path | None, *, may_create_key: bool = False, twin_url: str = ""
) -> Iterator[Session]:
    """The session that these options name."""
    from pipeline.session import Request, open_session

    request = Request(
        alias=account,
        workspace=workspace,
        config=config,
        terminal=person(),
        say=say,
        warn=warn,
        may_create_key=may_create_key,
        twin_url=twin_url,
    )
    with open_session(request) as opened:
        yield opened
