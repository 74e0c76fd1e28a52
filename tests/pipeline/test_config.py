"""The owner's files: found in one folder, read strictly, pinned by digest; never guessed together from two places."""

from pathlib import Path

import pytest

from pipeline.canonical import sha256_hex
from pipeline.config import REPOSITORY, config_home, find_config
from pipeline.models.policy import read_policy
from pipeline.models.registry import is_reserved, read_registry
from pipeline.refusals import (
    AccountDisabled,
    MissingArtifact,
    PolicyRefused,
    Refusal,
    RegistryRefused,
    RulesRefused,
    UnknownAlias,
)
from pipeline.rulebook import read_rules

RECORD = """
[[mailbox]]
id = "{id}"
alias = ["{alias}"]
address = "{address}"
status = "{status}"
endpoint = "http://127.0.0.1:8080"
credential = "env:TOKEN"
"""


def record(**changes: str) -> str:
    values = {"id": "one", "alias": "first", "address": "a@one.example", "status": "organize-only", **changes}
    return RECORD.format(**values)


def folder(path: Path, registry: str = "", policy: str = "version = 1\n") -> Path:
    (path / "rules").mkdir(parents=True)
    (path / "mailboxes.toml").write_text(registry or record())
    (path / "policy.toml").write_text(policy)
    (path / "rules" / "b.toml").write_bytes(b"b")
    (path / "rules" / "a.toml").write_bytes(b"a")
    (path / "rules" / "notes.md").write_bytes(b"not a rule")
    return path


def test_the_named_folder_is_the_only_one_that_is_looked_at(tmp_path: Path) -> None:
    home = folder(tmp_path / "home" / "gmailtriage", record(id="two", alias="second"))
    named = folder(tmp_path / "named")
    env = {"XDG_CONFIG_HOME": str(home.parent)}
    assert find_config("second", env).folder == home
    assert find_config("first", env, named).folder == named
    with pytest.raises(UnknownAlias):
        find_config("second", env, named)


def test_without_a_folder_that_knows_the_account_it_is_in_no_registry(tmp_path: Path) -> None:
    with pytest.raises(UnknownAlias) as refusal:
        find_config("nobody-knows-me", {"HOME": str(tmp_path)})
    assert str(tmp_path) in refusal.value.evidence
    assert refusal.value.exit_code == 4


def test_the_home_of_the_configuration_follows_xdg() -> None:
    assert config_home({"XDG_CONFIG_HOME": "/x", "HOME": "/h"}) == Path("/x/gmailtriage")
    assert config_home({"HOME": "/h"}) == config_home({"HOME": "/h", "XDG_CONFIG_HOME": ""})
    assert config_home({"HOME": "/h"}) == Path("/h/.config/gmailtriage")
    assert (REPOSITORY / "pyproject.toml").exists()


def test_rules_come_sorted_by_name_and_everything_is_pinned_by_its_bytes(tmp_path: Path) -> None:
    config = find_config("first", {}, folder(tmp_path / "c"))
    assert config.rules == (("a.toml", b"a"), ("b.toml", b"b"))
    assert [pin.name for pin in config.pinned_rules()] == ["rules/a.toml", "rules/b.toml"]
    assert config.pinned_rules()[0].sha256 == sha256_hex(b"a")
    assert config.pinned_policy().sha256 == sha256_hex(config.policy_bytes)
    assert config.pinned_record().sha256 == sha256_hex(config.record_bytes())
    assert config.policy.window_days == 7
    assert config.rules_folder() == tmp_path / "c" / "rules"


@pytest.mark.contract("AP-5")
def test_one_changed_byte_of_any_owner_file_changes_its_pin(tmp_path: Path) -> None:
    place = folder(tmp_path / "c")
    before = find_config("first", {}, place)
    (place / "rules" / "a.toml").write_bytes(b"A")
    (place / "policy.toml").write_text("version = 1 \n")
    (place / "mailboxes.toml").write_text(record(status="read-only"))
    after = find_config("first", {}, place)
    assert before.pinned_rules()[0] != after.pinned_rules()[0]
    assert before.pinned_rules()[1] == after.pinned_rules()[1]
    assert before.pinned_policy() != after.pinned_policy()
    assert before.pinned_record() != after.pinned_record()


