"""Every run is listed with what became of it, and all of them are taken back by one person's yes, newest first."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.changes.closing import Finished
from pipeline.changes.runs import RunSummary, summaries, targets_of
from pipeline.cli.runs import checked, described, lines, named
from pipeline.cli.undo_all import moment, undo_all, undo_one
from pipeline.context import Context
from pipeline.models.manifest import ExistingLabel
from pipeline.refusals import (
    Busy,
    KeyringRefused,
    MissingArtifact,
    NotApproved,
    NotATerminal,
    NothingToDo,
    PartlyDone,
    UsageRefused,
    WrongAccount,
)
from pipeline.sealing.receipts import load_receipts
from tests.fakes import Fault, Killed, Template, Typist, World, killing, mail, no_fsync
from tests.guarantees.executions import rechained

HOURS = 60.0


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture(scope="module")
def thrice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, dict[str, set[str]]]:
    """Three runs, an hour apart: labels, then an archive of the same mail, then one of other mail."""
    world = World.make(tmp_path_factory.mktemp("world"), [mail(f"m{n}", "INBOX") for n in range(1, 5)])
    before = world.mailbox.label_sets()
    other = ExistingLabel(id="Label_2", name="Other")
    world.mailbox.labels["Label_2"] = "Other"
    wishes = ({"m1": "label", "m2": "label"}, {"m1": "archive"}, {"m3": "archive", "m4": "label"})
    for wish, label in zip(wishes, (None, other, None), strict=True):
        world.execute(world.ready(wish, label))
        world.clock.pass_minutes(HOURS)
        world.capture()
    return Template(world), before


def fresh(thrice: tuple[Template, dict[str, set[str]]], root: Path) -> tuple[World, dict[str, set[str]]]:
    """A copy of that world, and what its mail wore at first."""
    return thrice[0].fresh(root / "w"), thrice[1]


def found(world: World) -> tuple[RunSummary, ...]:
    """The summaries now."""
    return summaries(load_receipts(world.context.workspace))


def all_of(world: World, digests: tuple[str, ...] = (), since: datetime | None = None) -> list[Finished]:
    """The command's own function."""
    return undo_all(world.context, since, digests, undo_one)


def receipts(world: World) -> tuple[str, ...]:
    """Full digests of what can be undone."""
    return tuple(one.receipt for one in found(world) if one.can_be_undone)


def test_runs_are_listed_newest_first_with_counts_and_what_was_undone(
    thrice: tuple[Template, dict[str, set[str]]], tmp_path: Path
) -> None:
    world, _ = fresh(thrice, tmp_path)
    assert [(one.statuses["verified"], one.undone) for one in found(world)] == [(2, "no"), (1, "no"), (2, "no")]
    assert [one.at for one in found(world)] == sorted((one.at for one in found(world)), reverse=True)
    newest = found(world)[0].run
    world.undo(newest)
    assert [one.undone for one in found(world)] == ["yes", "no", "no"]
    assert len(found(world)[0].undos) == 1 and not found(world)[0].can_be_undone
    shown = "\n".join(lines(found(world), is_stopped=False))
    assert "2 verified  undone" in shown and "1 verified  not undone" in shown and "@" not in shown
    json.dumps([described(one) for one in found(world)])


