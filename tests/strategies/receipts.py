"""Receipts made in memory: one run, its changes and how each message ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pipeline.canonical import sha256_hex
from pipeline.models.operation import MailChange, ModifyLabels, Trash, Untrash
from pipeline.models.receipt import (
    GENESIS,
    AfterState,
    Answered,
    BeforeState,
    Closed,
    Intent,
    LabelCreated,
    Opened,
    ReadBack,
    Receipt,
    TargetStatus,
)

RUN = "0123456789abcdef"


@dataclass(frozen=True)
class Change:
    """What one run did to one message."""

    message_id: str
    before: Sequence[str]
    add: Sequence[str] = ()
    remove: Sequence[str] = ()
    status: TargetStatus = "verified"

    @property
    def after(self) -> tuple[str, ...]:
        """The labels that were read back."""
        return tuple(sorted((set(self.before) | set(self.add)) - set(self.remove)))


def operation_of(change: Change) -> MailChange:
    """The request that makes a change."""
    if "TRASH" in change.add:
        return Trash(message_id=change.message_id)
    if "TRASH" in change.remove:
        return Untrash(message_id=change.message_id, is_to_inbox="INBOX" in change.add)
    return ModifyLabels(message_ids=(change.message_id,), add=tuple(change.add), remove=tuple(change.remove))


def receipt_of(
    at: datetime,
    *changes: Change,
    run: str = RUN,
    purpose: Literal["execute", "undo"] = "execute",
    undoes: str | None = None,
    created: Mapping[str, str] | None = None,
) -> Receipt:
    """The receipt of a closed run; `created` maps label names to ids."""
    events: list[Any] = []

    def append(kind: Any, **values: Any) -> None:
        previous = sha256_hex(events[-1].to_bytes()) if events else GENESIS
        events.append(kind.model_validate({"sequence": len(events), "previous": previous, **values}))

    append(
        Opened,
        run=run,
        purpose=purpose,
        account="demo",
        address="casey.rivers@example.com",
        manifest="0" * 64,
        approval="1" * 64,
        undoes=undoes,
        message_ids=tuple(change.message_id for change in changes),
        at=at,
    )
    for name, label_id in (created or {}).items():
        append(LabelCreated, name=name, id=label_id, is_ours=True)
    for change in changes:
        operation = operation_of(change)
        before = (BeforeState(message_id=change.message_id, label_ids=tuple(sorted(change.before))),)
        append(Intent, operation=operation, before=before)
        intent = events[-1].sequence
        append(Answered, intent=intent, status=204)
        after = AfterState(message_id=change.message_id, label_ids=change.after, status=change.status)
        append(ReadBack, intent=intent, via="read", after=(after,))
    append(Closed, statuses={}, not_sent=(), units=1, requests=1, at=at, mac=GENESIS)
    return Receipt(events=tuple(events), tail=sha256_hex(events[-1].to_bytes()), is_torn=False)
