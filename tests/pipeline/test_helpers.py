"""Helpers: the same results in the same order whoever works, and nobody left behind when work ends in any way.

The work is `eval` and the tasks are expressions, because a helper knows no module of the tests.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytest import MonkeyPatch

from pipeline import helpers
from pipeline.helpers import in_order, processes_of
from pipeline.refusals import UsageRefused

PID = "__import__('os').getpid()"
SLOWLY = f"(__import__('time').sleep(0.2), {PID})[1]"


def asked(tasks: list[str], count: int) -> list[Any]:
    return list(in_order(eval, tasks, count))


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody waited for does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def waits_for(is_so: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether it becomes true in time."""
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    return is_so()


@pytest.fixture
def started(monkeypatch: MonkeyPatch) -> Iterator[list[Any]]:
    """Every helper process that was started; all are gone in the end."""
    found: list[Any] = []
    start = subprocess.Popen

    def remembered(*words: Any, **options: Any) -> Any:
        found.append(start(*words, **options))
        return found[-1]

    monkeypatch.setattr(subprocess, "Popen", remembered)
    yield found
    assert [one.poll() is None for one in found] == [False] * len(found)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_results_come_in_the_order_of_the_tasks_whoever_did_them(count: int, started: list[Any]) -> None:
    tasks = [f"(__import__('time').sleep({0.05 * (number % 3)}), {number})[1]" for number in range(12)]
    assert asked(tasks, count) == list(range(12))
    assert len(started) == count


def test_helpers_take_part(started: list[Any]) -> None:
    done_by = asked([SLOWLY] * 12, 2)
    assert {os.getpid()} < set(done_by) <= {os.getpid(), *(one.pid for one in started)}


@pytest.mark.parametrize("tasks", [[], ["7"]])
def test_for_one_task_or_none_nobody_is_started(tasks: list[str], started: list[Any]) -> None:
    assert asked(tasks, 3) == [7] * len(tasks)
    assert started == []


def test_what_is_raised_is_raised_here_in_its_turn_and_once(started: list[Any]) -> None:
    results = in_order(eval, [SLOWLY, SLOWLY, "[][0]", "1/0", *[SLOWLY] * 4], 2)
    assert [next(results), next(results)]
    with pytest.raises(IndexError) as fault:
        next(results)
    assert fault.traceback[-1].path != Path(helpers.__file__), "the place is where the work failed"
    assert list(results) == []


