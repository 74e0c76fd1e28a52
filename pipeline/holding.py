"""Does everything in a workspace still hold? One check a kind of fact; each yields a Finding for what does not.

    findings = [found for check in CHECKS for found in check(context)]

Checks read and never repair. A file that cannot be trusted is named by its path in the workspace.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal

from pipeline.changes.undoing import check_undo
from pipeline.context import Context
from pipeline.evidence.captures import capture_ids, read_capture
from pipeline.models.approval import Approval, GrantedApproval
from pipeline.models.manifest import Manifest
from pipeline.models.receipt import Closed, Opened
from pipeline.refusals import Refusal
from pipeline.sealing.authority import judge_approval
from pipeline.sealing.binding import check_closing, check_execution
from pipeline.sealing.documents import (
    approval_path,
    closed_path,
    consumed_path,
    decisions_log_path,
    input_path,
    manifest_ids,
    read_approval,
    read_approvals,
    read_decisions_log,
    read_manifest,
)
from pipeline.sealing.grants import grant_ids, read_grant, revoked_words
from pipeline.sealing.heads import refuse_lost
from pipeline.sealing.ordering import missing_runs, ranks, twins
from pipeline.sealing.pins import changed_evidence, pinned_files
from pipeline.sealing.receipts import StoredReceipt, load_all, load_receipt, receipt_names
from pipeline.sealing.standing import consumed_words
from pipeline.store import exists, list_names, read_bytes, read_named_by_digest
from pipeline.workspace import Workspace

Kind = Literal["altered", "missing", "foreign", "unfinished"]
"""altered, missing and foreign (no document has such a name) refuse; unfinished only tells."""
_MANIFEST = re.compile(r"[0-9a-f]{64}(\.approval)?\.json")
_GRANT = re.compile(r"[0-9a-f]{64}\.json")


@dataclass(frozen=True, slots=True)
class Finding:
    """One file that is not as it should be, by its path in the workspace."""

    kind: Kind
    file: str
    what: str


def captures_hold(context: Context) -> Iterator[Finding]:
    """Every sealed capture; an unfinished one is told."""
    workspace = context.workspace
    for name in list_names(workspace.raw):
        if name.startswith("."):
            yield Finding("unfinished", f"data/raw/{workspace.account}/{name}", "a fetch did not end")
        elif not exists(workspace.raw / name / "capture.json"):
            file = f"data/raw/{workspace.account}/{name}/capture.json"
            yield Finding("missing", file, "a capture without its seal does not exist")
    for capture_id in capture_ids(workspace):
        file = f"data/raw/{workspace.account}/{capture_id}"
        yield from _tried(file, partial(_read_bodies, workspace, capture_id))


def _read_bodies(workspace: Workspace, capture_id: str) -> None:
    """Open a capture and read each body. Raises TamperedCapture."""
    for exchange in read_capture(workspace, capture_id).exchanges:
        _ = exchange.body


def nothing_else_lies_there(context: Context) -> Iterator[Finding]:
    """Among sealed documents: what has no document's name may be one that was renamed, and then nothing reads it."""
    folder = context.workspace.manifests
    for place, known in ((folder, _MANIFEST), (folder / "grants", _GRANT)):
        for name in list_names(place):
            is_folder = place == folder and name in ("inputs", "grants")
            if not (name.startswith(".") or is_folder or known.fullmatch(name)):
                file = str((place / name).relative_to(context.workspace.root))
                yield Finding("foreign", file, "no document here has such a name")


def manifests_hold(context: Context) -> Iterator[Finding]:
    """Every manifest by name and form, then what it pins."""
    workspace = context.workspace
    for digest in manifest_ids(workspace):
        refused = list(_tried(f"manifests/{digest}.json", partial(read_manifest, workspace, digest)))
        yield from refused or _pins_hold(context, read_manifest(workspace, digest))


