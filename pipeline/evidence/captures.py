"""Captures on disk: response bodies byte for byte in packs, an index of requests, and the seal that is written last.

Writing happens in `.partial-<id>/`; the folder gets its name when everything is on disk. Reading checks every digest
(TamperedCapture) and never repairs. A capture without its seal is not there (IncompleteCapture when it is named).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from pipeline.canonical import canonical_bytes, parse_canonical, sha256_hex
from pipeline.models.capture import Capture, IndexRow, Purpose, SealedFile, Window
from pipeline.models.document import explain
from pipeline.refusals import ForeignAccount, IncompleteCapture, Refusal, TamperedCapture
from pipeline.store import exists, list_names, make_folder, publish_folder, read_bytes, remove_tree, replace_file
from pipeline.workspace import Workspace

OK = 200
_STAMP = "%Y%m%dT%H%M%SZ"
_CAPTURE_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer: Gmail method or saved shape, parameters, HTTP status, body bytes (200 only)."""

    method: str
    parameters: Mapping[str, object]
    status: int
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class RawCapture:
    """A verified capture: its seal, the seal's digest, and every exchange in the order it happened."""

    seal: Capture
    sha256: str
    exchanges: tuple[Exchange, ...]

    def bodies(self, method: str) -> Iterator[Exchange]:
        """The 200 answers of one method."""
        return (exchange for exchange in self.exchanges if exchange.method == method and exchange.status == OK)


