"""What a client of Gmail may rely on, checked in the same words on the twin and on two independent emulators."""

import base64
import json
from typing import Any
from urllib.parse import quote

import pytest

from pipeline.changes.readback import is_reached
from pipeline.models.operation import Trash
from tests.peers.servers import Mailbox

UNKNOWN = "18ffffffffffffff"


def mail(
    subject: str = "Hello", *, sender: str = "ann@mail.example", body: str = "A line of text.", **more: str
) -> bytes:
    fields = {"From": sender, "To": "me@demo.example", "Subject": subject, **more}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return f"{head}\r\n{body}\r\n".encode()


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode()


def insert(gmail: Mailbox, raw: bytes, *labels: str, **more: Any) -> dict[str, Any]:
    return gmail.post("messages", {"raw": encoded(raw), "labelIds": list(labels or ("INBOX",)), **more})


def listed(gmail: Mailbox, query: str = "", **params: Any) -> list[str]:
    text = "&".join(f"{key}={quote(str(value))}" for key, value in {"q": query, **params}.items())
    return [row["id"] for row in gmail.get(f"messages?{text}").get("messages", [])]


def labels(gmail: Mailbox, message_id: str) -> set[str]:
    return set(gmail.get(f"messages/{message_id}?format=minimal").get("labelIds", []))


def reason(body: Any) -> str:
    return str(body["error"]["errors"][0]["reason"])


# Profile, identity, tokens


def test_profile_names_the_owner_and_counts(gmail: Mailbox) -> None:
    first = insert(gmail, mail("One"))
    profile = gmail.get("profile")
    assert profile["emailAddress"] == gmail.owner
    assert (profile["messagesTotal"], profile["threadsTotal"]) == (1, 1)
    assert profile["historyId"].isdigit() and first["id"]


def test_a_missing_token_is_401_with_the_error_shape(gmail: Mailbox) -> None:
    status, body = gmail.call("GET", "labels", token="")
    assert status == 401
    error = body["error"]
    assert (error["code"], error["status"]) == (401, "UNAUTHENTICATED")
    assert error["message"] and error["errors"][0]["domain"] == "global"


def test_an_unknown_token_is_401(gmail: Mailbox) -> None:
    assert gmail.call("GET", "labels", token="no-such-token")[0] == 401


def test_the_own_address_is_me(gmail: Mailbox) -> None:
    assert gmail.call("GET", "labels", user=gmail.owner)[0] == 200


def test_another_address_is_403(gmail: Mailbox) -> None:
    assert gmail.call("GET", "labels", user="somebody@else.example")[0] == 403


# Labels


def test_system_labels_are_listed(gmail: Mailbox) -> None:
    rows = {row["id"]: row for row in gmail.get("labels")["labels"]}
    wanted = {"INBOX", "SPAM", "TRASH", "UNREAD", "STARRED", "IMPORTANT", "SENT", "DRAFT"}
    tabs = {f"CATEGORY_{tab}" for tab in ("PERSONAL", "SOCIAL", "PROMOTIONS", "UPDATES", "FORUMS")}
    assert wanted | tabs <= set(rows)
    assert all(rows[key]["type"] == "system" and rows[key]["name"] == key for key in wanted)


def test_chat_is_a_system_label(gmail: Mailbox) -> None:
    assert "CHAT" in {row["id"] for row in gmail.get("labels")["labels"]}


def test_a_created_label_is_listed_with_its_id(gmail: Mailbox) -> None:
    made = gmail.post("labels", {"name": "Jobs/Interview"})
    assert made["name"] == "Jobs/Interview" and made["id"]
    rows = {row["id"]: row for row in gmail.get("labels")["labels"]}
    assert rows[made["id"]]["name"] == "Jobs/Interview" and rows[made["id"]]["type"] == "user"


def test_a_label_look_alike_is_409(gmail: Mailbox) -> None:
    gmail.post("labels", {"name": "Receipts"})
    status, body = gmail.call("POST", "labels", {"name": "receipts"})
    assert status == 409
    assert body["error"]["message"] == "Label name exists or conflicts"


