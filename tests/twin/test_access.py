"""Who may do what: tokens, scopes, users, quota; and the calls that are recorded and refused."""

import pytest

from tests.twin.client import NOW_MS, OWNER, TOKENS, Client, encoded, mail, new_twin
from twin.auth import ALL, scopes
from twin.core import handle
from twin.wire import Request

READS = ("profile", "labels", "labels/INBOX", "messages", "threads")


def test_a_missing_token_asks_for_a_login() -> None:
    status, body = Client(new_twin(), bearer="").call("GET", "profile")
    first = body["error"]["errors"][0]
    assert (status, first["reason"], first["message"]) == (401, "required", "Login Required.")
    assert first["location"] == "Authorization"


def test_an_unknown_token_is_an_auth_error() -> None:
    assert Client(new_twin(), bearer="x").error("GET", "profile")[:3] == (401, "authError", "UNAUTHENTICATED")


def test_a_401_names_the_scheme() -> None:
    status, headers, _ = new_twin().in_process().request("GET", "http://t/gmail/v1/users/me/profile")
    assert status == 401 and headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("name", ["access_token", "oauth_token"])
def test_a_token_in_the_query_works(name: str) -> None:
    path = f"http://t/gmail/v1/users/me/profile?{name}=reader"
    assert new_twin().in_process().request("GET", path)[0] == 200


def test_a_token_in_the_query_is_not_in_the_log() -> None:
    twin = new_twin()
    twin.in_process().request("GET", "http://t/gmail/v1/users/me/profile?access_token=reader")
    assert "access_token" not in twin.requests[0].params


@pytest.mark.parametrize("path", READS)
def test_a_reader_reads(path: str) -> None:
    assert Client(new_twin(), "reader").call("GET", path)[0] == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("messages/18c0/modify", {"addLabelIds": ["STARRED"]}),
        ("messages/batchModify", {"ids": [], "addLabelIds": ["STARRED"]}),
        ("messages/18c0/trash", {}),
        ("messages/18c0/untrash", {}),
        ("threads/18c0/modify", {"addLabelIds": ["STARRED"]}),
        ("threads/18c0/trash", {}),
        ("threads/18c0/untrash", {}),
        ("labels", {"name": "New"}),
        ("messages", {"raw": "eA"}),
        ("messages/import", {"raw": "eA"}),
    ],
)
def test_a_reader_changes_nothing(path: str, body: object) -> None:
    twin = new_twin()
    before = twin.state
    status, reason, name, message = Client(twin, "reader").error("POST", path, body)
    assert (status, reason, name) == (403, "insufficientPermissions", "PERMISSION_DENIED")
    assert message == "Request had insufficient authentication scopes."
    assert twin.state is before


def test_an_insert_token_only_inserts() -> None:
    client = Client(new_twin(tokens={"seed": scopes("gmail.insert")}), "seed")
    assert client.call("POST", "messages", {"raw": encoded(mail())})[0] == 200
    assert client.call("GET", "messages")[0] == 403


def test_a_metadata_token_may_not_search_even_beside_readonly() -> None:
    # google-api-python-client issue 582
    client = Client(new_twin(), "meta")
    made = Client(client.twin).insert(mail())
    assert client.error("GET", "messages?q=x")[:2] == (403, "forbidden")
    assert client.error("GET", f"messages/{made['id']}")[0] == 403
    assert client.error("GET", f"messages/{made['id']}?format=raw")[0] == 403
    assert client.error("GET", f"threads/{made['threadId']}")[0] == 403
    assert client.call("GET", f"messages/{made['id']}?format=metadata")[0] == 200
    assert client.call("GET", f"messages/{made['id']}?format=minimal")[0] == 200
    assert client.call("GET", "messages")[0] == 200


@pytest.mark.parametrize("user", ["me", OWNER, OWNER.upper()])
def test_the_owner_is_me(user: str) -> None:
    assert Client(new_twin(), user=user).get("profile")["emailAddress"] == OWNER


@pytest.mark.parametrize("user", ["other@demo.example", "me+tag@demo.example", "ME2", "mе@demo.example"])
def test_another_user_is_refused(user: str) -> None:
    from urllib.parse import quote

    status, reason, _, message = Client(new_twin(), user=quote(user)).error("GET", "profile")
    assert (status, reason) == (403, "forbidden") and message.startswith("Delegation denied")


BARRED = [
    ("POST", "messages/send"),
    ("DELETE", "messages/18c0"),
    ("POST", "messages/batchDelete"),
    ("DELETE", "threads/18c0"),
    ("DELETE", "labels/Label_1"),
    ("PUT", "labels/Label_1"),
    ("PATCH", "labels/Label_1"),
    ("POST", "drafts"),
    ("GET", "drafts"),
    ("PUT", "drafts/r1"),
    ("DELETE", "drafts/r1"),
    ("POST", "drafts/send"),
    ("POST", "watch"),
    ("POST", "stop"),
    ("GET", "settings/filters"),
    ("POST", "settings/filters"),
    ("PUT", "settings/vacation"),
    ("PUT", "settings/autoForwarding"),
    ("POST", "settings/forwardingAddresses"),
    ("POST", "settings/delegates"),
    ("PATCH", "settings/sendAs/x@y.example"),
    ("DELETE", "settings/sendAs/x@y.example/smimeInfo/1"),
]


