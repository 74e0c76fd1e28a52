"""ingest: take files that another tool saved verbatim, and seal them as a capture, byte for byte.

Taken: Gmail API answers as JSON, one object or one a line; a connector's `search_threads` and `get_thread`; a helper's
list of messages with sender and subject; a Takeout mbox; .eml files; a folder of such files. Every file is read and
judged before anything is written, then all of them together: last pages, a body for each id of an inbox list, whole
threads, no contradiction with each other or with an older capture. One bad file refuses them all by name. Files stay
whole, as `NNNN-<shape>.<ending>`; the index says of each answer in them what the caller said it is. A capture that
holds no getProfile body names no identity, and a plan that rests on such captures alone is not frozen.

    gmailtriage ingest saved.json --purpose inbox
    gmailtriage ingest page1.json page2.json profile.json --pages 2
    gmailtriage ingest labels.json --labels-only
"""

from collections.abc import Iterable
from pathlib import Path

from pipeline.artifacts import CAPTURES
from pipeline.context import Context
from pipeline.evidence.captures import RawCapture, read_captures
from pipeline.evidence.gather import evidence_of
from pipeline.evidence.saved import Piece, Saved, judge
from pipeline.evidence.writing import CaptureWriter, draft_seal, next_capture_id
from pipeline.models.capture import Capture, Purpose, Window
from pipeline.refusals import ForeignAccount, MissingArtifact, MissingPage, UnknownShape, UsageRefused
from pipeline.stage import Option, Stage
from pipeline.store import READ_CAP, is_folder, list_names, read_bytes

PAGED = ("messages.list", "threads.list", "search_threads", "history.list")
PURPOSES: tuple[Purpose, ...] = ("inbox", "promotions", "updates", "sent", "labels")


def ingest(
    context: Context, files: tuple[Path, ...], purpose: str, labels_only: bool = False, pages: int = 0
) -> Capture:
    """Seal saved files as one capture. Raises InputRefused's kinds, before anything is written.

    `labels_only`: the files are label lists (and a profile) and nothing else. `pages`: how many pages of lists were
    saved, 0 = not said.
    """
    purpose = "labels" if labels_only else purpose
    if purpose not in PURPOSES:
        raise UsageRefused(f"unknown purpose {purpose!r}", evidence=f"one of {', '.join(PURPOSES)}")
    saved = read_saved(files, purpose)
    refuse_other_than_labels(saved, labels_only)
    refuse_page_count(saved, pages)
    now = context.wall.now()
    writer = CaptureWriter(context.workspace, next_capture_id(context.workspace, now))
    for number, one in enumerate(saved, start=1):
        name = f"{number:04d}-{one.shape}.{one.ending}"
        writer.record_file(name, one.body, ((piece.offset, piece.exchange) for piece in one.pieces))
    draft = draft_seal(
        writer,
        source="ingest",
        address=attested_by(pieces_of(saved), context.account.address),
        purposes=tuple(name for name in PURPOSES if name == purpose),
        window=Window(days="all", query=""),
        times=(now, now),
        history_id=None,
        units=0,
    )
    taken = RawCapture(draft, "", tuple(piece.exchange for piece in pieces_of(saved)))
    # Together with what is there: a sealed contradiction could never be taken back and would block every plan.
    evidence_of((*read_captures(context.workspace), taken))
    return writer.seal(draft)


def read_saved(files: Iterable[Path], purpose: str) -> tuple[Saved, ...]:
    """The judged files, folders opened. Raises InputRefused's kinds."""
    return tuple(judge(path.name, whole_bytes(path), purpose) for path in opened(files))


def opened(files: Iterable[Path]) -> tuple[Path, ...]:
    """The files, and of a folder everything in it by name: a file that is passed over would be lost in silence."""
    found: list[Path] = []
    for path in files:
        inside = [path / name for name in list_names(path) if not name.startswith(".")] if is_folder(path) else [path]
        if not inside:
            raise MissingArtifact(f"folder {path.name} is empty", evidence=str(path))
        found += inside
    return tuple(found)


def whole_bytes(path: Path) -> bytes:
    """A file's bytes, all of them. Raises MissingArtifact, or UnknownShape when it is larger than we read."""
    body = read_bytes(path)
    if len(body) >= READ_CAP:
        raise UnknownShape(f"{path.name} is too large to take", evidence=f"{READ_CAP} bytes", next_command="split it")
    return body


def pieces_of(saved: Iterable[Saved]) -> tuple[Piece, ...]:
    """Every answer of every file, in order."""
    return tuple(piece for one in saved for piece in one.pieces)


def refuse_other_than_labels(saved: tuple[Saved, ...], labels_only: bool) -> None:
    """Raise UnknownShape when a refresh of labels holds anything else, or no label list at all."""
    shapes = {piece.shape for piece in pieces_of(saved)}
    if labels_only and (shapes - {"labels.list", "getProfile"} or "labels.list" not in shapes):
        raise UnknownShape(
            "a refresh of labels takes label lists and a profile",
            evidence=", ".join(sorted(shapes)),
            next_command="save labels.list again, or leave out --labels-only",
        )


def refuse_page_count(saved: tuple[Saved, ...], pages: int) -> None:
    """Raise MissingPage when there are more or fewer pages than the caller says: a page does not tell its number."""
    found = sum(piece.shape in PAGED for piece in pieces_of(saved))
    if pages and found != pages:
        raise MissingPage(
            "there are not as many pages as you say",
            evidence=f"{found} pages, not {pages}",
            next_command="save every page, in order, then ingest all of them",
        )


def attested_by(saved: Iterable[Piece], address: str) -> str | None:
    """The profile's address among the answers, or None. Raises ForeignAccount when it is another account's."""
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
        Option("files", tuple, (), "files that a tool saved, unedited, or a folder of them", is_argument=True),
        Option("purpose", str, "inbox", "what was asked for: inbox, promotions, updates, sent or labels"),
        Option("labels_only", bool, False, "take label lists (and a profile) and nothing else"),
        Option("pages", int, 0, "how many pages of lists were saved: one more or fewer is refused (0 = not said)"),
    ),
)