def test_a_run_that_changed_nothing_and_an_interrupted_one_are_said_to_be_so(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    world.gmail.faults.append(Fault("messages.batchModify", 1, "400", forever=True))
    with pytest.raises(PartlyDone):
        world.execute(world.ready())
    (nothing,) = found(world)
    assert nothing.undone == "nothing to undo" and nothing.statuses["failed"] == 2
    world.gmail.faults.clear()
    world.clock.pass_minutes(1)
    with killing(world, 12, []), pytest.raises(Killed):
        world.execute(world.ready())
    newest = found(world)[0]
    assert not newest.is_closed and not newest.can_be_undone
    assert "--resume" in lines((newest,), is_stopped=True)[1] and "panic --off" in lines((newest,), is_stopped=True)[0]
    with pytest.raises(Busy):
        all_of(world, (newest.receipt,))


def test_a_named_run_lists_every_target(thrice: tuple[Template, dict[str, set[str]]], tmp_path: Path) -> None:
    world, _ = fresh(thrice, tmp_path)
    stored = load_receipts(world.context.workspace)
    assert targets_of(stored[0]) == {"m1": "verified", "m2": "verified"}
    assert named(stored, stored[0].run) == stored[:1]
    with pytest.raises(MissingArtifact):
        named(stored, "0" * 16)


@pytest.mark.contract("AP-9", "P3")
def test_one_yes_takes_all_runs_back_newest_first(thrice: tuple[Template, dict[str, set[str]]], tmp_path: Path) -> None:
    world, before = fresh(thrice, tmp_path)
    person = Typist()
    order = [one.run for one in found(world)]
    done = all_of(world.with_context(terminal=person))
    assert world.mailbox.label_sets() == before and len(done) == 3
    sources = {one.run: one.receipt.opened.undoes for one in load_receipts(world.context.workspace)}
    assert [sources[one.run] for one in done] == order
    assert all(run in person.screen for run in order) and person.screen.count("anything else to stop") == 1
    with pytest.raises(NothingToDo):
        all_of(world.with_context(terminal=person))


@pytest.mark.contract("AP-9", "AP-11")
def test_no_half_a_yes_a_wrong_code_or_no_person_leaves_everything(
    thrice: tuple[Template, dict[str, set[str]]], tmp_path: Path
) -> None:
    world, _ = fresh(thrice, tmp_path)
    digests, files = receipts(world), world.files()
    for stated in (digests[:2], (*digests, "0" * 64), (digests[0][:8], *digests[1:]), (*digests, digests[0])):
        with pytest.raises(NotApproved):
            all_of(world, stated)
    with pytest.raises(NotATerminal):
        all_of(world)
    for typed in ("y", "", digests[0][:8]):
        with pytest.raises(NotApproved):
            all_of(world.with_context(terminal=Typist(typed)))
    assert world.files() == files and world.gmail.opened == 0


def test_stated_in_full_in_any_order_and_only_since_a_date(
    thrice: tuple[Template, dict[str, set[str]]], tmp_path: Path
) -> None:
    world, before = fresh(thrice, tmp_path)
    since = found(world)[1].at
    assert len(all_of(world, receipts(world)[:2][::-1], since)) == 2
    assert [one.undone for one in found(world)] == ["yes", "yes", "no"]
    assert len(all_of(world, receipts(world))) == 1
    assert world.mailbox.label_sets() == before


@pytest.mark.contract("AP-9")
def test_what_one_run_cannot_give_back_does_not_keep_the_others(
    thrice: tuple[Template, dict[str, set[str]]], tmp_path: Path
) -> None:
    world, before = fresh(thrice, tmp_path)
    world.mailbox.edit("m2", add=("STARRED",), remove=("Label_1",))
    nth = world.mailbox.asked["messages.batchModify"] + 1
    world.gmail.faults.append(Fault("messages.batchModify", nth, "400"))
    with pytest.raises(PartlyDone, match="1 of 3 runs"):
        all_of(world, receipts(world))
    assert [one.undone for one in found(world)] == ["partly", "yes", "yes"]
    assert world.mailbox.labels_of("m1") == before["m1"] and world.mailbox.labels_of("m2") == {"INBOX", "STARRED"}
    world.gmail.faults.clear()
    all_of(world, receipts(world))
    assert world.mailbox.labels_of("m3") == before["m3"] and world.mailbox.labels_of("m4") == before["m4"]


@pytest.mark.contract("ID-1")
def test_a_lost_identity_stops_them_all(thrice: tuple[Template, dict[str, set[str]]], tmp_path: Path) -> None:
    world, _ = fresh(thrice, tmp_path)
    asked: list[str] = []

    def lost(context: Context, summary: RunSummary) -> Finished:
        asked.append(summary.run)
        raise WrongAccount("the credential opens another mailbox")

    with pytest.raises(WrongAccount):
        undo_all(world.context, None, receipts(world), lost)
    assert len(asked) == 1


def test_dates_are_spelled_in_full() -> None:
    assert moment("") is None and moment("2026-11-30") == datetime(2026, 11, 30, tzinfo=UTC)
    assert moment("2026-11-30T12:00:00+01:00") == datetime(2026, 11, 30, 11, tzinfo=UTC)
    for text in ("yesterday", "30.11.2026", "2026-13-01"):
        with pytest.raises(UsageRefused):
            moment(text)


def forge(path: Path, run: str, closed: dict[str, object]) -> None:
    """The receipt of a run written anew: another last line, chain and digest beside it made right again."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    lines[-1] |= closed
    data = rechained(b"".join(canonical_bytes(line) + b"\n" for line in lines), {})
    path.write_bytes(data)
    path.with_name(f"{run}.closed").write_bytes(sha256_hex(data).encode())


@pytest.mark.contract("P4", "AP-8")
def test_a_receipt_that_was_not_written_with_the_accounts_key_is_listed_as_such(
    thrice: tuple[Template, dict[str, set[str]]], tmp_path: Path
) -> None:
    world, _ = fresh(thrice, tmp_path)
    place = world.context.workspace
    newest = found(world)[0].run
    forge(place.receipts / f"{newest}.jsonl", newest, {"units": 1})
    forged = checked(world.context, load_receipts(place))
    assert forged == {newest}
    runs = summaries(load_receipts(place), forged)
    assert [one.forged for one in runs] == [(newest,), (), ()] and not runs[0].can_be_undone
    said = lines(runs, False)
    assert f"NOT AUTHENTIC: receipts/{newest}.jsonl" in said[0] and said[-1] == "next: gmailtriage verify"
    assert "NOT AUTHENTIC" not in "".join(said[1:])
    assert described(runs[0])["not_authentic"] == [newest]


@pytest.mark.contract("P4", "AP-9")
def test_a_forged_undo_does_not_make_a_run_look_undone(
    thrice: tuple[Template, dict[str, set[str]]], tmp_path: Path
) -> None:
    world, _ = fresh(thrice, tmp_path)
    place = world.context.workspace
    undone = world.undo().run
    assert found(world)[0].undone == "yes"
    forge(place.receipts / f"{undone}.jsonl", undone, {"units": 1})
    (newest, *_) = summaries(load_receipts(place), checked(world.context, load_receipts(place)) or ())
    assert newest.undone == "no" and newest.forged == (undone,) and newest.undos == ()


def test_without_a_key_the_list_says_that_nothing_was_checked(
    thrice: tuple[Template, dict[str, set[str]]], tmp_path: Path
) -> None:
    def locked() -> bytes:
        raise KeyringRefused("the keyring is locked")

    world, _ = fresh(thrice, tmp_path)
    assert checked(world.with_context(approval_key=locked).context, load_receipts(world.context.workspace)) is None
    assert "was not checked" in lines(found(world), False, is_checked=False)[0]
