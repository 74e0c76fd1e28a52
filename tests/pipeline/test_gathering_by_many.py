"""Mail read by several processes: the same bytes, the same refusal, and nothing half done, whoever dies on the way."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from pytest import MonkeyPatch

from pipeline import gathering, helpers
from pipeline.artifacts import Place
from pipeline.evidence import sheet
from pipeline.evidence.captures import RawCapture
from pipeline.refusals import Refusal
from pipeline.run import make_all
from pipeline.store import tree_files
from tests.pipeline.test_gathering import CHAIN, place_in
from tests.pipeline.test_helpers import is_alive, waits_for
from tests.strategies.captures import Letter, capture_of
from tests.strategies.chains import chains
from tests.sweeps import sweep
from tests.worlds import make_folders, write_capture

MANY = [Letter(f"a{number}", f"a{number}", body=f"Please reply by day {number}.") for number in range(12)]


@contextmanager
def in_pieces_of(answers: int) -> Iterator[None]:
    """Parts of so few answers, each worth a helper."""
    with MonkeyPatch.context() as patch:
        patch.setattr(sheet, "PIECE_BYTES", 1 if answers == 1 else sheet.PIECE_BYTES)
        patch.setattr(sheet, "CHUNK", answers)
        patch.setattr(gathering, "JUDGED", 1)
        yield


@pytest.fixture
def settled(monkeypatch: MonkeyPatch) -> list[int]:
    """Numbers of the pieces that helpers did."""
    found: list[int] = []
    settle = helpers._Round.settle

    def noted(self: Any, number: int, done: Any) -> None:
        found.append(number)
        settle(self, number, done)

    monkeypatch.setattr(helpers._Round, "settle", noted)
    return found


def files(place: Place) -> dict[str, bytes]:
    """Every derived file, shards among them, by its path."""
    snapshots = place.workspace.snapshots
    return {str(path.relative_to(snapshots)): path.read_bytes() for path in tree_files(snapshots)}


def made_by(processes: int, folder: Path, *captures: RawCapture) -> dict[str, bytes] | tuple[object, ...]:
    """What so many processes make of captures: all files, or the whole refusal."""
    place = replace(place_in(folder, *captures), processes=processes)
    try:
        make_all(CHAIN, place)
    except Refusal as refusal:
        assert files(place) == {}
        return type(refusal), refusal.what, refusal.evidence, refusal.next_command, refusal.exit_code
    return files(place)


@pytest.mark.contract("EV-6")
@settings(max_examples=sweep(60), deadline=None)
@given(found=chains(max_letters=4))
def test_one_process_two_and_three_make_the_same_bytes_or_the_same_refusal(
    found: tuple[RawCapture, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("many")
    with in_pieces_of(1):
        alone, *together = (made_by(count, folder / str(count), *found) for count in (1, 2, 3))
    assert together == [alone, alone]


def test_where_a_capture_is_cut_changes_no_byte(tmp_path: Path) -> None:
    again = capture_of(MANY, hostile=capture_of(MANY[:3]).exchanges[4:])
    whole = made_by(1, tmp_path / "whole", again)
    for answers in (1, 2, 5):
        with in_pieces_of(answers):
            assert made_by(2, tmp_path / str(answers), again) == whole


def test_helpers_read_a_part_of_the_mail(tmp_path: Path, settled: list[int]) -> None:
    letters = [replace(one, body="Please reply. " * 20_000) for one in MANY]
    with in_pieces_of(1):
        assert "messages.parquet" in made_by(2, tmp_path, capture_of(letters))
    assert settled


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("broken", range(0, 12, 3))
def test_a_refusal_in_a_helper_is_the_one_that_a_single_process_gives(broken: int, tmp_path: Path) -> None:
    """Of two broken answers the earlier one, wherever it was read."""
    capture = capture_of(MANY)
    reads = [one for one in capture.exchanges if one.method == "messages.get"]
    bad = {id(reads[broken]): b'{"id":', id(reads[11]): b"[]"}
    exchanges = tuple(replace(one, held=bad.get(id(one), one.held)) for one in capture.exchanges)
    refused = replace(capture, exchanges=exchanges)
    with in_pieces_of(1):
        alone, *together = (made_by(count, tmp_path / str(count), capture_of([], 1), refused) for count in (1, 2, 3))
    assert isinstance(alone, tuple)
    assert together == [alone, alone]


def test_a_helper_that_is_killed_at_its_work_changes_no_byte(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    killed: list[int] = []

    def kill(self: Any, number: int) -> Any:
        self._process.kill()
        killed.append(number)
        return answer(self, number)

    answer = helpers._Helper._answer
    with in_pieces_of(1):
        alone = made_by(1, tmp_path / "alone", capture_of(MANY))
        monkeypatch.setattr(helpers._Helper, "_answer", kill)
        assert made_by(3, tmp_path / "killed", capture_of(MANY)) == alone
    assert 0 < len(killed) <= 2


def test_where_nothing_is_new_nobody_is_asked(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    place = replace(place_in(tmp_path, capture_of(MANY)), processes=4)
    with in_pieces_of(1):
        make_all(CHAIN, place)
        monkeypatch.setattr(helpers, "_Helper", None)
        make_all(CHAIN, place)


def test_a_few_messages_are_worth_no_helper(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(helpers, "_Helper", None)
    assert made_by(4, tmp_path, capture_of(MANY))


LONG = "Please reply by Friday. We will see whether the parcel came to the house at the lake. " * 700


@pytest.mark.contract("AP-8")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_command_interrupted_while_helpers_read_leaves_no_shard_and_no_process(
    how: signal.Signals, tmp_path: Path
) -> None:
    folders = make_folders(tmp_path)
    letters = [Letter(f"a{number}", f"a{number}", body=f"{number} {LONG}") for number in range(400)]
    write_capture(folders.workspace(), capture_of(letters))
    before = tree_files(tmp_path)
    command = [str(Path(sys.executable).parent / "gmailtriage"), "plan", *folders.words]
    env = {**folders.env, "GMAILTRIAGE_PROCESSES": "3"}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert waits_for(lambda: len(children(process.pid)) == 2)
        helping = children(process.pid)
        os.killpg(process.pid, how)
        assert process.wait(20) != 0
    assert tree_files(tmp_path) == before
    assert waits_for(lambda: not any(map(is_alive, helping)))


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(one) for one in found.read_text().split()] if found.exists() else []
