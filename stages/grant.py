"""grant: a person's yes in advance to labels of certain names, and to nothing else.

    gmailtriage grant --labels "Job Search/Job Alert,Job Search/Rejection" --per-run 50 --per-day 200 --days 30

Promises: it comes from a person at a terminal who typed the code on the screen, and from nobody else; it names this
account, its registry record, the policy and the rules as they are now, the labels, the counts and an end, at most 90
days away. A change of any of them ends it. It never allows an archive; a label that does not exist is made only when
`--create` names it. `gmailtriage label` uses it, `gmailtriage grants` lists it, `gmailtriage revoke` takes it back.
"""

import secrets
from datetime import datetime, timedelta

from pydantic import ValidationError

from pipeline.config import Config
from pipeline.context import Context
from pipeline.models.document import explain
from pipeline.models.grant import LONGEST, Grant, rules_digest, signed_grant
from pipeline.models.receipt import GENESIS
from pipeline.refusals import NotATerminal, UsageRefused
from pipeline.rulebook import RULES, read_rules
from pipeline.sealing.confirming import confirm
from pipeline.sealing.grants import GRANTS, grant_path
from pipeline.stage import Option, Stage
from pipeline.store import create_exclusive
from pipeline.untrusted import show


def grant(context: Context, labels: str, create: str, per_run: int, per_day: int, days: int) -> Grant:
    """The sealed grant. Raises NotATerminal, NotApproved or UsageRefused; then nothing was written."""
    if context.terminal is None:
        raise NotATerminal("a standing grant comes from a person at a terminal", evidence="it stands for many runs",
                           next_command="gmailtriage approve")  # fmt: skip
    names, new = split_names(labels), split_names(create)
    refuse_unknown(context.config, (*names, *new))
    draft = make_grant(context.config, names, new, (per_run, per_day), context.wall.now(), days)
    sealed = signed_grant(draft, context.approval_key())
    confirm(context.terminal, sealed.sha256, "\n".join(described(sealed)))
    create_exclusive(grant_path(context.workspace, sealed.sha256), sealed.to_bytes())
    return sealed


def split_names(text: str) -> tuple[str, ...]:
    """Label names between commas, sorted."""
    return tuple(sorted(name.strip() for name in text.split(","))) if text else ()


def refuse_unknown(config: Config, names: tuple[str, ...]) -> None:
    """Silent when every name is a label of the taxonomy. Raises UsageRefused, naming those that are none."""
    known = {one.label for one in read_rules(config.rules).classifications}
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise UsageRefused("a grant is for labels of your taxonomy", evidence=", ".join(unknown) or "none was named",
                           next_command="gmailtriage grant --labels NAME,NAME")  # fmt: skip


def make_grant(
    config: Config, labels: tuple[str, ...], new: tuple[str, ...], counts: tuple[int, int], now: datetime, days: int
) -> Grant:
    """The grant without its MAC. Raises UsageRefused for what no grant may be."""
    if not 1 <= days <= LONGEST.days:
        raise UsageRefused("there is no such grant", evidence=f"--days is 1 to {LONGEST.days}")
    fields = {
        "account": config.account.id,
        "address": config.account.address,
        "registry_record": config.pinned_record().sha256,
        "policy": config.pinned_policy().sha256,
        "rules": rules_digest(config.pinned_rules()),
        "labels": labels,
        "new_labels": new,
        "per_run": counts[0],
        "per_day": counts[1],
        "granted_at": now,
        "expires_at": now + timedelta(days=days),
        "nonce": secrets.token_hex(16),
        "mac": GENESIS,
    }
    try:
        return Grant.model_validate(fields)
    except ValidationError as error:
        raise UsageRefused("there is no such grant", evidence=explain(error)) from None


def described(sealed: Grant) -> list[str]:
    """What a person sees before saying yes to many runs at once."""
    return [
        "grant     labels, without asking again; never an archive",
        f"mailbox   {sealed.account} = {sealed.address}",
        *(
            f"label     {show(name)}{' (made when missing)' if name in sealed.new_labels else ''}"
            for name in sealed.labels
        ),
        f"counts    at most {sealed.per_run} messages a run, {sealed.per_day} in 24 hours",
        f"ends      {sealed.expires_at:%Y-%m-%d %H:%M:%S} UTC, or when policy, rules or the registry record change",
        f"revoke    gmailtriage revoke {sealed.sha256}",
    ]


STAGE = Stage(
    "grant",
    reads=(RULES,),
    writes=(GRANTS,),
    kind="person",
    run=grant,
    options=(
        Option("labels", str, "", "names of the labels that may be added, separated by commas"),
        Option("create", str, "", "those of them that may be created when they do not exist"),
        Option("per_run", int, 50, "messages that one run may touch at most (1 to 1000)"),
        Option("per_day", int, 200, "messages that all granted runs of 24 hours may touch at most (1 to 10000)"),
        Option("days", int, 30, "how long it stands, at most 90"),
    ),
)
