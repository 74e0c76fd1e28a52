"""receipts/<run>.jsonl: what was done, one hash-chained line an event. The only file that grows.

Each line is the canonical JSON of one event with its `sequence` and the sha256 of the line before (`previous`; zeros
for the first). An `Intent` stands on disk before its request is sent; a `ReadBack` says what Gmail showed afterwards.
The last line is `Closed`; without it the run was interrupted and `execute` (or `undo`) finishes it first.
"""

import hashlib
import hmac
from functools import cache
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.json_schema import SkipJsonSchema

from pipeline.canonical import canonical_bytes, parse_canonical, sha256_hex
from pipeline.models.document import (
    AccountId,
    Document,
    Frozen,
    LabelId,
    MessageId,
    RunId,
    Sha256,
    UtcTime,
    explain,
)
from pipeline.models.manifest import Count
from pipeline.models.operation import Operation
from pipeline.refusals import Refusal, Tampered

TargetStatus = Literal["verified", "conflict", "vanished", "not_sent", "failed", "indeterminate"]
STATUSES: tuple[TargetStatus, ...] = ("verified", "conflict", "vanished", "not_sent", "failed", "indeterminate")
"""verified: the after-state is the intended one. conflict: something else is there. vanished: the id is gone.
not_sent: excluded or never sent. failed: Gmail refused. indeterminate: we could not find out."""
GENESIS = "0" * 64


class _Event(Document):
    schema_version: Literal[1] = 1
    sequence: Count
    previous: Sha256


class Opened(_Event):
    """The run begins: which documents allow it, for which account, which targets."""

    event: Literal["opened"] = "opened"
    run: RunId
    purpose: Literal["execute", "undo"]
    account: AccountId
    address: str
    manifest: Sha256
    approval: Sha256
    undoes: RunId | None = None
    undoes_sha256: Sha256 | None = None
    message_ids: tuple[MessageId, ...]
    leaves: tuple[MessageId, ...] = ()
    """What the run changed and this undo of a part leaves as it is, by choice; empty for a whole undo."""
    after: RunId | SkipJsonSchema[None] = Field(default=None, exclude_if=lambda run: run is None)
    """The account's newest run when this one began: order that no clock can change. Absent in the first receipt of a
    workspace, and in those of older versions."""
    at: UtcTime
    trash_kept_until: UtcTime | None = None
    """Until then what the run trashes can be taken back: Gmail keeps it 30 days. Null when it trashes nothing."""


class Excluded(_Event):
    """A target that changed since the plan (or since the run, for an undo) and is left alone.

    `labels` names the only labels that are left, when the rest of the message is still ours to restore; empty = all.
    """

    event: Literal["excluded"] = "excluded"
    message_id: MessageId
    reason: str
    labels: tuple[LabelId, ...] = ()


class BeforeState(Frozen):
    """The true labels of one message right before the request, sorted."""

    message_id: MessageId
    label_ids: tuple[LabelId, ...]


class Intent(_Event):
    """Written and fsynced before the request: the exact operation and the true prior labels."""

    event: Literal["intent"] = "intent"
    operation: Operation
    before: tuple[BeforeState, ...]


class Answered(_Event):
    """What Gmail answered to the intent of that sequence; status null = no answer arrived."""

    event: Literal["answered"] = "answered"
    intent: Count
    status: int | None
    reason: str | None = None


class LabelCreated(_Event):
    """A label that exists now under this id (created by us, or found after a conflict or a lost answer)."""

    event: Literal["label_created"] = "label_created"
    name: str
    id: LabelId
    is_ours: bool


class AfterState(Frozen):
    """The labels that were read back, and the verdict."""

    message_id: MessageId
    label_ids: tuple[LabelId, ...] | None
    status: TargetStatus


class ReadBack(_Event):
    """Proof: what each id of an intent shows now, by a read or by a history record."""

    event: Literal["read_back"] = "read_back"
    intent: Count
    via: Literal["read", "history"]
    after: tuple[AfterState, ...]


class Closed(_Event):
    """The run is over: every target has a status. Units and requests are those of the process that closed it."""

    event: Literal["closed"] = "closed"
    statuses: dict[TargetStatus, Count]
    not_sent: tuple[MessageId, ...]
    units: Count
    requests: Count
    at: UtcTime
    mac: Sha256
    """HMAC-SHA256 with the approval key over every other field; `previous` makes it cover the whole receipt."""

    def is_authentic(self, key: bytes) -> bool:
        """Whether `mac` was made with `key` over exactly these fields."""
        return hmac.compare_digest(self.mac, closing_mac(self, key))


def closing_mac(closed: Closed, key: bytes) -> str:
    """The MAC that a closing line must carry, lowercase hex: without the key nobody can write a receipt anew."""
    unsigned = closed.model_dump(mode="json", exclude={"mac"})
    return hmac.new(key, canonical_bytes(unsigned), hashlib.sha256).hexdigest()


AnyEvent = Opened | Excluded | Intent | Answered | LabelCreated | ReadBack | Closed
Event = Annotated[AnyEvent, Field(discriminator="event")]


@cache
def _event_reader() -> TypeAdapter[AnyEvent]:
    return TypeAdapter(Event)


class Receipt(Frozen):
    """The events of one run in order; `tail` digests the last line, `is_torn` says that a partial line followed."""

    events: tuple[Event, ...]
    tail: Sha256
    is_torn: bool

    @property
    def opened(self) -> Opened:
        """The first event."""
        first = self.events[0]
        if not isinstance(first, Opened):
            raise Tampered("a receipt does not begin with its opening", evidence=first.event)
        return first

    @property
    def is_closed(self) -> bool:
        """Whether the run came to its end."""
        return isinstance(self.events[-1], Closed)


def read_receipt(data: bytes, name: str) -> Receipt:
    """Read a receipt and check its chain. A torn last line is dropped; anything else is refused (Tampered)."""
    *lines, rest = data.split(b"\n")
    previous, events = GENESIS, []
    for number, line in enumerate(lines):
        event = _read_line(line, name, number)
        if event.sequence != number or event.previous != previous:
            raise Tampered(f"receipt {name}: the chain breaks", evidence=f"line {number + 1}")
        previous = sha256_hex(line)
        events.append(event)
    if not events:
        raise Tampered(f"receipt {name} holds no whole line", evidence=f"{len(data)} bytes")
    return Receipt(events=tuple(events), tail=previous, is_torn=bool(rest))


def _read_line(line: bytes, name: str, number: int) -> Event:
    try:
        parse_canonical(line)
        event = _event_reader().validate_json(line)
    except ValidationError as error:
        raise Tampered(f"receipt {name}: line {number + 1} is no event", evidence=explain(error)) from None
    except Refusal as error:
        raise Tampered(f"receipt {name}: line {number + 1} is altered", evidence=error.what) from None
    if event.to_bytes() != line:
        raise Tampered(f"receipt {name}: line {number + 1} is altered", evidence="not the bytes that we write")
    return event
