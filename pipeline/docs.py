"""The pages that are written from the code: docs/stages.md and the JSON Schemas under docs/schemas.

The stage table comes from the stages' own declarations, the schemas from the models that read and write the documents,
so neither can say something else than what runs.

    python -m pipeline.docs           compares; exit 1 when a page is missing or stale
    python -m pipeline.docs --write   rewrites what is stale
"""

import importlib
import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from pipeline.artifacts import Artifact
from pipeline.config import REPOSITORY
from pipeline.models.approval import Approval, GrantedApproval
from pipeline.models.capture import Capture
from pipeline.models.decision import Decision
from pipeline.models.document import Document
from pipeline.models.grant import Grant
from pipeline.models.manifest import Manifest
from pipeline.models.receipt import Event
from pipeline.stage import Stage, discover
from pipeline.store import exists, read_bytes, replace_file

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
DOCUMENTS: Final[Mapping[str, type[Document]]] = {
    "capture": Capture,
    "manifest": Manifest,
    "approval": Approval,
    "granted-approval": GrantedApproval,
    "grant": Grant,
    "decision": Decision,
}
"""Documents that are one JSON value each; a decision is one line of a decisions log."""

_HEADER = """\
# Stages

Written by `make docs` from the stages' own declarations; do not edit.

A *pure* stage is a function of facts. One that *asks* reads Gmail or files that another tool saved, one that *seals*
writes a sealed document, one by a *person* records a yes, one that *changes* changes the mailbox, one that *checks*
reads facts and writes nothing. `gmailtriage NAME --help` prints the whole manual, which is the docstring of
`stages/NAME.py`.

| stage | kind | reads → writes | Gmail methods | what it does |
|---|---|---|---|---|
"""


def stages_page(stages: Mapping[str, Stage], package: ModuleType) -> str:
    """docs/stages.md: one row a stage, each after what it reads. `package` is where the stages' manuals are."""
    rows = (_row(stage, _manual(package, name)) for name, stage in stages.items())
    return _HEADER + "".join(rows)


def _manual(package: ModuleType, name: str) -> str:
    return inspect.getdoc(importlib.import_module(f"{package.__name__}.{name.replace('-', '_')}")) or ""


def _row(stage: Stage, manual: str) -> str:
    flow = f"{_names(stage.reads)} → {_names(stage.writes)}"
    methods = ", ".join(f"`{method}`" for method in sorted(stage.methods)) or "none"
    source = f"[{stage.name}](../stages/{stage.name.replace('-', '_')}.py)"
    return f"| {source} | {stage.kind} | {flow} | {methods} | {_in_a_cell(first_sentence(manual))} |\n"


def _names(artifacts: tuple[Artifact, ...]) -> str:
    return ", ".join(artifact.name for artifact in artifacts) or "nothing"


def first_sentence(manual: str) -> str:
    """The first sentence of a docstring without the leading `name: `, ended by a full stop.

    >>> first_sentence("plan: decisions in, changes out. It holds no time.")
    'decisions in, changes out.'
    """
    paragraph = " ".join(manual.split("\n\n")[0].split())
    name, colon, rest = paragraph.partition(": ")
    sentence = (rest if colon and " " not in name else paragraph).split(". ")[0]
    return f"{sentence.rstrip('.')}."


def _in_a_cell(text: str) -> str:
    return text.replace("|", "\\|")


class _EveryField(GenerateJsonSchema):
    """Our documents are written whole: a field with a default stands in the file too, unless it says when it is left
    out (`exclude_if`)."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Always but then."""
        return "serialization_exclude_if" not in field


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema by document name; `receipt` describes one line (one event) of a receipt."""
    found: dict[str, dict[str, Any]] = {
        name: model.model_json_schema(schema_generator=_EveryField, mode="serialization")
        for name, model in DOCUMENTS.items()
    }
    events: TypeAdapter[object] = TypeAdapter(Event)
    found["receipt"] = {"title": "Event", **events.json_schema(schema_generator=_EveryField, mode="serialization")}
    return {name: {"$schema": DRAFT, **schema} for name, schema in sorted(found.items())}


def pages() -> dict[str, bytes]:
    """Path in the repository -> bytes that must lie there."""
    package = importlib.import_module("stages")
    table = {"docs/stages.md": stages_page(discover(package), package).encode()}
    return {**table, **{f"docs/schemas/{name}.schema.json": _json(schema) for name, schema in schemas().items()}}


def _json(schema: dict[str, Any]) -> bytes:
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()


def refresh(wanted: Mapping[str, bytes], root: Path, *, write: bool) -> tuple[str, ...]:
    """Paths of the pages under `root` that are missing or stale; with `write` they are rewritten."""
    stale = tuple(name for name, data in wanted.items() if _current(root / name) != data)
    for name in stale if write else ():
        replace_file(root / name, wanted[name])
    return stale


def _current(path: Path) -> bytes:
    return read_bytes(path) if exists(path) else b""


def main(arguments: list[str]) -> int:
    """Compare or rewrite; returns the exit code."""
    is_writing = "--write" in arguments
    stale = refresh(pages(), REPOSITORY, write=is_writing)
    return 1 if stale and not is_writing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
