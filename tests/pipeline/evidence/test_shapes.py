"""Saved files have one of a few shapes; what lacks something is refused by name, never read as a smaller one."""

import copy
from typing import Any

import pytest

from pipeline.evidence.shapes import refuse_bad_shape, shape_of
from pipeline.refusals import MetadataOnly, NotVerbatim, Refusal, UnknownShape
from tests.strategies.captures import Letter
from tests.strategies.case_files import case_json

FULL = Letter("a1", "a1").resource
FOUND = {"id": "m1", "sender": "Ann <ann@vendor.example>", "subject": "Hello", "date": "2026-11-23T10:00:00Z"}
SEARCHED: dict[str, Any] = {"threads": [{"id": "m1", "messages": [FOUND]}], "nextPageToken": "x"}

SHAPES: dict[str, list[dict[str, Any]]] = {
    "getProfile": [{"emailAddress": "a@example.com"}, {"emailAddress": "a@example.com", "labels": []}],
    "messages.get": [
        FULL,
        {"id": "a1", "threadId": "a1", "raw": "RnJvbTogYQ", "internalDate": "1"},
        {"id": "a1", "threadId": "a1", "labelIds": ["INBOX"]},
    ],
    "threads.get": [{"id": "a1", "historyId": "1", "messages": [FULL]}],
    "labels.list": [{"labels": []}, {"labels": [{"id": "INBOX", "name": "INBOX"}]}],
    "messages.list": [
        {"messages": [{"id": "a", "threadId": "a"}], "resultSizeEstimate": 1},
        {"messages": [], "nextPageToken": "x"},
        {"resultSizeEstimate": 0},
        {"nextPageToken": "b", "resultSizeEstimate": 201},
    ],
    "threads.list": [{"threads": [{"id": "a", "snippet": "", "historyId": "1"}]}],
    "search_threads": [SEARCHED, {}, {"threads": []}],
    "get_thread": [{"id": "t1", "messages": [{**FOUND, "plaintextBody": "Hi"}]}, {"id": "t1", "messages": []}],
    "triage": [{"messages": [{"id": "a", "from": "x", "subject": "y", "date": "z"}], "resultSizeEstimate": 1}],
    "history.list": [
        {"historyId": "9"},
        {"history": [{"id": "8"}], "historyId": "9"},
        {"historyId": "9", "nextPageToken": "x"},
    ],
    "settings.filters.list": [{"filter": []}, {"filter": [{"id": "f1", "criteria": {}}]}],
    "drafts.list": [{"drafts": [{"id": "r1", "message": {}}]}],
}


@pytest.mark.parametrize(("shape", "document"), [(name, one) for name, found in SHAPES.items() for one in found])
def test_each_shape_is_known_and_sound_as_it_is(shape: str, document: dict[str, Any]) -> None:
    assert shape_of(document) == shape
    refuse_bad_shape(shape, document, "saved.json")


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    "document", [{"id": "a1"}, {"id": "a1", "snippet": ""}, {"error": {"code": 404}}, {"payload": {}}]
)
def test_other_json_is_an_unknown_shape_and_only_its_keys_are_told(document: dict[str, Any]) -> None:
    with pytest.raises(UnknownShape) as refusal:
        shape_of(document)
    assert "a1" not in refusal.value.evidence


def without(document: dict[str, Any], *path: str | int) -> dict[str, Any]:
    """A copy with one key taken out."""
    changed = copy.deepcopy(document)
    inner: Any = changed
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return changed


def searched(*messages: dict[str, Any], **thread: object) -> dict[str, Any]:
    return {"threads": [{"id": "t1", "messages": list(messages), **thread}]}


METADATA = {
    **FULL,
    "payload": {"headers": [{"name": "FROM", "value": "a@b.example"}, {"name": "Subject", "value": ""}]},
}
BAD: dict[str, tuple[dict[str, Any], type[Refusal]]] = {
    "no sender key": (without(SEARCHED, "threads", 0, "messages", 0, "sender"), MetadataOnly),
    "no subject key": (without(SEARCHED, "threads", 0, "messages", 0, "subject"), MetadataOnly),
    "metadata without From": (without(METADATA, "payload", "headers", 0), MetadataOnly),
    "metadata without Subject": (without(METADATA, "payload", "headers", 1), MetadataOnly),
    "metadata without headers": (without(METADATA, "payload", "headers"), MetadataOnly),
    "metadata in a thread": ({"messages": [without(METADATA, "payload", "headers", 0)]}, MetadataOnly),
    "a helper's list without subject": ({"messages": [{"id": "a", "from": "x"}]}, MetadataOnly),
    "a helper's list without ids": ({"messages": [{"from": "x", "subject": "y"}]}, NotVerbatim),
    "a key that somebody added": (searched({**FOUND, "my note": "x"}), NotVerbatim),
    "a list cut by hand": (searched(FOUND, "... 12 more"), NotVerbatim),  # type: ignore[arg-type]
    "a thread without subject": ({"id": "t1", "messages": [without(FOUND, "subject")]}, MetadataOnly),
    "a label without name": ({"labels": [{"id": "Label_1"}]}, UnknownShape),
    "a history item without id": ({"history": [{"messages": []}], "historyId": "9"}, UnknownShape),
    "second message without id": (searched(FOUND, without(FOUND, "id")), NotVerbatim),
    "an id that is no text": (searched({**FOUND, "id": 7}), NotVerbatim),
    "a thread without id": (without(searched(FOUND), "threads", 0, "id"), NotVerbatim),
    "threads as text": ({"threads": "none"}, UnknownShape),
    "a message as text": (searched("m1"), UnknownShape),  # type: ignore[arg-type]
    "a listed message without thread": ({"messages": [{"id": "a"}]}, UnknownShape),
    "a listed thread without history": ({"threads": [{"id": "a"}]}, UnknownShape),
}


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(("document", "refusal"), BAD.values(), ids=BAD.keys())
def test_a_file_that_lacks_something_is_refused_by_name(document: dict[str, Any], refusal: type[Refusal]) -> None:
    with pytest.raises(refusal, match=r"saved\.json"):
        refuse_bad_shape(shape_of(document), document, "saved.json")


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    "document",
    [
        METADATA,
        searched({**FOUND, "subject": "", "sender": ""}),
        searched({**FOUND, "sender": None}),
        searched(without(FOUND, "id"), FOUND),
        searched(*({**FOUND, "id": f"m{n}"} for n in range(4))),
        searched(*({**FOUND, "id": f"m{n}"} for n in range(5)), messagesComplete=True),
        {**FULL, "payload": {"headers": [], "body": {"size": 0}}},
    ],
)
def test_the_neighbours_that_are_whole_pass(document: dict[str, Any]) -> None:
    refuse_bad_shape(shape_of(document), document, "saved.json")


def test_case_07_from_missing_or_null_names_what_is_missing() -> None:
    document = case_json("07", "search_threads.json")
    with pytest.raises(MetadataOnly) as refusal:
        refuse_bad_shape(shape_of(document), document, "search_threads.json")
    assert refusal.value.evidence == "missing: [from]"
    document["threads"] = document["threads"][:2]
    refuse_bad_shape(shape_of(document), document, "search_threads.json")
