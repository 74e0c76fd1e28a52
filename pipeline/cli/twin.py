"""Serve a small Gmail on 127.0.0.1: the demo mailbox, a capture, an mbox, a Maildir or a folder of messages."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 = any free port")] = 0,
    email: Annotated[str, typer.Option(help="the mailbox's address")] = "",
    empty: Annotated[bool, typer.Option("--empty", help="start with no mail")] = False,
    mail: Annotated[Path | None, typer.Option(help="a capture, an mbox, a Maildir or a folder of messages")] = None,
    quota: Annotated[int, typer.Option(min=0, help="units a minute; 0 = not enforced")] = 0,
    token: Annotated[list[str] | None, typer.Option(help="NAME=SCOPES (short names, or all); repeatable")] = None,
) -> int:
    """Serve until stopped; prints one JSON line {"url", "email"} when ready."""
    from twin.command import main_args

    words = ["--port", str(port), "--quota", str(quota)]
    words += ["--email", email] if email else []
    words += ["--empty"] if empty else []
    words += ["--mail", str(mail)] if mail is not None else []
    for one in token or ():
        words += ["--token", one]
    return main_args(words)
