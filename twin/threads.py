"""The users.threads methods: list, get, modify, trash, untrash. A thread is its messages, oldest first."""

from collections.abc import Sequence

from twin.call import EDIT_FIELDS, Answer, Call, check_id, edits
from twin.listing import Rank, found, page_after
from twin.mailbox import Mail, relabel
from twin.messages import brief, page_size, resource, search_of, trash_removes, untrash_gives
from twin.wire import Json


def members(call: Call) -> tuple[str, ...]:
    """Message ids of the thread in the path, oldest first, or 404."""
    return call.mail.threads[check_id(call.ids[0], call.mail.threads)]


def thread_ranks(mail: Mail, ranks: Sequence[Rank]) -> list[Rank]:
    """(date of its newest hit, thread id) of every thread with a hit, newest first."""
    dates: dict[str, int] = {}
    for date, message_id in ranks:
        dates.setdefault(mail.messages[message_id].thread_id, date)
    return sorted(((date, thread_id) for thread_id, date in dates.items()), reverse=True)


def _history(mail: Mail, ids: tuple[str, ...]) -> str:
    return str(max(mail.messages[key].history_id for key in ids))


def _row(mail: Mail, thread_id: str) -> Json:
    ids = mail.threads[thread_id]
    snippet = mail.messages[ids[-1]].source.snippet
    return {"id": thread_id, "snippet": snippet, "historyId": _history(mail, ids)}


def list_threads(call: Call) -> Answer:
    """threads.list: a thread is listed when one of its messages is a hit."""
    search = search_of(call)
    ranks = thread_ranks(call.mail, found(call.mail, search, call.address, call.now_ms))
    chunk, token = page_after(ranks, f"threads {search}", call.args.text("pageToken"), page_size(call))
    rows = [_row(call.mail, thread_id) for _, thread_id in chunk]
    out: Json = {"threads": rows} if rows else {}
    if token:
        out["nextPageToken"] = token
    return call.mail, {**out, "resultSizeEstimate": len(ranks)}


def get_thread(call: Call) -> Answer:
    """threads.get: every message, trashed ones too."""
    ids = members(call)
    form, wanted = call.args.text("format", "full").lower(), call.args.every("metadataHeaders")
    shown = [resource(call.mail.messages[key], form, wanted) for key in ids]
    return call.mail, {"id": call.ids[0], "historyId": _history(call.mail, ids), "messages": shown}


def _relabelled(call: Call, add: tuple[str, ...], remove: tuple[str, ...]) -> Answer:
    ids = members(call)
    mail = relabel(call.mail, ids, add, remove)
    return mail, {"id": call.ids[0], "messages": [brief(mail.messages[key]) for key in ids]}


def modify_thread(call: Call) -> Answer:
    """threads.modify."""
    members(call)
    return _relabelled(call, *edits(call, call.json_body(EDIT_FIELDS)))


def trash_thread(call: Call) -> Answer:
    """threads.trash."""
    return _relabelled(call, ("TRASH",), trash_removes(call))


def untrash_thread(call: Call) -> Answer:
    """threads.untrash."""
    return _relabelled(call, untrash_gives(call), ("TRASH",))
