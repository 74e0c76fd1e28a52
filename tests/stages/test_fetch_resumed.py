"""fetch killed at any point: no half of a capture, and nobody asks twice for a body that lies on the disk."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.clock import DEMO_START
from pipeline.evidence import leftovers, visit, writing
from pipeline.evidence.captures import RawCapture, capture_ids, read_captures
from pipeline.evidence.leftovers import Note, bodies_of, note_path, unfinished_ids
from pipeline.gmail.transport import OneRequest
from pipeline.session import Request, open_session
from pipeline.store import Growing, list_names, tree_files
from pipeline.twinning import demo_twin
from pipeline.workspace import Workspace
from stages.fetch import fetch
from tests.fakes import no_fsync
from tests.stages.test_fetch import BOX, fetched, ids_read, twin_of
from tests.strategies.captures import Letter
from tests.strategies.snapshots import normalized
from tests.sweeps import IS_FULL
from tests.worlds import Folders, demo_record, make_folders
from twin.running import Twin
from twin.serve import serve

COMMAND = "from pipeline.cli import main; main()"
NEW = b"From: Ann <ann@vendor.example>\r\nSubject: Hello\r\n\r\nSee you."


class Killed(BaseException):
    """The process dies here: nothing of ours may catch it."""


@contextmanager
def dying(step: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every request and every change of the disk is a step before it happens and one after; no clearing up follows."""

    def stepped(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def wrapped(*values: Any, **named: Any) -> Any:
            step(f"{name} is about to happen")
            result = function(*values, **named)
            step(f"{name} has happened")
            return result

        return wrapped

    append = Growing.append

    def torn(file: Growing, data: bytes) -> None:
        try:
            step("append is about to happen")
        except Killed:
            append(file, data[: len(data) // 2])
            raise
        append(file, data)

    with monkeypatch.context() as patch:
        patch.setattr(OneRequest, "_tried", stepped(OneRequest._tried, "request"))
        patch.setattr(Growing, "append", torn)
        patch.setattr(writing, "replace_file", stepped(writing.replace_file, "seal"))
        patch.setattr(writing, "publish_folder", stepped(writing.publish_folder, "publish"))
        patch.setattr(visit, "write_note", stepped(visit.write_note, "note"))
        patch.setattr(visit, "discard", stepped(visit.discard, "discard"))
        patch.setattr(leftovers, "remove_tree", stepped(leftovers.remove_tree, "remove"))
        patch.setattr(visit, "_leave", lambda context, writer: None)
        yield


def killed_at(at: int, monkeypatch: pytest.MonkeyPatch, run: Callable[[], object]) -> str:
    """Run until step `at`; the step's name, or empty when the run ended before."""
    seen: list[str] = []

    def step(name: str) -> None:
        seen.append(name)
        if len(seen) == at:
            raise Killed(name)

    with dying(step, monkeypatch):
        try:
            run()
        except Killed:
            return seen[-1]
    return ""


def facts(captures: tuple[RawCapture, ...]) -> dict[str, Any]:
    """What two runs must agree on: tables without the capture's name, and every body."""
    found = normalized(captures, ())
    tables = {name: found[name].sort("id") for name in ("messages", "threads", "labels")}
    tables["messages"] = tables["messages"].drop("capture")
    bodies = {str(e.parameters["id"]): e.body for c in captures for e in c.bodies("messages.get")}
    return {**{name: table.to_dicts() for name, table in tables.items()}, "bodies": bodies}


def on_disk(workspace: Workspace) -> set[str]:
    """Ids whose body some unfinished capture holds."""
    return {str(e.parameters["id"]) for one in unfinished_ids(workspace) for e in bodies_of(workspace, one)}


def asked(twin: Twin) -> list[str]:
    return [seen.path.rsplit("/", 1)[1] for seen in twin.requests if seen.route == "messages.get"]


def refuse_a_second_question(folders: Folders, twin: Twin, run: Callable[[], object]) -> None:
    """Run again after a kill: nothing that lies on the disk is asked for, and all but one answered body does."""
    held, answered = on_disk(folders.workspace()), set(asked(twin))
    if not capture_ids(folders.workspace()):
        assert len(answered - held) <= 2, "the one on its way, and one that was not asked for any more"
    twin.forget_requests()
    run()
    assert not held & set(asked(twin))
    names = [name for name in list_names(folders.workspace().raw) if name.startswith(".")]
    assert names == [], "nothing unfinished is left"


@pytest.mark.contract("EV-1", "AP-8", "P2")
def test_a_first_fetch_killed_at_any_step_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests, appends (torn in the middle), note, seal, publishing: each before and after."""
    calm = make_folders(tmp_path / "calm")
    fetched(calm, twin_of())
    expected = facts(read_captures(calm.workspace()))
    died: set[str] = set()
    with no_fsync():
        for at in range(1, 200):
            folders, twin = make_folders(tmp_path / str(at)), twin_of()
            name = killed_at(at, monkeypatch, lambda folders=folders, twin=twin: fetched(folders, twin))
            if not name:
                break
            died.add(name)
            assert len(capture_ids(folders.workspace())) == (name in ("publish has happened",))
            refuse_a_second_question(folders, twin, lambda folders=folders, twin=twin: fetched(folders, twin))
            assert facts(read_captures(folders.workspace())) == expected
    assert {"request is about to happen", "request has happened", "append is about to happen", "note has happened",
            "seal has happened", "publish is about to happen", "publish has happened"} <= died  # fmt: skip
    assert at >= 38


@pytest.mark.contract("EV-1", "AP-8")
def test_a_second_fetch_killed_at_any_step_and_its_successor_too_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From history, with a second kill while the first one's work is taken over."""

    def edited(folders: Folders) -> Twin:
        twin = twin_of()
        fetched(folders, twin)
        twin.deliver(NEW)
        twin.deliver(NEW)
        twin.relabel("b1", add=("IMPORTANT",))
        return twin

    with no_fsync():
        calm = make_folders(tmp_path / "calm")
        fetched(calm, edited(calm))
        expected = facts(read_captures(calm.workspace()))
        for at in range(1, 200):
            folders = make_folders(tmp_path / str(at))
            twin = edited(folders)
            twin.forget_requests()
            run = lambda folders=folders, twin=twin: fetched(folders, twin)  # noqa: E731  bound to this turn
            if not killed_at(at, monkeypatch, run):
                break
            held = on_disk(folders.workspace())
            killed_at(1 + at * 7 % 23, monkeypatch, run)
            assert held <= on_disk(folders.workspace()) or len(capture_ids(folders.workspace())) > 1
            refuse_a_second_question(folders, twin, run)
            assert facts(read_captures(folders.workspace())) == expected
    assert at > 30


@pytest.mark.contract("EV-1", "P2")
def test_the_demo_mailbox_killed_at_many_a_request_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = demo_record(address="mara.quill@example.com")
    with no_fsync():
        calm = make_folders(tmp_path / "calm", registry=registry)
        fetched(calm, demo_twin((), DEMO_START))
        expected = facts(read_captures(calm.workspace()))
        count = len(expected["bodies"])
        for at in range(3, count, 9 if IS_FULL else 90):
            folders, twin = make_folders(tmp_path / str(at), registry=registry), demo_twin((), DEMO_START)
            run = lambda folders=folders, twin=twin: fetched(folders, twin)  # noqa: E731  bound to this turn
            dead: list[int] = []

            def step(name: str, at: int = at, dead: list[int] = dead) -> None:
                dead.append(name == "request is about to happen")
                if sum(dead) == at:
                    raise Killed(name)

            with dying(step, monkeypatch), pytest.raises(Killed):
                run()
            before = asked(twin)
            run()
            assert len(asked(twin)) == len(set(asked(twin))) == count > len(before)
            assert facts(read_captures(folders.workspace())) == expected


def deadly(twin: Twin, at: int) -> list[subprocess.Popen[bytes]]:
    """Let the twin kill the process in the returned list before it answers read number `at` + 1."""
    running: list[subprocess.Popen[bytes]] = []
    answer = twin.answer

    def answered(request: Any) -> Any:
        if running and len(asked(twin)) == at:
            os.kill(running.pop().pid, signal.SIGKILL)
        return answer(request)

    twin.answer = answered  # type: ignore[method-assign]  # the server asks the object
    return running


@pytest.mark.contract("EV-1", "P2")
def test_kill_nine_of_the_real_command_loses_no_body(tmp_path: Path) -> None:
    box = tuple(Letter(f"{n:04x}", f"{n:04x}") for n in range(12))
    for at in range(1, 12, 1 if IS_FULL else 5):
        folders, twin = make_folders(tmp_path / str(at)), twin_of(box)
        running = deadly(twin, at)
        with serve(twin) as server:
            record = demo_record(id="loop", alias="loop", endpoint=server.url, credential="env:LOOP_TOKEN")
            (folders.config / "mailboxes.toml").write_text(record)
            words = [sys.executable, "-c", COMMAND, "fetch", "--account", "loop", *folders.words]
            env = {**folders.env, "LOOP_TOKEN": "demo"}
            with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                running.append(process)
                _, errors = process.communicate(timeout=60)
            assert process.returncode == -signal.SIGKILL, errors
            done = subprocess.run(words, env=env, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        assert "are not asked for again" in done.stderr
        repeated = [one for one in set(asked(twin)) if asked(twin).count(one) > 1]
        assert len(repeated) <= 1, "the one that was on its way when the process died"
        assert set(asked(twin)) == {letter.id for letter in box}


# --- what a leftover may be


def broken_off(folders: Folders, twin: Twin, monkeypatch: pytest.MonkeyPatch, reads: int = 3) -> set[str]:
    """A first fetch that dies before read number `reads`; the ids that it leaves on the disk."""
    count = [0]

    def step(name: str) -> None:
        count[0] += name == "request is about to happen"
        if count[0] == 4 + reads:
            raise Killed

    with dying(step, monkeypatch), pytest.raises(Killed):
        fetched(folders, twin)
    twin.forget_requests()
    return on_disk(folders.workspace())


def told_by(folders: Folders, twin: Twin, **options: bool) -> list[str]:
    told: list[str] = []
    with serve(twin) as server:
        request = Request("demo", folders.place, folders.config, env=folders.env, twin_url=server.url, warn=told.append)
        with open_session(request) as session:
            fetch(session.context, **options)
    return told


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return make_folders(tmp_path)


def test_a_leftover_is_taken_over_and_said(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    twin = twin_of()
    held = broken_off(folders, twin, monkeypatch)
    assert held == {"a1", "b1"}
    assert told_by(folders, twin) == [
        "2 messages were read by a fetch that did not finish; they are not asked for again"
    ]
    assert asked(twin) == ["a2", "a3"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"address": "other@example.com"}, "another account"),
        ({"account": "other"}, "another account"),
        ({"policy": "0" * 64}, "another policy or window"),
        ({"started_at": DEMO_START - timedelta(days=1, seconds=1)}, "day"),
        ({"started_at": DEMO_START + timedelta(days=2)}, "day"),
        (None, "nothing says"),
    ],
)
def test_a_leftover_of_another_run_is_discarded_by_name(
    change: dict[str, Any] | None, why: str, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = twin_of()
    broken_off(folders, twin, monkeypatch)
    (left,) = unfinished_ids(folders.workspace())
    path = note_path(folders.workspace(), left)
    if change is None:
        path.unlink()
    else:
        path.write_bytes(Note.from_bytes(path.read_bytes()).model_copy(update=change).to_bytes())
    (told,) = told_by(folders, twin)
    assert left in told and why in told
    assert sorted(asked(twin)) == ["a1", "a2", "a3", "b1"]
    assert unfinished_ids(folders.workspace()) == ()


def test_an_edited_policy_discards_what_was_read_for_another_window(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = twin_of()
    broken_off(folders, twin, monkeypatch)
    (folders.config / "policy.toml").write_text("version = 1\nwindow_days = 30\n")
    assert "another policy or window" in told_by(folders, twin)[0]


@pytest.mark.contract("EV-1")
def test_a_body_that_was_altered_or_torn_is_asked_for_again(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    twin = twin_of()
    broken_off(folders, twin, monkeypatch)
    (pack,) = (path for path in tree_files(folders.place) if path.name == "messages.get.pack")
    data = pack.read_bytes()
    assert data.count(b"New jobs") == 2
    pack.write_bytes(data.replace(b"New jobs", b"Old jobs", 1)[:-3])
    assert told_by(folders, twin) == []
    assert sorted(asked(twin)) == ["a1", "a2", "a3", "b1"]


@pytest.mark.contract("AP-10")
def test_what_changed_since_the_kept_bodies_were_read_is_seen(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = twin_of()
    broken_off(folders, twin, monkeypatch)
    twin.relabel("b1", add=("IMPORTANT",))
    twin.relabel("a1", remove=("INBOX",))
    fetched(folders, twin)
    found = normalized(read_captures(folders.workspace()), ())["messages"]
    labels = {row["id"]: frozenset(row["label_ids"]) for row in found.to_dicts()}
    assert labels == {one: twin.labels_of(one) for one in labels}
    assert {"a1", "b1"} <= set(labels)
    assert "full" not in {seen.params["format"][0] for seen in twin.requests if seen.path.endswith(("/a1", "/b1"))}


@pytest.mark.contract("AP-10")
def test_a_kept_message_that_was_deleted_meanwhile_is_gone(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    twin = twin_of()
    broken_off(folders, twin, monkeypatch)
    twin.vanish("b1")
    fetched(folders, twin)
    found = normalized(read_captures(folders.workspace()), ())
    assert "b1" not in found["messages"]["id"].to_list()
    assert found["refused"].select("message_id", "reason").to_dicts() == [{"message_id": "b1", "reason": "gone"}]


def test_kept_bodies_whose_history_gmail_forgot_are_read_anew(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = twin_of()
    broken_off(folders, twin, monkeypatch)
    twin.relabel("b1", add=("IMPORTANT",))
    twin.expire_history()
    told = told_by(folders, twin)
    assert "is discarded: Gmail no longer knows the history since it" in told[-1]
    (capture,) = read_captures(folders.workspace())
    assert ids_read(capture) == ["a1", "b1", "a2", "a3"]
    found = normalized((capture,), ())["messages"].filter(pl.col("id") == "b1")
    assert "IMPORTANT" in found["label_ids"].to_list()[0]


def test_a_leftover_helps_a_fetch_whose_budget_would_not_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = make_folders(tmp_path, policy="version = 1\nwindow_days = 90\nbudget_units = 80\n")
    twin = twin_of((*BOX, Letter("f1", "f1")))
    small = twin_of()
    assert broken_off(folders, small, monkeypatch) == {"a1", "b1"}
    fetched(folders, twin)
    assert asked(twin) == ["f1", "a2", "a3"]
