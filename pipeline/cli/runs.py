"""List recent runs: when, how many targets ended in which way, and whether they were undone; with RUN, every target."""

import json as json_text
from typing import Annotated

import typer

from pipeline.changes.runs import RunSummary, summaries, targets_of
from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.cli.output import plain
from pipeline.refusals import MissingArtifact
from pipeline.sealing.killswitch import switch_path
from pipeline.sealing.receipts import StoredReceipt, load_receipts
from pipeline.store import exists
from pipeline.untrusted import show


def command(
    run: Annotated[str, typer.Argument(help="a run's id; empty = the recent ones")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="how many, newest first")] = 20,
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Print them; no address and no text of a mail. Raises Tampered for a broken receipt, MissingArtifact."""
    with session(account, workspace, config) as opened:
        place = opened.context.workspace
        receipts = load_receipts(place)
        is_stopped = exists(switch_path(place.control, place.account))
    found = summaries(named(receipts, run))[:limit]
    targets = {one.run: targets_of(one) for one in receipts if run and one.run == run}
    if json:
        document = {"is_stopped": is_stopped, "runs": [described(one) for one in found], "targets": targets}
        print(json_text.dumps(document, ensure_ascii=True, sort_keys=True))
        return 0
    for line in [*lines(found, is_stopped), *(f"  {one}  {why}" for one, why in targets.get(run, {}).items())]:
        print(show(line))
    return 0


def named(receipts: tuple[StoredReceipt, ...], run: str) -> tuple[StoredReceipt, ...]:
    """The run with its undos, or all. Raises MissingArtifact."""
    if not run:
        return receipts
    found = tuple(one for one in receipts if run in (one.run, one.receipt.opened.undoes))
    if not any(one.run == run for one in found):
        raise MissingArtifact("there is no receipt of that run", evidence=f"receipts/{run}.jsonl",
                              next_command="gmailtriage runs")  # fmt: skip
    return found


def described(summary: RunSummary) -> dict[str, object]:
    """A run as JSON."""
    return {
        "run": summary.run,
        "account": summary.account,
        "at": summary.at.isoformat().replace("+00:00", "Z"),
        "manifest": summary.manifest,
        "receipt": summary.receipt,
        "is_closed": summary.is_closed,
        "statuses": plain(dict(summary.statuses)),
        "undone": summary.undone,
        "undos": list(summary.undos),
    }


def lines(found: tuple[RunSummary, ...], is_stopped: bool) -> list[str]:
    """A line a run, newest first; then what can be done about them."""
    stop = ["the kill switch is on: gmailtriage panic --off lifts it"] if is_stopped else []
    following = ["next: gmailtriage undo RUN, or gmailtriage undo-all"] if any(o.can_be_undone for o in found) else []
    return [*stop, *(line(one) for one in found), *([] if found else ["no run yet"]), *following]


def line(summary: RunSummary) -> str:
    """When, which, whose, how it ended, and whether it was taken back."""
    ended = ", ".join(f"{number} {status}" for status, number in summary.statuses.items() if number)
    state = {"yes": "undone", "partly": "partly undone", "no": "not undone"}.get(summary.undone, summary.undone)
    state = state if summary.is_closed else f"interrupted: gmailtriage execute {summary.manifest} --resume"
    return f"{summary.at:%Y-%m-%d %H:%M:%S}  {summary.run}  {summary.account}  {ended}  {state}"
