"""Write discovery.json: Google's own description of Gmail, cut down to the methods that this product may use.

`python -m pipeline.gmail.prune` reads the document bundled with google-api-python-client and writes the pruned one
beside this file. It says the digest that discovery.py must hold; a new Google revision is thereby a reviewed change.

>>> prune({"rootUrl": "https://gmail.example/", "resources": {}, "schemas": {}})["resources"]
{}
"""

import importlib.resources
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.canonical import canonical_bytes, sha256_hex

ALLOWED_METHODS = frozenset(
    {
        "gmail.users.getProfile",
        "gmail.users.labels.list",
        "gmail.users.labels.create",
        "gmail.users.messages.list",
        "gmail.users.messages.get",
        "gmail.users.messages.batchModify",
        "gmail.users.messages.trash",
        "gmail.users.messages.untrash",
        "gmail.users.threads.list",
        "gmail.users.threads.get",
        "gmail.users.history.list",
        "gmail.users.drafts.list",
        "gmail.users.drafts.get",
        "gmail.users.settings.filters.list",
    }
)
"""Every Gmail method of every stage. Adding one here is a decision about what the product can do at all."""

_ROOT_KEYS = ("discoveryVersion", "id", "kind", "name", "protocol", "revision", "rootUrl", "servicePath", "version")
_METHOD_KEYS = ("httpMethod", "id", "parameterOrder", "path", "request", "response")
_PARAMETER_KEYS = ("enum", "format", "location", "repeated", "required", "type")
_UNUSED_PARAMETERS = frozenset({"metadataHeaders"})
"""Its header filter is reported to miss odd spellings."""
_COMMON_PARAMETERS = ("alt", "prettyPrint")


def bundled_document() -> bytes:
    """The bytes of the Gmail discovery document that the client library ships. Read as data, without importing it."""
    documents = importlib.resources.files("googleapiclient") / "discovery_cache" / "documents"
    return (documents / "gmail.v1.json").read_bytes()


def prune(document: Mapping[str, Any]) -> dict[str, Any]:
    """The allowed methods, their parameters and the schemas they refer to; what is not named is left out."""
    resources = _resources(document["resources"])
    common = document.get("parameters", {})
    return {
        **{key: document[key] for key in _ROOT_KEYS if key in document},
        "parameters": {name: _parameter(common[name]) for name in _COMMON_PARAMETERS if name in common},
        "resources": resources,
        "schemas": _schemas(document["schemas"], set(_references(resources))),
    }


def pruned_bytes() -> bytes:
    """The canonical bytes of the pruned bundled document, ended by one newline."""
    return canonical_bytes(prune(json.loads(bundled_document()))) + b"\n"


def main() -> None:
    """Write discovery.json and say its digest on standard error."""
    data = pruned_bytes()
    Path(__file__).with_name("discovery.json").write_bytes(data)
    sys.stderr.write(f"discovery.py must say DISCOVERY_SHA256 = {sha256_hex(data)!r}\n")


def _resources(resources: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: _resource(resource) for name, resource in resources.items()}
    return {name: resource for name, resource in kept.items() if resource}


def _resource(resource: Mapping[str, Any]) -> dict[str, Any]:
    methods = {n: _method(m) for n, m in resource.get("methods", {}).items() if m["id"] in ALLOWED_METHODS}
    nested = _resources(resource.get("resources", {}))
    return {key: value for key, value in (("methods", methods), ("resources", nested)) if value}


def _method(method: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: method[key] for key in _METHOD_KEYS if key in method}
    names = (name for name in method["parameters"] if name not in _UNUSED_PARAMETERS)
    return {**kept, "parameters": {name: _parameter(method["parameters"][name]) for name in names}}


def _parameter(parameter: Mapping[str, Any]) -> dict[str, Any]:
    return {key: parameter[key] for key in _PARAMETER_KEYS if key in parameter}


def _schemas(schemas: Mapping[str, Any], wanted: set[str]) -> dict[str, Any]:
    found: set[str] = set()
    while wanted - found:
        name = min(wanted - found)
        found.add(name)
        wanted |= set(_references(schemas[name]))
    return {name: _without_prose(schemas[name]) for name in sorted(found)}


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _references(item)


def _without_prose(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_prose(item) for key, item in value.items() if not _is_prose(key, item)}
    return [_without_prose(item) for item in value] if isinstance(value, list) else value


def _is_prose(key: str, item: object) -> bool:
    is_property = isinstance(item, dict) and "required" not in item
    return key in {"description", "enumDescriptions", "annotations"} and not is_property


if __name__ == "__main__":
    main()
