"""Nobody says yes by accident, to other bytes, for another mailbox, for longer, or twice."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from importlib import import_module
from inspect import signature
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from pipeline.authority import judge_approval
from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.models.approval import Approval, approval_mac, signed
from pipeline.models.manifest import Manifest, NewLabel
from pipeline.refusals import (
    AlreadyApproved,
    ApprovalRefused,
    DriftAborted,
    Expired,
    FromTheFuture,
    NotApproved,
    NotATerminal,
    Refusal,
    Tampered,
    UsageRefused,
    WindowTooLong,
)
from pipeline.sealed import read_approval, read_manifest
from pipeline.stating import parse_operations
from stages.approve import approve
from tests.fakes import KEY, OWNER, Template, Typist, World, mail, no_fsync
from tests.strategies.case_files import case_json
from tests.sweeps import IS_FULL, sweep


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, Manifest]:
    """Five targets in a sealed manifest that nobody has approved."""
    world = World.make(tmp_path_factory.mktemp("world"), [mail(f"m{n}", "INBOX") for n in range(1, 7)])
    kinds = ("archive", "archive", "label", "archive", "archive")
    world.plan({f"m{n}": kind for n, kind in enumerate(kinds, start=1)}, NewLabel(create="Jobs"))
    return Template(world), world.freeze()


@pytest.fixture(scope="module")
def approved(frozen: tuple[Template, Manifest], tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, Manifest]:
    """The same, approved."""
    world = frozen[0].fresh(tmp_path_factory.mktemp("approved") / "w")
    world.approve(frozen[1])
    return Template(world), frozen[1]


WHOLE = "label=1,archive=4,create_label=1"


@pytest.mark.contract("AP-1", "P4")
def test_every_bit_of_a_manifest_flipped_is_refused(frozen: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    path, data = tmp_path / "w" / "manifests" / f"{manifest.sha256}.json", manifest.to_bytes()
    for position in range(0, len(data) * 8, 1 if IS_FULL else 10):
        flipped = bytearray(data)
        flipped[position // 8] ^= 1 << position % 8
        refuse_bytes(world, path, bytes(flipped), manifest.sha256)
    for cut in range(len(data)):
        refuse_bytes(world, path, data[:cut], manifest.sha256)


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
    print("rewrites", dict(hits))
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


@pytest.mark.contract("AP-2")
def test_every_field_of_an_approval_changed_is_refused(approved: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = approved
    approval = read_approval(template.world.context.workspace, manifest.sha256)
    other = {
        "manifest": "0" * 64,
        "account": "other",
        "operations": approval.operations.model_copy(update={"archive": 5}),
        "message_ids": approval.message_ids[:-1],
        "decisions_log": "0" * 64,
        "approved_by": "terminal",
        "approved_at": approval.approved_at + timedelta(seconds=1),
        "expires_at": approval.expires_at + timedelta(seconds=1),
        "mac": "0" * 64,
    }
    assert other.keys() | {"schema_version"} == Approval.model_fields.keys()
    for name, value in other.items():
        forged = approval.model_copy(update={name: value})
        with pytest.raises(Tampered):
            judge_approval(manifest, forged, KEY)
        world = template.fresh(tmp_path / name)
        (tmp_path / name / "manifests" / f"{manifest.sha256}.approval.json").write_bytes(forged.to_bytes())
        with pytest.raises(Tampered):
            world.execute(manifest.sha256)
        assert world.mailbox.received == 0


@pytest.mark.contract("AP-2")
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("another manifest", lambda a: {"manifest": "0" * 64}),
        ("another account", lambda a: {"account": "other"}),
        ("more operations", lambda a: {"operations": a.operations.model_copy(update={"archive": 5})}),
        ("fewer operations", lambda a: {"operations": a.operations.model_copy(update={"create_label": 0})}),
        ("a smaller subset", lambda a: {"message_ids": a.message_ids[:-1]}),
        ("an id twice", lambda a: {"message_ids": (*a.message_ids, a.message_ids[0])}),
        ("unsorted ids", lambda a: {"message_ids": a.message_ids[::-1]}),
        ("a longer life", lambda a: {"expires_at": a.expires_at + timedelta(minutes=1)}),
        ("older than the manifest", lambda a: {"approved_at": a.approved_at - timedelta(hours=1)}),
        ("given after the expiry", lambda a: {"approved_at": a.expires_at}),
    ],
)
def test_a_binding_is_checked_even_with_a_right_mac(
    approved: tuple[Template, Manifest], name: str, change: Callable[[Approval], dict[str, object]]
) -> None:
    """The MAC does not stand for the bindings: each is compared with the manifest by itself."""
    template, manifest = approved
    approval = read_approval(template.world.context.workspace, manifest.sha256)
    assert judge_approval(manifest, signed(approval, KEY), KEY).targets == manifest.targets
    with pytest.raises(Tampered):
        judge_approval(manifest, signed(approval.model_copy(update=change(approval)), KEY), KEY)


@pytest.mark.contract("AP-2")
def test_an_id_that_is_no_target_is_refused(approved: tuple[Template, Manifest]) -> None:
    template, manifest = approved
    approval = read_approval(template.world.context.workspace, manifest.sha256)
    foreign = approval.model_copy(update={"message_ids": ("m1", "m6")})
    with pytest.raises(ApprovalRefused):
        judge_approval(manifest, signed(foreign, KEY), KEY)


@pytest.mark.contract("AP-2")
def test_another_key_is_refused(approved: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = approved
    world = template.fresh(tmp_path / "w").with_context(approval_key=lambda: b"another account's key, 32 bytes!")
    with pytest.raises(Tampered):
        world.execute(manifest.sha256)
    approval = read_approval(world.context.workspace, manifest.sha256)
    assert approval.mac == approval_mac(approval, KEY) and approval.mac != approval_mac(approval, b"x")


@pytest.mark.contract("AP-2", "P4")
def test_approvals_swapped_between_manifests_are_refused(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail(f"m{n}", "INBOX") for n in range(8)])
    digests = []
    for number in range(8):
        world.clock.pass_minutes(0.1)
        digests.append(world.ready({f"m{n}": "archive" for n in range(number + 1)}))
    folder, random = world.context.workspace.manifests, Random(2)
    approvals = {digest: (folder / f"{digest}.approval.json").read_bytes() for digest in digests}
    for _ in range(sweep(500)):
        mine, other = random.sample(digests, 2)
        (folder / f"{mine}.approval.json").write_bytes(approvals[other])
        with pytest.raises(Tampered):
            world.execute(mine)
        (folder / f"{mine}.approval.json").write_bytes(approvals[mine])
    assert world.mailbox.received == 0


@pytest.mark.contract("AP-2", "P4")
def test_every_byte_of_an_approval_and_of_its_log_is_covered(
    approved: tuple[Template, Manifest], tmp_path: Path
) -> None:
    template, manifest = approved
    world, random = template.fresh(tmp_path / "w"), Random(3)
    (log,) = (tmp_path / "w" / "data" / "decisions" / "loop").iterdir()
    for path in (tmp_path / "w" / "manifests" / f"{manifest.sha256}.approval.json", log):
        data = path.read_bytes()
        for _ in range(sweep(1000)):
            flipped = bytearray(data)
            flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
            path.write_bytes(bytes(flipped))
            with pytest.raises(ApprovalRefused):
                world.execute(manifest.sha256)
        path.write_bytes(data)
    assert world.mailbox.received == 0
    world.execute(manifest.sha256)


@pytest.mark.contract("AP-2")
@pytest.mark.parametrize(
    ("stated", "refusal"),
    [
        ({"digest": ""}, NotATerminal),
        ({"mailbox": ""}, NotATerminal),
        ({"operations": ""}, NotATerminal),
        ({"digest": "", "mailbox": "", "operations": ""}, NotATerminal),
        ({"digest": "0" * 64}, NotApproved),
        ({"digest": "SHORT"}, NotApproved),
        ({"mailbox": "owner@example.org"}, NotApproved),
        ({"mailbox": "owner+x@example.com"}, NotApproved),
        ({"mailbox": "loop"}, NotApproved),
        ({"operations": "label=1,archive=5,create_label=1"}, NotApproved),
        ({"operations": "label=1,archive=4"}, NotApproved),
        ({"operations": "archive=4,create_label=1"}, NotApproved),
        ({"operations": "all"}, UsageRefused),
        ({"operations": "label=1,archive=4,create_label=1,trash=0"}, UsageRefused),
        ({"operations": "label=1,label=1,archive=4,create_label=1"}, UsageRefused),
        ({"operations": "label=+1,archive=4,create_label=1"}, UsageRefused),
        ({"only": "m1"}, NotApproved),
        ({"only": "m6"}, NotApproved),
        ({"manifest": "12ab"}, UsageRefused),
        ({"manifest": ""}, UsageRefused),
    ],
)
def test_without_a_terminal_everything_is_stated_in_full_and_equal(
    frozen: tuple[Template, Manifest], tmp_path: Path, stated: dict[str, str], refusal: type[Refusal]
) -> None:
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    words = {"manifest": manifest.sha256, "digest": manifest.sha256, "mailbox": OWNER, "operations": WHOLE, "only": ""}
    words = words | {name: template_digest(value, manifest) for name, value in stated.items()}
    refuse_and_leave(world, lambda: approve(world.context, **words), refusal)


def template_digest(value: str, manifest: Manifest) -> str:
    """SHORT stands for the short code: it is never an argument."""
    return manifest.sha256[:8] if value == "SHORT" else value


def refuse_and_leave(world: World, command: Callable[[], object], refusal: type[Refusal]) -> None:
    """The refusal, and the tree byte for byte as it was."""
    files = world.files()
    with pytest.raises(refusal):
        command()
    assert world.files() == files


@pytest.mark.contract("AP-2")
def test_stated_in_full_is_approved_and_so_is_a_subset_of_it(frozen: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    digest = manifest.sha256
    approval = approve(world.context, digest, digest, OWNER.upper(), "archive=2,create_label=1", "m2,m1")
    assert approval.message_ids == ("m1", "m2") and approval.approved_by == "stated"
    finished = world.execute(digest)
    assert finished.statuses["verified"] == 2 and world.mailbox.labels_of("m4") == {"INBOX"}


@pytest.mark.contract("AP-2", "AP-11")
def test_case_95_an_empty_a_bare_and_a_piped_yes_are_no_approval(
    frozen: tuple[Template, Manifest], tmp_path: Path
) -> None:
    """Input of the case: what stands on stdin without a terminal, and `apply` without an id."""
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    for scenario in case_json("95", "scenario.json"):
        arguments = scenario["args"]
        named = manifest.sha256 if len(arguments) > 1 else ""
        digest = "0" * 64 if "--digest" in arguments else ""
        refusal = NotApproved if digest else NotATerminal if named else UsageRefused
        refuse_and_leave(world, lambda n=named, d=digest: approve(world.context, n, d, "", "", ""), refusal)  # type: ignore[misc]
        typed = scenario["stdin"].removesuffix("\n")
        if named and not digest:
            person = world.with_context(terminal=Typist(typed))
            refuse_and_leave(world, lambda p=person, n=named: approve(p.context, n, "", "", "", ""), NotApproved)  # type: ignore[misc]
    assert world.mailbox.received == 0


@pytest.mark.contract("AP-2")
def test_a_person_sees_mailbox_counts_price_and_digest_and_types_the_code(
    frozen: tuple[Template, Manifest], tmp_path: Path
) -> None:
    template, manifest = frozen
    person = Typist()
    world = template.fresh(tmp_path / "w").with_context(terminal=person)
    approval = approve(world.context, manifest.sha256, "", "", "", "")
    assert approval.approved_by == "terminal" and approval.message_ids == ("m1", "m2", "m3", "m4", "m5")
    for shown in (OWNER, "loop", WHOLE, "100 quota units", manifest.sha256, "expires", "undo"):
        assert shown in person.screen


@pytest.mark.contract("AP-2", "AP-11")
@pytest.mark.parametrize("typed", ["", "y", "yes", "0" * 8, "CODE"])
def test_a_wrong_code_leaves_the_tree_as_it_was(frozen: tuple[Template, Manifest], tmp_path: Path, typed: str) -> None:
    template, manifest = frozen
    typed = manifest.sha256[:9] if typed == "CODE" else typed
    world = template.fresh(tmp_path / "w").with_context(terminal=Typist(typed))
    refuse_and_leave(world, lambda: approve(world.context, manifest.sha256, "", "", "", ""), NotApproved)


@pytest.mark.contract("AP-2")
def test_a_manifest_has_one_approval(approved: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = approved
    world = template.fresh(tmp_path / "w")
    refuse_and_leave(world, lambda: world.approve(manifest), AlreadyApproved)
    refuse_and_leave(world, lambda: world.approve(manifest, only="m1"), AlreadyApproved)


@pytest.mark.contract("AP-11")
def test_a_full_disk_at_the_approval_leaves_no_log_behind(
    frozen: tuple[Template, Manifest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.refusals import WriteFailed

    template, manifest = frozen
    world = template.fresh(tmp_path / "w")

    def full(*_: object) -> None:
        raise WriteFailed("no space")

    before = world.files()
    monkeypatch.setattr("stages.approve.create_exclusive", full)
    with pytest.raises(WriteFailed):
        world.approve(manifest)
    after = {name: data for name, data in world.files().items() if not name.endswith(".lock")}
    assert after == before


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


@pytest.mark.contract("AP-11")
def test_without_an_approval_nothing_can_be_executed(frozen: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    with pytest.raises(NotApproved):
        world.execute(manifest.sha256)
    assert world.mailbox.received == 0 and world.gmail.opened == 0


@pytest.mark.contract("AP-12")
def test_no_standing_authority_exists() -> None:
    """No document, no stage, no option lets a run happen without a person's yes to its own manifest."""
    assert get_args(Approval.model_fields["approved_by"].annotation) == ("terminal", "stated")
    assert "grant" not in {name.removesuffix(".py") for name in _names("stages")} | {
        name.removesuffix(".py") for name in _names("pipeline/models")
    }
    for name in ("approve", "execute"):
        run = import_module(f"stages.{name}").STAGE.run
        assert not {"grant", "standing", "yes", "force", "auto"} & set(signature(run).parameters)


def _names(folder: str) -> list[str]:
    return [path.name for path in (Path(__file__).parents[2] / folder).iterdir()]


def test_operations_are_spelled_strictly() -> None:
    assert parse_operations("archive=2").model_dump() == {"label": 0, "archive": 2, "create_label": 0}
    for text in ("", "archive", "archive=", "archive=-1", "archive=1,", "archive=١", "archive=1 2", "Archive=1"):
        with pytest.raises(UsageRefused):
            parse_operations(text)
