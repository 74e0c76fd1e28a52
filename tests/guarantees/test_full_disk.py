"""A disk that is full, or breaks, at any system call: the run stops with a refusal, and one more ends it.

Three ways: our own system calls fail from the Nth on or once; a real limit on the size of files (RLIMIT_FSIZE) in a
process of its own; a real small file system (tmpfs) with so many pages left, where mounting is allowed.
"""

import errno
import os
import resource
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from pipeline.refusals import Refusal
from pipeline.store import Disk
from tests.fakes import Template, World
from tests.guarantees.executions import attempt, judge, settle
from tests.guarantees.forked import Death, die_in
from tests.guarantees.trashes import judge_trash, newest_run, take_back
from tests.sweeps import IS_FULL, part, told

pytestmark = pytest.mark.usefixtures("quick")

CALLS = ("write", "sync", "rename", "link")
WAYS = ("no space left", "broken", "takes nothing", "takes half, then no space left")
PAGE = 4096


@dataclass
class Sick:
    """System calls counted from 1; the `at`-th fails in a `way`, and for a full disk every later one too."""

    at: int
    way: str
    is_once: bool
    seen: int = 0
    is_half: bool = False

    def is_struck(self) -> bool:
        """Count one call; whether it fails."""
        self.seen += 1
        return self.seen == self.at or (self.seen > self.at and not self.is_once)

    def fail(self) -> None:
        """The system's word."""
        number = errno.EIO if self.way == "broken" else errno.ENOSPC
        raise OSError(number, os.strerror(number))

    def write(self, true: Callable[..., int], descriptor: int, data: bytes) -> int:
        """Some bytes, none, or an error."""
        if not self.is_struck():
            return true(descriptor, data)
        if self.way == "takes nothing":
            return 0
        if self.way.startswith("takes half") and self.seen == self.at and len(data) > 1:
            return true(descriptor, data[: len(data) // 2])
        return self.fail() or 0


@contextmanager
def sick(disk: Sick) -> Iterator[None]:
    """Every write of ours goes to this disk."""
    true = {name: getattr(Disk, name) for name in CALLS}

    def call(name: str) -> Callable[..., object]:
        def struck(self: Disk, *words: object) -> object:
            if name == "write":
                return disk.write(lambda *rest: true[name](self, *rest), *words)  # type: ignore[arg-type]  # os.write's own
            if disk.is_struck():
                disk.fail()
            return true[name](self, *words)

        return struck

    with ExitStack() as stack:
        for name in CALLS:
            stack.enter_context(patch.object(Disk, name, call(name)))
        yield


@pytest.mark.contract("AP-8", "AP-6", "P2")
def test_our_system_calls_fail_from_any_of_them_on_and_one_more_run_ends_it(
    populated: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = populated
    counting = Sick(10**9, "", is_once=True)
    with sick(counting):
        attempt(template.fresh(tmp_path / "whole"), digest)
    points = [(at, way, is_once) for at in range(1, counting.seen + 1) for way in WAYS for is_once in (True, False)]
    hits: Counter[str] = Counter()
    for number, (at, way, is_once) in enumerate(part(points, 7)):
        world = template.fresh(tmp_path / str(number))
        before = world.mailbox.label_sets()
        with sick(Sick(at, way, is_once)):
            hits[attempt(world, digest)] += 1
        end_it(world, digest, before)
        hits[way] += 1
    told("system calls on a sick disk", hits, runs=sum(hits[way] for way in WAYS), states=("write-failed", *WAYS))
    assert hits.keys() <= {*WAYS, "write-failed", "done", "partly-done"}, hits


@pytest.mark.contract("AP-8", "AP-6", "P2", "P3")
def test_our_system_calls_fail_while_mail_is_trashed_or_brought_back_and_one_more_ends_it(
    littered: list[tuple[Template, str]], tmp_path: Path
) -> None:
    whole, counting = littered[0][0].fresh(tmp_path / "whole"), Sick(10**9, "", is_once=True)
    with sick(counting):
        run = whole.execute(littered[0][1]).run
        whole.undo(run)
    points = [(at, way) for at in range(1, counting.seen + 1) for way in WAYS]
    hits: Counter[str] = Counter()
    for number, (at, way) in enumerate(part(points, 17)):
        template, digest = littered[number % 4]
        world = template.fresh(tmp_path / str(number))
        before = world.mailbox.label_sets()
        is_executed = False
        with sick(Sick(at, way, is_once=bool(number % 2))), suppress(Refusal):
            world.execute(digest)
            is_executed = True
            world.undo()
        if not is_executed:
            settle(world, digest)
            judge_trash(world, before)
        hits["executed"] += is_executed
        take_back(world, newest_run(world).run)
        assert world.mailbox.label_sets() == before, (at, way)
        hits[way] += 1
    runs = sum(hits[way] for way in WAYS)
    told("system calls on a sick disk beside trash", hits, runs=runs, states=("executed", *WAYS), floor=3)


def end_it(world: World, digest: str, before: dict[str, set[str]]) -> None:
    """One more run on a sound disk; then all is taken back."""
    settle(world, digest)
    if "verified" in judge(world, before).statuses().values():
        world.undo()
    assert world.mailbox.label_sets() == before


@pytest.mark.contract("AP-8", "P2")
def test_a_real_limit_on_the_size_of_files_stops_the_run_and_one_more_ends_it(
    populated: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = populated
    hits: Counter[str] = Counter()
    for limit in part(range(0, 6000, 30)):
        world = template.fresh(tmp_path / str(limit))
        before = world.mailbox.label_sets()
        ending = tmp_path / f"{limit}.word"
        ending.touch()
        word = os.open(ending, os.O_WRONLY)
        die_in(world, Death(), lambda world=world, limit=limit, word=word: limited(limit, world, digest, word))  # type: ignore[misc]  # bound now
        os.close(word)
        hits[ending.read_text() or "no room for a word"] += 1
        end_it(world, digest, before)
    told("limits on the size of files", hits)
    assert hits["write-failed"] and hits["done"] and hits.keys() <= {"write-failed", "done", "no room for a word"}, hits


def limited(limit: int, world: World, digest: str, word: int) -> None:
    """In a child of its own: no file may grow over the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    found = attempt(world, digest)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    os.write(word, found.encode())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of half a megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)]
    if subprocess.run(words, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a tmpfs is not allowed here")  # no package could mend that
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.contract("AP-8", "P2")
def test_a_real_file_system_without_room_stops_the_run_and_one_more_ends_it(
    populated: tuple[Template, str], small_disk: Path
) -> None:
    template, digest = populated
    hits: Counter[str] = Counter()
    for pages in range(0, 12, 1 if IS_FULL else 3):
        world = template.fresh(small_disk / "w")
        before = world.mailbox.label_sets()
        fill(small_disk, pages)
        hits[attempt(world, digest)] += 1
        (small_disk / "filler").unlink()
        end_it(world, digest, before)
        subprocess.run(["rm", "-rf", str(small_disk / "w")], check=True)
    told("a small file system", hits)
    assert hits["write-failed"] and hits["done"], hits


def fill(disk: Path, pages: int) -> None:
    """Leave so many free pages."""
    found = os.statvfs(disk)
    with (disk / "filler").open("wb") as file:
        file.write(bytes(max(0, found.f_bavail * found.f_frsize - pages * PAGE)))
