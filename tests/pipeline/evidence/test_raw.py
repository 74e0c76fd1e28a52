"""From verified captures to mail: holes are refused by name, one bad message is a row and changes no other."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.evidence.captures import Exchange, RawCapture
from pipeline.evidence.complete import refuse_incomplete
from pipeline.evidence.lists import attested_address, listed_threads, newest_list
from pipeline.evidence.raw import read_mail
from pipeline.mail.reader import Mail, Unreadable
from pipeline.refusals import (
    DroppedOn429,
    DuplicateIdConflict,
    IncompleteCapture,
    InputRefused,
    MissingPage,
    NotJson,
    Refusal,
    UnknownShape,
)
from tests.strategies.captures import (
    ADDRESS,
    LABELS,
    Letter,
    body,
    capture_of,
    finished_at,
    got,
    hostile_exchanges,
    letters,
    listing,
    raw,
)
from tests.strategies.case_files import case_json
from tests.sweeps import sweep

BOX = (Letter("a1", "a1"), Letter("a2", "a1", labels=("SENT",)), Letter("b1", "b1", labels=("INBOX", "STARRED")))


def mails(*captures: RawCapture) -> dict[str, Mail | Unreadable]:
    return {reading.mail.id: reading.mail for reading in read_mail(captures)}


def labels_of(found: dict[str, Mail | Unreadable], message_id: str) -> tuple[str, ...] | None:
    mail = found[message_id]
    assert isinstance(mail, Mail)
    return mail.label_ids


def changed(capture: RawCapture, at: int, exchange: Exchange | None) -> RawCapture:
    """The capture with one exchange replaced or left out."""
    exchanges = list(capture.exchanges)
    exchanges[at : at + 1] = [exchange] if exchange is not None else []
    return replace(capture, exchanges=tuple(exchanges))


def paged(pages: list[dict[str, Any]], method: str = "messages.list", **parameters: str) -> list[Exchange]:
    """The exchanges of a list read to its end, each page asked for by the token before it."""
    tokens = [None, *(page.get("nextPageToken") for page in pages[:-1])]
    return [
        Exchange(method, {**parameters, **({"pageToken": token} if token else {})}, 200, body(page))
        for token, page in zip(tokens, pages, strict=True)
    ]


# --- holes


@pytest.mark.contract("EV-4")
def test_a_whole_capture_passes() -> None:
    refuse_incomplete(capture_of(BOX))
    assert set(mails(capture_of(BOX))) == {"a1", "a2", "b1"}


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("at", range(len(capture_of(BOX).exchanges)))
def test_no_answer_can_be_left_out_in_silence(at: int) -> None:
    """Each exchange in its turn: refused, or its message shows as a member that nobody read."""
    capture = capture_of(BOX)
    left_out = capture.exchanges[at]
    smaller = changed(capture, at, None)
    if left_out.parameters.get("id") == "a2":  # a thread's member outside the inbox
        assert listed_threads([smaller])["a2"] == "a1"
        assert "a2" not in mails(smaller)
        return
    with pytest.raises(IncompleteCapture):
        read_mail((smaller,))


@pytest.mark.contract("EV-4")
@settings(max_examples=sweep(500), deadline=None)
@given(st.integers(2, 5), st.data())
def test_no_page_of_a_list_can_be_left_out_in_silence(count: int, data: st.DataObject) -> None:
    pages: list[dict[str, Any]] = [{"messages": [], "nextPageToken": f"t{n}"} for n in range(count - 1)] + [{}]
    whole = raw(paged(pages, labelIds="INBOX"), purposes=("sent",))
    refuse_incomplete(whole)
    at = data.draw(st.integers(0, count - 1))
    with pytest.raises(MissingPage):
        refuse_incomplete(changed(whole, at, None))


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("method", ["messages.list", "threads.list", "history.list", "search_threads", "drafts.list"])
def test_a_last_page_that_names_another_is_refused_for_every_list(method: str) -> None:
    cut = [Exchange(method, {}, 200, b'{"nextPageToken":"x"}')]
    with pytest.raises(MissingPage):
        read_mail((raw(cut, purposes=("sent",)),))
    read_mail((raw([*cut, Exchange(method, {"pageToken": "x"}, 200, b"{}")], purposes=("sent",)),))


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    ("status", "refusal"), [(429, DroppedOn429), (403, DroppedOn429), (500, IncompleteCapture), (0, IncompleteCapture)]
)
def test_a_listed_message_without_a_body_is_refused_and_says_why(status: int, refusal: type[Refusal]) -> None:
    capture = capture_of(BOX)
    at = next(n for n, e in enumerate(capture.exchanges) if e.parameters.get("id") == "b1")
    failed = replace(capture.exchanges[at], status=status, held=b"")
    with pytest.raises(refusal, match="1 listed"):
        read_mail((changed(capture, at, failed),))
    retried = replace(capture, exchanges=(*changed(capture, at, failed).exchanges, capture.exchanges[at]))
    assert "b1" in mails(retried)


@pytest.mark.contract("EV-4")
def test_a_message_that_was_gone_when_it_was_read_is_no_hole() -> None:
    capture = capture_of(BOX)
    at = next(n for n, e in enumerate(capture.exchanges) if e.parameters.get("id") == "b1")
    gone = changed(capture, at, replace(capture.exchanges[at], status=404, held=b""))
    assert set(mails(gone)) == {"a1", "a2"}
    assert listed_threads([gone])["b1"] == "b1"


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    "data", [b"", b"<html>", b'{"id":"a1"', b"[]", b'{"id":"a1","id":"a2"}', b'{"a":NaN}', b"{}{}"]
)
def test_a_body_that_is_not_one_json_object_is_refused(data: bytes) -> None:
    capture = capture_of(BOX)
    for at, exchange in enumerate(capture.exchanges):
        if exchange.method != "getProfile" and exchange.method != "labels.list":
            with pytest.raises(NotJson):
                read_mail((changed(capture, at, replace(exchange, held=data)),))


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    "document", [{"messages": "a1"}, {"messages": ["a1"]}, {"messages": None}, {"messages": {"id": "a1"}}]
)
def test_a_list_that_is_no_list_of_objects_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(UnknownShape):
        read_mail((changed(capture_of(BOX), 2, Exchange("messages.list", {"labelIds": "INBOX"}, 200, body(document))),))


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    "item", [{}, {"id": "a1"}, {"threadId": "a1"}, {"id": None, "threadId": "a1"}, {"id": 7, "threadId": "a1"}]
)
def test_a_list_item_without_its_ids_is_refused(item: dict[str, Any]) -> None:
    page = Exchange("messages.list", {}, 200, body({"messages": [item]}))
    with pytest.raises(UnknownShape):
        listed_threads([raw([page])])


def test_case_29_empty_history_page_with_token_is_not_the_end() -> None:
    pages = case_json("29", "pages.json")
    whole = raw(paged(pages, "history.list", startHistoryId="900100"), purposes=("inbox",), source="ingest")
    refuse_incomplete(whole)
    assert [json.loads(e.body) for e in whole.bodies("history.list")] == pages, "raw pages stay verbatim"
    with pytest.raises(MissingPage):
        refuse_incomplete(changed(whole, 1, None))


def test_case_31_list_page_no_messages_but_token_counts_ids_never_estimates() -> None:
    whole = raw(paged(case_json("31", "pages.json")), purposes=("sent",))
    refuse_incomplete(whole)
    assert set(listed_threads([whole])) == {"18f0a1b2c3d40150", "18f0a1b2c3d40151"}
    with pytest.raises(MissingPage):
        refuse_incomplete(raw(paged(case_json("31", "pages_cut.json")), purposes=("sent",)))
    for name in ("empty.json", "braces.json"):
        empty = raw(paged([case_json("31", name)]), purposes=("sent",))
        refuse_incomplete(empty)
        assert listed_threads([empty]) == {}


def test_case_33_same_second_watermark_gives_each_message_once() -> None:
    runs = []
    for number, name in enumerate(("run1.json", "run2.json")):
        ids = [found["id"] for found in case_json("33", name)["messages"]]
        runs.append(capture_of([Letter(one, one) for one in ids], number))
    assert [reading.key for reading in read_mail(tuple(runs))] == ["s1", "s2", "s3"]


def test_case_35_spam_trash_in_raw_keeps_each_member_its_own_labels() -> None:
    thread = case_json("35", "thread.json")
    capture = raw(
        [Exchange("threads.get", {"id": thread["id"], "format": "full"}, 200, body(thread))], purposes=("sent",)
    )
    found = mails(capture)
    assert {key: labels_of(found, key) for key in found} == {
        "18f0a1b2c3d40190": ("IMPORTANT", "INBOX"),
        "18f0a1b2c3d40191": ("DRAFT", "TRASH"),
        "18f0a1b2c3d40192": ("SPAM",),
    }


# --- several captures


def test_labels_come_from_the_newest_capture_and_older_ones_stay_as_sightings() -> None:
    first = capture_of([Letter("a1", "a1", labels=("INBOX",))], 0)
    second = capture_of([Letter("a1", "a1", labels=("INBOX", "STARRED"))], 1)
    (reading,) = read_mail((first, second))
    assert reading.capture == second.seal.id
    assert reading.sightings == (
        (first.seal.id, finished_at(0), ("INBOX",)),
        (second.seal.id, finished_at(1), ("INBOX", "STARRED")),
    )


def test_a_message_read_twice_in_one_capture_is_seen_once() -> None:
    letter = Letter("a1", "a1")
    twice = capture_of([letter], hostile=[got(letter.resource)])
    (reading,) = read_mail((twice,))
    assert len(reading.sightings) == 1


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"thread": "other"}, "threadId"),
        ({"age": 2}, "internalDate"),
        ({"sender": "Ann <ann@elsewhere.example>"}, "sender"),
    ],
)
def test_captures_that_contradict_each_other_are_refused(change: dict[str, Any], what: str) -> None:
    first = capture_of([Letter("a1", "a1")], 0)
    second = capture_of([replace(Letter("a1", "a1"), **change)], 1)
    with pytest.raises(DuplicateIdConflict) as refusal:
        read_mail((first, second))
    assert what in refusal.value.evidence
    assert "elsewhere" not in str(refusal.value)


def searched(labels: list[str] | None, number: int) -> RawCapture:
    message = {"id": "a1", "sender": "Ann <ann@vendor.example>", "subject": "Hello", "date": "2026-11-22"}
    found = message if labels is None else {**message, "labelIds": labels}
    document = {"threads": [{"id": "a1", "messages": [found]}]}
    return raw([Exchange("search_threads", {}, 200, body(document))], number, source="ingest")


ANN = Letter("a1", "a1", sender="Ann <ann@vendor.example>", subject="Hello")


def test_a_later_partial_view_gives_labels_and_takes_no_headers_away() -> None:
    full = capture_of([ANN], 0)
    found = mails(full, searched(["INBOX", "Label_7"], 1))["a1"]
    assert isinstance(found, Mail)
    assert found.headers_seen
    assert found.body.text.strip()
    assert found.label_ids == ("INBOX", "Label_7")
    unknown = mails(full, searched(None, 1))["a1"]
    assert isinstance(unknown, Mail)
    assert unknown.label_ids is None, "not shown is unknown, not empty"


def test_a_full_view_replaces_a_partial_one_whichever_came_first() -> None:
    full = capture_of([ANN], 1)
    found = mails(searched(["INBOX"], 0), full)["a1"]
    assert isinstance(found, Mail)
    assert found.headers_seen


def test_the_newest_label_list_counts_and_identity_is_getprofiles() -> None:
    old, new = capture_of(BOX, 0, labels=LABELS), capture_of(BOX, 1, labels=LABELS[:2])
    assert len(newest_list((old, new), "labels.list")) == 2
    assert len(newest_list((old, searched([], 2)), "labels.list")) == len(LABELS)
    assert attested_address(old) == ADDRESS
    assert attested_address(searched([], 2)) is None


# --- one bad message


@pytest.mark.contract("EV-5")
def test_an_answer_about_another_message_than_the_one_asked_for_is_no_answer() -> None:
    capture = capture_of(BOX)
    at = next(n for n, e in enumerate(capture.exchanges) if e.parameters.get("id") == "b1")
    found = mails(changed(capture, at, got(BOX[0].resource, asked="b1")))
    assert found["b1"] == Unreadable("b1", "other-id", ("id",))
    assert isinstance(found["a1"], Mail)


@pytest.mark.contract("EV-5")
@settings(max_examples=sweep(400), deadline=None)
@given(letters(max_size=4), hostile_exchanges(), st.randoms(use_true_random=False))
def test_hostile_messages_change_no_other_reading(
    box: tuple[Letter, ...], hostile: tuple[Exchange, ...], dice: Any
) -> None:
    calm = read_mail((capture_of(box),))
    capture = capture_of(box, hostile=hostile)
    shuffled = list(capture.exchanges)
    dice.shuffle(shuffled)
    lists = [e for e in shuffled if e.method == "messages.list"]
    busy = read_mail((replace(capture, exchanges=(*lists, *(e for e in shuffled if e not in lists))),))
    assert {r.key: r for r in busy if not r.key.startswith("hostile")} == {r.key: r for r in calm}
    assert {r.key for r in busy} == {r.key for r in calm} | {str(e.parameters["id"]) for e in hostile}
    assert all(first.key < second.key for first, second in pairwise(busy))


@pytest.mark.contract("EV-5")
@pytest.mark.parametrize("key", ["id", "threadId", "payload", "internalDate"])
def test_a_message_without_what_a_row_needs_is_refused_alone(key: str) -> None:
    resource = {name: value for name, value in BOX[2].resource.items() if name != key}
    capture = capture_of(BOX)
    at = next(n for n, e in enumerate(capture.exchanges) if e.parameters.get("id") == "b1")
    found = mails(changed(capture, at, got(resource, asked="b1")))
    assert isinstance(found["b1"], Unreadable)
    assert isinstance(found["a1"], Mail)


def test_an_inbox_list_saved_by_another_tool_must_be_answered_too() -> None:
    listed = replace(listing([("a1", "a1"), ("b1", "b1")]), parameters={"purpose": "inbox"})
    with pytest.raises(InputRefused):
        read_mail((raw([listed, got(BOX[0].resource)], source="ingest"),))
    read_mail((raw([listed, got(BOX[0].resource), got(BOX[2].resource)], source="ingest"),))