@pytest.mark.parametrize(
    ("name", "refusal"),
    [("policy.toml", RegistryRefused), ("rules/a.toml", RulesRefused), ("mailboxes.toml", UnknownAlias)],
)
def test_a_missing_file_is_named(name: str, refusal: type[Refusal], tmp_path: Path) -> None:
    place = folder(tmp_path / "c")
    (place / "rules" / "b.toml").unlink()
    find_config("first", {}, place)
    (place / name).unlink()
    with pytest.raises(refusal):
        find_config("first", {}, place)


def test_a_rule_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    place = folder(tmp_path / "c")
    (place / "rules" / "z.toml").symlink_to(place / "policy.toml")
    with pytest.raises(MissingArtifact):
        find_config("first", {}, place)


# --- the registry


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("alias", ["first", "FIRST", "one", "a@one.example", "A@One.Example"])
def test_an_account_answers_to_its_id_alias_and_address(alias: str) -> None:
    assert read_registry(record().encode()).resolve(alias).id == "one"


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("alias", ["", "firs", "first ", "a+tag@one.example", "a@one.example.", "а@one.example"])
def test_what_only_resembles_an_account_is_none(alias: str) -> None:
    with pytest.raises(UnknownAlias):
        read_registry(record().encode()).resolve(alias)


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize(
    "second", [{"id": "two"}, {"alias": "second", "id": "first"}, {"id": "two", "alias": "a@one.example"}]
)
def test_an_alias_of_two_accounts_is_nobodys(second: dict[str, str]) -> None:
    text = record() + record(**{"address": "b@one.example", **second})
    alias = "a@one.example" if second.get("alias") == "a@one.example" else "first"
    with pytest.raises(UnknownAlias, match="2 registry records"):
        read_registry(text.encode()).resolve(alias)


@pytest.mark.contract("ID-5")
def test_a_disabled_account_is_refused_and_its_enabled_twin_is_not() -> None:
    with pytest.raises(AccountDisabled):
        read_registry(record(status="disabled").encode()).resolve("one")
    assert read_registry(record(status="read-only").encode()).resolve("one").status == "read-only"


BAD_REGISTRIES = {
    "misspelled key": record().replace("status", "statsu"),
    "extra key": record() + 'forward = "x@one.example"\n',
    "duplicate key": record() + 'id = "other"\n',
    "unknown status": record(status="anything"),
    "no alias": record().replace('["first"]', "[]"),
    "two addresses": record(address="a@one.example, b@one.example"),
    "id as a path": record(id="../up"),
    "id with a newline": record(id="one\\n"),
    "real domain behind loopback": record(address="a@one.dev"),
    "not loopback": record().replace("127.0.0.1", "10.0.0.1"),
    "loopback by another spelling": record().replace("127.0.0.1", "127.1"),
    "host behind the port": record().replace(":8080", ":8080@evil.example"),
    "loopback with a keyring credential": record().replace("env:TOKEN", "keyring:one"),
    "google with a token in the environment": record().replace("http://127.0.0.1:8080", "google"),
    "not toml": "[[mailbox",
    "not utf-8": "\udcff",
    "deep": "a = " + "[" * 100_000,
    "negative quota": record() + "quota = {units_per_minute = -1}\n",
}


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("text", BAD_REGISTRIES.values(), ids=BAD_REGISTRIES.keys())
def test_a_registry_that_is_not_strict_is_refused(text: str) -> None:
    with pytest.raises(RegistryRefused) as refusal:
        read_registry(text.encode("utf-8", "surrogateescape"))
    assert refusal.value.what.startswith("mailboxes.toml")
    assert "a@one" not in str(refusal.value), "values are not quoted"


