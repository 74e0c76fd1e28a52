"""Sealed documents by kind: where each lies, and how it is read back so that an altered byte is refused by name.

    manifests/<sha256>.json            manifests/<sha256>.approval.json      manifests/inputs/<sha256>
    data/decisions/<account>/<run>.jsonl   receipts/<run>.jsonl
    <control>/<sha256>.consumed        <control>/<run>.closed        <control>/<run>.head (while it is open)

A manifest is valid when its bytes are canonical and their sha256 is its name. An approval is valid for a manifest when
its MAC verifies and every binding holds (`authority` beside this module judges that). Facts for stages come last.
"""

import re
from pathlib import Path

from pydantic import ValidationError

from pipeline.artifacts import Fact, Place
from pipeline.canonical import canonical_lines, parse_canonical, sha256_hex
from pipeline.models.approval import Approval, read_approval_bytes
from pipeline.models.decision import Decision
from pipeline.models.document import explain
from pipeline.models.manifest import Manifest
from pipeline.refusals import InputRefused, NotApproved, Tampered, UsageRefused
from pipeline.store import exists, list_names, read_bytes, read_named_by_digest
from pipeline.workspace import Workspace

_SHA256 = re.compile(r"[0-9a-f]{64}")
_MANIFEST_NAME = re.compile(r"[0-9a-f]{64}\.json")


def manifest_path(workspace: Workspace, digest: str) -> Path:
    """Where a manifest lies. Raises UsageRefused for anything that is not a full sha256: an id is never a path."""
    return workspace.manifests / f"{full_digest(digest)}.json"


def approval_path(workspace: Workspace, digest: str) -> Path:
    """Where the one approval of a manifest lies."""
    return workspace.manifests / f"{full_digest(digest)}.approval.json"


def input_path(workspace: Workspace, digest: str) -> Path:
    """Where the write-once copy of a pinned file lies."""
    return workspace.manifests / "inputs" / full_digest(digest)


def decisions_log_path(workspace: Workspace, run: str) -> Path:
    """Where a run's decisions log lies."""
    return workspace.decisions / f"{run}.jsonl"


def consumed_path(workspace: Workspace, approval: str) -> Path:
    """The marker that an approval was executed, by the approval's sha256."""
    return workspace.control / f"{full_digest(approval)}.consumed"


def closed_path(workspace: Workspace, run: str) -> Path:
    """The digest of a run's closed receipt: a receipt that is cut later cannot look interrupted."""
    return workspace.control / f"{run}.closed"


def full_digest(text: str) -> str:
    """The text when it is 64 lowercase hex digits. Raises UsageRefused: no prefix, no path, no "latest"."""
    if not _SHA256.fullmatch(text):
        raise UsageRefused(
            "a manifest is named by its full sha256",
            evidence=f"{len(text)} characters given, 64 hex digits wanted",
            next_command="gmailtriage show",
        )
    return text


def read_manifest(workspace: Workspace, digest: str) -> Manifest:
    """A manifest by its digest. Raises UsageRefused, NotApproved when there is none, Tampered when it was altered."""
    path = manifest_path(workspace, digest)
    if not exists(path):
        raise NotApproved("there is no manifest of that id", evidence=path.name, next_command="gmailtriage freeze")
    try:
        manifest = Manifest.from_bytes(read_named_by_digest(path, digest))
    except InputRefused as error:
        raise Tampered(f"manifest {path.name} was altered", evidence=f"{error.what}; {error.evidence}",
                       next_command="gmailtriage freeze (makes a new one)") from None  # fmt: skip
    if manifest.account != workspace.account:
        raise Tampered(f"manifest {path.name} is of another account", evidence=f"account {manifest.account}")
    return manifest


def read_approval(workspace: Workspace, digest: str) -> Approval:
    """The approval that lies beside a manifest, canonical and strict; its authority is judged elsewhere."""
    path = approval_path(workspace, digest)
    if not exists(path):
        next_command = f"gmailtriage approve {digest}"
        raise NotApproved("no approval binds this manifest", evidence=path.name, next_command=next_command)
    try:
        return read_approval_bytes(read_bytes(path))
    except InputRefused as error:
        raise Tampered(f"approval {path.name} was altered", evidence=f"{error.what}; {error.evidence}") from None


def decisions_log_bytes(decisions: tuple[Decision, ...]) -> bytes:
    """The bytes of a decisions log: one canonical line a decision."""
    return canonical_lines(decision.model_dump(mode="json") for decision in decisions)


def read_decisions_log(workspace: Workspace, approval: Approval) -> tuple[Decision, ...]:
    """The decisions log that an approval names. Raises Tampered when its bytes are not the named ones."""
    data = decisions_log_data(workspace, approval)
    return tuple(_decision(line, approval.run) for line in data.splitlines())


def decisions_log_data(workspace: Workspace, approval: Approval) -> bytes:
    """The log's bytes, checked against the approval's digest without reading what they say."""
    path = decisions_log_path(workspace, approval.run)
    if not exists(path):
        raise Tampered(f"decisions log {path.name} is missing", evidence="the approval names its digest")
    data = read_bytes(path)
    if sha256_hex(data) != approval.decisions_log:
        raise Tampered(f"decisions log {path.name} was altered", evidence=f"sha256 {sha256_hex(data)[:16]}…, "
                       f"approved {approval.decisions_log[:16]}…")  # fmt: skip
    return data


def manifest_ids(workspace: Workspace) -> tuple[str, ...]:
    """Ids of every manifest in the workspace, sorted."""
    return tuple(name[:64] for name in list_names(workspace.manifests) if _MANIFEST_NAME.fullmatch(name))


def read_manifests(workspace: Workspace) -> tuple[Manifest, ...]:
    """Every manifest of the account, sorted by id."""
    return tuple(read_manifest(workspace, digest) for digest in manifest_ids(workspace))


def read_approvals(workspace: Workspace) -> tuple[Approval, ...]:
    """Every approval, in the order of the manifests that they name."""
    approved = (digest for digest in manifest_ids(workspace) if exists(approval_path(workspace, digest)))
    return tuple(read_approval(workspace, digest) for digest in approved)


def read_decision_logs(workspace: Workspace) -> tuple[tuple[str, tuple[Decision, ...]], ...]:
    """(run, decisions) of every approved run, oldest approval first. A log that no approval names is no evidence."""
    approvals = sorted(read_approvals(workspace), key=lambda one: (one.approved_at, one.run))
    return tuple((approval.run, read_decisions_log(workspace, approval)) for approval in approvals)


def _decision(line: bytes, run: str) -> Decision:
    try:
        parse_canonical(line)
        return Decision.model_validate_json(line)
    except ValidationError as error:
        raise Tampered(f"decisions log of run {run} holds no decision", evidence=explain(error)) from None
    except InputRefused as error:
        raise Tampered(f"decisions log of run {run} was altered", evidence=error.what) from None


def _load_manifests(place: Place) -> object:
    return read_manifests(place.workspace)


def _load_approvals(place: Place) -> object:
    return read_approvals(place.workspace)


def _load_decision_logs(place: Place) -> object:
    return read_decision_logs(place.workspace)


MANIFESTS = Fact("manifests", "sealed", "frozen changes, each named by its sha256", _load_manifests)
APPROVALS = Fact("approvals", "sealed", "a person's yes to one manifest", _load_approvals)
DECISION_LOGS = Fact("decision_logs", "sealed", "every decision of every approved run", _load_decision_logs)
