"""Captures on disk: response bodies byte for byte in packs, an index of requests, and the seal that is written last.

Reading checks every digest (TamperedCapture) and never repairs. A capture without its seal is not there
(IncompleteCapture when it is named). `pipeline.evidence.writing` writes them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from pipeline.canonical import parse_canonical, sha256_hex
from pipeline.models.capture import Capture, IndexRow, SealedFile
from pipeline.models.document import explain
from pipeline.refusals import ForeignAccount, IncompleteCapture, Refusal, TamperedCapture
from pipeline.store import exists, list_names, read_bytes
from pipeline.workspace import Workspace

OK = 200
INDEX = "index.jsonl"


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


def _counted(rows: Iterable[IndexRow]) -> dict[str, int]:
    return dict(Counter(row.method for row in rows))


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
