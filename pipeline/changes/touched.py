"""Gmail's list of changes, read with suspicion: it is cheap, and it may be late, gone or silent.

Before a run it tells which threads were touched since the plan; after a request it proves what the request did. Where
it does not reach the present (getProfile's history id, read just before), or says nothing although something
happened, it is `NoHistory` and the caller reads each message instead.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from pipeline.changes.numbers import number_of
from pipeline.changes.readback import NOT_FOUND, Seen, sight_of
from pipeline.gmail.answers import Answer, GmailError
from pipeline.refusals import AnswerRefused, BudgetRefused

Page = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Touched:
    """Ids that changed since some moment."""

    message_ids: frozenset[str]
    thread_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class NoHistory:
    """The list of changes cannot be relied on, because."""

    reason: str


class HistoryReader(Protocol):
    """The one read that this module needs."""

    def list_history(self, start_history_id: str) -> Iterator[Answer]:
        """history.list, page by page."""


def read_pages(reader: HistoryReader, start: str) -> tuple[Page, ...] | NoHistory:
    """Every page since a history id. A history that is too old or cannot be read is NoHistory: messages are read."""
    try:
        return tuple(answer.document for answer in reader.list_history(start))
    except GmailError as error:
        return NoHistory("too old" if error.status == NOT_FOUND else f"status {error.status}")
    except (BudgetRefused, AnswerRefused) as trouble:
        return NoHistory(trouble.slug)


def changes_since(reader: HistoryReader, start: str, newest: str) -> Touched | NoHistory:
    """What changed after history id `start`, when the list is known to reach `newest` (getProfile's, read just now)."""
    pages = read_pages(reader, start)
    return pages if isinstance(pages, NoHistory) else touched_by(pages, start, newest)


def touched_by(pages: Iterable[Page], start: str, newest: str) -> Touched | NoHistory:
    """The ids in history pages; NoHistory when they are late, silent about a change, or of an unknown shape."""
    listed = list(pages)
    first, last = number_of(start), number_of(newest)
    if first is None or last is None:
        return NoHistory("without a number")
    if last < first or max((number_of(page.get("historyId")) or 0 for page in listed), default=0) < last:
        return NoHistory("late")
    records = records_of(listed)
    if not records and last != first:
        return NoHistory("silent")
    messages = [message for record in records for message in messages_of(record)]
    ids = [(message.get("id"), message.get("threadId")) for message in messages]
    if not all(isinstance(one, str) and isinstance(thread, str) for one, thread in ids):
        return NoHistory("of an unknown shape")
    return Touched(frozenset(str(one) for one, _ in ids), frozenset(str(thread) for _, thread in ids))


def labels_after(pages: Iterable[Page], message_ids: Iterable[str]) -> dict[str, Seen]:
    """The labels that the newest label record of each message carries.

    An id is not there when it has no such record, or when any record tells more of it than a change of labels (a
    message that was deleted after it was labelled), or has no number to order it by: then it must be read.
    """
    wanted, found, doubtful = set(message_ids), dict[str, Seen](), set[str]()
    for record in sorted(records_of(pages), key=_record_number):
        seen = _labels_in(record)
        for message_id in wanted & _ids_in(record):
            if message_id in seen and _record_number(record):
                found[message_id] = seen[message_id]
            else:
                doubtful.add(message_id)
    return {message_id: sight for message_id, sight in found.items() if message_id not in doubtful}


def _labels_in(record: Page) -> dict[str, Seen]:
    """Ids that a record tells new labels of, and nothing else."""
    others = {message.get("id") for message in _changed_messages(record, ("messagesAdded", "messagesDeleted"))}
    found: dict[str, Seen] = {}
    for message in _changed_messages(record, ("labelsAdded", "labelsRemoved")):
        message_id = message.get("id")
        if isinstance(message_id, str) and message_id not in others and "labelIds" in message:
            sight = sight_of(message, message_id)
            if isinstance(sight, Seen):
                found[message_id] = sight
    return found


def _ids_in(record: Page) -> set[str]:
    return {one for message in messages_of(record) if isinstance(one := message.get("id"), str)}


def records_of(pages: Iterable[Page]) -> list[Page]:
    """Every history record of some pages, in order."""
    return [record for page in pages for record in _list(page.get("history")) if isinstance(record, dict)]


def messages_of(record: Page) -> Iterator[Page]:
    """Every message resource that a history record names."""
    yield from (item for item in _list(record.get("messages")) if isinstance(item, dict))
    yield from _changed_messages(record, ("messagesAdded", "messagesDeleted", "labelsAdded", "labelsRemoved"))


def _changed_messages(record: Page, keys: tuple[str, ...]) -> Iterator[Page]:
    for key in keys:
        for item in _list(record.get(key)):
            message = item.get("message") if isinstance(item, dict) else None
            if isinstance(message, dict):
                yield message


def _record_number(record: Page) -> int:
    return number_of(record.get("id")) or 0


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
