"""Planned faults: when they strike, what they leave done, on both faces."""

import json
import socket
import time

import pytest
import urllib3

from tests.twin.client import Client, mail, new_twin
from twin.faults import DroppedError, Fault, HungError
from twin.running import Twin
from twin.serve import serve

STAR = {"addLabelIds": ["STARRED"]}


@pytest.fixture
def client() -> Client:
    made = Client(new_twin())
    made.insert(mail(), "INBOX")
    return made


def only(client: Client) -> str:
    return next(iter(client.twin.state.mail.messages))


def star(client: Client) -> tuple[int, bytes]:
    return client.ask("POST", f"messages/{only(client)}/modify", STAR)


def is_starred(client: Client) -> bool:
    return "STARRED" in client.twin.labels_of(only(client))


def test_429_then_403_then_all_is_well(client: Client) -> None:
    client.twin.plan(Fault("http_429", "messages.modify"), Fault("quota_403", "messages.modify", nth=2))
    path = f"messages/{only(client)}/modify"
    assert client.error("POST", path, STAR)[:2] == (429, "rateLimitExceeded")
    assert client.error("POST", path, STAR)[:2] == (403, "userRateLimitExceeded")
    assert not is_starred(client)
    assert star(client)[0] == 200 and is_starred(client)


@pytest.mark.parametrize("code", [500, 502, 503])
def test_server_errors_do_nothing(client: Client, code: int) -> None:
    client.twin.plan(Fault(f"http_{code}", "messages.modify"))  # type: ignore[arg-type]
    assert client.error("POST", f"messages/{only(client)}/modify", STAR)[:2] == (code, "backendError")
    assert not is_starred(client)


@pytest.mark.parametrize(
    ("kind", "error", "is_done"),
    [
        ("drop_before", DroppedError, False),
        ("drop_after", DroppedError, True),
        ("cut", DroppedError, True),
        ("hang", HungError, False),
        ("hang_after", HungError, True),
    ],
)
def test_a_lost_answer_may_or_may_not_be_done(client: Client, kind: str, error: type[Exception], is_done: bool) -> None:
    client.twin.plan(Fault(kind, "messages.modify"))  # type: ignore[arg-type]
    with pytest.raises(error):
        star(client)
    assert is_starred(client) is is_done
    assert client.twin.requests[-1].status == 0 and client.twin.requests[-1].fault == kind
    assert star(client)[0] == 200


@pytest.mark.parametrize("kind", ["truncated", "html", "empty"])
def test_a_bad_200_has_done_its_work(client: Client, kind: str) -> None:
    client.twin.plan(Fault(kind, "messages.modify"))  # type: ignore[arg-type]
    status, body = star(client)
    assert status == 200 and is_starred(client)
    with pytest.raises(ValueError, match=r"line 1|Expecting|Unterminated"):
        json.loads(body)


def test_a_truncated_204_is_no_json_either(client: Client) -> None:
    client.twin.plan(Fault("truncated", "messages.batchModify"))
    body = {"ids": [only(client)], **STAR}
    assert client.ask("POST", "messages/batchModify", body) == (200, b'{"id') and is_starred(client)


def test_nth_and_count_choose_the_calls(client: Client) -> None:
    client.twin.plan(Fault("http_500", "messages.get", nth=2, count=2))
    path = f"messages/{only(client)}"
    assert [client.call("GET", path)[0] for _ in range(4)] == [200, 500, 500, 200]
    client.twin.plan(Fault("http_503", "messages.list", count=0))
    assert [client.call("GET", "messages")[0] for _ in range(3)] == [503] * 3
    client.twin.clear_faults()
    assert client.call("GET", "messages")[0] == 200


def test_other_routes_are_spared_unless_the_route_is_any(client: Client) -> None:
    client.twin.plan(Fault("http_500", "messages.list"))
    assert client.call("GET", "labels")[0] == 200
    client.twin.clear_faults()
    client.twin.plan(Fault("http_500"))
    assert client.call("GET", "labels")[0] == 500


def test_a_message_vanishes_just_before_the_call(client: Client) -> None:
    target = only(client)
    client.twin.plan(Fault("vanish", "messages.modify", target=target))
    assert client.error("POST", f"messages/{target}/modify", STAR)[0] == 404