def test_a_later_fault_does_not_come_before_an_earlier_result(started: list[Any]) -> None:
    elsewhere = f"(__import__('time').sleep(1), 1)[1] if {PID} != {os.getpid()} else 1"
    results = in_order(eval, ["1", elsewhere, "1/0", "1/0"], 1)
    assert [next(results), next(results)] == [1, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_a_helper_that_is_killed_at_its_work_gives_its_task_back(started: list[Any]) -> None:
    deadly = f"{PID} == {os.getpid()} or __import__('os').kill({PID}, {signal.SIGKILL.value})"
    assert asked([SLOWLY, *[deadly] * 6], 2)[1:] == [True] * 6


@pytest.mark.parametrize("program", ["/bin/false", "/bin/true"])
def test_helpers_that_die_before_they_begin_change_nothing(
    program: str, monkeypatch: MonkeyPatch, started: list[Any]
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    assert asked([f"{number} * 'long' * 50_000" for number in range(6)], 3) == ["long" * 50_000 * n for n in range(6)]


def test_where_no_process_can_be_had_the_work_is_done_here(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert asked(["1", "2", "3"], 2) == [1, 2, 3]


def test_a_helper_that_cannot_know_the_work_changes_nothing(started: list[Any]) -> None:
    assert list(in_order(_of_the_tests, ["a", "b", "c", "d"], 2)) == ["aa", "bb", "cc", "dd"]


def _of_the_tests(task: str) -> str:
    return task * 2


def test_what_cannot_be_handed_over_is_done_here(started: list[Any]) -> None:
    assert list(in_order(lambda task: task * 2, ["a", "b", "c"], 2)) == ["aa", "bb", "cc"]
    assert [one() for one in in_order(_same, [lambda: 1, lambda: 2, lambda: 3], 2)] == [1, 2, 3]
    assert [one() for one in asked(["lambda: 1", "lambda: 2", "lambda: 3"], 2)] == [1, 2, 3]


def _same(task: Callable[[], int]) -> Callable[[], int]:
    return task


def test_an_answer_that_is_none_changes_nothing(monkeypatch: MonkeyPatch, tmp_path: Path, started: list[Any]) -> None:
    program = tmp_path / "program"
    program.write_text(
        f"#!{sys.executable}\nimport os\nos.write(1, (9).to_bytes(8, 'big') + b'no pickle')\nos.read(0, 9)\n"
    )
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    assert asked(["1", "2", "3", "4"], 2) == [1, 2, 3, 4]


def test_more_than_a_pipe_holds_goes_both_ways(started: list[Any]) -> None:
    tasks = [f"'{str(number) * 300_000}'" for number in range(8)]
    assert asked(tasks, 2) == [task[1:-1] for task in tasks]


def test_who_stops_asking_leaves_nobody_behind(started: list[Any]) -> None:
    with closing(in_order(eval, [SLOWLY] * 50, 2)) as results:
        next(results)
        assert len(started) == 2
    assert all(one.poll() is not None for one in started)


def test_an_interruption_leaves_nobody_behind(started: list[Any]) -> None:
    interrupted = f"__import__('os').kill({os.getpid()}, {signal.SIGINT.value}) if {PID} == {os.getpid()} else {SLOWLY}"
    with pytest.raises(KeyboardInterrupt):
        asked([SLOWLY, *[interrupted] * 20], 2)
    assert len(started) == 2
    assert all(one.poll() is not None for one in started)


def test_a_helper_ends_by_itself_when_whoever_asked_it_was_killed(tmp_path: Path) -> None:
    told = tmp_path / "pids"
    noted = f"(open({str(told)!r}, 'a').write(str({PID}) + ' '), {SLOWLY})"
    code = f"from pipeline.helpers import in_order\nlist(in_order(eval, [{noted!r}] * 200, 1))"
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path) as parent:
        assert waits_for(lambda: told.exists() and len(set(told.read_text().split())) == 2)
        parent.kill()
    pids = {int(one) for one in told.read_text().split()} - {parent.pid}
    assert len(pids) == 1
    assert waits_for(lambda: not any(map(is_alive, pids)))


def test_a_helper_is_this_interpreter_with_this_module_away_from_the_terminal(monkeypatch: MonkeyPatch) -> None:
    begun: list[tuple[Any, Any]] = []

    def refuse(*words: Any, **options: Any) -> None:
        begun.append((words, options))
        raise LookupError

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(LookupError):
        asked(["1", "2"], 1)
    ((words, options),) = begun
    assert words == ([sys.executable, "-P", "-m", "pipeline.helpers"],)
    assert (options.pop("start_new_session"), options.pop("stderr")) == (True, subprocess.DEVNULL)
    assert options == {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}


def test_a_helper_says_nothing_of_the_mail_that_it_failed_at(capfd: pytest.CaptureFixture[str]) -> None:
    noisy = f"{PID} != {os.getpid()} and (print('secret'), __import__('os').write(2, b'secret'), 1/0)"
    assert asked([SLOWLY, *[noisy] * 6], 1)[1:] == [False] * 6
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("setting", "cpus", "processes"), [("", 1, 1), ("", 2, 2), ("", 64, 4), ("1", 8, 1), ("3", 1, 3)]
)
def test_processes_are_as_many_as_the_setting_says_or_as_there_are_cpus_up_to_four(
    setting: str, cpus: int, processes: int, monkeypatch: MonkeyPatch
) -> None:
    monkeypatch.setattr(helpers, "_cpus", lambda: cpus)
    assert processes_of({"GMAILTRIAGE_PROCESSES": setting}) == processes


@pytest.mark.parametrize("setting", ["0", "5", "-1", "two", " 2", "2.0", "²", "1 "])
def test_a_setting_that_is_no_such_number_is_refused_by_name(setting: str) -> None:
    with pytest.raises(UsageRefused, match="GMAILTRIAGE_PROCESSES") as refusal:
        processes_of({"GMAILTRIAGE_PROCESSES": setting})
    assert (refusal.value.evidence, refusal.value.exit_code) == (setting, 2)
