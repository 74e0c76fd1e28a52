"""What a person allowed, judged: an approval is good only for these bytes, this account, these targets, until then.

    allowed = judge_approval(manifest, approval, key)
    allowed.targets          # exactly the approved subset, sorted
    allowed.counts           # ApprovedOperations of that subset

Time is judged apart (`check_times`), because a run that was interrupted may be finished after it expired.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.models.approval import Approval, ApprovedOperations
from pipeline.models.manifest import ExistingLabel, Manifest, NewLabel, Target
from pipeline.refusals import FromTheFuture, NotApproved, Tampered
from pipeline.sealing.expiry import LONGEST, TOLERANCE, check_window


@dataclass(frozen=True, slots=True)
class Allowed:
    """A manifest with the approval that binds it, and the approved subset of its targets."""

    manifest: Manifest
    approval: Approval
    targets: tuple[Target, ...]

    @property
    def counts(self) -> ApprovedOperations:
        """Operations of the subset."""
        return count_operations(self.targets)

    @property
    def new_labels(self) -> tuple[str, ...]:
        """Names that the subset needs created."""
        return new_labels(self.targets)


def judge_approval(manifest: Manifest, approval: Approval, key: bytes) -> Allowed:
    """The approved subset. Raises Tampered when the approval is not authentic or binds anything else."""
    if not approval.is_authentic(key):
        raise _tampered(manifest, "its MAC was not made with this account's approval key")
    if approval.manifest != manifest.sha256:
        raise _tampered(manifest, "it names another manifest")
    targets = _approved_targets(manifest, approval)
    problems = {
        "it names another account": approval.account != manifest.account,
        "its operations are not those of its targets": approval.operations != count_operations(targets),
        "its targets are not sorted": list(approval.message_ids) != sorted(set(approval.message_ids)),
        "it outlives the manifest": approval.expires_at > manifest.expires_at,
        "it is older than the manifest": approval.approved_at + TOLERANCE < manifest.created_at,
        "it was given after the expiry": approval.approved_at >= manifest.expires_at,
    }
    for problem, is_real in problems.items():
        if is_real:
            raise _tampered(manifest, problem)
    return Allowed(manifest, approval, targets)


def _approved_targets(manifest: Manifest, approval: Approval) -> tuple[Target, ...]:
    try:
        return subset(manifest, approval.message_ids)
    except NotApproved as error:
        raise _tampered(manifest, f"{error.what}: {error.evidence}") from None


def check_times(allowed: Allowed, now: datetime) -> None:
    """Silent while both documents are valid. Raises Expired, FromTheFuture or WindowTooLong."""
    manifest, approval = allowed.manifest, allowed.approval
    check_window(manifest.created_at, manifest.expires_at, now, longest=LONGEST, name=f"manifest {manifest.sha256}")
    if approval.approved_at > now + TOLERANCE:
        raise FromTheFuture("the approval was made in the future", evidence=f"made {approval.approved_at}, now {now}")
    check_window(
        manifest.created_at, approval.expires_at, now, longest=LONGEST, name=f"the approval of {manifest.sha256}"
    )


def subset(manifest: Manifest, message_ids: Iterable[str]) -> tuple[Target, ...]:
    """The manifest's targets of these ids, in the manifest's order. Raises NotApproved for an id it does not hold."""
    wanted = set(message_ids)
    targets = tuple(target for target in manifest.targets if target.message_id in wanted)
    if len(targets) != len(wanted):
        strangers = wanted - {target.message_id for target in targets}
        raise NotApproved("an id is not a target of the manifest", evidence=", ".join(sorted(strangers))[:200],
                          next_command="gmailtriage show")  # fmt: skip
    return targets


def subset_digest(manifest: Manifest, targets: Iterable[Target]) -> str:
    """What a person confirms: the manifest's digest, or for a part of it a digest of the manifest and the exact ids."""
    ids = [target.message_id for target in targets]
    if len(ids) == len(manifest.targets):
        return manifest.sha256
    return sha256_hex(canonical_bytes({"manifest": manifest.sha256, "message_ids": ids}))


def count_operations(targets: Iterable[Target]) -> ApprovedOperations:
    """How many of each operation these targets need."""
    listed = tuple(targets)
    kinds = [target.change.kind for target in listed]
    return ApprovedOperations(
        label=kinds.count("label"),
        archive=kinds.count("archive"),
        create_label=len(new_labels(listed)),
        trash=kinds.count("trash"),
    )


def new_labels(targets: Iterable[Target]) -> tuple[str, ...]:
    """Label names that these targets need created, sorted."""
    return tuple(sorted({ref.create for target in targets if isinstance(ref := target.label, NewLabel)}))


def label_names(targets: Iterable[Target]) -> tuple[str, ...]:
    """Names of the account's own labels that these targets get, sorted."""
    return tuple(sorted({ref.name for target in targets if isinstance(ref := target.label, ExistingLabel)}))


def _tampered(manifest: Manifest, evidence: str) -> Tampered:
    return Tampered(f"the approval {manifest.sha256}.approval.json does not bind this manifest", evidence=evidence)
