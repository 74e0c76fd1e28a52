"""List recent runs: when, how many targets ended in which way, and whether they were undone; with RUN, every target.

Each receipt is held against the account's approval key. One that was not written with it, or was cut, is listed as NOT
AUTHENTIC, and what it says is worth nothing; without the keyring the list says that nothing was checked.
"""

import json as json_text
from typing import Annotated

import typer

from pipeline.changes.runs import RunSummary, forged_runs, summaries, targets_of
from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.cli.output import plain
from pipeline.context import Context
from pipeline.refusals import IdentityRefused, MissingArtifact
from pipeline.sealing.killswitch import switches_of
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
    """Print them; no address and no text of a mail. Raises Tampered for a broken chain, MissingArtifact."""
    with session(account, workspace, config) as opened:
        place = opened.context.workspace
        receipts = load_receipts(place)
        is_stopped = any(exists(path) for path in switches_of(place))
        forged = checked(opened.context, receipts)
    found = summaries(named(receipts, run), forged or frozenset())[:limit]
    targets = {one.run: targets_of(one) for one in receipts if run and one.run == run}
    if json:
        document = {
            "is_stopped": is_stopped,
            "is_checked": forged is not None,
            "runs": [described(one) for one in found],
            "targets": targets,
        }
        print(json_text.dumps(document, ensure_ascii=True, sort_keys=True))
        return 0
    for line in [
        *lines(found, is_stopped, is_checked=forged is not None),
        *(f"  {one}  {why}" for one, why in targets.get(run, {}).items()),
    ]:
        print(show(line))
    return 0


def checked(context: Context, receipts: tuple[StoredReceipt, ...]) -> frozenset[str] | None:
    """Runs with a receipt that is not authentic; None when the keyring does not tell the key."""
    if not receipts:
        return frozenset()
    try:
        return forged_runs(context.workspace, receipts, context.approval_key())
    except IdentityRefused:
        return None


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
        "not_authentic": list(summary.forged),
    }


def lines(found: tuple[RunSummary, ...], is_stopped: bool, *, is_checked: bool = True) -> list[str]:
    """A line a run, newest first; then what can be done about them."""
    stop = ["the kill switch is on: gmailtriage panic --off lifts it"] if is_stopped else []
    following = ["next: gmailtriage undo RUN, or gmailtriage undo-all"] if any(o.can_be_undone for o in found) else []
    stop += [] if is_checked else ["the keyring tells no key: whether these receipts are authentic was not checked"]
    following = ["next: gmailtriage verify"] if any(o.forged for o in found) else following
    return [*stop, *(line(one) for one in found), *([] if found else ["no run yet"]), *following]


def line(summary: RunSummary) -> str:
    """When, which, whose, how it ended, and whether it was taken back."""
    ended = ", ".join(f"{number} {status}" for status, number in summary.statuses.items() if number)
    state = {"yes": "undone", "partly": "partly undone", "no": "not undone"}.get(summary.undone, summary.undone)
    state = state if summary.is_closed else f"interrupted: gmailtriage execute {summary.manifest} --resume"
    state = "; ".join([state, *(f"NOT AUTHENTIC: receipts/{one}.jsonl" for one in summary.forged)])
    return f"{summary.at:%Y-%m-%d %H:%M:%S}  {summary.run}  {summary.account}  {ended}  {state}"
