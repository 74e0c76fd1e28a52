"""The one writer: files are whole or absent, whatever the disk does, and a link is never followed."""

import errno
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pipeline import store
from pipeline.canonical import sha256_hex
from pipeline.refusals import Busy, MissingArtifact, WriteFailed, WrongDigest
from tests.sweeps import sweep

OLD, NEW = b"old bytes, whole", b"new bytes\n" * 40_000


@dataclass(frozen=True)
class FailingDisk(store.Disk):
    """Takes `piece` bytes at a time; the call number `at` of all calls fails with `error`, or takes nothing at 0."""

    at: int = 10**9
    error: int = errno.ENOSPC
    piece: int = 150_000
    calls: list[str] = field(default_factory=list)

    def _count(self, name: str) -> None:
        self.calls.append(name)
        if len(self.calls) == self.at and self.error:
            raise OSError(self.error, os.strerror(self.error))

    def write(self, descriptor: int, data: bytes) -> int:
        self._count("write")
        if len(self.calls) == self.at:
            return 0
        return os.write(descriptor, data[: self.piece])

    def sync(self, descriptor: int) -> None:
        self._count("sync")
        os.fsync(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        self._count("rename")
        source.replace(target)

    def link(self, source: Path, target: Path) -> None:
        self._count("link")
        os.link(source, target)


Writer = Callable[[Path, bytes, store.Disk], None]
WRITERS: tuple[Writer, ...] = (store.replace_file, store.write_once, store.create_exclusive)


def calls_of(writer: Writer, folder: Path) -> int:
    disk = FailingDisk()
    writer(folder / "counted", NEW, disk)
    return len(disk.calls)


@pytest.mark.contract("AP-8")
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, 0], ids=["ENOSPC", "EIO", "takes-nothing"])
@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.__name__)
def test_a_write_that_fails_at_any_call_leaves_the_file_whole_or_absent(
    writer: Writer, error: int, tmp_path: Path
) -> None:
    """Every system call of a write in its turn."""
    total = calls_of(writer, tmp_path / "count")
    assert total >= 5
    for at in range(1, total + 1):
        folder = tmp_path / str(at)
        disk = FailingDisk(at=at, error=error)
        try:
            writer(folder / "a.json", NEW, disk)
        except WriteFailed as refusal:
            assert "a.json" in refusal.what
        else:
            assert error == 0, "a failing call must be told"
            assert disk.calls[at - 1] != "write"
        left = store.list_names(folder)
        assert left in ((), ("a.json",)), left
        if left:
            assert (folder / "a.json").read_bytes() == NEW


@pytest.mark.contract("AP-8")
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_replacement_that_fails_leaves_the_old_bytes_or_the_new_ones(error: int, tmp_path: Path) -> None:
    total = calls_of(store.replace_file, tmp_path / "count")
    seen = set()
    for at in range(1, total + 1):
        path = tmp_path / f"{at}.json"
        path.write_bytes(OLD)
        with pytest.raises(WriteFailed):
            store.replace_file(path, NEW, FailingDisk(at=at, error=error))
        seen.add(path.read_bytes())
    assert seen == {OLD, NEW}, "the sweep must reach both sides of the rename"


@pytest.mark.contract("AP-8")
def test_short_writes_are_gone_on_with_until_all_is_written(tmp_path: Path) -> None:
    for piece in (1, 7, 4096):
        data = os.urandom(5000)
        store.replace_file(tmp_path / "a", data, FailingDisk(piece=piece))
        assert (tmp_path / "a").read_bytes() == data
        assert store.list_names(tmp_path) == ("a",)


@pytest.mark.contract("AP-8")
def test_a_disk_that_lies_about_what_it_took_is_noticed_by_reading_back(tmp_path: Path) -> None:
    class Liar(store.Disk):
        def write(self, descriptor: int, data: bytes) -> int:
            os.write(descriptor, bytes(len(data)))
            return len(data)

    with pytest.raises(WriteFailed, match="reads back differently"):
        store.replace_file(tmp_path / "a", b"abc", Liar())
    assert store.list_names(tmp_path) == ()


