"""The command `gmailtriage twin`, also `python -m twin`: serves a mailbox on loopback until it is stopped.

    python -m twin --mail ~/old-mail --token robot=gmail.modify --token seed=gmail.insert
    {"url": "http://127.0.0.1:40123", "email": "me@demo.example"}

Without --empty or --mail it serves the demo mailbox. Without --token there are three tokens:
`demo` (gmail.modify), `demo-readonly` (gmail.readonly) and `seed` (gmail.insert).
"""

import argparse
import importlib
import json
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TextIO

from twin.auth import DEFAULT_TOKENS, scopes
from twin.folder import read_folder
from twin.running import Twin
from twin.serve import serve
from twin.wire import Json

DEFAULT_EMAIL = "me@demo.example"
USAGE = 2


def _token(text: str) -> tuple[str, frozenset[str]]:
    name, equals, listed = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError("wanted NAME=SCOPES, for example robot=gmail.modify")
    try:
        return name, scopes(listed)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError("wanted a whole number, not negative")
    return int(text)


def parser() -> argparse.ArgumentParser:
    """The options, with their help."""
    options = argparse.ArgumentParser(
        prog="gmailtriage twin", description="Serve a small Gmail on 127.0.0.1.", allow_abbrev=False
    )
    options.add_argument("--port", type=_whole, default=0, help="port on 127.0.0.1 (default: any free one)")
    options.add_argument("--email", default="", help="address of the mailbox's owner")
    kind = options.add_mutually_exclusive_group()
    kind.add_argument("--empty", action="store_true", help="start without mail")
    kind.add_argument("--mail", default="", help="an mbox file, a Maildir or a folder of messages")
    options.add_argument("--quota", type=_whole, default=0, help="units a minute (default: no limit)")
    options.add_argument(
        "--token",
        type=_token,
        action="append",
        default=[],
        metavar="NAME=SCOPES",
        help="a bearer token and its scopes, comma-separated short names, or all; repeatable",
    )
    return options


def _demo() -> Json:
    resources: Json = importlib.import_module("twin.demo").resources()
    return resources


def build(
    *,
    email: str = "",
    is_empty: bool = False,
    mail: str = "",
    quota: int = 0,
    tokens: Mapping[str, frozenset[str]] | None = None,
) -> Twin:
    """The twin that the options describe. FileNotFoundError when there is nothing at `mail`."""
    given = tokens or DEFAULT_TOKENS
    address = email or DEFAULT_EMAIL
    if is_empty:
        return Twin.from_resources(address, tokens=given, quota=quota)
    if mail:
        return Twin.from_resources(address, read_folder(mail, address), tokens=given, quota=quota)
    demo = _demo()
    owner = email or str(demo["address"])
    return Twin.from_resources(owner, demo["messages"], demo["labels"], tokens=given, quota=quota)


def run(twin: Twin, port: int, out: TextIO, stop: threading.Event) -> None:
    """Serves until `stop` is set; writes the one JSON line when ready."""
    with serve(twin, port) as server:
        out.write(json.dumps({"url": server.url, "email": twin.address}) + "\n")
        out.flush()
        stop.wait()


def main_args(argv: Sequence[str], out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Runs the command until SIGTERM or SIGINT; the exit code (2 for a port or path that will not do)."""
    options = parser().parse_args(argv)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        twin = build(
            email=options.email,
            is_empty=options.empty,
            mail=options.mail,
            quota=options.quota,
            tokens=dict(options.token),
        )
        run(twin, options.port, out or sys.stdout, stop)
    except (OSError, OverflowError) as error:
        (err or sys.stderr).write(f"twin: {error}\n")
        return USAGE
    return 0
