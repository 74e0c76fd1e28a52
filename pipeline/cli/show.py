"""Show what is there: accounts, captures, the plan or a manifest, with counts, reasons and price; never mail text."""

import json as json_text
import os
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.cli.output import plain, plan_lines
from pipeline.config import known_registries
from pipeline.evidence.captures import capture_ids
from pipeline.models.manifest import KEPT_IN_TRASH, ExistingLabel, Manifest, Target
from pipeline.models.plan import Plan
from pipeline.sealing.documents import manifest_ids, read_manifest
from pipeline.sealing.receipts import load_receipts
from pipeline.session import Session
from pipeline.store import read_bytes
from pipeline.untrusted import show
from pipeline.workspace import Workspace


def command(
    what: Annotated[str, typer.Argument(help="accounts, plan, or a manifest's sha256; empty = overview")] = "",
    redacted: Annotated[bool, typer.Option("--redacted", help="no addresses: for an agent's helpers")] = False,
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Print one of them."""
    if what == "accounts":
        text = accounts(config, is_redacted=redacted, is_json=json)
    else:
        with session(account, workspace, config) as opened:
            text = described(what, opened, is_redacted=redacted, is_json=json)
    for line in text:
        print(show(line) if not json else line)
    return 0


def described(what: str, opened: Session, *, is_redacted: bool, is_json: bool) -> list[str]:
    """The lines for `what`, or one line of JSON."""
    if what == "plan":
        plan = read_plan(opened.context.workspace)
        value: object = plain(plan)
        text = plan_lines(plan)
    elif what:
        manifest = read_manifest(opened.context.workspace, what)
        value = {"id": what, **redact(manifest, is_redacted)}
        text = manifest_lines(manifest, opened, is_redacted=is_redacted)
    else:
        found = overview(opened, is_redacted)
        value, text = found, [line for name, part in found.items() for line in overview_lines(name, part)]
    return [json_text.dumps(value, ensure_ascii=True, sort_keys=True)] if is_json else text


def accounts(config: Path | None, *, is_redacted: bool, is_json: bool) -> list[str]:
    """Every mailbox of every registry that is in reach, the owner's first."""
    records = [record for registry in known_registries(os.environ, config) for record in registry.mailbox]
    facts = [account_facts(one.id, one.status, one.address, is_redacted) for one in records]
    if is_json:
        return [json_text.dumps(facts, ensure_ascii=True, sort_keys=True)]
    return [f"{fact['id']}: {fact['address']}, {fact['status']}" for fact in facts]


def account_facts(name: str, status: str, address: str, is_redacted: bool) -> dict[str, str]:
    """A registry record without its credential."""
    return {"id": name, "status": status, "address": "(redacted)" if is_redacted else address}


def overview(opened: Session, is_redacted: bool) -> dict[str, object]:
    """Alias, address, and what the workspace holds."""
    workspace, account = opened.context.workspace, opened.context.account
    return {
        "account": account.id,
        "alias": ", ".join(account.alias),
        "address": "(redacted)" if is_redacted else account.address,
        "status": account.status,
        "kind": workspace.kind,
        "captures": len(capture_ids(workspace)),
        "manifests": list(manifest_ids(workspace)),
        "receipts": {one.run: one.sha256 for one in load_receipts(workspace)},
    }


def overview_lines(name: str, part: object) -> list[str]:
    """One line for a plain value, one more for each of several."""
    if isinstance(part, dict):
        return [f"{name:10s}{len(part)}", *(f"    {key}  sha256 {value}" for key, value in part.items())]
    if isinstance(part, list):
        return [f"{name:10s}{len(part)}", *(f"    {one}" for one in part)]
    return [f"{name:10s}{part}"]


def read_plan(workspace: Workspace) -> Plan:
    """plan.json. Raises MissingArtifact."""
    return Plan.from_bytes(read_bytes(workspace.snapshots / "plan.json"))


def redact(manifest: Manifest, is_redacted: bool) -> dict[str, object]:
    """The manifest as JSON; redacted: without the address."""
    value = manifest.model_dump(mode="json")
    return {**value, "address": "(redacted)"} if is_redacted else value


def manifest_lines(manifest: Manifest, opened: Session, *, is_redacted: bool) -> list[str]:
    """What a person should know before saying yes."""
    address = "(redacted)" if is_redacted else manifest.address
    counts, price = manifest.counts, manifest.price
    return [
        f"manifest  {manifest.sha256}",
        f"mailbox   {', '.join(opened.context.account.alias)} = {address} ({manifest.status})",
        f"actions   {actions(manifest)}",
        *(f"  {number:4d}  {name}" for name, number in by_label(manifest.targets)),
        f"decided   {', '.join(f'{n} by {s}' for s, n in Counter(t.source for t in manifest.targets).most_common())}",
        f"left out  {counts.excluded} untouched, {counts.protected} protected, {counts.uncertain} uncertain, "
        f"{counts.over_cap} over the cap",
        *(f"  {number:4d}  kept in the inbox: {reason}" for reason, number in reasons(manifest.targets)),
        f"price     {price.units} quota units, {price.requests} requests, {price.minutes} minutes",
        f"expires   {manifest.expires_at:%Y-%m-%d %H:%M:%S} UTC",
        f"undo      {manifest.rollback.command}",
    ]


def actions(manifest: Manifest) -> str:
    """How many changes of each kind; a manifest is about labels or about trash."""
    counts = manifest.counts
    if manifest.operation == "trash":
        return f"{counts.trash} to the trash, where Gmail keeps them for {KEPT_IN_TRASH.days} days"
    return f"{counts.archive} archive, {counts.label} label, {counts.create_label} labels to create"


def by_label(targets: tuple[Target, ...]) -> list[tuple[str, int]]:
    """Change, classification and the label by its own name, with how many messages, most first."""
    found = Counter(f"{t.change.kind:8s} {what_is_done(t)}" for t in targets)
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def what_is_done(target: Target) -> str:
    """The classification and the name of the label that a message gets, and whether it is made first; for the trash
    the policy's rule."""
    ref = target.label
    if ref is None:
        return f"under the rule {target.rule}"
    name = ref.name if isinstance(ref, ExistingLabel) else f"{ref.create} (new label)"
    return f"{target.classification} as {name}"


def reasons(targets: tuple[Target, ...]) -> list[tuple[str, int]]:
    """Why labelled mail is not archived, most first."""
    found = Counter(reason for target in targets if target.change.kind == "label" for reason in target.reasons)
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:12]
