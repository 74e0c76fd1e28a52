"""The committed description of Gmail that the client is built from, checked by its digest on every load.

discovery.json is written by `python -m pipeline.gmail.prune` and holds only methods that some stage may use. For a
loopback Gmail the root is rewritten in the document, because the client's own endpoint option does not move every URL.

>>> load_document(Endpoint("http://127.0.0.1:8080", "/peer"))["rootUrl"]
'http://127.0.0.1:8080/peer/'
"""

import importlib.resources
import json
from dataclasses import dataclass
from typing import Any

from pipeline.canonical import sha256_hex
from pipeline.refusals import WrongDigest

DISCOVERY_SHA256 = "8a51546d2965dcaa3f85db69119534b89eaaf3c88a93477852da7b0c59c702ae"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a Gmail lives: `origin` (scheme, host, port) and `base_path` (empty, or `/a/b` without a final slash)."""

    origin: str
    base_path: str = ""


GOOGLE = Endpoint("https://gmail.googleapis.com")


def load_document(endpoint: Endpoint) -> dict[str, Any]:
    """The pruned discovery document, its URLs moved to `endpoint`. Raises WrongDigest when the file was changed."""
    document: dict[str, Any] = json.loads(checked(_stored()))
    root = f"{endpoint.origin}{endpoint.base_path}/"
    return {**document, "rootUrl": root, "baseUrl": root, "servicePath": "", "basePath": "", "batchPath": ""}


def checked(data: bytes) -> bytes:
    """`data` when its digest is the one in this file. Raises WrongDigest."""
    if sha256_hex(data) != DISCOVERY_SHA256:
        raise WrongDigest(
            "discovery.json is not the reviewed one",
            evidence=f"sha256 {sha256_hex(data)}",
            next_command="make discovery",
        )
    return data


def _stored() -> bytes:
    return (importlib.resources.files("pipeline.gmail") / "discovery.json").read_bytes()
