"""Threads: order, shapes, edits of every member."""

from typing import Any

import pytest

from tests.twin.client import Client, encoded, mail, new_twin


@pytest.fixture
def client() -> Client:
    return Client(new_twin())


def talk(client: Client) -> list[Any]:
    """Three messages of one thread, inserted out of order; the middle one is in the trash."""
    made: list[Any] = []
    for day, label in (("02", "INBOX"), ("01", "TRASH"), ("03", "UNREAD")):
        raw = mail("Talk", Date=f"Mon, {day} Nov 2026 10:00:00 +0000", body=f"day {day}")
        body = {"raw": encoded(raw), "labelIds": [label]}
        made.append(client.post("messages/import", body | ({"threadId": made[0]["threadId"]} if made else {})))
    return made


def test_members_come_oldest_first_trash_included(client: Client) -> None:
    second, first, third = talk(client)
    thread = client.get(f"threads/{second['threadId']}")
    assert set(thread) == {"id", "historyId", "messages"}
    assert [row["id"] for row in thread["messages"]] == [first["id"], second["id"], third["id"]]
    assert thread["historyId"] == max((row["historyId"] for row in thread["messages"]), key=int)


@pytest.mark.parametrize(("form", "key"), [("full", "body"), ("metadata", "headers"), ("minimal", "")])
def test_formats(client: Client, form: str, key: str) -> None:
    made = talk(client)[0]
    for row in client.get(f"threads/{made['threadId']}?format={form}")["messages"]:
        assert "raw" not in row and ("payload" in row) == bool(key)
        assert not key or key in row["payload"]


def test_there_is_no_raw_thread(client: Client) -> None:
    made = talk(client)[0]
    assert client.error("GET", f"threads/{made['threadId']}?format=raw")[0] == 400


def test_a_thread_is_listed_once_by_its_newest_hit(client: Client) -> None:
    made = talk(client)[0]
    other = client.insert(mail("Other"))
    rows = client.get("threads")
    assert [row["id"] for row in rows["threads"]] == [other["threadId"], made["threadId"]]
    assert rows["resultSizeEstimate"] == 2 and rows["threads"][1]["snippet"] == "day 03"
    assert [row["id"] for row in client.get("threads?labelIds=UNREAD")["threads"]] == [made["threadId"]]
    assert client.get("threads?q=nothing") == {"resultSizeEstimate": 0}


def test_paging_of_threads(client: Client) -> None:
    ids = [client.insert(mail(str(number)))["threadId"] for number in range(7)]
    pages = client.pages("threads", "threads", 3)
    assert [len(page) for page in pages] == [3, 3, 1]
    assert [row["id"] for page in pages for row in page] == ids[::-1]


def test_paging_of_threads_of_one_moment(client: Client) -> None:
    """The older thread has the newest message: its place among equals must not depend on that."""
    old = client.insert(mail("Old", Message_ID="<old@x.example>"))["threadId"]
    new = client.insert(mail("New"))["threadId"]
    client.insert(mail("Re: Old", In_Reply_To="<old@x.example>"))
    assert sorted(row["id"] for page in client.pages("threads", "threads", 1) for row in page) == sorted([old, new])


def test_edits_reach_every_member(client: Client) -> None:
    made = talk(client)
    path = f"threads/{made[0]['threadId']}"
    answer = client.post(f"{path}/modify", {"addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD"]})
    assert answer["id"] == made[0]["threadId"] and len(answer["messages"]) == 3
    assert all(set(row) == {"id", "threadId", "labelIds"} for row in answer["messages"])
    assert [client.labels(row["id"]) for row in made] == [{"INBOX", "STARRED"}, {"TRASH", "STARRED"}, {"STARRED"}]
    client.post(f"{path}/trash", {})
    assert all(client.labels(row["id"]) == {"TRASH", "STARRED"} for row in made)
    client.post(f"{path}/untrash", {})
    assert all(client.labels(row["id"]) == {"STARRED"} for row in made)


def test_a_thread_ends_with_its_last_message(client: Client) -> None:
    made = client.insert(mail())
    client.twin.vanish(made["id"])
    assert client.error("GET", f"threads/{made['threadId']}")[0] == 404
    assert client.get("profile")["threadsTotal"] == 0
