"""A run in a process of its own that dies by SIGKILL: no `finally` runs, no lock is given back, no temp file removed.

    at_end = die_in(world, Death(at=120), lambda: world.execute(digest))     # world.mailbox is as Gmail was left

The child carries the mailbox in memory; at its death (or its end) it hands the mailbox over a pipe to the parent, as
Gmail would still be there. A death is a step (a file written, a request sent or answered, also a single system call of
a write: `deep`) or a line of Python in the modules that change mailboxes: any instruction.
"""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

import pipeline.store
from pipeline.refusals import Refusal
from tests.fakes import World, killing
from tests.strategies.kills import ENDED

WATCHED = ("/pipeline/changes/", "/pipeline/sealing/", "/pipeline/store.py", "/stages/execute.py", "/stages/undo.py")
"""Where a line of Python may be the last: everything between the checks and the closed receipt."""


@dataclass(frozen=True)
class Death:
    """When a process dies: at step number `at`, at the `at`-th step named `only`, or at line number `line`.
    `is_deep`: each system call of a write counts as steps too."""

    at: int = 0
    only: str = ""
    line: int = 0
    is_torn: bool = False
    is_deep: bool = False


@dataclass(frozen=True)
class Dying:
    """What became of a child: its steps, and the lines that it ran when lines were counted."""

    steps: tuple[str, ...]
    lines: int
    is_killed: bool


def die_in(world: World, death: Death, act: Callable[[], object]) -> Dying:
    """Run `act` in a child that dies so; the world's mailbox afterwards is the one that the child left."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _live_and_die(world, death, act, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        handed = pipe.read()
    _, status = os.waitpid(child, 0)
    assert handed and (os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0), "the child failed before its end"
    mailbox, steps, lines = pickle.loads(handed)  # noqa: S301  our own child wrote it
    world.mailbox = world.gmail.mailbox = mailbox
    return Dying(tuple(steps), lines, os.WIFSIGNALED(status))


def _live_and_die(world: World, death: Death, act: Callable[[], object], writer: int) -> None:
    """The child's whole life; it never returns."""
    seen: list[str] = []
    lines = [0]

    def hand_over() -> None:
        data = pickle.dumps((world.mailbox, seen, lines[0]))
        while data:
            data = data[os.write(writer, data) :]

    def die(_: str = "") -> None:
        hand_over()
        os.kill(os.getpid(), signal.SIGKILL)

    try:
        with ExitStack() as stack:
            is_only = death.only if death.at else "never"
            stack.enter_context(killing(world, death.at, seen, is_torn=death.is_torn, only=is_only, die=die))
            if death.is_deep:
                stack.enter_context(steps_of_the_disk(world.gmail.step))
            stack.enter_context(counting_lines(death.line, lines, die))
            with suppress(Refusal):
                act()
            seen.append(ENDED)
        hand_over()
        os._exit(0)
    finally:
        os._exit(1)


@contextmanager
def counting_lines(at: int, lines: list[int], die: Callable[[], None]) -> Iterator[None]:
    """Every line of the watched modules is counted, and the one numbered `at` is the last. Nothing when `at` is 0."""
    if not at:
        yield
        return

    def local(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            lines[0] += 1
            if lines[0] == at:
                sys.settrace(None)
                die()
        return local

    def enter(frame: FrameType, event: str, _: Any) -> Any:
        return local if any(part in frame.f_code.co_filename for part in WATCHED) else None

    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(None)


@contextmanager
def steps_of_the_disk(step: Callable[[str], None]) -> Iterator[None]:
    """Each system call of a write is two steps: before it and after it; a write is one more, with half its bytes."""
    true = {name: getattr(pipeline.store.Disk, name) for name in ("write", "sync", "rename", "link")}

    def write(self: object, descriptor: int, data: bytes) -> int:
        step("write about to come")
        half = len(data) // 2
        if half:
            taken: int = true["write"](self, descriptor, data[:half])
            step("half written")
            return taken
        taken = true["write"](self, descriptor, data)
        step("written")
        return taken

    def stepped(name: str) -> Callable[..., None]:
        def call(self: object, *words: Path | int) -> None:
            step(f"{name} about to come")
            true[name](self, *words)
            step(f"{name} done")

        return call

    with ExitStack() as stack:
        stack.enter_context(patch.object(pipeline.store.Disk, "write", write))
        for name in ("sync", "rename", "link"):
            stack.enter_context(patch.object(pipeline.store.Disk, name, stepped(name)))
        yield