def _pins_hold(context: Context, manifest: Manifest) -> Iterator[Finding]:
    workspace = context.workspace
    for file in pinned_files(manifest):
        if not exists(input_path(workspace, file.sha256)):
            yield Finding("missing", f"manifests/inputs/{file.sha256}", f"the copy of {file.name}")
    for name in changed_evidence(workspace, manifest):
        yield Finding("altered", name, f"manifest {manifest.sha256[:16]} pins another digest")


def inputs_hold(context: Context) -> Iterator[Finding]:
    """Every write-once copy by its name; what begins with a dot is a write that did not end."""
    folder = context.workspace.manifests / "inputs"
    for name in (one for one in list_names(folder) if not one.startswith(".")):
        yield from _tried(f"manifests/inputs/{name}", partial(read_named_by_digest, folder / name, name))


def approvals_hold(context: Context) -> Iterator[Finding]:
    """Every approval with its manifest and its decisions log."""
    workspace = context.workspace
    for digest in manifest_ids(workspace):
        if exists(approval_path(workspace, digest)):
            yield from _tried(f"manifests/{digest}.approval.json", partial(_approval_holds, context, digest))
            yield from _log_holds(workspace, digest)
    for name in list_names(workspace.manifests):
        if name.endswith(".approval.json") and not exists(workspace.manifests / name.replace(".approval.", ".")):
            yield Finding("missing", f"manifests/{name.replace('.approval.', '.')}", "its approval is there")


def _approval_holds(context: Context, digest: str) -> None:
    manifest = read_manifest(context.workspace, digest)
    judge_approval(manifest, read_approval(context.workspace, digest), context.approval_key())


def grants_hold(context: Context) -> Iterator[Finding]:
    """Every standing grant by name and MAC, that each approval under one has it, and every revocation."""
    workspace = context.workspace
    for digest in grant_ids(workspace):
        yield from _tried(f"manifests/grants/{digest}.json", partial(_grant_holds, context, digest))
    for approval in _readable_approvals(workspace):
        if isinstance(approval, GrantedApproval) and approval.grant not in grant_ids(workspace):
            yield Finding("missing", f"manifests/grants/{approval.grant}.json", "an approval is under it")
    for name in list_names(workspace.control):
        digest, _, kind = name.rpartition(".")
        if kind == "revoked" and read_bytes(workspace.control / name) != revoked_words(digest):
            yield Finding("altered", f"receipts/{name}", "it does not name the grant that it revokes")


def _grant_holds(context: Context, digest: str) -> None:
    read_grant(context.workspace, digest, context.approval_key())


def _log_holds(workspace: Workspace, digest: str) -> Iterator[Finding]:
    try:
        approval = read_approval(workspace, digest)
    except Refusal:
        return
    path = decisions_log_path(workspace, approval.run)
    yield from _tried(str(path.relative_to(workspace.root)), partial(read_decisions_log, workspace, approval))


def logs_hold(context: Context) -> Iterator[Finding]:
    """A decisions log that no approval names is told: an approval was interrupted."""
    workspace = context.workspace
    named = {f"{approval.run}.jsonl" for approval in _readable_approvals(workspace)}
    for name in list_names(workspace.decisions):
        if name not in named:
            yield Finding("unfinished", f"data/decisions/{workspace.account}/{name}", "no approval names it")


def receipts_hold(context: Context) -> Iterator[Finding]:
    """Every receipt: chain, what allowed it, closing; and that closed digests have their receipts."""
    workspace = context.workspace
    for name in receipt_names(workspace):
        refused = list(_tried(f"receipts/{name}", partial(_receipt_holds, context, name)))
        yield from refused or _control_holds(workspace, load_receipt(workspace.receipts / name))
    for name in list_names(workspace.control):
        run, _, kind = name.rpartition(".")
        if kind in ("closed", "head") and not exists(workspace.receipts / f"{run}.jsonl"):
            yield from _without_receipt(workspace, run, kind)


