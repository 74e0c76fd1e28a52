"""An approval binds exact bytes, account, operations, targets and time; its MAC stands for none of them alone."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from pipeline.models.approval import Approval, approval_mac, signed
from pipeline.models.manifest import Manifest
from pipeline.refusals import (
    ApprovalRefused,
    Tampered,
)
from pipeline.sealing.authority import judge_approval
from pipeline.sealing.documents import read_approval
from tests.fakes import KEY, Template, World, mail
from tests.sweeps import sweep

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.contract("AP-2")
def test_every_field_of_an_approval_changed_is_refused(sealed_yes: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = sealed_yes
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
    sealed_yes: tuple[Template, Manifest], name: str, change: Callable[[Approval], dict[str, object]]
) -> None:
    """The MAC does not stand for the bindings: each is compared with the manifest by itself."""
    template, manifest = sealed_yes
    approval = read_approval(template.world.context.workspace, manifest.sha256)
    assert judge_approval(manifest, signed(approval, KEY), KEY).targets == manifest.targets
    with pytest.raises(Tampered):
        judge_approval(manifest, signed(approval.model_copy(update=change(approval)), KEY), KEY)


@pytest.mark.contract("AP-2")
def test_an_id_that_is_no_target_is_refused(sealed_yes: tuple[Template, Manifest]) -> None:
    template, manifest = sealed_yes
    approval = read_approval(template.world.context.workspace, manifest.sha256)
    foreign = approval.model_copy(update={"message_ids": ("m1", "m6")})
    with pytest.raises(ApprovalRefused):
        judge_approval(manifest, signed(foreign, KEY), KEY)


@pytest.mark.contract("AP-2")
def test_another_key_is_refused(sealed_yes: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = sealed_yes
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
    sealed_yes: tuple[Template, Manifest], tmp_path: Path
) -> None:
    template, manifest = sealed_yes
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