@pytest.mark.parametrize(("address", "expected"), [
    ("a@example.com", True), ("a@mail.example.org", True), ("a@b.test", True), ("a@b.example.", True),
    ("a@B.TEST", True),
    ("a@myexample.com", False), ("a@example.com.evil.dev", False), ("a@test.dev", False), ("a", False), ("a@", False),
])  # fmt: skip
def test_reserved_domains_are_whole_domains(address: str, expected: bool) -> None:
    assert is_reserved(address) is expected


# --- the policy


BAD_POLICIES = {
    "no version": "",
    "other version": "version = 2",
    "misspelled key": "version = 1\narchive_cp = 3",
    "below the floor": "version = 1\nminimum_confidence = 0.79",
    "nan": "version = 1\nminimum_confidence = nan",
    "infinite": "version = 1\ndrift_share = inf",
    "longer than an hour": "version = 1\nexpiry_minutes = 61",
    "more than a hundred": "version = 1\nbatch_size = 101",
    "a number as text": 'version = 1\narchive_cap = "3"',
    "a fraction of a count": "version = 1\narchive_cap = 3.5",
    "a switch as a number": "version = 1\nreview_everything = 1",
    "negative window": "version = 1\nwindow_days = -1",
    "a waiver that does not exist": "version = 1\n[protect]\nwaive_money_for = ['Offer']",
    "a date": "version = 1\nwindow_days = 2026-11-01",
    "budget below zero": "version = 1\nbudget_units = -1",
    "one message of evidence": "version = 1\nminimum_evidence = 1",
}


@pytest.mark.contract("AP-5")
@pytest.mark.parametrize("text", BAD_POLICIES.values(), ids=BAD_POLICIES.keys())
def test_a_policy_that_is_lax_or_not_strict_is_refused(text: str) -> None:
    with pytest.raises(PolicyRefused, match=r"policy\.toml"):
        read_policy(text.encode())


@pytest.mark.parametrize(
    "text", ["version = 1", "version = 1\nwindow_days = 'all'", "version = 1\narchive_cap = 0\nexpiry_minutes = 1"]
)
def test_a_policy_may_be_stricter(text: str) -> None:
    assert read_policy(text.encode()).version == 1


def test_an_unknown_method_costs_as_much_as_the_dearest() -> None:
    quota = read_policy(b"version = 1") and read_registry(record().encode()).mailbox[0].quota
    assert quota.cost("no.such.method") == max(quota.cost(name) for name in ("messages.get", "messages.batchModify"))
    assert quota.cost("messages.get") == 20


def with_packs(path: Path, line: str) -> Path:
    """A configuration of the shipped rules whose record has one more line."""
    made = folder(path, record() + line)
    for name in ("a.toml", "b.toml"):
        (made / "rules" / name).unlink()
    for file in (REPOSITORY / "rules").glob("*.toml"):
        (made / "rules" / file.name).write_bytes(file.read_bytes())
    return made


@pytest.mark.parametrize(
    ("line", "packs"),
    [
        ("", ["pack-general.toml", "pack-job-search.toml"]),
        ('packs = ["general"]\n', ["pack-general.toml"]),
        ('packs = ["job-search"]\n', ["pack-job-search.toml"]),
        ("packs = []\n", []),
    ],
)
def test_packs_of_the_record_are_on_and_no_others(tmp_path: Path, line: str, packs: list[str]) -> None:
    config = find_config("one", {}, with_packs(tmp_path / "c", line))
    assert [name for name, _ in config.rules if name.startswith("pack-")] == packs
    assert [pin.name for pin in config.pinned_rules() if "pack-" in pin.name] == [f"rules/{name}" for name in packs]
    rules = read_rules(config.rules)
    assert {found.protects for found in rules.sets} >= {"money", "account_security"}
    assert any(found.role == "action" for found in rules.sets)


def test_pack_that_is_not_there_and_a_name_that_is_a_path_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesRefused, match="not in rules"):
        find_config("one", {}, with_packs(tmp_path / "c", 'packs = ["gardening"]\n'))
    with pytest.raises(RegistryRefused):
        find_config("one", {}, with_packs(tmp_path / "d", 'packs = ["../general"]\n'))
