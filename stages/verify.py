"""verify: check every digest, chain and binding of the workspace, and name what does not hold.

Promises: it reads and writes nothing else. Captures against their seals; manifests against their names and their
canonical form; approvals against their MAC, their manifest and their decisions log; receipts against their chain,
their approval and their closing; the write-once copies against their names; every pinned capture and receipt against
its pin. It returns what is merely unfinished; when a file was altered or is missing it raises WrongDigest (exit 3),
naming the first, with the others as evidence.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from pipeline.artifacts import CAPTURES
from pipeline.authority import judge_approval
from pipeline.binding import check_closing, check_execution
from pipeline.captures import capture_ids, read_capture
from pipeline.context import Context
from pipeline.models.approval import Approval
from pipeline.models.manifest import Manifest
from pipeline.pins import changed_evidence, pinned_files
from pipeline.receipts import RECEIPTS, StoredReceipt, load_receipt, load_receipts
from pipeline.refusals import Refusal, WrongDigest
from pipeline.sealed import (
    APPROVALS,
    DECISION_LOGS,
    MANIFESTS,
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
    read_manifests,
)
from pipeline.stage import Stage
from pipeline.store import exists, list_names, read_named_by_digest
from pipeline.undoing import check_undo
from pipeline.workspace import Workspace

NAMED = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One file that is not as it should be. `altered` and `missing` refuse; `unfinished` only tells."""

    kind: Literal["altered", "missing", "unfinished"]
    file: str
    what: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What was checked, by kind, and what is unfinished."""

    checked: dict[str, int]
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in self.checked.items())
        notes = "; ".join(f"{found.file}: {found.what}" for found in self.findings)
        return f"{counts}: every digest and chain holds" + (f"; unfinished: {notes}" if notes else "")


def verify(context: Context) -> Verified:
    """Everything that was checked. Raises WrongDigest, naming the first altered or missing file."""
    findings = tuple(found for check in CHECKS for found in check(context))
    refused = [found for found in findings if found.kind != "unfinished"]
    if refused:
        first = refused[0]
        others = "; ".join(f"{found.file}: {found.what}" for found in refused[:NAMED])
        raise WrongDigest(f"{first.file} was altered" if first.kind == "altered" else f"{first.file} is missing",
                          evidence=f"{len(refused)} in all: {others}",
                          next_command="put the file back from a copy; nothing here repairs facts")  # fmt: skip
    return Verified(_counts(context.workspace), findings)


def captures_hold(context: Context) -> Iterator[Finding]:
    """Every sealed capture; an unfinished one is told."""
    workspace = context.workspace
    for name in list_names(workspace.raw):
        if name.startswith("."):
            yield Finding("unfinished", f"data/raw/{workspace.account}/{name}", "a fetch did not end")
    for capture_id in capture_ids(workspace):
        file = f"data/raw/{workspace.account}/{capture_id}"
        yield from _tried(file, partial(read_capture, workspace, capture_id))


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
    """Every write-once copy by its name."""
    folder = context.workspace.manifests / "inputs"
    for name in list_names(folder):
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
    for name in list_names(workspace.receipts):
        if name.endswith(".jsonl") and not name.startswith("."):
            yield from _tried(f"receipts/{name}", partial(_receipt_holds, context, name))
            yield from _unfinished(workspace, name)
    for name in list_names(workspace.control):
        if name.endswith(".closed") and not exists(workspace.receipts / name.replace(".closed", ".jsonl")):
            yield Finding("missing", f"receipts/{name.replace('.closed', '.jsonl')}", "it was closed once")


def _receipt_holds(context: Context, name: str) -> None:
    workspace, key = context.workspace, context.approval_key()
    stored = load_receipt(workspace.receipts / name)
    opened = stored.receipt.opened
    manifest = read_manifest(workspace, opened.manifest)
    allowed = judge_approval(manifest, read_approval(workspace, opened.manifest), key)
    if opened.purpose == "execute":
        check_execution(stored, allowed)
    else:
        check_undo(stored, load_receipts(workspace))
    check_closing(workspace, stored, key)


def _unfinished(workspace: Workspace, name: str) -> Iterator[Finding]:
    try:
        stored = load_receipt(workspace.receipts / name)
    except Refusal:
        return
    if not stored.receipt.is_closed:
        yield Finding("unfinished", f"receipts/{name}", "the run was interrupted")
    elif not exists(closed_path(workspace, stored.run)):
        yield Finding("unfinished", f"receipts/{name}", "its digest is not kept apart yet")
    elif _lacks_marker(workspace, stored):
        yield Finding("missing", f"receipts/{stored.receipt.opened.approval}.consumed", "the run's marker")


def _lacks_marker(workspace: Workspace, stored: StoredReceipt) -> bool:
    opened = stored.receipt.opened
    return opened.purpose == "execute" and not exists(consumed_path(workspace, opened.approval))


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


def _counts(workspace: Workspace) -> dict[str, int]:
    return {
        "captures": len(capture_ids(workspace)),
        "manifests": len(read_manifests(workspace)),
        "approvals": len(read_approvals(workspace)),
        "receipts": len(load_receipts(workspace)),
    }


CHECKS: tuple[Callable[[Context], Iterator[Finding]], ...] = (
    captures_hold,
    manifests_hold,
    inputs_hold,
    approvals_hold,
    logs_hold,
    receipts_hold,
)

STAGE = Stage(
    "verify",
    reads=(CAPTURES, MANIFESTS, APPROVALS, DECISION_LOGS, RECEIPTS),
    writes=(),
    kind="checks",
    run=verify,
)
