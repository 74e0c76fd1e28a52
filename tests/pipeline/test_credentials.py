"""Credentials by reference, one request for a token, and approval keys that a published one can never stand in for."""

import json
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pipeline.clock import VirtualMonotonic
from pipeline.credentials import (
    APPROVAL_SERVICE,
    OAUTH_SERVICE,
    PUBLISHED_KEY,
    approval_key,
    load_credential,
    store_authorized_user,
)
from pipeline.gmail.attest import attest
from pipeline.gmail.capability import SCOPES
from pipeline.oauth import TOKEN_URL, refreshed
from pipeline.refusals import (
    CredentialMissing,
    KeyringRefused,
    NotApproved,
    ScopesDiffer,
    SignInAgain,
    Unreachable,
)
from tests.pipeline.gmail.local import Script, account, rim
from tests.pipeline.test_keyrings import MemoryKeyring, store_over

CASE = Path(__file__).parents[1] / "cases" / "80-token-expired-7-days" / "token_response.json"
LIVE: Any = {"id": "work", "endpoint": "google", "credential": "keyring:work"}
PEER: Any = {"id": "peer", "endpoint": "http://127.0.0.1:9", "credential": "env:PEER_TOKEN"}
USER = {
    "type": "authorized_user",
    "client_id": "client-of-casey",
    "client_secret": "hush-client",
    "refresh_token": "hush-refresh",
}
GRANTED = {"access_token": "hush-access", "expires_in": 3599, "scope": " ".join(SCOPES["read"]), "token_type": "Bearer"}


