"""List the standing grants: what each allows, until when, how much of the day is left, and whether it still stands."""

import json as json_text

from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.cli.output import plain
from pipeline.context import Context
from pipeline.models.grant import Grant
from pipeline.refusals import NoGrant, Refusal
from pipeline.sealing.granting import config_problems, room_left, standing_problems
from pipeline.sealing.grants import grant_ids, read_grant
from pipeline.untrusted import show


def command(
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Print them; no address. A grant that cannot be trusted is told as such."""
    with session(account, workspace, config) as opened:
        found = [described(opened.context, digest) for digest in grant_ids(opened.context.workspace)]
    if json:
        print(json_text.dumps({"grants": found}, ensure_ascii=True, sort_keys=True))
        return 0
    for one in found:
        print(show(line(one)))
    if not found:
        print("no standing grant")
    return 0


def described(context: Context, digest: str) -> dict[str, object]:
    """One grant with why it does not stand, if it does not, and how many messages a run may touch now."""
    try:
        grant = read_grant(context.workspace, digest, context.approval_key())
    except Refusal as refusal:
        return {"grant": digest, "stands": False, "why": [refusal.what], "room": 0}
    why = problems(context, grant)
    room = 0
    if not why:
        try:
            room = room_left(context.workspace, grant, context.wall.now(), context.approval_key(), but="")
        except NoGrant as refusal:
            why = [refusal.evidence]
    shown = grant.model_dump(mode="json", include={"labels", "new_labels", "per_run", "per_day", "expires_at"})
    return {"grant": digest, "stands": not why, "why": why, "room": room, **{k: plain(v) for k, v in shown.items()}}


def problems(context: Context, grant: Grant) -> list[str]:
    """Why a grant does not stand now, here."""
    now = context.wall.now()
    return [*standing_problems(context.workspace, grant, now), *config_problems(grant, context.config)]


def line(one: dict[str, object]) -> str:
    """A grant in a line."""
    if not one["stands"]:
        return f"{one['grant']}  does not stand: {'; '.join(map(str, one['why']))}"  # type: ignore[call-overload]  # a list
    labels = ", ".join(map(str, one["labels"]))  # type: ignore[call-overload]  # a list
    return f"{one['grant']}  until {one['expires_at']}: {labels}; {one['room']} messages now, {one['per_day']} a day"
