"""Mail read once for everybody who wants it: the sheet of each capture, and what stages that read mail make of it.

Promises: a stage that reads `mail` looks at one message at a time, so its result over parts of the mail, put together,
is its result over all of it; each capture is opened once for all such stages of a chain, in chunks, and only when one
of its shards is missing; nothing is kept before all captures have been found whole. Mail that several captures show is
read and judged anew each time.

    gathering = Gathering(captures, stages, given, digest, Shelf(folder))
    gathering.evidence(); gathering.whole(SCREEN_STAGE)
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import polars as pl

from pipeline.artifacts import Artifact, Derived, View
from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.config import REPOSITORY
from pipeline.evidence.captures import RawCapture
from pipeline.evidence.gather import CIRCLE, EVIDENCE, Evidence, gather
from pipeline.evidence.lists import known_of
from pipeline.evidence.raw import MAIL, Reading
from pipeline.evidence.sheet import CHUNK, Sheet, look_again, nobody, sheet_of
from pipeline.evidence.sources import Known
from pipeline.mail.message import Unreadable
from pipeline.shelf import Shelf
from pipeline.stage import Stage
from pipeline.store import digest_of, exists, tree_files
from pipeline.tables import SHOWN, TOLD, Table

Frames = dict[str, pl.DataFrame]
"""A stage's tables by artifact name."""
CONNECTORS = frozenset({"mbox", "triage"})
"""Shapes whose reading depends on what lists say."""


def reads_mail(stage: Stage) -> bool:
    """Whether a stage looks at mail itself."""
    return MAIL in stage.reads


