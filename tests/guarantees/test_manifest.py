"""A manifest is one sequence of bytes under one name, pins what it was made from, and lives for an hour."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.models.manifest import Manifest
from pipeline.refusals import (
    DriftAborted,
    Expired,
    FromTheFuture,
    NotApproved,
    Tampered,
    WindowTooLong,
)
from pipeline.sealing.documents import read_manifest
from tests.fakes import OWNER, Template, World
from tests.guarantees.approvals import refuse_and_leave
from tests.strategies.case_files import case_json
from tests.sweeps import IS_FULL, sweep, told

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.contract("AP-1", "P4")
def test_every_bit_of_a_manifest_flipped_is_refused(frozen: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    path, data = tmp_path / "w" / "manifests" / f"{manifest.sha256}.json", manifest.to_bytes()
    flips = range(0, len(data) * 8, 1 if IS_FULL else 10)
    for position in flips:
        flipped = bytearray(data)
        flipped[position // 8] ^= 1 << position % 8
        refuse_bytes(world, path, bytes(flipped), manifest.sha256)
    for cut in range(len(data)):
        refuse_bytes(world, path, data[:cut], manifest.sha256)
    told("bytes of a manifest", {"flipped bit": len(flips), "cut": len(data)})


@pytest.mark.contract("AP-1")
def test_bytes_that_mean_the_same_are_refused_even_under_their_own_name(
    frozen: tuple[Template, Manifest], tmp_path: Path
) -> None:
    """Whoever rewrites the file also renames it: then the form itself must be wrong."""
    template, manifest = frozen
    world, random = template.fresh(tmp_path / "w"), Random(1)
    value = json.loads(manifest.to_bytes())
    hits: Counter[str] = Counter()
    for _ in range(sweep(1000)):
        name, data = random.choice(list(rewrites(value, random)))
        hits[name] += data != manifest.to_bytes()
        if data != manifest.to_bytes():
            path = tmp_path / "w" / "manifests" / f"{sha256_hex(data)}.json"
            refuse_bytes(world, path, data, sha256_hex(data))
            path.unlink()
    told("rewrites that mean the same", hits)
    assert len(hits) == 7 and min(hits.values()) > 0


def rewrites(value: dict[str, Any], random: Random) -> Iterator[tuple[str, bytes]]:
    """The same JSON value in other bytes."""
    text = canonical_bytes(value).decode()
    spot = random.choice([index for index, character in enumerate(text) if character in ",:{["])
    keys = random.sample(sorted(value), len(value))
    yield "white space", (text[: spot + 1] + random.choice([" ", "\n", "\t"]) + text[spot + 1 :]).encode()
    yield "key order", json.dumps({key: value[key] for key in keys}, separators=(",", ":")).encode()
    yield "duplicate key", ("{" + f'"account":"loop",{text[1:]}').encode()
    yield "escaped letter", text.replace("loop", "\\u006coop", 1).encode()
    yield "other number", text.replace("0.9", random.choice(["0.90", "9e-1", "9E-1"]), 1).encode()
    yield "byte order mark", b"\xef\xbb\xbf" + text.encode()
    yield "trailing bytes", (text + random.choice(["\n", " ", "\x00", "{}"])).encode()


def refuse_bytes(world: World, path: Path, data: bytes, digest: str) -> None:
    """Neither show's reader, nor approve, nor execute takes these bytes."""
    path.write_bytes(data)
    with pytest.raises(Tampered):
        read_manifest(world.context.workspace, digest)


@pytest.mark.contract("AP-1")
def test_a_manifest_pins_what_the_contract_lists(frozen: tuple[Template, Manifest]) -> None:
    template, manifest = frozen
    pins, target = manifest.pins, manifest.targets[0]
    assert (manifest.schema_version, manifest.policy_version, manifest.account, manifest.address) == (
        1,
        1,
        "loop",
        OWNER,
    )
    assert pins.captures and pins.rules and pins.policy.sha256 and pins.registry_record.sha256 and pins.decisions
    assert target.fingerprint.label_ids == ("INBOX",) and target.screen == "clean" and target.protected == ()
    assert (manifest.counts.label, manifest.counts.archive, manifest.counts.create_label) == (1, 4, 1)
    assert manifest.expires_at - manifest.created_at == timedelta(minutes=60)
    assert manifest.rollback.command.startswith("gmailtriage undo") and manifest.price.units > 0
    names = {path.name for path in (template.world.context.workspace.manifests / "inputs").iterdir()}
    assert names == {pins.policy.sha256, pins.registry_record.sha256, *(one.sha256 for one in pins.rules)}


