"""The borders of the source: floors, one module each for what reaches outside, and no way to mail anything."""

import ast
import json
import tomllib

import pytest

from tests.guarantees.borders import (
    ONLY_IN,
    ROOT,
    _cycles_of,
    cycles,
    floor_of,
    imports,
    is_within,
    reached_from,
    sources,
    violations,
)

ALL = list(sources("pipeline", "stages"))


@pytest.mark.contract("ID-7", "P6")
@pytest.mark.parametrize(("module", "source"), ALL, ids=[module for module, _ in ALL])
def test_module_keeps_its_borders(module: str, source: str) -> None:
    assert violations(module, source) == []


PLANTED = [
    ("pipeline.canonical", "from pipeline.store import read_bytes", "floor 1 imports"),
    ("pipeline.mail.reader", "from pipeline.models.policy import Policy", "floor 1 imports"),
    ("pipeline.models.policy", "import pipeline.gmail.gateway", "floor 2 imports"),
    ("pipeline.gmail.gate", "from pipeline import session", "floor 3 imports"),
    ("pipeline.gmail.gate", "def f():\n    from pipeline.session import open_session", "floor 3 imports"),
    ("pipeline.newcomer", "", "has no floor"),
    ("pipeline.store", "from stages.plan import PLAN", "pipeline imports a stage"),
    ("stages.execute", "from stages.plan import planned", "more than an artifact constant"),
    ("stages.execute", "from stages import plan", "more than an artifact constant"),
    ("stages.fetch", "from googleapiclient.discovery import build", "only pipeline.gmail.client imports"),
    ("pipeline.gmail.gateway", "import googleapiclient.http", "only pipeline.gmail.client imports"),
    ("stages.fetch", "def f():\n    import keyring", "only pipeline.keyrings imports"),
    ("pipeline.credentials", "from keyring import get_password", "only pipeline.keyrings imports"),
    ("stages.fetch", "import urllib3", "only pipeline.gmail.wire imports"),
    ("pipeline.session", "import google.auth", "only pipeline.oauth imports"),
    ("stages.execute", "import smtplib", "nobody imports"),
    ("stages.execute", "import requests", "nobody imports"),
    ("stages.execute", "from http.client import HTTPSConnection", "nobody imports"),
    ("stages.execute", "import urllib.request", "nobody imports"),
    ("stages.execute", "from urllib import request", "nobody imports"),
    ("stages.execute", "import subprocess", "only pipeline.helpers imports"),
    ("pipeline.gathering", "import pickle", "only pipeline.helpers imports"),
    ("stages.execute", "import socket", "nobody imports"),
    ("stages.execute", "from . import plan", "relative import"),
    ("stages.fetch", "from twin.serve import serve", "only the rim starts a twin"),
    ("stages.execute", "from pipeline.models.operation import journal_token", "only the journal"),
    ("stages.fetch", "open('x')", "only the store touches files"),
    ("stages.fetch", "import os\nos.open('x', 0)", "only the store touches files"),
    ("stages.fetch", "path.write_text('x')", "only the store touches files"),
    ("stages.fetch", "path.read_bytes()", "only the store touches files"),
    ("stages.plan", "frame.write_parquet('x')", "only the store touches files"),
    ("pipeline.gmail.discovery", "path.write_bytes(b'')", "only the store touches files"),
    ("stages.fetch", "print('x')", "only the command line prints"),
    ("stages.fetch", "import sys\nsys.stderr.write('x')", "only the command line speaks"),
    ("stages.fetch", "eval('1')", "hides what a module does"),
    ("stages.fetch", "__import__('smtplib')", "hides what a module does"),
    ("pipeline.gmail.gateway", "def send(message): ...", "a name that mails"),
    ("pipeline.gmail.gateway", "users.messages().send(userId='me')", "a name that mails"),
    ("pipeline.gmail.gateway", "getattr(users.messages(), 'send')", "a name that mails"),
    ("pipeline.gmail.gateway", "client.call('messages.send')", "a text that names"),
    ("pipeline.gmail.gateway", "x = '/gmail/v1/users/me/drafts/send'", "a text that names"),
    ("pipeline.gmail.gateway", "x = f'{root}/upload/gmail/v1'", "a text that names"),
    ("pipeline.gmail.gateway", "def forward_to(address): ...", "a name that mails"),
    ("pipeline.gmail.capability", "x = 'https://mail.google.com/'", "a text that names"),
    ("pipeline.gmail.capability", "x = 'https://www.googleapis.com/auth/gmail.send'", "a text that names"),
    ("pipeline.gmail.capability", "x = 'https://www.googleapis.com/auth/gmail.metadata'", "a text that names"),
    ("pipeline.gmail.calls", "x = 'messages/batchDelete'", "a text that names"),
]


