"""Label mail under a standing grant, with nobody there: plan, freeze, approve under the grant, execute. For cron.

It labels what the grant names and does nothing else: archives wait for a person. Each run has its manifest, its
approval and its receipt like any other, and is undone like any other. Where nothing fits, or the grant's counts are
used up, nothing is frozen. A run of this kind that was interrupted is finished first.

    17 * * * *  gmailtriage fetch --account jobs && gmailtriage label --account jobs
"""

import json as json_text
import sys
from typing import Annotated

import typer

from pipeline.changes.closing import Finished
from pipeline.cli.grants import problems
from pipeline.cli.loop import Loop
from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.cli.output import present
from pipeline.context import Context
from pipeline.models.approval import GrantedApproval
from pipeline.models.grant import Grant
from pipeline.models.plan import Plan
from pipeline.refusals import NoGrant
from pipeline.sealing.documents import approval_path, read_approval
from pipeline.sealing.granting import fitting, no_grant, room_left
from pipeline.sealing.grants import grant_ids, read_grant
from pipeline.sealing.killswitch import refuse_stopped, switches_of
from pipeline.sealing.receipts import load_receipts
from pipeline.store import exists
from stages.approve import STAGE as APPROVE
from stages.plan import PLAN


def command(
    grant: Annotated[str, typer.Argument(help="a grant's full sha256; empty = the one that stands")] = "",
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Do it. Raises NoGrant, KillSwitchOn, and whatever freeze, approve and execute raise."""
    with session(account, workspace, config) as opened:
        done = labelled(Loop(opened), grant)
    if json and not isinstance(done, Finished):
        print(json_text.dumps({"label": {"nothing": done}}, ensure_ascii=True))
        return 0
    present({"label": done}, is_json=json, arguments=sys.argv[1:])
    return 0


def labelled(loop: Loop, digest: str) -> Finished | str:
    """The closed run, or why there was nothing to do."""
    context = loop.context
    refuse_stopped(*switches_of(context.workspace))
    unfinished = interrupted(context)
    if unfinished:
        return loop.execute_digest(unfinished)
    grant = chosen(context, digest)
    (plan,) = context.derive(PLAN)
    if not isinstance(plan, Plan):
        raise TypeError("plan is a document")
    fit = len(fitting(grant, plan.targets))
    room = room_left(context.workspace, grant, context.wall.now(), context.approval_key(), but="")
    if not fit or not room:
        return f"nothing to label: {fit} messages fit the grant, {room} are left of its counts"
    manifest = loop.freeze()
    approve_under(context, manifest.sha256, grant)
    context.say(f"{min(fit, room)} of {fit} messages that fit, under grant {grant.sha256[:16]}…")
    return loop.execute(manifest)


def approve_under(context: Context, manifest: str, grant: Grant) -> None:
    """The stage itself; an approval under this grant that a killed process left is as good. Raises what it raises."""
    if exists(approval_path(context.workspace, manifest)):
        found = read_approval(context.workspace, manifest)
        if isinstance(found, GrantedApproval) and found.grant == grant.sha256:
            return
    options = {option.name: option.default for option in APPROVE.options}
    APPROVE.run(context, **{**options, "manifest": manifest, "grant": grant.sha256})


def chosen(context: Context, digest: str) -> Grant:
    """The named grant, or the only one that stands. Raises NoGrant, saying why, or Tampered."""
    key, workspace = context.approval_key(), context.workspace
    if digest:
        named = read_grant(workspace, digest, key)
        if why := problems(context, named):
            raise no_grant(named, "; ".join(why))
        return named
    grants = [read_grant(workspace, one, key) for one in grant_ids(workspace)]
    standing = [one for one in grants if not problems(context, one)]
    if len(standing) != 1:
        raise NoGrant(f"{len(standing)} grants stand, not one", evidence=f"of {len(grants)}",
                      next_command="gmailtriage grants")  # fmt: skip
    return standing[0]


def interrupted(context: Context) -> str:
    """The manifest of a run under a grant that did not end, or nothing."""
    opened = [one.receipt.opened for one in load_receipts(context.workspace) if not one.receipt.is_closed]
    runs = [one.manifest for one in opened if one.purpose == "execute"]
    granted = [one for one in runs if isinstance(read_approval(context.workspace, one), GrantedApproval)]
    return granted[0] if granted else ""
