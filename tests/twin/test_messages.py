"""Messages: formats, bodies, headers, edits, lists. Shapes as in the discovery document of the Gmail API."""

import base64
from typing import Any

import pytest

from tests.twin.client import NOW_MS, OWNER, Client, encoded, mail, new_twin
from twin.state import Options

MULTIPART = (
    b"From: ann@mail.example\r\nSubject: parts\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: multipart/mixed; boundary=outer\r\n\r\npreamble\r\n--outer\r\n"
    b"Content-Type: multipart/alternative; boundary=inner\r\n\r\n--inner\r\n"
    b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ncaf=E9\r\n"
    b"--inner\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>caf&eacute;</p>\r\n--inner--\r\n"
    b"--outer\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename=old.eml\r\n\r\n"
    b"From: bob@mail.example\r\nSubject: within\r\n\r\nold text\r\n"
    b"--outer\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
    b"Content-Disposition: attachment; filename*=utf-8''r%C3%A9sum%C3%A9.png\r\n\r\niVBORw==\r\n--outer--\r\n"
)


@pytest.fixture
def client() -> Client:
    return Client(new_twin())


def data(part: Any) -> bytes:
    return base64.urlsafe_b64decode(part["body"]["data"])


def headers(message: Any) -> dict[str, str]:
    return {row["name"]: row["value"] for row in message["payload"]["headers"]}


def test_full_has_exactly_these_fields(client: Client) -> None:
    made = client.insert(mail("Hi"), "INBOX")
    full = client.get(f"messages/{made['id']}")
    common = {"id", "threadId", "labelIds", "snippet", "sizeEstimate", "historyId", "internalDate"}
    assert set(full) == common | {"payload"}
    assert list(full["payload"]) == ["partId", "mimeType", "filename", "headers", "body"]
    assert full["payload"]["partId"] == "" and full["payload"]["filename"] == ""
    assert set(client.get(f"messages/{made['id']}?format=minimal")) == common
    assert set(client.get(f"messages/{made['id']}?format=raw")) == common | {"raw"}
    shown = client.get(f"messages/{made['id']}?format=metadata")
    assert set(shown) == common | {"payload"} and set(shown["payload"]) == {"mimeType", "headers"}


def test_formats_are_read_in_any_case(client: Client) -> None:
    made = client.insert(mail("Hi"))
    assert "raw" in client.get(f"messages/{made['id']}?format=RAW")


def test_the_part_tree_of_a_nested_mail(client: Client) -> None:
    payload = client.get(f"messages/{client.insert(MULTIPART)['id']}")["payload"]
    assert payload["mimeType"] == "multipart/mixed" and payload["body"] == {"size": 0}
    first, eml, image = payload["parts"]
    assert [part["partId"] for part in payload["parts"]] == ["0", "1", "2"]
    assert [part["partId"] for part in first["parts"]] == ["0.0", "0.1"]
    assert (eml["mimeType"], eml["filename"], eml["parts"][0]["partId"]) == ("message/rfc822", "old.eml", "1.0")
    assert image["filename"] == "résumé.png" and "data" not in image["body"]


def test_text_is_utf_8_whatever_its_header_says(client: Client) -> None:
    payload = client.get(f"messages/{client.insert(MULTIPART)['id']}")["payload"]
    plain = payload["parts"][0]["parts"][0]
    assert data(plain) == "café".encode() and plain["body"]["size"] == 5
    assert {"name": "Content-Type", "value": "text/plain; charset=iso-8859-1"} in plain["headers"]


def test_attachments_come_by_id_byte_exact(client: Client) -> None:
    made = client.insert(MULTIPART)
    _, eml, image = client.get(f"messages/{made['id']}")["payload"]["parts"]
    found = client.get(f"messages/{made['id']}/attachments/{image['body']['attachmentId']}")
    assert found == {"size": 4, "data": "iVBORw=="} and image["body"]["size"] == 4
    inner = client.get(f"messages/{made['id']}/attachments/{eml['body']['attachmentId']}")
    assert base64.urlsafe_b64decode(inner["data"]) == b"From: bob@mail.example\r\nSubject: within\r\n\r\nold text"


