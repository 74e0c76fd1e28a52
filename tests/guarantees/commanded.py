"""The real command in a process of its own against a twin over HTTP, under strace where a test wants it.

with Service.started(tmp) as service:                 # one port, so that the pinned registry record stays true
    place = service.fresh(tmp / "1")                  # a copy of the approved workspace; the mailbox as it was
    service.command(place, "execute", service.digest, strace=Injected("fsync", 7, "signal=SIGKILL"))
    service.loop(place)                               # the same workspace inside this process
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.artifacts import Place
from pipeline.config import REPOSITORY
from pipeline.context import Context
from pipeline.models.registry import Status
from pipeline.session import Request, open_session
from tests.fakes import OWNER, Clock, Mailbox, World, stored
from tests.fakes import Mail as FakeMail
from tests.guarantees.wired import LITTER, MESSAGES, Wired, approve, approve_trash, resource
from tests.npm import absent
from twin.auth import scopes
from twin.mailbox import Mail
from twin.running import Twin
from twin.serve import serve
from twin.state import Options

MAIN = "from pipeline.cli import main; main()"
ENV = {"LOOP_TOKEN": "loop", "PYTHONDONTWRITEBYTECODE": "1", "POLARS_MAX_THREADS": "1"}
SECONDS = 300
"""A machine under load is slow, and a process under strace slower."""


@dataclass(frozen=True)
class Injected:
    """What strace does to the `nth` call of a system call: `signal=SIGKILL`, `error=EIO`, ..."""

    name: str
    nth: int
    what: str

    @property
    def words(self) -> list[str]:
        """The command line up to the program."""
        chosen = f"inject={self.name}:{self.what}:when={self.nth}"
        faster = [] if "signal" in self.what else ["--seccomp-bpf"]  # with it, strace 6.1 never sends the signal
        return [*QUIET, *faster, "-o", "/dev/null", "-e", f"trace={self.name}", "-e", chosen]


QUIET = ["strace", "-qq", "-f"]


def strace_or_absent() -> None:
    """Skip by name where strace is missing or may not trace."""
    if shutil.which("strace") is None:
        absent("strace is missing")
    tried = subprocess.run([*QUIET, "-o", "/dev/null", "-e", "trace=fsync", "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip("ptrace is not allowed here")  # no package could mend that


@dataclass(frozen=True)
class Service:
    """One served twin, one configuration, and a workspace in which six targets are approved."""

    twin: Twin
    config: Path
    template: Path
    mail: Mail
    digest: str
    is_trash: bool = False

    @classmethod
    @contextmanager
    def started(cls, root: Path, litter: Options | None = None) -> "Iterator[Service]":
        """Serve, plan and approve by the real clock: the hour begins now. `litter`: what is approved is trash, on that
        kind of Gmail."""
        messages, tokens = LITTER if litter else MESSAGES, {"loop": scopes("gmail.modify")}
        twin = Twin.from_resources(OWNER, [resource(one) for one in messages], tokens=tokens, options=litter)
        with serve(twin) as server:
            config = write_config(root / "config", server.url, "cleanup-enabled" if litter else "organize-only")
            template = root / "template"
            made = cls(twin, config, template, twin.state.mail, "", litter is not None)
            digest = made._approved_trash() if litter else made._approved()
            yield replace(made, mail=twin.state.mail, digest=digest)

    @contextmanager
    def _inside(self, messages: tuple[FakeMail, ...]) -> Iterator[Wired]:
        """The template inside this process, for what must be there before a test begins."""
        with self._session(self.template) as context:
            copies = {one.id: one for one in messages}
            world = World(Mailbox(copies), context, Clock(datetime.now(UTC)), None)  # type: ignore[arg-type]  # the real gateway
            place = Place(context.workspace, context.config)
            yield self.wired(world.with_context(wall=world.clock, derive=stored(place)))

    def wired(self, world: World) -> Wired:
        """The world with the served twin behind it."""
        return Wired(world, None, self.twin, is_trash=self.is_trash)  # type: ignore[arg-type]  # no wire between

    def _approved_trash(self) -> str:
        with self._inside(LITTER) as wired:
            approve_trash(wired)
            wired.world.execute(wired.digest)  # a past: a run that was undone
            wired.world.undo()
            wired.world.clock.pass_minutes(0.1)
            approve_trash(wired)
            return wired.digest

    def _approved(self) -> str:
        with self._inside(MESSAGES) as wired:
            for _ in range(2):  # a past: two runs that were undone
                approve(wired)
                wired.world.execute(wired.digest)
                wired.world.undo()
                wired.world.clock.pass_minutes(0.1)
            gone = [key for key, label in self.twin.state.mail.labels.items() if label.name == "Jobs/2"]
            self.twin.delete_label(gone[0])  # so that one has to be made again
            approve(wired)
            return wired.digest

    @contextmanager
    def _session(self, place: Path) -> Iterator[Context]:
        with open_session(Request("loop", place, self.config, {**os.environ, **ENV})) as session:
            yield session.context

    def fresh(self, place: Path) -> Path:
        """A copy of the approved workspace; the mailbox is as it was."""
        shutil.copytree(self.template, place)
        self.twin.edit(lambda _: self.mail)
        self.twin.forget_requests()
        return place

    @contextmanager
    def world(self, place: Path) -> Iterator[World]:
        """The same workspace inside this process, for what follows."""
        with self._session(place) as context:
            yield World(Mailbox({}), context, Clock(), None)  # type: ignore[arg-type]  # the real gateway

    def argv(self, place: Path, *words: str) -> list[str]:
        """The command as a person would type it."""
        where = ["--account", "loop", "--workspace", str(place), "--config", str(self.config)]
        return [sys.executable, "-c", MAIN, *words, *where]

    def command(self, place: Path, *words: str, strace: Injected | None = None) -> "subprocess.CompletedProcess[str]":
        """Run it to its end or its death."""
        before = strace.words if strace else []
        argv = [*before, *self.argv(place, *words)]
        return ran(argv)

    def calls(self, place: Path, names: tuple[str, ...], *words: str) -> Mapping[str, int]:
        """How often a whole command makes each system call."""
        log = place.with_suffix(".strace")
        argv = [*QUIET, "-o", str(log), "-e", f"trace={','.join(names)}", *self.argv(place, *words)]
        done = ran(argv)
        assert done.returncode == 0, done.stderr
        lines = (line.partition("(")[0].split()[-1] for line in log.read_text().splitlines() if "(" in line)
        return Counter(one for one in lines if one in names)

    def labels(self) -> dict[str, frozenset[str]]:
        """Every message's labels by the labels' names."""
        return self.wired(None).labels()  # type: ignore[arg-type]  # only the twin is asked


def ran(argv: list[str]) -> "subprocess.CompletedProcess[str]":
    """A command at its end, from the repository's folder."""
    env = {**os.environ, **ENV}
    return subprocess.run(argv, cwd=REPOSITORY, env=env, capture_output=True, text=True, timeout=SECONDS, check=False)


def write_config(folder: Path, url: str, status: Status) -> Path:
    """One loopback account behind a served twin."""
    (folder / "rules").mkdir(parents=True)
    (folder / "rules" / "taxonomy.toml").write_text("x = 1\n")
    (folder / "policy.toml").write_text("version = 1\nbatch_size = 2\n")
    record = {"id": "loop", "alias": ["loop"], "address": OWNER, "status": status, "endpoint": url}
    lines = [f"{name} = {json.dumps(value)}" for name, value in record.items()]
    text = "\n".join(["[[mailbox]]", *lines, 'credential = "env:LOOP_TOKEN"', ""])
    (folder / "mailboxes.toml").write_text(text)
    return folder