RLIMIT_SCRIPT = """
import resource, signal, sys
from pathlib import Path
from pipeline import store
from pipeline.refusals import WriteFailed
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit, folder = int(sys.argv[1]), Path(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
code = 0
for name, write in (("a", store.replace_file), ("b", store.write_once), ("c", store.create_exclusive)):
    try:
        write(folder / name, b"x" * 5000)
    except WriteFailed as refusal:
        code += 1
try:
    store.append_line(folder / "journal", b"y" * 5000)
except WriteFailed:
    code += 1
sys.exit(code)
"""


@pytest.mark.contract("AP-8")
@pytest.mark.parametrize(("limit", "failures"), [(0, 4), (1, 4), (4999, 4), (5000, 1), (5001, 0)])
def test_a_real_file_size_limit_leaves_whole_files_or_none(limit: int, failures: int, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", RLIMIT_SCRIPT, str(limit), str(tmp_path)], cwd=Path.cwd(), check=False)
    assert done.returncode == failures
    names = [name for name in store.list_names(tmp_path) if name != "journal"]
    assert names == ([] if limit < 5000 else ["a", "b", "c"])
    assert all((tmp_path / name).read_bytes() == b"x" * 5000 for name in names)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != limit


@pytest.mark.contract("AP-8")
def test_a_process_killed_while_it_writes_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from pipeline import store\n"
        "n = 0\n"
        "while True:\n    n += 1; store.replace_file(Path(sys.argv[1]), bytes([n % 256]) * 300_000)\n"
        "    print(n, flush=True)"
    )
    path = tmp_path / "a"
    for number in range(sweep(100, share=20)):
        child = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(0.001 * number)
        child.send_signal(signal.SIGKILL)
        child.wait()
        data = path.read_bytes()
        assert len(data) == 300_000
        assert len(set(data)) == 1


# --- sealed files and links


@pytest.mark.contract("AP-1")
def test_a_sealed_file_takes_its_own_bytes_again_and_no_others(tmp_path: Path) -> None:
    store.write_once(tmp_path / "a", b"sealed")
    store.write_once(tmp_path / "a", b"sealed")
    with pytest.raises(WrongDigest):
        store.write_once(tmp_path / "a", b"Sealed")
    assert (tmp_path / "a").read_bytes() == b"sealed"


@pytest.mark.contract("AP-4")
def test_of_many_who_create_a_marker_at_once_exactly_one_wins(tmp_path: Path) -> None:
    for race in range(sweep(500)):
        path, results = tmp_path / f"{race}.consumed", []
        barrier = threading.Barrier(4)

        threads = [threading.Thread(target=attempt, args=(path, number, results, barrier)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winners = [result for result in results if result != "lost"]
        assert len(results) == 4
        assert len(winners) == 1
        assert winners[0] == f"won {path.read_text()}"


def attempt(path: Path, number: int, results: list[str], gate: threading.Barrier) -> None:
    gate.wait()
    try:
        store.create_exclusive(path, f"{number}".encode())
        results.append(f"won {number}")
    except Busy:
        results.append("lost")


@pytest.mark.contract("OU-4")
def test_links_are_refused_when_reading_and_replaced_when_writing(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"elsewhere")
    link = tmp_path / "link"
    link.symlink_to(secret)
    with pytest.raises(MissingArtifact):
        store.read_bytes(link)
    with pytest.raises((WriteFailed, MissingArtifact)):
        store.write_once(link, b"x")
    with pytest.raises(WriteFailed):
        store.append_line(link, b"x")
    with pytest.raises(Busy):
        store.create_exclusive(link, b"x")
    store.replace_file(link, b"own bytes")
    assert secret.read_bytes() == b"elsewhere"
    assert not link.is_symlink()
    assert store.read_bytes(link) == b"own bytes"


@pytest.mark.contract("OU-4")
def test_a_temp_file_planted_as_a_link_is_not_written_through(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"elsewhere")
    for plant in (os.symlink, os.link):
        temp = tmp_path / f".a.{os.getpid()}-{threading.get_native_id()}.part"
        plant(secret, temp)
        store.replace_file(tmp_path / "a", b"new")
        assert secret.read_bytes() == b"elsewhere"
        assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.contract("OU-4")
def test_a_dangling_link_counts_as_a_name_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "nowhere")
    assert store.exists(tmp_path / "a")
    with pytest.raises(Busy):
        store.create_exclusive(tmp_path / "a", b"x")
    assert not (tmp_path / "nowhere").exists()


def test_folders_and_pipes_are_no_files_to_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "absent"):
        with pytest.raises(MissingArtifact):
            store.read_bytes(path)