def test_a_text_attachment_is_no_body(client: Client) -> None:
    raw = b"Content-Type: text/plain; name=notes.txt\r\nSubject: x\r\n\r\nsecret"
    made = client.insert(raw)
    message = client.get(f"messages/{made['id']}")
    assert "data" not in message["payload"]["body"] and message["snippet"] == ""


def test_a_large_body_comes_by_id() -> None:
    client = Client(new_twin(options=Options(inline_limit=10)))
    made = client.insert(mail(body="longer than ten"))
    body = client.get(f"messages/{made['id']}")["payload"]["body"]
    found = client.get(f"messages/{made['id']}/attachments/{body['attachmentId']}")
    assert "data" not in body and base64.urlsafe_b64decode(found["data"]).startswith(b"longer")


def test_an_unknown_attachment_is_400(client: Client) -> None:
    made = client.insert(mail())
    assert client.error("GET", f"messages/{made['id']}/attachments/x")[3] == "Invalid attachment token"


def test_headers_keep_order_duplicates_and_spelling(client: Client) -> None:
    raw = b"Received: one\r\nreceived:  two\r\nX-ODD :three\r\nSubject: a\r\n\tb\r\n  c\r\nSubject: again\r\n\r\n"
    rows = client.get(f"messages/{client.insert(raw)['id']}")["payload"]["headers"]
    pairs = [(row["name"], row["value"]) for row in rows]
    assert pairs == [
        ("Received", "one"),
        ("received", "two"),
        ("X-ODD", "three"),
        ("Subject", "a\tb  c"),
        ("Subject", "again"),
    ]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("=?utf-8?q?Caf=C3=A9?= =?utf-8?b?IG9mZmVy?=", "Café offer"),
        ("=?ISO-8859-1?Q?a=E9_b?= plain", "aé b plain"),
        ("=?x-unknown-9?q?abc?=", "=?x-unknown-9?q?abc?="),
        ("=?utf-8?q?one=0AX-Evil:_two?=", "one\nX-Evil: two"),
        ("=?utf-8*en?q?tagged?=", "tagged"),
        ("=?utf-8?b?!!!?=", ""),
        ("not =?encoded", "not =?encoded"),
    ],
)
def test_case_10_12_encoded_subjects_are_shown_decoded(client: Client, written: str, shown: str) -> None:
    made = client.insert(mail(written))
    assert headers(client.get(f"messages/{made['id']}"))["Subject"] == shown
    assert headers(client.get(f"messages/{made['id']}?format=metadata"))["Subject"] == shown
    assert written.encode() in base64.urlsafe_b64decode(client.get(f"messages/{made['id']}?format=raw")["raw"])


def test_a_decoded_name_cannot_make_two_addresses(client: Client) -> None:
    made = client.insert(mail(sender="=?utf-8?q?Bank=2C_x=40bank=2Eexample?= <evil@bad.example>"))
    assert headers(client.get(f"messages/{made['id']}"))["From"] == '"Bank, x@bank.example" <evil@bad.example>'


def test_eight_bit_headers_do_not_break_the_json(client: Client) -> None:
    made = client.insert(b"Subject: caf\xe9 \xc3\xa9\x00\r\n\r\nbody")
    assert headers(client.get(f"messages/{made['id']}"))["Subject"] == "caf� é\x00"


def test_metadata_headers_are_chosen_in_any_case(client: Client) -> None:
    made = client.insert(mail("Hi"))
    path = f"messages/{made['id']}?format=metadata&metadataHeaders=SUBJECT&metadataHeaders=x-none"
    assert headers(client.get(path)) == {"Subject": "Hi"}
    assert client.get(f"messages/{made['id']}?format=metadata&metadataHeaders=x-none")["payload"] == {
        "mimeType": "text/plain"
    }


def test_the_snippet_is_one_escaped_line_of_the_plain_text(client: Client) -> None:
    made = client.insert(mail(body="<b>&\r\n\r\n  two 'q' \"d\""))
    assert client.get(f"messages/{made['id']}")["snippet"] == "&lt;b&gt;&amp; two &#39;q&#39; &quot;d&quot;"


