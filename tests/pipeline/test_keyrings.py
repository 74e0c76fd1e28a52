"""The keyring: only a real one, within bounds, read back; anything else is one refusal that shows no secret."""

import importlib
import json
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import keyring.backends.chainer
import keyring.backends.fail
import keyring.backends.null
import pytest

from pipeline.keyrings import OS_BACKENDS, SECRET_LIMIT, SecretStore, type_name
from pipeline.refusals import CredentialMissing, KeyringRefused
from tests.secret_service import LOCKED, UNLOCKED, Home, make_home

CASE = Path(__file__).parents[1] / "cases" / "82-keyring-missing-or-too-long" / "token_blob.json"


class MemoryKeyring:
    """An honest keyring; `limit`, `forgets` and `cuts_at` make it Windows' or a liar's."""

    def __init__(self, *, limit: int = 10_000, forgets: bool = False, cuts_at: int = 10_000) -> None:
        self.cuts_at = cuts_at
        self.secrets: dict[tuple[str, str], str] = {}
        self.limit = limit
        self.forgets = forgets

    def get_password(self, service: str, username: str) -> str | None:
        return self.secrets.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if len(password) > self.limit:
            raise OSError(1783, "CredWrite", password)
        if not self.forgets:
            self.secrets[service, username] = password[: self.cuts_at]

    def delete_password(self, service: str, username: str) -> None:
        self.secrets.pop((service, username), None)


def store_over(backend: Any, *, seconds: float = 5.0) -> SecretStore:
    return SecretStore(lambda: backend, trusted=frozenset({type_name(MemoryKeyring())}), seconds=seconds)


def stranger(module: str, name: str = "Keyring") -> object:
    """A backend of a library that need not be installed, known by its type's name alone."""
    made = type(name, (MemoryKeyring,), {})
    made.__module__ = module
    return made()


REFUSED_BACKENDS = [
    keyring.backends.fail.Keyring(),
    keyring.backends.null.Keyring(),
    keyring.backends.chainer.ChainerBackend(),
    stranger("keyrings.alt.file", "PlaintextKeyring"),
    stranger("keyrings.alt.file", "EncryptedKeyring"),
    stranger("keyrings.cryptfile.cryptfile", "CryptFileKeyring"),
    stranger("sagecipher.keyring"),
    stranger("keyring.backends.SecretService.fake"),
    stranger("keyring.backends.macOS", "NotTheKeyring"),
    None,
]


@pytest.mark.contract("ID-6")
@pytest.mark.parametrize("backend", REFUSED_BACKENDS, ids=type_name)
def test_backend_that_is_no_operating_systems_keyring(backend: Any) -> None:
    secrets = SecretStore(lambda: backend)
    for use in (lambda: secrets.read("s", "n"), lambda: secrets.find("s", "n"), lambda: secrets.store("s", "n", "x")):
        with pytest.raises(KeyringRefused) as caught:
            use()
        assert type_name(backend) in str(caught.value)


@pytest.mark.contract("ID-6")
def test_real_backends_are_trusted_by_the_names_that_the_library_gives_them() -> None:
    found = set()
    for name in OS_BACKENDS:
        module, _, kind = name.rpartition(".")
        with suppress(ImportError, AttributeError):  # another operating system's
            backend = getattr(importlib.import_module(module), kind)
            found.add(f"{backend.__module__}.{backend.__qualname__}" == name)
    assert found == {True}


class KeyringLocked(Exception):  # noqa: N818  the library's own name
    """As keyring.errors names it."""


class InitError(Exception):
    """As keyring.errors names it."""


@pytest.mark.contract("ID-6")
@pytest.mark.parametrize(
    "trouble",
    [KeyringLocked("wrong password hunter2"), InitError("x"), RuntimeError("no bus"), OSError("x"), KeyError("x")],
    ids=lambda trouble: type(trouble).__name__,
)
def test_every_trouble_of_a_keyring_is_one_refusal(trouble: Exception) -> None:
    def load() -> Any:
        raise trouble

    with pytest.raises(KeyringRefused) as caught:
        SecretStore(load).read("service", "name")
    assert type(trouble).__name__ in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert caught.value.exit_code == 4


@pytest.mark.contract("ID-6")
def test_hanging_keyring_is_left_behind() -> None:
    def load() -> Any:
        time.sleep(3)

    began = time.monotonic()
    with pytest.raises(KeyringRefused, match="keyring"):
        SecretStore(load, seconds=0.1).read("service", "name")
    assert time.monotonic() - began < 2


