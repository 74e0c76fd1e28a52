"""The real `approve` in a process of its own: what a person sees, and whose yes counts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.models.manifest import Manifest
from pipeline.sealing.documents import read_approval
from pipeline.session import Request, open_session
from stages.freeze import freeze
from tests.strategies.captures import Letter, capture_of
from tests.terminals import at_terminal, code_on, through_pipe
from tests.worlds import Folders, make_folders, write_capture

ESCAPES = "Your job alert\x1b[2J\x1b[1;1Hfor\u202etoday"


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[tuple[Folders, Manifest]]:
    """Three alerts of one sender, one of another, one with a subject that would clear the screen."""
    folders = make_folders(tmp_path)
    letters = [Letter(f"a{n}", f"a{n}", subject="Your job alert for today") for n in range(3)]
    letters.append(Letter("b1", "b1", subject="Your job alert for today", sender="Boardly <news@mail.boardly.example>"))
    letters.append(Letter("c1", "c1", subject=ESCAPES))
    write_capture(folders.workspace(), capture_of(letters))
    with open_session(Request("demo", folders.place, folders.config, folders.env)) as session:
        yield folders, freeze(session.context)


def words(sealed: tuple[Folders, Manifest], *more: str) -> list[str]:
    """The command line."""
    return ["approve", sealed[1].sha256, *more, *sealed[0].words]


def tree(folders: Folders) -> dict[str, bytes]:
    """Every file of the workspace."""
    return {str(path): path.read_bytes() for path in folders.place.rglob("*") if path.is_file()}


@pytest.mark.contract("AP-2", "OU-3")
def test_a_person_sees_groups_with_a_few_messages_and_types_the_code(sealed: tuple[Folders, Manifest]) -> None:
    folders, manifest = sealed
    ended = at_terminal(words(sealed), code_on, folders.env)
    assert ended.code == 0, ended.screen
    lines = [line.strip() for line in ended.screen.splitlines()]
    assert "group     job_alert/label/alert_words: 5" in lines or "group     job_alert/archive/alert_words: 5" in lines
    assert [line.split()[1] for line in lines if line.endswith("alert for today")][:2] == [
        "boardly.example",
        "mail.boardly.example",
    ]
    for shown in ("casey.rivers@example.com", manifest.sha256, "left out", "uncertain", "price", "and 2 more"):
        assert shown in ended.screen
    assert "\x1b[2J" not in ended.screen and "\u202e" not in ended.screen
    assert read_approval(folders.workspace(), manifest.sha256).approved_by == "terminal"


@pytest.mark.contract("AP-2")
def test_a_subset_has_a_code_of_its_own_and_its_exact_ids(sealed: tuple[Folders, Manifest]) -> None:
    folders, manifest = sealed
    chosen = words(sealed, "--only", "group:job_alert", "--except", "sender:mail.boardly.example,c1")
    ended = at_terminal(chosen, lambda screen: manifest.sha256[:8], folders.env)
    assert ended.code == 5 and "the code was not typed" in ended.screen
    ended = at_terminal(chosen, code_on, folders.env)
    assert ended.code == 0 and "on 3 of 5 messages" in ended.screen
    assert read_approval(folders.workspace(), manifest.sha256).message_ids == ("a0", "a1", "a2")


@pytest.mark.contract("AP-2", "AP-11")
@pytest.mark.parametrize("typed", ["y", "yes", "", "Y\ny"])
def test_a_bare_yes_at_a_terminal_and_a_piped_one_leave_the_tree_as_it_was(
    sealed: tuple[Folders, Manifest], typed: str
) -> None:
    folders, manifest = sealed
    before = tree(folders)
    piped = through_pipe(words(sealed), f"{typed}\n", folders.env)
    assert piped.code == 5 and "not-a-terminal" in piped.screen
    piped = through_pipe(words(sealed), f"{manifest.sha256[:8]}\n", folders.env)
    assert piped.code == 5 and "not-a-terminal" in piped.screen
    assert at_terminal(words(sealed), lambda screen: typed, folders.env).code == 5
    assert tree(folders) == before


@pytest.mark.contract("AP-2")
@pytest.mark.parametrize("flag", ["--yes", "-y", "--force", "-f", "--no-input", "--assume-yes", "--code", "--all"])
def test_no_flag_says_yes(sealed: tuple[Folders, Manifest], flag: str) -> None:
    ended = through_pipe(words(sealed, flag), "y\n", sealed[0].env)
    assert ended.code == 2, ended.screen
