"""Shards: what one capture gives, kept as one parquet file each, so that work is proportional to new mail.

Promises: a shard's name holds a key of everything it was made from (the capture's seal, our code, what else was read),
so that an old one is never taken for a new one, and a digest of its bytes: a damaged one is not there; a newer one
takes the place of those with other keys. Shards are derived: anyone may throw them away, and no seal rests on one.

    shelf = Shelf(workspace.snapshots / "shards")
    shelf.put(capture_id, "screen", key, SCREEN, frame)
    shelf.get(capture_id, "screen", key, SCREEN)
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.canonical import sha256_hex
from pipeline.refusals import TableRefused
from pipeline.store import list_names, read_bytes, remove_file, replace_file
from pipeline.tables import Table


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where shards lie; `folder` None = nothing is kept and nothing is found."""

    folder: Path | None

    def get(self, capture: str, what: str, key: str, table: Table) -> pl.DataFrame | None:
        """A kept shard, or None: absent, of another key, or damaged."""
        if self.folder is None:
            return None
        for name in self._names(_start(capture, what, key)):
            data = read_bytes(self.folder / name)
            if name == _name(capture, what, key, data):  # a parquet reader may die of a flipped bit
                return _read(table, data)
        return None

    def put(self, capture: str, what: str, key: str, table: Table, frame: pl.DataFrame) -> None:
        """Keep a shard and drop what stood in its place."""
        if self.folder is None:
            return
        data = table.write(frame)
        name = _name(capture, what, key, data)
        replace_file(self.folder / name, data)
        self._drop(other for other in self._names(f"{capture}.{what}.") if other != name)

    def _names(self, start: str) -> list[str]:
        return [name for name in list_names(self.folder) if name.startswith(start)] if self.folder else []

    def keep_only(self, captures: Collection[str]) -> None:
        """Drop the shards of captures that are not there any more."""
        if self.folder is not None:
            self._drop(name for name in list_names(self.folder) if name.partition(".")[0] not in captures)

    def _drop(self, names: Iterable[str]) -> None:
        if self.folder is not None:
            for name in names:
                remove_file(self.folder / name)


def _read(table: Table, data: bytes) -> pl.DataFrame | None:
    try:
        return table.read(data)
    except TableRefused:
        return None


def _start(capture: str, what: str, key: str) -> str:
    return f"{capture}.{what}.{key[:32]}."


def _name(capture: str, what: str, key: str, data: bytes) -> str:
    return f"{_start(capture, what, key)}{sha256_hex(data)[:32]}.parquet"