def test_secret_is_kept_and_read_and_missing_by_name() -> None:
    secrets = store_over(MemoryKeyring())
    with pytest.raises(CredentialMissing):
        secrets.read("service", "name")
    assert secrets.find("service", "name") is None
    secrets.store("service", "name", "first")
    secrets.store("service", "name", "second")
    assert secrets.read("service", "name") == "second"


@pytest.mark.contract("ID-6")
def test_case_82_no_backend_is_a_named_refusal_and_no_file_instead() -> None:
    with pytest.raises(KeyringRefused) as caught:
        SecretStore(keyring.backends.fail.Keyring).store("service", "name", "secret")
    assert (caught.value.exit_code, "secret'" in str(caught.value)) == (4, False)


@pytest.mark.contract("ID-6")
@pytest.mark.parametrize("backend", [MemoryKeyring(), MemoryKeyring(limit=1200), MemoryKeyring(limit=1280)])
def test_case_82_secret_too_long_keeps_the_old_one(backend: MemoryKeyring) -> None:
    secrets = store_over(backend)
    secrets.store("service", "name", "old")
    for length in (json.loads(CASE.read_bytes())["length_chars"], SECRET_LIMIT + 1):
        with pytest.raises(KeyringRefused) as caught:
            secrets.store("service", "name", "x" * length)
        assert "xxx" not in str(caught.value)
        assert secrets.read("service", "name") == "old"


@pytest.mark.contract("ID-6")
@pytest.mark.parametrize("old", [None, "old"])
@pytest.mark.parametrize("trouble", [{"limit": 100}, {"cuts_at": 100}])
def test_secret_that_the_backend_did_not_take_leaves_the_old_one(old: str | None, trouble: dict[str, int]) -> None:
    backend = MemoryKeyring(**trouble)  # type: ignore[arg-type]  # numbers alone
    secrets = store_over(backend)
    if old:
        secrets.store("service", "name", old)
    with pytest.raises(KeyringRefused) as caught:
        secrets.store("service", "name", "y" * 200)
    assert secrets.find("service", "name") == old
    assert "yyy" not in repr(caught.value) + str(caught.value)


@pytest.mark.contract("ID-6")
def test_written_secret_is_read_back() -> None:
    with pytest.raises(KeyringRefused):
        store_over(MemoryKeyring(forgets=True)).store("service", "name", "secret")


def test_empty_secret_is_none() -> None:
    with pytest.raises(KeyringRefused):
        store_over(MemoryKeyring()).store("service", "name", "")


REAL = """
from pipeline.keyrings import SecretStore, system_backend, type_name
from pipeline.refusals import KeyringRefused
import sys
secrets = SecretStore(system_backend)
try:
    secrets.store("gmailtriage-test", "casey", sys.argv[1])
    print(type_name(system_backend()), secrets.read("gmailtriage-test", "casey"))
except KeyringRefused as refusal:
    print("refused:", refusal.evidence)
"""


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Home:
    """A home folder of its own with a keyring."""
    return make_home(tmp_path)


def in_session(home: Home, before: str, secret: str) -> str:
    """What the script above says in a session of its own."""
    return home.python(REAL, secret, before=before)


@pytest.mark.keyring
@pytest.mark.contract("ID-6")
def test_real_secret_service_keeps_a_secret_encrypted(home: Home) -> None:
    told = in_session(home, UNLOCKED, "s3cret-of-casey")
    assert told == "keyring.backends.SecretService.Keyring s3cret-of-casey"
    assert not any(b"s3cret-of-casey" in path.read_bytes() for path in home.folder.rglob("*") if path.is_file())


@pytest.mark.keyring
@pytest.mark.contract("ID-6")
def test_real_secret_service_that_was_never_unlocked_is_refused(home: Home) -> None:
    assert in_session(home, LOCKED, "s3cret").startswith("refused:")


@pytest.mark.keyring
@pytest.mark.contract("ID-6")
def test_real_secret_service_with_the_wrong_password_is_refused(home: Home) -> None:
    assert "casey" not in in_session(home, UNLOCKED, "first")[:5]
    told = in_session(home, UNLOCKED.replace("pw", "wrong"), "second")
    assert told.startswith("refused:")


@pytest.mark.keyring
@pytest.mark.contract("ID-6")
def test_no_bus_at_all_is_refused(home: Home) -> None:
    env = {**home.env, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"}
    done = subprocess.run([sys.executable, "-c", REAL, "s3cret"], env=env, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("refused:")
