"""Stop every run that changes mail, before its next request; `--off` lifts the stop, by a person at a terminal.

Without `--account` it stops every mailbox: each live one that has a folder or a registry record, and the demo or what
lies in `--workspace`. A live mailbox's stop is put into this shell's state folder and into the default one, and every
run looks into both, so that it reaches what cron runs without this shell's variables. A stopped run is partly done and
says what it did not send; after the stop is lifted the same command goes on with it. Reading mail is not stopped.
"""

import json as json_text
import os
from pathlib import Path
from typing import Annotated

import typer

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.cli.options import AsJson, ConfigDir, WorkspaceDir
from pipeline.cli.person import person
from pipeline.config import REPOSITORY, known_registries
from pipeline.models.document import is_account_id
from pipeline.models.registry import AccountRecord
from pipeline.refusals import InputRefused, NotATerminal, NothingToDo, Refusal, UnknownAlias
from pipeline.sealing.confirming import confirm
from pipeline.sealing.killswitch import lift_switch, switch_path, throw_switch
from pipeline.store import exists, list_names, read_bytes
from pipeline.untrusted import show
from pipeline.workspace import control_of, live_controls, state_folders


def command(
    off: Annotated[bool, typer.Option("--off", help="lift the stop; asks a person at a terminal")] = False,
    account: Annotated[str, typer.Option("--account", help="one mailbox; empty = every one")] = "",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Throw the switches, or lift those that are on. Raises UnknownAlias, NothingToDo, NotATerminal, NotApproved."""
    switches = found_switches(account, workspace, config)
    if off:
        switches = {path: name for path, name in switches.items() if exists(path)}
        lift(switches)
    else:
        throw(switches)
    word = "lifted" if off else "stopped"
    if json:
        print(json_text.dumps({word: sorted(set(switches.values()))}, ensure_ascii=True))
        return 0
    for path, name in sorted(switches.items(), key=lambda one: (one[1], one[0])):
        print(show(f"{word}  {name}  {path}"))
    print("next: gmailtriage runs" if off else "next: gmailtriage panic --off (a person, when it is over)")
    return 0


def found_switches(account: str, workspace: Path | None, config: Path | None) -> dict[Path, str]:
    """The path of each switch and the account id that it is of: two registries may use one id for two mailboxes. A
    registry that cannot be read does not keep live folders from stopping. Raises UnknownAlias when nothing is meant."""
    listed, folders = records(config, is_needed=bool(account)), state_folders(os.environ)
    live = {one for folder in folders for one in list_names(folder) if is_account_id(one)}
    live |= {record.id for record in listed if record.kind == "live"}
    found = {switch_path(control, one): one for one in live for control in live_controls(one, os.environ)}
    for record in listed:
        control = control_of(record, place_of(record, workspace), os.environ)
        if control is not None:
            found[switch_path(control, record.id)] = record.id
    named = {record.id for record in listed if account.casefold() in names(record)}
    wanted = found if not account else {path: one for path, one in found.items() if one in named | {account}}
    if not wanted:
        raise UnknownAlias(f"no mailbox {account!r} is known here", evidence="a loopback mailbox needs --workspace",
                           next_command="gmailtriage show accounts")  # fmt: skip
    return wanted


def throw(switches: dict[Path, str]) -> None:
    """Throw every switch that can be thrown. Raises what kept one from it, after the others."""
    kept: list[Refusal] = []
    for path in switches:
        try:
            throw_switch(path)
        except Refusal as refusal:
            kept.append(refusal)
    if kept:
        raise kept[0]


def place_of(record: AccountRecord, workspace: Path | None) -> Path | None:
    """The root of a mailbox's facts."""
    return REPOSITORY if workspace is None and record.kind == "demo" else workspace


def records(config: Path | None, *, is_needed: bool) -> list[AccountRecord]:
    """Every registry record in reach. Raises InputRefused when it is needed to know who is meant."""
    try:
        return [record for registry in known_registries(os.environ, config) for record in registry.mailbox]
    except InputRefused:
        if is_needed:
            raise
        return []


def names(record: AccountRecord) -> set[str]:
    """What a person may call it."""
    return {record.id, record.address.casefold(), *record.alias}


def lift(switches: dict[Path, str]) -> None:
    """Ask a person for the code of exactly these stops, then lift them. Raises NotATerminal, NotApproved."""
    if not switches:
        raise NothingToDo("no kill switch is on", next_command="gmailtriage runs")
    terminal = person()
    if terminal is None:
        raise NotATerminal("a stop is lifted by a person at a terminal", evidence=", ".join({*switches.values()}),
                           next_command="gmailtriage panic --off")  # fmt: skip
    words = {str(path): sha256_hex(read_bytes(path)) for path in switches}
    text = "\n".join(f"lift      {name}: runs may send changes again" for name in sorted(switches.values()))
    confirm(terminal, sha256_hex(canonical_bytes(words)), text)
    for path in switches:
        lift_switch(path)
