"""The gate before the wire: a request passes only as one exact shape, else it is refused and no byte leaves.

It checks origin and base path, verb, path and ids, query names and values, the value of `format`, header names, and
the body key by key. It reads the URL as text and accepts only the one spelling that our client writes, so there is no
second reading of the same URL for a server to find. It never quotes a URL or a body.

>>> allowed = Allowed(frozenset({"getProfile"}), "https://gmail.googleapis.com", "", frozenset())
>>> url = "https://gmail.googleapis.com/gmail/v1/users/me/profile?prettyPrint=false&alt=json"
>>> check(WireRequest("GET", url), allowed).method
'getProfile'
"""

import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.canonical import parse_json_object
from pipeline.gmail.answers import Parameters
from pipeline.gmail.calls import CALLS, CONSTANTS, ID, REPEATABLE, Call
from pipeline.models.operation import BATCH_LIMIT, is_user_label
from pipeline.refusals import NotJson, RequestRefused

URL_LIMIT = 2048
"""Above this the client would turn a GET into a POST with an override header."""
QUERY_LIMIT = 1500
"""Characters of `q` as written in the URL."""
BODY_LIMIT = 32_768
LABEL_BODY: Mapping[str, str] = {"labelListVisibility": "labelShow", "messageListVisibility": "show"}
_HEADERS = frozenset({"accept", "accept-encoding", "user-agent", "x-goog-api-client", "content-type", "content-length"})
_HEADER_VALUE = re.compile(r"[\x20-\x7e]{0,512}")
_LABEL_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,225}")
_URL = re.compile(r"[\x21-\x7e]{1,2048}")


@dataclass(frozen=True, slots=True)
class WireRequest:
    """What is about to leave. `url` is absolute, `body` is empty when there is none."""

    verb: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Allowed:
    """What one gateway may do: methods, one origin and base path, values of `format`, whether INBOX may come back."""

    methods: frozenset[str]
    origin: str
    base_path: str
    formats: frozenset[str]
    can_add_inbox: bool = False


@dataclass(frozen=True, slots=True)
class Permit:
    """A request that passed: its method's name and what it asks for."""

    method: str
    parameters: Parameters = field(repr=False)


def check(request: WireRequest, allowed: Allowed) -> Permit:
    """The permit of a request of an allowed shape. Raises RequestRefused for any other, naming the failed check."""
    path, query = _target(request.url, allowed)
    method, call, path_ids = _matched(request.verb, path, allowed)
    _check_headers(request)
    pairs = _pairs(query)
    parameters = _parameters(method, call, pairs)
    _check_format(method, parameters, allowed)
    return Permit(method, {**path_ids, **parameters, **_body(method, call, request.body, allowed)})


def _refused(what: str, method: str = "") -> RequestRefused:
    return RequestRefused(f"a request was stopped before it left: {what}", evidence=method)


def _target(url: str, allowed: Allowed) -> tuple[str, str]:
    """Path (without the base path) and query of a URL at exactly the allowed origin."""
    root = allowed.origin + allowed.base_path
    if not _URL.fullmatch(url):
        raise _refused(f"its URL is over {URL_LIMIT} characters or not plain ASCII")
    if not url.startswith(f"{root}/"):
        raise _refused("it goes to another origin or base path")
    path, _, query = url.removeprefix(root).partition("?")
    return path, query


def _matched(verb: str, path: str, allowed: Allowed) -> tuple[str, Call, dict[str, str]]:
    for method in sorted(allowed.methods & CALLS.keys()):
        call = CALLS[method]
        match = call.path.fullmatch(path)
        if match and call.verb == verb:
            return method, call, match.groupdict()
    raise _refused("no allowed method has this verb and path")


def _check_headers(request: WireRequest) -> None:
    names = [name.lower() for name in request.headers]
    if len(set(names)) != len(names) or not _HEADERS.issuperset(names):
        raise _refused("it carries a header that is not on the list")
    if not all(_HEADER_VALUE.fullmatch(value) for value in request.headers.values()):
        raise _refused("a header's value is not plain ASCII")
    lengths = [value for name, value in request.headers.items() if name.lower() == "content-length"]
    if any(value != str(len(request.body)) for value in lengths):
        raise _refused("its content-length is not its body's")


