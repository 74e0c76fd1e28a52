"""What a receipt's events add up to: for each target what was seen, what was asked, and how it ended.

A pure fold, shared by execute and undo (to go on where they stopped), by the readers of finished receipts, and by the
command line. It never asks Gmail.

    progress = fold_events(receipt.events)
    progress.status("18f0a1b2c3d40240")   # 'verified'
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pipeline.models.operation import CreateLabel, MailChange, Untrash
from pipeline.models.receipt import (
    STATUSES,
    AfterState,
    Answered,
    Closed,
    Event,
    Excluded,
    Intent,
    LabelCreated,
    Opened,
    ReadBack,
    TargetStatus,
)


@dataclass(frozen=True, slots=True)
class OpenIntent:
    """A change that was announced and not yet read back; `answer` is None when no answer was recorded."""

    sequence: int
    operation: MailChange
    before: Mapping[str, tuple[str, ...]]
    answer: Answered | None


@dataclass(slots=True)
class Progress:
    """The fold. Message ids are keys; `labels` maps a label's casefolded name to its id."""

    message_ids: tuple[str, ...] = ()
    excluded: dict[str, str] = field(default_factory=dict)
    kept_by_hand: dict[str, tuple[str, ...]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    label_intents: dict[str, int] = field(default_factory=dict)
    intents: dict[int, Intent] = field(default_factory=dict)
    answers: dict[int, Answered] = field(default_factory=dict)
    first_before: dict[str, tuple[str, ...]] = field(default_factory=dict)
    operations: dict[str, MailChange] = field(default_factory=dict)
    after: dict[str, AfterState] = field(default_factory=dict)
    untrashed: dict[str, bool] = field(default_factory=dict)
    """Message id -> whether it must be in the inbox, for mail whose way out of the trash was announced."""
    pending: dict[str, int] = field(default_factory=dict)
    """Message id -> sequence of its intent that nobody has read back yet."""
    is_closed: bool = False

    def status(self, message_id: str) -> TargetStatus:
        """How a target ended, as far as the receipt knows."""
        if message_id in self.pending:
            return "indeterminate"
        state = self.after.get(message_id)
        return state.status if state is not None else "not_sent"

    def statuses(self) -> dict[str, TargetStatus]:
        """Every target's status."""
        return {message_id: self.status(message_id) for message_id in self.message_ids}

    def counts(self) -> dict[TargetStatus, int]:
        """How many targets ended in each status, every status named."""
        found = list(self.statuses().values())
        return {status: found.count(status) for status in STATUSES}

    def open_intents(self) -> tuple[OpenIntent, ...]:
        """Changes without a read-back, oldest first."""
        return tuple(self._opened(sequence) for sequence in sorted(set(self.pending.values())))

    def untouched(self) -> tuple[str, ...]:
        """Targets that may still be sent: neither excluded nor ended; `not_sent` after a read-back counts."""
        return tuple(
            message_id
            for message_id in self.message_ids
            if message_id not in self.excluded and self.status(message_id) == "not_sent"
        )

    def _opened(self, sequence: int) -> OpenIntent:
        intent = self.intents[sequence]
        if isinstance(intent.operation, CreateLabel):
            raise TypeError("only changes of messages wait for a read-back")
        before = {state.message_id: state.label_ids for state in intent.before}
        return OpenIntent(sequence, intent.operation, before, self.answers.get(sequence))


def fold_events(events: Iterable[Event]) -> Progress:
    """Everything that the events say, in order."""
    progress = Progress()
    for event in events:
        add_event(progress, event)
    return progress


def add_event(progress: Progress, event: Event) -> None:
    """One more event. The journal calls this for each line it has written."""
    match event:
        case Opened():
            progress.message_ids = event.message_ids
        case Excluded():
            _exclude(progress, event)
        case Intent():
            _announce(progress, event)
        case Answered():
            progress.answers[event.intent] = event
        case LabelCreated():
            progress.labels[event.name.casefold()] = event.id
        case ReadBack():
            _read_back(progress, event)
        case Closed():
            progress.is_closed = True


def _exclude(progress: Progress, event: Excluded) -> None:
    if event.labels:
        progress.kept_by_hand[event.message_id] = event.labels
    else:
        progress.excluded[event.message_id] = event.reason


def _announce(progress: Progress, event: Intent) -> None:
    progress.intents[event.sequence] = event
    if isinstance(event.operation, CreateLabel):
        progress.label_intents[event.operation.name.casefold()] = event.sequence
    else:
        for message_id in event.operation.message_ids:
            progress.pending[message_id] = event.sequence
            progress.operations[message_id] = event.operation
    if isinstance(event.operation, Untrash):
        progress.untrashed[event.operation.message_id] = event.operation.is_to_inbox
    for state in event.before:
        progress.first_before.setdefault(state.message_id, state.label_ids)


def _read_back(progress: Progress, event: ReadBack) -> None:
    for state in event.after:
        progress.after[state.message_id] = state
        if progress.pending.get(state.message_id) == event.intent:
            del progress.pending[state.message_id]
