"""Reading labels back, and the verdict on what was seen. The verdict is pure; asking is one small function each.

What a read shows is a tagged value: `Seen` labels, `Gone` (Gmail answered 404), or `Unseen` (we could not find out).
Labels outside our change must be as they were, else the verdict is conflict: an edit that loses a star is not done.
Trash may keep INBOX or take it: both are done.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from pipeline.gmail.answers import Answer, GmailError, Unanswered
from pipeline.models.document import is_label_id
from pipeline.models.operation import MailChange, ModifyLabels, Trash
from pipeline.models.receipt import AfterState, Answered, TargetStatus
from pipeline.refusals import AnswerRefused, BudgetRefused

NOT_FOUND = 404
FIRST_ERROR = 300
SURELY_UNSENT = "surely-unsent"
Outcome = Literal["done", "refused", "busy", "unsent", "silent"]
"""What is known of a request. done: Gmail said yes. refused: a final no. busy: a rate limit or a server fault.
unsent: no connection was made. silent: nobody knows whether Gmail acted, and it may act later."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The labels that a message wears now."""

    label_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Gone:
    """Gmail does not know the id."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """No usable answer; the reason in one word."""

    reason: str


Sight = Seen | Gone | Unseen


class Reader(Protocol):
    """The one read that a verdict needs."""

    def get_message(self, message_id: str) -> Answer:
        """messages.get, format=minimal."""


def look(reader: Reader, message_id: str) -> Sight:
    """Ask for one message. Troubles of Gmail are a sight, not an exception; troubles of identity are raised."""
    try:
        return sight_of(reader.get_message(message_id).document, message_id)
    except GmailError as error:
        return Gone() if error.status == NOT_FOUND else Unseen(f"status {error.status}")
    except Unanswered:
        return Unseen("no answer")
    except (BudgetRefused, AnswerRefused) as error:
        return Unseen(error.slug)


def sight_of(document: Mapping[str, object], message_id: str) -> Sight:
    """What a message resource shows. An answer about another id, or without a list of label ids, shows nothing:
    what no receipt can hold is never what we wanted to see."""
    labels = document.get("labelIds", [])
    if document.get("id") != message_id or not isinstance(labels, list):
        return Unseen("another message")
    if not all(isinstance(label, str) and is_label_id(label) for label in labels):
        return Unseen("labels of an unknown form")
    return Seen(frozenset(labels))


def after_change(before: Iterable[str], add: Iterable[str], remove: Iterable[str]) -> frozenset[str]:
    """The labels that a message must wear when exactly this change was made."""
    return (frozenset(before) - frozenset(remove)) | frozenset(add)


def is_reached(operation: MailChange, before: Iterable[str], now: frozenset[str]) -> bool:
    """Whether a message that wore `before` wears exactly what the operation must leave."""
    prior = frozenset(before)
    if isinstance(operation, ModifyLabels):
        return now == after_change(prior, operation.add, operation.remove)
    if isinstance(operation, Trash):
        return now in (prior | {"TRASH"}, (prior | {"TRASH"}) - {"INBOX"})
    return now == after_change(prior, ("INBOX",) if operation.is_to_inbox else (), ("TRASH", "INBOX"))


def outcome_of(answer: Answered | None) -> Outcome:
    """What a journal's record of an answer means; no record means that nobody knows."""
    if answer is None or answer.status is None:
        return "unsent" if answer is not None and answer.reason == SURELY_UNSENT else "silent"
    if answer.status < FIRST_ERROR:
        return "done"
    error = GmailError("", answer.status, answer.reason or "")
    return "busy" if error.is_rate_limit or error.is_server_fault else "refused"


def verdict(
    sight: Sight, before: Iterable[str], operation: MailChange, outcome: Outcome, *, is_last: bool
) -> TargetStatus:
    """Verified only when the message wears exactly the intended labels. `not_sent` means that it may be tried again;
    `is_last` says that it will not be."""
    match sight:
        case Unseen():
            return "indeterminate"
        case Gone():
            return "vanished"
        case Seen(label_ids=now):
            is_there = is_reached(operation, before, now)
            return "verified" if is_there else _missed(now == frozenset(before), outcome, is_last)


def _missed(is_unchanged: bool, outcome: Outcome, is_last: bool) -> TargetStatus:
    if not is_unchanged or outcome == "done":
        return "conflict"
    if outcome == "refused":
        return "failed"
    if not is_last:
        return "not_sent"
    return "indeterminate" if outcome == "silent" else "failed"


def after_state(message_id: str, sight: Sight, status: TargetStatus) -> AfterState:
    """The receipt's record of one sight."""
    labels = tuple(sorted(sight.label_ids)) if isinstance(sight, Seen) else None
    return AfterState(message_id=message_id, label_ids=labels, status=status)
