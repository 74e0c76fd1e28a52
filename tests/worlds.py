"""Folders for tests: a configuration, a workspace, captures on disk. Everything lies under the folder handed in."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipeline.evidence.captures import RawCapture
from pipeline.evidence.writing import CaptureWriter
from pipeline.models.registry import AccountRecord
from pipeline.workspace import Workspace, open_workspace
from tests.strategies.captures import ADDRESS, RULE_FILES, account

RECORD = """
[[mailbox]]
id = "{id}"
alias = ["{alias}"]
address = "{address}"
status = "{status}"
endpoint = "{endpoint}"
credential = "{credential}"
"""


def demo_record(**changes: str) -> str:
    """The text of one registry record; the demo's unless something is changed."""
    values = {
        "id": "demo",
        "alias": "demo",
        "address": ADDRESS,
        "status": "organize-only",
        "endpoint": "twin",
        "credential": "published:demo",
    }
    return RECORD.format(**{**values, **changes})


@dataclass(frozen=True)
class Folders:
    """Where one test's owner keeps things."""

    config: Path
    place: Path
    home: Path

    @property
    def words(self) -> tuple[str, ...]:
        """The options that name them."""
        return ("--workspace", str(self.place), "--config", str(self.config))

    @property
    def env(self) -> dict[str, str]:
        """A process's environment: a home of its own, one thread."""
        return {**os.environ, "HOME": str(self.home), "POLARS_MAX_THREADS": "1"}

    def workspace(self, record: AccountRecord | None = None) -> Workspace:
        """The workspace as its account sees it."""
        return open_workspace(self.place, record or account(), {"HOME": str(self.home)})


def make_folders(
    root: Path,
    *,
    registry: str = "",
    policy: str = "version = 1\nwindow_days = 90\n",
    rules: Iterable[tuple[str, bytes]] = RULE_FILES,
) -> Folders:
    """A configuration with the small rule book, and an empty place for a workspace."""
    folders = Folders(root / "config", root / "mail", root / "home")
    (folders.config / "rules").mkdir(parents=True)
    folders.home.mkdir()
    (folders.config / "mailboxes.toml").write_text(registry or demo_record())
    (folders.config / "policy.toml").write_text(policy)
    for name, data in rules:
        (folders.config / "rules" / name).write_bytes(data)
    return folders


def write_capture(workspace: Workspace, capture: RawCapture) -> None:
    """Seal a capture that was made in memory under its own id."""
    writer = CaptureWriter(workspace, capture.seal.id)
    for exchange in capture.exchanges:
        writer.record(exchange)
    writer.seal(capture.seal.model_copy(update={"account": workspace.account, "checksum": ""}))
