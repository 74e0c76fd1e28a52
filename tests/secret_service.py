"""A real Secret Service without a desktop: a home folder, a D-Bus session of its own, and gnome-keyring in it.

home = make_home(tmp_path)     # skips by name where the packages are missing; REQUIRE_ALL=1 fails instead
home.python("print(1)")       # in a session whose keyring is unlocked; the keyring file stays in the home
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

UNLOCKED = "printf %s pw | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null 2>&1; "
LOCKED = "gnome-keyring-daemon --start --components=secrets --daemonize >/dev/null 2>&1; "
NEEDED = ("dbus-run-session", "gnome-keyring-daemon", "bash")


@dataclass(frozen=True)
class Home:
    """A home folder and the environment that a headless Secret Service needs."""

    folder: Path
    env: Mapping[str, str]

    def python(self, source: str, *words: str, before: str = UNLOCKED) -> str:
        """What a Python source says on stdout (else on stderr) in a D-Bus session after `before`."""
        command = f'{before}exec "$0" -c "$@"'
        line = ["dbus-run-session", "--", "bash", "-c", command, sys.executable, source, *words]
        done = subprocess.run(line, env=dict(self.env), capture_output=True, text=True, timeout=60, check=False)
        return done.stdout.strip() or done.stderr


def make_home(folder: Path) -> Home:
    """A home for one test; skips where a package is missing."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        message = f"a real keyring needs {', '.join(missing)}"
        if os.environ.get("REQUIRE_ALL") == "1":
            pytest.fail(message)
        pytest.skip(message)
    folders = {name: folder / name.lower() for name in ("XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME")}
    for one in folders.values():
        one.mkdir(mode=0o700)
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.SecretService.Keyring",
        **{name: str(path) for name, path in folders.items()},
    }
    return Home(folder, env)
