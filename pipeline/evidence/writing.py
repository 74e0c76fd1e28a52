"""Writing one capture: bodies go to their packs as they arrive, the seal comes last, and only then it exists.

Writing happens in `.partial-<id>/`; the folder gets its name when everything is on disk. Bodies are never held in
memory. `pipeline.evidence.captures` reads what was written here.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.evidence.captures import INDEX, OK, Exchange
from pipeline.models.capture import Capture, IndexRow, Purpose, SealedFile, Window
from pipeline.store import (
    DISK,
    Disk,
    Growing,
    exists,
    list_names,
    publish_folder,
    remove_tree,
    replace_file,
)
from pipeline.workspace import Workspace

PARTIAL = ".partial-"
_STAMP = "%Y%m%dT%H%M%SZ"
_CAPTURE_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9]{2}")
SYNC_ROWS = 64
SYNC_BYTES = 4 << 20
"""So much may be lost when the machine (not the process) dies: requests, and bytes of their bodies."""


@dataclass
class CaptureWriter:
    """Writes one capture: `record` each exchange as it arrives, then `seal` once. Bodies are never held in memory.

    A body reaches its pack before its row reaches the index, so that whoever finds an unfinished folder may believe
    each row whose body has the row's sha256. Packs are forced to the disk before the index, both in chunks.
    """

    workspace: Workspace
    capture_id: str
    disk: Disk = DISK
    counts: Counter[str] = field(default_factory=Counter)
    _files: dict[str, Growing] = field(default_factory=dict)
    _saved: dict[str, tuple[tuple[IndexRow, ...], bytes]] = field(default_factory=dict)
    _unsynced: int = 0

    @property
    def folder(self) -> Path:
        """Where the unfinished capture lies."""
        return partial_folder(self.workspace, self.capture_id)

    def record(self, exchange: Exchange) -> None:
        """Keep an exchange: the body's bytes go to the method's pack before anything parses them."""
        row = IndexRow(method=exchange.method, parameters=_plain(exchange.parameters), status=exchange.status)
        if exchange.status == OK:
            row = self._packed(row, f"{exchange.method}.pack", exchange.body)
        self._indexed(row)
        self._unsynced += len(exchange.body) + SYNC_BYTES // SYNC_ROWS
        if self._unsynced >= SYNC_BYTES:
            self.sync()

    def record_file(self, name: str, body: bytes, slices: Iterable[tuple[int, Exchange]]) -> None:
        """Keep a file that another tool saved, whole; each exchange is the slice of it that begins at its offset.

        It is written when the capture is sealed, not before.
        """
        rows = [_sliced(name, offset, one) for offset, one in slices]
        self._saved[name] = (tuple(rows), body)
        self.counts.update(row.method for row in rows)

    def sync(self) -> None:
        """Force everything so far to the disk: the packs first, then the index that speaks of them."""
        for name in sorted(self._files, key=INDEX.__eq__):
            self._files[name].sync()
        self._unsynced = 0

    def seal(self, draft: Capture) -> Capture:
        """Finish packs and index, write the seal (`draft` with its files filled in), then publish the folder."""
        for name, (rows, body) in self._saved.items():
            self._grow(name).append(body)
            for row in rows:
                self._append_row(row)
        self._grow(INDEX)
        for file in self._files.values():
            file.finish()
        files = tuple(SealedFile(name=n, sha256=f.sha256, size=f.size) for n, f in sorted(self._files.items()))
        capture = draft.model_copy(update={"files": files}).checksummed()
        replace_file(self.folder / "capture.json", capture.to_bytes(), self.disk)
        publish_folder(self.folder, self.workspace.raw / self.capture_id, self.disk)
        return capture

    def close(self) -> None:
        """Give the files back unfinished; what is on the disk stays there."""
        for file in self._files.values():
            file.close()

    def discard(self) -> None:
        """Close, and remove what was written."""
        self.close()
        remove_tree(self.folder)

    def _packed(self, row: IndexRow, name: str, body: bytes) -> IndexRow:
        pack = self._grow(name)
        placed = {"file": name, "offset": pack.size, "length": len(body), "sha256": sha256_hex(body)}
        pack.append(body + b"\n")
        return row.model_copy(update=placed)

    def _indexed(self, row: IndexRow) -> None:
        self._append_row(row)
        self.counts[row.method] += 1

    def _append_row(self, row: IndexRow) -> None:
        self._grow(INDEX).append(canonical_bytes(row.model_dump(mode="json")) + b"\n")

    def _grow(self, name: str) -> Growing:
        if not self._files:
            remove_tree(self.folder)  # what a killed run of the same second left would be a stranger in this one
        if name not in self._files:
            self._files[name] = Growing(self.folder / name, self.disk)
        return self._files[name]


def _sliced(name: str, offset: int, one: Exchange) -> IndexRow:
    """The row of an exchange that is a slice of a saved file."""
    return IndexRow(
        method=one.method,
        parameters=_plain(one.parameters),
        status=one.status,
        file=name,
        offset=offset,
        length=len(one.body),
        sha256=sha256_hex(one.body),
    )


def partial_folder(workspace: Workspace, capture_id: str) -> Path:
    """Where an unfinished capture lies."""
    return workspace.raw / f"{PARTIAL}{capture_id}"


def next_capture_id(workspace: Workspace, now: datetime) -> str:
    """An id that sorts after every capture there is, even when the clock went back: UTC second and a counter."""
    first = f"{now:{_STAMP}}-00"
    newest = max((name for name in list_names(workspace.raw) if _CAPTURE_ID.fullmatch(name)), default="")
    return first if newest < first else _following(newest)


def unused_capture_id(workspace: Workspace, now: datetime) -> str:
    """The next id under which no unfinished work lies either."""
    capture_id = next_capture_id(workspace, now)
    while exists(partial_folder(workspace, capture_id)):
        capture_id = _following(capture_id)
    return capture_id


def _following(capture_id: str) -> str:
    stamp, _, counter = capture_id.rpartition("-")
    if counter != "99":
        return f"{stamp}-{int(counter) + 1:02d}"
    return f"{datetime.strptime(stamp, _STAMP) + timedelta(seconds=1):{_STAMP}}-00"


def draft_seal(
    writer: CaptureWriter,
    *,
    source: str,
    address: str | None,
    purposes: tuple[Purpose, ...],
    window: Window,
    times: tuple[datetime, datetime],
    history_id: str | None,
    units: int,
) -> Capture:
    """The seal of what the writer holds, its files still empty."""
    return Capture.model_validate(
        {
            "id": writer.capture_id,
            "account": writer.workspace.account,
            "source": source,
            "attested_address": address,
            "purposes": purposes,
            "window": window,
            "started_at": times[0],
            "finished_at": times[1],
            "files": (),
            "counts": dict(writer.counts),
            "history_id": history_id,
            "quota_units": units,
        }
    )


def _plain(parameters: Mapping[str, object]) -> dict[str, str | int | bool | tuple[str, ...]]:
    return {k: tuple(v) if isinstance(v, list | tuple) else v for k, v in sorted(parameters.items())}  # type: ignore[misc]