def test_the_snippet_of_html_has_no_markup(client: Client) -> None:
    raw = b"Content-Type: text/html\r\n\r\n<style>p{}</style><p>Hello&nbsp;<b>you</b></p><script>x()</script>"
    assert client.get(f"messages/{client.insert(raw)['id']}")["snippet"] == "Hello you"


def test_a_message_without_labels_has_no_label_key(client: Client) -> None:
    made = client.post("messages", {"raw": encoded(mail())})
    assert "labelIds" not in made and "labelIds" not in client.get(f"messages/{made['id']}")


@pytest.mark.parametrize("path", ["messages/{}", "messages/{}/modify", "messages/{}/trash", "threads/{}"])
def test_an_unknown_id_is_404_and_an_impossible_one_400(client: Client, path: str) -> None:
    verb = "POST" if path.count("/") == 2 else "GET"
    body = {"addLabelIds": ["STARRED"]} if verb == "POST" and "modify" in path else None
    assert client.error(verb, path.format("18c0ffee18c0ffee"), body)[:2] == (404, "notFound")
    refusal = client.error(verb, path.format("not-an-id!"), body)
    assert refusal == (400, "invalidArgument", "INVALID_ARGUMENT", "Invalid id value")


def test_modify_answers_the_brief_message(client: Client) -> None:
    made = client.insert(mail(), "INBOX", "UNREAD")
    body = {"addLabelIds": ["STARRED", "STARRED", "UNREAD"], "removeLabelIds": ["INBOX", "IMPORTANT"]}
    answer = client.post(f"messages/{made['id']}/modify", body)
    assert set(answer) == {"id", "threadId", "labelIds"} and sorted(answer["labelIds"]) == ["STARRED", "UNREAD"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "No label add or removes specified"),
        ({"addLabelIds": []}, "No label add or removes specified"),
        ({"addLabelIds": ["Nope"]}, "Invalid label: Nope"),
        ({"removeLabelIds": ["Nope"]}, "Invalid label: Nope"),
        ({"addLabelIds": ["SENT"]}, "Invalid label: SENT"),
        ({"removeLabelIds": ["DRAFT"]}, "Invalid label: DRAFT"),
        ({"addLabelIds": ["CHAT"]}, "Invalid label: CHAT"),
        ({"addLabelIds": ["starred"]}, "Invalid label: starred"),
        ({"addLabelIds": ["STARRED"], "removeLabelIds": ["STARRED"]}, "Cannot both add and remove"),
        ({"addLabelIds": ["STARRED"] * 101}, "Too many labels"),
        ({"removeLabelIds": ["STARRED"] * 101}, "Too many labels"),
        ({"addLabelIds": "STARRED"}, "Invalid value"),
        ({"addLabelIds": [1]}, "Invalid value"),
        ({"add": ["STARRED"]}, "Unknown name"),
        ([], "Expected an object"),
        (b"{", "Parse error"),
        (b"[" * 100_000, "Parse error"),
    ],
)
@pytest.mark.parametrize("path", ["messages/{}/modify", "messages/batchModify", "threads/{}/modify"])
def test_a_bad_edit_is_400_and_changes_nothing(client: Client, body: Any, message: str, path: str) -> None:
    made = client.insert(mail(), "INBOX")
    before = client.twin.state.mail
    sent = {**body, "ids": [made["id"]]} if isinstance(body, dict) and "batch" in path else body
    refusal = client.error("POST", path.format(made["id"]), sent)
    assert refusal[0] == 400 and message in refusal[3]
    assert client.twin.state.mail is before


def test_case_46_batch_modify_takes_1000_ids_and_not_1001(client: Client) -> None:
    made = client.insert(mail(), "INBOX")
    ids = [f"{number:016x}" for number in range(999)] + [made["id"]]
    assert client.ask("POST", "messages/batchModify", {"ids": ids, "addLabelIds": ["STARRED"]}) == (204, b"")
    assert client.labels(made["id"]) == {"INBOX", "STARRED"}
    body = {"ids": [*ids, "0000000000000abc"], "removeLabelIds": ["STARRED"]}
    assert client.error("POST", "messages/batchModify", body)[0] == 400
    assert client.labels(made["id"]) == {"INBOX", "STARRED"}