@dataclass
class Gathering:
    """One chain's reading of its captures. `given` loads what a stage reads beside mail, `digest` says what it is."""

    captures: tuple[RawCapture, ...]
    stages: tuple[Stage, ...]
    given: Callable[[Artifact], object]
    digest: Callable[[Artifact], str]
    shelf: Shelf
    _parts: dict[str, dict[str, Frames]] = field(default_factory=lambda: defaultdict(dict))
    """Stage name -> capture id -> tables."""
    _pending: list[Callable[[], None]] = field(default_factory=list)
    _judges: dict[str, dict[str, object]] = field(default_factory=dict)
    """Stage name -> what its shards depend on beside the capture: the same for all captures."""

    @cached_property
    def evidence(self) -> Evidence:
        """All captures, folded. Raises InputRefused's kinds; then nothing was kept."""
        early = tuple(stage for stage in self.stages if not any(map(_needs_evidence, stage.reads)))
        found = gather(self.captures, [self._sheet(capture, early) for capture in self.captures])
        self._keep_pending()
        self.shelf.keep_only([capture.seal.id for capture in self.captures])
        return found

    def whole(self, stage: Stage) -> Frames:
        """What a stage makes of all mail."""
        there = self.evidence.messages.select(pl.col("id").alias("message_id"))
        homes = self.evidence.homes.join(there, on="message_id", how="semi")
        parts = [self._judge(stage, (*self.evidence.crowded, *_unreadable(self.evidence)))]
        for capture in self.captures:
            ours = homes.filter(pl.col("capture") == capture.seal.id)
            part = self._part(stage, capture)
            parts.append({name: frame.join(ours, on="message_id", how="semi") for name, frame in part.items()})
        self._keep_pending()
        return {one.name: _table(one).checked(pl.concat([part[one.name] for part in parts])) for one in stage.derived}

    def _part(self, stage: Stage, capture: RawCapture) -> Frames:
        """What a stage makes of one capture's mail: worked out on the way, or kept, or worked out now."""
        if capture.seal.id not in self._parts[stage.name]:
            missing = self._missing((stage,), capture)
            if missing:
                look_again(capture, self._known, partial(self._look, missing, capture.seal.id))
                self._finish(missing, capture)
        return self._parts[stage.name][capture.seal.id]

    def _sheet(self, capture: RawCapture, early: Iterable[Stage]) -> Sheet:
        key = self._sheet_key(capture)
        shown, told = (self.shelf.get(capture.seal.id, one.name, key, one) for one in (SHOWN, TOLD))
        missing = self._missing(early, capture)
        look = partial(self._look, missing, capture.seal.id) if missing else nobody
        if shown is None or told is None:
            sheet = sheet_of(capture, self._known, look)
            self._keep(capture, SHOWN.name, key, SHOWN, sheet.shown)
            self._keep(capture, TOLD.name, key, TOLD, sheet.told)
        else:
            sheet = Sheet(capture.seal, shown, told)
            if missing:
                look_again(capture, self._known, look)
        self._finish(missing, capture)
        return sheet

    def _missing(self, stages: Iterable[Stage], capture: RawCapture) -> tuple[Stage, ...]:
        """The stages of which a shard is missing; the shards of the others are taken from the shelf."""
        missing = []
        for stage in stages:
            key = self._stage_key(stage, capture)
            kept = {one.name: self.shelf.get(capture.seal.id, one.name, key, _table(one)) for one in stage.derived}
            found = {name: frame for name, frame in kept.items() if frame is not None}
            if len(found) == len(kept):
                self._parts[stage.name][capture.seal.id] = found
            else:
                missing.append(stage)
                self._parts[stage.name][capture.seal.id] = _nothing(stage)
        return tuple(missing)

    def _look(self, stages: Iterable[Stage], capture: str, readings: tuple[Reading, ...]) -> None:
        """Let stages judge a chunk of a capture's mail."""
        for stage in stages:
            so_far, more = self._parts[stage.name][capture], self._judge(stage, readings)
            self._parts[stage.name][capture] = {name: pl.concat([so_far[name], more[name]]) for name in so_far}

    def _judge(self, stage: Stage, readings: Sequence[Reading]) -> Frames:
        given = {one.name: self.given(one) for one in stage.reads if one is not MAIL}
        found = _nothing(stage)
        for start in range(0, len(readings), CHUNK):
            outputs = stage.outputs(stage.run(**given, mail=tuple(readings[start : start + CHUNK])))
            found = {name: pl.concat([frame, _frame(outputs[name])]) for name, frame in found.items()}
        return found

    def _finish(self, stages: Iterable[Stage], capture: RawCapture) -> None:
        """Remember to keep what stages made of a capture."""
        for stage in stages:
            key = self._stage_key(stage, capture)
            for one in stage.derived:
                self._keep(capture, one.name, key, _table(one), self._parts[stage.name][capture.seal.id][one.name])

    def _keep(self, capture: RawCapture, what: str, key: str, table: Table, frame: pl.DataFrame) -> None:
        self._pending.append(partial(self.shelf.put, capture.seal.id, what, key, table, frame))

    def _keep_pending(self) -> None:
        for put in self._pending:
            put()
        self._pending.clear()

    def _sheet_key(self, capture: RawCapture) -> str:
        needs_lists = any(exchange.method in CONNECTORS for exchange in capture.exchanges)
        lists = {"labels": dict(self._known.labels), "threads": dict(self._known.threads)} if needs_lists else {}
        return _key(capture, self._code, lists)

    def _stage_key(self, stage: Stage, capture: RawCapture) -> str:
        return _key(capture, self._code, {**self._judge_of(stage), "sheet": self._sheet_key(capture)})

    def _judge_of(self, stage: Stage) -> dict[str, object]:
        if stage.name not in self._judges:
            inputs = {one.name: self._digest(one) for one in stage.reads if one is not MAIL}
            self._judges[stage.name] = {"inputs": inputs, "code": digest_of(Path(stage.run.__code__.co_filename))}
        return self._judges[stage.name]

    def _digest(self, artifact: Artifact) -> str:
        """What the fold tells counts by what it says, not by the captures that it comes from."""
        if artifact is CIRCLE:
            return sha256_hex(canonical_bytes(self.evidence.circle.plain()))
        return self.digest(artifact)

    @cached_property
    def _known(self) -> Known:
        return known_of(self.captures)

    @cached_property
    def _code(self) -> str:
        """A digest of everything that may change what is read in mail: our modules and their libraries."""
        files = [*_modules(REPOSITORY / "pipeline"), *filter(exists, [REPOSITORY / "locks" / "all.txt"])]
        return sha256_hex(canonical_bytes([digest_of(file) for file in files]))


def _needs_evidence(artifact: Artifact) -> bool:
    """Whether an artifact is known only once all captures are folded."""
    return isinstance(artifact, Derived) or (isinstance(artifact, View) and artifact.of is EVIDENCE)


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
    return {one.name: _table(one).frame(()) for one in stage.derived}


def _table(artifact: Derived) -> Table:
    if not isinstance(artifact.form, Table):
        raise TypeError(f"{artifact.name} is no table: a stage that reads mail writes tables with a row a message")
    return artifact.form


def _frame(value: object) -> pl.DataFrame:
    if not isinstance(value, pl.DataFrame):
        raise TypeError("a stage that reads mail writes tables")
    return value