@pytest.mark.contract("AP-1", "EV-2")
def test_a_manifest_holds_no_subject_and_no_sender(frozen: tuple[Template, Manifest]) -> None:
    text = frozen[1].to_bytes().decode()
    assert "boardly" not in text and "New jobs" not in text


@pytest.mark.contract("AP-2", "AP-5")
def test_a_manifest_whose_decisions_or_pins_changed_is_not_approved(
    frozen: tuple[Template, Manifest], tmp_path: Path
) -> None:
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    world.plan({"m1": "label"})
    refuse_and_leave(world, lambda: world.approve(manifest), NotApproved)
    changed = world.with_context(config=replace(world.context.config, rules=(("taxonomy.toml", b"x = 2\n"),)))
    refuse_and_leave(changed, lambda: changed.approve(manifest), DriftAborted)


@pytest.mark.contract("AP-2")
def test_a_manifest_with_a_target_that_was_not_decided_is_not_approved(
    frozen: tuple[Template, Manifest], tmp_path: Path
) -> None:
    """Canonical, named by its digest, and written by somebody else: label became archive, or m6 came in."""
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    targets = list(manifest.targets)
    to_archive = targets[2].model_copy(update={"change": targets[1].change})
    to_m6 = targets[4].model_copy(update={"message_id": "m6", "thread_id": "m6"})
    counts = manifest.counts.model_copy(update={"label": 0, "archive": 5})
    for forged in (
        manifest.model_copy(update={"targets": (*targets[:2], to_archive, *targets[3:]), "counts": counts}),
        manifest.model_copy(update={"targets": (*targets[:4], to_m6)}),
    ):
        path = tmp_path / "w" / "manifests" / f"{forged.sha256}.json"
        path.write_bytes(forged.to_bytes())
        refuse_and_leave(world, lambda m=forged: world.approve(m), NotApproved)  # type: ignore[misc]


@pytest.mark.contract("AP-2", "AP-4")
def test_case_84_clock_skew(frozen: tuple[Template, Manifest], tmp_path: Path) -> None:
    """Times of the case: made in the future, expired, expiring right now, valid for a year."""
    template, manifest = frozen
    now = datetime.fromisoformat(case_json("84", "now.json")["now"])
    wanted = {"m-future": FromTheFuture, "m-expired": Expired, "m-edge": Expired, "m-long": WindowTooLong}
    for case in case_json("84", "manifests.json"):
        world = template.fresh(tmp_path / case["id"])
        times = {name: datetime.fromisoformat(case[name]) for name in ("created_at", "expires_at")}
        skewed = manifest.model_copy(update=times)
        (tmp_path / case["id"] / "manifests" / f"{skewed.sha256}.json").write_bytes(skewed.to_bytes())
        world.clock.at = now
        refuse_and_leave(world, lambda w=world, m=skewed: w.approve(m), wanted[case["id"]])  # type: ignore[misc]
        world.clock.at = times["created_at"]
        with suppress(WindowTooLong):
            world.approve(skewed)
            world.clock.at = now
            with pytest.raises(wanted[case["id"]]):
                world.execute(skewed.sha256)
        assert world.mailbox.received == 0


@pytest.mark.contract("AP-2")
def test_a_minute_of_skew_is_tolerated_and_the_policy_may_shorten_the_window(
    frozen: tuple[Template, Manifest], tmp_path: Path
) -> None:
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    world.clock.at -= timedelta(seconds=61)
    refuse_and_leave(world, lambda: world.approve(manifest), FromTheFuture)
    world.clock.at += timedelta(seconds=1)
    config = replace(world.context.config, policy_bytes=b"version = 1\nexpiry_minutes = 59\n")
    shorter = world.with_context(config=config)
    refuse_and_leave(shorter, lambda: shorter.approve(manifest), WindowTooLong)
    world.approve(manifest)
