"""The exact inverse of what a run really did, label by label, against what a message wears now. Pure.

A label is taken back only when we put it there (it was not there before) and it is still there; INBOX is given back
only when we took it and it is still gone. What a person changed since is left and named. Mail in trash or spam is left
alone: an undo never pulls it back into the inbox, unless the run put it into the trash.

Taking mail out of the trash takes two steps where Gmail does not put INBOX as it was: untrash, read back, then the
exact difference (`rest_of`). Of all labels only INBOX is taken for Gmail's own doing; any other is a person's.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pipeline.changes.batches import Wish, out_of_trash
from pipeline.changes.drift import NEVER_CHANGED
from pipeline.changes.readback import Gone, Seen, Sight
from pipeline.models.operation import MailChange, ModifyLabels
from pipeline.sealing.progress import Progress

BY_HAND = "changed since by hand"
AWAY = "in trash, spam or drafts"
VANISHED = "vanished"
TRASHED_BY_US = "trashed by another run of ours, which comes first"
UNKNOWN = "in the trash, by a run of ours or by hand: a receipt is missing"
LEFT_FOR_GOOD = frozenset({BY_HAND, AWAY})
"""Reasons that settle a message: a person's word stands, and no later undo asks again. Mail that Gmail denied is not
settled: a denial may be a passing fault, so a later undo of the same run looks for it again."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a run did to one message: labels that it put there, and labels that it took."""

    message_id: str
    added: frozenset[str]
    removed: frozenset[str]
    untrashed: bool | None = None
    """When an earlier undo may have taken it out of the trash: whether it must be in the inbox."""

    @property
    def is_trashed(self) -> bool:
        """Whether the run moved it to the trash."""
        return "TRASH" in self.added

    @property
    def inverse(self) -> Wish:
        """The change that takes all of it back."""
        if self.is_trashed:
            return out_of_trash(self.message_id, is_to_inbox="INBOX" in self.removed)
        return Wish(self.message_id, tuple(sorted(self.removed)), tuple(sorted(self.added)))


@dataclass(frozen=True, slots=True)
class Restore:
    """Take this back; `kept` are labels of the change that a person has settled since, `before` what it wears now."""

    wish: Wish
    kept: tuple[str, ...]
    before: frozenset[str]


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the message alone, because."""

    reason: str


def made_by(progress: Progress) -> tuple[Made, ...]:
    """What a run did, for every message that it may have changed, sorted by id. A change that Gmail refused is none."""
    found = (_made(progress, message_id) for message_id in sorted(progress.operations))
    return tuple(made for made in found if made.added or made.removed)


def _made(progress: Progress, message_id: str) -> Made:
    operation, state = progress.operations[message_id], progress.after.get(message_id)
    before = frozenset(progress.first_before[message_id])
    added, removed = _wanted(operation, before)
    if progress.status(message_id) not in ("verified", "conflict", "indeterminate", "vanished"):
        return Made(message_id, frozenset(), frozenset())
    if progress.status(message_id) == "indeterminate" or state is None or state.label_ids is None:
        return Made(message_id, added, removed)  # nobody saw what became of it: the undo looks for itself
    now = frozenset(state.label_ids)
    return Made(message_id, added & now, removed - now)


def _wanted(operation: MailChange, before: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What the operation could put there and take: trash may take INBOX."""
    if isinstance(operation, ModifyLabels):
        return frozenset(operation.add) - before, frozenset(operation.remove) & before
    return frozenset({"TRASH"}) - before, frozenset({"INBOX"}) & before


def rest_of(progress: Progress, message_id: str) -> Made | None:
    """What an undo still owes a message that it took out of the trash: INBOX as it was. None = nothing."""
    is_to_inbox, state = progress.untrashed.get(message_id), progress.after.get(message_id)
    if is_to_inbox is None or state is None or state.label_ids is None or message_id in progress.pending:
        return None
    if "TRASH" in state.label_ids or ("INBOX" in state.label_ids) == is_to_inbox:
        return None
    inbox, none = frozenset({"INBOX"}), frozenset[str]()
    return Made(message_id, none if is_to_inbox else inbox, inbox if is_to_inbox else none)


def left_by(progress: Progress, made: Made) -> Made:
    """What an undo leaves for the next one. Where nobody knows whether untrash was done, it may have been done."""
    rest = rest_of(progress, made.message_id)
    if rest is not None:
        return rest
    is_unknown = progress.status(made.message_id) in ("indeterminate", "vanished")
    return replace(made, untrashed=progress.untrashed.get(made.message_id)) if is_unknown else made


def judge_restore(made: Made, sight: Sight) -> Restore | Leave:
    """What may be taken back, given what the message wears now."""
    match sight:
        case Seen(label_ids=now):
            return _judge_labels(made, now)
        case Gone():
            return Leave(VANISHED)
        case unseen:
            return Leave(f"could not be read: {unseen.reason}")


def _judge_labels(made: Made, now: frozenset[str]) -> Restore | Leave:
    if made.is_trashed:
        return _judge_trashed(made, now)
    if now & NEVER_CHANGED:
        return Leave(AWAY)
    take, give = made.added & now, made.removed - now
    if not take and not give:
        return Leave(BY_HAND)
    kept = (made.added | made.removed) - take - give
    return Restore(Wish(made.message_id, tuple(sorted(give)), tuple(sorted(take))), tuple(sorted(kept)), now)


def _judge_trashed(made: Made, now: frozenset[str]) -> Restore | Leave:
    """Mail that a person took out of the trash, or moved on to spam, is theirs."""
    if now & (NEVER_CHANGED - {"TRASH"}):
        return Leave(AWAY)
    if "TRASH" not in now:
        return _judge_untrashed(made, now)
    is_to_inbox = "INBOX" in made.removed or "INBOX" in now
    return Restore(out_of_trash(made.message_id, is_to_inbox=is_to_inbox), (), now)


def _judge_untrashed(made: Made, now: frozenset[str]) -> Restore | Leave:
    """Out of the trash: by a person, or by an undo that did not learn of it and still owes INBOX."""
    if made.untrashed is None or ("INBOX" in now) == made.untrashed:
        return Leave(BY_HAND)
    inbox = ("INBOX",)
    return Restore(Wish(made.message_id, inbox if made.untrashed else (), () if made.untrashed else inbox), (), now)


def is_settled(progress: Progress, message_id: str) -> bool:
    """Whether an earlier undo has nothing left to do for a message."""
    return progress.status(message_id) == "verified" or progress.excluded.get(message_id) in LEFT_FOR_GOOD


def is_gone(progress: Progress, message_id: str) -> bool:
    """Whether an undo found that Gmail does not know the message, and had nothing to take back."""
    return progress.excluded.get(message_id) == VANISHED


def is_ended(progress: Progress, message_id: str) -> bool:
    """Whether an undo need not be repeated for a message: nothing is left to do, or there is nothing to do it to."""
    return is_settled(progress, message_id) or is_gone(progress, message_id)


def wishes_of(made: Iterable[Made]) -> tuple[Wish, ...]:
    """The inverse of everything."""
    return tuple(one.inverse for one in made)
