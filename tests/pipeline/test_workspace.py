"""EV-8: where a live mailbox's mail may lie, and where never. Each refused place has a neighbour that is allowed."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline import workspace
from pipeline.models.registry import AccountRecord
from pipeline.refusals import InsideGit, InTempFolder, LoosePermissions, NameRefused, WorkspaceRefused
from pipeline.store import make_folder
from pipeline.workspace import TEMP_ROOTS, Demo, Live, Loopback, Workspace, open_workspace
from tests.strategies.case_files import case_json

ADDRESS = "casey.rivers@example.com"


def record(kind: str) -> AccountRecord:
    values = {
        "demo": {"id": "demo", "endpoint": "twin", "credential": "published:demo"},
        "loopback": {"id": "loop", "endpoint": "http://127.0.0.1:8080", "credential": "env:TOKEN"},
        "live": {"id": "home", "endpoint": "google", "credential": "keyring:home"},
    }[kind]
    return AccountRecord.model_validate({"alias": ("me",), "address": ADDRESS, "status": "organize-only", **values})


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in a world whose only temp root is another folder."""
    monkeypatch.setattr(workspace, "TEMP_ROOTS", (str(tmp_path / "volatile"),))
    (tmp_path / "volatile").mkdir()
    place = tmp_path / "home"
    place.mkdir(mode=0o700)
    return place


def live(root: Path | None, home: Path, **env: str) -> Workspace:
    return open_workspace(root, record("live"), {"HOME": str(home), **env})


def private(path: Path) -> Path:
    make_folder(path)
    return path


Plant = Callable[[Path], None]


def git_folder(place: Path) -> None:
    (place / ".git").mkdir()


def git_file(place: Path) -> None:
    (place / ".git").write_text("gitdir: elsewhere")


def git_link(place: Path) -> None:
    (place / ".git").symlink_to(place / "nowhere")


def git_for_real(place: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(place)], check=True, env={"PATH": os.environ["PATH"]})


PLANTS: tuple[Plant, ...] = (git_folder, git_file, git_link, git_for_real)


@pytest.mark.contract("EV-8")
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_a_git_mark_of_any_type_in_any_ancestor_is_refused(plant: Plant, depth: int, home: Path) -> None:
    place = private(home / "a" / "b" / "c" / "mail")
    assert isinstance(live(place, home), Live), "the neighbour without git is allowed"
    plant((place, *place.parents)[depth])
    with pytest.raises(InsideGit) as refusal:
        live(place, home)
    assert ".git" in refusal.value.evidence


@pytest.mark.contract("EV-8")
def test_case_96_dot_git_file_stops_all_three_ways_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = private(home / "w" / "proj" / "data")
    git_file(project.parent)
    link = home / "w" / "link"
    link.symlink_to(project)
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_WORK_TREE", "/nowhere")
    targets = case_json("96", "tree.json")["try_write"]
    assert len(targets) == 3
    for root in (home.joinpath(target.lstrip("/")).parent for target in targets):
        for kind in ("live", "loopback"):
            with pytest.raises(InsideGit):
                open_workspace(root, record(kind), {"HOME": str(home)})
        assert not root.exists()


@pytest.mark.contract("EV-8")
def test_a_git_tree_beside_or_below_is_no_harm(home: Path) -> None:
    git_folder(private(home / "code"))
    private(home / "mail" / "checkout-of-something-below" / ".git")
    assert isinstance(live(private(home / "mail"), home), Live)
    assert isinstance(live(private(home / "code.git"), home), Live)


@pytest.mark.contract("EV-8")
def test_a_home_under_git_names_the_variable_that_helps(home: Path, tmp_path: Path) -> None:
    git_folder(home)
    with pytest.raises(InsideGit) as refusal:
        live(None, home)
    assert "XDG_STATE_HOME" in refusal.value.next_command
    with pytest.raises(InsideGit):
        live(private(tmp_path / "outside"), home)  # locks and markers would still lie under HOME
    state = private(tmp_path / "state")
    assert live(None, home, XDG_STATE_HOME=str(state)).root == state / "gmailtriage" / "home"


@pytest.mark.contract("EV-8")
@pytest.mark.parametrize("name", TEMP_ROOTS)
def test_every_temp_root_is_refused_for_a_live_mailbox(name: str) -> None:
    place = Path(name) / "gmailtriage-never-made"
    with pytest.raises(InTempFolder) as refusal:
        open_workspace(place, record("live"), {"HOME": "/srv/never-made"})
    assert name in refusal.value.evidence
    assert not place.exists()


@pytest.mark.contract("EV-8")
@pytest.mark.parametrize("name", ["/srv/never-made/tmp", "/srv/never-made/run", "/runner-never-made", "/opt/var/tmp/x"])
def test_names_that_only_resemble_a_temp_root_are_allowed(name: str) -> None:
    assert open_workspace(Path(name), record("live"), {"HOME": "/srv/never-made"}).root == Path(name)
    assert not Path(name).exists(), "opening a workspace makes nothing"


