"""Which of the known JSON shapes a saved file has, and what is wrong with it: refused by name, never repaired.

Shapes: Gmail API message, thread, message and thread lists, label list and profile; the `search_threads` shape of a
connector. A list of a shape that looks known but lacks what we need is refused: read as empty it would lose mail.

>>> shape_of({"emailAddress": "a@example.com", "messagesTotal": 1})
'getProfile'
"""

from collections.abc import Mapping

from pipeline.mail.headers import read_headers
from pipeline.refusals import MetadataOnly, NotVerbatim, TruncatedThread, UnknownShape

Resource = Mapping[str, object]
THREAD_CAP = 5
"""The connector shows at most the oldest five messages of a thread: five may mean more."""
SAVE_AGAIN = "save the full answer of the tool, unedited"


def shape_of(document: Resource) -> str:
    """The method or shape name that a document answers to. Raises UnknownShape."""
    if "emailAddress" in document:
        return "getProfile"
    if "payload" in document and "id" in document:
        return "messages.get"
    if "labels" in document:
        return "labels.list"
    if "threads" in document or not document:
        return _shape_of_threads(document)
    if "messages" in document:
        return _shape_of_messages(document)
    if "resultSizeEstimate" in document:
        return "messages.list"
    raise UnknownShape(
        "the JSON is none of the shapes that we read", evidence=f"keys: {', '.join(sorted(document))[:200]}"
    )


def _shape_of_threads(document: Resource) -> str:
    """A connector's threads hold their messages; a thread list of the API holds ids alone."""
    threads = document.get("threads", [])
    bare = isinstance(threads, list) and any(isinstance(t, dict) and "messages" not in t for t in threads)
    return "threads.list" if bare else "search_threads"


def _shape_of_messages(document: Resource) -> str:
    messages = document["messages"]
    first = messages[0] if isinstance(messages, list) and messages else {}
    if isinstance(first, dict) and "payload" in first:
        return "threads.get"
    return "messages.list"


def refuse_bad_shape(shape: str, document: Resource, name: str) -> None:
    """Raise the refusal that fits what a saved file lacks. `name` is the file's name."""
    if shape == "search_threads":
        for thread in _objects(document.get("threads", []), name):
            _refuse_bad_thread(thread, name)
    if shape == "threads.list":
        _refuse_missing_keys(_objects(document["threads"], name), ("id", "historyId"), name)
    if shape == "messages.list":
        _refuse_missing_keys(_objects(document.get("messages", []), name), ("id", "threadId"), name)
    if shape == "messages.get":
        _refuse_metadata_only(document, name)
    if shape == "threads.get":
        for message in _objects(document["messages"], name):
            _refuse_metadata_only(message, name)


def _refuse_bad_thread(thread: Resource, name: str) -> None:
    messages = _objects(thread.get("messages", []), name)
    if len(messages) >= THREAD_CAP and not thread.get("messagesComplete"):
        raise TruncatedThread(
            f"{name}: thread {thread.get('id')} shows {len(messages)} messages, as many as the connector ever shows",
            evidence="there may be more",
            next_command="save get_thread of this thread, then ingest both",
        )
    for number, message in enumerate(messages):
        _refuse_bad_message({"id": thread.get("id"), **message}, name)
        is_named = isinstance(message.get("id"), str) or (number == 0 and "id" not in message)
        if not is_named or not isinstance(thread.get("id"), str):
            raise NotVerbatim(f"{name}: a message has no id", evidence="only a thread's first message may lack one")


def _refuse_bad_message(message: Resource, name: str) -> None:
    missing = [key for key in ("sender", "subject") if key not in message]
    if missing:
        raise _metadata_only(message, ["from" if key == "sender" else key for key in missing], name)


def _refuse_metadata_only(message: Resource, name: str) -> None:
    """A payload without body and parts is the metadata view: there From and Subject must have been asked for."""
    payload = message.get("payload")
    if not isinstance(payload, dict) or "body" in payload or "parts" in payload:
        return
    seen = read_headers(payload.get("headers"))
    missing = [key for key in ("from", "subject") if not seen.all(key)]
    if missing:
        raise _metadata_only(message, missing, name)


def _metadata_only(message: Resource, missing: list[str], name: str) -> MetadataOnly:
    return MetadataOnly(
        f"{name}: message {message.get('id')} has no {' and no '.join(missing)} key",
        evidence=f"missing: [{', '.join(missing)}]",
        next_command=SAVE_AGAIN,
    )


def _refuse_missing_keys(found: list[Resource], keys: tuple[str, ...], name: str) -> None:
    for item in found:
        missing = [key for key in keys if not isinstance(item.get(key), str)]
        if missing:
            raise UnknownShape(
                f"{name}: an item of the list has no {', '.join(missing)}", evidence=SAVE_AGAIN, next_command=SAVE_AGAIN
            )


def _objects(value: object, name: str) -> list[Resource]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise UnknownShape(f"{name}: a list of objects is something else", evidence=type(value).__name__)
    return value
