"""The rim, put together once a command: configuration, workspace, clocks, and a way to an attested Gmail.

    with open_session(Request("demo", Path("build/demo"))) as session:
        session.context

`endpoint = "twin"` starts the twin inside this process for as long as the session lasts, unless one was handed in.
"""

import importlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.artifacts import Derived, Place
from pipeline.clock import LogicalWall, Monotonic, SystemMonotonic, SystemWall, VirtualMonotonic
from pipeline.config import REPOSITORY, Config, find_config
from pipeline.context import Context, Recorder, Terminal
from pipeline.helpers import processes_of
from pipeline.run import facts_digest, preview
from pipeline.stage import Stage, discover, upstream
from pipeline.workspace import Workspace, open_workspace

if TYPE_CHECKING:  # the real client takes 0.2 s to import, and most commands never call Gmail
    from pipeline.gmail.attest import Attested
    from pipeline.gmail.capability import StageName
    from pipeline.gmail.gateway import ExecuteGateway, FetchGateway, UndoGateway


def silent(text: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Request:
    """What a command line asks for: account alias, workspace and configuration folders, surroundings."""

    alias: str
    workspace: Path | None = None
    config: Path | None = None
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    terminal: Terminal | None = None
    say: Callable[[str], None] = silent
    warn: Callable[[str], None] = silent
    twin_url: str = ""
    """Base URL of a twin that runs already; empty = start one when the account's endpoint is `twin`."""
    may_create_key: bool = False
    """Only `approve` and `grant` may make a live account's approval key."""


@dataclass(frozen=True)
class Session:
    """One command's surroundings: the context for stages that touch the outside, the place for pure ones."""

    context: Context
    processes: int = 1
    """How many may read mail."""

    @property
    def place(self) -> Place:
        """Where pure stages load from."""
        return Place(self.context.workspace, self.context.config, self.processes)


@contextmanager
def open_session(request: Request) -> Iterator[Session]:
    """The session of an account. Raises UnknownAlias, RegistryRefused, WorkspaceRefused's kinds."""
    config = find_config(request.alias, request.env, request.config)
    is_demo = config.account.kind == "demo"
    root = REPOSITORY if request.workspace is None and is_demo else request.workspace
    workspace = open_workspace(root, config.account, request.env)
    monotonic: Monotonic = SystemMonotonic() if workspace.kind == "live" else VirtualMonotonic()
    place = Place(workspace, config, processes_of(request.env))
    with ExitStack() as stack:
        rim = GmailRim(workspace, config, request, monotonic, stack)
        yield Session(
            Context(
                workspace=workspace,
                config=config,
                wall=DemoWall(workspace) if is_demo else SystemWall(),
                monotonic=monotonic,
                gmail=rim,
                approval_key=rim.approval_key,
                terminal=request.terminal,
                derive=Deriving(place),
                say=request.say,
                warn=request.warn,
            ),
            place.processes,
        )


@dataclass
class Deriving:
    """Computes derived values from the facts of a place, in memory.

    Values of the last call are given again while every fact and every file of the owner has the same bytes.
    """

    place: Place
    facts: str = ""
    values: dict[str, object] = field(default_factory=dict)

    def __call__(self, *wanted: Derived) -> tuple[object, ...]:
        """The values of these artifacts, made by their own stages and everything upstream."""
        self._forget_when_changed()
        if not {artifact.name for artifact in wanted} <= self.values.keys():
            self.values = preview(_makers(wanted), self.place)
        return tuple(self.values[artifact.name] for artifact in wanted)

    def _forget_when_changed(self) -> None:
        facts = facts_digest(self.place)
        if facts != self.facts:
            self.facts, self.values = facts, {}


def _makers(wanted: tuple[Derived, ...]) -> tuple[Stage, ...]:
    """The pure stages behind these artifacts, in order."""
    stages = discover(importlib.import_module("stages"))
    writers = {artifact.name: stage.name for stage in stages.values() for artifact in stage.derived}
    needed = {one.name for artifact in wanted for one in upstream(stages, writers[artifact.name])}
    return tuple(stage for stage in stages.values() if stage.name in needed)


@dataclass(frozen=True)
class DemoWall:
    """The demo's clock: the fixed start plus one second for each fact that exists when it is asked."""

    workspace: Workspace

    def now(self) -> datetime:
        """Logical time, UTC."""
        return LogicalWall(len(self.workspace.fact_files())).now()


@dataclass
class GmailRim:
    """Opens attested gateways over one wire and one meter; starts the demo's twin when it is first needed."""

    workspace: Workspace
    config: Config
    request: Request
    monotonic: Monotonic
    stack: ExitStack

    def for_fetch(self, record: Recorder) -> "FetchGateway":
        """Read-only methods, recorded."""
        from pipeline.gmail.gateway import FetchGateway

        return FetchGateway(self._attested("fetch", record))

    def for_execute(self) -> "ExecuteGateway":
        """The executor's methods."""
        from pipeline.gmail.gateway import ExecuteGateway

        return ExecuteGateway(self._attested("execute", None))

    def for_undo(self) -> "UndoGateway":
        """The undoer's methods."""
        from pipeline.gmail.gateway import UndoGateway

        return UndoGateway(self._attested("undo", None))

    def approval_key(self) -> bytes:
        """The key that authenticates approvals of this account."""
        from pipeline.credentials import approval_key
        from pipeline.keyrings import SecretStore, system_backend

        return approval_key(self.config.account, SecretStore(system_backend), may_create=self.request.may_create_key)

    @cached_property
    def twin_url(self) -> str:
        """Where the demo's twin listens; it shows the mailbox as this workspace's receipts left it."""
        if self.request.twin_url or self.config.account.endpoint != "twin":
            return self.request.twin_url
        from pipeline.sealing.receipts import read_receipts
        from pipeline.twinning import demo_twin
        from twin.serve import serve

        return self.stack.enter_context(serve(demo_twin(read_receipts(self.workspace)))).url

    def _check_of(self, stage: "StageName") -> Callable[[], None]:
        """What may stop a request: the kill switch, for stages that change mail."""
        from pipeline.gmail.transport import never
        from pipeline.sealing.killswitch import refuse_stopped, switches_of

        if stage == "fetch":
            return never
        return partial(refuse_stopped, *switches_of(self.workspace))

    def _attested(self, stage: "StageName", record: Recorder | None) -> "Attested":
        from pipeline.credentials import load_credential
        from pipeline.gmail.attest import attest
        from pipeline.gmail.capability import PROFILES
        from pipeline.gmail.quota import Meter
        from pipeline.gmail.transport import Rim, keep_nothing
        from pipeline.gmail.wire import UrllibWire
        from pipeline.keyrings import SecretStore, system_backend

        account, wire = self.config.account, UrllibWire()
        credential = load_credential(
            account,
            PROFILES[stage],
            env=self.request.env,
            secrets=SecretStore(system_backend),
            wire=wire,
            monotonic=self.monotonic,
        )
        meter = Meter(account.quota, self.monotonic)
        rim = Rim(wire, credential, meter, record or keep_nothing, self.twin_url, self._check_of(stage))
        return attest(account, stage, rim, workspace_kind=self.workspace.kind)