@pytest.mark.parametrize(("verb", "path"), BARRED)
def test_send_delete_and_settings_are_recorded_and_refused(verb: str, path: str) -> None:
    twin = new_twin()
    Client(twin).insert(mail())
    before = twin.state
    assert Client(twin).error(verb, path, {})[:2] == (403, "forbidden")
    assert [seen.path for seen in twin.recorded] == [f"/gmail/v1/users/me/{path}"]
    assert twin.state is before


@pytest.mark.parametrize("url", ["/batch", "/batch/gmail/v1", "/upload/gmail/v1/users/me/messages/send"])
def test_side_doors_are_recorded(url: str) -> None:
    twin = new_twin()
    status, _, _ = twin.in_process().request("POST", f"http://t{url}", {"Authorization": "Bearer all"})
    assert status == 403 and len(twin.recorded) == 1


def test_inserting_deleted_mail_is_recorded() -> None:
    twin = new_twin()
    body = {"raw": encoded(mail())}
    assert Client(twin).error("POST", "messages?deleted=true", body)[:2] == (403, "forbidden")
    assert len(twin.recorded) == 1 and not twin.state.mail.messages


def test_an_attempt_with_a_bad_token_is_recorded_too() -> None:
    twin = new_twin()
    assert Client(twin, "x").call("POST", "messages/send", {})[0] == 401
    assert len(twin.recorded) == 1


def test_the_override_header_does_what_google_does() -> None:
    # The client library rewrites a long GET into such a POST; a gate must see that it is no GET.
    twin = new_twin()
    headers = {
        "Authorization": "Bearer all",
        "X-HTTP-Method-Override": "GET",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    status, _, _ = twin.in_process().request("POST", "http://t/gmail/v1/users/me/messages", headers, "q=in:inbox")
    assert (status, twin.requests[0].route, twin.mutations) == (200, "messages.list", ())
    headers["X-HTTP-Method-Override"] = "DELETE"
    assert twin.in_process().request("POST", "http://t/gmail/v1/users/me/messages/18c0", headers)[0] == 403


@pytest.mark.parametrize(
    ("verb", "url"),
    [
        ("GET", "/"),
        ("GET", "/gmail/v1/users/me"),
        ("GET", "/gmail/v1/users/me/nothing"),
        ("GET", "/gmail/v2/users/me/profile"),
        ("POST", "/gmail/v1/users/me/profile"),
        ("PATCH", "/gmail/v1/users/me/messages/18c0"),
        ("GET", "/upload/gmail/v1/users/me/profile"),
        ("GET", "/gmail/v1/users/me/messages/a/b/c"),
    ],
)
def test_what_does_not_exist_is_404(verb: str, url: str) -> None:
    headers = {"Authorization": "Bearer all"}
    assert new_twin().in_process().request(verb, f"http://t{url}", headers)[0] == 404


def test_scopes_are_read_from_short_names_and_urls() -> None:
    assert scopes("https://www.googleapis.com/auth/gmail.modify, mail") == {"gmail.modify", "mail"}
    assert scopes("all") == ALL and "gmail.metadata" not in ALL
    for wrong in ("", "gmail.nothing", "modify"):
        with pytest.raises(ValueError, match="unknown scopes"):
            scopes(wrong)


def test_quota_is_spent_in_units_and_refills_with_the_clock() -> None:
    now = [NOW_MS]
    twin = new_twin(quota=40, clock=lambda: now[0])
    client = Client(twin)
    made = client.insert(mail())  # 25 units
    assert client.call("GET", "messages")[0] == 200  # 5
    assert client.error("GET", f"messages/{made['id']}")[:3] == (429, "rateLimitExceeded", "RESOURCE_EXHAUSTED")
    now[0] += 14_000  # 9 units come back: 19
    assert client.call("GET", f"messages/{made['id']}")[0] == 429
    now[0] += 2_000
    assert client.call("GET", f"messages/{made['id']}")[0] == 200


def test_quota_can_answer_403() -> None:
    client = Client(new_twin(quota=1, quota_refusal=403))
    assert client.error("GET", "messages")[:2] == (403, "userRateLimitExceeded")


def test_a_refused_call_costs_and_an_unpaid_one_does_nothing() -> None:
    twin = new_twin(quota=30)
    client = Client(twin)
    assert client.call("GET", "messages/18c0")[0] == 404  # 20 units all the same
    assert client.call("POST", "messages", {"raw": encoded(mail())})[0] == 429
    assert not twin.state.mail.messages


def test_no_quota_unless_told() -> None:
    client = Client(new_twin())
    assert all(client.call("GET", "messages")[0] == 200 for _ in range(300))


def test_handle_is_a_function_of_its_arguments() -> None:
    state = new_twin().state
    headers = (("Authorization", "Bearer all"),)
    body = b'{"raw":"U3ViamVjdDogeA0KDQp5"}'
    request = Request("POST", "/gmail/v1/users/me/messages", headers, body)
    one, two = handle(state, request, NOW_MS), handle(state, request, NOW_MS)
    assert one[1] == two[1] and one[1].status == 200
    assert not state.mail.messages and len(one[0].mail.messages) == 1


def test_the_token_table_is_a_copy() -> None:
    tokens = dict(TOKENS)
    twin = new_twin(tokens=tokens)
    tokens["late"] = ALL
    assert Client(twin, "late").call("GET", "profile")[0] == 401
