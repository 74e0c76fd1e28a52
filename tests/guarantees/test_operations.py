"""ID-4: the changes that exist are a closed set; a document with anything more is none of them."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from pydantic import TypeAdapter, ValidationError

from pipeline.models.operation import Operation
from tests.strategies.operations import foreign_operations, modify_operations, operations, system_labels
from tests.sweeps import sweep

ADAPTER: TypeAdapter[Any] = TypeAdapter(Operation)


def accepts(document: dict[str, Any]) -> bool:
    try:
        ADAPTER.validate_json(json.dumps(document))
    except ValidationError:
        return False
    return True


@pytest.mark.contract("ID-4")
@settings(max_examples=sweep(2000), deadline=None)
@given(foreign_operations())
def test_operation_with_one_foreign_key_is_none(document: dict[str, Any]) -> None:
    assert not accepts(document)


@settings(max_examples=sweep(500), deadline=None)
@given(operations)
def test_sound_operations_are_accepted(document: dict[str, Any]) -> None:
    assert accepts(document)


@pytest.mark.contract("ID-4")
@settings(max_examples=sweep(500), deadline=None)
@given(modify_operations, system_labels)
def test_system_labels_are_neither_added_nor_removed(document: dict[str, Any], label: str) -> None:
    assert not accepts({**document, "add": [*document["add"], label]})
    assert not accepts({**document, "remove": [*document["remove"], label]})


@pytest.mark.contract("ID-4", "ID-7")
@pytest.mark.parametrize(
    "kind", ["send", "delete", "batch_delete", "forward", "create_filter", "create_draft", "unsubscribe", "insert", ""]
)
def test_operations_that_are_not_built_do_not_exist(kind: str) -> None:
    assert not accepts({"kind": kind, "message_id": "18f0a1"})
