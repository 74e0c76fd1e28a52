"""Batches: wishes with the same change side by side, at most so many in one request, every id in exactly one.

>>> [len(batch.message_ids) for batch in batches([Wish(str(n), ("Label_1",), ()) for n in range(5)], 2)]
[2, 2, 1]
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from pipeline.models.operation import BATCH_LIMIT, ModifyLabels


@dataclass(frozen=True, slots=True, order=True)
class Wish:
    """One message and the labels it should gain and lose."""

    message_id: str
    add: tuple[str, ...]
    remove: tuple[str, ...]

    @property
    def change(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What two wishes must share to travel together."""
        return (self.add, self.remove)


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages that get the same change in one request."""

    message_ids: tuple[str, ...]
    add: tuple[str, ...]
    remove: tuple[str, ...]

    @property
    def operation(self) -> ModifyLabels:
        """The request."""
        return ModifyLabels(message_ids=self.message_ids, add=self.add, remove=self.remove)

    @property
    def said(self) -> str:
        """The change in signs: `+Label_1 -INBOX`."""
        return " ".join([*(f"+{label}" for label in self.add), *(f"-{label}" for label in self.remove)])

    def only(self, message_ids: Iterable[str]) -> "Batch":
        """The same change for those of its messages that are named."""
        wanted = set(message_ids)
        return Batch(tuple(one for one in self.message_ids if one in wanted), self.add, self.remove)


def batches(wishes: Iterable[Wish], size: int) -> tuple[Batch, ...]:
    """Batches of at most `size` messages, ordered by change and then by message id."""
    step = min(size, BATCH_LIMIT)
    ordered = sorted(wishes, key=lambda wish: (wish.change, wish.message_id))
    found: list[Batch] = []
    for (add, remove), group in groupby(ordered, key=lambda wish: wish.change):
        ids = [wish.message_id for wish in group]
        found.extend(Batch(tuple(ids[n : n + step]), add, remove) for n in range(0, len(ids), step))
    return tuple(found)
