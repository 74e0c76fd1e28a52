"""The write-ahead journal of one run: the only writer of a receipt and the only maker of intent tokens.

Promises: a receipt appears with its opening line whole or not at all; each line is on the disk before `append`
returns, and after it the head that says how many there are; a change can be sent only with the token that `intent`
gives out after both are on the disk; after one failed write the journal takes nothing more, so a torn line is the last.

    journal = Journal.begin(path, head, key, {"run": ..., "purpose": "execute", ...})
    token = journal.intent(operation, before)
    answer = gateway.perform(token)
    journal.append(Answered, intent=token.sequence, status=answer.status)
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pipeline.canonical import sha256_hex
from pipeline.models.operation import IntentToken, Operation, journal_token
from pipeline.models.receipt import (
    GENESIS,
    Answered,
    BeforeState,
    Closed,
    Event,
    Excluded,
    Intent,
    LabelCreated,
    Opened,
    ReadBack,
    Receipt,
    closing_mac,
)
from pipeline.refusals import Refusal, WriteFailed
from pipeline.sealing.heads import write_head
from pipeline.sealing.progress import Progress, add_event, fold_events
from pipeline.store import DISK, Disk, append_line, create_exclusive, cut_torn_line, exists

AnyEvent = TypeVar("AnyEvent", Excluded, Intent, Answered, LabelCreated, ReadBack)


@dataclass(slots=True)
class Journal:
    """An open receipt. `progress` is what its lines add up to so far."""

    path: Path
    head: Path
    key: bytes = field(repr=False)
    disk: Disk
    events: list[Event]
    tail: str
    progress: Progress
    is_broken: bool = False

    @classmethod
    def begin(cls, path: Path, head: Path, key: bytes, opened: Mapping[str, object], disk: Disk = DISK) -> "Journal":
        """A new receipt with its opening line. Raises Busy when the run has a receipt, WriteFailed."""
        first = Opened.model_validate({"sequence": 0, "previous": GENESIS, **opened})
        line = first.to_bytes()
        journal = cls(path, head, key, disk, [first], sha256_hex(line), fold_events([first]))
        if not exists(path):
            journal._write_head()
        create_exclusive(path, line + b"\n", disk)
        return journal

    @classmethod
    def reopen(cls, path: Path, head: Path, receipt: Receipt, key: bytes, disk: Disk = DISK) -> "Journal":
        """An interrupted receipt that passed `check_head`: its torn last line is cut off, its head brought up to it."""
        cut_torn_line(path, disk)
        journal = cls(path, head, key, disk, list(receipt.events), receipt.tail, fold_events(receipt.events))
        journal._write_head()
        return journal

    @property
    def receipt(self) -> Receipt:
        """The receipt as it stands on the disk."""
        return Receipt(events=tuple(self.events), tail=self.tail, is_torn=False)

    def append(self, kind: type[AnyEvent], **values: object) -> AnyEvent:
        """Write one line and wait until it is on the disk. Raises WriteFailed."""
        event = kind.model_validate({"sequence": len(self.events), "previous": self.tail, **values})
        self._write(event)
        return event

    def intent(self, operation: Operation, before: Mapping[str, Iterable[str]]) -> IntentToken:
        """Announce an operation with the true prior labels of its messages; the token allows exactly this request."""
        states = tuple(_state(message_id, before[message_id]) for message_id in sorted(before))
        event = self.append(Intent, operation=operation, before=states)
        return journal_token(operation, event.sequence)

    def close(self, *, units: int, requests: int, at: datetime) -> Closed:
        """The last line: every target's status, authenticated with the approval key."""
        progress = self.progress
        not_sent = tuple(one for one, status in progress.statuses().items() if status == "not_sent")
        values = {
            "sequence": len(self.events),
            "previous": self.tail,
            "statuses": progress.counts(),
            "not_sent": not_sent,
            "units": units,
            "requests": requests,
            "at": at,
            "mac": GENESIS,
        }
        unsigned = Closed.model_validate(values)
        closed = unsigned.model_copy(update={"mac": closing_mac(unsigned, self.key)})
        self._write(closed)
        return closed

    def _write(self, event: Event) -> None:
        if self.is_broken or self.progress.is_closed:
            raise WriteFailed(f"receipt {self.path.name} takes no more lines", evidence="an earlier write failed, or "
                              "the run is closed", next_command="run the same command again")  # fmt: skip
        line = event.to_bytes()
        self.is_broken = True  # until line and head are known to be whole, whatever interrupts us
        try:
            append_line(self.path, line, self.disk)
            self.events.append(event)
            self.tail = sha256_hex(line)
            self._write_head()
        except Refusal as error:
            raise WriteFailed(f"receipt {self.path.name} could not grow", evidence=error.evidence,
                              next_command="free the disk, then run the same command again") from None  # fmt: skip
        self.is_broken = False
        add_event(self.progress, event)

    def _write_head(self) -> None:
        write_head(self.head, self.key, self.path.stem, (len(self.events), self.tail), self.disk)


def _state(message_id: str, label_ids: Iterable[str]) -> BeforeState:
    return BeforeState(message_id=message_id, label_ids=tuple(sorted(label_ids)))
