"""The manifest: every intended change, frozen and named by its sha256, before anyone is asked.

It pins what it was derived from (captures, receipts, rules, policy, registry record, decisions) and holds every value
that the executor needs, so that the executor reads nothing else. It holds no subject and no sender. It holds changes of
labels, or trash, never both.
"""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field, model_validator

from pipeline.models.capture import CaptureId
from pipeline.models.document import AccountId, Document, Frozen, HistoryId, LabelId, MessageId, RunId, Sha256, UtcTime
from pipeline.models.operation import LabelName, is_user_label
from pipeline.models.policy import Quota
from pipeline.models.registry import Status

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class ExistingLabel(Frozen):
    """A label that the account has, by id, under exactly this name: a label that was renamed since is another."""

    id: LabelId
    name: LabelName


class NewLabel(Frozen):
    """A label that execution creates first (an approved operation of its own)."""

    create: LabelName


LabelRef = ExistingLabel | NewLabel


class LabelChange(Frozen):
    """Add one of our labels; nothing else."""

    kind: Literal["label"] = "label"
    label: LabelRef


class ArchiveChange(Frozen):
    """Add one of our labels and take the message out of the inbox; nothing else."""

    kind: Literal["archive"] = "archive"
    label: LabelRef


class TrashChange(Frozen):
    """Move the message to the trash, where Gmail keeps it for 30 days; nothing else."""

    kind: Literal["trash"] = "trash"


Change = Annotated[LabelChange | ArchiveChange | TrashChange, Field(discriminator="kind")]
"""The planned changes that exist today. Trash has manifests of its own; unsubscribing gets its own when it is built."""
OperationKind = Literal["organize", "trash"]
"""What a manifest is about: labels and archive, or trash; never both."""
KEPT_IN_TRASH = timedelta(days=30)
"""Gmail deletes what has been in the trash for so long."""


class Fingerprint(Frozen):
    """The state that the plan was made for; checked again right before the send.

    `label_ids` sorted; `thread_members` the sorted message ids of the thread; date in epoch milliseconds.
    """

    label_ids: tuple[LabelId, ...]
    thread_members: tuple[MessageId, ...]
    internal_date_ms: int
    history_id: HistoryId | None


class Target(Frozen):
    """One message, one change, and why."""

    message_id: MessageId
    thread_id: MessageId
    change: Change
    fingerprint: Fingerprint
    classification: str | None
    """Null for a trash target alone: it is named by its policy rule."""
    confidence: Share
    source: str
    rule: str | None
    screen: Literal["clean", "suspicious", "injection", "unreadable", "partial"]
    protected: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def label(self) -> LabelRef | None:
        """The label that the message gets; None when it goes to the trash."""
        return None if isinstance(self.change, TrashChange) else self.change.label

    @model_validator(mode="after")
    def _takes_away_only_clean_mail(self) -> "Target":
        if self.change.kind != "label" and (self.screen != "clean" or self.protected):
            raise ValueError("archive and trash need a clean screen and no protected class")
        if self.change.kind == "trash" and self.rule is None:
            raise ValueError("trash needs the name of its policy rule")
        if (self.classification is None) != (self.change.kind == "trash"):
            raise ValueError("a target has a classification, or it is trash")
        if isinstance(self.label, ExistingLabel) and not is_user_label(self.label.id):
            raise ValueError("only user labels are added")
        return self


class PinnedFile(Frozen):
    """A file of rules or policy by workspace-independent name and digest; a copy lies in manifests/inputs/."""

    name: str
    sha256: Sha256


class PinnedCapture(Frozen):
    """A capture by id and the digest of its seal."""

    id: CaptureId
    sha256: Sha256


class PinnedReceipt(Frozen):
    """A receipt by run id and the digest of its bytes."""

    run: RunId
    sha256: Sha256


class Pins(Frozen):
    """Everything that must not have changed when the manifest is executed."""

    captures: tuple[PinnedCapture, ...]
    receipts: tuple[PinnedReceipt, ...]
    rules: tuple[PinnedFile, ...]
    policy: PinnedFile
    registry_record: PinnedFile
    decisions: Sha256
    """Digest of the canonical rows of the decisions table."""


class Limits(Frozen):
    """The policy values that the executor needs."""

    drift_share: Share
    batch_size: Annotated[int, Field(ge=1, le=100)]
    history_above_targets: Count
    budget_units: Count
    quota: Quota


class Counts(Frozen):
    """Targets per operation, and what was left out."""

    label: Count
    archive: Count
    create_label: Count
    trash: Count = 0
    excluded: Count
    """Mail that the plan does not touch and that is neither protected nor uncertain: the rest."""
    protected: Count
    uncertain: Count
    over_cap: Count


class Rollback(Frozen):
    """How the run is taken back: the exact inverse label changes, from the receipt; trashed mail is untrashed first."""

    method: Literal["inverse-label-delta", "untrash-then-label-delta"] = "inverse-label-delta"
    created_labels_stay: Literal[True] = True
    command: str


class Price(Frozen):
    """Quota units and requests of execution including its checks and read-backs, and minutes at the account's limit."""

    units: Count
    requests: Count
    minutes: Annotated[float, Field(ge=0.0)]


class Request(Frozen):
    """The redacted request: window and normalised query (addresses and words of the owner are masked)."""

    window_days: Annotated[int, Field(ge=1)] | Literal["all"]
    query: str


class Manifest(Document):
    """All intended changes of one run of one account. Its id is the sha256 of its bytes."""

    schema_version: Literal[1] = 1
    policy_version: Literal[1] = 1
    account: AccountId
    address: str
    """The attested identity: getProfile's emailAddress in the pinned captures."""
    status: Status
    history_id: HistoryId
    """The newest pinned capture's history id: the drift gate starts here."""
    request: Request
    pins: Pins
    targets: Annotated[tuple[Target, ...], Field(min_length=1)]
    new_labels: tuple[LabelName, ...]
    counts: Counts
    limits: Limits
    rollback: Rollback
    price: Price
    created_at: UtcTime
    expires_at: UtcTime

    @property
    def operation(self) -> OperationKind:
        """What it is about."""
        return "trash" if any(target.change.kind == "trash" for target in self.targets) else "organize"

    @model_validator(mode="after")
    def _adds_up(self) -> "Manifest":
        ids = [target.message_id for target in self.targets]
        kinds = [target.change.kind for target in self.targets]
        wanted = {ref.create for t in self.targets if isinstance(ref := t.label, NewLabel)}
        is_trash = self.operation == "trash"
        problems = {
            "a message id stands twice": len(set(ids)) != len(ids),
            "targets are not sorted by message id": ids != sorted(ids),
            "counts differ from targets": (kinds.count("label"), kinds.count("archive"), kinds.count("trash"))
            != (self.counts.label, self.counts.archive, self.counts.trash),
            "trash stands beside other changes": is_trash and set(kinds) != {"trash"},
            "the account may not trash": is_trash and self.status != "cleanup-enabled",
            "the way back is another": is_trash != (self.rollback.method == "untrash-then-label-delta"),
            "new labels differ from targets": sorted(wanted) != list(self.new_labels)
            or self.counts.create_label != len(wanted),
            "expires before it was created": not _in_order(self.created_at, self.expires_at),
        }
        for problem, is_real in problems.items():
            if is_real:
                raise ValueError(problem)
        return self


def _in_order(first: datetime, second: datetime) -> bool:
    return first < second