@dataclass
class CaptureWriter:
    """Writes one capture: `record` each exchange as it arrives, then `seal` once."""

    workspace: Workspace
    capture_id: str
    rows: list[IndexRow] = field(default_factory=list)
    packs: dict[str, bytearray] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where the unfinished capture lies."""
        return self.workspace.raw / f".partial-{self.capture_id}"

    def record(self, exchange: Exchange) -> None:
        """Keep an exchange: the body's bytes go to the method's pack before anything parses them."""
        row = IndexRow(method=exchange.method, parameters=_plain(exchange.parameters), status=exchange.status)
        if exchange.status == OK:
            row = self._packed(row, f"{exchange.method}.pack", exchange.body)
        self.rows.append(row)

    def record_file(self, name: str, body: bytes, slices: Iterable[tuple[int, Exchange]]) -> None:
        """Keep a file that another tool saved, whole; each exchange is the slice of it that begins at its offset."""
        self.packs[name] = bytearray(body)
        for offset, one in slices:
            row = IndexRow(method=one.method, parameters=_plain(one.parameters), status=one.status, file=name,
                           offset=offset, length=len(one.body), sha256=sha256_hex(one.body))  # fmt: skip
            self.rows.append(row)

    def _packed(self, row: IndexRow, name: str, body: bytes) -> IndexRow:
        pack = self.packs.setdefault(name, bytearray())
        placed = {"file": name, "offset": len(pack), "length": len(body), "sha256": sha256_hex(body)}
        pack += body + b"\n"
        return row.model_copy(update=placed)

    def seal(self, draft: Capture) -> Capture:
        """Write packs, index and seal (`draft` with its files filled in), then publish the folder."""
        remove_tree(self.folder)  # what a killed run of the same second left would be a stranger in this one
        make_folder(self.folder)
        index = b"".join(canonical_bytes(row.model_dump(mode="json")) + b"\n" for row in self.rows)
        contents = {"index.jsonl": index, **{name: bytes(pack) for name, pack in sorted(self.packs.items())}}
        for name, data in contents.items():
            replace_file(self.folder / name, data)
        files = tuple(SealedFile(name=n, sha256=sha256_hex(d), size=len(d)) for n, d in sorted(contents.items()))
        capture = draft.model_copy(update={"files": files}).checksummed()
        replace_file(self.folder / "capture.json", capture.to_bytes())
        publish_folder(self.folder, self.workspace.raw / self.capture_id)
        return capture


def next_capture_id(workspace: Workspace, now: datetime) -> str:
    """An id that sorts after every capture there is, even when the clock went back: UTC second and a counter."""
    first = f"{now:{_STAMP}}-00"
    newest = max((name for name in list_names(workspace.raw) if _CAPTURE_ID.fullmatch(name)), default="")
    if newest < first:
        return first
    stamp, _, counter = newest.rpartition("-")
    if counter != "99":
        return f"{stamp}-{int(counter) + 1:02d}"
    return f"{datetime.strptime(stamp, _STAMP) + timedelta(seconds=1):{_STAMP}}-00"


def capture_ids(workspace: Workspace) -> tuple[str, ...]:
    """Ids of sealed captures, oldest first."""
    return tuple(
        name
        for name in list_names(workspace.raw)
        if not name.startswith(".") and exists(workspace.raw / name / "capture.json")
    )


def read_captures(workspace: Workspace) -> tuple[RawCapture, ...]:
    """Every sealed capture, verified, oldest first."""
    return tuple(read_capture(workspace, capture_id) for capture_id in capture_ids(workspace))


def read_capture(workspace: Workspace, capture_id: str) -> RawCapture:
    """One capture with all its digests checked. Raises IncompleteCapture, TamperedCapture or ForeignAccount."""
    folder = workspace.raw / capture_id
    if not exists(folder / "capture.json"):
        raise IncompleteCapture(
            f"capture {capture_id} has no seal", evidence=str(folder), next_command="gmailtriage fetch"
        )
    seal, digest = _read_seal(folder, capture_id)
    if seal.account != workspace.account:
        raise ForeignAccount(f"capture {capture_id} belongs to another account", evidence=f"account {seal.account}")
    contents = {file.name: _read_sealed(folder, capture_id, file) for file in seal.files}
    _refuse_strangers(folder, capture_id, contents)
    rows = _read_index(contents.get("index.jsonl", b""), capture_id)
    if _counted(rows) != seal.counts:
        raise _tampered(capture_id, "index.jsonl", "its requests are not those that the seal counted")
    return RawCapture(seal, digest, tuple(_exchange(row, contents, capture_id) for row in rows))


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
            "counts": _counted(writer.rows),
            "history_id": history_id,
            "quota_units": units,
        }
    )


def _counted(rows: Iterable[IndexRow]) -> dict[str, int]:
    return dict(Counter(row.method for row in rows))


def _plain(parameters: Mapping[str, object]) -> dict[str, str | int | bool | tuple[str, ...]]:
    return {k: tuple(v) if isinstance(v, list | tuple) else v for k, v in sorted(parameters.items())}  # type: ignore[misc]


def _read_seal(folder: Path, capture_id: str) -> tuple[Capture, str]:
    data = read_bytes(folder / "capture.json")
    try:
        seal = Capture.from_bytes(data)
    except Refusal as error:
        raise _tampered(capture_id, "capture.json", error.what) from None
    if not seal.is_intact:
        raise _tampered(capture_id, "capture.json", "its checksum is not that of what it says")
    if seal.id != capture_id:
        raise _tampered(capture_id, "capture.json", f"it seals {seal.id}")
    return seal, sha256_hex(data)


def _read_sealed(folder: Path, capture_id: str, file: SealedFile) -> bytes:
    if not exists(folder / file.name):
        raise IncompleteCapture(f"capture {capture_id} lacks {file.name}", evidence="its seal names it")
    data = read_bytes(folder / file.name)
    if len(data) != file.size or sha256_hex(data) != file.sha256:
        raise _tampered(capture_id, file.name, f"sha256 {sha256_hex(data)[:16]}…, sealed {file.sha256[:16]}…")
    return data


def _refuse_strangers(folder: Path, capture_id: str, contents: Mapping[str, bytes]) -> None:
    strangers = set(list_names(folder)) - set(contents) - {"capture.json"}
    if strangers:
        raise _tampered(capture_id, sorted(strangers)[0], "the seal does not name it")


def _read_index(data: bytes, capture_id: str) -> list[IndexRow]:
    try:
        rows = []
        for line in data.splitlines():
            parse_canonical(line)
            rows.append(IndexRow.model_validate_json(line))
        return rows
    except ValidationError as error:
        raise _tampered(capture_id, "index.jsonl", explain(error)) from None
    except Refusal as error:
        raise _tampered(capture_id, "index.jsonl", error.what) from None


def _exchange(row: IndexRow, contents: Mapping[str, bytes], capture_id: str) -> Exchange:
    if row.file is None:
        return Exchange(row.method, row.parameters, row.status, b"")
    start, length = row.offset or 0, row.length or 0
    body = contents.get(row.file, b"")[start : start + length]
    if len(body) != length or sha256_hex(body) != row.sha256:
        raise _tampered(capture_id, row.file, f"body at {start} differs from the index")
    return Exchange(row.method, row.parameters, row.status, body)


def _tampered(capture_id: str, name: str, evidence: str) -> TamperedCapture:
    return TamperedCapture(
        f"capture {capture_id}: {name} was altered", evidence=evidence, next_command="gmailtriage fetch (reads it anew)"
    )
