"""The panic command: it must work when nothing else does, and only a person takes it back."""

import json
import os
from pathlib import Path

import pytest

from pipeline import workspace
from pipeline.refusals import KillSwitchOn
from pipeline.sealing.killswitch import refuse_stopped, switches_of
from pipeline.workspace import open_workspace
from tests.terminals import at_terminal, code_on, through_pipe
from tests.worlds import Folders, account, demo_record, make_folders

LIVE = demo_record(
    id="jobs", alias="work", address="me@mail.example", endpoint="google", credential="keyring:jobs"
)  # fmt: skip


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    """A demo and a live mailbox; another live one has a folder and no record any more."""
    made = make_folders(tmp_path, registry=demo_record() + LIVE)
    (tmp_path / "state" / "gmailtriage" / "gone").mkdir(parents=True)
    return made


def env(folders: Folders) -> dict[str, str]:
    """A state folder of its own."""
    return {**folders.env, "XDG_STATE_HOME": str(folders.home.parent / "state")}


def switches(folders: Folders) -> set[str]:
    """Every switch that is on."""
    return {str(path.relative_to(folders.home.parent)) for path in folders.home.parent.rglob("*.panic")}


DEMO = "mail/receipts/demo.panic"
STATE, DEFAULT = "state/gmailtriage", "home/.local/state/gmailtriage"
JOBS = {f"{folder}/jobs/control/jobs.panic" for folder in (STATE, DEFAULT)}
GONE = {f"{folder}/gone/control/gone.panic" for folder in (STATE, DEFAULT)}
"""Where this shell's variables say, and where a process without them looks."""


def test_without_an_account_every_mailbox_is_stopped_and_only_a_person_lifts_it(folders: Folders) -> None:
    ended = through_pipe(["panic", "--json", *folders.words], "", env(folders))
    assert ended.code == 0 and json.loads(ended.screen) == {"stopped": ["demo", "gone", "jobs"]}
    assert switches(folders) == {DEMO, *JOBS, *GONE}
    assert through_pipe(["panic", *folders.words], "", env(folders)).code == 0, "twice is fine"
    for stdin in ("y\n", ""):
        ended = through_pipe(["panic", "--off", *folders.words], stdin, env(folders))
        assert ended.code == 5 and "not-a-terminal" in ended.screen
    assert at_terminal(["panic", "--off", *folders.words], lambda _: "y", env(folders)).code == 5
    assert switches(folders) == {DEMO, *JOBS, *GONE}
    ended = at_terminal(["panic", "--off", "--account", "work", *folders.words], code_on, env(folders))
    assert ended.code == 0 and switches(folders) == {DEMO, *GONE}
    assert at_terminal(["panic", "--off", *folders.words], code_on, env(folders)).code == 0
    assert switches(folders) == set()
    assert at_terminal(["panic", "--off", *folders.words], code_on, env(folders)).code == 3, "nothing is on"


def test_two_mailboxes_of_one_id_are_both_stopped(folders: Folders) -> None:
    """The owner's registry may keep an id that this repository's uses too."""
    (folders.home.parent / "state" / "gmailtriage" / "demo").mkdir()
    assert through_pipe(["panic", "--account", "demo", *folders.words], "", env(folders)).code == 0
    assert switches(folders) == {DEMO, *(f"{folder}/demo/control/demo.panic" for folder in (STATE, DEFAULT))}


@pytest.mark.parametrize("name", ["work", "jobs", "me@mail.example"])
def test_one_mailbox_by_any_of_its_names(folders: Folders, name: str) -> None:
    assert through_pipe(["panic", "--account", name, *folders.words], "", env(folders)).code == 0
    assert switches(folders) == JOBS


def test_a_broken_registry_and_loose_permissions_do_not_keep_it_from_working(folders: Folders) -> None:
    (folders.config / "mailboxes.toml").write_text("[[mailbox\n")
    (folders.home.parent / "state" / "gmailtriage" / "gone").chmod(0o777)
    assert through_pipe(["panic", *folders.words], "", env(folders)).code == 0
    assert switches(folders) == GONE


def test_one_mailbox_that_cannot_be_stopped_does_not_keep_the_others_from_it(folders: Folders) -> None:
    """A file lies where the first mailbox's folder should be."""
    (folders.home.parent / "state" / "gmailtriage" / "gone" / "control").write_text("no folder")
    ended = through_pipe(["panic", *folders.words], "", env(folders))
    assert ended.code == 3 and "gone" in ended.screen
    assert switches(folders) == {*JOBS, DEMO, f"{DEFAULT}/gone/control/gone.panic"}


def test_an_unknown_name_is_refused(folders: Folders) -> None:
    ended = through_pipe(["panic", "--account", "nobody", *folders.words], "", env(folders))
    assert ended.code == 4 and switches(folders) == set()


STATES = ({}, {"XDG_STATE_HOME": "one"}, {"XDG_STATE_HOME": "two"})
"""The default, and two others."""


@pytest.mark.contract("P2", "AP-6")
@pytest.mark.parametrize("runs", STATES, ids=str)
@pytest.mark.parametrize("shell", STATES, ids=str)
def test_a_stop_reaches_a_process_that_has_other_variables_than_the_shell(
    folders: Folders, shell: dict[str, str], runs: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cron job has no XDG_STATE_HOME, or another one; what both have is a home."""
    monkeypatch.setattr(workspace, "TEMP_ROOTS", ())
    root = folders.home.parent
    home = {key: one for key, one in folders.env.items() if key != "XDG_STATE_HOME"}
    theirs = home | {key: str(root / one) for key, one in runs.items()}
    record = account(
        id="jobs", alias=("work",), address="me@mail.example", endpoint="google", credential="keyring:jobs"
    )
    place = open_workspace(None, record, theirs)
    refuse_stopped(*switches_of(place))
    ours = home | {key: str(root / one) for key, one in shell.items()}
    assert through_pipe(["panic", *folders.words], "", ours).code == 0
    with pytest.raises(KillSwitchOn):
        refuse_stopped(*switches_of(place))
    assert at_terminal(["panic", "--off", *folders.words], code_on, ours).code == 0
    refuse_stopped(*switches_of(place))
    assert switches(folders) == set()


@pytest.mark.contract("P2")
def test_the_real_command_reads_mail_and_changes_none_while_it_is_on(tmp_path: Path) -> None:
    """The demo's own rules and twin, through the command line from fetch to execute."""
    words = ("--workspace", str(tmp_path / "demo"), "--json")
    said = {}
    for line in (["fetch"], ["freeze"], ["panic", "--account", "demo"]):
        ended = through_pipe([*line, *words], "", dict(os.environ))
        assert ended.code == 0, ended.screen
        said[line[0]] = json.loads(ended.screen.splitlines()[0])
    sealed = said["freeze"]["freeze"]
    counts = {name: sealed["counts"][name] for name in ("label", "archive", "create_label")}
    stated = ["--digest", sealed["sha256"], "--mailbox", sealed["address"]]
    stated += ["--operations", ",".join(f"{name}={number}" for name, number in counts.items())]
    assert through_pipe(["approve", sealed["sha256"], *stated, *words], "", dict(os.environ)).code == 0
    ended = through_pipe(["execute", sealed["sha256"], *words], "", dict(os.environ))
    assert ended.code == 5 and json.loads(ended.screen.splitlines()[0])["refused"] == "kill-switch-on"
    assert not list((tmp_path / "demo" / "receipts").glob("*.jsonl"))
