"""The one module that opens files. A file is whole or absent; a sealed file is written once; a journal only grows.

Writing: temp file in the same folder, loop over short writes, fsync, read back, rename, fsync the folder.
Reading: opened once by descriptor, without following a link at the last step.
Failure of any step leaves no temp file and raises WriteFailed with the name and the system's word for the trouble.

Tests hand in a `Disk` whose `write` or `sync` fails at the Nth call.
"""

import hashlib
import os
import shutil
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pipeline.canonical import sha256_hex
from pipeline.refusals import Busy, MissingArtifact, Refusal, WriteFailed, WrongDigest

FILE_MODE = 0o600
FOLDER_MODE = 0o700
READ_CAP = 2**31
"""Bytes: nothing of ours is larger."""
PIECE = 1 << 20
"""Bytes that are read or written at a time."""


@dataclass(frozen=True)
class Disk:
    """The system calls that a write needs, so that a test can make the Nth of them fail."""

    def write(self, descriptor: int, data: bytes) -> int:
        """Write some of data; returns how many bytes were taken."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """Force file or folder to the disk."""
        os.fsync(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        """Atomically take the target's place."""
        source.replace(target)

    def link(self, source: Path, target: Path) -> None:
        """Give a file a second name; FileExistsError when the name is taken."""
        os.link(source, target)


DISK = Disk()


def make_folder(path: Path) -> None:
    """Create a folder and its parents, each private to the owner (mkdir's own `parents` would leave them open)."""
    missing = [folder for folder in (path, *path.parents) if not folder.is_dir()]
    try:
        for folder in reversed(missing):
            folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    except OSError as error:
        raise _write_failed(path, error) from None


def read_bytes(path: Path) -> bytes:
    """All bytes of a regular file; links, folders and devices are refused (MissingArtifact)."""
    try:
        # Without O_NONBLOCK opening a pipe would wait for its writer for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return _read_regular(path, descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise MissingArtifact(f"cannot read {path.name}", evidence=f"{path}: {error.strerror}") from None


def _read_regular(path: Path, descriptor: int) -> bytes:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise MissingArtifact(f"cannot read {path.name}", evidence=f"{path} is no regular file")
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(min(READ_CAP, found.st_size + 1))  # a read of READ_CAP would set two gigabytes aside


def read_range(path: Path, offset: int, length: int) -> bytes:
    """So many bytes of a regular file from an offset; fewer where it ends. Raises MissingArtifact."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.pread(descriptor, length, offset)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise MissingArtifact(f"cannot read {path.name}", evidence=f"{path}: {error.strerror}") from None


def size_and_digest(path: Path) -> tuple[int, str]:
    """Bytes and sha256 of a file as it lies on the disk, a piece at a time. Raises MissingArtifact."""
    digest, offset = hashlib.sha256(), 0
    while piece := read_range(path, offset, PIECE):
        digest.update(piece)
        offset += len(piece)
    return offset, digest.hexdigest()


def digest_of(path: Path) -> str:
    """sha256 of a file as it lies on the disk. Raises MissingArtifact."""
    return size_and_digest(path)[1]


class Growing:
    """A file of an unfinished folder that is written piece by piece, with its size and sha256 so far.

    `append` hands bytes to the system, so a killed process loses none of them; `sync` forces them to the disk.
    """

    def __init__(self, path: Path, disk: Disk = DISK) -> None:
        self.path, self.size = path, 0
        self._disk, self._hash = disk, hashlib.sha256()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            make_folder(path.parent)
            self._descriptor = os.open(path, flags, FILE_MODE)
        except OSError as error:
            raise _write_failed(path, error) from None

    @property
    def sha256(self) -> str:
        """Digest of everything appended."""
        return self._hash.hexdigest()

    def append(self, data: bytes) -> None:
        """Add bytes at the end. Raises WriteFailed."""
        try:
            _write_all(self._descriptor, data, self._disk)
        except OSError as error:
            raise _write_failed(self.path, error) from None
        self._hash.update(data)
        self.size += len(data)

    def sync(self) -> None:
        """Force what was appended to the disk. Raises WriteFailed."""
        try:
            self._disk.sync(self._descriptor)
        except OSError as error:
            raise _write_failed(self.path, error) from None

    def close(self) -> None:
        """Give the descriptor back; appending is over."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def finish(self) -> None:
        """Sync, close and read back. Raises WriteFailed when the disk holds other bytes than were appended."""
        self.sync()
        self.close()
        if digest_of(self.path) != self.sha256:
            raise WriteFailed(f"{self.path.name} reads back differently", evidence=str(self.path))


def read_named_by_digest(path: Path, digest: str) -> bytes:
    """Bytes of a file whose sha256 must be `digest`. Raises WrongDigest."""
    data = read_bytes(path)
    if sha256_hex(data) != digest:
        raise WrongDigest(f"{path.name} was altered", evidence=f"sha256 {sha256_hex(data)[:16]}…, not {digest[:16]}…")
    return data


def exists(path: Path) -> bool:
    """Whether something stands at a path (a dangling link counts)."""
    return os.path.lexists(path)


def is_folder(path: Path) -> bool:
    """Whether a folder stands at a path; a link to one is none."""
    return path.is_dir() and not path.is_symlink()


