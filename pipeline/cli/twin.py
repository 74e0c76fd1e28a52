"""Serve a small Gmail on 127.0.0.1: the demo mailbox, a capture, an mbox, a Maildir or a folder of messages."""

import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from pipeline.store import exists


def command(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 = any free port")] = 0,
    email: Annotated[str, typer.Option(help="the mailbox's address")] = "",
    empty: Annotated[bool, typer.Option("--empty", help="start with no mail")] = False,
    mail: Annotated[Path | None, typer.Option(help="a capture, an mbox, a Maildir or a folder of messages")] = None,
    quota: Annotated[int, typer.Option(min=0, help="units a minute; 0 = not enforced")] = 0,
    token: Annotated[list[str] | None, typer.Option(help="NAME=SCOPES (short names, or all); repeatable")] = None,
) -> int:
    """Serve until stopped; prints one JSON line {"url", "email"} when ready."""
    if mail is not None and exists(mail / "capture.json"):
        return serve_capture(mail, port, token or ["demo=gmail.modify"])
    from twin.command import main_args

    words = ["--port", str(port), "--quota", str(quota)]
    words += ["--email", email] if email else []
    words += ["--empty"] if empty else []
    words += ["--mail", str(mail)] if mail is not None else []
    for one in token or ():
        words += ["--token", one]
    return main_args(words)


def serve_capture(folder: Path, port: int, tokens: list[str]) -> int:
    """Serve the mailbox that one capture shows, under the address that it attests."""
    from pipeline.evidence.captures import read_capture
    from pipeline.twinning import capture_twin
    from pipeline.workspace import Loopback
    from twin.auth import scopes
    from twin.command import run

    place = folder.resolve()
    workspace = Loopback(place.parents[3], place.parent.name, place.parents[3] / "receipts")
    capture = read_capture(workspace, place.name)
    granted = {name: scopes(listed) for name, _, listed in (one.partition("=") for one in tokens)}
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    run(capture_twin([capture], capture.seal.attested_address or "owner@mailbox.test", granted), port, sys.stdout, stop)
    return 0
