"""Starts the independent emulators on loopback and hands out fresh mailboxes of them and of the twin.

`Mailbox.call(verb, path, body)` answers (status, JSON or None); `path` is what follows `/users/USER/`.
Each emulator runs once for the whole session; each test gets its own mailbox.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import urllib3

from tests.npm import absent, npm
from twin.auth import scopes
from twin.running import Twin
from twin.serve import serve

OWNER = "me@demo.example"
HERE = Path(__file__).parent
START_SECONDS = 25
CALL_SECONDS = 10
EMULATE_USERS = 200
MYWORLD_SECRET = "loopback-only"
POOL = urllib3.PoolManager(retries=False, timeout=CALL_SECONDS)


@dataclass(frozen=True)
class Mailbox:
    """One fresh mailbox behind HTTP."""

    kind: str
    base: str  # up to and including /users/
    token: str
    owner: str
    admin: str = ""  # SECRET@URL INSTANCE, of a peer whose faults can be turned on

    def ask(
        self, verb: str, path: str, body: Any = None, token: str | None = None, user: str = "me"
    ) -> tuple[int, bytes]:
        """(status, bytes)."""
        headers = {"Authorization": f"Bearer {self.token if token is None else token}"}
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        answer = POOL.request(verb, f"{self.base}{user}/{path}", headers=headers, body=data)
        return answer.status, answer.data

    def call(self, verb: str, path: str, body: Any = None, **more: Any) -> tuple[int, Any]:
        """(status, JSON or None)."""
        status, data = self.ask(verb, path, body, **more)
        return status, _json(data)

    def get(self, path: str) -> Any:
        status, body = self.call("GET", path)
        assert status == 200, (path, status, body)
        return body

    def post(self, path: str, body: Any) -> Any:
        status, answer = self.call("POST", path, body)
        assert status in (200, 204), (path, status, answer)
        return answer


def _json(data: bytes) -> Any:
    try:
        return json.loads(data) if data else None
    except ValueError:
        return data


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"peer did not listen on port {port}")


@contextlib.contextmanager
def _running(argv: list[str], port: int, **more: Any) -> Iterator[None]:
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(argv, **quiet, **more)
    try:
        _wait(process, port)
        yield
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()


class TwinMaker:
    """A new twin on HTTP for each test."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack

    def new(self) -> Mailbox:
        twin = Twin.from_resources(OWNER, tokens={"t": scopes("all")})
        server = self._stack.enter_context(serve(twin))
        return Mailbox("twin", f"{server.url}/gmail/v1/users/", "t", OWNER)


class MyworldMaker:
    """One myworld host; a new instance for each test."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        command = shutil.which("myworld", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        if command is None:
            absent("peer myworld is not installed")
        port = _free_port()
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        argv = [str(command), "serve", "--port", str(port), "--token", MYWORLD_SECRET, "--ca-dir", str(home / "ca")]
        stack.enter_context(_running([*argv, "--log-level", "error"], port, env={**os.environ, "HOME": str(home)}))
        self._url = f"http://127.0.0.1:{port}"

    def new(self) -> Mailbox:
        from myworld.api.http import mint

        seed = {"user": {"email": OWNER, "name": "Me"}, "emails": []}
        spec = {"service": "gmail", "seed": seed, "time": "realtime"}
        headers = {"Authorization": f"Bearer {MYWORLD_SECRET}", "Content-Type": "application/json"}
        answer = POOL.request("POST", f"{self._url}/instances", headers=headers, body=json.dumps(spec).encode())
        instance = json.loads(answer.data)["id"]
        base = f"{self._url}/gw/gmail.googleapis.com/gmail/v1/users/"
        admin = f"{MYWORLD_SECRET}@{self._url} {instance}"
        return Mailbox("myworld", base, mint(MYWORLD_SECRET, instance=instance), OWNER, admin)


class EmulateMaker:
    """One emulate process with many users; the next user for each test."""

    def __init__(self, stack: contextlib.ExitStack, cache: Path) -> None:
        node = shutil.which("node")
        if node is None:
            absent("peer emulate needs node")
        place = cache / "emulate"
        shutil.copytree(HERE / "emulate", place, dirs_exist_ok=True)
        npm("ci", "--ignore-scripts", "--prefix", str(place), folder=place)
        port = _free_port()
        self._left = iter(range(EMULATE_USERS))
        (place / "seed.json").write_text(json.dumps(_emulate_seed()))
        entry = place / "node_modules" / "emulate" / "dist" / "index.js"
        argv = [str(node), str(entry), "start", "-s", "google", "-p", str(port), "--seed", "seed.json"]
        env = {**os.environ, "NODE_OPTIONS": f"--require {place / 'pin.cjs'}"}
        stack.enter_context(_running(argv, port, env=env, cwd=place))
        _check_loopback(port)
        self._base = f"http://127.0.0.1:{port}/gmail/v1/users/"

    def new(self) -> Mailbox:
        number = next(self._left)
        return Mailbox("emulate", self._base, f"peer-{number}", f"user{number}@demo.example")


def _emulate_seed() -> dict[str, Any]:
    users = [f"user{number}@demo.example" for number in range(EMULATE_USERS)]
    tokens = {f"peer-{number}": {"login": user, "scopes": []} for number, user in enumerate(users)}
    return {"tokens": tokens, "google": {"users": [{"email": user, "name": "Me"} for user in users]}}


def _check_loopback(port: int) -> None:
    """The peer must not be reachable under another local address than 127.0.0.1."""
    listing = Path("/proc/net/tcp")
    if listing.exists():
        rows = [line.split() for line in listing.read_text().splitlines()[1:]]
        bound = {row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")}
        assert bound <= {f"0100007F:{port:04X}"}, bound
    listing6 = Path("/proc/net/tcp6")
    if listing6.exists():
        assert f":{port:04X} 00000000000000000000000000000000:0000 0A" not in listing6.read_text()
