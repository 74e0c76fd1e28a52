"""Several sources of one message: they add up, they never overrule a richer one, and a contradiction is refused."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.evidence.union import merged, union_of
from pipeline.mail.address import Sender
from pipeline.mail.body import NOT_FETCHED, Body
from pipeline.mail.message import Mail
from pipeline.refusals import DuplicateIdConflict
from tests.sweeps import sweep

ANN = Sender(address="ann@vendor.example")
FULL = Mail("m1", "t1", ("INBOX",), 1_000, sender=ANN, subject="Hello", body=Body(text="Hi", state="fetched"))
SEEN = replace(FULL, label_ids=("UNREAD",), headers_seen=False, body=NOT_FETCHED, internal_date_ms=2_000)


def test_labels_of_one_capture_add_up_and_of_two_the_newer_count() -> None:
    assert merged(FULL, SEEN, is_same_capture=True).label_ids == ("INBOX", "UNREAD")
    assert merged(SEEN, FULL, is_same_capture=True).label_ids == ("INBOX", "UNREAD")
    assert merged(FULL, SEEN, is_same_capture=False).label_ids == ("UNREAD",)
    assert merged(FULL, replace(SEEN, label_ids=None), is_same_capture=False).label_ids is None


def test_a_poorer_view_takes_nothing_away_in_either_order() -> None:
    for first, second in ((FULL, SEEN), (SEEN, FULL)):
        one = merged(first, second, is_same_capture=True)
        assert (one.headers_seen, one.body, one.internal_date_ms) == (True, FULL.body, 1_000)
    metadata = replace(FULL, body=NOT_FETCHED)
    assert merged(FULL, metadata, is_same_capture=False).body == FULL.body
    assert merged(metadata, replace(SEEN, body=Body("Hi", state="lossy")), is_same_capture=True).body.state == "lossy"


def test_the_first_source_to_name_sender_subject_or_date_is_believed() -> None:
    nameless = replace(SEEN, sender=Sender(defects=("null_sender",)), subject="", subject_defects=("null_subject",),
                       defects=("date_only",))  # fmt: skip
    for first, second in ((nameless, SEEN), (SEEN, nameless)):
        one = merged(first, second, is_same_capture=True)
        assert (one.sender, one.subject, one.subject_defects) == (ANN, "Hello", ())
        assert (one.internal_date_ms, one.defects) == (2_000, ())
    unknown = replace(SEEN, thread_id="m1", defects=("thread_unknown",))
    assert merged(unknown, SEEN, is_same_capture=True).thread_id == "t1"
    assert merged(FULL, unknown, is_same_capture=True).thread_id == "t1"


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    ("base", "change", "what"),
    [
        (FULL, {"thread_id": "t2"}, "threadId"),
        (FULL, {"internal_date_ms": 1_001}, "internalDate"),
        (SEEN, {"internal_date_ms": 2_001}, "internalDate"),
        (SEEN, {"internal_date_ms": 300_000_000, "defects": ("date_only",)}, "internalDate"),
        (FULL, {"sender": Sender(address="eve@drop-zone.example")}, "sender"),
        (SEEN, {"sender": Sender(address="eve@drop-zone.example")}, "sender"),
        (FULL, {"subject": "Goodbye"}, "subject"),
    ],
)
def test_two_sources_that_differ_are_refused_and_only_the_field_is_told(
    base: Mail, change: dict[str, Any], what: str
) -> None:
    with pytest.raises(DuplicateIdConflict) as refusal:
        merged(base, replace(base, **change), is_same_capture=True)
    assert what in refusal.value.evidence
    assert "drop-zone" not in str(refusal.value)
    assert "Goodbye" not in str(refusal.value)


@pytest.mark.parametrize(
    "change",
    [
        {"subject": " Hel lo"},
        {"subject": "\ufffd", "subject_defects": ("lossy",)},
        {"sender": Sender(address="ANN@vendor.example"), "headers_seen": False},
        {"internal_date_ms": 100_000_000, "headers_seen": False},
        {"thread_id": "m1", "defects": ("thread_unknown",)},
    ],
)
def test_what_tools_spell_differently_is_no_contradiction(change: dict[str, Any]) -> None:
    merged(FULL, replace(FULL, **change), is_same_capture=True)


@settings(max_examples=sweep(500))
@given(*[st.one_of(st.none(), st.lists(st.sampled_from("abc")).map(lambda found: tuple(sorted(set(found)))))] * 3)
def test_the_union_of_labels_does_not_depend_on_the_order(
    a: tuple[str, ...] | None, b: tuple[str, ...] | None, c: tuple[str, ...] | None
) -> None:
    assert union_of(a, b) == union_of(b, a)
    assert union_of(union_of(a, b), c) == union_of(a, union_of(b, c))
