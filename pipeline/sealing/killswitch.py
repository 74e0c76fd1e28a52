"""The kill switch: a file that says stop. Every process that changes mail looks for it before every request.

It lies by account id in the state folder for a live account, beside the receipts for another, and says nothing but a
random word, so that lifting it is about this stop and no other. Anything that stands at its path means stop. A live
account's lies in the default state folder too, and both are looked at: shell and cron need not have the same variables.

    throw_switch(path)                       # `gmailtriage panic`
    refuse_stopped(*switches_of(workspace))  # before a token and before a request; raises KillSwitchOn
    lift_switch(path)                        # `gmailtriage panic --off`, by a person
"""

import secrets
from contextlib import suppress
from pathlib import Path

from pipeline.canonical import canonical_bytes
from pipeline.refusals import Busy, KillSwitchOn
from pipeline.store import create_exclusive, exists, remove_file
from pipeline.workspace import Workspace

SUFFIX = ".panic"


def switch_path(control: Path, account: str) -> Path:
    """Where an account's switch lies."""
    return control / f"{account}{SUFFIX}"


def switches_of(workspace: Workspace) -> tuple[Path, ...]:
    """Every path where a switch of its account may lie."""
    return tuple(switch_path(folder, workspace.account) for folder in workspace.stop_folders)


def refuse_stopped(*paths: Path) -> None:
    """Silent while nothing stands at any of the switch's paths. Raises KillSwitchOn."""
    for path in paths:
        if exists(path):
            raise KillSwitchOn("the kill switch is on: nothing that changes mail is sent", evidence=str(path),
                               next_command="gmailtriage panic --off")  # fmt: skip


def throw_switch(path: Path) -> None:
    """Turn it on; on already is fine. Raises WriteFailed."""
    if not exists(path):
        with suppress(Busy):  # somebody else was faster
            create_exclusive(path, canonical_bytes({"stop": secrets.token_hex(16)}))


def lift_switch(path: Path) -> None:
    """Turn it off. Raises WriteFailed."""
    remove_file(path)