class Endpoint:
    """The token endpoint, in process."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.calls: list[tuple[str, str, bytes]] = []

    def __call__(
        self, verb: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Mapping[str, str], bytes]:
        self.calls.append((verb, url, body))
        reply = self.replies.pop(0)
        if isinstance(reply, OSError):
            raise reply
        status, document = reply
        return status, {}, document if isinstance(document, bytes) else json.dumps(document).encode()


def signed_in(*replies: Any, profile: Any = "read", clock: VirtualMonotonic | None = None) -> tuple[Any, Endpoint]:
    secrets = store_over(MemoryKeyring())
    store_authorized_user("work", profile, json.dumps(USER), secrets)
    endpoint = Endpoint(*replies)
    credential = load_credential(
        account(**LIVE), profile, env={}, secrets=secrets, wire=endpoint, monotonic=clock or VirtualMonotonic()
    )
    return credential, endpoint


def load(record: Any, env: Mapping[str, str] | None = None, backend: Any = None) -> Any:
    secrets = store_over(backend or MemoryKeyring())
    return load_credential(
        record, "read", env=env or {}, secrets=secrets, wire=Endpoint(), monotonic=VirtualMonotonic()
    )


def test_demo_needs_no_secret_and_no_network() -> None:
    credential = load(account())
    assert (credential.token(), credential.is_published, credential.granted_scopes()) == ("demo", True, None)


def test_loopback_token_comes_from_the_environment() -> None:
    credential = load(account(**PEER), {"PEER_TOKEN": "hush"})
    assert (credential.token(), credential.is_published) == ("hush", False)
    assert "hush" not in repr(credential) + str(credential)


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("value", [None, "", "a b", "a\r\nX: y", "é"])
def test_environment_without_a_usable_token(value: str | None) -> None:
    with pytest.raises(CredentialMissing) as caught:
        load(account(**PEER), {} if value is None else {"PEER_TOKEN": value})
    assert "PEER_TOKEN" in str(caught.value)


@pytest.mark.contract("ID-6")
@pytest.mark.parametrize("credential", ["published:demo", "env:PEER_TOKEN"])
def test_live_mailbox_takes_nothing_but_the_keyring(credential: str) -> None:
    smuggled = account(**LIVE).model_copy(update={"credential": credential})  # the registry would refuse it first
    with pytest.raises(CredentialMissing):
        load(smuggled, {"PEER_TOKEN": "hush"})


@pytest.mark.contract("ID-3")
def test_each_profile_has_its_own_stored_credential() -> None:
    backend = MemoryKeyring()
    secrets = store_over(backend)
    store_authorized_user("work", "organize", json.dumps(USER), secrets)
    assert list(backend.secrets) == [(OAUTH_SERVICE, "work:organize")]
    with pytest.raises(CredentialMissing):
        load(account(**LIVE), backend=backend)


@pytest.mark.parametrize(
    "stored",
    ["", "{}", "[]", "hush-refresh", '{"client_id": "hush"', json.dumps({**USER, "refresh_token": ""}),
     json.dumps({**USER, "client_secret": 7})],
)  # fmt: skip
def test_stored_credential_that_is_none_is_not_quoted(stored: str) -> None:
    backend = MemoryKeyring()
    backend.secrets[OAUTH_SERVICE, "work:read"] = stored
    with pytest.raises(CredentialMissing) as caught:
        load(account(**LIVE), backend=backend)
    assert "hush" not in told(caught.value, and_locals=False)


@pytest.mark.contract("AP-7")
def test_token_is_asked_for_once_and_again_before_it_ends() -> None:
    clock = VirtualMonotonic()
    credential, endpoint = signed_in((200, GRANTED), (200, {**GRANTED, "access_token": "second"}), clock=clock)
    assert [credential.token() for _ in range(3)] == ["hush-access"] * 3
    assert credential.granted_scopes() == SCOPES["read"]
    clock.sleep(3200)
    assert credential.token() == "hush-access"
    clock.sleep(200)
    assert credential.token() == "second"
    assert [(verb, url) for verb, url, _ in endpoint.calls] == [("POST", TOKEN_URL)] * 2
    assert b"grant_type=refresh_token" in endpoint.calls[0][2]


@pytest.mark.contract("AP-7")
@pytest.mark.parametrize(
    "reply",
    [
        (500, {"error": "internal_failure"}),
        (503, b"<html>"),
        (429, {"error": "rate_limit_exceeded"}),
        (400, {"error": "temporarily_unavailable"}),
        (302, {}),
        (204, b""),
        (200, b"<html>"),
        (200, b""),
        (200, {}),
        (200, {**GRANTED, "access_token": "a\r\nb"}),
        (200, {**GRANTED, "expires_in": "x"}),
        (200, {**GRANTED, "expires_in": True}),
        (200, {**GRANTED, "expires_in": -1}),
        ConnectionResetError("hush"),
        TimeoutError("hush"),
    ],
)
def test_token_endpoint_in_trouble_is_asked_exactly_once(reply: Any) -> None:
    credential, endpoint = signed_in(reply, (200, GRANTED), (200, GRANTED))
    with pytest.raises(Unreachable) as caught:
        credential.token()
    assert len(endpoint.calls) == 1
    assert "hush" not in told(caught.value)


@pytest.mark.contract("ID-1", "AP-7")
def test_case_80_dead_refresh_token_says_sign_in_again_before_any_mutation() -> None:
    answer = json.loads(CASE.read_bytes())
    credential, endpoint = signed_in((answer["status"], answer["body"]), (200, GRANTED), profile="organize")
    mailbox = Script()
    with pytest.raises(SignInAgain) as caught:
        attest(account(**LIVE), "execute", rim(mailbox, credential=credential), workspace_kind="live")
    assert all(words in str(caught.value) for words in ("work", "sign in again", "Testing"))
    assert (caught.value.exit_code, len(endpoint.calls), mailbox.calls) == (4, 1, [])
    assert "hush" not in told(caught.value)


@pytest.mark.contract("ID-3")
@pytest.mark.parametrize(
    "scope",
    ["", "https://www.googleapis.com/auth/gmail.modify", f"{GRANTED['scope']} https://mail.google.com/", "openid"],
)
def test_token_granted_other_scopes_opens_nothing(scope: str) -> None:
    credential, _ = signed_in((200, {**GRANTED, "scope": scope}))
    mailbox = Script()
    with pytest.raises(ScopesDiffer):
        attest(account(**LIVE), "fetch", rim(mailbox, credential=credential), workspace_kind="live")
    assert mailbox.calls == []


def test_token_granted_the_exact_scopes_opens_the_mailbox() -> None:
    credential, _ = signed_in((200, GRANTED))
    assert (
        attest(account(**LIVE), "fetch", rim(Script(), credential=credential), workspace_kind="live").stage == "fetch"
    )


def test_token_that_ends_at_once_is_asked_for_each_time() -> None:
    credential, endpoint = signed_in(*[(200, {**GRANTED, "expires_in": life}) for life in (10, "30", 0, None)])
    assert {credential.token() for _ in range(4)} == {"hush-access"}
    assert len(endpoint.calls) == 4


def test_case_83_no_secret_in_any_repr() -> None:
    credential, _ = signed_in((200, GRANTED))
    credential.token()
    fresh = refreshed("work", credential._user, Endpoint((200, GRANTED)))
    assert fresh.token == "hush-access"
    assert "hush" not in repr(credential) + str(credential) + repr(fresh) + repr(credential._user) + repr(
        store_over(MemoryKeyring())
    )


@pytest.mark.contract("AP-2")
def test_published_key_seals_only_mailboxes_that_do_not_exist() -> None:
    secrets = store_over(MemoryKeyring())
    assert len(PUBLISHED_KEY) == 32
    assert approval_key(account(), secrets) == approval_key(account(**PEER), secrets) == PUBLISHED_KEY
    live = approval_key(account(**LIVE), secrets, may_create=True)
    assert len(live) == 32
    assert live != PUBLISHED_KEY


@pytest.mark.contract("AP-2")
def test_live_key_is_made_once_and_by_the_approving_person_alone() -> None:
    backend = MemoryKeyring()
    secrets = store_over(backend)
    with pytest.raises(NotApproved):
        approval_key(account(**LIVE), secrets)
    assert backend.secrets == {}
    first = approval_key(account(**LIVE), secrets, may_create=True)
    assert approval_key(account(**LIVE), secrets, may_create=True) == approval_key(account(**LIVE), secrets) == first
    assert list(backend.secrets) == [(APPROVAL_SERVICE, "work")]
    assert approval_key(account(**{**LIVE, "id": "other"}), secrets, may_create=True) != first


@pytest.mark.contract("AP-2")
@pytest.mark.parametrize("stored", [PUBLISHED_KEY.hex(), "", "00", "zz" * 32, "00" * 31, "hush"])
def test_live_key_that_is_published_or_broken_is_refused(stored: str) -> None:
    backend = MemoryKeyring()
    backend.secrets[APPROVAL_SERVICE, "work"] = stored
    for may_create in (True, False):
        with pytest.raises(KeyringRefused) as caught:
            approval_key(account(**LIVE), store_over(backend), may_create=may_create)
        assert "hush" not in told(caught.value, and_locals=False)
    assert backend.secrets[APPROVAL_SERVICE, "work"] == stored


def told(error: BaseException, *, and_locals: bool = True) -> str:
    """Everything a person or a log could see of an error; with the local values of our own frames if wanted."""
    frames = traceback.TracebackException.from_exception(error, capture_locals=True)
    ours = [str(frame.locals) for frame in frames.stack if and_locals and "/tests/" not in frame.filename]
    lines = [line for line in traceback.format_exception(error) if "/tests/" not in line]
    return "".join(lines) + repr(error) + str(error) + "".join(ours)