def test_a_label_conflict_has_the_reason_aborted(gmail: Mailbox) -> None:
    gmail.post("labels", {"name": "Receipts"})
    assert reason(gmail.call("POST", "labels", {"name": "RECEIPTS"})[1]) == "aborted"


@pytest.mark.parametrize("name", ["INBOX", "inbox", "Trash", ""])
def test_a_system_name_cannot_be_made(gmail: Mailbox, name: str) -> None:
    status, body = gmail.call("POST", "labels", {"name": name})
    assert (status, body["error"]["message"]) == (400, "Invalid label name")


@pytest.mark.parametrize("name", ["Drafts", "Muted", "INBOX/jobs"])
def test_a_reserved_name_cannot_be_made(gmail: Mailbox, name: str) -> None:
    assert gmail.call("POST", "labels", {"name": name})[0] == 400


def test_label_counts(gmail: Mailbox) -> None:
    insert(gmail, mail("One"), "INBOX", "UNREAD")
    insert(gmail, mail("Two"), "INBOX")
    inbox = gmail.get("labels/INBOX")
    counts = [inbox[key] for key in ("messagesTotal", "messagesUnread", "threadsTotal", "threadsUnread")]
    assert counts == [2, 1, 2, 1]


def test_an_unknown_label_is_404(gmail: Mailbox) -> None:
    assert gmail.call("GET", "labels/Label_99")[0] == 404


# Insert, get


def test_insert_answers_id_thread_and_labels(gmail: Mailbox) -> None:
    made = insert(gmail, mail(), "INBOX", "UNREAD")
    assert made["id"] and made["threadId"] and set(made["labelIds"]) == {"INBOX", "UNREAD"}


def test_an_empty_insert_is_400(gmail: Mailbox) -> None:
    assert gmail.call("POST", "messages", {"labelIds": ["INBOX"]})[0] == 400


def test_insert_with_an_unknown_label_is_400(gmail: Mailbox) -> None:
    assert gmail.call("POST", "messages", {"raw": encoded(mail()), "labelIds": ["Label_77"]})[0] == 400


def test_import_stores_a_message(gmail: Mailbox) -> None:
    made = gmail.post("messages/import", {"raw": encoded(mail("Imported")), "labelIds": ["INBOX"]})
    assert labels(gmail, made["id"]) == {"INBOX"}


def test_import_takes_the_date_header(gmail: Mailbox) -> None:
    raw = mail(Date="Mon, 02 Nov 2026 10:00:00 +0000")
    made = gmail.post("messages/import", {"raw": encoded(raw), "labelIds": ["INBOX"]})
    assert gmail.get(f"messages/{made['id']}?format=minimal")["internalDate"] == "1793613600000"


def test_insert_takes_the_date_header_when_asked(gmail: Mailbox) -> None:
    raw = mail(Date="Mon, 02 Nov 2026 10:00:00 +0000")
    body = {"raw": encoded(raw), "labelIds": ["INBOX"]}
    made = gmail.post("messages?internalDateSource=dateHeader", body)
    assert gmail.get(f"messages/{made['id']}?format=minimal")["internalDate"] == "1793613600000"


def test_raw_is_byte_exact(gmail: Mailbox) -> None:
    raw = mail("Exact", X_Odd="a  b") + b"tail\n\n"
    made = insert(gmail, raw)
    text = gmail.get(f"messages/{made['id']}?format=raw")["raw"]
    assert base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)) == raw


def test_full_has_headers_and_body(gmail: Mailbox) -> None:
    made = insert(gmail, mail("Subject of it", body="Body of it."))
    full = gmail.get(f"messages/{made['id']}")
    headers = {row["name"]: row["value"] for row in full["payload"]["headers"]}
    assert headers["Subject"] == "Subject of it" and headers["From"] == "ann@mail.example"
    data = full["payload"]["body"]["data"]
    assert base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)).decode().strip() == "Body of it."


