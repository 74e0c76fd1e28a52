"""ingest: take files that another tool saved verbatim, and seal them as a capture, byte for byte.

Every file is read and judged before anything is written: JSON, shape, sender and subject keys, thread length; then all
of them together: last pages, and a body for each id of an inbox list. One bad file refuses them all by name. Files stay
whole, as `NNNN-<shape>.json`. A capture that holds no getProfile body names no identity, and a plan that rests on such
captures alone is not frozen.

    gmailtriage ingest saved.json --purpose inbox
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipeline.artifacts import CAPTURES
from pipeline.canonical import parse_json_object
from pipeline.context import Context
from pipeline.evidence.captures import OK, CaptureWriter, Exchange, RawCapture, draft_seal, next_capture_id
from pipeline.evidence.complete import refuse_incomplete
from pipeline.evidence.shapes import refuse_bad_shape, shape_of
from pipeline.models.capture import Capture, Purpose, Window
from pipeline.refusals import ForeignAccount, NotJson, UsageRefused
from pipeline.stage import Option, Stage
from pipeline.store import read_bytes

PURPOSES: tuple[Purpose, ...] = ("inbox", "promotions", "updates", "sent", "labels")


@dataclass(frozen=True, slots=True)
class Saved:
    """One judged file: its shape, what identifies it, and its bytes."""

    shape: str
    parameters: dict[str, object]
    body: bytes
    address: str | None

    @property
    def exchange(self) -> Exchange:
        """As if it had been asked for now."""
        return Exchange(self.shape, self.parameters, OK, self.body)


def ingest(context: Context, files: tuple[Path, ...], purpose: str) -> Capture:
    """Seal saved files as one capture. Raises InputRefused's kinds, before anything is written."""
    if purpose not in PURPOSES:
        raise UsageRefused(f"unknown purpose {purpose!r}", evidence=f"one of {', '.join(PURPOSES)}")
    now = context.wall.now()
    saved = tuple(judge(path.name, read_bytes(path), purpose) for path in files)
    writer = CaptureWriter(context.workspace, next_capture_id(context.workspace, now))
    for number, one in enumerate(saved, start=1):
        writer.record_file(one.shape, f"{number:04d}-{one.shape}.json", one.parameters, one.body)
    draft = draft_seal(
        writer,
        source="ingest",
        address=attested_by(saved, context.account.address),
        purposes=tuple(name for name in PURPOSES if name == purpose),
        window=Window(days="all", query=""),
        times=(now, now),
        history_id=None,
        units=0,
    )
    refuse_incomplete(RawCapture(draft, "", tuple(one.exchange for one in saved)))
    return writer.seal(draft)


def judge(name: str, body: bytes, purpose: str) -> Saved:
    """A file's shape and identity. Raises NotJson, UnknownShape, MetadataOnly, TruncatedThread or NotVerbatim."""
    try:
        document = parse_json_object(body)
    except NotJson as error:
        raise NotJson(
            f"{name}: {error.what}", evidence=error.evidence, next_command="save the tool's output again"
        ) from None
    shape = shape_of(document)
    refuse_bad_shape(shape, document, name)
    identity = {"id": document["id"]} if isinstance(document.get("id"), str) else {}
    address = document.get("emailAddress")
    return Saved(shape, {"purpose": purpose, **identity}, body, address if isinstance(address, str) else None)


def attested_by(saved: Iterable[Saved], address: str) -> str | None:
    """The profile's address among the files, or None. Raises ForeignAccount when it is another account's."""
    found = {one.address for one in saved if one.address is not None}
    if any(other.casefold() != address.casefold() for other in found):
        raise ForeignAccount("a saved profile names another account", evidence="emailAddress differs from the registry")
    return next(iter(found), None)


STAGE = Stage(
    "ingest",
    reads=(),
    writes=(CAPTURES,),
    kind="asks",
    run=ingest,
    options=(
        Option("files", tuple, (), "files that a tool saved, unedited", is_argument=True),
        Option("purpose", str, "inbox", "what was asked for: inbox, promotions, updates, sent or labels"),
    ),
)
