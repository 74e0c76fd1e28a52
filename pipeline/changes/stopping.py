"""A run that the kill switch stopped: partly done, its receipt open, everything that was not sent listed.

An announced edit that nobody has read back yet is told apart: the same command reads it back first, once the switch is
lifted. A run that had not begun left nothing, so it is plainly refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.changes.closing import named
from pipeline.refusals import KillSwitchOn, PartlyDone
from pipeline.sealing.progress import Progress, fold_events
from pipeline.sealing.receipts import load_receipt, receipt_path
from pipeline.store import exists
from pipeline.workspace import Workspace


@contextmanager
def telling_what_was_stopped(workspace: Workspace, run: str, command: str) -> Iterator[None]:
    """Turn the stop of a run that has a receipt into PartlyDone; `command` goes on with it."""
    try:
        yield
    except KillSwitchOn as stop:
        path = receipt_path(workspace, run)
        if not exists(path):
            raise
        raise stopped(run, fold_events(load_receipt(path).receipt.events), command) from stop


def stopped(run: str, progress: Progress, command: str) -> PartlyDone:
    """The refusal of a stopped run: how many targets were not sent, and which."""
    waiting = progress.untouched()
    why = {**dict.fromkeys(waiting, "not sent"), **dict.fromkeys(progress.pending, "sent, not read back")}
    return PartlyDone(
        f"run {run} was stopped by the kill switch: {len(waiting)} of {len(progress.message_ids)} targets were not "
        f"sent, {len(progress.pending)} were sent and not read back",
        evidence=f"{named(sorted(why), why)}; gmailtriage runs {run} lists every target",
        next_command=f"gmailtriage panic --off, then {command}",
    )
