"""Mail read once for everybody who wants it: the sheet of each capture, and what stages that read mail make of it.

Promises: a stage that reads `mail` looks at one message at a time, so its result over parts of the mail, put together,
is its result over all of it; each capture is opened once for all such stages of a chain, in pieces, and only when one
of its shards is missing; several processes may share the pieces, and no byte depends on how many; nothing is kept
before all captures have been found whole. Mail that several captures show is read and judged anew each time.

    gathering = Gathering(captures, stages, given, digest, Shelf(folder), processes=2)
    gathering.evidence; gathering.whole(SCREEN_STAGE)
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property, partial
from inspect import signature
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.artifacts import Artifact, Derived, View
from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.config import REPOSITORY
from pipeline.evidence.captures import RawCapture
from pipeline.evidence.complete import refuse_incomplete
from pipeline.evidence.gather import EVIDENCE, Evidence, gather
from pipeline.evidence.lists import known_of
from pipeline.evidence.raw import MAIL, Reading
from pipeline.evidence.sheet import CHUNK, Piece, Sheet, pieces_of, sheet_from
from pipeline.evidence.sources import CONNECTORS, Known
from pipeline.helpers import in_order
from pipeline.looking import Judge, Seen, Task, look_at
from pipeline.mail.message import Unreadable
from pipeline.shelf import Shelf
from pipeline.stage import Halves, Stage
from pipeline.store import digest_of, exists, tree_files
from pipeline.tables import SHOWN, TOLD, Table

Frames = dict[str, pl.DataFrame]
"""A stage's tables by name; of a stage in halves the first half's, under the name of its output."""
JUDGED, BARE = 2, 16
"""Parts that are worth a helper: those that stages judge, and those that are read for their rows alone."""


def reads_mail(stage: Stage) -> bool:
    """Whether a stage looks at mail itself."""
    return MAIL in stage.reads


@dataclass(frozen=True, slots=True)
class Missing:
    """What is not on the shelf of one capture: its sheet, or what some stages made of its mail; and where to look."""

    capture: RawCapture
    sheet: Sheet | None
    stages: tuple[Stage, ...]
    pieces: tuple[Piece, ...]

    def tasks(self) -> Iterator[Task]:
        """What has to be read, piece by piece."""
        return (Task(piece, tuple(stage.name for stage in self.stages)) for piece in self.pieces)


@dataclass
class Gathering:
    """One chain's reading of its captures. `given` loads what a stage reads beside mail, `digest` says what it is;
    `processes` may share the reading."""

    captures: tuple[RawCapture, ...]
    stages: tuple[Stage, ...]
    given: Callable[[Artifact], object]
    digest: Callable[[Artifact], str]
    shelf: Shelf
    processes: int = 1
    _parts: dict[str, dict[str, Frames]] = field(default_factory=lambda: defaultdict(dict))
    """Stage name -> capture id -> tables."""
    _pending: list[Callable[[], None]] = field(default_factory=list)

    @cached_property
    def evidence(self) -> Evidence:
        """All captures, folded. Raises InputRefused's kinds; then nothing was kept."""
        found = gather(self.captures, self._sheets())
        for put in self._pending:
            put()
        self._pending.clear()
        self.shelf.keep_only([capture.seal.id for capture in self.captures])
        return found

    def whole(self, stage: Stage) -> Frames:
        """What a stage makes of all mail."""
        there = self.evidence.messages.select(pl.col("id").alias("message_id"))
        homes = self.evidence.homes.join(there, on="message_id", how="semi")
        parts = [self._of_readings(stage, (*self.evidence.crowded, *_unreadable(self.evidence)))]
        for capture in self.captures:
            ours = homes.filter(pl.col("capture") == capture.seal.id)
            part = self._parts[stage.name][capture.seal.id]
            parts.append({name: frame.join(ours, on="message_id", how="semi") for name, frame in part.items()})
        found = {
            name: table.checked(pl.concat([part[name] for part in parts])) for name, table in _tables(stage).items()
        }
        return found if stage.halves is None else self._second_half(stage, stage.halves, found)

    def _second_half(self, stage: Stage, halves: Halves, found: Frames) -> Frames:
        wanted = signature(halves.then).parameters
        given = {one.name: self.given(one) for one in stage.reads if one.name in wanted}
        (looks,) = found.values()
        outputs = stage.outputs(halves.then(**given, looks=looks))
        return {one.name: _table(one).checked(_frame(outputs[one.name])) for one in stage.derived}

    def _sheets(self) -> list[Sheet]:
        """Every sheet; what is on no shelf is read, each capture once for its sheet and for every stage."""
        listed = [self._missing(capture) for capture in self.captures]
        tasks = [task for missing in listed for task in missing.tasks()]
        helpers = min(self.processes - 1, _worthwhile(tasks))
        with closing(in_order(partial(look_at, self._judges), tasks, helpers)) as seen:
            return [self._sheet(missing, seen) for missing in listed]

    def _missing(self, capture: RawCapture) -> Missing:
        key = self._sheet_key(capture)
        shown, told = (self.shelf.get(capture.seal.id, one.name, key, one) for one in (SHOWN, TOLD))
        sheet = None if shown is None or told is None else Sheet(capture.seal, shown, told)
        stages = tuple(stage for stage in self.stages if not self._is_kept(stage, capture))
        pieces = pieces_of(capture, self._known) if stages or sheet is None else ()
        return Missing(capture, sheet, stages, pieces)

    def _is_kept(self, stage: Stage, capture: RawCapture) -> bool:
        """Whether all of a stage's tables of a capture are on the shelf; then they are taken from it."""
        key = self._stage_key(stage, capture)
        kept = {name: self.shelf.get(capture.seal.id, name, key, table) for name, table in _tables(stage).items()}
        found = {name: frame for name, frame in kept.items() if frame is not None}
        self._parts[stage.name][capture.seal.id] = found
        return len(found) == len(kept)

    def _sheet(self, missing: Missing, seen: Iterator[Seen]) -> Sheet:
        """The sheet of a capture; it and what stages made of its mail are remembered to be kept."""
        capture = missing.capture
        if missing.sheet is not None:
            self._finish(missing, list(islice(seen, len(missing.pieces))))
            return missing.sheet
        claims = refuse_incomplete(capture)
        read = list(islice(seen, len(missing.pieces)))
        self._finish(missing, read)
        sheet, key = sheet_from(capture, claims, [one.shown for one in read]), self._sheet_key(capture)
        self._keep(capture, SHOWN.name, key, SHOWN, sheet.shown)
        self._keep(capture, TOLD.name, key, TOLD, sheet.told)
        return sheet

    def _finish(self, missing: Missing, read: Sequence[Seen]) -> None:
        for stage in missing.stages:
            self._finish_stage(stage, missing.capture, read)

    def _finish_stage(self, stage: Stage, capture: RawCapture, read: Sequence[Seen]) -> None:
        """What a stage made of a capture, piece by piece: of mail that two pieces show, what it made of the first."""
        parts, before = [_nothing(stage)], frozenset[str]()
        for one in read:
            again = pl.col("message_id").is_in(sorted(before & one.keys))
            judged = (_first_half(stage, result) for result in one.judged[stage.name])
            parts += [{name: frame.filter(~again) for name, frame in frames.items()} for frames in judged]
            before |= one.keys
        found = {name: pl.concat([part[name] for part in parts]) for name in _tables(stage)}
        self._parts[stage.name][capture.seal.id] = found
        for name, table in _tables(stage).items():
            self._keep(capture, name, self._stage_key(stage, capture), table, found[name])

    @cached_property
    def _judges(self) -> dict[str, Judge]:
        """How each stage looks at mail, with what it reads beside it."""
        return {stage.name: self._judge(stage) for stage in self.stages}

    def _judge(self, stage: Stage) -> Judge:
        return partial(_first(stage), **{one.name: self.given(one) for one in _beside_mail(stage)})

    def _of_readings(self, stage: Stage, readings: Sequence[Reading]) -> Frames:
        judge, found = self._judge(stage), [_nothing(stage)]
        for start in range(0, len(readings), CHUNK):
            found.append(_first_half(stage, judge(mail=tuple(readings[start : start + CHUNK]))))
        return {name: pl.concat([part[name] for part in found]) for name in _tables(stage)}

    def _keep(self, capture: RawCapture, what: str, key: str, table: Table, frame: pl.DataFrame) -> None:
        self._pending.append(partial(self.shelf.put, capture.seal.id, what, key, table, frame))

    def _sheet_key(self, capture: RawCapture) -> str:
        needs_lists = any(exchange.method in CONNECTORS for exchange in capture.exchanges)
        lists = {"labels": dict(self._known.labels), "threads": dict(self._known.threads)} if needs_lists else {}
        return _key(capture, self._code, lists)

    def _stage_key(self, stage: Stage, capture: RawCapture) -> str:
        inputs = {one.name: self.digest(one) for one in _beside_mail(stage)}
        code = digest_of(Path(stage.run.__code__.co_filename))
        return _key(capture, self._code, {"inputs": inputs, "code": code, "sheet": self._sheet_key(capture)})

    @cached_property
    def _known(self) -> Known:
        return known_of(self.captures)

    @cached_property
    def _code(self) -> str:
        """A digest of everything that may change what is read in mail: our modules and their libraries."""
        files = [*_modules(REPOSITORY / "pipeline"), *filter(exists, [REPOSITORY / "locks" / "all.txt"])]
        return sha256_hex(canonical_bytes([digest_of(file) for file in files]))


