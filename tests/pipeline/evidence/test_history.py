"""History pages: every message that a record names is told, and a record that hides one is refused."""

from typing import Any

import pytest

from pipeline.evidence.captures import Exchange
from pipeline.evidence.history import Change, Sight, changes_of, last_changes, last_sights
from pipeline.refusals import UnknownShape
from tests.strategies.captures import Letter, body, got, raw

A = {"id": "a", "threadId": "t"}


def page(*records: dict[str, Any]) -> Exchange:
    return Exchange("history.list", {"startHistoryId": "1"}, 200, body({"history": list(records), "historyId": "9"}))


def labelled(number: int, labels: list[str] | None, kind: str = "labelsAdded") -> dict[str, Any]:
    message = A if labels is None else {**A, "labelIds": labels}
    return {"id": str(number), "messages": [A], kind: [{"message": message, "labelIds": ["X"]}]}


def test_a_record_without_labels_says_unknown_and_never_none() -> None:
    assert list(changes_of({"history": [labelled(7, None)]})) == [Change("7", "a", "t", None)]
    assert list(changes_of({"history": [labelled(7, [])]})) == [Change("7", "a", "t", ())]
    assert list(changes_of({"history": [labelled(7, [1])]})) == [Change("7", "a", "t", None)]


def test_a_record_that_only_names_a_message_counts_as_a_change_of_unknown_kind() -> None:
    assert list(changes_of({"history": [{"id": "7", "messages": [A]}]})) == [Change("7", "a", "t", None)]


def test_the_last_change_wins_and_a_deletion_ends_it() -> None:
    deleted = {"id": "9", "messagesDeleted": [{"message": {**A, "labelIds": ["INBOX"]}}]}
    pages = ({"history": [labelled(7, ["X"])]}, {}, {"history": [labelled(8, ["Y"], "labelsRemoved"), deleted]})
    assert last_changes(pages[:2])["a"].labels == ("X",)
    assert last_changes(pages) == {"a": Change("9", "a", "t", None, is_deleted=True)}


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    "record",
    [
        {"id": "7", "labelsAdded": [{"labelIds": ["X"]}]},
        {"id": "7", "labelsAdded": [{"message": "a"}]},
        {"id": "7", "labelsAdded": "a"},
        {"id": "7", "messagesAdded": [{"message": {"id": "a"}}]},
        {"id": "7", "messagesDeleted": [{"message": {"threadId": "t"}}]},
        {"id": "7", "messages": [{"id": "../x", "threadId": "t"}]},
        {"id": "x", "messages": [A]},
        {"id": 7, "messages": [A]},
        {"messages": [A]},
    ],
)
def test_a_record_that_hides_its_message_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(UnknownShape):
        list(changes_of({"history": [record]}))


def test_what_was_answered_last_counts_within_a_capture() -> None:
    letter = got(Letter("a", "t", labels=("INBOX",)).resource)
    short = Exchange("messages.get", {"id": "a", "format": "minimal"}, 200,
                     body({**A, "labelIds": ["Z"], "historyId": "8"}))  # fmt: skip
    other = Exchange("messages.get", {"id": "a", "format": "minimal"}, 200, body({"id": "b", "threadId": "t"}))
    told = page(labelled(7, ["X"]))
    assert last_sights(raw([letter, told])) == {"a": Sight(("X",), "7")}
    assert last_sights(raw([told, short])) == {"a": Sight(("Z",), "8")}
    assert last_sights(raw([told, letter])) == {}, "the full read is newer and tells by itself"
    assert last_sights(raw([told, other])) == {"a": Sight(None)}, "an answer about another message is none"
