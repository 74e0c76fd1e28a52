"""The end of a run: the last line, its digest kept apart, and what the caller is told.

A run whose every target is verified returns `Finished`; any other raises PartlyDone after everything is on the disk.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pipeline.changes.changer import Changer
from pipeline.models.receipt import TargetStatus
from pipeline.refusals import IdentityRefused, PartlyDone, Refusal
from pipeline.sealing.binding import note_closing
from pipeline.sealing.progress import Progress
from pipeline.sealing.receipts import load_receipt
from pipeline.workspace import Workspace

NAMED = 20
"""How many targets a refusal lists; the receipt has them all."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A closed run. `statuses` counts targets; `listed` maps every target that is not verified to why."""

    run: str
    receipt: str
    """sha256 of the receipt's file: what `undo --digest` wants."""
    statuses: Mapping[TargetStatus, int]
    listed: Mapping[str, str]
    units: int
    requests: int
    leaves: tuple[str, ...] = ()
    """What an undo of a part left as it is, by choice."""

    def __str__(self) -> str:
        found = ", ".join(f"{number} {status}" for status, number in self.statuses.items() if number)
        left = f"; left: {named(self.listed, self.listed)}" if self.listed else ""
        part = f"; {len(self.leaves)} messages of the run were not asked for" if self.leaves else ""
        spent = f"{self.units} quota units, {self.requests} requests"
        return f"run {self.run}: {found}{left}{part}; {spent}; receipt {self.receipt}"


def close(changer: Changer, workspace: Workspace) -> Finished:
    """Write the closing line and keep the receipt's digest apart."""
    meter, journal = changer.gateway.meter, changer.journal
    journal.close(units=meter.spent_units, requests=meter.requests, at=changer.wall.now())
    stored = load_receipt(journal.path)
    note_closing(workspace, stored)
    progress = journal.progress
    return Finished(
        run=stored.run,
        receipt=stored.sha256,
        statuses=progress.counts(),
        listed=unfinished(progress),
        units=meter.spent_units,
        requests=meter.requests,
        leaves=stored.receipt.opened.leaves,
    )


def unfinished(progress: Progress) -> dict[str, str]:
    """Every target that is not verified, with its status or the reason why it was left out."""
    found = {one: status for one, status in progress.statuses().items() if status != "verified"}
    return {one: progress.excluded.get(one, status) for one, status in found.items()}


def named(ids: Iterable[str], why: Mapping[str, str]) -> str:
    """The first ids with their reasons, and how many more there are."""
    listed = list(ids)
    more = f" and {len(listed) - NAMED} more" if len(listed) > NAMED else ""
    return ", ".join(f"{one} {why[one]}" for one in listed[:NAMED]) + more


@contextmanager
def telling_how_to_go_on(command: str) -> Iterator[None]:
    """A refusal that leaves a run open, or comes before it, says which command to repeat when it says nothing else."""
    try:
        yield
    except Refusal as refusal:
        refusal.next_command = refusal.next_command or command
        raise


def conclude(finished: Finished, listed: Iterable[str], stop: Refusal | None, next_command: str) -> Finished:
    """The finished run when nothing is listed. Raises the lost identity that stopped it, or PartlyDone."""
    ids = list(listed)
    if isinstance(stop, IdentityRefused):
        stop.evidence = f"{stop.evidence}; run {finished.run} is closed and {len(ids)} targets are not verified"
        raise stop
    if not ids:
        return finished
    raise _partly_done(finished, ids, stop, next_command)


def _partly_done(finished: Finished, ids: list[str], stop: Refusal | None, next_command: str) -> PartlyDone:
    total = sum(finished.statuses.values())
    why = f" ({stop.what})" if stop is not None else ""
    return PartlyDone(
        f"run {finished.run}: {len(ids)} of {total} targets are not verified{why}",
        evidence=f"{named(ids, finished.listed)}; receipts/{finished.run}.jsonl has them all",
        next_command=next_command,
    )
