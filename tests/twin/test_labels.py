"""Labels: names Gmail refuses, look-alikes, ids, counts."""

import json

import pytest

from tests.twin.client import Client, mail, new_twin
from twin.state import Options


@pytest.fixture
def client() -> Client:
    return Client(new_twin())


def test_exactly_the_system_labels_of_a_fresh_mailbox(client: Client) -> None:
    rows = client.get("labels")["labels"]
    tabs = [f"CATEGORY_{tab}" for tab in ("FORUMS", "UPDATES", "PERSONAL", "PROMOTIONS", "SOCIAL")]
    names = ["CHAT", "SENT", "INBOX", "IMPORTANT", "TRASH", "DRAFT", "SPAM", *tabs, "STARRED", "UNREAD"]
    assert [row["id"] for row in rows] == names
    assert all(row["type"] == "system" and "messagesTotal" not in row for row in rows)


def test_a_new_label_has_its_visibility_and_the_next_id(client: Client) -> None:
    assert client.post("labels", {"name": "One"}) == {
        "id": "Label_1",
        "name": "One",
        "messageListVisibility": "show",
        "labelListVisibility": "labelShow",
        "type": "user",
    }
    body = {"name": "Two", "labelListVisibility": "labelHide", "messageListVisibility": "hide"}
    made = client.post("labels", {**body, "color": {"textColor": "#000000", "backgroundColor": "#ffffff"}})
    assert made.items() >= {**body, "id": "Label_2"}.items() and made["color"]["textColor"] == "#000000"


def test_ids_are_never_used_twice(client: Client) -> None:
    client.post("labels", {"name": "One"})
    client.twin.delete_label("Label_1")
    assert client.post("labels", {"name": "One"})["id"] == "Label_2"


def test_ids_of_a_seed_are_kept_and_go_on(client: Client) -> None:
    seeded = Client(new_twin(labels=[{"id": "Label_41", "name": "Old", "type": "user"}]))
    assert seeded.post("labels", {"name": "New"})["id"] == "Label_42"


@pytest.mark.parametrize("name", ["receipts", "RECEIPTS", "Receipts", "ＲＥＣＥＩＰＴＳ"])
def test_look_alikes_conflict(client: Client, name: str) -> None:
    client.post("labels", {"name": "Receipts"})
    refusal = client.error("POST", "labels", {"name": name})
    assert refusal == (409, "aborted", "ABORTED", "Label name exists or conflicts")


def test_separators_collide_only_when_told() -> None:
    plain = Client(new_twin())
    plain.post("labels", {"name": "job search"})
    assert plain.call("POST", "labels", {"name": "job-search"})[0] == 200
    strict = Client(new_twin(options=Options(separators_collide=True)))
    strict.post("labels", {"name": "job search"})
    assert strict.call("POST", "labels", {"name": "job-search"})[0] == 409


@pytest.mark.parametrize(
    "name",
    [
        *("INBOX", "inbox", "Sent", "DRAFT", "Drafts", "spam", "Trash", "Unread", "starred", "Important", "chat"),
        *("Muted", "snoozed", "Scheduled", "CATEGORY_SOCIAL", "INBOX/jobs", "inbox/x", "^weird"),
        *("", " ", " leading", "trailing ", "line\nbreak", "tab\there", "nul\x00", "a//b", "/a", "a/", "x" * 226),
    ],
)
def test_case_39_reserved_or_dirty_names_are_invalid(client: Client, name: str) -> None:
    refusal = client.error("POST", "labels", {"name": name})
    assert refusal == (400, "invalidArgument", "INVALID_ARGUMENT", "Invalid label name")


@pytest.mark.parametrize("name", ["Jobs", "Jobs/INBOX", "Inboxes", "Приём", "x" * 225, "a b/c d", "✉"])
def test_names_beside_the_reserved_ones_are_fine(client: Client, name: str) -> None:
    assert client.post("labels", {"name": name})["name"] == name


@pytest.mark.parametrize(
    "body",
    [{}, {"name": 7}, {"name": None}, {"name": ["x"]}, {"name": "x", "labelListVisibility": "always"}, {"nam": "x"}],
)
def test_a_malformed_label_is_400(client: Client, body: object) -> None:
    assert client.call("POST", "labels", body)[0] == 400
    assert len(client.get("labels")["labels"]) == 14


def test_a_lone_surrogate_is_no_name(client: Client) -> None:
    assert client.call("POST", "labels", json.dumps({"name": "x\ud800"}).encode())[0] == 400


def test_counts_of_messages_and_threads(client: Client) -> None:
    made = client.insert(mail("A", Message_ID="<a@x.example>"), "INBOX", "UNREAD")
    client.insert(mail("Re: A", In_Reply_To="<a@x.example>"), "INBOX", "UNREAD", threadId=made["threadId"])
    client.insert(mail("B"), "INBOX")
    row = client.get("labels/INBOX")
    keys = ("messagesTotal", "messagesUnread", "threadsTotal", "threadsUnread")
    assert [row[key] for key in keys] == [3, 2, 2, 1]
    assert [client.get("labels/STARRED")[key] for key in keys] == [0, 0, 0, 0]


def test_a_deleted_label_comes_off_its_messages_with_history(client: Client) -> None:
    label = client.post("labels", {"name": "Gone"})["id"]
    made = client.insert(mail(), "INBOX", label)
    since = client.get("profile")["historyId"]
    client.twin.delete_label(label)
    assert client.labels(made["id"]) == {"INBOX"}
    assert client.error("GET", f"labels/{label}")[:2] == (404, "notFound")
    rows = client.get(f"history?startHistoryId={since}")["history"]
    assert rows[0]["labelsRemoved"][0]["labelIds"] == [label]
    assert (
        client.error("POST", f"messages/{made['id']}/modify", {"addLabelIds": [label]})[3] == f"Invalid label: {label}"
    )
