"""Captures on disk: response bodies byte for byte in packs, an index of requests, and the seal that is written last.

Reading checks every digest (TamperedCapture) and never repairs. A capture without its seal is not there
(IncompleteCapture when it is named). Files are judged as a whole when a capture is opened; a body is read, and judged
by the index, each time that somebody asks for it, so that a mailbox never has to fit in memory.
`pipeline.evidence.writing` writes them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from pipeline.canonical import parse_canonical, sha256_hex
from pipeline.models.capture import Capture, IndexRow, SealedFile
from pipeline.models.document import explain
from pipeline.refusals import ForeignAccount, IncompleteCapture, Refusal, TamperedCapture
from pipeline.store import exists, list_names, read_bytes, read_range, size_and_digest
from pipeline.workspace import Workspace

OK = 200
INDEX = "index.jsonl"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where a body lies: so many bytes of a file from an offset, and what their sha256 must be."""

    path: Path
    offset: int
    length: int
    sha256: str | None

    def read(self) -> bytes:
        """The bytes. Raises TamperedCapture when they are not those that the index names."""
        body = read_range(self.path, self.offset, self.length)
        if len(body) != self.length or sha256_hex(body) != self.sha256:
            raise _tampered(self.path.parent.name, self.path.name, f"body at {self.offset} differs from the index")
        return body


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer: Gmail method or saved shape, parameters, HTTP status, body bytes (200 only)."""

    method: str
    parameters: Mapping[str, object]
    status: int
    held: bytes | Stretch = field(repr=False)
    """The body, or where it lies."""

    @property
    def body(self) -> bytes:
        """The body's bytes, read anew each time when they lie on the disk. Raises TamperedCapture."""
        return self.held if isinstance(self.held, bytes) else self.held.read()

    @property
    def size(self) -> int:
        """The body's length in bytes, known without reading it."""
        return len(self.held) if isinstance(self.held, bytes) else self.held.length


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
    for file in seal.files:
        _refuse_altered(folder, capture_id, file)
    _refuse_strangers(folder, capture_id, {file.name for file in seal.files})
    sizes = {file.name: file.size for file in seal.files}
    exchanges = tuple(_exchange(row, folder, sizes) for row in _index_rows(folder, sizes))
    if dict(Counter(one.method for one in exchanges)) != seal.counts:
        raise _tampered(capture_id, INDEX, "its requests are not those that the seal counted")
    return RawCapture(seal, digest, exchanges)


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


def _refuse_altered(folder: Path, capture_id: str, file: SealedFile) -> None:
    if not exists(folder / file.name):
        raise IncompleteCapture(f"capture {capture_id} lacks {file.name}", evidence="its seal names it")
    size, digest = size_and_digest(folder / file.name)
    if (size, digest) != (file.size, file.sha256):
        raise _tampered(capture_id, file.name, f"sha256 {digest[:16]}…, sealed {file.sha256[:16]}…")


def _refuse_strangers(folder: Path, capture_id: str, sealed: Set[str]) -> None:
    strangers = set(list_names(folder)) - sealed - {"capture.json"}
    if strangers:
        raise _tampered(capture_id, sorted(strangers)[0], "the seal does not name it")


def _index_rows(folder: Path, sizes: Mapping[str, int]) -> Iterator[IndexRow]:
    data = read_bytes(folder / INDEX) if INDEX in sizes else b""
    try:
        for line in data.splitlines():
            parse_canonical(line)
            yield IndexRow.model_validate_json(line)
    except ValidationError as error:
        raise _tampered(folder.name, INDEX, explain(error)) from None
    except Refusal as error:
        raise _tampered(folder.name, INDEX, error.what) from None


def _exchange(row: IndexRow, folder: Path, sizes: Mapping[str, int]) -> Exchange:
    """The exchange of a row. Raises TamperedCapture for one that points beyond what the seal covers."""
    if row.file is None:
        return Exchange(row.method, row.parameters, row.status, b"")
    start, length = row.offset or 0, row.length or 0
    if row.sha256 is None or not 0 <= start <= start + length <= sizes.get(row.file, -1):
        raise _tampered(folder.name, row.file, f"body at {start} differs from the index")
    return Exchange(row.method, row.parameters, row.status, Stretch(folder / row.file, start, length, row.sha256))


def _tampered(capture_id: str, name: str, evidence: str) -> TamperedCapture:
    return TamperedCapture(
        f"capture {capture_id}: {name} was altered", evidence=evidence, next_command="gmailtriage fetch (reads it anew)"
    )
