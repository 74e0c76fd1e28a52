"""What is not built is absent: no operation, no Gmail method, no stage, no command, no dependency stands for it.

The day one of these is built, its test here goes red; then it is replaced by tests of what the ID says.
"""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from pipeline.cli.catalogue import catalogue
from pipeline.gmail.capability import METHODS, SCOPES
from pipeline.gmail.discovery import GOOGLE, load_document
from pipeline.gmail.gateway import ExecuteGateway, FetchGateway, UndoGateway
from pipeline.models.manifest import Change
from pipeline.models.operation import Operation
from pipeline.models.policy import Policy

ROOT = Path(__file__).resolve().parent.parent.parent
GATEWAYS = (FetchGateway, ExecuteGateway, UndoGateway)
PRODUCT = ("pipeline", "stages")
MODEL_CLIENTS = frozenset({"anthropic", "openai", "google.genai", "litellm", "ollama", "transformers", "langchain"})
HTTP_CLIENTS = frozenset({"urllib.request", "http.client", "requests", "httpx", "aiohttp", "smtplib", "webbrowser"})


def discovered() -> frozenset[str]:
    """Every method of the committed description of Gmail, without the leading `gmail.users.`."""

    def methods(resource: dict[str, Any]) -> Iterator[str]:
        yield from (method["id"].removeprefix("gmail.users.") for method in resource.get("methods", {}).values())
        for nested in resource.get("resources", {}).values():
            yield from methods(nested)

    return frozenset(methods(load_document(GOOGLE)))


def gateway_names() -> frozenset[str]:
    """Every public name of every gateway."""
    return frozenset(name for gateway in GATEWAYS for name in dir(gateway) if not name.startswith("_"))


def kinds(union: object) -> frozenset[str]:
    """The `kind` of each member of a discriminated union."""
    return frozenset(member.model_fields["kind"].default for member in get_args(get_args(union)[0]))


def imported() -> frozenset[str]:
    """Every module that a product file imports, wherever the import stands."""
    files = (path for package in PRODUCT for path in (ROOT / package).rglob("*.py"))
    return frozenset(name for path in files for name in _imports(ast.parse(path.read_bytes())))


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_the_helpers_see_what_is_there() -> None:
    assert {"getProfile", "messages.batchModify", "drafts.get", "settings.filters.list"} <= discovered()
    assert {"perform", "get_message", "list_drafts", "list_filters"} <= gateway_names()
    assert {"googleapiclient.discovery", "pydantic"} <= imported() or {"googleapiclient", "pydantic"} <= imported()
    assert {"fetch", "plan", "show"} <= catalogue().keys()


def test_the_operations_are_exactly_four() -> None:
    assert kinds(Operation) == {"modify_labels", "create_label", "trash", "untrash"}


def test_a_manifest_plans_only_labels_archive_and_trash() -> None:
    assert kinds(Change) == {"label", "archive", "trash"}


@pytest.mark.contract("ID-4", "P6")
def test_no_thread_is_trashed_and_nothing_empties_the_trash() -> None:
    assert not {method for method in discovered() if method.startswith("threads.")} - {"threads.list", "threads.get"}
    assert {name for name in gateway_names() if "trash" in name or "thread" in name} == {"list_threads", "get_thread"}


@pytest.mark.contract("P6", "ID-7")
def test_no_method_sends_or_deletes_for_good() -> None:
    forbidden = {"send", "delete", "batchDelete", "import", "insert"}
    assert not {method for method in discovered() if method.rpartition(".")[2] in forbidden}
    assert {name for allowed in METHODS.values() for name in allowed} <= discovered()
    assert not any("send" in scope or scope.endswith("mail.google.com/") for s in SCOPES.values() for scope in s)


@pytest.mark.contract("JU-7")
def test_no_model_can_be_asked() -> None:
    assert "ask" not in catalogue()
    assert not {name for name in imported() if name.split(".")[0] in MODEL_CLIENTS or name in MODEL_CLIENTS}
    assert not {name for name in Policy.model_fields if "model" in name or "claude" in name}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    assert not {one for one in wanted if one.split(";")[0].strip() in MODEL_CLIENTS}


@pytest.mark.contract("LE-3")
def test_no_filter_can_be_made() -> None:
    assert {method for method in discovered() if method.startswith("settings.")} == {"settings.filters.list"}
    assert "curate" not in catalogue()
    assert {name for name in gateway_names() if "filter" in name} == {"list_filters"}


@pytest.mark.contract("OU-1")
def test_nothing_unsubscribes() -> None:
    assert not {name for name in catalogue() if "unsubscribe" in name}
    assert not {name for name in gateway_names() if "unsubscribe" in name}
    assert not imported() & HTTP_CLIENTS, "a second way out would need its own gate"


@pytest.mark.contract("OU-2")
def test_no_draft_can_be_written() -> None:
    assert {method for method in discovered() if method.startswith("drafts.")} == {"drafts.list", "drafts.get"}
    assert {name for name in gateway_names() if "draft" in name} == {"list_drafts", "get_draft"}
    assert not {name for name in catalogue() if "draft" in name}
