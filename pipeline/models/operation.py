"""The only changes that exist, as a closed sum type, and the two tokens that sending one needs.

An operation names exact message ids and exact label changes. SENT, DRAFT, SPAM, CHAT and TRASH can never be added or
removed by ModifyLabels; only user labels may be added, plus INBOX when an undo restores it. Trash moves one message at
a time, never a thread. There is no operation for sending, deleting or forwarding: what is not built is absent.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from pipeline.models.document import Frozen, LabelId, MessageId

SYSTEM_LABELS = frozenset({"INBOX", "SPAM", "TRASH", "UNREAD", "STARRED", "IMPORTANT", "SENT", "DRAFT", "CHAT"})
"""System label ids; every id that begins with CATEGORY_ is one too."""

BATCH_LIMIT = 100
"""At most this many ids in one request (Gmail takes 1,000)."""

LabelName = Annotated[str, StringConstraints(min_length=1, max_length=225)]


def is_user_label(label_id: str) -> bool:
    """Whether an id can only be a label that a person or we made."""
    return label_id not in SYSTEM_LABELS and not label_id.startswith("CATEGORY_")


class ModifyLabels(Frozen):
    """Add and remove the same labels on at most 100 messages (users.messages.batchModify)."""

    kind: Literal["modify_labels"] = "modify_labels"
    message_ids: Annotated[tuple[MessageId, ...], Field(min_length=1, max_length=BATCH_LIMIT)]
    add: tuple[LabelId, ...] = ()
    remove: tuple[LabelId, ...] = ()

    @model_validator(mode="after")
    def _is_allowed(self) -> "ModifyLabels":
        if not self.add and not self.remove:
            raise ValueError("changes nothing")
        if len(set(self.message_ids)) != len(self.message_ids):
            raise ValueError("a message id stands twice")
        if set(self.add) & set(self.remove):
            raise ValueError("a label is both added and removed")
        if not all(is_user_label(label) or label == "INBOX" for label in (*self.add, *self.remove)):
            raise ValueError("touches a system label other than INBOX")
        return self


class CreateLabel(Frozen):
    """Create one user label (users.labels.create); sent at most once, then looked up."""

    kind: Literal["create_label"] = "create_label"
    name: LabelName


class Trash(Frozen):
    """Move one message to the trash (users.messages.trash); cleanup-enabled accounts only."""

    kind: Literal["trash"] = "trash"
    message_id: MessageId

    @property
    def message_ids(self) -> tuple[MessageId, ...]:
        """The one message."""
        return (self.message_id,)


class Untrash(Frozen):
    """Take one message out of the trash (users.messages.untrash).

    Gmail's request cannot say where the message goes: reports differ on whether INBOX comes back. `is_to_inbox` says
    whether it must wear INBOX afterwards; where it does not come out so, a label edit makes it so.
    """

    kind: Literal["untrash"] = "untrash"
    message_id: MessageId
    is_to_inbox: bool

    @property
    def message_ids(self) -> tuple[MessageId, ...]:
        """The one message."""
        return (self.message_id,)


MailChange = ModifyLabels | Trash | Untrash
"""What changes messages: each has `message_ids`."""
Operation = Annotated[ModifyLabels | CreateLabel | Trash | Untrash, Field(discriminator="kind")]

_SEAL = object()


class IntentToken:
    """Proof that an fsynced intent for exactly this operation stands in the journal; gateways demand it."""

    __slots__ = ("operation", "sequence")

    def __init__(self, operation: MailChange | CreateLabel, sequence: int, *, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("only the journal makes intent tokens")
        self.operation = operation
        self.sequence = sequence


def journal_token(operation: MailChange | CreateLabel, sequence: int) -> IntentToken:
    """Called by the journal alone, after its intent line is on disk (a border test holds this)."""
    return IntentToken(operation, sequence, seal=_SEAL)