@pytest.mark.contract("AP-1")
def test_a_file_named_by_its_digest_is_refused_when_a_byte_differs(tmp_path: Path) -> None:
    store.replace_file(tmp_path / "a", b"abc")
    assert store.read_named_by_digest(tmp_path / "a", sha256_hex(b"abc")) == b"abc"
    with pytest.raises(WrongDigest):
        store.read_named_by_digest(tmp_path / "a", sha256_hex(b"abd"))


@pytest.mark.contract("EV-8")
def test_folders_are_private_all_the_way_up_and_so_are_files(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        store.replace_file(tmp_path / "data" / "raw" / "demo" / "a", b"x")
        store.make_folder(tmp_path / "receipts")
        store.append_line(tmp_path / "receipts" / "b", b"x")
    finally:
        os.umask(previous)
    for path in tmp_path.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_troubles_of_the_folder_are_refusals_not_faults(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(WriteFailed):
        store.make_folder(tmp_path / "file" / "below")
    with pytest.raises(MissingArtifact):
        store.list_names(tmp_path / "file")
    with pytest.raises(WriteFailed):
        store.remove_file(tmp_path)
    with pytest.raises(WriteFailed), store.locked(tmp_path, "a folder is no lock"):
        pass
    assert store.list_names(tmp_path / "absent") == ()


# --- the journal


@pytest.mark.contract("AP-8")
def test_a_journal_cut_at_every_byte_keeps_its_whole_lines(tmp_path: Path) -> None:
    path, lines = tmp_path / "journal", [b'{"n":1}', b"", b'{"n":22}', b'{"long":"' + b"x" * 50 + b'"}']
    for line in lines:
        store.append_line(path, line)
    whole = path.read_bytes()
    assert whole == b"".join(line + b"\n" for line in lines)
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        was_torn = store.cut_torn_line(path)
        left = path.read_bytes()
        assert was_torn == (cut > 0 and whole[cut - 1 : cut] != b"\n")
        assert whole.startswith(left)
        assert left == b"" or left.endswith(b"\n")
        assert cut - len(left) <= max(map(len, lines))
        store.append_line(path, b"next")
        assert path.read_bytes() == left + b"next\n"


@pytest.mark.contract("AP-8")
def test_an_append_that_fails_at_any_call_is_told_and_tears_only_the_last_line(tmp_path: Path) -> None:
    counting = FailingDisk(piece=3)
    store.append_line(tmp_path / "counted", b"0123456789", counting)
    for error in (errno.ENOSPC, errno.EIO, 0):
        for at in range(1, len(counting.calls) + 1):
            path = tmp_path / f"{error}-{at}"
            disk = FailingDisk(at=at, error=error, piece=3)
            if error or counting.calls[at - 1] == "write":
                with pytest.raises(WriteFailed):
                    store.append_line(path, b"0123456789", disk)
            assert not path.exists() or b"0123456789\n".startswith(path.read_bytes())


@pytest.mark.contract("AP-8")
def test_every_append_is_forced_to_the_disk_before_it_returns(tmp_path: Path) -> None:
    disk = FailingDisk()
    store.append_line(tmp_path / "journal", b"first", disk)
    assert disk.calls == ["write", "sync", "sync"], "line, then the folder that got a new name"
    disk.calls.clear()
    store.append_line(tmp_path / "journal", b"second", disk)
    assert disk.calls == ["write", "sync"]


@pytest.mark.contract("AP-8")
@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.__name__)
def test_bytes_are_forced_to_the_disk_before_their_name_and_the_name_after(writer: Writer, tmp_path: Path) -> None:
    disk = FailingDisk(piece=10**9)
    writer(tmp_path / "a", b"x", disk)
    naming = "rename" if writer is store.replace_file else "link"
    assert disk.calls == ["write", "sync", naming, "sync"]


# --- the lock


HOLDER = """
import sys, time
from pathlib import Path
from pipeline import store
with store.locked(Path(sys.argv[1]), "execute, process of the test"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.contract("AP-4")
def test_the_lock_names_its_holder_and_a_dead_holder_has_none(tmp_path: Path) -> None:
    lock = tmp_path / "control" / "demo.lock"
    child = subprocess.Popen([sys.executable, "-c", HOLDER, str(lock)], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(Busy) as refusal, store.locked(lock, "second"):
            pytest.fail("two runs at once")
        assert refusal.value.evidence == "execute, process of the test"
    finally:
        child.kill()
        child.wait()
    with store.locked(lock, "after the crash"):
        assert (lock.parent / "demo.holder").read_bytes() == b"after the crash"
        with pytest.raises(Busy, match="under way"), store.locked(lock, "in the same process"):
            pytest.fail("two runs at once")
        assert (lock.parent / "demo.holder").read_bytes() == b"after the crash"
    assert not (lock.parent / "demo.holder").exists()


def test_the_lock_is_free_again_after_its_body_failed(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), store.locked(tmp_path / "a.lock", "first"):
        raise ZeroDivisionError
    with store.locked(tmp_path / "a.lock", "second"):
        assert (tmp_path / "a.lock").exists()


# --- folders


@pytest.mark.contract("AP-8")
def test_a_folder_gets_its_name_in_one_step_or_not_at_all(tmp_path: Path) -> None:
    for at in (1, 2, 3):
        unfinished, final = tmp_path / f".partial-{at}", tmp_path / f"done-{at}"
        store.replace_file(unfinished / "a", b"x")
        with pytest.raises(WriteFailed):
            store.publish_folder(unfinished, final, FailingDisk(at=at, error=errno.EIO))
        assert unfinished.exists() != final.exists()
        assert final.exists() == (at == 3)


@pytest.mark.contract("AP-8")
def test_a_finished_folder_is_never_overwritten_by_another(tmp_path: Path) -> None:
    store.replace_file(tmp_path / "done" / "a", b"first")
    store.replace_file(tmp_path / ".partial" / "a", b"second")
    with pytest.raises(WriteFailed):
        store.publish_folder(tmp_path / ".partial", tmp_path / "done")
    assert (tmp_path / "done" / "a").read_bytes() == b"first"


def test_removing_what_is_absent_is_fine(tmp_path: Path) -> None:
    store.remove_file(tmp_path / "absent")
    store.remove_tree(tmp_path / "absent")
    store.replace_file(tmp_path / "a" / "b", b"x")
    assert store.tree_files(tmp_path) == (tmp_path / "a" / "b",)
    store.remove_tree(tmp_path / "a")
    assert store.tree_files(tmp_path) == ()


# --- files that grow


@pytest.mark.contract("AP-8")
def test_a_growing_file_takes_no_name_that_exists_and_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"first")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("taken", "link"):
        with pytest.raises(WriteFailed):
            store.Growing(tmp_path / name)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.contract("AP-8")
def test_a_growing_file_is_what_was_appended_or_refused(tmp_path: Path) -> None:
    file = store.Growing(tmp_path / "pack")
    for piece in (b"one\n", b"", b"two\n"):
        file.append(piece)
    assert store.read_range(tmp_path / "pack", 4, 3) == b"two"
    assert (tmp_path / "pack").stat().st_mode & 0o777 == 0o600
    file.finish()
    assert (file.size, file.sha256) == (8, store.digest_of(tmp_path / "pack"))
    other = store.Growing(tmp_path / "other")
    other.append(b"one\n")
    (tmp_path / "other").write_bytes(b"two\n")
    with pytest.raises(WriteFailed, match="reads back"):
        other.finish()