@pytest.mark.contract("ID-7")
@pytest.mark.parametrize(("module", "source", "rule"), PLANTED)
def test_planted_violation_is_caught(module: str, source: str, rule: str) -> None:
    assert any(rule in found for found in violations(module, source)), violations(module, source)


ALLOWED = [
    ("pipeline.gmail.client", "from googleapiclient.http import HttpRequest"),
    ("pipeline.keyrings", "import keyring"),
    ("pipeline.store", "import os\nos.open('x', 0)"),
    ("pipeline.cli.show", "import sys\nprint('x', file=sys.stderr)"),
    ("pipeline.changes.journal", "from pipeline.models.operation import journal_token"),
    ("stages.plan", "from stages.decide import DECISIONS"),
    ("pipeline.session", "from twin.serve import serve"),
    ("stages.fetch", "sender = message.sender\nx = 'the sender asked us to send it by mail'"),
]


@pytest.mark.parametrize(("module", "source"), ALLOWED)
def test_what_a_place_allows_passes(module: str, source: str) -> None:
    assert violations(module, source) == []


@pytest.mark.contract("ID-7")
def test_each_library_that_reaches_outside_is_imported_by_exactly_one_module() -> None:
    for library, owner in ONLY_IN.items():
        importers = {
            module for module, source in ALL for name, _, _ in imports(ast.parse(source)) if is_within(name, library)
        }
        assert importers == {owner}


@pytest.mark.contract("ID-7")
@pytest.mark.parametrize("stage", ["fetch", "ingest", "execute", "undo", "approve", "freeze"])
def test_a_stage_that_asks_seals_or_changes_can_start_no_process(stage: str) -> None:
    assert not reached_from(f"stages.{stage}") & {"pipeline.helpers", "pipeline.gathering"}


def test_twin_imports_nothing_of_ours() -> None:
    for module, source in sources("twin"):
        for name, _, line in imports(ast.parse(source)):
            assert name.split(".")[0] not in {"pipeline", "stages", "tests"}, f"{module}:{line}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert cycles() == []
    assert _cycles_of({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == [["a", "b", "c"]]


def test_floors_fall_back_to_the_package() -> None:
    assert (floor_of("pipeline.gmail.gate"), floor_of("stages.plan"), floor_of("pipeline.newcomer")) == (3, 5, None)


@pytest.mark.contract("AP-3")
@pytest.mark.parametrize("stage", ["execute", "undo"])
def test_executor_cannot_reach_planning_and_planning_cannot_reach_a_gateway(stage: str) -> None:
    names = {module for module, _ in ALL}
    if f"stages.{stage}" not in names:
        pytest.skip("the stage is not built yet")
    planning = {
        "stages.plan",
        "stages.decide",
        "stages.discard",
        "stages.freeze",
        "pipeline.evidence.query",
        "pipeline.rulebook",
        "pipeline.evidence.raw",
    }
    reached = reached_from(f"stages.{stage}")
    assert not reached & planning
    assert not any(is_within(module, "pipeline.judge") or is_within(module, "pipeline.mail") for module in reached), (
        reached
    )
    for name in ("stages.plan", "stages.decide", "stages.freeze"):
        if name in names:
            changing = {"pipeline.gmail.gateway", "pipeline.changes.journal", "stages.execute", "stages.undo"}
            assert not reached_from(name) & changing


@pytest.mark.contract("ID-7")
def test_no_dependency_mails_anything() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = json.dumps([project["dependencies"], project["optional-dependencies"]]).lower()
    assert "google-api-python-client" in named
    assert not any(
        word in named for word in ("smtp", "sendgrid", "mailgun", "yagmail", "redmail", "simplegmail", "twilio")
    )


@pytest.mark.contract("ID-7")
def test_no_file_of_the_product_asks_for_the_full_mail_scope() -> None:
    files = [*ROOT.glob("*.toml"), *(ROOT / "pipeline").rglob("*.json"), *(ROOT / "pipeline").rglob("*.py")]
    assert len(files) > 50
    assert not [path.name for path in files if "mail.google.com" in path.read_text(encoding="utf-8")]
