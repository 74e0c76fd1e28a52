"""The only module that touches Google's client: it builds requests from the pruned document and reads answers strictly.

The client's own JSON model takes truncated JSON, HTML and empty bodies without a word; ours accepts one JSON object,
or nothing at all where a 204 is the method's answer.

    Client(allowed, rim).call("messages.get", id="18f0a1", format="minimal").document
"""

from collections.abc import Callable
from typing import Any

from googleapiclient.discovery import build_from_document
from googleapiclient.http import HttpRequest

from pipeline.canonical import parse_json_object
from pipeline.gmail.answers import Answer
from pipeline.gmail.discovery import Endpoint, load_document
from pipeline.gmail.gate import Allowed
from pipeline.gmail.transport import OneRequest, Rim, WireResponse
from pipeline.gmail.wire import silence_library_logs
from pipeline.refusals import AnswerRefused, NotJson, Refusal, TooDeep

_EMPTY_ANSWERS = frozenset({"gmail.users.messages.batchModify"})


class Client:
    """Google's client over our transport. Built once a gateway; one call is one request."""

    __slots__ = ("_methods",)

    def __init__(self, allowed: Allowed, rim: Rim) -> None:
        silence_library_logs()
        document = load_document(Endpoint(allowed.origin, allowed.base_path))
        service = build_from_document(
            document,
            http=OneRequest(allowed, rim),
            requestBuilder=_strict_request,
            client_options={"universe_domain": "googleapis.com"},  # or an environment variable would move the URLs
        )
        users = service.users()
        self._methods = {name: _bound(users, name) for name in allowed.methods}

    def call(self, method: str, **parameters: object) -> Answer:
        """One request of an allowed method for `me`. Raises RequestRefused, GmailError, Unanswered or AnswerRefused."""
        request = self._methods[method](userId="me", prettyPrint=False, **parameters)
        outcome = _executed(request)
        if isinstance(outcome, Refusal):
            raise outcome.with_traceback(None)  # the client's frames hold the URL with its search text
        return outcome


def _executed(request: HttpRequest) -> Answer | Refusal:
    try:
        answer: Answer = request.execute(num_retries=0)
    except Refusal as refusal:
        return refusal
    return answer


def _bound(users: Any, method: str) -> Callable[..., HttpRequest]:
    """The client's function for `settings.filters.list` and the like; resources are costly, so each is made once."""
    resource = users
    *path, name = method.split(".")
    for part in path:
        resource = getattr(resource, part)()
    function: Callable[..., HttpRequest] = getattr(resource, name)
    return function


def _strict_request(http: object, postproc: object, uri: str, **parts: Any) -> HttpRequest:
    """The client's request with our reading of the answer in place of its own."""
    method = parts["methodId"]
    return HttpRequest(http, lambda response, body: _read(method, response, body), uri, **parts)


def _read(method: str, response: WireResponse, body: bytes) -> Answer:
    if response.status == 204 and not body and method in _EMPTY_ANSWERS:
        return Answer(204, {})
    if response.status != 200:
        raise AnswerRefused(f"Gmail answered {method} unlike itself", evidence=f"status {response.status}")
    try:
        return Answer(200, parse_json_object(body))
    except NotJson as error:
        if isinstance(error, TooDeep) and method.endswith(".messages.get"):
            return Answer(200, {})  # one message that nobody can read must not end a fetch; its bytes are kept
        raise AnswerRefused(f"Gmail answered {method} with no JSON object", evidence=error.evidence) from None
