"""Which of the known JSON shapes a saved document has, and what is wrong with it: refused by name, never repaired.

Shapes: Gmail API message (full, raw, metadata, minimal), thread, lists of messages, threads, labels, history, filters
and drafts, profile; a connector's `search_threads` and `get_thread`; the `triage` list of a helper. A list of a shape
that looks known but lacks what we need is refused: read as empty it would lose mail. Whether a set of documents is
whole is for `pipeline.evidence.complete` to say.

>>> shape_of({"emailAddress": "a@example.com", "messagesTotal": 1})
'getProfile'
"""

import re
from collections.abc import Mapping
from typing import Final

from pipeline.mail.headers import read_headers
from pipeline.mail.message import is_id
from pipeline.refusals import DroppedOn429, MetadataOnly, NotVerbatim, UnknownShape

Resource = Mapping[str, object]
SAVE_AGAIN: Final = "save the full answer of the tool, unedited"
_LISTS: Final = {
    "labels": "labels.list",
    "history": "history.list",
    "filter": "settings.filters.list",
    "drafts": "drafts.list",
}
_NEEDED: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "threads.list": ("threads", ("id", "historyId")),
    "messages.list": ("messages", ("id", "threadId")),
    "labels.list": ("labels", ("id", "name")),
    "history.list": ("history", ("id",)),
    "settings.filters.list": ("filter", ("id",)),
    "drafts.list": ("drafts", ("id",)),
}
"""Where a list keeps its items, and the texts that each of them must have."""
_CONNECTOR_KEYS: Final = ("sender", "toRecipients", "snippet", "subject", "plaintextBody", "ccRecipients")
_OUR_KEY: Final = re.compile(r"[a-z][A-Za-z0-9]*\Z")
_ELLIPSIS: Final = re.compile(r"\.\.\.|…|\bmore\b|\btruncated\b|\bomitted\b", re.I)
_LIMITED: Final = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "RESOURCE_EXHAUSTED"})


def shape_of(document: Resource) -> str:
    """The method or shape name that a document answers to. Raises UnknownShape or DroppedOn429."""
    if "emailAddress" in document:
        return "getProfile"
    if "id" in document and ({"payload", "raw"} & document.keys() or _is_minimal(document)):
        return "messages.get"
    found = next((shape for key, shape in _LISTS.items() if key in document), None)
    if found is not None:
        return found
    if "threads" in document or not document:
        return _shape_of_threads(document)
    if "messages" in document:
        return _shape_of_messages(document)
    if "resultSizeEstimate" in document:
        return "messages.list"
    if "historyId" in document and document.keys() <= {"historyId", "nextPageToken"}:
        return "history.list"
    raise _unknown(document)


def format_of(message: Resource) -> str:
    """The format in which Gmail gave a message: full, raw, metadata or minimal."""
    if "raw" in message:
        return "raw"
    payload = message.get("payload")
    if not isinstance(payload, Mapping):
        return "minimal"
    return "full" if "body" in payload or "parts" in payload else "metadata"


def _is_minimal(document: Resource) -> bool:
    return "threadId" in document and bool({"labelIds", "internalDate", "historyId"} & document.keys())


def _unknown(document: Resource) -> UnknownShape | DroppedOn429:
    error = document.get("error")
    if isinstance(error, Mapping) and _is_rate_limit(error):
        return DroppedOn429(
            "a saved file holds Gmail's answer that it was asked too fast",
            evidence="an error, no mail",
            next_command="ask again, save the answer, ingest all of them",
        )
    what = "the JSON is none of the shapes that we read"
    return UnknownShape(what, evidence=f"keys: {', '.join(sorted(document))[:200]}", next_command=SAVE_AGAIN)


