"""Who is this mailbox, really: the only maker of the value that every gateway demands.

`attest` asks getProfile through the stage's own gate and compares the answer with the registry: exact, but for case;
a plus tag, a dot or a look-alike letter is another person. It also holds the account to its status, its kind of
workspace and, where the issuer tells them, the exact scopes.

    attested = attest(record, "fetch", rim, workspace_kind="live")
"""

import re
from dataclasses import replace
from urllib.parse import urlsplit

from pipeline.canonical import sha256_hex
from pipeline.evidence.captures import Exchange
from pipeline.gmail.answers import Answer
from pipeline.gmail.capability import PROFILES, StageName, allowed_for, check_scopes, check_status
from pipeline.gmail.client import Client
from pipeline.gmail.discovery import GOOGLE, Endpoint
from pipeline.gmail.retry import Patience
from pipeline.gmail.transport import Rim
from pipeline.models.registry import AccountRecord, Kind
from pipeline.refusals import RegistryRefused, WrongAccount, WrongKind

_SEAL = object()
_LOOPBACK = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}")
_BASE_PATH = re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


class Attested:
    """Proof that getProfile named this account for this stage. Nothing else makes one.

    `address` is what Gmail said, `history_id` the mailbox's state then, `body_sha256` the digest of that answer.
    """

    __slots__ = ("_rim", "address", "body_sha256", "endpoint", "history_id", "record", "stage")

    def __init__(
        self,
        record: AccountRecord,
        stage: StageName,
        rim: Rim,
        *,
        address: str,
        history_id: str,
        body_sha256: str,
        seal: object,
    ) -> None:
        if seal is not _SEAL:
            raise TypeError("only attest() says who a mailbox is")
        self.record = record
        self.stage = stage
        self.endpoint = endpoint_of(record, rim.twin)
        self.address = address
        self.history_id = history_id
        self.body_sha256 = body_sha256
        self._rim = rim

    def __repr__(self) -> str:
        return f"<Attested {self.record.id} for {self.stage}>"


def attest(record: AccountRecord, stage: StageName, rim: Rim, *, workspace_kind: Kind) -> Attested:
    """Ask who the credential belongs to. Raises IdentityRefused (its many children), WrongKind, or Unreachable."""
    check_status(record, stage)
    _check_kind(record, rim, workspace_kind)
    rim.check()
    rim.credential.token()
    _check_granted(rim, stage)
    answer, body_sha256 = _profile(record, stage, rim)
    address, history_id = identity_of(record, answer)
    return Attested(record, stage, rim, address=address, history_id=history_id, body_sha256=body_sha256, seal=_SEAL)


def rim_of(attested: Attested) -> Rim:
    """The rim that an attestation was made over: for gateways only."""
    return attested._rim


def identity_of(record: AccountRecord, answer: Answer) -> tuple[str, str]:
    """Address and history id of a getProfile answer that names the account. Raises WrongAccount without saying whom."""
    address, history_id = answer.document.get("emailAddress"), answer.document.get("historyId")
    if not isinstance(address, str) or address.casefold() != record.address.casefold():
        raise WrongAccount(
            f"the credential of account {record.id} opens another mailbox",
            evidence="getProfile's emailAddress is not the registry's address",
            next_command="sign in again with the right account",
        )
    if not isinstance(history_id, str) or not re.fullmatch(r"[0-9]{1,20}", history_id):
        raise WrongAccount(f"getProfile of account {record.id} names no history id", evidence="historyId")
    return address, history_id


def endpoint_of(record: AccountRecord, twin: str = "") -> Endpoint:
    """Where the account's Gmail lives; `twin` is the base URL behind `endpoint = "twin"`. Raises RegistryRefused."""
    if record.endpoint == "google":
        return GOOGLE
    url = urlsplit(twin if record.endpoint == "twin" else record.endpoint)
    origin, base_path = f"{url.scheme}://{url.netloc}", url.path.rstrip("/")
    if not _LOOPBACK.fullmatch(origin) or not _BASE_PATH.fullmatch(base_path) or url.query or url.fragment:
        raise RegistryRefused(f"account {record.id} names no loopback Gmail", evidence=f"endpoint = {record.endpoint}")
    return Endpoint(origin, base_path)


def _check_kind(record: AccountRecord, rim: Rim, workspace_kind: Kind) -> None:
    if record.kind != workspace_kind:
        raise WrongKind(
            f"account {record.id} is {record.kind}, this workspace is {workspace_kind}",
            next_command="name the account's own workspace",
        )
    if record.kind == "live" and rim.credential.is_published:
        raise WrongKind(f"account {record.id} is live and a published credential is none")


def _check_granted(rim: Rim, stage: StageName) -> None:
    granted = rim.credential.granted_scopes()
    if granted is not None:
        check_scopes(granted, PROFILES[stage])


def _profile(record: AccountRecord, stage: StageName, rim: Rim) -> tuple[Answer, str]:
    """One getProfile through the stage's gate, and the digest of its body."""
    seen: list[bytes] = []

    def record_and_see(exchange: Exchange) -> None:
        rim.record(exchange)
        seen.append(exchange.body)

    allowed = allowed_for(record, stage, endpoint_of(record, rim.twin))
    only_profile = replace(allowed, methods=allowed.methods & {"getProfile"})
    client = Client(only_profile, replace(rim, record=record_and_see))
    answer = Patience(rim.meter.monotonic).ask(lambda: client.call("getProfile"))
    return answer, sha256_hex(seen[-1])
