"""The committed discovery document: reviewed, pruned, movable, and at one with the hand-written table of calls."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pipeline.gmail.calls import CALLS, CONSTANTS, REPEATABLE
from pipeline.gmail.capability import METHODS
from pipeline.gmail.discovery import GOOGLE, Endpoint, _stored, checked, load_document
from pipeline.gmail.prune import ALLOWED_METHODS, bundled_document, prune, pruned_bytes
from pipeline.refusals import WrongDigest


def methods_of(resource: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from resource.get("methods", {}).values()
    for nested in resource.get("resources", {}).values():
        yield from methods_of(nested)


DOCUMENT = json.loads(_stored())
METHODS_BY_NAME = {method["id"].removeprefix("gmail.users."): method for method in methods_of(DOCUMENT)}


def test_committed_document_is_what_the_script_writes_from_the_clients_own() -> None:
    assert pruned_bytes() == _stored()


@pytest.mark.contract("ID-2", "ID-7")
def test_document_names_exactly_the_allowed_methods_of_79() -> None:
    assert len(list(methods_of(json.loads(bundled_document())))) == 79
    assert {f"gmail.users.{name}" for name in METHODS_BY_NAME} == ALLOWED_METHODS
    assert METHODS_BY_NAME.keys() == CALLS.keys() == frozenset().union(*METHODS.values())


def ids_and_paths(document: Mapping[str, Any]) -> str:
    return " ".join(f"{method['id']} {method['path']}" for method in methods_of(document)).lower()


@pytest.mark.contract("ID-7")
@pytest.mark.parametrize(
    "word", ["send", "delete", "insert", "import", "vacation", "delegates", "watch", "forwarding", "imap"]
)
def test_no_method_or_path_of_the_document_exposes(word: str) -> None:
    assert word not in ids_and_paths(DOCUMENT)
    assert word in ids_and_paths(json.loads(bundled_document()))  # it would be found if it were there


@pytest.mark.contract("ID-7")
def test_document_knows_no_upload_and_no_scopes() -> None:
    told = json.dumps(DOCUMENT)
    assert not any(word in told for word in ("mediaUpload", "supportsMedia", "/upload/", "oauth2", "mail.google.com"))


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize("name", sorted(CALLS))
def test_document_and_hand_written_table_agree(name: str) -> None:
    method, call = METHODS_BY_NAME[name], CALLS[name]
    path = "/" + method["path"].replace("{userId}", "me").replace("{id}", "18f0a1")
    query = {key for key, parameter in method["parameters"].items() if parameter["location"] == "query"}
    assert (method["httpMethod"], "request" in method) == (call.verb, call.has_body)
    assert call.path.fullmatch(path)
    assert query == call.query.keys()
    assert {key for key in query if method["parameters"][key].get("repeated")} == REPEATABLE & query


def test_common_parameters_are_the_two_constants() -> None:
    assert DOCUMENT["parameters"].keys() == CONSTANTS.keys()


def test_schemas_hold_exactly_what_is_referred_to() -> None:
    told = json.dumps(DOCUMENT)
    assert all(f'"$ref": "{name}"' in told for name in DOCUMENT["schemas"])
    assert "ModifyThreadRequest" not in DOCUMENT["schemas"]


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize("position", [0, 100, -2])
def test_a_changed_byte_of_the_document_is_refused(position: int) -> None:
    data = bytearray(_stored())
    assert checked(bytes(data)) == _stored()
    data[position] ^= 1
    with pytest.raises(WrongDigest):
        checked(bytes(data))


def test_every_root_moves_to_the_endpoint() -> None:
    document = load_document(Endpoint("http://127.0.0.1:8080", "/peer/gmail"))
    assert "googleapis.com" not in json.dumps({key: document[key] for key in document if key != "schemas"})
    assert document["rootUrl"] == document["baseUrl"] == "http://127.0.0.1:8080/peer/gmail/"
    assert load_document(GOOGLE)["rootUrl"] == "https://gmail.googleapis.com/"


def test_prune_leaves_out_a_method_that_is_new_to_it() -> None:
    document = json.loads(bundled_document())
    users = document["resources"]["users"]
    users["methods"]["sendTomorrow"] = {**users["methods"]["getProfile"], "id": "gmail.users.sendTomorrow"}
    assert prune(document) == DOCUMENT
