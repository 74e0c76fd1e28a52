"""Batches: wishes with the same change side by side, at most so many in one request, every id in exactly one.

A message goes into the trash, or out of it, in a request of its own: Gmail has no such request for several, and one for
a whole thread is not used.

>>> [len(batch.message_ids) for batch in batches([Wish(str(n), ("Label_1",), ()) for n in range(5)], 2)]
[2, 2, 1]
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from pipeline.models.operation import BATCH_LIMIT, MailChange, ModifyLabels, Trash, Untrash

Verb = Literal["modify", "trash", "untrash"]


@dataclass(frozen=True, slots=True, order=True)
class Wish:
    """One message, the labels it should gain and lose, and the request that does it."""

    message_id: str
    add: tuple[str, ...]
    remove: tuple[str, ...]
    verb: Verb = "modify"

    @property
    def change(self) -> tuple[Verb, tuple[str, ...], tuple[str, ...]]:
        """What two wishes must share to travel together."""
        return (self.verb, self.add, self.remove)


def to_trash(message_id: str) -> Wish:
    """The wish to move a message to the trash; whether it keeps INBOX there is Gmail's."""
    return Wish(message_id, ("TRASH",), (), "trash")


def out_of_trash(message_id: str, *, is_to_inbox: bool) -> Wish:
    """The wish to take a message out of the trash, with or without INBOX afterwards."""
    return Wish(message_id, ("INBOX",) if is_to_inbox else (), ("TRASH",), "untrash")


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages that get the same change in one request."""

    message_ids: tuple[str, ...]
    add: tuple[str, ...]
    remove: tuple[str, ...]
    verb: Verb = "modify"

    @property
    def operation(self) -> MailChange:
        """The request."""
        match self.verb:
            case "trash":
                return Trash(message_id=self.message_ids[0])
            case "untrash":
                return Untrash(message_id=self.message_ids[0], is_to_inbox="INBOX" in self.add)
            case _:
                return ModifyLabels(message_ids=self.message_ids, add=self.add, remove=self.remove)

    @property
    def said(self) -> str:
        """The change in signs: `+Label_1 -INBOX`."""
        return " ".join([*(f"+{label}" for label in self.add), *(f"-{label}" for label in self.remove)])

    def only(self, message_ids: Iterable[str]) -> "Batch":
        """The same change for those of its messages that are named."""
        wanted = set(message_ids)
        return Batch(tuple(one for one in self.message_ids if one in wanted), self.add, self.remove, self.verb)


def batches(wishes: Iterable[Wish], size: int) -> tuple[Batch, ...]:
    """Batches of at most `size` messages, ordered by change and then by message id."""
    ordered = sorted(wishes, key=lambda wish: (wish.change, wish.message_id))
    found: list[Batch] = []
    for (verb, add, remove), group in groupby(ordered, key=lambda wish: wish.change):
        ids = [wish.message_id for wish in group]
        step = min(size, BATCH_LIMIT) if verb == "modify" else 1
        found.extend(Batch(tuple(ids[n : n + step]), add, remove, verb) for n in range(0, len(ids), step))
    return tuple(found)
