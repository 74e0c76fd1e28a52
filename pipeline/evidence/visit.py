"""One visit of a fetch to Gmail: an attested gateway, the capture that it fills, and what earlier visits left behind.

Promises: what an unfinished visit had read in full is copied here before anything is asked, and removed there only when
it lies here; a visit that ends without a seal leaves its bodies with a note for the next one, or nothing at all.

    with open_visit(context) as visit:
        visit.gateway.list_labels()
        visit.seal(("labels", "profile"), window)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pipeline.context import Context
from pipeline.evidence.history import Change, last_changes
from pipeline.evidence.leftovers import Leftover, Note, bodies_of, discard, find_leftovers, unfinished_ids, write_note
from pipeline.evidence.writing import CaptureWriter, draft_seal, unused_capture_id
from pipeline.gmail.answers import GmailError
from pipeline.models.capture import Capture, Purpose, Window
from pipeline.refusals import Unreachable

if TYPE_CHECKING:  # the real client takes 0.2 s to import
    from pipeline.gmail.gateway import FetchGateway

GONE = 404


class StaleLeftovers(Exception):  # noqa: N818  no fault and no refusal: it says to begin anew without them
    """Gmail forgot the history since the kept bodies were read: nobody can say whether they still hold."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit that has begun. `kept` are ids whose body an earlier one read, since the history id `kept_since`."""

    context: Context
    writer: CaptureWriter
    gateway: FetchGateway
    started_at: datetime
    kept: frozenset[str]
    kept_since: str

    def history_since(self, history_id: str) -> dict[str, Change]:
        """The last change of each message since a history id. Raises GmailError 404 when Gmail forgot it."""
        pages: list[dict[str, object]] = []
        try:
            for page in self.gateway.list_history(history_id):
                pages.append(page.document)
        except GmailError:
            if pages:
                raise Unreachable("the history broke off between two pages", next_command="gmailtriage fetch") from None
            raise
        return last_changes(pages)

    def history_since_kept(self) -> dict[str, Change]:
        """What changed since the kept bodies were read; nothing is asked when there are none. Raises StaleLeftovers."""
        if not self.kept:
            return {}
        try:
            return self.history_since(self.kept_since)
        except GmailError as error:
            if error.status != GONE:
                raise
        raise StaleLeftovers

    def seal(self, purposes: tuple[Purpose, ...], window: Window, *, dates_mail: bool = True) -> Capture:
        """Make the capture exist. One that reads no mail names no history id: changes since are still to come."""
        draft = draft_seal(
            self.writer,
            source="fetch",
            address=self.gateway.attested.address,
            purposes=purposes,
            window=window,
            times=(self.started_at, self.context.wall.now()),
            history_id=self.gateway.attested.history_id if dates_mail else None,
            units=self.gateway.meter.spent_units,
        )
        return self.writer.seal(draft)


@contextmanager
def open_visit(context: Context) -> Iterator[Visit]:
    """Attest, take over what unfinished visits had read, and clear up at the end. Raises IdentityRefused."""
    started_at = context.wall.now()
    writer = CaptureWriter(context.workspace, unused_capture_id(context.workspace, started_at))
    try:
        gateway = context.gmail.for_fetch(writer.record)
        note = Note(
            account=context.workspace.account,
            address=gateway.attested.address.casefold(),
            policy=context.config.pinned_policy().sha256,
            started_at=started_at,
            history_id=gateway.attested.history_id,
        )
        note, kept = _taken_over(context, writer, note)
        yield Visit(context, writer, gateway, started_at, kept, note.history_id)
    finally:
        _leave(context, writer)


def discard_all(context: Context) -> None:
    """Remove every unfinished visit, by name."""
    for capture_id in unfinished_ids(context.workspace):
        _discard(context, capture_id, "Gmail no longer knows the history since it")


def _taken_over(context: Context, writer: CaptureWriter, note: Note) -> tuple[Note, frozenset[str]]:
    """Copy the bodies of usable leftovers into the writer; the note that tells how old the oldest is, and their ids."""
    found = [one for one in find_leftovers(context.workspace, note) if one.capture_id != writer.capture_id]
    kept: set[str] = set()
    for one in found:
        if one.why_not:
            _discard(context, one.capture_id, one.why_not)
        else:
            kept |= _copied(context, writer, one, kept)
    usable = [one for one in found if not one.why_not and one.note is not None]
    oldest = min((one.note for one in usable if one.note), key=lambda one: int(one.history_id), default=note)
    writer.sync()
    write_note(context.workspace, writer.capture_id, oldest)
    for one in usable:
        discard(context.workspace, one.capture_id)
    if kept:
        context.warn(f"{len(kept)} messages were read by a fetch that did not finish; they are not asked for again")
    return oldest, frozenset(kept)


def _copied(context: Context, writer: CaptureWriter, left: Leftover, kept: set[str]) -> set[str]:
    """Bodies of one leftover that are not kept yet; the ids."""
    copied: set[str] = set()
    for exchange in bodies_of(context.workspace, left.capture_id):
        message_id = str(exchange.parameters.get("id"))
        if message_id not in kept and message_id not in copied:
            writer.record(exchange)
            copied.add(message_id)
    return copied


def _discard(context: Context, capture_id: str, why: str) -> None:
    if next(bodies_of(context.workspace, capture_id), None) is not None:
        context.warn(f"unfinished capture {capture_id} is discarded: {why}")
    discard(context.workspace, capture_id)


def _leave(context: Context, writer: CaptureWriter) -> None:
    """Keep what may be of use to the next visit, and nothing else."""
    writer.close()
    count = sum(1 for _ in bodies_of(context.workspace, writer.capture_id))
    if count == 0:
        discard(context.workspace, writer.capture_id)
        return
    context.warn(f"unfinished: {count} messages are kept; the next fetch within a day goes on from there")
