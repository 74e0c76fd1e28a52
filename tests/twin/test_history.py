"""history.list: window, kinds, filters, paging. Google: ids are not contiguous; too old a start is 404."""

import itertools
from typing import Any

import pytest

from tests.twin.client import Client, mail, new_twin


@pytest.fixture
def client() -> Client:
    return Client(new_twin())


def now(client: Client) -> int:
    return int(client.get("profile")["historyId"])


def rows(client: Client, since: int, more: str = "") -> list[Any]:
    return list(client.get(f"history?startHistoryId={since}{more}").get("history", []))


def test_nothing_new_has_only_the_id(client: Client) -> None:
    assert client.get(f"history?startHistoryId={now(client)}") == {"historyId": str(now(client))}


def test_a_start_is_required_and_must_be_a_number(client: Client) -> None:
    assert client.error("GET", "history")[0] == 400
    for wrong in ("x", "-1", "1.5", "9" * 30, "%C2%B2"):
        assert client.error("GET", f"history?startHistoryId={wrong}")[0] == 400


def test_a_start_out_of_the_window_is_404(client: Client) -> None:
    client.insert(mail())
    for wrong in (0, 1, 999, now(client) + 1, 2**63):
        assert client.error("GET", f"history?startHistoryId={wrong}")[:2] == (404, "notFound")
    old = now(client)
    client.twin.expire_history()
    assert client.error("GET", f"history?startHistoryId={old}")[0] == 404
    assert rows(client, now(client)) == []


def test_ids_have_gaps(client: Client) -> None:
    since = now(client)
    ids = [int(client.get(f"messages/{client.insert(mail())['id']}")["historyId"]) for _ in range(20)]
    assert ids == sorted(ids) and ids[0] > since
    assert {later - earlier for earlier, later in itertools.pairwise(ids)} != {1}


def test_each_kind_of_change(client: Client) -> None:
    since = now(client)
    made = client.insert(mail(), "INBOX")
    brief = {"id": made["id"], "threadId": made["threadId"]}
    client.post(f"messages/{made['id']}/modify", {"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]})
    client.twin.vanish(made["id"])
    added, changed, deleted = rows(client, since)
    assert added["messagesAdded"] == [{"message": {**brief, "labelIds": ["INBOX"]}}]
    after = {**brief, "labelIds": ["STARRED"]}
    assert changed["labelsAdded"] == [{"message": after, "labelIds": ["STARRED"]}]
    assert changed["labelsRemoved"] == [{"message": after, "labelIds": ["INBOX"]}]
    assert deleted["messagesDeleted"] == [{"message": after}]
    assert all(row["messages"] == [brief] for row in (added, changed, deleted))


def test_trash_is_a_label_change_not_a_deletion(client: Client) -> None:
    made = client.insert(mail(), "INBOX")
    since = now(client)
    client.post(f"messages/{made['id']}/trash", {})
    (row,) = rows(client, since)
    assert row["labelsAdded"][0]["labelIds"] == ["TRASH"] and row["labelsRemoved"][0]["labelIds"] == ["INBOX"]
    assert "messagesDeleted" not in row


def test_no_change_no_record(client: Client) -> None:
    made = client.insert(mail(), "INBOX", "STARRED")
    since = now(client)
    client.post(f"messages/{made['id']}/modify", {"addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD"]})
    assert now(client) == since and rows(client, since) == []


def test_kinds_are_filtered_and_may_be_several(client: Client) -> None:
    since = now(client)
    made = client.insert(mail(), "INBOX")
    client.post(f"messages/{made['id']}/modify", {"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]})

    def kinds(query: str) -> list[set[str]]:
        return [set(row) - {"id", "messages"} for row in rows(client, since, query)]

    assert kinds("&historyTypes=messageAdded") == [{"messagesAdded"}]
    assert kinds("&historyTypes=labelRemoved") == [{"labelsRemoved"}]
    assert kinds("&historyTypes=messageAdded&historyTypes=labelAdded") == [{"messagesAdded"}, {"labelsAdded"}]
    assert kinds("&historyTypes=messageDeleted") == []
    assert client.error("GET", f"history?startHistoryId={since}&historyTypes=all")[0] == 400


def test_the_label_filter_sees_what_wears_or_wore_it(client: Client) -> None:
    since = now(client)
    one, two = client.insert(mail("1"), "INBOX"), client.insert(mail("2"), "SENT")
    client.post(f"messages/{one['id']}/modify", {"removeLabelIds": ["INBOX"]})
    client.post(f"messages/{two['id']}/modify", {"addLabelIds": ["STARRED"]})
    found = [row["messages"][0]["id"] for row in rows(client, since, "&labelId=INBOX")]
    assert found == [one["id"], one["id"]]
    assert client.error("GET", f"history?startHistoryId={since}&labelId=Nope")[0] == 400


def test_paging(client: Client) -> None:
    since = now(client)
    ids = [client.insert(mail(str(number)))["id"] for number in range(7)]
    pages = client.pages(f"history?startHistoryId={since}", "history", 3)
    assert [len(page) for page in pages] == [3, 3, 1]
    assert [row["messages"][0]["id"] for page in pages for row in page] == ids
    token = client.get(f"history?startHistoryId={since}&maxResults=1")["nextPageToken"]
    other = f"history?startHistoryId={since}&historyTypes=labelAdded&pageToken={token}"
    assert client.error("GET", other)[0] == 400


def test_a_batch_leaves_a_record_for_each_message(client: Client) -> None:
    ids = [client.insert(mail(str(number)), "INBOX")["id"] for number in range(3)]
    since = now(client)
    client.post("messages/batchModify", {"ids": ids, "removeLabelIds": ["INBOX"]})
    assert [row["messages"][0]["id"] for row in rows(client, since)] == ids


def test_a_seed_has_no_past() -> None:
    client = Client(
        new_twin([{"id": "18aa", "historyId": "5000", "raw": "eA", "labelIds": ["INBOX"]}], history_id=7000)
    )
    assert now(client) == 7000
    assert client.error("GET", "history?startHistoryId=5000")[0] == 404
    client.twin.relabel("18aa", add=("STARRED",))
    assert len(rows(client, 7000)) == 1
