"""A stage, declared once at the end of its module.

    STAGE = Stage("decide", reads=(MESSAGES, SCREEN, ...), writes=(DECISIONS,), keeps="message", run=decide)

From this one value come the make rule, the command and its help, the row in docs/stages.md and the generic property
tests. Parameter names of a pure stage's function equal the names of what it reads; it returns the one thing it writes,
or a dict by artifact name when it writes several. Wrong names, a second writer of a derived artifact and cycles are
refused at import with a message that lists both sides.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

from pipeline.artifacts import Artifact, Derived
from pipeline.refusals import StageRefused
from pipeline.tables import Table

Kind = Literal["pure", "asks", "seals", "person", "changes", "checks"]
"""pure: facts in, derived out. asks: reads Gmail. seals: writes a sealed document. person: records a person's yes.
changes: changes the mailbox. checks: reads facts and writes nothing."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a stage's command: `name` the parameter's, `kind` its type; `is_argument` makes it positional."""

    name: str
    kind: type
    default: object
    help: str
    is_argument: bool = False

    @property
    def flag(self) -> str:
        """`--sender-id` for `sender_id`; an underscore at the end keeps a word of Python free: `--except`."""
        return f"--{self.name.rstrip('_').replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class Halves:
    """A stage that reads mail and what only all captures together tell, cut in two so that mail is read once.

    `first` makes `table`, a row a message id, of what it reads but the fold; `then` makes the stage's output of that,
    as `looks`, and of the rest. `run` of the stage is one after the other.
    """

    table: Table
    first: Callable[..., Any]
    then: Callable[..., Any]


@dataclass(frozen=True)
class Stage:
    """One stage. `keeps` says which ids come out exactly once, kept or refused; `methods` are its Gmail methods."""

    name: str
    reads: tuple[Artifact, ...]
    writes: tuple[Artifact, ...]
    run: Callable[..., Any]
    keeps: Literal["message", "correspondent"] | None = None
    kind: Kind = "pure"
    methods: frozenset[str] = frozenset()
    options: tuple[Option, ...] = ()
    halves: Halves | None = None

    def __post_init__(self) -> None:
        parameters = tuple(inspect.signature(self.run).parameters)
        wanted = self._wanted_parameters()
        if parameters != wanted:
            raise StageRefused(
                f"stage {self.name}: parameters differ from what it declares",
                evidence=f"function: {', '.join(parameters)}; declared: {', '.join(wanted)}",
                next_command="give the parameters the artifacts' names, in the same order",
            )
        if self.kind == "pure" and not all(isinstance(artifact, Derived) for artifact in self.writes):
            raise StageRefused(f"stage {self.name}: a pure stage writes derived artifacts only", evidence=self._names())

    def _wanted_parameters(self) -> tuple[str, ...]:
        if self.kind == "pure":
            return tuple(artifact.name for artifact in self.reads)
        return ("context", *(option.name for option in self.options))

    def _names(self) -> str:
        return ", ".join(artifact.name for artifact in self.writes)

    @property
    def derived(self) -> tuple[Derived, ...]:
        """The derived artifacts that it writes."""
        return tuple(artifact for artifact in self.writes if isinstance(artifact, Derived))

    def outputs(self, result: object) -> dict[str, object]:
        """A pure stage's result by artifact name. Raises StageRefused when names differ from what it declares."""
        named = result if isinstance(result, Mapping) else {self.writes[0].name: result}
        if set(named) != {artifact.name for artifact in self.writes}:
            raise StageRefused(
                f"stage {self.name} returned other artifacts than it declares",
                evidence=f"returned: {', '.join(sorted(named))}; declared: {self._names()}",
            )
        return dict(named)


def discover(package: ModuleType) -> dict[str, Stage]:
    """Every stage of a package by name, in an order in which each comes after what it reads. Raises StageRefused."""
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    modules = [(name, importlib.import_module(f"{package.__name__}.{name}")) for name in names]
    found = [(name, stage) for name, module in modules if isinstance(stage := getattr(module, "STAGE", None), Stage)]
    strangers = [f"{name}.py declares {stage.name}" for name, stage in found if stage.name.replace("-", "_") != name]
    if strangers:
        raise StageRefused("a stage has another name than its module", evidence="; ".join(strangers))
    return in_order(stage for _, stage in found)


def in_order(stages: Iterable[Stage]) -> dict[str, Stage]:
    """Stages by name in reading order; facts cut the graph. Raises StageRefused on two writers or a cycle."""
    pending = {stage.name: stage for stage in sorted(stages, key=lambda stage: stage.name)}
    writers = _writers(pending.values())
    ordered: dict[str, Stage] = {}
    while pending:
        ready = [s for s in pending.values() if not _waits_for(s, writers) & (pending.keys() - {s.name})]
        if not ready:
            raise _cycle(pending, writers)
        ordered[ready[0].name] = pending.pop(ready[0].name)
    return ordered


def upstream(stages: Mapping[str, Stage], name: str) -> tuple[Stage, ...]:
    """The pure stages that `name` needs, itself last, in order."""
    writers = _writers(stages.values())
    needed, queue = {name}, [name]
    while queue:
        for other in _waits_for(stages[queue.pop()], writers) - needed:
            needed.add(other)
            queue.append(other)
    return tuple(stage for stage in stages.values() if stage.name in needed)


def _writers(stages: Iterable[Stage]) -> dict[str, str]:
    writers: dict[str, str] = {}
    for stage in stages:
        for artifact in stage.derived:
            if artifact.name in writers:
                raise StageRefused(
                    f"two stages write {artifact.name}", evidence=f"{writers[artifact.name]} and {stage.name}"
                )
            writers[artifact.name] = stage.name
    return writers


def _waits_for(stage: Stage, writers: Mapping[str, str]) -> set[str]:
    missing = [a.name for a in stage.reads if isinstance(a, Derived) and a.name not in writers]
    if missing:
        raise StageRefused(f"stage {stage.name} reads what nobody writes", evidence=", ".join(missing))
    return {writers[a.name] for a in stage.reads if isinstance(a, Derived)}


def _cycle(pending: Mapping[str, Stage], writers: Mapping[str, str]) -> StageRefused:
    sides = (f"{name} reads from {', '.join(sorted(_waits_for(stage, writers)))}" for name, stage in pending.items())
    return StageRefused("stages wait for each other", evidence="; ".join(sides))
