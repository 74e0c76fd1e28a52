"""Run the whole loop on a folder of real messages, served by a loopback twin, and say what was decided.

Nothing leaves this machine and nothing stays: the twin, its workspace and its configuration live in a temp folder.
"""

import json as json_text
import os
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from pipeline.cli.loop import Loop
from pipeline.config import REPOSITORY
from pipeline.models.plan import Plan
from pipeline.refusals import PartlyDone, UnknownShape
from pipeline.session import Request, open_session
from pipeline.store import list_names, make_folder, read_bytes, replace_file
from twin.auth import scopes
from twin.folder import read_folder
from twin.running import Twin
from twin.serve import serve

ADDRESS = "owner@mailbox.test"
TOKEN = "real-mail"  # noqa: S105  opens a twin that exists for as long as this command runs
POLICY = 'version = 1\nwindow_days = "all"\narchive_cap = 100000\nbudget_units = 100000000\n'


def command(
    folder: Annotated[Path, typer.Argument(help="a folder of messages, an mbox or a Maildir", exists=True)],
    limit: Annotated[int, typer.Option(min=0, help="use only the first N messages; 0 = all")] = 0,
    json: Annotated[bool, typer.Option("--json", help="print one JSON document on stdout")] = False,
) -> int:
    """Fetch, decide, freeze, execute and undo on a copy of the folder's mail. Raises PartlyDone when undo differs."""
    started = time.monotonic()
    messages = read_folder(str(folder), ADDRESS)
    if not messages:
        raise UnknownShape("the folder holds no message", evidence=str(folder), next_command="name a folder of mail")
    twin = Twin.from_resources(ADDRESS, messages[: limit or None], tokens={TOKEN: scopes("gmail.modify")})
    before = twin.label_sets()
    with tempfile.TemporaryDirectory(prefix="gmailtriage-") as temp, serve(twin) as server:
        found = looped(Path(temp), server.url)
    found["undo_is_identity"] = twin.label_sets() == before
    found["seconds"] = round(time.monotonic() - started, 1)
    for line in (
        [json_text.dumps(found, sort_keys=True)] if json else [f"{name}: {value}" for name, value in found.items()]
    ):
        print(line)
    if not found["undo_is_identity"]:
        raise PartlyDone("after undo some message wears other labels than before", evidence=str(folder))
    return 0


def looped(temp: Path, url: str) -> dict[str, object]:
    """The loop's outcome: messages, refused, decisions by action, class and screen verdict, targets verified."""
    write_config(temp / "config", url)
    env = {**os.environ, "GMAILTRIAGE_REAL_MAIL_TOKEN": TOKEN}
    with open_session(Request("real", temp / "workspace", temp / "config", env)) as session:
        loop = Loop(session)
        read = loop.fetch().counts.get("messages.get", 0)
        values = loop.derive("plan")
        return {"read": read, **decided(values), **changed(loop, values["plan"])}


def changed(loop: Loop, plan: object) -> dict[str, object]:
    """Execute, plan again, undo: how each ended."""
    if not isinstance(plan, Plan) or not plan.targets:
        return {"executed": "nothing to do"}
    manifest = loop.freeze()
    loop.approve(manifest)
    done = loop.execute(manifest)
    left = len(loop.plan().targets)
    return {"executed": str(done), "left_to_do": left, "undone": str(loop.undo(done))}


def decided(values: dict[str, object]) -> dict[str, object]:
    """Counts of decisions, so that every id is accounted for."""
    decisions, refused = values["decisions"], values["refused"]
    if not isinstance(decisions, pl.DataFrame) or not isinstance(refused, pl.DataFrame):
        raise TypeError("decisions and refused are tables")
    return {
        "decided": decisions.height,
        "refused": refused.height,
        "actions": dict(sorted(Counter(decisions["action"]).items())),
        "sources": dict(sorted(Counter(decisions["source"]).items())),
        "screen": dict(sorted(Counter(decisions["screen"]).items())),
        "classifications": dict(Counter(decisions["classification"].drop_nulls()).most_common()),
        "protected": int((decisions["protected"].list.len() > 0).sum()),
    }


def write_config(folder: Path, url: str) -> None:
    """A registry of one loopback account, an open window, and the repository's rules."""
    make_folder(folder / "rules")
    record = {"id": "real", "alias": ["real"], "address": ADDRESS, "status": "organize-only", "endpoint": url}
    lines = [f"{name} = {json_text.dumps(value)}" for name, value in record.items()]
    registry = "\n".join(["[[mailbox]]", *lines, 'credential = "env:GMAILTRIAGE_REAL_MAIL_TOKEN"', ""])
    replace_file(folder / "mailboxes.toml", registry.encode())
    replace_file(folder / "policy.toml", POLICY.encode())
    for name in list_names(REPOSITORY / "rules"):
        replace_file(folder / "rules" / name, read_bytes(REPOSITORY / "rules" / name))
