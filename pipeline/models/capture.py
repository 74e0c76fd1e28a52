"""capture.json: the seal of one capture, written last. Without it a capture does not exist.

`index.jsonl` beside it has one row a request; a row of a 200 answer says where its body stands in a pack.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints

from pipeline.models.document import AccountId, Document, Frozen, HistoryId, Sha256, UtcTime

Purpose = Literal["inbox", "sent", "promotions", "updates", "labels", "filters", "profile", "history"]
"""What a capture was asked for. `history`: what changed since an earlier fetch, in place of `inbox`."""
CaptureId = Annotated[str, StringConstraints(pattern=r"^[0-9]{8}T[0-9]{6}Z-[0-9]{2}$")]
"""UTC start of the capture and a counter: ids sort by time."""
FileName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-zA-Z0-9._-]{0,80}$")]


class IndexRow(Frozen):
    """One request: Gmail method (`messages.get`), its parameters, HTTP status, and for a 200 where the body is.

    `offset` and `length` count bytes in `file`; the newline that follows a body in a pack is not part of it.
    """

    method: str
    parameters: dict[str, str | int | bool | tuple[str, ...]]
    status: int
    file: FileName | None = None
    offset: int | None = None
    length: int | None = None
    sha256: Sha256 | None = None


class SealedFile(Frozen):
    """A file of the capture with its digest and size in bytes."""

    name: FileName
    sha256: Sha256
    size: int


class Window(Frozen):
    """What was asked for: the window in days (or all), the search query, and purposes."""

    days: int | Literal["all"]
    query: str


class Capture(Document):
    """The seal. `attested_address` is getProfile's emailAddress, or null when no profile was read."""

    schema_version: Literal[1] = 1
    id: CaptureId
    account: AccountId
    source: Literal["fetch", "ingest"]
    attested_address: str | None
    purposes: tuple[Purpose, ...]
    window: Window
    started_at: UtcTime
    finished_at: UtcTime
    files: tuple[SealedFile, ...]
    counts: dict[str, Annotated[int, Field(ge=0)]]
    history_id: HistoryId | None
    """getProfile's, read before anything else: changes after it are drift."""
    quota_units: int
    checksum: Sha256 | Literal[""] = ""
    """sha256 of the seal with an empty checksum: a flipped byte in the seal itself is noticed; empty = a draft."""

    def checksummed(self) -> Self:
        """The seal with its own checksum filled in."""
        return self.model_copy(update={"checksum": self._own_digest()})

    @property
    def is_intact(self) -> bool:
        """Whether the checksum is that of everything else in the seal."""
        return self.checksum == self._own_digest()

    def _own_digest(self) -> str:
        return self.model_copy(update={"checksum": ""}).sha256