def _is_rate_limit(error: Resource) -> bool:
    reasons = [error.get("status"), error.get("reason")]
    listed = error.get("errors")
    reasons += [one.get("reason") for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    return error.get("code") == 429 or any(isinstance(one, str) and one in _LIMITED for one in reasons)


def _shape_of_threads(document: Resource) -> str:
    """A connector's threads hold their messages; a thread list of the API holds ids alone."""
    threads = document.get("threads", [])
    bare = isinstance(threads, list) and any(isinstance(t, dict) and "messages" not in t for t in threads)
    return "threads.list" if bare else "search_threads"


def _shape_of_messages(document: Resource) -> str:
    """What the messages hold says who wrote the list; an empty list of a thread is a connector's empty thread."""
    messages = document["messages"]
    found = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    keys = set().union(*(one.keys() for one in found))
    if {"payload", "raw"} & keys or (is_id(document.get("id")) and {"internalDate", "historyId"} & keys):
        return "threads.get"
    if "from" in keys:
        return "triage"
    if is_id(document.get("id")) or set(_CONNECTOR_KEYS) - {"snippet"} & keys:
        return "get_thread"
    return "messages.list"


def refuse_bad_shape(shape: str, document: Resource, name: str) -> None:
    """Raise the refusal that fits what a saved document lacks. `name` is the file's name."""
    if shape in _NEEDED:
        key, needed = _NEEDED[shape]
        _refuse_missing_keys(_objects(document.get(key, []), name), needed, name)
    if shape == "search_threads":
        for thread in _objects(document.get("threads", []), name):
            _refuse_bad_thread(thread, name)
    if shape == "get_thread":
        _refuse_bad_thread(document, name)
    if shape == "triage":
        for message in _objects(document["messages"], name):
            _refuse_retyped(message, name)
            _refuse_bad_message(message, ("from", "subject"), name)
            _refuse_no_id(message, name)
    if shape == "messages.get":
        _refuse_metadata_only(document, name)
    if shape == "threads.get":
        for message in _objects(document["messages"], name):
            _refuse_metadata_only(message, name)


def _refuse_bad_thread(thread: Resource, name: str) -> None:
    _refuse_retyped(thread, name)
    messages = _objects(thread.get("messages", []), name)
    for number, message in enumerate(messages):
        _refuse_retyped(message, name)
        _refuse_bad_message({"id": thread.get("id"), **message}, ("sender", "subject"), name)
        if number > 0 or "id" in message:  # only a thread's first message may lack one
            _refuse_no_id(message, name)
    _refuse_no_id(thread, name)


def _refuse_no_id(item: Resource, name: str) -> None:
    if not isinstance(item.get("id"), str):
        raise NotVerbatim(f"{name}: a message or thread has no id", evidence="an id is a text", next_command=SAVE_AGAIN)


def _refuse_retyped(item: Resource, name: str) -> None:
    """No tool that we know writes such keys: somebody added a note or left something out."""
    strange = sorted(key for key in item if not _OUR_KEY.match(key))
    if strange:
        raise NotVerbatim(f"{name}: a key that no Gmail tool writes", evidence=strange[0][:40], next_command=SAVE_AGAIN)


def _refuse_bad_message(message: Resource, keys: tuple[str, ...], name: str) -> None:
    missing = [key for key in keys if key not in message]
    if missing:
        raise _metadata_only(message, ["from" if key == "sender" else key for key in missing], name)


def _refuse_metadata_only(message: Resource, name: str) -> None:
    """A payload without body and parts is the metadata view: there From and Subject must have been asked for."""
    if format_of(message) != "metadata":
        return
    payload = message["payload"]
    seen = read_headers(payload.get("headers") if isinstance(payload, Mapping) else None)
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
    if isinstance(value, list) and any(isinstance(item, str) and _ELLIPSIS.search(item) for item in value):
        raise NotVerbatim(f"{name}: a list was cut by hand", evidence="an ellipsis in it", next_command=SAVE_AGAIN)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise UnknownShape(f"{name}: a list of objects is something else", evidence=type(value).__name__)
    return value