def test_batch_modify_ignores_unknown_ids_silently(client: Client) -> None:
    before = client.twin.state.mail
    body = {"ids": ["18c0ffee18c0ffee"], "addLabelIds": ["STARRED"]}
    assert client.ask("POST", "messages/batchModify", body) == (204, b"")
    assert client.twin.state.mail is before


def test_batch_modify_takes_an_id_twice_as_once(client: Client) -> None:
    made = client.insert(mail())
    since = client.get("profile")["historyId"]
    client.post("messages/batchModify", {"ids": [made["id"]] * 3, "addLabelIds": ["STARRED"]})
    assert len(client.get(f"history?startHistoryId={since}")["history"]) == 1


def test_trash_takes_inbox_off_and_untrash_does_not_put_it_back(client: Client) -> None:
    # Reports differ; the switch below gives the other reading.
    made = client.insert(mail(), "INBOX", "STARRED")
    assert set(client.post(f"messages/{made['id']}/trash", {})["labelIds"]) == {"STARRED", "TRASH"}
    assert set(client.post(f"messages/{made['id']}/untrash", {})["labelIds"]) == {"STARRED"}


def test_trash_keeps_inbox_when_told() -> None:
    client = Client(new_twin(options=Options(trash_keeps_inbox=True)))
    made = client.insert(mail(), "INBOX")
    assert set(client.post(f"messages/{made['id']}/trash", {})["labelIds"]) == {"INBOX", "TRASH"}
    assert set(client.post(f"messages/{made['id']}/untrash", {})["labelIds"]) == {"INBOX"}


def test_untrash_gives_inbox_when_told() -> None:
    client = Client(new_twin(options=Options(untrash_gives_inbox=True)))
    made = client.insert(mail(), "STARRED")
    assert set(client.post(f"messages/{made['id']}/untrash", {})["labelIds"]) == {"STARRED"}
    client.post(f"messages/{made['id']}/trash", {})
    assert set(client.post(f"messages/{made['id']}/untrash", {})["labelIds"]) == {"STARRED", "INBOX"}


def test_list_has_exactly_these_fields(client: Client) -> None:
    assert client.get("messages") == {"resultSizeEstimate": 0}
    made = client.insert(mail())
    rows = [{"id": made["id"], "threadId": made["threadId"]}]
    assert client.get("messages") == {"messages": rows, "resultSizeEstimate": 1}


def test_a_page_is_100_unless_asked_and_never_over_500() -> None:
    resources = [{"id": f"{number:016x}", "internalDate": str(number), "raw": "eA"} for number in range(1, 700)]
    client = Client(new_twin(resources))
    assert len(client.get("messages")["messages"]) == 100
    assert len(client.get("messages?maxResults=0")["messages"]) == 100
    assert len(client.get("messages?maxResults=9999")["messages"]) == 500
    assert len(client.get("messages?maxResults=7")["messages"]) == 7


def test_messages_of_one_millisecond_come_last_made_first(client: Client) -> None:
    ids = [client.insert(mail(str(number)))["id"] for number in range(5)]
    assert client.listed("") == ids[::-1]


@pytest.mark.parametrize("change", ["q=other", "labelIds=UNREAD", "includeSpamTrash=true"])
def test_a_page_token_belongs_to_its_query(client: Client, change: str) -> None:
    for _ in range(3):
        client.insert(mail(), "INBOX", "UNREAD")
    token = client.get("messages?maxResults=1")["nextPageToken"]
    assert client.get(f"messages?maxResults=2&pageToken={token}")["messages"]
    refusal = client.error("GET", f"messages?{change}&maxResults=1&pageToken={token}")
    assert refusal[0] == 400 and "pageToken" in refusal[3]


