"""The one-request transport under the real client and on real sockets: nothing forbidden leaves, nothing repeats."""

import json
import re
import socket
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from googleapiclient.discovery import build_from_document
from googleapiclient.http import MediaInMemoryUpload

from pipeline.evidence.captures import Exchange
from pipeline.gmail.answers import GmailError, Unanswered
from pipeline.gmail.capability import FORMATS, METHODS
from pipeline.gmail.gate import Allowed
from pipeline.gmail.prune import bundled_document
from pipeline.gmail.transport import OneRequest
from pipeline.gmail.wire import UrllibWire
from pipeline.refusals import RequestRefused
from tests.pipeline.gmail.local import Heard, Script, loopback, rim

FULL_DOCUMENT = json.loads(bundled_document())
ARGUMENTS: Mapping[str, Mapping[str, object]] = {
    "messages.get": {"format": "minimal"},
    "threads.get": {"format": "minimal"},
    "drafts.get": {"format": "minimal"},
    "history.list": {"startHistoryId": "900100"},
    "labels.create": {
        "body": {"name": "Interview", "labelListVisibility": "labelShow", "messageListVisibility": "show"}
    },
    "messages.batchModify": {"body": {"ids": ["18f0a1"], "addLabelIds": ["Label_1"], "removeLabelIds": []}},
}


def all_methods(resource: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, method in resource.get("methods", {}).items():
        yield (*path, name), method
    for name, nested in resource.get("resources", {}).items():
        yield from all_methods(nested, (*path, name))


ALL_METHODS = {method["id"]: (path, method) for path, method in all_methods(FULL_DOCUMENT)}


def over(heard: Heard, stage: Any = "fetch", **changes: Any) -> OneRequest:
    allowed = Allowed(METHODS[stage], heard.origin, "", FORMATS[stage], can_add_inbox=stage == "undo")
    return OneRequest(allowed, rim(UrllibWire(connect_seconds=2, read_seconds=2), **changes))


def call_whatever(service: Any, method_id: str, *, upload: bool = False) -> None:
    """Any method of Google's own document, with arguments that make it as harmless as it can be."""
    path, method = ALL_METHODS[method_id]
    resource = service
    for part in path[:-1]:
        resource = getattr(resource, part)()
    required = {key: "x1" for key, parameter in method["parameters"].items() if parameter.get("required")}
    body = {"body": {}} if "request" in method else {}
    media = {"media_body": MediaInMemoryUpload(b"x", "message/rfc822")} if upload else {}
    extra = ARGUMENTS.get(method_id.removeprefix("gmail.users."), {})
    name = "import_" if path[-1] == "import" else path[-1]
    arguments = {**required, "userId": "me", "prettyPrint": False, **body, **media, **extra}
    getattr(resource, name)(**arguments).execute()


@pytest.mark.contract("ID-2", "P6")
@pytest.mark.parametrize("stage", sorted(METHODS))
def test_of_googles_79_methods_exactly_the_stages_own_reach_the_server(stage: Any) -> None:
    with loopback() as heard:
        root = {**FULL_DOCUMENT, "rootUrl": f"{heard.origin}/"}
        service = build_from_document(root, http=over(heard, stage))
        passed = set()
        for method_id in sorted(ALL_METHODS):
            before = len(heard.data)
            try:
                call_whatever(service, method_id)
                passed.add(method_id.removeprefix("gmail.users."))
            except RequestRefused:
                assert len(heard.data) == before
        assert len(ALL_METHODS) == 79
        assert passed == METHODS[stage]
        assert heard.requests == len(passed)


@pytest.mark.contract("ID-2")
def test_uploads_of_every_kind_reach_the_server_with_no_byte() -> None:
    uploads = [method_id for method_id, (_, method) in ALL_METHODS.items() if "mediaUpload" in method]
    with loopback() as heard:
        service = build_from_document({**FULL_DOCUMENT, "rootUrl": f"{heard.origin}/"}, http=over(heard, "execute"))
        for method_id in uploads:
            with pytest.raises(RequestRefused):
                call_whatever(service, method_id, upload=True)
        assert (len(uploads), heard.connections) == (6, 0)


@pytest.mark.contract("ID-2")
def test_googles_batch_endpoint_reaches_the_server_with_no_byte() -> None:
    with loopback() as heard:
        root = {**FULL_DOCUMENT, "rootUrl": f"{heard.origin}/"}
        service = build_from_document(root, http=over(heard))
        batch = service.new_batch_http_request()
        batch.add(service.users().getProfile(userId="me"))
        with pytest.raises(RequestRefused):
            batch.execute()
        assert heard.connections == 0


@pytest.mark.contract("ID-2")
def test_long_get_that_the_client_turns_into_a_post_never_leaves() -> None:
    with loopback() as heard:
        service = build_from_document({**FULL_DOCUMENT, "rootUrl": f"{heard.origin}/"}, http=over(heard))
        request = service.users().messages().list(userId="me", prettyPrint=False, q="a " * 1100)
        with pytest.raises(RequestRefused):
            request.execute()
        assert (request.method, heard.connections) == ("POST", 0)  # the client did rewrite it


@pytest.mark.contract("ID-2", "AP-7")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    with loopback() as elsewhere:
        location = f"Location: {elsewhere.origin}/gmail/v1/users/me/profile\r\n".encode()
        answer = b"HTTP/1.1 %d Moved\r\n%bContent-Length: 0\r\n\r\n" % (status, location)
        with loopback(answer) as heard:
            with pytest.raises(GmailError) as caught:
                over(heard).request(f"{heard.origin}/gmail/v1/users/me/profile?prettyPrint=false")
            assert (caught.value.status, heard.requests, elsewhere.connections) == (status, 1, 0)


@pytest.mark.contract("AP-7")
@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_connection_dropped_after_the_server_read_it_is_one_request(verb: str) -> None:
    tail = "profile" if verb == "GET" else "messages/18f0a1/trash"
    kept: list[Exchange] = []
    with loopback(None) as heard:
        http = over(heard, "execute", record=kept.append)
        service_url = f"{heard.origin}/gmail/v1/users/me/{tail}?prettyPrint=false"
        with pytest.raises(Unanswered) as caught:
            http.request(service_url, verb)
        assert (heard.requests, len(kept), kept[0].status) == (1, 1, 0)
        assert not caught.value.is_surely_unsent


@pytest.mark.contract("AP-7")
@pytest.mark.parametrize("status", [429, 500, 503])
def test_busy_server_is_asked_once_by_the_transport(status: int) -> None:
    answer = b"HTTP/1.1 %d Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n" % status
    with loopback(answer) as heard:
        service = build_from_document({**FULL_DOCUMENT, "rootUrl": f"{heard.origin}/"}, http=over(heard))
        with pytest.raises(GmailError):
            service.users().getProfile(userId="me", prettyPrint=False).execute(num_retries=0)
        assert heard.requests == 1


def test_nobody_listening_is_surely_unsent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Unanswered) as caught:
        over(Heard(port)).request(f"http://127.0.0.1:{port}/gmail/v1/users/me/profile?prettyPrint=false")
    assert caught.value.is_surely_unsent


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n{}",
        b"not http at all Connection: close\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n" + b"{" * 90,
    ],
)
def test_answer_that_is_cut_garbled_or_too_large_is_no_answer(answer: bytes) -> None:
    with loopback(answer) as heard:
        allowed = Allowed(METHODS["fetch"], heard.origin, "", FORMATS["fetch"])
        http = OneRequest(allowed, rim(UrllibWire(read_seconds=2, answer_limit=64)))
        with pytest.raises(Unanswered):
            http.request(f"{heard.origin}/gmail/v1/users/me/profile?prettyPrint=false")
        assert heard.requests == 1


