"""ID-1 as a whole: from an alias to a change, 60 and more ways to be somebody else, and not one mutating request."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import keyring.backends.fail
import keyring.backends.null
import pytest

from pipeline.clock import VirtualMonotonic
from pipeline.credentials import OAUTH_SERVICE, load_credential
from pipeline.gmail.attest import attest
from pipeline.gmail.capability import PROFILES, SCOPES
from pipeline.gmail.gateway import ExecuteGateway, UndoGateway
from pipeline.gmail.quota import Meter
from pipeline.gmail.transport import Rim
from pipeline.keyrings import SecretStore
from pipeline.models.operation import ModifyLabels, journal_token
from pipeline.models.policy import Quota
from pipeline.models.registry import read_registry
from pipeline.oauth import TOKEN_URL
from pipeline.refusals import IdentityRefused, RegistryRefused, WrongKind
from tests.pipeline.gmail.local import ADDRESS, PROFILE, Script
from tests.pipeline.test_credentials import GRANTED, USER
from tests.pipeline.test_keyrings import MemoryKeyring, store_over, stranger

RECORD = """
[[mailbox]]
id = "work"
alias = ["work", "casey"]
address = "casey.rivers@example.com"
status = "organize-only"
endpoint = "google"
credential = "keyring:work"
"""
OTHER = RECORD.replace('"work"', '"second"').replace('"casey"', '"riley"').replace("casey.rivers", "riley.brook")
SECOND_ALIAS = RECORD.replace('id = "work"', 'id = "third"').replace("casey.rivers", "riley.brook")
ORGANIZE = {**GRANTED, "scope": " ".join(SCOPES["organize"])}
CHANGES = [ModifyLabels(message_ids=(f"18f0a{n}",), add=("Label_1",), remove=()) for n in (1, 2)]


class Outside(Script):
    """Gmail and the token endpoint behind one in-process wire; `hook` runs before each answer."""

    def __init__(self, token_reply: tuple[int, object], hook: Callable[["Outside"], None] | None = None) -> None:
        super().__init__()
        self.token_reply = token_reply
        self.hook = hook

    def __call__(self, verb: str, url: str, headers: Any, body: bytes) -> Any:
        if url == TOKEN_URL:
            return self.token_reply[0], {}, json.dumps(self.token_reply[1]).encode()
        answer = super().__call__(verb, url, headers, body)
        if self.hook:
            self.hook(self)
        return answer


def stored(backend: MemoryKeyring | None = None, profile: str = "organize") -> SecretStore:
    backend = backend or MemoryKeyring()
    backend.secrets[OAUTH_SERVICE, f"work:{profile}"] = json.dumps(USER)
    return store_over(backend)


def raising(error: Exception) -> SecretStore:
    def load() -> Any:
        raise error

    return SecretStore(load)


@dataclass
class World:
    """Everything that can be wrong between a person's alias and Gmail."""

    alias: str = "casey"
    registry: str = RECORD
    profile: object = ADDRESS
    token: tuple[int, object] = (200, ORGANIZE)
    secrets: SecretStore = field(default_factory=stored)
    workspace_kind: Any = "live"
    hook: Callable[[Outside], None] | None = None


def change_two_batches(world: World, stage: Any) -> Outside:
    """What the executor does, without a journal: attest, then ask again before each batch. Returns what Gmail saw."""
    outside = Outside(world.token, world.hook)
    outside.profile = {**PROFILE, "emailAddress": world.profile}
    try:
        record = read_registry(world.registry.encode()).resolve(world.alias)
        clock = VirtualMonotonic()
        credential = load_credential(
            record, PROFILES[stage], env={}, secrets=world.secrets, wire=outside, monotonic=clock
        )
        rim = Rim(outside, credential, Meter(Quota(), clock))
        value = attest(record, stage, rim, workspace_kind=world.workspace_kind)
        gateway = ExecuteGateway(value) if stage == "execute" else UndoGateway(value)
        for number, change in enumerate(CHANGES):
            gateway.reattest()
            gateway.perform(journal_token(change, number))
    except (IdentityRefused, RegistryRefused, WrongKind):
        return outside
    raise AssertionError("nobody noticed")


