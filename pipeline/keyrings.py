"""The operating system's keyring, or a refusal: the only module that touches the keyring library.

A backend is accepted by the name of its type, from a short list of real ones. The null, fail, plaintext and chained
backends take a secret and lose it, show it or pass it on, so they are refused. Every call is bounded in time, and
whatever goes wrong (locked, no bus, hanging) becomes one KeyringRefused that shows no secret.

    keyring = SecretStore(system_backend)
    keyring.store("gmailtriage-oauth", "work:read", secret)      # read back, or refused with the old one kept
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pipeline.refusals import CredentialMissing, KeyringRefused

OS_BACKENDS = frozenset(
    {
        "keyring.backends.SecretService.Keyring",
        "keyring.backends.libsecret.Keyring",
        "keyring.backends.kwallet.DBusKeyring",
        "keyring.backends.macOS.Keyring",
        "keyring.backends.Windows.WinVaultKeyring",
    }
)
"""Types that keep secrets encrypted under the owner's login."""
CALL_SECONDS = 5.0
"""A keyring without a home folder hangs for two minutes."""
SECRET_LIMIT = 1280
"""Characters that every operating system's keyring takes (Windows gives up above)."""

_Result = TypeVar("_Result")


class Backend(Protocol):
    """What we need of a keyring."""

    def get_password(self, service: str, username: str) -> str | None:
        """The secret, or None."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a secret."""

    def delete_password(self, service: str, username: str) -> None:
        """Forget a secret."""


def system_backend() -> Backend:
    """The keyring that the library picks on this machine; imported here because it looks for D-Bus."""
    import keyring

    return keyring.get_keyring()


@dataclass(frozen=True, slots=True)
class SecretStore:
    """Reads and keeps secrets in a trusted backend. `load` is called for each use, inside the time bound."""

    load: Callable[[], Backend] = field(repr=False)
    trusted: frozenset[str] = OS_BACKENDS
    seconds: float = CALL_SECONDS

    def read(self, service: str, name: str) -> str:
        """The secret of a name. Raises CredentialMissing or KeyringRefused."""
        secret = self.find(service, name)
        if secret is None:
            raise CredentialMissing(f"the keyring holds no secret {name!r}", evidence=f"service {service}")
        return secret

    def find(self, service: str, name: str) -> str | None:
        """The secret of a name, None when the keyring has none. Raises KeyringRefused."""
        return self._bounded(lambda backend: backend.get_password(service, name))

    def store(self, service: str, name: str, secret: str) -> None:
        """Keep a secret and read it back. Raises KeyringRefused; then the old secret still stands."""
        if not 1 <= len(secret) <= SECRET_LIMIT:
            raise KeyringRefused(
                f"the secret {name!r} is too long for some keyrings",
                evidence=f"{len(secret)} characters, at most {SECRET_LIMIT}",
                next_command="store the refresh token and client alone",
            )
        old = self.find(service, name)
        if not self._is_kept(service, name, secret):
            self._put_back(service, name, old)
            raise KeyringRefused(f"the keyring did not keep the secret {name!r}", evidence="read back and compared")

    def _is_kept(self, service: str, name: str, secret: str) -> bool:
        try:
            self._bounded(lambda backend: backend.set_password(service, name, secret))
            return self.find(service, name) == secret
        except KeyringRefused:
            return False

    def _put_back(self, service: str, name: str, old: str | None) -> None:
        if old is None:
            self._bounded(lambda backend: backend.delete_password(service, name))
        else:
            self._bounded(lambda backend: backend.set_password(service, name, old))

    def _bounded(self, use: Callable[[Backend], _Result]) -> _Result:
        """Use the backend in a thread of its own, which is left behind when it hangs."""
        results: list[_Result] = []
        troubles: list[str] = []

        def run() -> None:
            try:
                backend = self.load()
                _check_trusted(backend, self.trusted)
                results.append(use(backend))
            except KeyringRefused as refusal:
                troubles.append(refusal.evidence)
            except Exception as error:  # noqa: BLE001  backends raise D-Bus, OS and runtime errors of many libraries
                troubles.append(type(error).__name__)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(self.seconds)
        if not results:
            raise _refused(troubles[0] if troubles else f"no answer in {self.seconds:g} seconds")
        return results[0]


def type_name(backend: object) -> str:
    """Module and class, e.g. `keyring.backends.fail.Keyring`."""
    return f"{type(backend).__module__}.{type(backend).__qualname__}"


def _check_trusted(backend: object, trusted: frozenset[str]) -> None:
    if type_name(backend) not in trusted:
        raise KeyringRefused("not an operating system's keyring", evidence=type_name(backend))


def _refused(evidence: str) -> KeyringRefused:
    return KeyringRefused(
        "no usable keyring: secrets live only in an unlocked keyring of the operating system",
        evidence=evidence,
        next_command="unlock the keyring, or set PYTHON_KEYRING_BACKEND=keyring.backends.SecretService.Keyring",
    )
