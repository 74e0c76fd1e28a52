"""The mail of bench.owner_rules on disk, twice: a sealed capture with its configuration for us, a Maildir for Dovecot.

    python -m bench.letters FOLDER COUNT

FOLDER/data holds the captures of the demo account, FOLDER/config its rules and policy, FOLDER/mail the Maildir.
"""

import base64
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.generate import CAPTURE_SIZE, START, fetched, seal
from bench.measure import PYTHON
from bench.owner_rules import resource, rule_files
from pipeline.config import REPOSITORY

CONFIG = "config"
POLICY = 'version = 1\nwindow_days = "all"\n'
NOBODY = 65_534
"""Dovecot opens no mail as root."""


def generated_letters(folder: Path, count: int) -> Path:
    """A folder of so many letters; made in a process of its own."""
    subprocess.run([PYTHON, "-m", "bench.letters", str(folder), str(count)], check=True)
    return folder


def rfc822(found: dict[str, Any]) -> bytes:
    """The message behind a Gmail resource: the same fields, the same parts, in base64."""
    payload = found["payload"]
    return "\n".join([*_fields(payload), "", *map(_part, payload["parts"]), "--b1--", ""]).encode()


def _fields(payload: dict[str, Any]) -> list[str]:
    return [f"{field['name']}: {field['value']}" for field in payload["headers"]]


def _part(part: dict[str, Any]) -> str:
    data = base64.encodebytes(base64.urlsafe_b64decode(part["body"]["data"])).decode()
    return "\n".join(["--b1", *_fields(part), "Content-Transfer-Encoding: base64", "", data])


def maildir(folder: Path, count: int) -> None:
    """A Maildir of read messages."""
    for name in ("cur", "new", "tmp"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / "cur" / f"{1_700_000_000 + number}.m{number}.host:2,S").write_bytes(rfc822(resource(number)))


def config_of(root: Path) -> None:
    """The owner's files for us, and Dovecot's own: as nobody where we are root, without an index that lasts."""
    (root / CONFIG / "rules").mkdir(parents=True, exist_ok=True)
    for name, data in rule_files():
        (root / CONFIG / "rules" / name).write_bytes(data)
    (root / CONFIG / "policy.toml").write_text(POLICY)
    registry = (REPOSITORY / "mailboxes.toml").read_text()
    (root / CONFIG / "mailboxes.toml").write_text("\n".join(
        "packs = []" if line.startswith("packs") else line for line in registry.splitlines()))  # fmt: skip
    user, group = (os.getuid(), os.getgid()) if os.getuid() else (NOBODY, NOBODY)
    lines = {"mail_location": f"maildir:{root}/mail:INDEX=MEMORY", "mail_uid": user, "mail_gid": group, "ssl": "no"}
    lines |= {"base_dir": f"{root}/run", "log_path": "/dev/stderr"}
    (root / "dovecot.conf").write_text("".join(f"{name} = {value}\n" for name, value in lines.items()))


def give(folder: Path) -> None:
    """Let Dovecot's user have the Maildir and see the folders above it, where we are root."""
    if os.getuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        for parent in (folder.parent, folder.parent.parent):
            parent.chmod(parent.stat().st_mode | 0o055)


def main(folder: str, count: str) -> None:
    """Write captures, Maildir and configuration."""
    root, total = Path(folder), int(count)
    for start in range(0, total, CAPTURE_SIZE):
        numbers = range(start, min(start + CAPTURE_SIZE, total))
        seal(root, fetched(numbers, resource), "messages", START + timedelta(hours=start // CAPTURE_SIZE))
    maildir(root / "mail", total)
    config_of(root)
    give(root / "mail")


if __name__ == "__main__":
    main(*sys.argv[1:])
