"""users.history.list: what changed after a start id, in order; 404 when the start is out of the window."""

from bisect import bisect_left

from twin.call import Answer, Call, check_labels
from twin.listing import cursor_of, token_for
from twin.mailbox import Change
from twin.messages import page_size
from twin.wire import Json, bad, missing

KINDS = {
    "messageadded": "messagesAdded",
    "messagedeleted": "messagesDeleted",
    "labeladded": "labelsAdded",
    "labelremoved": "labelsRemoved",
}


def _message(change: Change) -> Json:
    out: Json = {"id": change.message_id, "threadId": change.thread_id}
    return {**out, "labelIds": list(change.label_ids)} if change.label_ids else out


def events(change: Change) -> Json:
    """The change by Gmail's four list names; a relabelling may be two of them."""
    message = _message(change)
    if change.kind == "added":
        return {"messagesAdded": [{"message": message}]}
    if change.kind == "deleted":
        return {"messagesDeleted": [{"message": message}]}
    added: Json = {"labelsAdded": [{"message": message, "labelIds": list(change.added)}]}
    removed: Json = {"labelsRemoved": [{"message": message, "labelIds": list(change.removed)}]}
    return {**(added if change.added else {}), **(removed if change.removed else {})}


def _concerns(change: Change, label_id: str) -> bool:
    return not label_id or label_id in (*change.label_ids, *change.added, *change.removed)


def record(change: Change, wanted: frozenset[str], label_id: str) -> Json | None:
    """The History resource, or None when nothing of it was asked for."""
    shown = {key: value for key, value in events(change).items() if not wanted or key in wanted}
    if not shown or not _concerns(change, label_id):
        return None
    short = {"id": change.message_id, "threadId": change.thread_id}
    return {"id": str(change.history_id), "messages": [short], **shown}


def start_of(call: Call) -> int:
    """The start id; 400 when it is absent or no number, 404 when history does not reach it."""
    text = call.args.text("startHistoryId")
    if not text:
        raise bad("Missing required parameter: startHistoryId", reason="required", location="startHistoryId")
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise bad(f"Invalid value at 'start_history_id' (TYPE_UINT64), \"{text}\"")
    if not call.mail.oldest_start <= int(text) <= call.mail.history_id:
        raise missing()
    return int(text)


def list_history(call: Call) -> Answer:
    """history.list; the key `history` is absent when nothing matches."""
    start, size = start_of(call), page_size(call)
    label_id = call.args.text("labelId")
    check_labels(call.mail, (label_id,) if label_id else ())
    wanted = frozenset(KINDS[name.lower()] for name in call.args.every("historyTypes"))
    binding = f"history {start} {sorted(wanted)} {label_id}"
    token = call.args.text("pageToken")
    after = int(cursor_of(binding, token)) if token else start
    changes = call.mail.changes
    first = bisect_left(changes, after + 1, key=lambda change: change.history_id)
    rows: list[Json] = []
    for change in changes[first:]:
        row = record(change, wanted, label_id)
        if row and len(rows) == size:
            return _page(call, rows, token_for(binding, rows[-1]["id"]))
        rows += [row] if row else []
    return _page(call, rows, "")


def _page(call: Call, rows: list[Json], token: str) -> Answer:
    out: Json = {"history": rows} if rows else {}
    if token:
        out["nextPageToken"] = token
    return call.mail, {**out, "historyId": str(call.mail.history_id)}
