"""Helpers: further processes that do pieces of the same pure work, so that a second core is of use.

Promises: results come in the order of the tasks and are those that one process gives, whatever the number of helpers
and whichever of them lives. A helper that is killed, runs out of memory, refuses or fails in any way gives its task
back, and whoever asked does it himself: so a refusal is raised here, by the same code, in its turn. A helper writes no
file and says nothing; Ctrl-C does not reach it; it is killed when the work ends or is interrupted, and it ends by
itself when nobody is left to ask it.

    list(in_order(work, tasks, 1))      # [work(task) for task in tasks], two at a time

A helper is a new interpreter, not a fork: polars has threads as soon as it is imported, and in a fork of a process with
threads a lock that one of them held stays shut for ever. `work` and its tasks are pickled; what is unpickled was
written by this module, in a process of the same user, a moment before.
"""

import gc
import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from threading import Condition, Thread
from typing import Final, Generic, TypeVar

from pipeline.refusals import UsageRefused

T = TypeVar("T")
R = TypeVar("R")
SETTING: Final = "GMAILTRIAGE_PROCESSES"
MOST: Final = 4
"""Processes: more of them wait for the one that puts their results together."""
_LENGTH: Final = 8
"""Bytes before each message that say how long it is."""
_PIECE: Final = 1 << 20
_FAILED: Final = b""


def processes_of(env: Mapping[str, str]) -> int:
    """How many processes may read mail: what the setting says, or one a CPU, at most four. Raises UsageRefused."""
    asked = env.get(SETTING, "")
    if not asked:
        return min(_cpus(), MOST)
    if asked not in map(str, range(1, MOST + 1)):
        raise UsageRefused(f"{SETTING} is a number from 1 to {MOST}", evidence=asked)
    return int(asked)


def _cpus() -> int:
    """CPUs that this process may use; where the system does not say, those that there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(work: Callable[[T], R], tasks: Iterable[T], helpers: int) -> Generator[R, None, None]:
    """`work` of each task, in order; up to `helpers` further processes take part. Raises what `work` raises.

    Close it when its results are not wanted any more: that ends the helpers.
    """
    listed = tuple(tasks)
    ours = _Round(work, listed)
    with ExitStack() as stack:
        for _ in range(min(helpers, len(listed) - 1)):
            with suppress(OSError):  # no process to be had: so there is one helper less
                stack.enter_context(_Helper(work, ours))
        yield from ours.results()


class _Round(Generic[T, R]):
    """Who does which task, and what is done so far."""

    def __init__(self, work: Callable[[T], R], tasks: Sequence[T]) -> None:
        self.tasks = tasks
        self._work = work
        self._waiting = deque(range(len(tasks)))
        self._done: dict[int, R] = {}
        self._returned: set[int] = set()
        self._news = Condition()

    def results(self) -> Iterator[R]:
        """The results in order."""
        return map(self._result, range(len(self.tasks)))

    def next(self) -> int | None:
        """A task that nobody has begun; None when there is none, or nobody wants more."""
        with suppress(IndexError):
            return self._waiting.popleft()
        return None

    def settle(self, number: int, done: R) -> None:
        """A helper's result."""
        with self._news:
            self._done[number] = done
            self._news.notify()

    def give_back(self, number: int) -> None:
        """A task that failed with a helper: it is done here, in its turn."""
        with self._news:
            self._returned.add(number)
            self._news.notify()

    def end(self) -> None:
        """Nobody begins a further task."""
        self._waiting.clear()

    def _result(self, number: int) -> R:
        while not self._is_settled(number):
            other = self.next()
            if other == number:
                return self._work(self.tasks[number])
            if other is None:
                self._wait(number)
            else:
                self._do(other)
        return self._done.pop(number) if number in self._done else self._work(self.tasks[number])

    def _is_settled(self, number: int) -> bool:
        return number in self._done or number in self._returned

    def _wait(self, number: int) -> None:
        with self._news:
            self._news.wait_for(lambda: self._is_settled(number))

    def _do(self, number: int) -> None:
        """Another task, while the one whose turn it is lies with a helper."""
        try:
            self._done[number] = self._work(self.tasks[number])
        except Exception:  # noqa: BLE001  # it is done again in its turn, and raised then
            self._returned.add(number)


