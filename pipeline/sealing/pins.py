"""What a manifest pins, and whether it is still so. Pinned files are hashed here and never read for what they say.

pins = make_pins(place, captures, receipts, decisions_digest)    # freeze
refuse_changed_pins(place, manifest)                             # execute; raises DriftAborted, naming the first
"""

from collections.abc import Iterable, Iterator

from pipeline.artifacts import Place
from pipeline.canonical import sha256_hex
from pipeline.evidence.captures import RawCapture
from pipeline.models.capture import Capture
from pipeline.models.manifest import Limits, Manifest, PinnedCapture, PinnedFile, PinnedReceipt, Pins
from pipeline.models.policy import Policy
from pipeline.models.registry import AccountRecord
from pipeline.refusals import DriftAborted, InputRefused
from pipeline.sealing.receipts import StoredReceipt, receipt_path
from pipeline.store import read_bytes, read_named_by_digest
from pipeline.workspace import Workspace


def make_pins(place: Place, captures: Iterable[RawCapture], receipts: Iterable[StoredReceipt], decisions: str) -> Pins:
    """Digests of everything that a plan was made from. `decisions` is the digest of the decisions table's rows."""
    config = place.config
    return Pins(
        captures=tuple(PinnedCapture(id=one.seal.id, sha256=one.sha256) for one in captures),
        receipts=tuple(PinnedReceipt(run=one.run, sha256=one.sha256) for one in receipts),
        rules=config.pinned_rules(),
        policy=config.pinned_policy(),
        registry_record=config.pinned_record(),
        decisions=decisions,
    )


def pinned_inputs(place: Place) -> tuple[bytes, ...]:
    """The bytes behind the owner's pinned files: rules, policy, registry record."""
    config = place.config
    return (*(data for _, data in config.rules), config.policy_bytes, config.record_bytes())


def pinned_files(manifest: Manifest) -> tuple[PinnedFile, ...]:
    """The owner's files that a manifest pins."""
    pins = manifest.pins
    return (*pins.rules, pins.policy, pins.registry_record)


def refuse_changed_pins(place: Place, manifest: Manifest) -> None:
    """Silent when every pin still holds. Raises DriftAborted, naming the first that does not."""
    for name in changed_pins(place, manifest):
        raise DriftAborted(
            f"{name} changed since the plan; nothing was sent",
            evidence=f"manifest {manifest.sha256} pins another digest",
            next_command="gmailtriage plan, then gmailtriage freeze",
        )


def changed_pins(place: Place, manifest: Manifest) -> Iterator[str]:
    """Names of pinned things that are no longer as they were."""
    yield from _changed_files(place, manifest)
    yield from changed_evidence(place.workspace, manifest)


def changed_evidence(workspace: Workspace, manifest: Manifest) -> Iterator[str]:
    """Paths of pinned captures' and receipts' files that are no longer as they were."""
    for capture in manifest.pins.captures:
        yield from _changed_capture(workspace, capture)
    for receipt in manifest.pins.receipts:
        if not _is_intact_receipt(workspace, receipt):
            yield f"receipts/{receipt.run}.jsonl"


def _changed_files(place: Place, manifest: Manifest) -> Iterator[str]:
    config, pins = place.config, manifest.pins
    if config.pinned_policy() != pins.policy:
        yield "policy.toml"
    if config.pinned_record() != pins.registry_record:
        yield "the registry record in mailboxes.toml"
    found, pinned = set(config.pinned_rules()), set(pins.rules)
    yield from sorted({file.name for file in found ^ pinned})


def _changed_capture(workspace: Workspace, pinned: PinnedCapture) -> Iterator[str]:
    """The seal against its pin first, then every file against the seal."""
    folder = workspace.raw / pinned.id
    try:
        seal = Capture.from_bytes(read_named_by_digest(folder / "capture.json", pinned.sha256))
    except InputRefused:
        yield f"data/raw/{workspace.account}/{pinned.id}/capture.json"
        return
    for file in seal.files:
        try:
            read_named_by_digest(folder / file.name, file.sha256)
        except InputRefused:
            yield f"data/raw/{workspace.account}/{pinned.id}/{file.name}"


def _is_intact_receipt(workspace: Workspace, pinned: PinnedReceipt) -> bool:
    try:
        return sha256_hex(read_bytes(receipt_path(workspace, pinned.run))) == pinned.sha256
    except InputRefused:
        return False


def limits_of(policy: Policy, account: AccountRecord) -> Limits:
    """The policy values that execution needs, so that it reads no policy."""
    return Limits(
        drift_share=policy.drift_share,
        batch_size=policy.batch_size,
        history_above_targets=policy.history_above_targets,
        budget_units=policy.budget_units,
        quota=account.quota,
    )
