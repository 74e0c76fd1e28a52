"""The HTTP face: loopback only, keep-alive, one mailbox for all threads."""

import http.client
import json
import threading
import time

import pytest
import urllib3

from tests.twin.client import Client, mail, new_twin
from twin.serve import NotLoopbackError, serve

HEADERS = {"Authorization": "Bearer all"}
ROOT = "/gmail/v1/users/me"


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::", "192.0.2.1", "localhost.example", "10.0.0.1"])  # noqa: S104
def test_any_address_but_loopback_is_refused(host: str) -> None:
    with pytest.raises(NotLoopbackError):
        serve(new_twin(), host=host)


def test_the_url_is_on_127_0_0_1_and_dies_with_the_server() -> None:
    server = serve(new_twin())
    assert server.url == f"http://127.0.0.1:{server.port}"
    server.stop()
    server.stop()
    with pytest.raises(urllib3.exceptions.HTTPError):
        urllib3.request("GET", server.url, retries=False, timeout=1)


def test_one_connection_serves_many_requests_without_waiting() -> None:
    with serve(new_twin()) as server:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=5)
        start = time.monotonic()
        for _ in range(200):
            connection.request("GET", f"{ROOT}/profile", headers=HEADERS)
            answer = connection.getresponse()
            assert (answer.status, answer.version) == (200, 11) and answer.read()
        assert time.monotonic() - start < 4  # with Nagle's algorithm it would be 8 seconds
        connection.close()


def test_large_answers_do_not_wait_either() -> None:
    twin = new_twin()
    made = Client(twin).insert(mail(body="x" * 200_000))
    with serve(twin) as server:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=5)
        start = time.monotonic()
        for _ in range(60):
            connection.request("GET", f"{ROOT}/messages/{made['id']}?format=raw", headers=HEADERS)
            assert len(connection.getresponse().read()) > 200_000
        assert time.monotonic() - start < 2.2  # with Nagle's algorithm 60 times 40 ms
        connection.close()


def test_the_answer_is_the_one_of_the_process() -> None:
    twin = new_twin()
    Client(twin).insert(mail("Ünïcode"))
    status, headers, body = twin.in_process().request("GET", f"http://t{ROOT}/messages", HEADERS)
    with serve(twin) as server:
        answer = urllib3.request("GET", f"{server.url}{ROOT}/messages", headers=HEADERS)
    assert (answer.status, answer.data) == (status, body)
    assert answer.headers["Content-Type"] == headers["Content-Type"] == "application/json; charset=UTF-8"


def test_a_204_has_no_body_and_the_connection_lives_on() -> None:
    with serve(new_twin()) as server:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=5)
        body = json.dumps({"ids": ["18c0"], "addLabelIds": ["STARRED"]})
        for _ in range(3):
            connection.request("POST", f"{ROOT}/messages/batchModify", body, HEADERS)
            answer = connection.getresponse()
            assert (answer.status, answer.read(), answer.getheader("Content-Length")) == (204, b"", None)
        connection.close()


def test_chunked_bodies_are_read() -> None:
    with serve(new_twin()) as server:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=5)
        chunks = iter([b'{"na', b'me": "Chunky"}'])
        connection.request("POST", f"{ROOT}/labels", chunks, HEADERS, encode_chunked=True)
        assert json.load(connection.getresponse())["name"] == "Chunky"
        connection.close()


def test_a_body_without_a_length_worth_reading_is_refused() -> None:
    with serve(new_twin()) as server:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=5)
        connection.request("POST", f"{ROOT}/labels", None, {**HEADERS, "Content-Length": str(10**12)})
        assert connection.getresponse().status == 413
        connection.close()


def test_many_threads_lose_no_change() -> None:
    twin = new_twin()
    ids = [Client(twin).insert(mail(str(number)), "INBOX")["id"] for number in range(60)]

    def archive(part: list[str], url: str) -> None:
        pool = urllib3.PoolManager(retries=False, timeout=5)
        for key in part:
            body = json.dumps({"removeLabelIds": ["INBOX"]}).encode()
            assert pool.request("POST", f"{url}{ROOT}/messages/{key}/modify", headers=HEADERS, body=body).status == 200

    with serve(twin) as server:
        threads = [threading.Thread(target=archive, args=(ids[at::6], server.url)) for at in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert not any(twin.label_sets().values()) and len(twin.mutations) == 120
    numbers = [change.history_id for change in twin.state.mail.changes]
    assert numbers == sorted(set(numbers))


def test_the_log_tells_method_path_parameters_status() -> None:
    twin = new_twin()
    client = Client(twin)
    client.call("GET", "messages?q=a&labelIds=INBOX&labelIds=UNREAD")
    client.call("POST", "messages/18c0/modify", {"addLabelIds": ["STARRED"]})
    first, second = twin.requests
    assert (first.method, first.path, first.route, first.status) == ("GET", f"{ROOT}/messages", "messages.list", 200)
    assert first.params == {"q": ["a"], "labelIds": ["INBOX", "UNREAD"]} and not first.is_mutating
    assert (second.route, second.status, second.is_mutating) == ("messages.modify", 404, True)
    assert json.loads(second.body) == {"addLabelIds": ["STARRED"]} and first.body == b""
    assert twin.mutations == (second,)
    twin.forget_requests()
    assert twin.requests == ()