def _pairs(query: str) -> list[tuple[str, str]]:
    """The query's pairs, accepted only in the one spelling that urlencode gives them."""
    try:
        pairs = urllib.parse.parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query), errors="strict")
    except ValueError:
        raise _refused("its query cannot be read") from None
    if urllib.parse.urlencode(pairs) != query:
        raise _refused("its query is not in its plain spelling")
    return pairs


def _parameters(method: str, call: Call, pairs: list[tuple[str, str]]) -> dict[str, str | tuple[str, ...]]:
    names = [name for name, _ in pairs]
    if not call.required.issubset(names):
        raise _refused("it lacks a parameter that must be there", method)
    for name, value in pairs:
        _check_parameter(method, call, name, value, names.count(name))
    once = {name: value for name, value in pairs if name not in REPEATABLE and name not in CONSTANTS}
    return {**once, **_repeated(pairs)}


def _repeated(pairs: list[tuple[str, str]]) -> dict[str, str | tuple[str, ...]]:
    names = sorted({name for name, _ in pairs} & REPEATABLE)
    return {name: tuple(value for found, value in pairs if found == name) for name in names}


def _check_parameter(method: str, call: Call, name: str, value: str, count: int) -> None:
    if count > 1 and name not in REPEATABLE:
        raise _refused("a parameter stands twice", method)
    if name in CONSTANTS:
        if value != CONSTANTS[name]:
            raise _refused(f"{name} has another value than its only one", method)
    elif name not in call.query:
        raise _refused("it carries a parameter that is not on the method's list", method)
    elif not call.query[name].fullmatch(value):
        raise _refused(f"the value of {name} is not of its form", method)
    if name == "q" and len(urllib.parse.quote_plus(value)) > QUERY_LIMIT:
        raise _refused(f"q is over {QUERY_LIMIT} characters in the URL", method)


def _check_format(method: str, parameters: Parameters, allowed: Allowed) -> None:
    if "format" in parameters and parameters["format"] not in allowed.formats:
        raise _refused("this stage may not ask for this format", method)


def _body(method: str, call: Call, body: bytes, allowed: Allowed) -> dict[str, str | tuple[str, ...]]:
    if not call.has_body:
        if body:
            raise _refused("it carries a body where none belongs", method)
        return {}
    if len(body) > BODY_LIMIT:
        raise _refused(f"its body is over {BODY_LIMIT} bytes", method)
    try:
        document = parse_json_object(body)
    except NotJson:
        raise _refused("its body is not one JSON object", method) from None
    return _label_body(document) if method == "labels.create" else _modify_body(document, allowed)


def _label_body(document: Mapping[str, object]) -> dict[str, str | tuple[str, ...]]:
    name = document.get("name")
    if document.keys() != {"name", *LABEL_BODY} or any(document[key] != LABEL_BODY[key] for key in LABEL_BODY):
        raise _refused("its body holds other keys or values than a plain label's", "labels.create")
    if not isinstance(name, str) or not _LABEL_NAME.fullmatch(name):
        raise _refused("its label name is not 1 to 225 characters without controls", "labels.create")
    return {"name": name}


def _modify_body(document: Mapping[str, object], allowed: Allowed) -> dict[str, str | tuple[str, ...]]:
    method = "messages.batchModify"
    if document.keys() != {"ids", "addLabelIds", "removeLabelIds"}:
        raise _refused("its body holds other keys than ids, addLabelIds and removeLabelIds", method)
    ids, add, remove = (_id_list(document[key]) for key in ("ids", "addLabelIds", "removeLabelIds"))
    if not 1 <= len(ids) <= BATCH_LIMIT:
        raise _refused(f"it names no message or more than {BATCH_LIMIT}", method)
    if not (add or remove) or set(add) & set(remove):
        raise _refused("its labels change nothing or contradict each other", method)
    if not all(is_user_label(label) or label == "INBOX" for label in (*add, *remove)):
        raise _refused("it touches a system label other than INBOX", method)
    if "INBOX" in add and not allowed.can_add_inbox:
        raise _refused("only an undo puts mail back into the inbox", method)
    return {"ids": ids, "addLabelIds": add, "removeLabelIds": remove}


def _id_list(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and ID.fullmatch(item) for item in value):
        raise _refused("a list in its body holds something that is no id", "messages.batchModify")
    if len(set(value)) != len(value):
        raise _refused("an id stands twice in its body", "messages.batchModify")
    return tuple(value)
