"""What the owner wrote: registry, policy and rules, as bytes found in one folder.

Search order for an account: the folder that was named (`--config`), `$XDG_CONFIG_HOME/gmailtriage`, then the
repository itself, whose files describe the demo mailbox. The first folder whose registry knows the account wins.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.models.manifest import PinnedFile
from pipeline.models.policy import Policy, read_policy
from pipeline.models.registry import AccountRecord, Registry, read_registry
from pipeline.refusals import RegistryRefused, RulesRefused, UnknownAlias
from pipeline.store import exists, list_names, read_bytes

Files = tuple[tuple[str, bytes], ...]
"""File name and bytes, sorted by name."""
REPOSITORY = Path(__file__).resolve().parent.parent
"""The checkout: the command is an editable install, so its files are always there."""


@dataclass(frozen=True, slots=True)
class Config:
    """The owner's files of one account. `rules` maps file name to bytes, sorted by name."""

    folder: Path
    registry: Registry
    account: AccountRecord
    policy_bytes: bytes
    rules: tuple[tuple[str, bytes], ...]

    @property
    def policy(self) -> Policy:
        """policy.toml, parsed strictly."""
        return read_policy(self.policy_bytes)

    def pinned_policy(self) -> PinnedFile:
        """policy.toml by name and digest."""
        return PinnedFile(name="policy.toml", sha256=sha256_hex(self.policy_bytes))

    def pinned_rules(self) -> tuple[PinnedFile, ...]:
        """Each rule file by name and digest."""
        return tuple(PinnedFile(name=f"rules/{name}", sha256=sha256_hex(data)) for name, data in self.rules)

    def record_bytes(self) -> bytes:
        """The account's registry record as canonical bytes (its credential is only a reference)."""
        return canonical_bytes(self.account.model_dump(mode="json"))

    def pinned_record(self) -> PinnedFile:
        """The account's registry record by digest."""
        return PinnedFile(name="mailboxes.toml#record", sha256=sha256_hex(self.record_bytes()))

    def rules_folder(self) -> Path:
        """Where `promote` writes."""
        return self.folder / "rules"


def find_config(alias: str, env: Mapping[str, str], named: Path | None = None) -> Config:
    """The configuration that knows `alias`. Raises UnknownAlias, AccountDisabled, RegistryRefused or RulesRefused."""
    for folder in _candidates(env, named):
        if exists(folder / "mailboxes.toml"):
            registry = read_registry(read_bytes(folder / "mailboxes.toml"))
            if _knows(registry, alias) or named is not None:
                return _read(folder, registry, alias)
    raise UnknownAlias(
        f"account {alias!r} is in no registry",
        evidence=", ".join(str(folder / "mailboxes.toml") for folder in _candidates(env, named)),
        next_command="add the mailbox to mailboxes.toml",
    )


def known_registries(env: Mapping[str, str], named: Path | None = None) -> tuple[Registry, ...]:
    """The registries that exist in the search order."""
    files = [folder / "mailboxes.toml" for folder in _candidates(env, named)]
    return tuple(read_registry(read_bytes(file)) for file in files if exists(file))


def config_home(env: Mapping[str, str]) -> Path:
    """$XDG_CONFIG_HOME/gmailtriage."""
    return Path(env.get("XDG_CONFIG_HOME") or Path(env.get("HOME", "/nonexistent")) / ".config") / "gmailtriage"


def _candidates(env: Mapping[str, str], named: Path | None) -> tuple[Path, ...]:
    return (named,) if named is not None else (config_home(env), REPOSITORY)


def _knows(registry: Registry, alias: str) -> bool:
    wanted = alias.casefold()
    return any(wanted in {r.id, r.address.casefold(), *r.alias} for r in registry.mailbox)


def _read(folder: Path, registry: Registry, alias: str) -> Config:
    account = registry.resolve(alias)
    if not exists(folder / "policy.toml"):
        raise RegistryRefused("there is no policy.toml", evidence=str(folder), next_command="copy policy.toml there")
    rules = switched_on(_read_rules(folder / "rules"), account.packs)
    return Config(folder, registry, account, read_bytes(folder / "policy.toml"), rules)


def switched_on(rules: Files, packs: tuple[str, ...] | None) -> Files:
    """The rule files without the packs that are not on for this mailbox. Raises RulesRefused if one is not there."""
    if packs is None:
        return rules
    wanted = {f"pack-{name}.toml" for name in packs}
    missing = sorted(wanted - {name for name, _ in rules})
    if missing:
        what = "mailboxes.toml names a pack that is not in rules/"
        raise RulesRefused(what, evidence=", ".join(missing), next_command="copy it there, or take it out of packs")
    return tuple((name, data) for name, data in rules if not name.startswith("pack-") or name in wanted)


def _read_rules(folder: Path) -> tuple[tuple[str, bytes], ...]:
    names = [name for name in list_names(folder) if name.endswith(".toml")]
    if not names:
        raise RulesRefused("there are no rule files", evidence=str(folder), next_command="copy rules/ there")
    return tuple((name, read_bytes(folder / name)) for name in names)
