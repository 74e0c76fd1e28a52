"""What holds for every mailbox, query and edit: nothing lost, nothing twice, undo is the identity."""

import base64
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies.gmail_mail import (
    SYSTEM,
    USER_LABELS,
    Letter,
    hostile_bytes,
    label_resources,
    letters,
    mailboxes,
    resource_of,
)
from tests.strategies.gmail_queries import is_hit, text_of, trees
from tests.sweeps import sweep
from tests.twin.client import Client, encoded, new_twin

EDITABLE = tuple(label for label in (*SYSTEM, *USER_LABELS) if label != "SENT")
edits = st.lists(
    st.tuples(
        st.integers(0, 11),
        st.frozensets(st.sampled_from(EDITABLE), max_size=2),
        st.frozensets(st.sampled_from(EDITABLE), max_size=2),
    ),
    max_size=12,
)


def box(notes: list[Letter]) -> Client:
    resources = [resource_of(letter, number) for number, letter in enumerate(notes)]
    return Client(new_twin(resources, label_resources()))


def id_of(number: int) -> str:
    return f"18a{number:013x}"


def newest_first(notes: list[Letter]) -> list[int]:
    return sorted(range(len(notes)), key=lambda number: (notes[number].age_days, -number))


@settings(max_examples=sweep(3000), deadline=None)
@given(mailboxes, trees)
def test_search_equals_the_slow_obvious_way(notes: list[Letter], tree: Any) -> None:
    wanted = [id_of(number) for number in newest_first(notes) if is_hit(tree, notes[number])]
    assert box(notes).listed(text_of(tree)) == wanted


@settings(max_examples=sweep(500), deadline=None)
@given(mailboxes, trees, trees)
def test_or_is_the_union_and_blank_the_intersection(notes: list[Letter], one: Any, two: Any) -> None:
    client = box(notes)
    first, second = (set(client.listed(f"in:anywhere {text_of(tree)}")) for tree in (one, two))
    assert set(client.listed(f"in:anywhere ({text_of(one)} OR {text_of(two)})")) == first | second
    assert set(client.listed(f"in:anywhere {{{text_of(one)} {text_of(two)}}}")) == first | second
    assert set(client.listed(f"in:anywhere {text_of(one)} {text_of(two)}")) == first & second
    everything = {id_of(number) for number in range(len(notes))}
    assert set(client.listed(f"in:anywhere -({text_of(one)})")) == everything - first


@settings(max_examples=sweep(1000), deadline=None)
@given(mailboxes, st.text(max_size=30) | st.text('(){}"-:|OR andfrom', max_size=30))
def test_no_query_text_breaks_the_search(notes: list[Letter], query: str) -> None:
    found = box(notes).listed(query.encode("utf-8", "replace").decode())
    assert len(found) == len(set(found))


@settings(max_examples=sweep(500), deadline=None)
@given(mailboxes, st.integers(1, 5))
def test_pages_hold_each_id_once_in_order(notes: list[Letter], size: int) -> None:
    client = box(notes)
    pages = client.pages("messages?includeSpamTrash=true", "messages", size)
    ids = [row["id"] for page in pages for row in page]
    assert ids == [id_of(number) for number in newest_first(notes)]
    assert all(len(page) == size for page in pages[:-1]) and bool(pages[-1]) == bool(notes)


@settings(max_examples=sweep(300), deadline=None)
@given(mailboxes.filter(bool), st.integers(1, 3), st.data())
def test_paging_survives_labels_taken_off_meanwhile(notes: list[Letter], size: int, data: Any) -> None:
    """A client that archives page by page must still see every message that was there at the start."""
    client = box(notes)
    seen: list[str] = []
    token = ""
    while True:
        suffix = f"&pageToken={token}" if token else ""
        body = client.get(f"messages?labelIds=INBOX&includeSpamTrash=true&maxResults={size}{suffix}")
        ids = [row["id"] for row in body.get("messages", [])]
        seen += ids
        if ids:
            client.post("messages/batchModify", {"ids": ids, "removeLabelIds": ["INBOX"]})
        token = body.get("nextPageToken", "")
        if not token:
            break
    inbox = [id_of(number) for number in newest_first(notes) if "INBOX" in notes[number].label_ids]
    assert seen == inbox