def test_full_keeps_every_header(gmail: Mailbox) -> None:
    made = insert(gmail, mail(List_Unsubscribe="<https://list.example/u>", X_Own="1"))
    full = gmail.get(f"messages/{made['id']}")
    assert {"List-Unsubscribe", "X-Own"} <= {row["name"] for row in full["payload"]["headers"]}


def test_full_decodes_an_encoded_subject(gmail: Mailbox) -> None:
    made = insert(gmail, mail("=?utf-8?q?Caf=C3=A9_offer?="))
    rows = gmail.get(f"messages/{made['id']}")["payload"]["headers"]
    assert "Café offer" in [row["value"] for row in rows if row["name"] == "Subject"]


def test_minimal_has_no_payload_and_string_numbers(gmail: Mailbox) -> None:
    made = insert(gmail, mail())
    minimal = gmail.get(f"messages/{made['id']}?format=minimal")
    assert "payload" not in minimal and "raw" not in minimal
    assert minimal["historyId"].isdigit() and minimal["internalDate"].isdigit()
    assert isinstance(minimal["sizeEstimate"], int) and minimal["snippet"]


def test_metadata_has_the_named_headers_only(gmail: Mailbox) -> None:
    made = insert(gmail, mail())
    shown = gmail.get(f"messages/{made['id']}?format=metadata&metadataHeaders=subject&metadataHeaders=To")
    assert {row["name"] for row in shown["payload"]["headers"]} == {"Subject", "To"}
    assert "parts" not in shown["payload"]


def test_snippets_are_html_escaped(gmail: Mailbox) -> None:
    made = insert(gmail, mail(body="Tom & <Jo> say 'yes'"))
    assert gmail.get(f"messages/{made['id']}?format=minimal")["snippet"] == "Tom &amp; &lt;Jo&gt; say &#39;yes&#39;"


def test_an_unknown_format_is_400(gmail: Mailbox) -> None:
    made = insert(gmail, mail())
    assert gmail.call("GET", f"messages/{made['id']}?format=everything")[0] == 400


@pytest.mark.parametrize("form", ["minimal", "full", "raw", "metadata"])
def test_an_unknown_message_is_404(gmail: Mailbox, form: str) -> None:
    status, body = gmail.call("GET", f"messages/{UNKNOWN}?format={form}")
    assert (status, body["error"]["status"], reason(body)) == (404, "NOT_FOUND", "notFound")


def test_an_attachment_comes_by_id(gmail: Mailbox) -> None:
    raw = (
        b"From: ann@mail.example\r\nTo: me@demo.example\r\nSubject: file\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nsee file\r\n--b\r\n"
        b'Content-Type: application/pdf; name="cv.pdf"\r\nContent-Disposition: attachment; filename="cv.pdf"\r\n'
        b"Content-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--b--\r\n"
    )
    made = insert(gmail, raw)
    parts = gmail.get(f"messages/{made['id']}")["payload"]["parts"]
    part = next(part for part in parts if part["filename"] == "cv.pdf")
    assert "data" not in part["body"] and part["body"]["size"] == 5
    found = gmail.get(f"messages/{made['id']}/attachments/{part['body']['attachmentId']}")
    assert found["size"] == 5 and base64.urlsafe_b64decode(found["data"] + "==") == b"%PDF-"


def test_an_unknown_attachment_is_no_success(gmail: Mailbox) -> None:
    made = insert(gmail, mail())
    assert gmail.call("GET", f"messages/{made['id']}/attachments/none")[0] in (400, 404)


# Lists and paging


def test_an_empty_list_has_no_messages_key(gmail: Mailbox) -> None:
    body = gmail.get("messages")
    assert "messages" not in body and body["resultSizeEstimate"] == 0 and "nextPageToken" not in body


def test_a_list_row_is_id_and_thread_only(gmail: Mailbox) -> None:
    made = insert(gmail, mail())
    assert gmail.get("messages")["messages"] == [{"id": made["id"], "threadId": made["threadId"]}]


