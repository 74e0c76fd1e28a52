"""The table of methods: verb and path, scopes, parameters, handler, and which change something.

Methods that send, delete for good or change settings exist as rows without a handler: they answer 403 and
are recorded. The rows follow the public discovery document of the Gmail API.

>>> match("POST", "/gmail/v1/users/me/messages/18c0/modify")[0].name
'messages.modify'
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from twin import account, arrivals, history, messages, threads
from twin.auth import FULL
from twin.call import Answer, Call

Handler = Callable[[Call], Answer]
ROOT = ("gmail", "v1", "users")
READ = frozenset({FULL, "gmail.modify", "gmail.readonly"})
READ_META = READ | {"gmail.metadata"}
MODIFY = frozenset({FULL, "gmail.modify"})
INSERT = MODIFY | {"gmail.insert"}
LIST: Mapping[str, str] = {
    "q": "text",
    "labelIds": "text",
    "includeSpamTrash": "bool",
    "maxResults": "uint",
    "pageToken": "text",
}
FORMATS = "enum:minimal,full,raw,metadata"
ARRIVAL: Mapping[str, str] = {"internalDateSource": "enum:receivedTime,dateHeader", "deleted": "bool"}


@dataclass(frozen=True, slots=True)
class Route:
    """One method. `shape` is the path after the user, `*` for an id. No handler means: recorded, 403."""

    name: str
    verb: str
    shape: tuple[str, ...]
    scopes: frozenset[str]
    params: Mapping[str, str]
    handler: Handler | None = None
    is_mutating: bool = False
    default_format: str = ""


def _read(
    name: str, path: str, handler: Handler, params: Mapping[str, str], scopes: frozenset[str] = READ_META
) -> Route:
    form = "full" if "format" in params else ""
    return Route(name, "GET", tuple(path.split("/")), scopes, params, handler, default_format=form)


def _write(
    name: str,
    path: str,
    handler: Handler,
    scopes: frozenset[str] = MODIFY,
    params: Mapping[str, str] | None = None,
) -> Route:
    return Route(name, "POST", tuple(path.split("/")), scopes, params or {}, handler, is_mutating=True)


def _barred(name: str, verb: str, path: str) -> Route:
    return Route(name, verb, tuple(path.split("/")), frozenset(), {}, None, is_mutating=verb != "GET")


SERVED = (
    _read("getProfile", "profile", account.profile, {}, READ_META | {"gmail.compose"}),
    _read("messages.list", "messages", messages.list_messages, LIST),
    _read(
        "messages.get",
        "messages/*",
        messages.get_message,
        {"format": FORMATS, "metadataHeaders": "text"},
    ),
    _read("messages.attachments.get", "messages/*/attachments/*", messages.get_attachment, {}, READ),
    _write("messages.modify", "messages/*/modify", messages.modify_message),
    _write("messages.batchModify", "messages/batchModify", messages.batch_modify),
    _write("messages.trash", "messages/*/trash", messages.trash_message),
    _write("messages.untrash", "messages/*/untrash", messages.untrash_message),
    _write("messages.insert", "messages", arrivals.insert_message, INSERT, ARRIVAL),
    _write(
        "messages.import",
        "messages/import",
        arrivals.import_message,
        INSERT,
        {**ARRIVAL, "neverMarkSpam": "bool", "processForCalendar": "bool"},
    ),
    _read("threads.list", "threads", threads.list_threads, LIST),
    _read(
        "threads.get",
        "threads/*",
        threads.get_thread,
        {"format": "enum:minimal,full,metadata", "metadataHeaders": "text"},
    ),
    _write("threads.modify", "threads/*/modify", threads.modify_thread),
    _write("threads.trash", "threads/*/trash", threads.trash_thread),
    _write("threads.untrash", "threads/*/untrash", threads.untrash_thread),
    _read(
        "history.list",
        "history",
        history.list_history,
        {
            "startHistoryId": "text",
            "historyTypes": "enum:messageAdded,messageDeleted,labelAdded,labelRemoved",
            "labelId": "text",
            "maxResults": "uint",
            "pageToken": "text",
        },
    ),
    _read("labels.list", "labels", account.list_labels, {}, READ_META | {"gmail.labels"}),
    _read("labels.get", "labels/*", account.get_label, {}, READ_META | {"gmail.labels"}),
    _write("labels.create", "labels", account.create_label, MODIFY | {"gmail.labels"}),
)
BARRED = (
    _barred("messages.send", "POST", "messages/send"),
    _barred("messages.delete", "DELETE", "messages/*"),
    _barred("messages.batchDelete", "POST", "messages/batchDelete"),
    _barred("threads.delete", "DELETE", "threads/*"),
    _barred("labels.delete", "DELETE", "labels/*"),
    _barred("labels.update", "PUT", "labels/*"),
    _barred("labels.patch", "PATCH", "labels/*"),
    _barred("drafts.send", "POST", "drafts/send"),
    _barred("drafts.create", "POST", "drafts"),
    _barred("drafts.list", "GET", "drafts"),
    _barred("drafts.get", "GET", "drafts/*"),
    _barred("drafts.update", "PUT", "drafts/*"),
    _barred("drafts.delete", "DELETE", "drafts/*"),
    _barred("watch", "POST", "watch"),
    _barred("stop", "POST", "stop"),
)
SETTINGS = {
    verb: _barred(f"settings.{verb.lower()}", verb, "settings") for verb in ("GET", "POST", "PUT", "PATCH", "DELETE")
}
BATCH = _barred("batch", "POST", "batch")


def _index(routes: tuple[Route, ...]) -> dict[tuple[str, int], list[Route]]:
    """Routes by verb and length, those with literal words first: `messages/send` is no message id."""
    found: dict[tuple[str, int], list[Route]] = {}
    for route in sorted(routes, key=lambda row: row.shape.count("*")):
        found.setdefault((route.verb, len(route.shape)), []).append(route)
    return found


INDEX = _index(SERVED + BARRED)


def _ids(shape: tuple[str, ...], words: list[str]) -> tuple[str, ...] | None:
    pairs = list(zip(shape, words, strict=True))
    if any(mark not in ("*", word) for mark, word in pairs):
        return None
    return tuple(word for mark, word in pairs if mark == "*")


def match(verb: str, path: str) -> tuple[Route, str, tuple[str, ...]] | None:
    """The route, the user id and the ids of a path; None when there is no such method."""
    words = [unquote(word) for word in path.split("/")[1:]]
    is_upload = words[:1] == ["upload"]
    words = words[1:] if is_upload else words
    if words[:1] == ["batch"]:
        return BATCH, "me", ()
    if tuple(words[:3]) != ROOT or len(words) < 5:
        return None
    user, rest = words[3], words[4:]
    if rest[0] == "settings" and verb in SETTINGS:
        return SETTINGS[verb], user, ()
    for route in INDEX.get((verb, len(rest)), []):
        ids = _ids(route.shape, rest)
        if ids is not None and (not is_upload or route.name in UPLOADS):
            return route, user, ids
    return None


UPLOADS = frozenset({"messages.insert", "messages.import", "messages.send", "drafts.create", "drafts.send"})