class _Helper(Generic[T, R]):
    """One further process, and the thread that asks it; at most one task is with it at a time."""

    def __init__(self, work: Callable[[T], R], ours: _Round[T, R]) -> None:
        import pickle  # only what this module wrote is unpickled
        import subprocess  # one fixed command: this interpreter, this module

        command = [sys.executable, "-P", "-m", "pipeline.helpers"]  # -P: no module of the folder we stand in
        self._process = subprocess.Popen(  # noqa: S603  # no word of it comes from outside
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        self._work, self._ours, self._dumps, self._loads = work, ours, pickle.dumps, pickle.loads
        self._thread = Thread(target=self._ask, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ours.end()
        self._process.kill()
        self._thread.join()
        with suppress(BrokenPipeError), self._process:  # closes the pipes and waits for it
            pass

    def _ask(self) -> None:
        """Task after task, until there is none or the helper is gone."""
        is_there = self._is_told(self._work)
        while is_there and (number := self._ours.next()) is not None:
            done = self._answer(number) if self._is_told(self._ours.tasks[number]) else None
            is_there = done is not None
            if done:
                self._ours.settle(number, *done)
            else:
                self._ours.give_back(number)

    def _is_told(self, what: object) -> bool:
        try:
            return self._tell(self._dumps(what))
        except Exception:  # noqa: BLE001  # what cannot be handed over is done here
            return False

    def _answer(self, number: int) -> tuple[R] | tuple[()] | None:
        """The result; nothing, the helper failed at it; None, it is gone."""
        data = _received(self._process.stdout.fileno()) if self._process.stdout is not None else None
        try:
            return None if data is None else (self._loads(data),) if data else ()
        except Exception:  # noqa: BLE001  # what cannot be read is done here
            return None

    def _tell(self, data: bytes) -> bool:
        """Whether it could be told."""
        if self._process.stdin is None:
            return False
        with suppress(BrokenPipeError):
            _say(self._process.stdin.fileno(), data)
            return True
        return False


def _say(descriptor: int, data: bytes) -> None:
    rest = memoryview(len(data).to_bytes(_LENGTH, "big") + data)
    while rest:
        rest = rest[os.write(descriptor, rest[:_PIECE]) :]


def _received(descriptor: int) -> bytes | None:
    """One message; None when the other side is gone."""
    length = _exactly(descriptor, _LENGTH)
    return None if length is None else _exactly(descriptor, int.from_bytes(length, "big"))


def _exactly(descriptor: int, length: int) -> bytes | None:
    found = bytearray()
    while len(found) < length:
        piece = os.read(descriptor, min(length - len(found), _PIECE))
        if not piece:
            return None
        found += piece
    return bytes(found)


def help_out() -> None:
    """A helper's life: work, then one task after the other, until nobody asks any more."""
    import pickle  # only what this module wrote is unpickled

    answers = os.dup(1)
    os.dup2(2, 1)  # a word printed by mistake is no answer
    gc.set_threshold(200_000)
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    given, asked = _received(0), _received(0)  # both, before the imports that unpickling takes: nobody waits for them
    with suppress(BrokenPipeError):
        work = pickle.loads(given or b"")  # noqa: S301  # see above
        while asked is not None:
            _say(answers, _answer(work, pickle.loads(asked), pickle.dumps))  # noqa: S301  # see above
            asked = _received(0)


def _answer(work: Callable[[object], object], task: object, dumps: Callable[[object], bytes]) -> bytes:
    try:
        return dumps(work(task))
    except Exception:  # noqa: BLE001  # whoever asked does it again and sees for himself
        return _FAILED


if __name__ == "__main__":
    help_out()
