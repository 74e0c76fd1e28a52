"""Undo every run that can still be undone, or those since a date: newest first, one confirmation for all of them.

Each is undone by its own receipt's digest, as `undo` does it: what you changed since stays, and is listed. A person at
a terminal types one code for the whole list; without one, `--digests` states every receipt's full sha256, no more and
no fewer. What one run cannot give back does not keep the next from being tried; a lost identity does, and the kill
switch.
"""

import json as json_text
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

import typer

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.changes.closing import Finished
from pipeline.changes.runs import RunSummary, summaries
from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.cli.output import plain
from pipeline.cli.runs import line
from pipeline.context import Context
from pipeline.refusals import NotApproved, NotATerminal, NothingToDo, PartlyDone, UsageRefused
from pipeline.sealing.binding import refuse_forged
from pipeline.sealing.confirming import confirm
from pipeline.sealing.receipts import load_receipts
from pipeline.sealing.standing import refuse_open_runs
from pipeline.untrusted import show
from stages.undo import STAGE as UNDO

Undo = Callable[[Context, RunSummary], Finished]


def command(
    since: Annotated[str, typer.Option(help="a date or time, UTC: only runs that began then or later")] = "",
    digests: Annotated[str, typer.Option(help="every receipt's full sha256, separated by commas, stated")] = "",
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Undo them. Raises NothingToDo, ApprovalRefused's kinds, IdentityRefused, PartlyDone."""
    with session(account, workspace, config) as opened:
        found = undo_all(opened.context, moment(since), tuple(digests.split(",")) if digests else (), undo_one)
    if json:
        print(json_text.dumps({"undo_all": [plain(one) for one in found]}, ensure_ascii=True, sort_keys=True))
        return 0
    for finished in found:
        print(show(str(finished)))
    return 0


def undo_all(context: Context, since: datetime | None, digests: tuple[str, ...], undo: Undo) -> list[Finished]:
    """Every closed undo. Raises PartlyDone at the end when some run is not wholly taken back."""
    refuse_forged(context.workspace, context.approval_key)
    refuse_open_runs(context.workspace, but="")
    wanted = pending(context, since)
    confirm_all(context, wanted, digests)
    done: list[Finished] = []
    partly: list[PartlyDone] = []
    for summary in wanted:
        try:
            done.append(undo(context, summary))
        except PartlyDone as some:
            refuse_unended(context, some)
            partly.append(some)
    if partly:
        raise PartlyDone(
            f"{len(partly)} of {len(wanted)} runs are not wholly taken back",
            evidence="; ".join(f"{one.what}: {one.evidence}" for one in partly),
            next_command="gmailtriage undo-all",
        )
    return done


def pending(context: Context, since: datetime | None) -> tuple[RunSummary, ...]:
    """Runs that can still be undone, newest first. Raises NothingToDo."""
    found = summaries(load_receipts(context.workspace))
    wanted = tuple(one for one in found if one.can_be_undone and (since is None or one.at >= since))
    if not wanted:
        raise NothingToDo("no run is left to undo", evidence=f"{len(found)} runs", next_command="gmailtriage runs")
    return wanted


def confirm_all(context: Context, wanted: tuple[RunSummary, ...], digests: tuple[str, ...]) -> None:
    """Silent when a person typed the code of the whole list, or all digests were stated. Raises NotApproved and
    NotATerminal."""
    receipts = [one.receipt for one in wanted]
    if digests:
        if sorted(digests) != sorted(receipts):
            raise NotApproved("the stated digests are not those of the runs to undo",
                              evidence=f"{len(digests)} stated, {len(receipts)} runs",
                              next_command="gmailtriage runs --json")  # fmt: skip
        return
    if context.terminal is None:
        raise NotATerminal("this is confirmed by a person at a terminal, or by every receipt's full digest",
                           evidence=f"{len(receipts)} runs", next_command="gmailtriage runs --json")  # fmt: skip
    text = [f"undo      {line(one)}" for one in wanted]
    text += [f"mailbox   {context.account.id} = {context.account.address}"]
    text += ["          what you changed by hand since then stays as you left it"]
    confirm(context.terminal, sha256_hex(canonical_bytes({"undo": receipts})), "\n".join(text))


def undo_one(context: Context, summary: RunSummary) -> Finished:
    """The stage itself, with the receipt's digest as the yes and every other option left alone."""
    options = {option.name: option.default for option in UNDO.options}
    finished: Finished = UNDO.run(context, **{**options, "run": summary.run, "digest": summary.receipt})
    return finished


def refuse_unended(context: Context, some: PartlyDone) -> None:
    """Raise what stopped an undo that is still open: nothing else may begin before it is finished."""
    if any(not one.receipt.is_closed for one in load_receipts(context.workspace)):
        raise some


def moment(text: str) -> datetime | None:
    """`2026-11-30` or `2026-11-30T12:00:00Z` as a UTC time; empty = None. Raises UsageRefused."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UsageRefused("a date is spelled 2026-11-30, a time 2026-11-30T12:00:00Z", evidence="--since") from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
