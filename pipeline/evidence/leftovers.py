"""Unfinished fetches: bodies that a killed or broken-off run had read, found again so that nobody asks for them twice.

Beside `.partial-<id>/` lies `.partial-<id>.json`, the note: whose run it was, under which policy, since when, and the
mailbox's history id before its first read. A leftover of another account or policy (its window and query are in there),
or one that is older than a day, is discarded by name. Kept are bodies with the index's sha256 that are the message that
was asked for; a torn tail is none, nor is a sign-in page. They may be stale: whoever keeps them asks for the history
since the note's history id.

    with only_one(workspace):
        for one in find_leftovers(workspace, note):
            bodies_of(workspace, one.capture_id)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from pydantic import ValidationError

from pipeline.canonical import parse_json_object, sha256_hex
from pipeline.evidence.captures import INDEX, OK, Exchange
from pipeline.evidence.writing import PARTIAL, partial_folder
from pipeline.models.capture import IndexRow
from pipeline.models.document import AccountId, Document, HistoryId, Sha256, UtcTime
from pipeline.refusals import NotJson, Refusal
from pipeline.store import exists, list_names, locked, read_bytes, read_range, remove_file, remove_tree, replace_file
from pipeline.workspace import Workspace

LONGEST = timedelta(days=1)
"""Older work is not worth its doubts: Gmail may forget history within hours."""


class Note(Document):
    """What an unfinished fetch is about."""

    account: AccountId
    address: str
    policy: Sha256
    started_at: UtcTime
    history_id: HistoryId

    def why_not(self, now: "Note") -> str:
        """Why a run with the note `now` may not keep what this one read; empty when it may."""
        if (self.account, self.address) != (now.account, now.address):
            return "it is of another account"
        if self.policy != now.policy:
            return "it is of another policy or window"
        if not timedelta(0) <= now.started_at - self.started_at <= LONGEST:
            return "it is older than a day"
        return ""


@dataclass(frozen=True, slots=True)
class Leftover:
    """One unfinished fetch on the disk: its capture id, its note, why it is of no use (or empty)."""

    capture_id: str
    note: Note | None
    why_not: str


@contextmanager
def only_one(workspace: Workspace) -> Iterator[None]:
    """Hold the account's fetch lock: a leftover is nobody's work. Raises Busy."""
    path = workspace.raw / ".fetch.lock"
    with locked(path, "fetch"):
        try:
            yield
        finally:
            remove_file(path)


def note_path(workspace: Workspace, capture_id: str) -> Path:
    """Where the note of an unfinished capture lies."""
    return workspace.raw / f"{PARTIAL}{capture_id}.json"


def write_note(workspace: Workspace, capture_id: str, note: Note) -> None:
    """Say what an unfinished capture is about; from here on its bodies can be kept."""
    replace_file(note_path(workspace, capture_id), note.to_bytes())


def find_leftovers(workspace: Workspace, now: Note) -> tuple[Leftover, ...]:
    """Every unfinished fetch, newest first, judged against the run that is about to begin."""
    return tuple(_judged(workspace, capture_id, now) for capture_id in unfinished_ids(workspace))


def unfinished_ids(workspace: Workspace) -> tuple[str, ...]:
    """Ids of unfinished captures, newest first."""
    names = (name for name in list_names(workspace.raw) if name.startswith(PARTIAL))
    return tuple(sorted({name.removeprefix(PARTIAL).removesuffix(".json") for name in names}, reverse=True))


def discard(workspace: Workspace, capture_id: str) -> None:
    """Remove an unfinished capture: the folder first, so that no folder is without its note."""
    remove_tree(partial_folder(workspace, capture_id))
    remove_file(note_path(workspace, capture_id))


def bodies_of(workspace: Workspace, capture_id: str) -> Iterator[Exchange]:
    """The full message bodies of an unfinished capture whose bytes are those that its index names, one at a time."""
    folder = partial_folder(workspace, capture_id)
    for row in _rows(folder):
        if row.method == "messages.get" and row.parameters.get("format") == "full" and row.file is not None:
            body = read_range(folder / row.file, row.offset or 0, row.length or 0)
            if sha256_hex(body) == row.sha256 and _is_answer(body, row.parameters.get("id")):
                yield Exchange(row.method, row.parameters, OK, body)


def _is_answer(body: bytes, asked: object) -> bool:
    """Whether a body is the message that was asked for: a 200 may be a sign-in page, and must be asked for again."""
    try:
        return parse_json_object(body).get("id") == asked
    except NotJson:
        return False


def _judged(workspace: Workspace, capture_id: str, now: Note) -> Leftover:
    try:
        note = Note.from_bytes(read_bytes(note_path(workspace, capture_id)))
    except Refusal:
        return Leftover(capture_id, None, "nothing says what it is about")
    return Leftover(capture_id, note, note.why_not(now))


def _rows(folder: Path) -> Iterator[IndexRow]:
    """Index rows up to the first that is torn."""
    data = read_bytes(folder / INDEX) if exists(folder / INDEX) else b""
    for line in data[: data.rfind(b"\n") + 1].splitlines():
        try:
            row = IndexRow.model_validate_json(line)
        except ValidationError:
            return
        if row.file is None or exists(folder / row.file):
            yield row
