"""Attestation: exactly this address, exactly this kind, exactly these scopes, or no gateway at all."""

from itertools import combinations
from typing import Any

import pytest

from pipeline.canonical import sha256_hex
from pipeline.evidence.captures import Exchange
from pipeline.gmail.attest import Attested, attest, endpoint_of
from pipeline.gmail.capability import SCOPES, check_scopes, stages_of
from pipeline.gmail.discovery import GOOGLE, Endpoint
from pipeline.refusals import AccountDisabled, RegistryRefused, ScopesDiffer, StatusForbids, WrongAccount, WrongKind
from tests.pipeline.gmail.local import ADDRESS, PROFILE, Script, Token, account, attested, rim

SCOPE = "https://www.googleapis.com/auth/gmail."


def test_attestation_tells_who_and_when() -> None:
    kept: list[Exchange] = []
    value = attested("fetch", Script(), record=kept.append)
    assert (value.address, value.history_id, value.stage) == (ADDRESS, "900100", "fetch")
    assert value.body_sha256 == sha256_hex(kept[0].body)
    assert [row.method for row in kept] == ["getProfile"]


def test_case_of_letters_is_the_only_difference_allowed() -> None:
    assert attested("fetch", Script(profile={**PROFILE, "emailAddress": ADDRESS.title()})).address == ADDRESS.title()


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize(
    "other",
    [
        "someone.else@example.com",
        "casey.rivers+jobs@example.com",
        "caseyrivers@example.com",
        "casey.rivers@example.org",
        "casey.rivers@mail.example.com",
        "c\u0430sey.rivers@example.com",
        " casey.rivers@example.com",
        "casey.rivers@example.com\n",
        "casey.rivers@example.com.",
        "",
        None,
        7,
        ["casey.rivers@example.com"],
    ],
)
def test_profile_that_names_anybody_else(other: object) -> None:
    for stage in ("fetch", "execute", "undo"):
        with pytest.raises(WrongAccount) as caught:
            attested(stage, Script(profile={**PROFILE, "emailAddress": other}))
        assert "rivers" not in str(caught.value)


def test_profile_without_a_history_id() -> None:
    with pytest.raises(WrongAccount):
        attested("fetch", Script(profile={"emailAddress": ADDRESS}))


@pytest.mark.contract("ID-1")
def test_nothing_but_attest_makes_an_attestation() -> None:
    outside = rim(Script())
    with pytest.raises(TypeError):
        Attested(account(), "fetch", outside, address=ADDRESS, history_id="1", body_sha256="", seal=object())
    with pytest.raises(TypeError):
        Attested(account(), "fetch", outside, address=ADDRESS, history_id="1", body_sha256="")  # type: ignore[call-arg]


LIVE: Any = {"id": "work", "endpoint": "google", "credential": "keyring:work"}
PEER: Any = {"id": "peer", "endpoint": "http://127.0.0.1:9", "credential": "env:PEER_TOKEN"}


@pytest.mark.parametrize("workspace_kind", ["demo", "loopback", "live"])
@pytest.mark.parametrize(("kind", "changes"), [("demo", {}), ("loopback", PEER), ("live", LIVE)])
def test_workspace_of_another_kind(kind: str, changes: Any, workspace_kind: Any) -> None:
    script = Script()
    record = account(**changes)
    if kind == workspace_kind:
        assert attest(record, "fetch", rim(script), workspace_kind=workspace_kind).record.kind == kind
        return
    with pytest.raises(WrongKind):
        attest(record, "fetch", rim(script), workspace_kind=workspace_kind)
    assert script.calls == []


def test_published_credential_never_opens_a_live_mailbox() -> None:
    script = Script()
    with pytest.raises(WrongKind):
        attest(account(**LIVE), "fetch", rim(script, credential=Token(is_published=True)), workspace_kind="live")
    assert script.calls == []


class NoToken:
    """A credential that must not be asked."""

    is_published = False

    def token(self) -> str:
        raise AssertionError("asked for a token")

    def granted_scopes(self) -> None:
        return None


@pytest.mark.contract("ID-5")
@pytest.mark.parametrize("stage", ["fetch", "execute", "undo"])
@pytest.mark.parametrize("status", ["disabled", "read-only", "draft-only", "organize-only", "cleanup-enabled"])
def test_status_without_the_stage_asks_nothing(stage: Any, status: Any) -> None:
    if stage in stages_of(status):
        assert attested(stage, Script(), record_of=account(status=status)).stage == stage
        return
    script = Script()
    with pytest.raises((StatusForbids, AccountDisabled)):
        attested(stage, script, record_of=account(status=status), credential=NoToken())
    assert script.calls == []


SCOPE_SETS = [
    frozenset(f"{SCOPE}{name}" for name in names)
    for size in (0, 1, 2)
    for names in combinations(("readonly", "modify", "compose", "metadata"), size)
] + [frozenset({"https://mail.google.com/"})]


@pytest.mark.contract("ID-3")
@pytest.mark.parametrize("profile", ["read", "organize"])
@pytest.mark.parametrize("granted", SCOPE_SETS)
def test_scopes_are_exact_or_refused(granted: frozenset[str], profile: Any) -> None:
    assert len(SCOPE_SETS) == 12
    if granted == SCOPES[profile]:
        check_scopes(granted, profile)
    else:
        with pytest.raises(ScopesDiffer):
            check_scopes(granted, profile)


@pytest.mark.contract("ID-3")
@pytest.mark.parametrize("stage", ["fetch", "execute", "undo"])
def test_token_with_other_scopes_asks_nothing(stage: Any) -> None:
    wanted = SCOPES["read" if stage == "fetch" else "organize"]
    assert attested(stage, Script(), credential=Token(scopes=wanted)).stage == stage
    for granted in (wanted | {f"{SCOPE}metadata"}, frozenset(), SCOPES["read"] | SCOPES["organize"]):
        script = Script()
        with pytest.raises(ScopesDiffer):
            attested(stage, script, credential=Token(scopes=granted))
        assert script.calls == []


def test_where_an_endpoint_leads() -> None:
    assert endpoint_of(account(**LIVE), "http://127.0.0.1:1") == GOOGLE
    assert endpoint_of(account(), "http://127.0.0.1:8080/") == Endpoint("http://127.0.0.1:8080")
    assert endpoint_of(account(**{**PEER, "endpoint": "http://127.0.0.1:8080/a/b/"})) == Endpoint(
        "http://127.0.0.1:8080", "/a/b"
    )


@pytest.mark.parametrize(
    "twin",
    [
        "",
        "http://localhost:8080",
        "http://127.0.0.1",
        "https://127.0.0.1:8080",
        "http://127.0.0.1:8080@evil.example",
        "http://evil.example:8080",
        "http://127.0.0.1:8080/../x",
        "http://127.0.0.1:8080/a?b",
        "http://127.0.0.1:8080/a#b",
        "http://127.0.0.2:8080",
        "http://0.0.0.0:8080",
    ],
)
def test_twin_that_is_not_on_loopback(twin: str) -> None:
    with pytest.raises(RegistryRefused):
        attested("fetch", Script(), twin=twin)