def test_a_page_token_of_messages_is_none_of_threads(client: Client) -> None:
    for number in range(3):
        client.insert(mail(str(number)))
    token = client.get("messages?maxResults=1")["nextPageToken"]
    assert client.error("GET", f"threads?maxResults=1&pageToken={token}")[0] == 400
    assert client.error("GET", f"messages?pageToken={token[:-2]}AA")[0] == 400
    assert client.error("GET", "messages?pageToken=%C3%A9")[0] == 400


def test_a_page_token_lives_on_when_its_message_is_gone(client: Client) -> None:
    ids = [client.insert(mail(str(number)))["id"] for number in range(4)][::-1]
    first = client.get("messages?maxResults=2")
    client.twin.vanish(ids[1])
    rest = client.get(f"messages?maxResults=5&pageToken={first['nextPageToken']}")
    assert [row["id"] for row in rest["messages"]] == ids[2:]


@pytest.mark.parametrize(
    "query",
    ["maxResults=-1", "maxResults=x", "maxResults=1.5", "includeSpamTrash=maybe", "unknown=1", "labelIds=Nope"],
)
def test_a_bad_list_parameter_is_400(client: Client, query: str) -> None:
    assert client.error("GET", f"messages?{query}")[0] == 400


def test_label_ids_of_trash_show_trash(client: Client) -> None:
    made = client.insert(mail(), "TRASH")["id"]
    assert [row["id"] for row in client.get("messages?labelIds=TRASH")["messages"]] == [made]
    assert "messages" not in client.get("messages?labelIds=STARRED")


def test_pretty_print_and_fields(client: Client) -> None:
    made = client.insert(mail())
    pretty = client.ask("GET", "messages")[1]
    line = client.ask("GET", "messages?prettyPrint=false")[1]
    assert b'\n  "messages": [\n' in pretty and b"\n" not in line and line.startswith(b'{"messages":[{"id":"')
    assert b"\n" not in client.ask("GET", "messages/18c0?prettyPrint=false")[1]
    assert client.get("messages?fields=messages(threadId),nextPageToken") == {
        "messages": [{"threadId": made["threadId"]}]
    }
    path = f"messages/{made['id']}?fields=payload/headers/name,id"
    assert set(client.get(path)) == {"payload", "id"}
    for broken in ("messages(id", "messages(id))", "messages,", "(id)", "a/", "messages(id)x"):
        assert client.error("GET", f"messages?fields={broken}")[0] == 400


def test_full_of_a_seeded_payload_is_the_payload() -> None:
    payload = {
        "partId": "",
        "mimeType": "multipart/mixed",
        "filename": "",
        "headers": [{"name": "Subject", "value": "a\r\nBcc: evil@bad.example"}, {"name": "To", "value": OWNER}],
        "body": {"size": 0},
        "parts": [{"partId": "0", "mimeType": "text/plain", "body": {"size": 2, "data": "aGk="}}],
    }
    resource = {
        "id": "18aa",
        "threadId": "18aa",
        "internalDate": str(NOW_MS),
        "snippet": "s &amp; t",
        "payload": payload,
    }
    client = Client(new_twin([{**resource, "sizeEstimate": 4711, "historyId": "99", "labelIds": ["INBOX"]}]))
    full = client.get("messages/18aa")
    assert full["payload"] == payload and full["snippet"] == "s &amp; t"
    assert (full["sizeEstimate"], full["historyId"], full["internalDate"]) == (4711, "99", str(NOW_MS))
    raw = base64.urlsafe_b64decode(client.get("messages/18aa?format=raw")["raw"])
    assert b"\r\nhi\r\n" in raw and b"\nBcc:" not in raw
    assert client.listed("hi") == ["18aa"]


def test_a_seed_may_lack_nearly_everything() -> None:
    client = Client(new_twin([{"id": "msg_a", "labelIds": ["INBOX", "Label_7"]}, {"raw": ""}]))
    assert client.get("messages/msg_a")["payload"] == {"mimeType": "text/plain"}
    assert client.get("messages/msg_a?format=raw")["raw"]
    assert client.get("labels/Label_7")["messagesTotal"] == 1
    assert client.post("labels", {"name": "next"})["id"] == "Label_8"
    assert len(client.listed("in:anywhere")) == 2