def _worthwhile(tasks: Sequence[Task]) -> int:
    """How many helpers have enough to do: each takes a third of a second to begin."""
    return len(tasks) // (JUDGED if any(task.judges for task in tasks) else BARE)


def _first(stage: Stage) -> Callable[..., Any]:
    """The function that looks at mail."""
    return stage.run if stage.halves is None else stage.halves.first


def _beside_mail(stage: Stage) -> list[Artifact]:
    """What that function reads but mail. Raises TypeError where it waits for the fold: mail is read before it."""
    wanted = signature(_first(stage)).parameters
    found = [one for one in stage.reads if one is not MAIL and one.name in wanted]
    if any(isinstance(one, Derived) or (isinstance(one, View) and one.of is EVIDENCE) for one in found):
        raise TypeError(f"{stage.name} looks at mail and needs what only all captures tell: it comes in halves")
    return found


def _first_half(stage: Stage, result: object) -> Frames:
    """The tables that looking at some mail gave."""
    if stage.halves is not None:
        return dict.fromkeys(_tables(stage), _frame(result))
    return {name: _frame(value) for name, value in stage.outputs(result).items()}


def _tables(stage: Stage) -> dict[str, Table]:
    """The tables that looking at mail gives, by name."""
    if stage.halves is not None:
        return {stage.derived[0].name: stage.halves.table}
    return {one.name: _table(one) for one in stage.derived}


def _unreadable(evidence: Evidence) -> Iterator[Reading]:
    """What is no mail, or no more, as stages see it."""
    for row in evidence.refused.iter_rows(named=True):
        mail = Unreadable(row["message_id"] or "", row["reason"], tuple(row["missing"]))
        yield Reading(row["id"], row["capture"], mail, ())


def _modules(folder: Path) -> Iterator[Path]:
    return (path for path in tree_files(folder) if path.suffix == ".py")


def _key(capture: RawCapture, code: str, rest: Mapping[str, object]) -> str:
    return sha256_hex(canonical_bytes([capture.sha256, code, dict(rest)]))


def _nothing(stage: Stage) -> Frames:
    return {name: table.frame(()) for name, table in _tables(stage).items()}


def _table(artifact: Derived) -> Table:
    if not isinstance(artifact.form, Table):
        raise TypeError(f"{artifact.name} is no table: a stage that reads mail writes tables with a row a message")
    return artifact.form


def _frame(value: object) -> pl.DataFrame:
    if not isinstance(value, pl.DataFrame):
        raise TypeError("a stage that reads mail writes tables")
    return value
