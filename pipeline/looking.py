"""One piece of new mail, read for its rows and for every stage that looks at mail: a task that any process can do.

Promises: a function of the piece and the judges alone; what is handed back are tables, never mail.

    look_at(judges, Task(piece, ("match",)))
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pipeline.evidence.raw import Reading
from pipeline.evidence.sheet import Look, Piece, Shown, nobody, read_piece

Judge = Callable[..., object]
"""What a stage makes of a chunk of `mail`, before it is checked against what the stage declares."""


@dataclass(frozen=True, slots=True)
class Task:
    """A piece, and by name the stages that judge its mail."""

    piece: Piece
    judges: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a piece shows, the ids of the mail in it, and what each judge made of it, chunk by chunk."""

    shown: Shown
    keys: frozenset[str]
    judged: Mapping[str, Sequence[object]]


def look_at(judges: Mapping[str, Judge], task: Task) -> Seen:
    """Read a piece once. Raises InputRefused's kinds and what a judge raises."""
    judged: dict[str, list[object]] = {name: [] for name in task.judges}
    keys: set[str] = set()
    look: Look = partial(_look, judges, judged) if judged else nobody
    shown = read_piece(task.piece, look, keys)
    return Seen(shown, frozenset(keys), judged)


def _look(judges: Mapping[str, Judge], judged: Mapping[str, list[object]], readings: tuple[Reading, ...]) -> None:
    for name, found in judged.items():
        found.append(judges[name](mail=readings))
