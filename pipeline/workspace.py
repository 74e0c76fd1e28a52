"""Where one mailbox's facts live. Three kinds with one layout; the kind follows the account.

- Demo: the mailbox that does not exist; the repository root or build/demo. Published approval key.
- Loopback: an account at a reserved domain behind 127.0.0.1; any folder outside a git tree, temp too. Published key.
- Live: Google. Outside any git tree and temp folder, 0700/0600, approval key in the keyring.

    data/raw/<account>/<capture>/   data/snapshots/<account>/   data/decisions/<account>/
    manifests/<sha256>.json   manifests/<sha256>.approval.json   manifests/inputs/<sha256>
    receipts/<run>.jsonl   receipts/<sha256>.consumed
"""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.models.registry import AccountRecord, Kind
from pipeline.refusals import InsideGit, InTempFolder, LoosePermissions, NameRefused, WorkspaceRefused

TEMP_ROOTS = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/private/tmp", "/private/var", "/var/folders")  # noqa: S108  refused, not used
"""Folders that a machine or a session empties."""
MAKE_UNSAFE = re.compile(r"[\s%:#$\\*?\[\]~'\"`;&|<>(){}!]")


@dataclass(frozen=True, slots=True)
class Workspace:
    """One mailbox's folders. Made by `open_workspace`, which refuses what the kind may not be."""

    root: Path
    account: str
    control: Path
    """Lock and consumption markers: beside the receipts, or by account id in the state folder for Live."""

    @property
    def kind(self) -> Kind:
        """demo, loopback or live."""
        raise NotImplementedError

    @property
    def raw(self) -> Path:
        """Captures of the account."""
        return self.root / "data" / "raw" / self.account

    @property
    def snapshots(self) -> Path:
        """Derived files of the account; never committed."""
        return self.root / "data" / "snapshots" / self.account

    @property
    def shards(self) -> Path:
        """What each capture gave, kept so that old mail is not read again; derived like the tables beside it."""
        return self.snapshots / "shards"

    @property
    def decisions(self) -> Path:
        """Decisions logs of the account."""
        return self.root / "data" / "decisions" / self.account

    @property
    def manifests(self) -> Path:
        """Manifests, approvals and the write-once copies of what they pin."""
        return self.root / "manifests"

    @property
    def receipts(self) -> Path:
        """Receipts."""
        return self.root / "receipts"

    @property
    def lock(self) -> Path:
        """The account's lock file."""
        return self.control / f"{self.account}.lock"

    @property
    def stop_folders(self) -> tuple[Path, ...]:
        """Where a kill switch of the account may lie."""
        return (self.control,)

    def fact_files(self) -> tuple[Path, ...]:
        """Every fact that exists, sorted: what the demo compares and the logical clock counts."""
        folders = (self.raw, self.decisions, self.manifests, self.receipts)
        found = (path for folder in folders if folder.is_dir() for path in folder.rglob("*") if path.is_file())
        return tuple(sorted(path for path in found if _is_fact(path.relative_to(self.root))))


@dataclass(frozen=True, slots=True)
class Demo(Workspace):
    """The mailbox that does not exist."""

    @property
    def kind(self) -> Kind:
        """Always demo."""
        return "demo"


@dataclass(frozen=True, slots=True)
class Loopback(Workspace):
    """A mailbox at a reserved domain behind a loopback Gmail."""

    @property
    def kind(self) -> Kind:
        """Always loopback."""
        return "loopback"


@dataclass(frozen=True, slots=True)
class Live(Workspace):
    """Somebody's real mailbox. `elsewhere`: control folders of the same account under other variables."""

    elsewhere: tuple[Path, ...] = ()

    @property
    def stop_folders(self) -> tuple[Path, ...]:
        """Its own, and the one where a shell with other variables would put a stop."""
        return (self.control, *self.elsewhere)

    @property
    def kind(self) -> Kind:
        """Always live."""
        return "live"