def test_hanging_server_ends_after_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        allowed = Allowed(METHODS["fetch"], origin, "", FORMATS["fetch"])
        http = OneRequest(allowed, rim(UrllibWire(read_seconds=0.2)))
        with pytest.raises(Unanswered) as caught:
            http.request(f"{origin}/gmail/v1/users/me/profile?prettyPrint=false")
        assert caught.value.kind == "ReadTimeoutError"


@pytest.mark.contract("ID-2")
def test_only_our_own_headers_leave() -> None:
    with loopback() as heard:
        service = build_from_document({**FULL_DOCUMENT, "rootUrl": f"{heard.origin}/"}, http=over(heard, "execute"))
        service.users().messages().trash(userId="me", id="18f0a1", prettyPrint=False).execute()
        names = set(re.findall(rb"\r\n([A-Za-z-]+):", bytes(heard.data)))
        assert {name.lower() for name in names} == {
            b"host",
            b"accept",
            b"accept-encoding",
            b"user-agent",
            b"authorization",
            b"content-length",
        }
        assert b"identity" in heard.data


@pytest.mark.contract("EV-1")
@pytest.mark.parametrize("body", [b'{"a": 1}\n', b"<html>", b"", b"\xff\x00", b'{"cut": "'])
def test_bytes_are_recorded_before_anybody_sees_them(body: bytes) -> None:
    kept: list[Exchange] = []
    script = Script([(200, body)])
    http = OneRequest(
        Allowed(METHODS["fetch"], "http://127.0.0.1:9", "", FORMATS["fetch"]), rim(script, record=kept.append)
    )
    _, returned = http.request("http://127.0.0.1:9/gmail/v1/users/me/labels?prettyPrint=false")
    assert (returned, [(row.method, row.status, row.body) for row in kept]) == (body, [("labels.list", 200, body)])


def test_record_that_fails_keeps_the_answer_from_the_caller() -> None:
    def full_disk(exchange: Exchange) -> None:
        raise ArithmeticError("disk full")

    http = OneRequest(
        Allowed(METHODS["fetch"], "http://127.0.0.1:9", "", FORMATS["fetch"]), rim(Script(), record=full_disk)
    )
    with pytest.raises(ArithmeticError):
        http.request("http://127.0.0.1:9/gmail/v1/users/me/labels?prettyPrint=false")


@pytest.mark.contract("ID-2")
def test_refused_request_costs_no_unit_no_token_and_no_record() -> None:
    class NoToken:
        is_published = False

        def token(self) -> str:
            raise AssertionError("asked for a token before the gate")

        def granted_scopes(self) -> None:
            return None

    kept: list[Exchange] = []
    script = Script()
    outside = rim(script, credential=NoToken(), record=kept.append)
    http = OneRequest(Allowed(METHODS["fetch"], "http://127.0.0.1:9", "", FORMATS["fetch"]), outside)
    with pytest.raises(RequestRefused):
        http.request("http://127.0.0.1:9/gmail/v1/users/me/messages/send?prettyPrint=false", "POST")
    assert (script.calls, kept, outside.meter.requests) == ([], [], 0)