@pytest.mark.contract("EV-8")
def test_a_link_into_a_temp_root_is_seen_through(home: Path, tmp_path: Path) -> None:
    private(tmp_path / "volatile" / "mail")
    (home / "mail").symlink_to(tmp_path / "volatile" / "mail")
    with pytest.raises(InTempFolder):
        live(home / "mail", home)
    (home / "mail").unlink()
    assert live(home / "mail", home).root == home / "mail"


@pytest.mark.contract("EV-8")
@pytest.mark.parametrize("mode", [0o750, 0o705, 0o701, 0o711, 0o740, 0o777])
def test_a_folder_that_others_may_enter_is_refused(mode: int, home: Path) -> None:
    place = private(home / "mail")
    assert live(place, home).root == place
    place.chmod(mode)
    with pytest.raises(LoosePermissions) as refusal:
        live(place, home)
    assert "chmod" in refusal.value.next_command


@pytest.mark.contract("EV-8")
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_file_that_others_may_read_is_refused_at_any_depth(mode: int, home: Path) -> None:
    place = private(home / "mail" / "data" / "raw")
    file = place / "messages.get.pack"
    file.write_bytes(b"mail")
    file.chmod(0o600)
    assert live(home / "mail", home).kind == "live"
    file.chmod(mode)
    with pytest.raises(LoosePermissions, match="may read"):
        live(home / "mail", home)


@pytest.mark.contract("EV-8")
@pytest.mark.parametrize("kind", ["live", "loopback"])
def test_a_link_inside_the_workspace_is_refused(kind: str, home: Path) -> None:
    repository = private(home / "repository")
    git_folder(repository)
    place = private(home / "mail")
    assert open_workspace(place, record(kind), {"HOME": str(home)}).kind == kind
    (place / "data").symlink_to(repository)
    with pytest.raises(WorkspaceRefused, match="link"):
        open_workspace(place, record(kind), {"HOME": str(home)})


@pytest.mark.contract("EV-8")
@pytest.mark.parametrize("character", [*" \t\n%:#$\\*?[]~'\"`;&|<>(){}!", "\x1b", "\x7f", "\u202e", "\u00a0"])
@pytest.mark.parametrize("kind", ["demo", "loopback", "live"])
def test_a_path_that_make_or_a_terminal_would_misread_is_refused(character: str, kind: str, home: Path) -> None:
    with pytest.raises(NameRefused) as refusal:
        open_workspace(home / f"my{character}mail", record(kind), {"HOME": str(home)})
    assert refusal.value.evidence.isprintable()
    open_workspace(home / "my-mail_2.0,x+y=z@é", record(kind), {"HOME": str(home)})


@pytest.mark.contract("EV-8")
def test_a_blank_that_hides_behind_a_link_is_refused_too(home: Path) -> None:
    private(home / "my mail")
    (home / "mail").symlink_to(home / "my mail")
    with pytest.raises(NameRefused):
        live(home / "mail", home)


# --- the three kinds


@pytest.mark.contract("EV-8")
def test_the_kind_follows_the_account_and_nothing_else(home: Path) -> None:
    git_folder(private(home / "repository"))
    assert isinstance(open_workspace(home / "repository", record("demo"), {}), Demo)
    with pytest.raises(InsideGit):
        open_workspace(home / "repository", record("loopback"), {})
    assert isinstance(open_workspace(home / "mail", record("loopback"), {}), Loopback)
    assert isinstance(live(None, home), Live)


def test_a_loopback_mailbox_may_lie_in_a_temp_folder(tmp_path: Path) -> None:
    assert open_workspace(tmp_path / "mail", record("loopback"), {}).kind == "loopback"


@pytest.mark.parametrize("kind", ["demo", "loopback"])
def test_only_a_live_workspace_has_a_place_by_default(kind: str, home: Path) -> None:
    with pytest.raises(WorkspaceRefused, match="no workspace"):
        open_workspace(None, record(kind), {"HOME": str(home)})
    assert live(None, home).root == home / ".local" / "state" / "gmailtriage" / "home"


@pytest.mark.contract("AP-4")
def test_a_copied_live_workspace_shares_its_lock_and_markers(home: Path) -> None:
    first, second = live(private(home / "mail"), home), live(private(home / "copy"), home)
    assert first.lock == second.lock
    assert first.control == second.control
    assert first.receipts != second.receipts


def test_facts_are_everything_that_is_neither_derived_nor_unfinished(tmp_path: Path) -> None:
    place = open_workspace(tmp_path, record("demo"), {})
    facts = {
        "data/raw/demo/20261123T120000Z-00/capture.json",
        "data/decisions/demo/0123.jsonl",
        "manifests/aa.json",
        "manifests/inputs/bb",
        "receipts/0123.jsonl",
        "receipts/aa.consumed",
    }
    others = {
        "data/raw/demo/.partial-20261123T120000Z-00/capture.json",
        "data/raw/other/20261123T120000Z-00/capture.json",
        "data/snapshots/demo/messages.parquet",
        "receipts/demo.lock",
        "receipts/demo.holder",
        "manifests/.aa.json.12-12.part",
        "README.md",
    }
    for name in facts | others:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    assert {str(path.relative_to(tmp_path)) for path in place.fact_files()} == facts
