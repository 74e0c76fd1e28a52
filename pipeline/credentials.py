"""From a registry's reference to a bearer token: published, from the environment, or from the keyring.

`published:demo` is the word `demo`, which opens only the mailbox that does not exist. `env:NAME` is for loopback.
`keyring:NAME` holds one authorized-user JSON a capability profile, under `NAME:read` or `NAME:organize`; its access
token is asked for once an hour with exactly one request. Tokens never appear in a repr, a refusal or a log.

    credential = load_credential(record, "read", env={}, secrets=SecretStore(system_backend), wire=UrllibWire(),
                                 monotonic=SystemMonotonic())
"""

import secrets as randomness
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.clock import Monotonic
from pipeline.gmail.capability import Profile
from pipeline.gmail.transport import Credential
from pipeline.gmail.wire import Wire
from pipeline.keyrings import SecretStore
from pipeline.models.registry import AccountRecord
from pipeline.oauth import AuthorizedUser, read_authorized_user, refreshed
from pipeline.refusals import CredentialMissing, KeyringRefused, NotApproved

OAUTH_SERVICE = "gmailtriage-oauth"
APPROVAL_SERVICE = "gmailtriage-approval"
PUBLISHED_TOKEN = "demo"  # noqa: S105  published on purpose: it opens only the demo mailbox
PUBLISHED_KEY = b"gmailtriage published demo key.."
"""32 bytes that everybody knows. It seals approvals of the demo and of loopback mailboxes, never of a live one."""
MARGIN_SECONDS = 300.0
"""A token is renewed this long before it ends."""


@dataclass(frozen=True, slots=True)
class BearerToken:
    """A token that does not change: the demo's, or a loopback Gmail's."""

    value: str = field(repr=False)
    is_published: bool

    def token(self) -> str:
        """The token."""
        return self.value

    def granted_scopes(self) -> frozenset[str] | None:
        """Unknown: nobody told."""
        return None


class RefreshingToken:
    """An access token out of a refresh token, renewed by the monotonic clock before it ends."""

    __slots__ = ("_ends_at", "_monotonic", "_scopes", "_token", "_user", "_wire", "account")

    def __init__(self, account: str, user: AuthorizedUser, wire: Wire, monotonic: Monotonic) -> None:
        self.account = account
        self._user = user
        self._wire = wire
        self._monotonic = monotonic
        self._token = ""
        self._scopes: frozenset[str] | None = None
        self._ends_at = 0.0

    def __repr__(self) -> str:
        return f"<RefreshingToken of {self.account}>"

    @property
    def is_published(self) -> bool:
        """Never."""
        return False

    def token(self) -> str:
        """A token that is good for the next minutes; one request when it must be renewed. Raises SignInAgain."""
        if not self._token or self._monotonic.now() >= self._ends_at:
            asked_at = self._monotonic.now()
            fresh = refreshed(self.account, self._user, self._wire)
            self._token, self._scopes = fresh.token, fresh.scopes
            self._ends_at = asked_at + max(0.0, fresh.seconds - MARGIN_SECONDS)
        return self._token

    def granted_scopes(self) -> frozenset[str] | None:
        """The scopes that the token endpoint named with the last token."""
        return self._scopes


def load_credential(
    record: AccountRecord,
    profile: Profile,
    *,
    env: Mapping[str, str],
    secrets: SecretStore,
    wire: Wire,
    monotonic: Monotonic,
) -> Credential:
    """The credential that the record refers to. Raises CredentialMissing or KeyringRefused; asks no network yet."""
    source, _, name = record.credential.partition(":")
    if record.kind == "live" and source != "keyring":
        raise CredentialMissing(f"account {record.id} is live: its credential must be in the keyring")
    if source == "published":
        return BearerToken(PUBLISHED_TOKEN, is_published=True)
    if source == "env":
        return _from_environment(record, name, env)
    stored = secrets.read(OAUTH_SERVICE, f"{name}:{profile}")
    return RefreshingToken(record.id, read_authorized_user(record.id, stored), wire, monotonic)


def store_authorized_user(name: str, profile: Profile, stored: str, secrets: SecretStore) -> None:
    """Keep an authorized-user JSON for `keyring:NAME`, checked before and read back after. Raises KeyringRefused."""
    read_authorized_user(name, stored)
    secrets.store(OAUTH_SERVICE, f"{name}:{profile}", stored)


def approval_key(record: AccountRecord, secrets: SecretStore, *, may_create: bool = False) -> bytes:
    """32 bytes that authenticate approvals; a live account's lie in the keyring. Only `approve` says `may_create`.

    Raises NotApproved when a live account has none yet, KeyringRefused when the keyring's is not a secret one.
    """
    if record.kind != "live":
        return PUBLISHED_KEY
    stored = secrets.find(APPROVAL_SERVICE, record.id)
    if stored is None and may_create:
        stored = randomness.token_bytes(32).hex()
        secrets.store(APPROVAL_SERVICE, record.id, stored)
    if stored is None:
        raise NotApproved(f"account {record.id} never approved anything", evidence="no approval key in the keyring")
    return _secret_key(record.id, stored)


def _secret_key(account: str, stored: str) -> bytes:
    try:
        key = bytes.fromhex(stored)
    except ValueError:
        key = b""
    if len(key) != 32 or key == PUBLISHED_KEY:
        raise KeyringRefused(f"the approval key of account {account} is not 32 secret bytes")
    return key


def _from_environment(record: AccountRecord, name: str, env: Mapping[str, str]) -> BearerToken:
    value = env.get(name, "")
    if not value or not value.isascii() or not value.isprintable() or " " in value:
        raise CredentialMissing(f"account {record.id} has no usable token", evidence=f"environment variable {name}")
    return BearerToken(value, is_published=False)