def apply(client: Client, count: int, edit: tuple[int, frozenset[str], frozenset[str]]) -> None:
    number, add, remove = edit[0] % count, edit[1] - edit[2], edit[2]
    if add or remove:
        body = {"addLabelIds": sorted(add), "removeLabelIds": sorted(remove)}
        client.post(f"messages/{id_of(number)}/modify", body)


@settings(max_examples=sweep(500), deadline=None)
@given(mailboxes.filter(bool), edits)
def test_history_replayed_on_the_old_labels_gives_the_new(notes: list[Letter], changes: Any) -> None:
    client = box(notes)
    since = client.get("profile")["historyId"]
    known = {key: set(labels) for key, labels in client.twin.label_sets().items()}
    for edit in changes:
        apply(client, len(notes), edit)
    last = int(since)
    for row in [row for page in client.pages(f"history?startHistoryId={since}", "history", 2) for row in page]:
        assert int(row["id"]) > last
        last = int(row["id"])
        for event in row.get("labelsAdded", []):
            known[event["message"]["id"]] |= set(event["labelIds"])
        for event in row.get("labelsRemoved", []):
            known[event["message"]["id"]] -= set(event["labelIds"])
        assert set(row["messages"][0]) == {"id", "threadId"}
    assert known == {key: set(labels) for key, labels in client.twin.label_sets().items()}


@settings(max_examples=sweep(500), deadline=None)
@given(mailboxes.filter(bool), edits)
def test_every_edit_has_an_inverse(notes: list[Letter], changes: Any) -> None:
    client = box(notes)
    before = client.twin.label_sets()
    for number, add, remove in changes:
        message_id = id_of(number % len(notes))
        old = client.twin.labels_of(message_id)
        apply(client, len(notes), (number, add, remove))
        new = client.twin.labels_of(message_id)
        if old != new:
            body = {"addLabelIds": sorted(old - new), "removeLabelIds": sorted(new - old)}
            client.post(f"messages/{message_id}/modify", body)
        assert client.twin.label_sets() == before


@settings(max_examples=sweep(500), deadline=None)
@given(mailboxes.filter(bool), edits)
def test_the_old_state_is_a_value_that_stays(notes: list[Letter], changes: Any) -> None:
    client = box(notes)
    old = client.twin.state
    labels = {key: item.label_ids for key, item in old.mail.messages.items()}
    for edit in changes:
        apply(client, len(notes), edit)
    assert {key: item.label_ids for key, item in old.mail.messages.items()} == labels


@settings(max_examples=sweep(2000), deadline=None)
@given(st.binary(min_size=1, max_size=200) | hostile_bytes.filter(bool))
def test_raw_is_byte_exact_and_every_format_answers(raw: bytes) -> None:
    client = Client(new_twin())
    made = client.insert(raw)
    forms = {
        form: client.get(f"messages/{made['id']}?format={form}") for form in ("full", "metadata", "minimal", "raw")
    }
    assert base64.urlsafe_b64decode(forms["raw"]["raw"]) == raw
    assert forms["raw"]["sizeEstimate"] == len(raw)
    for message in forms.values():
        assert message["snippet"] == forms["full"]["snippet"] and len(message["snippet"]) <= 1200
    assert client.get("threads")["threads"][0]["id"] == made["threadId"]
    client.listed("word")
    client.listed("has:attachment")


@settings(max_examples=sweep(300), deadline=None)
@given(st.lists(letters, max_size=6))
def test_same_input_gives_the_same_mailbox(notes: list[Letter]) -> None:
    def ids() -> Any:
        client = Client(new_twin())
        for letter in notes:
            client.insert(resource_bytes(letter), "INBOX")
            client.call("POST", "labels", {"name": f"L{letter.age_days}"})
        return client.get("messages"), client.get("labels"), client.get("profile")

    assert ids() == ids()


def resource_bytes(letter: Letter) -> bytes:
    return base64.urlsafe_b64decode(resource_of(letter, 0)["raw"])


@settings(max_examples=sweep(300), deadline=None)
@given(hostile_bytes.filter(bool))
def test_base64_with_or_without_padding_is_the_same_mail(raw: bytes) -> None:
    client = Client(new_twin())
    body = {"raw": encoded(raw).rstrip("="), "labelIds": ["INBOX"]}
    made = client.post("messages", body)
    assert base64.urlsafe_b64decode(client.get(f"messages/{made['id']}?format=raw")["raw"]) == raw
