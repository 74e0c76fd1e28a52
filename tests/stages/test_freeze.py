"""Sealing a plan: what is refused before a byte is written, and what the manifest then holds."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from pipeline.canonical import sha256_hex
from pipeline.models.manifest import Manifest
from pipeline.refusals import (
    DocumentRefused,
    NothingToDo,
    Refusal,
    TableRefused,
    TamperedCapture,
    Unattested,
    WrongAccount,
)
from pipeline.sealing.pins import make_pins
from stages.freeze import Identity, freeze_plan
from stages.normalize import MESSAGES
from stages.plan import PLAN
from tests.fakes import OWNER, START, World, mail, no_fsync


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two messages in the inbox, one capture."""
    return World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])


def refused(world: World, refusal: type[Refusal]) -> Refusal:
    """The refusal of freeze; nothing was written."""
    files = world.files()
    with pytest.raises(refusal) as caught:
        world.freeze()
    assert world.files() == files
    return caught.value


def test_an_empty_plan_seals_nothing(world: World) -> None:
    world.plan({})
    refused(world, NothingToDo)


@pytest.mark.contract("EV-4", "AP-1")
def test_without_a_profile_in_the_captures_nobody_knows_whose_mail_it_is(world: World, tmp_path: Path) -> None:
    bare = World.make(tmp_path / "bare", [mail("m1", "INBOX")])
    for path in sorted(bare.context.workspace.raw.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    bare.capture(has_profile=False)
    bare.plan({"m1": "archive"})
    refusal = refused(bare, Unattested)
    assert refusal.exit_code == 4 and refusal.next_command == "gmailtriage fetch --account loop"
    world.plan({"m1": "archive"})
    assert world.freeze().address == OWNER


def test_a_profile_of_another_mailbox_is_refused(world: World) -> None:
    world.clock.pass_minutes(1)
    world.capture(address="owner+x@example.com")
    world.plan({"m1": "archive"})
    refused(world, WrongAccount)


def test_another_spelling_of_the_address_is_the_same_mailbox(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    world.clock.pass_minutes(1)
    world.capture(address=OWNER.title())
    world.plan({"m1": "archive"})
    assert world.freeze().address == OWNER.title()


def test_a_plan_of_other_decisions_is_refused(world: World) -> None:
    world.plan({"m1": "archive"})
    plan = PLAN.load(world.place)
    world.plan({"m1": "label"})
    PLAN.save(world.place, plan)
    refused(world, TableRefused)


def test_a_tampered_capture_is_refused(world: World) -> None:
    world.plan({"m1": "archive"})
    (path,) = world.context.workspace.raw.glob("*/getProfile.pack")
    path.write_bytes(path.read_bytes().replace(b"1000", b"1001"))
    refused(world, TamperedCapture)


def test_drift_begins_at_the_oldest_capture_that_showed_a_target(world: World) -> None:
    """A later capture of other mail must not hide what happened to a target before it."""
    first = str(world.mailbox.history_id)
    world.mailbox.edit("m2", add=("STARRED",))
    world.clock.pass_minutes(1)
    newest = world.capture()
    world.plan({"m1": "archive"})
    assert world.freeze().history_id == str(world.mailbox.history_id) != first
    oldest = min(path.name for path in world.context.workspace.raw.iterdir())
    frame = MESSAGES.load(world.place)
    assert isinstance(frame, pl.DataFrame) and oldest < newest
    mixed = pl.when(pl.col("id") == "m1").then(pl.lit(oldest)).otherwise(pl.lit(newest))
    world.plan({"m1": "archive", "m2": "label"})
    MESSAGES.save(world.place, frame.with_columns(capture=mixed))
    world.clock.pass_minutes(1)
    assert world.freeze().history_id == first


def test_the_same_values_make_the_same_manifest_and_a_minute_later_another(world: World) -> None:
    plan = world.plan({"m1": "archive", "m2": "label"})
    pins = make_pins(world.place, (), (), plan.decisions)
    identity, config = Identity(OWNER, "1000"), world.context.config
    made = [
        freeze_plan(plan, pins, identity, config.account, config.policy, START + timedelta(minutes=minutes))
        for minutes in (0, 0, 1)
    ]
    assert made[0].to_bytes() == made[1].to_bytes() != made[2].to_bytes()
    assert Manifest.from_bytes(made[0].to_bytes()) == made[0]


def test_what_it_pins_of_the_owners_files_lies_beside_it(world: World) -> None:
    world.plan({"m1": "archive"})
    manifest = world.freeze()
    folder, config = world.context.workspace.manifests / "inputs", world.context.config
    assert (folder / manifest.pins.policy.sha256).read_bytes() == config.policy_bytes
    assert (folder / manifest.pins.registry_record.sha256).read_bytes() == config.record_bytes()
    assert {sha256_hex(path.read_bytes()) == path.name for path in folder.iterdir()} == {True}
    assert b"LOOP_TOKEN" in config.record_bytes(), "the record holds a reference, and no secret"


def test_expiry_is_the_policys(world: World) -> None:
    world.plan({"m1": "archive"})
    config = replace(world.context.config, policy_bytes=b"version = 1\nexpiry_minutes = 5\n")
    manifest = world.with_context(config=config).freeze()
    assert manifest.expires_at - manifest.created_at == timedelta(minutes=5)


def test_receipts_so_far_are_pinned(world: World) -> None:
    finished = world.execute(world.ready({"m1": "archive"}))
    world.clock.pass_minutes(1)
    world.capture()
    world.plan({"m2": "label"})
    (pinned,) = world.freeze().pins.receipts
    assert (pinned.run, pinned.sha256) == (finished.run, finished.receipt)


def test_a_plan_that_contradicts_itself_is_refused_by_name(world: World) -> None:
    plan = world.plan({"m1": "archive"})
    PLAN.save(world.place, plan.model_copy(update={"counts": plan.counts.model_copy(update={"archive": 2})}))
    refused(world, DocumentRefused)