def runs_follow_each_other(context: Context) -> Iterator[Finding]:
    """Every run that another came after is here, so no receipt was taken out of the middle; who came first is known."""
    workspace = context.workspace
    openings = tuple(_openings(workspace))
    for account in sorted({one.account for one in openings}):
        own = [one for one in openings if one.account == account]
        gone = missing_runs(own)
        for run, later in gone.items():
            if run not in _unreadable(workspace):
                yield Finding("missing", f"receipts/{run}.jsonl", f"run {later} came after it")
        for run, earlier in twins(own).items():
            what = f"two copies of this went on apart after run {earlier}"
            yield Finding("unfinished", f"receipts/{run}.jsonl", what)
        if not gone:
            yield from _tried("receipts", partial(ranks, own))


def _openings(workspace: Workspace) -> Iterator[Opened]:
    """The first lines of receipts that can be read; the others are found by `receipts_hold`."""
    for name in receipt_names(workspace):
        with suppress(Refusal):
            yield load_receipt(workspace.receipts / name).receipt.opened


def _unreadable(workspace: Workspace) -> set[str]:
    here = {name.removesuffix(".jsonl") for name in receipt_names(workspace)}
    return here - {one.run for one in _openings(workspace)}


def _without_receipt(workspace: Workspace, run: str, kind: str) -> Iterator[Finding]:
    """A first head alone is a run that died before its first line; nothing was sent."""
    if kind == "closed":
        yield Finding("missing", f"receipts/{run}.jsonl", "it was closed once")
    else:
        lost = list(_tried(f"receipts/{run}.jsonl", partial(refuse_lost, workspace, run)))
        yield from lost or [Finding("unfinished", f"receipts/{run}.head", "a run did not begin")]


def _receipt_holds(context: Context, name: str) -> None:
    workspace, key = context.workspace, context.approval_key()
    stored = load_receipt(workspace.receipts / name)
    opened = stored.receipt.opened
    manifest = read_manifest(workspace, opened.manifest)
    allowed = judge_approval(manifest, read_approval(workspace, opened.manifest), key)
    if opened.purpose == "execute":
        check_execution(stored, allowed)
    else:
        check_undo(stored, load_all(workspace))
    last = stored.receipt.events[-1]
    if not isinstance(last, Closed) or not last.is_authentic(key):
        check_closing(workspace, stored, key)


def _control_holds(workspace: Workspace, stored: StoredReceipt) -> Iterator[Finding]:
    """What stands beside a receipt that is sound: the digest of its closing, and the marker of its approval."""
    opened, closing = stored.receipt.opened, closed_path(workspace, stored.run)
    if not stored.receipt.is_closed:
        yield Finding("unfinished", f"receipts/{stored.run}.jsonl", "the run was interrupted")
    elif not exists(closing):
        yield Finding("unfinished", f"receipts/{stored.run}.jsonl", "its digest is not kept apart yet")
    elif read_bytes(closing) != stored.sha256.encode():
        yield Finding("altered", f"receipts/{closing.name}", "it is not the digest of its receipt")
    if opened.purpose == "execute":
        yield from _marker_holds(workspace, stored)


def _marker_holds(workspace: Workspace, stored: StoredReceipt) -> Iterator[Finding]:
    opened = stored.receipt.opened
    path = consumed_path(workspace, opened.approval)
    if not exists(path):
        kind: Kind = "missing" if stored.receipt.is_closed else "unfinished"
        yield Finding(kind, f"receipts/{path.name}", "the marker of a run that has a receipt")
    elif read_bytes(path) != consumed_words(opened.approval, opened.manifest, opened.run):
        yield Finding("altered", f"receipts/{path.name}", "it names another run")


def _readable_approvals(workspace: Workspace) -> Iterable[Approval]:
    try:
        return read_approvals(workspace)
    except Refusal:
        return ()


def _tried(file: str, check: Callable[[], object]) -> Iterator[Finding]:
    try:
        check()
    except Refusal as refusal:
        yield Finding("altered", file, f"{refusal.what} ({refusal.evidence})" if refusal.evidence else refusal.what)


CHECKS: tuple[Callable[[Context], Iterator[Finding]], ...] = (
    captures_hold,
    nothing_else_lies_there,
    manifests_hold,
    inputs_hold,
    approvals_hold,
    grants_hold,
    logs_hold,
    receipts_hold,
    runs_follow_each_other,
)
