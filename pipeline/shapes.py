"""Which of the known JSON shapes a saved file has, and what is wrong with it: refused by name, never repaired.

Shapes: Gmail API message, thread, message list, label list and profile; the `search_threads` shape of a connector.

>>> shape_of({"emailAddress": "a@example.com", "messagesTotal": 1})
'getProfile'
"""

from collections.abc import Mapping

from pipeline.refusals import MetadataOnly, NotVerbatim, TruncatedThread, UnknownShape

Resource = Mapping[str, object]
THREAD_CAP = 5
"""The connector shows at most the oldest five messages of a thread: five may mean more."""


def shape_of(document: Resource) -> str:
    """The method or shape name that a document answers to. Raises UnknownShape."""
    if "emailAddress" in document:
        return "getProfile"
    if "payload" in document and "id" in document:
        return "messages.get"
    if "labels" in document:
        return "labels.list"
    if "threads" in document or not document:
        return "search_threads"
    if "messages" in document:
        return _shape_of_messages(document)
    raise UnknownShape(
        "the JSON is none of the shapes that we read", evidence=f"keys: {', '.join(sorted(document))[:200]}"
    )


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


def _refuse_bad_thread(thread: Resource, name: str) -> None:
    messages = _objects(thread.get("messages", []), name)
    if len(messages) >= THREAD_CAP and not thread.get("messagesComplete"):
        raise TruncatedThread(
            f"{name}: thread {thread.get('id')} shows {len(messages)} messages, as many as the connector ever shows",
            evidence="there may be more",
            next_command="save get_thread of this thread, then ingest both",
        )
    for message in messages:
        _refuse_bad_message(message, name)


def _refuse_bad_message(message: Resource, name: str) -> None:
    missing = [key for key in ("sender", "subject") if key not in message]
    if missing:
        raise MetadataOnly(
            f"{name}: message {message.get('id')} has no {' and no '.join(missing)} key",
            evidence=f"missing: [{', '.join('from' if key == 'sender' else key for key in missing)}]",
            next_command="save the full answer of the tool, unedited",
        )
    if not isinstance(message.get("id"), str):
        raise NotVerbatim(f"{name}: a message has no id", evidence="the tool always gives one")


def _objects(value: object, name: str) -> list[Resource]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise UnknownShape(f"{name}: a list of objects is something else", evidence=type(value).__name__)
    return value