def open_workspace(root: Path | None, record: AccountRecord, env: Mapping[str, str]) -> Workspace:
    """The workspace of an account's kind at `root`. Raises WorkspaceRefused's kinds.

    A live workspace without `root` lies in $XDG_STATE_HOME/gmailtriage/<account>.
    """
    if record.kind == "live":
        return _open_live(root, record, env)
    if root is None:
        raise WorkspaceRefused(
            "no workspace was named", evidence=f"account {record.id}", next_command="--workspace DIR"
        )
    place = _plain(root)
    if record.kind == "demo":
        return Demo(place, record.id, place / "receipts")
    _refuse_git(place, f"choose a folder outside git for the loopback account {record.id}")
    _refuse_links(place)
    return Loopback(place, record.id, place / "receipts")


def live_control(account: str, env: Mapping[str, str]) -> Path:
    """Lock, markers and kill switch of a live account: by its id in the state folder, whatever its workspace is."""
    return Path(os.path.realpath(state_folder(env) / account)) / "control"


def live_controls(account: str, env: Mapping[str, str]) -> tuple[Path, ...]:
    """The same in each state folder, the one of these variables first: a stop is put into all and looked for in all."""
    found = (Path(os.path.realpath(folder / account)) / "control" for folder in state_folders(env))
    return tuple(dict.fromkeys(found))


def control_of(record: AccountRecord, root: Path | None, env: Mapping[str, str]) -> Path | None:
    """The same of any account, without judging the place; None for a mailbox whose workspace was not named."""
    if record.kind == "live":
        return live_control(record.id, env)
    return Path(os.path.realpath(root)) / "receipts" if root is not None else None


def _open_live(root: Path | None, record: AccountRecord, env: Mapping[str, str]) -> Workspace:
    state = _plain(state_folder(env) / record.id)
    place = _plain(root) if root is not None else state
    for folder in dict.fromkeys((place, state)):
        _refuse_git(folder, "set XDG_STATE_HOME to a folder outside git")
        _refuse_temp(folder)
        _refuse_links(folder)
        _refuse_loose(folder)
    own, *others = live_controls(record.id, env)
    return Live(place, record.id, own, tuple(others))


def state_folder(env: Mapping[str, str]) -> Path:
    """$XDG_STATE_HOME/gmailtriage: a folder for each live account."""
    home = env.get("XDG_STATE_HOME") or Path(env.get("HOME", "/nonexistent")) / ".local" / "state"
    return Path(home) / "gmailtriage"


def state_folders(env: Mapping[str, str]) -> tuple[Path, ...]:
    """The state folder, and the default one under $HOME where these variables name another: a process that cron starts
    has no XDG_STATE_HOME, whatever the shell has."""
    default = [state_folder({"HOME": env["HOME"]})] if env.get("HOME") else []
    return tuple(dict.fromkeys([state_folder(env), *default]))


def _plain(root: Path) -> Path:
    place = Path(os.path.realpath(root))
    for text in (str(root), str(place)):
        if MAKE_UNSAFE.search(text) or not text.isprintable():
            raise NameRefused("the workspace's path holds a character that make misreads", evidence=repr(text))
    return place


def _refuse_git(place: Path, next_command: str) -> None:
    for folder in (place, *place.parents):
        if os.path.lexists(folder / ".git"):
            raise InsideGit(
                "mail may not lie in a git working tree", evidence=f"{folder}/.git", next_command=next_command
            )


def _refuse_temp(place: Path) -> None:
    for name in TEMP_ROOTS:
        if place.is_relative_to(name) or place.is_relative_to(os.path.realpath(name)):
            raise InTempFolder("a live mailbox may not lie in a temp folder", evidence=f"{place} is under {name}")


def _refuse_links(place: Path) -> None:
    """A link inside would take mail to where no guard looked."""
    for path in place.rglob("*") if place.is_dir() else ():
        if path.is_symlink():
            raise WorkspaceRefused("a link leads out of the workspace", evidence=str(path), next_command="remove it")


def _refuse_loose(place: Path) -> None:
    for path in (place, *(place.rglob("*") if place.is_dir() else ())):
        mode = path.lstat().st_mode if os.path.lexists(path) else 0
        if mode & 0o077 and not stat.S_ISLNK(mode):
            raise LoosePermissions("others may read the mailbox's data", evidence=f"{path} has mode {mode & 0o777:o}",
                                   next_command=f"chmod -R go-rwx {place}")  # fmt: skip


def _is_fact(path: Path) -> bool:
    is_unfinished = any(part.startswith(".") for part in path.parts)
    return not is_unfinished and path.suffix not in {".lock", ".holder", ".panic"}
