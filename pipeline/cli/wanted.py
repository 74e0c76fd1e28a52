"""List the ids of mail whose bodies an agent should still save, with the reason; never mail text, never an address."""

import json as json_text
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.evidence.captures import RawCapture, read_captures
from pipeline.evidence.wanted import Wanted, missing_sources, wanted, wanted_of_files
from pipeline.untrusted import show
from stages.ingest import pieces_of, read_saved


def command(
    files: Annotated[list[Path] | None, typer.Argument(help="files that are not ingested yet; none = what is")] = None,
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Print them, one a line."""
    with session(account, workspace, config) as opened:
        captures = read_captures(opened.context.workspace)
        found = what_is_missing(captures, tuple(files or ()))
    sources = () if files else missing_sources(captures)
    if json:
        document = {"account": opened.context.account.id, "sources": sources, "wanted": [asdict(one) for one in found]}
        print(json_text.dumps(document, ensure_ascii=True, sort_keys=True))
        return 0
    for line in lines(found, sources):
        print(show(line))
    return 0


def what_is_missing(captures: tuple[RawCapture, ...], files: tuple[Path, ...]) -> tuple[Wanted, ...]:
    """Of the files when there are any, else of the sealed captures."""
    if files:
        return wanted_of_files(tuple(piece.exchange for piece in pieces_of(read_saved(files, "inbox"))))
    return wanted(captures)


def lines(found: tuple[Wanted, ...], sources: tuple[str, ...]) -> list[str]:
    """An id and its reason a line, then the answers about the mailbox that nobody saved."""
    return [
        *(f"{one.id}  {one.reason}" for one in found),
        *(f"{name}  no capture holds it" for name in sources),
        f"{len(found)} to save" if found or sources else "nothing is missing",
    ]
