"""insert and import: dates, threads, uploads, refusals."""

import json
from typing import Any

import pytest

from tests.twin.client import NOW_MS, Client, encoded, mail, new_twin

DATE = "Mon, 02 Nov 2026 10:00:00 +0000"
DATE_MS = "1793613600000"


@pytest.fixture
def client() -> Client:
    return Client(new_twin())


def date_of(client: Client, path: str, raw: bytes) -> str:
    made = client.post(path, {"raw": encoded(raw), "labelIds": ["INBOX"]})
    return str(client.get(f"messages/{made['id']}?format=minimal")["internalDate"])


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("messages", str(NOW_MS)),
        ("messages?internalDateSource=receivedTime", str(NOW_MS)),
        ("messages?internalDateSource=dateHeader", DATE_MS),
        ("messages/import", DATE_MS),
        ("messages/import?internalDateSource=dateHeader", DATE_MS),
        ("messages/import?internalDateSource=receivedTime", str(NOW_MS)),
    ],
)
def test_insert_counts_receipt_and_import_the_date_header(client: Client, path: str, wanted: str) -> None:
    # Defaults as in the discovery document: insert receivedTime, import dateHeader.
    assert date_of(client, path, mail(Date=DATE)) == wanted


@pytest.mark.parametrize(
    ("date", "wanted"),
    [
        ("Mon, 02 Nov 2026 12:00:00 +0200", DATE_MS),
        ("02 Nov 2026 10:00", DATE_MS),
        ("Mon, 02 Nov 2026 10:00:00", DATE_MS),
        ("Fri, 02 Nov 2040 10:00:00 +0000", "2235463200000"),
        ("yesterday", str(NOW_MS)),
        ("", str(NOW_MS)),
        ("Mon, 99 Nov 99999 99:99:99 +9999", str(NOW_MS)),
        ("Mon, 02 Nov 1910 10:00:00 +0000", str(NOW_MS)),
    ],
)
def test_case_25_27_odd_dates_fall_back_to_receipt(client: Client, date: str, wanted: str) -> None:
    assert date_of(client, "messages/import", mail(Date=date)) == wanted


def test_a_reply_finds_its_thread_by_references(client: Client) -> None:
    first = client.insert(mail("Talk", Message_ID="<one@x.example>"))
    by_reference = client.insert(mail("RE: talk", References="<zero@x.example> <one@x.example>"))
    by_reply = client.insert(mail("Fwd: Re: Talk", In_Reply_To="<ONE@x.example>"))
    assert {by_reference["threadId"], by_reply["threadId"]} == {first["threadId"]}


def test_another_subject_starts_another_thread(client: Client) -> None:
    first = client.insert(mail("Talk", Message_ID="<one@x.example>"))
    other = client.insert(mail("Something else", References="<one@x.example>"))
    named = client.insert(mail("Something else"), threadId=first["threadId"])
    assert first["threadId"] not in {other["threadId"], named["threadId"]}


def test_the_same_subject_alone_is_no_thread(client: Client) -> None:
    assert client.insert(mail("Talk"))["threadId"] != client.insert(mail("Talk"))["threadId"]


def test_an_unknown_thread_is_404_and_nothing_is_stored(client: Client) -> None:
    body = {"raw": encoded(mail()), "threadId": "18c0ffee18c0ffee"}
    assert client.error("POST", "messages", body)[:2] == (404, "notFound")
    assert client.get("profile")["messagesTotal"] == 0


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "'raw' RFC822 payload"),
        ({"raw": ""}, "'raw' RFC822 payload"),
        ({"raw": "a"}, "Base64 decoding failed"),
        ({"raw": "a*bc"}, "Base64 decoding failed"),
        ({"raw": 7}, "Invalid value"),
        ({"raw": "eA", "labelIds": ["Nope"]}, "Invalid label: Nope"),
        ({"raw": "eA", "labelIds": ["CHAT"]}, "Invalid label: CHAT"),
        ({"raw": "eA", "labelIds": [None]}, "Invalid value"),
        ({"raw": "eA", "label": ["INBOX"]}, "Unknown name"),
    ],
)
@pytest.mark.parametrize("path", ["messages", "messages/import"])
def test_a_bad_arrival_is_400_and_stores_nothing(client: Client, body: Any, message: str, path: str) -> None:
    status, _, _, told = client.error("POST", path, body)
    assert status == 400 and message in told
    assert client.get("profile")["messagesTotal"] == 0


def test_labels_are_stored_once_each(client: Client) -> None:
    made = client.insert(mail(), "INBOX", "INBOX", "SENT")
    assert made["labelIds"] == ["INBOX", "SENT"]


def upload(client: Client, path: str, kind: str, body: bytes) -> tuple[int, Any]:
    headers = {"Authorization": "Bearer all", "Content-Type": kind}
    url = f"http://twin.test/upload/gmail/v1/users/me/{path}"
    status, _, data = client.twin.in_process().request("POST", url, headers, body)
    return status, json.loads(data)


@pytest.mark.parametrize("path", ["messages", "messages/import"])
def test_the_body_may_be_the_mail_itself(client: Client, path: str) -> None:
    status, made = upload(client, f"{path}?uploadType=media", "message/rfc822", mail("Media"))
    assert status == 200 and "labelIds" not in made
    assert client.listed("subject:media") == [made["id"]]


def test_a_multipart_upload_brings_labels_and_exact_bytes(client: Client) -> None:
    raw = mail("Multi") + b"--sep--not a delimiter\r\n"
    parts = (
        b"--sep\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n" + b'{"labelIds": ["INBOX"]}' + b"\r\n"
        b"--sep\r\nContent-Type: message/rfc822\r\n\r\n" + raw + b"\r\n--sep--\r\n"
    )
    status, made = upload(client, "messages?uploadType=multipart", 'multipart/related; boundary="sep"', parts)
    assert status == 200 and made["labelIds"] == ["INBOX"]
    assert client.get(f"messages/{made['id']}?format=raw")["raw"] == encoded(raw)


def test_a_broken_multipart_upload_is_400(client: Client) -> None:
    assert upload(client, "messages?uploadType=multipart", "multipart/related; boundary=b", b"--b\r\n\r\n{}")[0] == 400
    assert upload(client, "messages?uploadType=multipart", "multipart/related", b"x")[0] == 400


def test_ids_are_16_hex_digits_and_grow(client: Client) -> None:
    ids = [client.insert(mail(str(number)))["id"] for number in range(50)]
    assert ids == sorted(ids) and len(set(ids)) == 50
    assert all(len(key) == 16 and int(key, 16) for key in ids)


def test_a_delivered_mail_is_news_for_the_history(client: Client) -> None:
    since = client.get("profile")["historyId"]
    stored = client.twin.deliver(mail("Post"))
    rows = client.get(f"history?startHistoryId={since}&historyTypes=messageAdded")["history"]
    assert [event["message"]["id"] for row in rows for event in row["messagesAdded"]] == [stored.message_id]
    assert client.labels(stored.message_id) == {"INBOX", "UNREAD"}
