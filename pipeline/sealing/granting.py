"""What a standing grant allows, judged when an approval is made under it and again when that approval is executed.

Only targets that add one of the granted labels and do nothing else; no more of them than the grant's count for a run,
nor, with all granted runs of the last 24 hours, than its count for a day. Policy, rules, registry record and account
must be the very ones that it names. The day's count comes from receipts; where one of them is not here, as in an old
copy of a workspace, the count cannot be known and there is no grant.

    room = room_left(workspace, grant, now, key, but="")
    targets = fitting(grant, manifest.targets)[:room]
    refuse_ungranted(workspace, allowed, key, now)       # the executor; raises NoGrant or Tampered
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from pipeline.canonical import parse_json_object
from pipeline.config import Config
from pipeline.models.approval import GrantedApproval
from pipeline.models.grant import Grant, rules_digest
from pipeline.models.manifest import ExistingLabel, Manifest, PinnedFile, Target
from pipeline.refusals import NoGrant
from pipeline.sealing.authority import Allowed
from pipeline.sealing.binding import refuse_forged, tampered
from pipeline.sealing.documents import read_approval
from pipeline.sealing.expiry import TOLERANCE
from pipeline.sealing.grants import is_revoked, read_grant
from pipeline.sealing.receipts import StoredReceipt, load_receipts, receipt_path
from pipeline.store import exists, list_names, read_bytes
from pipeline.workspace import Workspace

DAY = timedelta(hours=24)


def fitting(grant: Grant, targets: Iterable[Target]) -> tuple[Target, ...]:
    """The targets that the grant speaks of, newest mail first."""
    fit = (target for target in targets if is_granted(grant, target))
    return tuple(sorted(fit, key=lambda one: (-one.fingerprint.internal_date_ms, one.message_id)))


def is_granted(grant: Grant, target: Target) -> bool:
    """Whether a target adds one of the granted labels and does nothing else. Gmail has no two names that differ in
    case alone, so the label that the account has may be spelled in another one than the grant's."""
    if target.change.kind != "label":
        return False
    ref = target.change.label
    name, names = (ref.name, grant.labels) if isinstance(ref, ExistingLabel) else (ref.create, grant.new_labels)
    return name.casefold() in {one.casefold() for one in names}


def standing_problems(workspace: Workspace, grant: Grant, now: datetime) -> Iterator[str]:
    """Why a grant does not stand at this time, whatever it is about."""
    if is_revoked(workspace, grant.sha256):
        yield "it was revoked"
    if grant.granted_at > now + TOLERANCE:
        yield "it was given in the future"
    if now >= grant.expires_at:
        yield f"it ended at {grant.expires_at:%Y-%m-%d %H:%M:%S} UTC"


def config_problems(grant: Grant, config: Config) -> Iterator[str]:
    """Which of the things that a grant names are others in the owner's files now."""
    record, policy, rules = config.pinned_record(), config.pinned_policy(), config.pinned_rules()
    yield from _problems(grant, config.account.id, config.account.address, (record, policy, *rules))


def manifest_problems(grant: Grant, manifest: Manifest) -> Iterator[str]:
    """Which of the things that a grant names are others in a manifest."""
    pins = manifest.pins
    pinned = (pins.registry_record, pins.policy, *pins.rules)
    yield from _problems(grant, manifest.account, manifest.address, pinned)


def _problems(grant: Grant, account: str, address: str, pinned: tuple[PinnedFile, ...]) -> Iterator[str]:
    record, policy, *rules = pinned
    if grant.account != account or grant.address.casefold() != address.casefold():
        yield "it is of another account"
    if grant.registry_record != record.sha256:
        yield "the registry record is another"
    if grant.policy != policy.sha256:
        yield "policy.toml is another"
    if grant.rules != rules_digest(rules):
        yield "the rules are others"


def refuse_unfit(workspace: Workspace, grant: Grant, manifest: Manifest, now: datetime) -> None:
    """Silent when the grant stands and speaks of this manifest's account, policy and rules. Raises NoGrant."""
    problems = [*standing_problems(workspace, grant, now), *manifest_problems(grant, manifest)]
    if problems:
        raise no_grant(grant, "; ".join(problems))


def room_left(workspace: Workspace, grant: Grant, now: datetime, key: bytes, *, but: str) -> int:
    """How many messages a run may touch now; `but` is the run that is being judged itself. Raises NoGrant when a
    receipt is not here, Tampered for one that is not as it was."""
    refuse_missing_receipts(workspace, grant)
    refuse_forged(workspace, lambda: key)
    return max(0, min(grant.per_run, grant.per_day - _used(workspace, now, but=but)))


def _used(workspace: Workspace, now: datetime, *, but: str) -> int:
    """Messages of all granted runs of the last 24 hours, whichever grant they were under, whatever became of them.
    Whoever asks has authenticated every receipt."""
    recent = (
        stored
        for stored in load_receipts(workspace)
        if stored.receipt.opened.purpose == "execute" and stored.run != but and stored.receipt.opened.at > now - DAY
    )
    return sum(len(one.receipt.opened.message_ids) for one in recent if _is_under_grant(workspace, one))


def _is_under_grant(workspace: Workspace, stored: StoredReceipt) -> bool:
    """Whose yes a receipt rests on. Raises Tampered when the approval beside it is another."""
    opened = stored.receipt.opened
    approval = read_approval(workspace, opened.manifest)
    if approval.sha256 != opened.approval:
        raise tampered(stored, "the approval that it names is not here")
    return isinstance(approval, GrantedApproval)


def refuse_missing_receipts(workspace: Workspace, grant: Grant) -> None:
    """Silent when every run that left a marker has its receipt here. Raises NoGrant."""
    missing = missing_receipts(workspace)
    if missing:
        raise no_grant(grant, f"the day's count cannot be known: receipts/{missing[0]}.jsonl is not here")


def missing_receipts(workspace: Workspace) -> tuple[str, ...]:
    """Runs that left a marker and have no receipt here, sorted."""
    return tuple(sorted({run for run in _marked_runs(workspace) if not exists(receipt_path(workspace, run))}))


def _marked_runs(workspace: Workspace) -> Iterator[str]:
    for name in list_names(workspace.control):
        stem, _, kind = name.rpartition(".")
        if kind == "closed":
            yield stem
        if kind == "consumed":
            yield str(parse_json_object(read_bytes(workspace.control / name)).get("run"))


def refuse_ungranted(workspace: Workspace, allowed: Allowed, key: bytes, now: datetime) -> None:
    """Silent for a person's approval, and for one that its grant allows as it stands now. Raises NoGrant, Tampered."""
    approval = allowed.approval
    if not isinstance(approval, GrantedApproval):
        return
    grant = read_grant(workspace, approval.grant, key)
    refuse_unfit(workspace, grant, allowed.manifest, now)
    if not all(is_granted(grant, target) for target in allowed.targets):
        raise no_grant(grant, "a target does something else than adding a granted label")
    room = room_left(workspace, grant, now, key, but=approval.run)
    if len(allowed.targets) > room:
        raise no_grant(grant, f"{len(allowed.targets)} messages, {room} are left of its counts")
    if approval.expires_at > grant.expires_at:
        raise no_grant(grant, "the approval outlives it")


def no_grant(grant: Grant, evidence: str) -> NoGrant:
    """The refusal of one grant."""
    return NoGrant(f"grant {grant.sha256[:16]}… does not allow this", evidence=evidence,
                   next_command="gmailtriage grants")  # fmt: skip