def test_newest_first(gmail: Mailbox) -> None:
    days = ("03", "01", "02")
    made = {}
    for day in days:
        raw = encoded(mail(day, Date=f"Tue, {day} Nov 2026 10:00:00 +0000"))
        made[day] = gmail.post("messages/import", {"raw": raw, "labelIds": ["INBOX"]})["id"]
    assert listed(gmail) == [made["03"], made["02"], made["01"]]


def test_paging_gives_every_id_once(gmail: Mailbox) -> None:
    ids = [insert(gmail, mail(f"n{number}"))["id"] for number in range(7)]
    found, token = [], ""
    for _ in range(10):
        body = gmail.get("messages?maxResults=3" + (f"&pageToken={token}" if token else ""))
        found += [row["id"] for row in body["messages"]]
        token = body.get("nextPageToken", "")
        if not token:
            break
    assert sorted(found) == sorted(ids) and len(found) == 7


def test_an_invented_page_token_is_400(gmail: Mailbox) -> None:
    insert(gmail, mail())
    assert gmail.call("GET", "messages?pageToken=not-a-token")[0] == 400


def test_a_page_token_of_another_query_is_400(gmail: Mailbox) -> None:
    for number in range(3):
        insert(gmail, mail(f"n{number}"))
    token = gmail.get("messages?maxResults=1&q=subject:n1+OR+subject:n2")["nextPageToken"]
    assert gmail.call("GET", f"messages?maxResults=1&q=in:inbox&pageToken={token}")[0] == 400


def test_more_than_500_is_capped(gmail: Mailbox) -> None:
    insert(gmail, mail())
    assert gmail.call("GET", "messages?maxResults=5000")[0] == 200


def test_label_ids_are_anded(gmail: Mailbox) -> None:
    both = insert(gmail, mail("both"), "INBOX", "STARRED")["id"]
    insert(gmail, mail("one"), "INBOX")
    assert [row["id"] for row in gmail.get("messages?labelIds=INBOX&labelIds=STARRED")["messages"]] == [both]


def test_spam_and_trash_are_hidden_unless_asked_for(gmail: Mailbox) -> None:
    shown = insert(gmail, mail("in"), "INBOX")["id"]
    spam = insert(gmail, mail("spam"), "SPAM")["id"]
    trash = insert(gmail, mail("trash"), "TRASH")["id"]
    assert listed(gmail) == [shown]
    assert set(listed(gmail, includeSpamTrash="true")) == {shown, spam, trash}
    assert {row["id"] for row in gmail.get("messages?labelIds=TRASH")["messages"]} == {trash}


def test_in_anywhere_shows_spam_and_trash(gmail: Mailbox) -> None:
    ids = {insert(gmail, mail(place), place)["id"] for place in ("INBOX", "SPAM", "TRASH")}
    assert set(listed(gmail, "in:anywhere")) == ids


# Search


def search_box(gmail: Mailbox) -> dict[str, str]:
    gmail.post("labels", {"name": "Job Search"})
    rows = {row["name"]: row["id"] for row in gmail.get("labels")["labels"]}
    more = {"Date": "Mon, 02 Nov 2026 10:00:00 +0000", "Message_ID": "<alpha-1@mail.example>"}
    first = mail("Your interview on Friday", sender="Ann Lee <ann@corp.example>", body="Please confirm", **more)
    second = mail("Weekly digest", sender="news@list.example", body="Ten jobs for you", Cc="bob@demo.example")
    return {
        "a": insert(gmail, first, "INBOX", "UNREAD", rows["Job Search"])["id"],
        "b": insert(gmail, second, "INBOX", "STARRED", "CATEGORY_PROMOTIONS")["id"],
    }


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("from:ann@corp.example", "a"),
        ("from:corp.example", "a"),
        ("to:me@demo.example", "ab"),
        ("subject:interview", "a"),
        ('subject:"weekly digest"', "b"),
        ("confirm", "a"),
        ("nowhere", ""),
        ("is:unread", "a"),
        ("is:read", "b"),
        ("is:starred", "b"),
        ("in:inbox", "ab"),
        ("in:trash", ""),
        ("-from:ann@corp.example", "b"),
        ("from:ann@corp.example is:unread", "a"),
        ("from:ann@corp.example is:starred", ""),
        ("has:attachment", ""),
        ("rfc822msgid:alpha-1@mail.example", "a"),
        ("rfc822msgid:<alpha-1@mail.example>", "a"),
        ("label:job-search", "a"),
        ("category:promotions", "b"),
        ("has:userlabels", "a"),
        ("has:nouserlabels", "b"),
        ("cc:bob@demo.example", "b"),
        ("from:ann@corp.example OR from:news@list.example", "ab"),
        ("{from:ann@corp.example subject:digest}", "ab"),
        ("is:starred (from:ann@corp.example OR from:news@list.example)", "b"),
        ("from:(ann@corp.example OR news@list.example) is:unread", "a"),
        ("-{from:ann@corp.example subject:digest}", ""),
        ("inter", ""),
        ("larger:1M", ""),
        ("smaller:1M", "ab"),
        ("after:2020/01/01", "ab"),
        ("before:2020/01/01", ""),
        ("newer_than:2000d", "ab"),
        ("older_than:20y", ""),
    ],
)
def test_search(gmail: Mailbox, query: str, wanted: str) -> None:
    box = search_box(gmail)
    assert set(listed(gmail, query)) == {box[key] for key in wanted}


