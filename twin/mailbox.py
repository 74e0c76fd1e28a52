"""The mailbox as a value: messages, threads, labels and what happened to them.

Every operation takes a `Mail` and returns another; the old one stays valid. Shared parts are not copied, so
a write costs one shallow dictionary copy and a read costs nothing.

>>> mail = relabel(Mail(labels=system_labels()), ("no-such-id",), ("STARRED",), ())
>>> mail.history_id
1000
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from twin.labels import Label, system_labels
from twin.source import Source

FIRST_HISTORY = 1000
FIRST_ID = 0x18C0000000000000
ID_STEP = 0x9E3779B97  # ids grow with time, as Gmail's do, and do not look like a counter

__all__ = ["Change", "Mail", "Stored", "add", "relabel", "remove", "system_labels"]


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """One message: ids, the labels it wears now, when it arrived (epoch milliseconds), its content."""

    message_id: str
    thread_id: str
    label_ids: tuple[str, ...]
    date_ms: int
    history_id: int
    source: Source

    @property
    def rank(self) -> tuple[int, str]:
        return (self.date_ms, self.message_id)


@dataclass(frozen=True, slots=True)
class Change:
    """One history record: what happened to one message, and the labels it wore afterwards."""

    history_id: int
    message_id: str
    thread_id: str
    label_ids: tuple[str, ...]
    kind: str = "labels"  # or "added", "deleted"
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Mail:
    """A mailbox at one moment. `order` is sorted oldest first; `made` counts ids given out."""

    messages: Mapping[str, Stored] = field(default_factory=dict)
    order: tuple[tuple[int, str], ...] = ()
    threads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by_header_id: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Label] = field(default_factory=system_labels)
    labels_made: int = 0
    changes: tuple[Change, ...] = ()
    history_id: int = FIRST_HISTORY
    oldest_start: int = FIRST_HISTORY
    made: int = 0
    seed: int = 0


def next_history(history_id: int) -> int:
    """History ids grow with gaps, as Gmail's do: nothing may count on the next number."""
    return history_id + 1 + history_id * 7919 % 13


def next_message_id(mail: Mail) -> str:
    """16 hex digits, a function of the seed and of how many were made."""
    return f"{FIRST_ID + (mail.seed << 52) + (mail.made + 1) * ID_STEP:016x}"


def header_key(source: Source) -> str:
    """The Message-ID header as threading compares it; empty when there is none."""
    return source.header("Message-ID").strip().casefold()


def _inserted(order: tuple[tuple[int, str], ...], ranks: Iterable[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    new = list(ranks)
    if len(new) != 1:
        return tuple(sorted([*order, *new]))
    place = bisect_left(order, new[0])
    return (*order[:place], new[0], *order[place:])


def _threaded(mail: Mail, stored: list[Stored], messages: Mapping[str, Stored]) -> dict[str, tuple[str, ...]]:
    threads = dict(mail.threads)
    members: dict[str, list[str]] = {}
    for item in stored:
        members.setdefault(item.thread_id, []).append(item.message_id)
    for thread_id, ids in members.items():
        every = [*threads.get(thread_id, ()), *ids]
        threads[thread_id] = tuple(sorted(every, key=lambda key: messages[key].rank))
    return threads


def add(mail: Mail, stored: list[Stored], *, is_recorded: bool = True) -> Mail:
    """The mailbox with new messages. A seed is not recorded: its past is not in the history."""
    messages = dict(mail.messages)
    messages.update((item.message_id, item) for item in stored)
    keys = ((header_key(item.source), item.message_id) for item in stored)
    changes = tuple(
        Change(item.history_id, item.message_id, item.thread_id, item.label_ids, "added") for item in stored
    )
    return replace(
        mail,
        messages=messages,
        order=_inserted(mail.order, (item.rank for item in stored)),
        threads=_threaded(mail, stored, messages),
        by_header_id={**mail.by_header_id, **{key: message_id for key, message_id in keys if key}},
        history_id=max([mail.history_id, *(item.history_id for item in stored)]),
        changes=mail.changes + changes if is_recorded else mail.changes,
        made=mail.made + len(stored),
    )


def new_labels(old: tuple[str, ...], add_ids: tuple[str, ...], remove_ids: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(label for label in old if label not in remove_ids)
    return kept + tuple(label for label in dict.fromkeys(add_ids) if label not in kept)


def relabel(mail: Mail, ids: Iterable[str], add_ids: tuple[str, ...], remove_ids: tuple[str, ...]) -> Mail:
    """Labels added and removed on every known id. An id that is not there, or unchanged, leaves no trace."""
    messages = dict(mail.messages)
    changes: list[Change] = []
    history_id = mail.history_id
    for message_id in dict.fromkeys(ids):
        old = messages.get(message_id)
        labels = new_labels(old.label_ids, add_ids, remove_ids) if old else ()
        if old is None or set(labels) == set(old.label_ids):
            continue
        history_id = next_history(history_id)
        messages[message_id] = replace(old, label_ids=labels, history_id=history_id)
        changes.append(_change(old, labels, history_id))
    if not changes:
        return mail
    return replace(mail, messages=messages, history_id=history_id, changes=mail.changes + tuple(changes))


def _change(old: Stored, labels: tuple[str, ...], history_id: int) -> Change:
    added = tuple(label for label in labels if label not in old.label_ids)
    removed = tuple(label for label in old.label_ids if label not in labels)
    return Change(history_id, old.message_id, old.thread_id, labels, "labels", added, removed)


def remove(mail: Mail, message_id: str) -> Mail:
    """The mailbox after that message was deleted for good (by somebody else: no route of ours does it)."""
    old = mail.messages.get(message_id)
    if old is None:
        return mail
    history_id = next_history(mail.history_id)
    change = Change(history_id, old.message_id, old.thread_id, old.label_ids, "deleted")
    rest = tuple(key for key in mail.threads[old.thread_id] if key != message_id)
    threads = {key: ids for key, ids in mail.threads.items() if key != old.thread_id}
    return replace(
        mail,
        messages={key: item for key, item in mail.messages.items() if key != message_id},
        order=tuple(rank for rank in mail.order if rank[1] != message_id),
        threads={**threads, old.thread_id: rest} if rest else threads,
        by_header_id={key: found for key, found in mail.by_header_id.items() if found != message_id},
        history_id=history_id,
        changes=(*mail.changes, change),
    )


def with_label(mail: Mail, label: Label) -> Mail:
    return replace(mail, labels={**mail.labels, label.label_id: label}, labels_made=mail.labels_made + 1)


def without_label(mail: Mail, label_id: str) -> Mail:
    """The mailbox after somebody deleted that label: it comes off every message, with history."""
    wearers = [key for key, item in mail.messages.items() if label_id in item.label_ids]
    bare = relabel(mail, wearers, (), (label_id,))
    return replace(bare, labels={key: label for key, label in mail.labels.items() if key != label_id})


def forget_history(mail: Mail) -> Mail:
    """The mailbox after Gmail dropped its history: every start id up to now answers 404."""
    history_id = next_history(mail.history_id)
    return replace(mail, history_id=history_id, oldest_start=history_id, changes=())
