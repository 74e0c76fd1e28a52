"""Shards: work is proportional to new mail, the result is that of a rebuild, and no altered byte hides behind one."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from pytest import MonkeyPatch

from pipeline import gathering
from pipeline.artifacts import Place
from pipeline.config import find_config
from pipeline.evidence.captures import RawCapture
from pipeline.evidence.lists import known_of
from pipeline.evidence.raw import Reading
from pipeline.evidence.sheet import sheet_of
from pipeline.looking import Judge, Seen, Task, look_at
from pipeline.refusals import Refusal, TamperedCapture
from pipeline.run import make_all, preview
from pipeline.store import read_bytes, tree_files
from stages.match import STAGE as MATCH
from stages.normalize import STAGE as NORMALIZE
from stages.screen import SCREEN as SCREENED
from stages.screen import STAGE as SCREEN
from tests.strategies.captures import Exchange, Letter, capture_of, raw
from tests.strategies.chains import chains
from tests.sweeps import sweep
from tests.worlds import make_folders, write_capture

CHAIN = [NORMALIZE, SCREEN, MATCH]
FIRST = capture_of([Letter("a1", "a1"), Letter("a2", "a2", body="Please reply by Friday with your documents.")])
SECOND = capture_of([Letter("b1", "b1")], 1)


def place_in(folder: Path, *captures: RawCapture) -> Place:
    folders = make_folders(folder)
    for capture in captures:
        write_capture(folders.workspace(), capture)
    return Place(folders.workspace(), find_config("demo", {}, folders.config))


def tables(place: Place) -> dict[str, bytes]:
    """The bytes of every table."""
    return {path.name: path.read_bytes() for path in sorted(place.workspace.snapshots.glob("*.parquet"))}


def outcome(place: Place) -> dict[str, bytes] | str:
    try:
        make_all(CHAIN, place)
    except Refusal as refusal:
        return type(refusal).__name__
    return tables(place)


@contextmanager
def counted(monkeypatch: MonkeyPatch) -> Iterator[list[str]]:
    """Ids of the captures whose mail is opened meanwhile, and for which stages."""
    opened: list[str] = []

    def look(judges: Mapping[str, Judge], task: Task) -> Seen:
        opened.append(" ".join((task.piece.capture.seal.id, *task.judges)))
        return look_at(judges, task)

    with monkeypatch.context() as patch:
        patch.setattr(gathering, "look_at", look)
        yield opened


@pytest.mark.contract("EV-6")
@settings(max_examples=sweep(200), deadline=None)
@given(found=chains(max_letters=3))
def test_captures_that_come_one_by_one_give_what_all_at_once_give(
    found: tuple[RawCapture, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("chain")
    slowly = place_in(folder / "slowly")
    last: dict[str, bytes] | str = ""
    for capture in found:
        write_capture(slowly.workspace, capture)
        last = outcome(slowly)
    assert last == outcome(place_in(folder / "at-once", *found))


def test_mail_is_opened_for_who_needs_it_and_old_mail_not_at_all(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    place = place_in(tmp_path, FIRST)
    with counted(monkeypatch) as opened:
        make_all(CHAIN, place)
        make_all(CHAIN, place)
        write_capture(place.workspace, SECOND)
        make_all(CHAIN, place)
    assert opened == [f"{FIRST.seal.id} screen match", f"{SECOND.seal.id} screen match"]


def test_a_stage_alone_opens_mail_only_for_its_own_shard(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    place = place_in(tmp_path, FIRST)
    with counted(monkeypatch) as opened:
        for stage in CHAIN:
            make_all([stage], place)
        make_all(CHAIN, place)
    assert opened == [FIRST.seal.id, f"{FIRST.seal.id} screen", f"{FIRST.seal.id} match"]


@pytest.mark.contract("AP-5")
def test_another_rule_set_has_other_shards(tmp_path: Path) -> None:
    place = place_in(tmp_path, FIRST)
    make_all(CHAIN, place)
    before = {path.name for path in tree_files(place.workspace.shards)}
    overrides = place.config.folder / "rules" / "manual_overrides.toml"
    overrides.write_bytes(
        read_bytes(overrides) + b'\n[[rule]]\nname = "later"\nsubject_contains = ["later"]\n'
        b'classification = "Review Manually"\nsafe_to_archive = false\nconfidence = 0.9\n'
    )
    changed = Place(place.workspace, find_config("demo", {}, place.config.folder))
    make_all(CHAIN, changed)
    after = {path.name for path in tree_files(place.workspace.shards)}
    assert len(after) == len(before), "a newer shard takes the place of the old one"
    assert any(".hits." in name for name in after - before)
    assert not any(".shown." in name for name in after - before)


def test_a_new_correspondent_of_the_owner_is_known_to_the_screen_of_old_mail(
    tmp_path: Path, monkeypatch: MonkeyPatch
) -> None:
    imitation = Letter("a1", "a1", sender="Ann Noor <ann@vend0r-partners.example>")
    wrote = Letter("s1", "s1", sender="Casey <casey.rivers@example.com>", labels=("SENT",),
                   headers=(("Cc", "Ann Noor <ann@vendor-partners.example>"),))  # fmt: skip
    place = place_in(tmp_path, capture_of([imitation]))
    make_all(CHAIN, place)
    before = SCREENED.load(place)
    write_capture(place.workspace, capture_of([wrote], 1, listed_only=(("a1", "a1"),)))
    with counted(monkeypatch) as opened:
        make_all(CHAIN, place)
    after = SCREENED.load(place)
    assert opened == [f"{SECOND.seal.id} screen match"], "old mail is not opened for that"
    assert isinstance(before, pl.DataFrame)
    assert isinstance(after, pl.DataFrame)
    signs = {row["message_id"]: row["evidence"] for row in after.iter_rows(named=True)}
    assert "correspondent_lookalike" not in before.row(0, named=True)["evidence"]
    assert "correspondent_lookalike" in signs["a1"]


def test_a_stage_that_looks_at_mail_and_waits_for_the_fold_comes_in_halves(tmp_path: Path) -> None:
    whole = replace(SCREEN, halves=None)
    with pytest.raises(TypeError, match="it comes in halves"):
        make_all([whole], place_in(tmp_path, FIRST))


def test_a_damaged_shard_is_made_anew(tmp_path: Path) -> None:
    place = place_in(tmp_path, FIRST)
    make_all(CHAIN, place)
    before, kept = tables(place), {path: path.read_bytes() for path in tree_files(place.workspace.shards)}
    for number, (path, data) in enumerate(kept.items()):
        at = len(data) * number // len(kept)
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    make_all(CHAIN, place)
    assert tables(place) == before
    assert {path: path.read_bytes() for path in tree_files(place.workspace.shards)} == kept


@pytest.mark.contract("AP-11")
def test_a_preview_believes_no_shard_and_keeps_none(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    place = place_in(tmp_path, FIRST)
    preview(CHAIN, place)
    assert not place.workspace.shards.exists()
    make_all(CHAIN, place)
    with counted(monkeypatch) as opened:
        preview(CHAIN, place)
    assert opened == [f"{FIRST.seal.id} screen match"]


@pytest.mark.contract("EV-1")
def test_a_shard_does_not_hide_that_its_capture_was_altered(tmp_path: Path) -> None:
    place = place_in(tmp_path, FIRST)
    make_all(CHAIN, place)
    pack = place.workspace.raw / FIRST.seal.id / "messages.get.pack"
    pack.write_bytes(pack.read_bytes().replace(b"Friday", b"Monday"))
    with pytest.raises(TamperedCapture):
        make_all(CHAIN, place)


@pytest.mark.contract("EV-4")
def test_nothing_is_kept_of_good_captures_when_another_is_refused(tmp_path: Path) -> None:
    page = Exchange("messages.list", {"purpose": "sent"}, 200, b'{"nextPageToken":"x"}')
    place = place_in(tmp_path, FIRST, raw([page], 1, source="ingest"))
    before = tree_files(tmp_path)
    with pytest.raises(Refusal):
        make_all(CHAIN, place)
    assert tree_files(tmp_path) == before


def test_the_sheet_of_a_capture_does_not_depend_on_who_looks() -> None:
    looks: list[tuple[Reading, ...]] = []
    known = known_of((FIRST,))
    assert sheet_of(FIRST, known, looks.append).shown.equals(sheet_of(FIRST, known, lambda readings: None).shown)