# Changes


def test_modify_adds_and_removes(gmail: Mailbox) -> None:
    made = insert(gmail, mail(), "INBOX", "UNREAD")
    answer = gmail.post(f"messages/{made['id']}/modify", {"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]})
    assert answer["id"] == made["id"] and set(answer["labelIds"]) == {"UNREAD", "STARRED"}
    assert labels(gmail, made["id"]) == {"UNREAD", "STARRED"}


def test_modify_of_an_unknown_message_is_404(gmail: Mailbox) -> None:
    assert gmail.call("POST", f"messages/{UNKNOWN}/modify", {"addLabelIds": ["STARRED"]})[0] == 404


def test_modify_with_an_unknown_label_is_400_and_changes_nothing(gmail: Mailbox) -> None:
    made = insert(gmail, mail())
    body = {"addLabelIds": ["Label_77"], "removeLabelIds": ["INBOX"]}
    status, answer = gmail.call("POST", f"messages/{made['id']}/modify", body)
    assert status == 400 and "Invalid label" in answer["error"]["message"]
    assert labels(gmail, made["id"]) == {"INBOX"}


@pytest.mark.parametrize("label", ["SENT", "DRAFT"])
def test_sent_and_draft_cannot_be_added(gmail: Mailbox, label: str) -> None:
    made = insert(gmail, mail())
    assert gmail.call("POST", f"messages/{made['id']}/modify", {"addLabelIds": [label]})[0] == 400


def test_batch_modify_is_204_and_ignores_unknown_ids(gmail: Mailbox) -> None:
    made = insert(gmail, mail())
    body = {"ids": [UNKNOWN, made["id"]], "addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]}
    assert gmail.call("POST", "messages/batchModify", body) == (204, None)
    assert labels(gmail, made["id"]) == {"STARRED"}


def test_batch_modify_over_1000_ids_is_400(gmail: Mailbox) -> None:
    body = {"ids": [f"{number:016x}" for number in range(1001)], "addLabelIds": ["STARRED"]}
    assert gmail.call("POST", "messages/batchModify", body)[0] == 400


def test_modify_and_its_inverse_restore_the_labels(gmail: Mailbox) -> None:
    made = insert(gmail, mail(), "INBOX", "UNREAD", "IMPORTANT")
    edit = {"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX", "UNREAD"]}
    gmail.post(f"messages/{made['id']}/modify", edit)
    back = {"addLabelIds": edit["removeLabelIds"], "removeLabelIds": edit["addLabelIds"]}
    gmail.post(f"messages/{made['id']}/modify", back)
    assert labels(gmail, made["id"]) == {"INBOX", "UNREAD", "IMPORTANT"}


def test_trash_adds_trash(gmail: Mailbox) -> None:
    made = insert(gmail, mail(), "INBOX", "STARRED")
    gmail.post(f"messages/{made['id']}/trash", {})
    assert labels(gmail, made["id"]) - {"INBOX"} == {"TRASH", "STARRED"}


def test_untrash_takes_trash_off(gmail: Mailbox) -> None:
    made = insert(gmail, mail(), "INBOX", "STARRED")
    gmail.post(f"messages/{made['id']}/trash", {})
    gmail.post(f"messages/{made['id']}/untrash", {})
    assert labels(gmail, made["id"]) - {"INBOX"} == {"STARRED"}


@pytest.mark.contract("AP-9")
@pytest.mark.parametrize("worn", [("INBOX", "STARRED"), ("STARRED",)])
def test_untrash_and_then_the_exact_difference_give_every_label_back(gmail: Mailbox, worn: tuple[str, ...]) -> None:
    """What an undo of trash rests on, wherever a Gmail leaves INBOX."""
    made = insert(gmail, mail(), *worn)
    before = labels(gmail, made["id"])
    gmail.post(f"messages/{made['id']}/trash", {})
    assert is_reached(Trash(message_id=made["id"]), before, frozenset(labels(gmail, made["id"])))
    gmail.post(f"messages/{made['id']}/untrash", {})
    now = labels(gmail, made["id"])
    assert before ^ now <= {"INBOX"}
    if before != now:
        edit = {"addLabelIds": sorted(before - now), "removeLabelIds": sorted(now - before)}
        gmail.post(f"messages/{made['id']}/modify", edit)
    assert labels(gmail, made["id"]) == before


# Threads


def thread_of_two(gmail: Mailbox) -> tuple[dict[str, Any], dict[str, Any]]:
    first = insert(gmail, mail("Talk", Message_ID="<one@mail.example>"))
    reply = mail("Re: Talk", In_Reply_To="<one@mail.example>", References="<one@mail.example>")
    return first, insert(gmail, reply, "INBOX", "UNREAD", threadId=first["threadId"])


def test_a_reply_joins_the_thread_it_names(gmail: Mailbox) -> None:
    first, second = thread_of_two(gmail)
    assert second["threadId"] == first["threadId"]


def test_thread_get_has_every_message_oldest_first(gmail: Mailbox) -> None:
    first, second = thread_of_two(gmail)
    thread = gmail.get(f"threads/{first['threadId']}?format=minimal")
    assert thread["id"] == first["threadId"] and thread["historyId"].isdigit()
    assert [row["id"] for row in thread["messages"]] == [first["id"], second["id"]]


def test_thread_list_has_a_row_per_thread(gmail: Mailbox) -> None:
    first, _ = thread_of_two(gmail)
    rows = gmail.get("threads")["threads"]
    assert [row["id"] for row in rows] == [first["threadId"]]
    assert set(rows[0]) == {"id", "snippet", "historyId"}


def test_an_empty_thread_list_has_no_threads_key(gmail: Mailbox) -> None:
    assert "threads" not in gmail.get("threads")


def test_thread_modify_changes_every_message(gmail: Mailbox) -> None:
    first, second = thread_of_two(gmail)
    answer = gmail.post(f"threads/{first['threadId']}/modify", {"removeLabelIds": ["INBOX"]})
    assert answer["id"] == first["threadId"]
    assert labels(gmail, first["id"]) == set() and labels(gmail, second["id"]) == {"UNREAD"}


def test_thread_trash_and_untrash(gmail: Mailbox) -> None:
    first, second = thread_of_two(gmail)
    gmail.post(f"threads/{first['threadId']}/trash", {})
    assert all("TRASH" in labels(gmail, key) for key in (first["id"], second["id"]))
    gmail.post(f"threads/{first['threadId']}/untrash", {})
    assert not any("TRASH" in labels(gmail, key) for key in (first["id"], second["id"]))


@pytest.mark.parametrize("verb_path", ["GET threads/{}", "POST threads/{}/modify", "POST threads/{}/trash"])
def test_an_unknown_thread_is_404(gmail: Mailbox, verb_path: str) -> None:
    verb, path = verb_path.format(UNKNOWN).split()
    body = {"addLabelIds": ["STARRED"]} if path.endswith("modify") else None if verb == "GET" else {}
    assert gmail.call(verb, path, body)[0] == 404


# History


def start(gmail: Mailbox) -> str:
    """Any message's history id stands for the profile, which one of the peers lacks."""
    made = insert(gmail, mail("marker"))
    return str(gmail.get(f"messages/{made['id']}?format=minimal")["historyId"])


def history(gmail: Mailbox, since: str, more: str = "") -> dict[str, Any]:
    return gmail.get(f"history?startHistoryId={since}{more}")


def test_history_without_a_start_is_400(gmail: Mailbox) -> None:
    assert gmail.call("GET", "history")[0] == 400


def test_history_from_long_ago_is_404(gmail: Mailbox) -> None:
    insert(gmail, mail())
    assert gmail.call("GET", "history?startHistoryId=1")[0] == 404


def test_an_empty_history_has_only_the_id(gmail: Mailbox) -> None:
    since = start(gmail)
    body = history(gmail, since)
    assert "history" not in body and body["historyId"].isdigit()


def test_an_arrival_is_in_the_history(gmail: Mailbox) -> None:
    since = start(gmail)
    made = insert(gmail, mail("new"))
    rows = history(gmail, since)["history"]
    assert [row["messagesAdded"][0]["message"]["id"] for row in rows] == [made["id"]]
    assert int(rows[0]["id"]) > int(since)
    assert {"id": made["id"], "threadId": made["threadId"]}.items() <= rows[0]["messages"][0].items()


def test_label_changes_are_in_the_history_with_what_changed(gmail: Mailbox) -> None:
    made = insert(gmail, mail(), "INBOX", "UNREAD")
    since = start(gmail)
    gmail.post(f"messages/{made['id']}/modify", {"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]})
    rows = history(gmail, since)["history"]
    added = [event for row in rows for event in row.get("labelsAdded", [])]
    removed = [event for row in rows for event in row.get("labelsRemoved", [])]
    assert [(event["message"]["id"], event["labelIds"]) for event in added] == [(made["id"], ["STARRED"])]
    assert [(event["message"]["id"], event["labelIds"]) for event in removed] == [(made["id"], ["INBOX"])]


def test_history_types_filter(gmail: Mailbox) -> None:
    made = insert(gmail, mail(), "INBOX")
    since = start(gmail)
    insert(gmail, mail("new"))
    gmail.post(f"messages/{made['id']}/modify", {"addLabelIds": ["STARRED"]})
    rows = history(gmail, since, "&historyTypes=labelAdded")["history"]
    assert [set(row) - {"id", "messages"} for row in rows] == [{"labelsAdded"}]


def test_a_change_that_changes_nothing_leaves_no_history(gmail: Mailbox) -> None:
    made = insert(gmail, mail(), "INBOX", "STARRED")
    since = start(gmail)
    gmail.post(f"messages/{made['id']}/modify", {"addLabelIds": ["STARRED"]})
    assert not history(gmail, since).get("history")


def test_a_message_carries_the_id_of_its_last_change(gmail: Mailbox) -> None:
    made = insert(gmail, mail())
    before = int(gmail.get(f"messages/{made['id']}?format=minimal")["historyId"])
    gmail.post(f"messages/{made['id']}/modify", {"addLabelIds": ["STARRED"]})
    assert int(gmail.get(f"messages/{made['id']}?format=minimal")["historyId"]) > before


# Layout


def test_pretty_print_false_is_one_line(gmail: Mailbox) -> None:
    insert(gmail, mail())
    status, data = gmail.ask("GET", "messages?prettyPrint=false")
    assert status == 200
    assert b"\n" not in data.strip() and json.loads(data)["messages"]


def test_fields_selects(gmail: Mailbox) -> None:
    made = insert(gmail, mail())
    assert gmail.get("messages?fields=messages/id") == {"messages": [{"id": made["id"]}]}


def test_an_unknown_method_is_404(gmail: Mailbox) -> None:
    assert gmail.call("GET", "nothing")[0] == 404
