"""A saved file is cut into its answers by place: the slices are the file's own bytes, and none is left out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.evidence.mbox import is_mbox, places
from pipeline.evidence.saved import judge
from pipeline.evidence.takeout import label_ids, listed_names
from pipeline.refusals import NotJson
from tests.strategies.captures import LABELS
from tests.strategies.raw_mail import SEPARATOR, boxed, hostile_mail
from tests.strategies.saved import LETTERS, json_lines, listed, searched
from tests.sweeps import sweep


@pytest.mark.contract("EV-1")
@settings(max_examples=sweep(500), deadline=None)
@given(st.lists(hostile_mail(), min_size=1, max_size=4))
def test_the_messages_of_an_mbox_are_all_its_bytes_in_order(mails: list[bytes]) -> None:
    data = boxed([mail.replace(b"From ", b">From ") for mail in mails])
    assert is_mbox(data)
    found = judge("all.mbox", data, "inbox")
    assert b"".join(piece.body for piece in found.pieces) == data
    assert len(found.pieces) == len(mails)
    assert [(piece.offset, len(piece.body)) for piece in found.pieces] == list(places(data))


def test_a_line_of_mail_that_begins_with_from_is_no_separator() -> None:
    data = SEPARATOR.encode() + b"\n\nFrom now on\nFrom me to you Mon Nov 23\n"
    assert places(data) == ((0, len(data)),)


def test_a_separator_without_a_blank_line_before_it_hides_no_message() -> None:
    line = SEPARATOR.encode() + b"\nSubject: a\n\nText\n"
    assert len(places(line + line)) == 2


@pytest.mark.contract("EV-1")
def test_lines_are_the_bytes_of_the_file() -> None:
    body = json_lines(listed(LETTERS[0], nextPageToken="x")) + b"\r\n\n" + json_lines(listed(LETTERS[2]))
    found = judge("pages.json", body, "inbox")
    assert found.ending == "jsonl"
    assert [body[p.offset : p.offset + len(p.body)] for p in found.pieces] == [p.body for p in found.pieces]
    assert [piece.shape for piece in found.pieces] == ["messages.list"] * 2


@pytest.mark.parametrize("body", [b"", b"\n\n", b"{}{}", b"[]\n{}", b"{}\nx", b"\xef\xbb\xbf{}", b"```json\n{}\n```"])
@pytest.mark.contract("EV-4")
def test_what_is_no_json_is_refused_under_the_files_name(body: bytes) -> None:
    with pytest.raises(NotJson, match=r"^refused \(not-json\): saved\.json"):
        judge("saved.json", body, "inbox")


def test_one_object_over_many_lines_is_one_answer() -> None:
    assert judge("a.json", b'{\n  "threads": [\n  ]\n}\n', "inbox").ending == "json"
    assert judge("a.json", json_lines(searched(LETTERS[0])), "inbox").ending == "json"


def test_label_names_of_takeout_become_ids_or_nothing_at_all() -> None:
    names = listed_names(LABELS)
    assert label_ids(("Inbox", "JOB ALERTS", "Category Promotions", "Opened"), names) == (
        "CATEGORY_PROMOTIONS",
        "INBOX",
        "Label_12",
    )
    assert label_ids(("Posteingang",), names) is None
    assert label_ids((), names) == ()
    assert label_ids(None, names) is None