def test_a_batch_does_not_tell_that_a_message_vanished(client: Client) -> None:
    target = only(client)
    client.twin.plan(Fault("vanish", "messages.batchModify", target=target))
    assert client.ask("POST", "messages/batchModify", {"ids": [target], **STAR}) == (204, b"")
    assert client.error("GET", f"messages/{target}")[0] == 404


def test_labels_drift_just_before_the_call(client: Client) -> None:
    target = only(client)
    client.twin.plan(Fault("drift", "messages.get", target=target, add=("IMPORTANT",), remove=("INBOX",)))
    assert client.labels(target) == {"IMPORTANT"}


def test_a_label_is_deleted_just_before_the_call(client: Client) -> None:
    label = client.post("labels", {"name": "Gone"})["id"]
    client.twin.plan(Fault("label_deleted", "messages.modify", target=label))
    refusal = client.error("POST", f"messages/{only(client)}/modify", {"addLabelIds": [label]})
    assert refusal[3] == f"Invalid label: {label}"


def test_history_expires_just_before_the_call(client: Client) -> None:
    since = client.get("profile")["historyId"]
    client.twin.plan(Fault("history_expired", "history.list"))
    assert client.error("GET", f"history?startHistoryId={since}")[0] == 404


def test_a_hand_and_a_failure_may_strike_together(client: Client) -> None:
    target = only(client)
    client.twin.plan(
        Fault("drift", "messages.modify", target=target, add=("IMPORTANT",)), Fault("drop_after", "messages.modify")
    )
    with pytest.raises(DroppedError):
        star(client)
    assert client.twin.labels_of(target) == {"INBOX", "IMPORTANT", "STARRED"}


def http_star(twin: Twin, url: str, timeout: float = 5.0) -> urllib3.BaseHTTPResponse:
    pool = urllib3.PoolManager(retries=False, timeout=timeout)
    path = f"{url}/gmail/v1/users/me/messages/{next(iter(twin.state.mail.messages))}/modify"
    return pool.request("POST", path, headers={"Authorization": "Bearer all"}, body=json.dumps(STAR).encode())


@pytest.mark.parametrize(("kind", "is_done"), [("drop_before", False), ("drop_after", True), ("cut", True)])
def test_over_http_the_connection_closes(client: Client, kind: str, is_done: bool) -> None:
    client.twin.plan(Fault(kind, "messages.modify"))  # type: ignore[arg-type]
    with serve(client.twin) as server, pytest.raises(urllib3.exceptions.HTTPError) as caught:
        http_star(client.twin, server.url)
    assert is_starred(client) is is_done
    assert ("IncompleteRead" in repr(caught.value)) is (kind == "cut")


def test_over_http_a_bad_200_is_a_200(client: Client) -> None:
    with serve(client.twin) as server:
        client.twin.plan(Fault("html", "messages.modify"))
        answer = http_star(client.twin, server.url)
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=UTF-8")
        client.twin.plan(Fault("empty", "messages.modify"))
        assert http_star(client.twin, server.url).data == b""


def test_over_http_a_hang_is_silent_and_bounded(client: Client) -> None:
    client.twin.plan(Fault("hang", "messages.modify", seconds=0.4))
    with serve(client.twin) as server:
        start = time.monotonic()
        with pytest.raises(urllib3.exceptions.TimeoutError):
            http_star(client.twin, server.url, timeout=0.15)
        assert http_star(client.twin, server.url).status == 200
    assert time.monotonic() - start < 3


def test_stopping_ends_a_hang_at_once(client: Client) -> None:
    client.twin.plan(Fault("hang", "messages.modify", seconds=30))
    start = time.monotonic()
    with serve(client.twin) as server, pytest.raises(urllib3.exceptions.TimeoutError):
        http_star(client.twin, server.url, timeout=0.15)
    assert time.monotonic() - start < 3


def test_the_server_survives_a_client_that_leaves(client: Client) -> None:
    with serve(client.twin) as server:
        with socket.create_connection((server.host, server.port), timeout=2) as raw:
            raw.sendall(b"POST /gmail/v1/users/me/labels HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
        assert http_star(client.twin, server.url).status == 200