def list_names(folder: Path) -> tuple[str, ...]:
    """Sorted names in a folder; none when it does not exist. Raises MissingArtifact when it cannot be listed."""
    try:
        return tuple(sorted(path.name for path in folder.iterdir()))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise MissingArtifact(f"cannot list {folder.name}", evidence=f"{folder}: {error.strerror}") from None


def tree_files(folder: Path) -> tuple[Path, ...]:
    """Every file below a folder, sorted by path."""
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file()))


def replace_file(path: Path, data: bytes, disk: Disk = DISK) -> None:
    """Write a derived file: whole or absent, replacing what was there."""
    with _written_temp(path, data, disk) as temp:
        disk.rename(temp, path)


def write_once(path: Path, data: bytes, disk: Disk = DISK) -> None:
    """Write a sealed file. The same bytes may come again; other bytes under its name are refused (WrongDigest)."""
    if exists(path):
        if read_bytes(path) != data:
            raise WrongDigest(f"{path.name} exists with other bytes", evidence=str(path))
        return
    create_exclusive(path, data, disk)


def create_exclusive(path: Path, data: bytes, disk: Disk = DISK) -> None:
    """Write a file that must not exist, whole or not at all. Raises Busy when the name is taken (also by a racer)."""
    with _written_temp(path, data, disk) as temp:
        try:
            disk.link(temp, path)
        except FileExistsError:
            raise Busy(f"{path.name} exists already", evidence=str(path)) from None


def append_line(path: Path, line: bytes, disk: Disk = DISK) -> None:
    """Append one line and its newline to a journal and fsync it before returning."""
    try:
        is_new = not exists(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, FILE_MODE)
        try:
            _write_all(descriptor, line + b"\n", disk)
            disk.sync(descriptor)
        finally:
            os.close(descriptor)
        if is_new:
            _sync_folder(path.parent, disk)
    except OSError as error:
        raise _write_failed(path, error) from None


def cut_torn_line(path: Path, disk: Disk = DISK) -> bool:
    """Drop the bytes after a journal's last newline; returns whether there were any."""
    data = read_bytes(path)
    whole = data.rfind(b"\n") + 1
    if whole == len(data):
        return False
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.ftruncate(descriptor, whole)
            disk.sync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _write_failed(path, error) from None
    return True


def remove_file(path: Path) -> None:
    """Remove a derived file or an unfinished one; absent is fine. Raises WriteFailed."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _write_failed(path, error) from None


def remove_tree(folder: Path) -> None:
    """Remove a folder of derived or unfinished files; absent is fine."""
    shutil.rmtree(folder, ignore_errors=True)


def publish_folder(unfinished: Path, final: Path, disk: Disk = DISK) -> None:
    """Give a finished folder its name in one step and make that durable."""
    try:
        _sync_folder(unfinished, disk)
        disk.rename(unfinished, final)
        _sync_folder(final.parent, disk)
    except OSError as error:
        raise _write_failed(final, error) from None


@contextmanager
def locked(path: Path, holder: str) -> Iterator[None]:
    """Hold an exclusive lock file while the body runs. Raises Busy, naming the holder, when another process has it.

    The operating system drops the lock of a dead process; the file that stays behind holds nothing.
    """
    from filelock import FileLock, Timeout  # 10 ms: only for who changes something

    make_folder(path.parent)
    lock = FileLock(path, timeout=0, mode=FILE_MODE)
    note = path.with_suffix(".holder")
    try:
        lock.acquire()
    except Timeout:
        raise Busy("another run of this account is under way", evidence=_note_text(note), next_command="wait") from None
    except OSError as error:
        raise _write_failed(path, error) from None
    try:
        replace_file(note, holder.encode())
        yield
    finally:
        _remove_quietly(note)
        lock.release()


def _note_text(note: Path) -> str:
    try:
        return read_bytes(note).decode("utf-8", "replace")
    except Refusal:
        return "the lock is held"


@contextmanager
def _written_temp(path: Path, data: bytes, disk: Disk) -> Iterator[Path]:
    make_folder(path.parent)
    temp = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_native_id()}.part")
    try:
        _write_new(temp, data, disk)
        if read_bytes(temp) != data:
            raise WriteFailed(f"{path.name} reads back differently", evidence=str(path))
        yield temp
        _remove_quietly(temp)
        _sync_folder(path.parent, disk)
    except OSError as error:
        raise _write_failed(path, error) from None
    finally:
        _remove_quietly(temp)


def _write_new(temp: Path, data: bytes, disk: Disk) -> None:
    _remove_quietly(temp)  # a dead process with our number may have left one; what it links to must not be written
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temp, flags, FILE_MODE)
    try:
        _write_all(descriptor, data, disk)
        disk.sync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes, disk: Disk) -> None:
    view = memoryview(data)
    while view:
        taken = disk.write(descriptor, bytes(view[:PIECE]))
        if taken <= 0:
            raise OSError(5, "write took nothing")
        view = view[taken:]


def _sync_folder(folder: Path, disk: Disk) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        disk.sync(descriptor)
    finally:
        os.close(descriptor)


def _remove_quietly(temp: Path) -> None:
    with suppress(OSError):
        temp.unlink(missing_ok=True)


def _write_failed(path: Path, error: OSError) -> Refusal:
    return WriteFailed(f"cannot write {path.name}", evidence=f"{path}: {error.strerror or type(error).__name__}")
