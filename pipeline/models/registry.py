"""mailboxes.toml: which mailboxes exist, what each may do, and where its credential lies (never the credential).

>>> record = AccountRecord(id="demo", alias=("demo",), address="a@example.com", status="organize-only",
...                        endpoint="twin", credential="published:demo")
>>> record.kind
'demo'
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from pipeline.models.document import AccountId, Frozen, read_toml
from pipeline.models.policy import Quota
from pipeline.refusals import AccountDisabled, RegistryRefused, UnknownAlias

Status = Literal["disabled", "read-only", "draft-only", "organize-only", "cleanup-enabled"]
Kind = Literal["demo", "loopback", "live"]
Alias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.@+_-]{0,126}$")]
Address = Annotated[str, StringConstraints(pattern=r"^[^\s@,;<>\"]{1,128}@[A-Za-z0-9.-]{1,253}$")]
Endpoint = Annotated[
    str, StringConstraints(pattern=r"^(google|twin|http://127\.0\.0\.1:[0-9]{1,5}(/[A-Za-z0-9._/-]*)?)$")
]
PackName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Credential = Annotated[str, StringConstraints(pattern=r"^(published:demo|env:[A-Z][A-Z0-9_]*|keyring:[a-z0-9-]+)$")]

RESERVED_DOMAINS = ("example.com", "example.org", "example.net", "example", "test", "invalid", "localhost")
"""RFC 2606 and 6761: nobody can own these, so no real mail can be behind them."""


def is_reserved(address: str) -> bool:
    """Whether an address lies at a domain that nobody can own."""
    domain = address.rpartition("@")[2].casefold().rstrip(".")
    return any(domain == name or domain.endswith("." + name) for name in RESERVED_DOMAINS)


class AccountRecord(Frozen):
    """One mailbox. `credential` is a reference: published:demo, env:NAME or keyring:NAME; `packs` None = all."""

    id: AccountId
    alias: Annotated[tuple[Alias, ...], Field(min_length=1)]
    address: Address
    status: Status
    endpoint: Endpoint
    credential: Credential
    quota: Quota = Quota()
    packs: tuple[PackName, ...] | None = None
    """The packs of rules/ that are on for this mailbox, by name; an empty list = none."""

    @model_validator(mode="after")
    def _endpoint_fits(self) -> "AccountRecord":
        if self.endpoint != "google" and not is_reserved(self.address):
            raise ValueError("a loopback endpoint is for addresses at reserved domains only")
        if self.endpoint == "google" and not self.credential.startswith("keyring:"):
            raise ValueError("a live mailbox keeps its credential in the keyring")
        if self.endpoint != "google" and self.credential.startswith("keyring:"):
            raise ValueError("a keyring credential never goes to a loopback endpoint")
        return self

    @property
    def kind(self) -> Kind:
        """demo = the shipped mailbox on its own twin; loopback = 127.0.0.1; live = Google."""
        if self.endpoint == "google":
            return "live"
        return "demo" if self.id == "demo" and self.endpoint == "twin" else "loopback"


class Registry(Frozen):
    """All records of mailboxes.toml, ids and aliases unique."""

    mailbox: tuple[AccountRecord, ...] = ()

    def resolve(self, alias: str) -> AccountRecord:
        """The one enabled record of an alias, id or address. Raises UnknownAlias or AccountDisabled."""
        wanted = alias.casefold()
        found = [record for record in self.mailbox if wanted in _names(record)]
        if len(found) != 1:
            known = ", ".join(record.id for record in self.mailbox) or "none"
            raise UnknownAlias(
                f"account {alias!r} names {len(found)} registry records, not one",
                evidence=f"mailboxes.toml knows: {known}",
                next_command="gmailtriage show accounts",
            )
        if found[0].status == "disabled":
            raise AccountDisabled(f"account {alias!r} is disabled", evidence="mailboxes.toml: status = disabled")
        return found[0]


def _names(record: AccountRecord) -> set[str]:
    return {record.id, record.address.casefold(), *record.alias}


def read_registry(data: bytes) -> Registry:
    """Parse mailboxes.toml strictly. Raises RegistryRefused."""
    return read_toml(Registry, data, "mailboxes.toml", RegistryRefused)
