"""What stages read and write. An artifact constant lives with the stage that writes it; facts are named here once.

- evidence and sealed facts (captures, receipts, rules, policy, decisions logs, ...): append-only, several writers, they
  cut the graph and never get a file rule in make;
- derived artifacts: exactly one writer, a file in data/snapshots/<account>/, rewritten at will.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import polars as pl

from pipeline.canonical import sha256_hex
from pipeline.config import Config
from pipeline.evidence.captures import RawCapture, read_captures
from pipeline.models.document import Document
from pipeline.refusals import MissingArtifact
from pipeline.store import exists, read_bytes, replace_file
from pipeline.tables import Table
from pipeline.workspace import Workspace

Kind = Literal["evidence", "sealed", "derived"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where to load from: the account's workspace and the owner's files; so many processes may read mail."""

    workspace: Workspace
    config: Config
    processes: int = 1


@dataclass(frozen=True, slots=True)
class Fact:
    """Evidence, a sealed document kind or the owner's files: `load` reads all of it, verified."""

    name: str
    kind: Literal["evidence", "sealed"]
    about: str
    load: Callable[[Place], object]
    is_in_config: bool = False
    """Whether it changes with the owner's files rather than with the workspace's facts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View(Fact):
    """A fact as several stages need it, worked out from another fact once for a whole chain of stages."""

    of: Fact
    look: Callable[[Any], object]


def view(name: str, about: str, of: Fact, look: Callable[[Any], object]) -> View:
    """A View; alone it loads what it is a view of."""
    return View(name, of.kind, about, lambda place: look(of.load(place)), of.is_in_config, of=of, look=look)


@dataclass(frozen=True, slots=True)
class Derived:
    """A table, or one document, that a pure stage writes and anyone may throw away."""

    name: str
    about: str
    form: Table | type[Document]

    kind: Literal["derived"] = "derived"

    @property
    def file_name(self) -> str:
        """`messages.parquet` or `plan.json`."""
        return f"{self.name}.parquet" if isinstance(self.form, Table) else f"{self.name}.json"

    def path(self, workspace: Workspace) -> Path:
        """Where it lies in a workspace."""
        return workspace.snapshots / self.file_name

    def load(self, place: Place) -> object:
        """Read it, checked against its form. Raises MissingArtifact, naming the make target."""
        path = self.path(place.workspace)
        if not exists(path):
            raise MissingArtifact(f"{self.name} is not built yet", evidence=str(path), next_command="gmailtriage plan")
        data = read_bytes(path)
        return self.form.read(data) if isinstance(self.form, Table) else self.form.from_bytes(data)

    def encode(self, value: object) -> bytes:
        """The bytes of a value of its form."""
        if isinstance(self.form, Table):
            if not isinstance(value, pl.DataFrame):
                raise TypeError(f"{self.name} is a table, not a {type(value).__name__}")
            return self.form.write(value)
        if not isinstance(value, self.form):
            raise TypeError(f"{self.name} is a {self.form.__name__}, not a {type(value).__name__}")
        return value.to_bytes()

    def digest(self, value: object) -> str:
        """A digest that does not depend on the parquet library."""
        if isinstance(self.form, Table) and isinstance(value, pl.DataFrame):
            return self.form.digest(value)
        return value.sha256 if isinstance(value, Document) else ""

    def save(self, place: Place, value: object) -> str:
        """Write it, whole or not at all; the sha256 of what was written."""
        data = self.encode(value)
        replace_file(self.path(place.workspace), data)
        return sha256_hex(data)


Artifact = Fact | Derived


def _as_of(captures: tuple[RawCapture, ...]) -> datetime:
    if not captures:
        raise MissingArtifact("there is no capture", evidence="data/raw is empty", next_command="gmailtriage fetch")
    return max(capture.seal.finished_at for capture in captures)


CAPTURES = Fact(
    "captures", "evidence", "what Gmail or another tool said, byte for byte", lambda p: read_captures(p.workspace)
)
AS_OF = view("as_of", "the newest capture's finish, UTC: the only time a pure stage knows", CAPTURES, _as_of)
ACCOUNT = Fact("account", "evidence", "the account's registry record", lambda p: p.config.account, is_in_config=True)
POLICY = Fact("policy", "evidence", "policy.toml", lambda p: p.config.policy, is_in_config=True)