class KeyringLocked(Exception):  # noqa: N818  the library's own name
    """As keyring.errors names it."""


def swapped_after(answers: int) -> Callable[[Outside], None]:
    """Another person's credential from that answer on."""

    def hook(outside: Outside) -> None:
        if len(outside.calls) >= answers:
            outside.profile = {**PROFILE, "emailAddress": "riley.brook@example.com"}

    return hook


ADDRESSES: list[object] = [
    "riley.brook@example.com",
    "casey.rivers@example.org",
    "casey.rivers@sub.example.com",
    "casey.rivers+x@example.com",
    "casey.rivers+@example.com",
    "caseyrivers@example.com",
    "c.asey.rivers@example.com",
    "casey.rivers@example.com ",
    "\u200bcasey.rivers@example.com",
    "c\u0430sey.rivers@example.com",
    "casey.r\u0456vers@example.com",
    "casey.rivers@ex\u0430mple.com",
    "casey.rivers@example.com\u0000",
    "\uff43asey.rivers@example.com",
    "casey.rivers@example.com,riley.brook@example.com",
    None,
    ["casey.rivers@example.com"],
]


def worlds() -> Iterator[Any]:
    for address in ADDRESSES:
        yield pytest.param(World(profile=address), id=f"address {address!r}")
    yield pytest.param(World(alias="nobody"), id="unknown alias")
    yield pytest.param(World(registry=RECORD + SECOND_ALIAS), id="duplicate alias")
    yield pytest.param(World(alias="riley", registry=RECORD + OTHER), id="another account's alias")
    for status in ("disabled", "read-only", "draft-only"):
        registry = RECORD.replace("organize-only", status)
        yield pytest.param(World(registry=registry), id=f"status {status}")
    yield pytest.param(World(registry=RECORD.replace("google", "twin")), id="keyring credential for a loopback")
    for backend in (keyring.backends.fail.Keyring(), keyring.backends.null.Keyring(), stranger("keyrings.alt.file")):  # type: ignore[no-untyped-call]
        yield pytest.param(World(secrets=SecretStore(lambda b=backend: b)), id=f"keyring {type(backend).__module__}")
    for error in (KeyringLocked(), RuntimeError(), OSError()):
        yield pytest.param(World(secrets=raising(error)), id=f"keyring {type(error).__name__}")
    yield pytest.param(World(secrets=store_over(MemoryKeyring())), id="credential missing")
    yield pytest.param(World(secrets=stored(profile="read")), id="only the reading credential")
    yield pytest.param(World(token=(400, {"error": "invalid_grant"})), id="expired token")
    for scope in ("", GRANTED["scope"], ORGANIZE["scope"] + " https://mail.google.com/"):
        yield pytest.param(World(token=(200, {**ORGANIZE, "scope": scope})), id=f"scope {scope!r}")
    for kind in ("demo", "loopback"):
        yield pytest.param(World(workspace_kind=kind), id=f"workspace {kind}")
    yield pytest.param(World(hook=swapped_after(1)), id="credential swapped before the first batch")


WORLDS = list(worlds())


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("stage", ["execute", "undo"])
@pytest.mark.parametrize("world", WORLDS)
def test_somebody_else_changes_nothing(world: World, stage: str) -> None:
    assert change_two_batches(world, stage).mutations == []


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("stage", ["execute", "undo"])
def test_credential_swapped_between_two_batches_stops_before_the_second(stage: str) -> None:
    outside = change_two_batches(World(hook=swapped_after(3)), stage)
    assert len(outside.mutations) == 1  # profile, profile, first batch, swap, profile


def test_at_least_60_mismatches_are_tried_and_the_right_person_passes() -> None:
    assert 2 * (len(WORLDS) + 1) >= 60
    for stage in ("execute", "undo"):
        with pytest.raises(AssertionError, match="nobody noticed"):
            change_two_batches(World(), stage)
