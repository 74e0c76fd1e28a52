"""A rehearsal does what the run would do, to a copy; the workspace, the mailbox and the keyring never hear of it."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline import cli, workspace
from pipeline.cli import rehearse
from pipeline.cli.loop import Loop
from pipeline.cli.running import first_time
from pipeline.credentials import PUBLISHED_KEY
from pipeline.gmail import wire
from pipeline.models.approval import Approval
from pipeline.models.manifest import Manifest
from pipeline.refusals import Busy, NotApproved, PartlyDone
from pipeline.rehearsing import PREFIX
from pipeline.sealing.killswitch import switch_path, throw_switch
from pipeline.session import Request, Session, open_session
from pipeline.store import locked
from pipeline.twinning import capture_twin, snapshot_twin
from stages.freeze import freeze
from tests.fakes import no_fsync
from tests.strategies.captures import (
    ADDRESS,
    BODIES,
    LABEL_SETS,
    SENDERS,
    SUBJECTS,
    Letter,
    capture_of,
)
from tests.sweeps import sweep
from tests.worlds import Folders, demo_record, make_folders, write_capture
from twin.auth import scopes
from twin.serve import serve

LETTERS = (
    *(Letter(f"a{n}", f"a{n}", age=5 + n, body="New jobs that match your search.") for n in range(3)),
    Letter("b1", "b1", sender=SENDERS[3], subject="Application received", age=9),
    Letter("c1", "c1", subject="Re: lunch", sender=SENDERS[2], body="See you at noon?"),
)


@pytest.fixture(autouse=True)
def _quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A temp folder that can be looked at, and no waiting for the disk."""
    (tmp_path / "temp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    with no_fsync():
        yield


def sealed(folders: Folders, letters: tuple[Letter, ...] = LETTERS) -> Manifest:
    """A frozen manifest of these letters."""
    write_capture(folders.workspace(), capture_of(letters))
    with open_session(request(folders)) as session:
        return freeze(session.context)


def request(folders: Folders, **changes: str) -> Request:
    """The demo's account in these folders."""
    return Request("demo", folders.place, folders.config, folders.env, **changes)  # type: ignore[arg-type]


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, and every folder."""
    return {str(path): path.read_bytes() if path.is_file() else b"/" for path in folder.rglob("*")}


def run(folders: Folders, manifest: Manifest, *more: str) -> int:
    """The command in this process."""
    return cli.run(["rehearse", manifest.sha256, *folders.words, *more])


def done_on_copy(session: Session, manifest: Manifest) -> rehearse.Rehearsed:
    """The rehearsal's values."""
    messages, labels = rehearse.frames(session.context)
    twin = snapshot_twin(messages, labels, manifest, rehearse.TOKEN)
    return rehearse.rehearsed(session.context, manifest, manifest.targets, twin)


@pytest.mark.contract("AP-11", "AP-9")
def test_nothing_is_left_in_the_workspace_or_in_temp_and_the_outcome_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = make_folders(tmp_path)
    manifest = sealed(folders)
    before = tree(folders.place)
    assert run(folders, manifest) == 0
    out = capsys.readouterr().out
    assert run(folders, manifest, "--json") == 0
    told = json.loads(capsys.readouterr().out)["rehearsal"]
    assert tree(folders.place) == before and not list((tmp_path / "temp").iterdir())
    assert told["inbox_before"] - told["inbox_after"] == manifest.counts.archive > 0
    assert told["is_identity"] and told["statuses"]["verified"] == len(manifest.targets) == told["undone"]["verified"]
    assert f"inbox     {told['inbox_before']} messages before, {told['inbox_after']} after" in out
    assert "every label set is the one before" in out and "Re: lunch" in out and "nothing was sent" in out
    assert "receipt" not in told and "run" not in told, "its output is no receipt"
    assert ADDRESS not in json.dumps(told) and "lunch" not in json.dumps(told)


letters = st.lists(
    st.builds(
        Letter,
        st.just("x"),
        st.sampled_from(["t1", "t2", "t3", "t4", "t5", "t6"]),
        st.sampled_from(SENDERS),
        st.sampled_from(SUBJECTS),
        st.sampled_from(BODIES),
        st.sampled_from(LABEL_SETS),
        st.integers(1, 20),
    ),
    min_size=1,
    max_size=6,
).map(lambda found: (*LETTERS, *(replace(one, id=f"x{n}") for n, one in enumerate(found))))


@pytest.mark.contract("AP-9", "P3")
@settings(max_examples=sweep(150), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(letters)
def test_on_any_mailbox_the_copy_shows_exactly_the_planned_change_and_then_none(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple[Letter, ...]
) -> None:
    """The oracle is the manifest read by hand: each target gains its label, and an archived one leaves the inbox."""
    folders = make_folders(tmp_path_factory.mktemp("any"))
    manifest = sealed(folders, drawn)
    with open_session(request(folders)) as session:
        done = done_on_copy(session, manifest)
    wanted = {one: set(worn) for one, worn in done.before.items()}
    ids = {name: one for one, name in done.names.items()}
    for target in manifest.targets:
        ref = target.change.label
        wanted[target.message_id].add(ids[getattr(ref, "name", "") or ref.create])  # type: ignore[union-attr]
        wanted[target.message_id] -= {"INBOX"} if target.change.kind == "archive" else set()
    assert done.after == wanted


@pytest.mark.contract("AP-10")
def test_it_shows_what_the_real_run_then_does_also_after_an_earlier_run(tmp_path: Path) -> None:
    """A second manifest pins a receipt and a capture that saw our labels; the copy agrees with the mailbox itself."""
    folders = make_folders(tmp_path)
    mailbox = capture_twin([capture_of(LETTERS)], ADDRESS, {"demo": scopes("gmail.modify")})
    with serve(mailbox) as server, open_session(request(folders, twin_url=server.url)) as session:
        loop = Loop(session)
        for part in ("sender:greenfield.example", ""):
            loop.fetch()
            manifest = loop.freeze()
            done = done_on_copy(session, manifest)
            assert done.before == mailbox.label_sets()
            if part:
                counts = "label=0,archive=1,create_label=1"
                stated = (manifest.sha256, manifest.sha256, manifest.address, counts, part, "")
                loop.stage("approve").run(session.context, *stated)
            else:
                loop.approve(manifest)
                assert manifest.pins.receipts
            loop.execute(manifest)
            assert part or {tuple(sorted(one)) for one in done.after.values()} == {
                tuple(sorted(one)) for one in mailbox.label_sets().values()
            }


@pytest.mark.contract("ID-6", "AP-11")
def test_on_a_live_account_nothing_is_asked_of_gmail_or_the_keyring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(workspace, "TEMP_ROOTS", ())
    monkeypatch.setattr("pipeline.credentials.load_credential", refuse_to_be_called)
    monkeypatch.setattr("pipeline.credentials.approval_key", refuse_to_be_called)
    monkeypatch.setattr(wire.UrllibWire, "__init__", refuse_to_be_called)
    registry = demo_record(id="jobs", alias="jobs", endpoint="google", credential="keyring:jobs")
    folders = make_folders(tmp_path, registry=registry)
    folders.place.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    live = Request("jobs", folders.place, folders.config, {"XDG_STATE_HOME": str(tmp_path / "state")})
    with open_session(live) as session:
        write_capture(session.context.workspace, capture_of(LETTERS))
        assert cli.run(["freeze", "--account", "jobs", *folders.words]) == 0
        said = capsys.readouterr()
        assert "before the first time: gmailtriage rehearse" in said.err
        before = tree(folders.place)
        digest = next(iter((folders.place / "manifests").glob("*.json"))).stem
        assert cli.run(["rehearse", digest, "--account", "jobs", *folders.words]) == 0
        assert tree(folders.place) == before and not list((tmp_path / "temp").iterdir())
        sweeps_what_a_killed_one_left(session.context.workspace.control, digest, folders)
        (session.context.workspace.receipts).mkdir(mode=0o700)
        (session.context.workspace.receipts / "0123456789abcdef.jsonl").touch(mode=0o600)
        manifest = Manifest.from_bytes((folders.place / "manifests" / f"{digest}.json").read_bytes())
        assert first_time(manifest, session.context.workspace) == ""


def sweeps_what_a_killed_one_left(control: Path, digest: str, folders: Folders) -> None:
    """Its folder is gone after the next rehearsal; a file beside it stays. While another
    rehearsal of the account runs nothing is swept, and the second is told to wait."""
    others = {one.name for one in control.iterdir()}
    left = control / f"{PREFIX}abc" / "receipts"
    left.mkdir(parents=True)
    for file in (left / "0123456789abcdef.jsonl", control / f"{PREFIX}file"):
        file.touch(mode=0o600)
    for folder in (left.parent, left):
        folder.chmod(0o700)
    words = ["rehearse", digest, "--account", "jobs", *folders.words]
    with locked(control / "jobs.rehearsal.lock", "another rehearsal"):
        assert cli.run(words) == Busy.exit_code and left.exists()
    assert cli.run(words) == 0
    assert not left.parent.exists()
    (control / f"{PREFIX}file").unlink()
    assert {one.name for one in control.iterdir()} == others


def refuse_to_be_called(*_: object, **__: object) -> None:
    """Stands where the outside would be touched."""
    raise AssertionError("a rehearsal touches nothing outside")


@pytest.mark.contract("AP-2")
def test_its_approval_is_worth_nothing_and_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = make_folders(tmp_path)
    manifest = sealed(folders)
    seen: list[Approval] = []
    allow = rehearse.allow

    def watched(place: object, approval: Approval) -> None:
        seen.append(approval)
        allow(place, approval)  # type: ignore[arg-type]

    monkeypatch.setattr(rehearse, "allow", watched)
    assert run(folders, manifest) == 0 and run(folders, manifest) == 0
    assert not any(one.is_authentic(PUBLISHED_KEY) for one in seen)
    assert len({one.mac for one in seen}) == 2, "every rehearsal has a key of its own"
    with pytest.raises(NotApproved), open_session(request(folders)) as session:
        Loop(session).execute(manifest)


@pytest.mark.contract("AP-5", "AP-11")
@pytest.mark.parametrize("what", ["rules", "capture", "manifest", "selector", "policy"])
def test_what_could_not_be_executed_is_not_rehearsed(tmp_path: Path, what: str) -> None:
    folders = make_folders(tmp_path)
    manifest = sealed(folders)
    if what == "rules":
        with (folders.config / "rules" / "taxonomy.toml").open("a") as file:
            file.write("\n")
    elif what == "policy":
        (folders.config / "policy.toml").write_text("version = 1\nwindow_days = 91\n")
    elif what == "capture":
        next(folders.place.glob("data/raw/demo/*/index.jsonl")).unlink()
    elif what == "manifest":
        path = folders.place / "manifests" / f"{manifest.sha256}.json"
        path.write_bytes(path.read_bytes() + b"\n")
    before = tree(folders.place)
    more = ("--only", "group:offer") if what == "selector" else ()
    assert run(folders, manifest, *more) in (2, 3, 5, 6)
    assert tree(folders.place) == before and not list((tmp_path / "temp").iterdir())


def test_a_part_of_it_can_be_rehearsed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = make_folders(tmp_path)
    manifest = sealed(folders)
    assert run(folders, manifest, "--except", "sender:greenfield.example", "--json") == 0
    told = json.loads(capsys.readouterr().out)["rehearsal"]
    assert told["statuses"]["verified"] == len(manifest.targets) - 1


def test_the_kill_switch_is_of_the_real_mailbox_and_does_not_stop_a_rehearsal(tmp_path: Path) -> None:
    folders = make_folders(tmp_path)
    manifest = sealed(folders)
    throw_switch(switch_path(folders.workspace().control, "demo"))
    assert run(folders, manifest) == 0


def test_a_copy_that_does_not_come_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = make_folders(tmp_path)
    manifest = sealed(folders)
    monkeypatch.setattr(rehearse, "UNDO", SimpleNamespace(options=(), run=lambda context, **options: None))
    assert run(folders, manifest) == 7
    with pytest.raises(PartlyDone, match="not as before"):
        rehearse.refuse_difference({"m1": frozenset({"INBOX"})}, {"m1": frozenset()})
