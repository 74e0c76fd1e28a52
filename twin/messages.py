"""The users.messages methods that read and relabel: list, get, modify, batchModify, trash, untrash."""

from twin.call import EDIT_FIELDS, Answer, Call, check_labels, edits, stored, strings
from twin.listing import Search, found, page_after
from twin.mailbox import Stored, relabel
from twin.resource import b64url, metadata
from twin.wire import Json, bad

MAX_BATCH = 1000
DEFAULT_PAGE, MAX_PAGE = 100, 500


def brief(item: Stored) -> Json:
    """id, threadId and labelIds; labelIds is absent when there are none."""
    out: Json = {"id": item.message_id, "threadId": item.thread_id}
    return {**out, "labelIds": list(item.label_ids)} if item.label_ids else out


def resource(item: Stored, form: str, wanted: tuple[str, ...] = ()) -> Json:
    """The Message resource in one of the four formats."""
    source = item.source
    out: Json = {**brief(item), "snippet": source.snippet}
    if form == "full":
        out["payload"] = source.payload
    elif form == "metadata":
        out["payload"] = metadata({**_head(item), "mimeType": source.payload.get("mimeType")}, wanted)
    elif form == "raw":
        out["raw"] = b64url(source.raw)
    dates = {"historyId": str(item.history_id), "internalDate": str(item.date_ms)}
    return {**out, "sizeEstimate": source.size, **dates}


def _head(item: Stored) -> Json:
    return {"headers": [{"name": name, "value": value} for name, value in item.source.headers]}


def page_size(call: Call) -> int:
    return min(call.args.number("maxResults", DEFAULT_PAGE), MAX_PAGE)


def search_of(call: Call) -> Search:
    labels = check_labels(call.mail, call.args.every("labelIds"))
    return Search(call.args.text("q").strip(), labels, call.args.flag("includeSpamTrash"))


def list_messages(call: Call) -> Answer:
    """messages.list."""
    search = search_of(call)
    ranks = found(call.mail, search, call.address, call.now_ms)
    chunk, token = page_after(ranks, f"messages {search}", call.args.text("pageToken"), page_size(call))
    rows = [{"id": key, "threadId": call.mail.messages[key].thread_id} for _, key in chunk]
    out: Json = {"messages": rows} if rows else {}
    if token:
        out["nextPageToken"] = token
    return call.mail, {**out, "resultSizeEstimate": len(ranks)}


def get_message(call: Call) -> Answer:
    """messages.get."""
    item = stored(call, call.ids[0])
    form = call.args.text("format", "full").lower()
    return call.mail, resource(item, form, call.args.every("metadataHeaders"))


def get_attachment(call: Call) -> Answer:
    """messages.attachments.get."""
    data = stored(call, call.ids[0]).source.attachments.get(call.ids[1])
    if data is None:
        raise bad("Invalid attachment token")
    return call.mail, {"size": len(data), "data": b64url(data)}


def modify_message(call: Call) -> Answer:
    """messages.modify: the message's ids and labels afterwards."""
    item = stored(call, call.ids[0])
    add, remove = edits(call, call.json_body(EDIT_FIELDS))
    mail = relabel(call.mail, (item.message_id,), add, remove)
    return mail, brief(mail.messages[item.message_id])


def batch_modify(call: Call) -> Answer:
    """messages.batchModify: 204, unknown ids ignored without a word."""
    body = call.json_body({**EDIT_FIELDS, "ids": list})
    ids = strings(body, "ids")
    if len(ids) > MAX_BATCH:
        raise bad(f"Too many ids specified. Maximum {MAX_BATCH}.")
    add, remove = edits(call, body)
    return relabel(call.mail, ids, add, remove), None


def trash_message(call: Call) -> Answer:
    """messages.trash."""
    item = stored(call, call.ids[0])
    mail = relabel(call.mail, (item.message_id,), ("TRASH",), trash_removes(call))
    return mail, brief(mail.messages[item.message_id])


def untrash_message(call: Call) -> Answer:
    """messages.untrash: takes TRASH off; a message that is not in the trash stays as it is."""
    item = stored(call, call.ids[0])
    given = untrash_gives(call) if "TRASH" in item.label_ids else ()
    mail = relabel(call.mail, (item.message_id,), given, ("TRASH",))
    return mail, brief(mail.messages[item.message_id])


def trash_removes(call: Call) -> tuple[str, ...]:
    return () if call.options.trash_keeps_inbox else ("INBOX",)


def untrash_gives(call: Call) -> tuple[str, ...]:
    return ("INBOX",) if call.options.untrash_gives_inbox else ()
