"""A standing grant allows labels of its names within its counts, under exactly what it names; never an archive."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline import docs
from pipeline.changes.closing import Finished
from pipeline.cli.grants import described
from pipeline.cli.label import labelled
from pipeline.cli.loop import Loop
from pipeline.models.approval import GrantedApproval, approval_mac, signed
from pipeline.models.grant import Grant, rules_digest, signed_grant
from pipeline.models.manifest import Manifest, NewLabel
from pipeline.models.operation import CreateLabel, ModifyLabels
from pipeline.models.receipt import GENESIS
from pipeline.refusals import (
    ApprovalRefused,
    DriftAborted,
    KillSwitchOn,
    NoGrant,
    PartlyDone,
    Refusal,
    Tampered,
    WrongDigest,
)
from pipeline.sealing.authority import count_operations, subset
from pipeline.sealing.documents import approval_path, read_approval, read_decision_logs
from pipeline.sealing.grants import grant_path, revoke_grant
from pipeline.sealing.killswitch import switch_path, throw_switch
from pipeline.sealing.receipts import load_receipts
from pipeline.workspace import Loopback
from stages.approve import approve
from stages.revoke import revoke
from stages.verify import verify
from tests.fakes import KEY, MINE, OWNER, Fault, Killed, Mail, Template, World, killing, mail, no_fsync
from tests.guarantees.approvals import refuse_and_leave
from tests.guarantees.executions import no_locks
from tests.sweeps import sweep

pytestmark = pytest.mark.contract("AP-12")
WISHES = {"m1": "label", "m2": "label", "m3": "archive", "m4": "label"}
NEW = NewLabel(create="Job Alert/New")


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """Five messages; a plan that labels three and archives one."""
    world = World.make(tmp_path_factory.mktemp("world"), [mail(f"m{n}", "INBOX") for n in range(1, 6)], batch_size=2)
    world.plan(WISHES)
    return Template(world)


@pytest.fixture
def world(template: Template, tmp_path: Path) -> World:
    """A copy of that world."""
    return template.fresh(tmp_path / "w")


def grant_of(world: World, **changes: Any) -> Grant:
    """A grant that fits the world, or one that differs in some fields; signed."""
    config, now = world.context.config, world.clock.now()
    fields: dict[str, Any] = {
        "account": "loop",
        "address": OWNER,
        "registry_record": config.pinned_record().sha256,
        "policy": config.pinned_policy().sha256,
        "rules": rules_digest(config.pinned_rules()),
        "labels": ("Job Alert",),
        "new_labels": (),
        "per_run": 10,
        "per_day": 20,
        "granted_at": now,
        "expires_at": now + timedelta(days=30),
        "nonce": "0" * 32,
        "mac": GENESIS,
    }
    return signed_grant(Grant.model_validate(fields | changes), KEY)


def put(world: World, grant: Grant, name: str = "") -> str:
    """Write a grant's bytes under its digest, or under another name."""
    path = grant_path(world.context.workspace, name or grant.sha256)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(grant.to_bytes())
    return name or grant.sha256


def label(world: World, digest: str = "") -> Finished | str:
    """What cron does."""
    session = SimpleNamespace(context=world.context, place=world.place)
    return labelled(Loop(cast(Any, session)), digest)


def under(world: World, manifest: Manifest, digest: str) -> GrantedApproval:
    """An approval under a grant."""
    found = approve(world.context, manifest.sha256, "", "", "", "", "", digest)
    assert isinstance(found, GrantedApproval)
    return found


def refused(world: World, digest: str, refusal: type[Refusal] = NoGrant) -> None:
    """No approval under it, no run under it, nothing written by the refusal and nothing sent."""
    manifest = world.freeze()
    refuse_and_leave(world, lambda: under(world, manifest, digest), refusal)
    refuse_and_leave(world, lambda: label(world, digest), refusal)
    assert world.mailbox.received == 0


def test_it_labels_what_it_names_and_leaves_the_archive_to_a_person(world: World) -> None:
    before, digest = world.mailbox.label_sets(), put(world, grant_of(world))
    finished = label(world)
    assert isinstance(finished, Finished) and finished.statuses["verified"] == 3
    assert world.mailbox.label_sets() == {
        one: worn | ({MINE} if one in ("m1", "m2", "m4") else set()) for one, worn in before.items()
    }
    (stored,) = load_receipts(world.context.workspace)
    approval = read_approval(world.context.workspace, stored.receipt.opened.manifest)
    assert isinstance(approval, GrantedApproval) and approval.grant == digest and approval.is_authentic(KEY)
    assert approval.operations.archive == 0 and approval.message_ids == ("m1", "m2", "m4")
    world.clock.pass_minutes(1)
    world.undo()
    assert world.mailbox.label_sets() == before, "undone like any other run"


def test_grant_and_approval_fit_their_schemas_and_an_approval_without_its_grant_does_not(world: World) -> None:
    digest = put(world, grant_of(world))
    approval, schemas = json.loads(under(world, world.freeze(), digest).to_bytes()), docs.schemas()
    jsonschema.validate(json.loads(grant_of(world).to_bytes()), schemas["grant"])
    jsonschema.validate(approval, schemas["granted-approval"])
    del approval["grant"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(approval, schemas["granted-approval"])


def test_nobody_learns_from_what_no_person_approved(world: World) -> None:
    put(world, grant_of(world))
    label(world)
    ((_, decisions),) = read_decision_logs(world.context.workspace)
    assert len(decisions) == 5 and not any(one.approved for one in decisions)


@pytest.mark.contract("P4")
def test_one_altered_byte_of_a_grant_its_approval_its_log_or_its_revocation_is_found(world: World) -> None:
    digest = put(world, grant_of(world))
    label(world)
    revoke(world.context, digest)
    assert verify(world.context).findings == ()
    facts, root = world.context.workspace.fact_files(), world.context.workspace.root
    for path in facts:
        data = path.read_bytes()
        for at in (0, len(data) // 2, len(data) - 1):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            with pytest.raises(WrongDigest) as caught:
                verify(world.context)
            assert str(path.relative_to(root)) in caught.value.what + caught.value.evidence or path.suffix == ".pack"
        path.write_bytes(data)
    grant_path(world.context.workspace, digest).unlink()
    with pytest.raises(WrongDigest, match="missing"):
        verify(world.context)


def test_the_kill_switch_stops_it_before_anything_is_frozen(world: World) -> None:
    digest = put(world, grant_of(world))
    throw_switch(switch_path(world.context.workspace.control, "loop"))
    refuse_and_leave(world, lambda: label(world, digest), KillSwitchOn)


def test_a_label_that_the_account_spells_in_another_case_is_the_label(world: World) -> None:
    put(world, grant_of(world, labels=("job ALERT",)))
    assert isinstance(label(world), Finished) and MINE in world.mailbox.labels_of("m1")


def test_where_nothing_fits_nothing_is_frozen(world: World) -> None:
    put(world, grant_of(world))
    world.plan({"m3": "archive"})
    before = world.files()
    assert "nothing to label" in str(label(world))
    assert world.files() == before
    manifest = world.freeze()
    refuse_and_leave(world, lambda: under(world, manifest, grant_of(world).sha256), NoGrant)


OTHER: dict[str, Any] = {
    "account": "other",
    "address": "other@example.com",
    "registry_record": "1" * 64,
    "policy": "1" * 64,
    "rules": "1" * 64,
    "labels": ("Other",),
    "new_labels": ("Job Alert",),
    "per_run": 11,
    "per_day": 21,
    "granted_at": timedelta(minutes=-5),
    "expires_at": timedelta(days=60),
    "nonce": "1" * 32,
    "mac": "1" * 64,
}
FIELDS = sorted(Grant.model_fields.keys() - {"schema_version", "kind"})


def other_value(world: World, field: str) -> Any:
    """Another value of a field that the model takes."""
    value = OTHER[field]
    return world.clock.now() + value if isinstance(value, timedelta) else value


def test_every_field_is_tried() -> None:
    assert set(FIELDS) == OTHER.keys()


@pytest.mark.parametrize("field", FIELDS)
def test_each_field_changed_without_the_key_is_no_grant(world: World, field: str) -> None:
    """Under the old name its digest is wrong; under its own name its MAC is."""
    good = grant_of(world)
    forged = Grant.model_validate(good.model_dump() | {field: other_value(world, field)})
    refused(world, put(world, forged, name=good.sha256), Tampered)
    refused(world, put(world, forged), Tampered)


@pytest.mark.parametrize("field", FIELDS)
def test_each_field_changed_after_the_approval_stops_the_run(world: World, field: str) -> None:
    """The approval names the grant by its digest: what lies there now must be that grant."""
    good = grant_of(world)
    digest = put(world, good)
    manifest = world.freeze()
    under(world, manifest, digest)
    put(world, Grant.model_validate(good.model_dump() | {field: other_value(world, field)}), name=digest)
    refuse_and_leave_locks(world, manifest, Tampered)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("account", "other"),
        ("address", "other@example.com"),
        ("address", "owner+x@example.com"),
        ("registry_record", "1" * 64),
        ("policy", "1" * 64),
        ("rules", "1" * 64),
        ("labels", ("Job Alerts",)),
        ("labels", ("Job Alert/New", "Other")),
        ("granted_at", timedelta(minutes=2)),
        ("expires_at", timedelta(0)),
    ],
)
def test_a_grant_of_something_else_is_no_grant_here(world: World, field: str, value: Any) -> None:
    """Signed with the right key by the right person, and for another account, policy, rules, label or time."""
    if isinstance(value, timedelta):
        value = world.clock.now() + value
    extra = {"granted_at": world.clock.now() - timedelta(days=1)} if field == "expires_at" else {}
    digest = put(world, grant_of(world, **{field: value}, **extra))
    if field == "labels":
        manifest = world.freeze()
        refuse_and_leave(world, lambda: under(world, manifest, digest), NoGrant)
        assert "nothing to label" in str(label(world, digest)) and world.mailbox.received == 0
    else:
        refused(world, digest)


@pytest.mark.parametrize("what", ["policy", "rules", "record", "status"])
def test_a_change_of_the_owners_files_ends_it(world: World, what: str) -> None:
    digest, config = put(world, grant_of(world)), world.context.config
    changed = {
        "policy": lambda: replace(config, policy_bytes=config.policy_bytes + b"\narchive_cap = 1\n"),
        "rules": lambda: replace(config, rules=((config.rules[0][0], b"x = 2\n"),)),
        "record": lambda: replace(config, account=config.account.model_copy(update={"alias": ("loop", "b")})),
        "status": lambda: replace(config, account=config.account.model_copy(update={"status": "cleanup-enabled"})),
    }[what]()
    refused(world.with_context(config=changed), digest)
    manifest = world.freeze()
    under(world, manifest, digest)
    after = world.with_context(config=changed)
    with pytest.raises((NoGrant, DriftAborted, Refusal)):
        after.execute(manifest.sha256)
    assert world.mailbox.received == 0


@pytest.mark.parametrize(
    ("labels", "new", "made"),
    [
        (("Job Alert/New",), ("Job Alert/New",), True),
        (("Job Alert/New",), (), False),
        (("Job Alert", "Job Alert/New"), ("Job Alert",), False),
    ],
)
def test_a_label_is_made_only_where_the_grant_names_it(
    world: World, labels: tuple[str, ...], new: tuple[str, ...], made: bool
) -> None:
    world.plan({"m1": "label"}, NEW)
    put(world, grant_of(world, labels=labels, new_labels=new))
    outcome = label(world)
    assert isinstance(outcome, Finished) is made
    assert bool([one for one in world.mailbox.changes if isinstance(one, CreateLabel)]) is made


def test_a_run_touches_no_more_than_its_count_and_the_newest_first(world: World) -> None:
    world.mailbox.messages["m4"].date_ms += 1000
    world.plan(WISHES)
    put(world, grant_of(world, per_run=1))
    finished = label(world)
    assert isinstance(finished, Finished) and finished.statuses["verified"] == 1
    assert MINE in world.mailbox.labels_of("m4")


def next_mail(world: World, number: int, wish: str = "label") -> None:
    """New mail comes in, is fetched and planned."""
    fresh = [f"n{len(world.mailbox.messages)}x{n}" for n in range(number)]
    for one in fresh:
        world.mailbox.arrive(Mail(one, one, {"INBOX"}))
    world.clock.pass_minutes(1)
    world.capture()
    world.plan(dict.fromkeys(fresh, wish))


def test_a_days_count_comes_from_receipts_of_all_grants_and_ends_after_24_hours(world: World) -> None:
    put(world, grant_of(world, per_run=4, per_day=4))
    label(world)
    next_mail(world, 3)
    finished = label(world)
    assert isinstance(finished, Finished) and finished.statuses["verified"] == 1, "one was left of four"
    next_mail(world, 2)
    assert "0 are left" in str(label(world))
    revoke(world.context, "all")
    again = put(world, grant_of(world, per_run=4, per_day=4, nonce="1" * 32))
    assert "0 are left" in str(label(world, again)), "another grant does not begin a new day"
    world.clock.pass_minutes(-24 * 60)
    assert isinstance(described(world.context, again)["room"], int)
    world.clock.pass_minutes(2 * 24 * 60)
    world.capture()
    assert isinstance(label(world, again), Finished)


def test_two_approvals_at_once_do_not_get_twice_the_day(world: World) -> None:
    digest = put(world, grant_of(world, per_run=3, per_day=4))
    first = world.freeze()
    under(world, first, digest)
    world.clock.pass_minutes(1)
    second = world.freeze()
    under(world, second, digest)
    world.execute(first.sha256)
    with pytest.raises(NoGrant, match="does not allow"):
        world.execute(second.sha256)
    assert len(world.mailbox.changes) == 2


def refuse_and_leave_locks(world: World, manifest: Manifest, refusal: type[Refusal]) -> None:
    """The run is refused, and no file but the lock comes of it."""
    before = no_locks(world.files())
    with pytest.raises(refusal):
        world.execute(manifest.sha256)
    assert no_locks(world.files()) == before
    assert world.mailbox.received == 0


@pytest.mark.parametrize("what", ["revoked", "gone", "ended", "another key"])
def test_what_became_of_the_grant_after_the_approval_stops_the_run(world: World, what: str) -> None:
    digest = put(world, grant_of(world, expires_at=world.clock.now() + timedelta(minutes=30)))
    manifest = world.freeze()
    under(world, manifest, digest)
    if what == "revoked":
        revoke(world.context, digest)
    elif what == "gone":
        grant_path(world.context.workspace, digest).unlink()
    elif what == "ended":
        world.clock.pass_minutes(31)
    else:
        world = world.with_context(approval_key=lambda: b"another key of thirty-two bytes!")
    refuse_and_leave_locks(world, manifest, ApprovalRefused)


def test_revoked_between_two_batches_the_rest_is_not_sent(world: World) -> None:
    digest = put(world, grant_of(world))
    workspace = world.context.workspace
    world.gmail.faults.append(Fault("messages.batchModify", 1, lambda mailbox: revoke_grant(workspace, digest)))
    with pytest.raises(PartlyDone, match="revoked"):
        label(world)
    assert len(world.mailbox.changes) == 1
    (stored,) = load_receipts(workspace)
    assert stored.receipt.is_closed and stored.receipt.events[-1].not_sent == ("m4",)  # type: ignore[union-attr]


def test_a_copy_of_the_workspace_brings_neither_the_grant_nor_the_day_back(world: World, tmp_path: Path) -> None:
    """Lock, markers and revocations lie apart, as a live account's do."""
    control, old = tmp_path / "control", world.context.workspace
    apart = Loopback(old.root, "loop", control)
    world = world.with_context(workspace=apart)
    digest = put(world, grant_of(world, per_run=3, per_day=3))
    shutil.copytree(old.root, tmp_path / "copy")
    copy = world.with_context(workspace=Loopback(tmp_path / "copy", "loop", control))
    label(world)
    with pytest.raises(NoGrant) as caught:
        label(copy, digest)
    assert "cannot be known" in caught.value.evidence
    shutil.copytree(old.root / "receipts", tmp_path / "copy" / "receipts", dirs_exist_ok=True)
    shutil.copytree(old.root / "manifests", tmp_path / "copy" / "manifests", dirs_exist_ok=True)
    assert "0 are left" in str(label(copy, digest))
    revoke(world.context, digest)
    with pytest.raises(NoGrant, match="does not allow"):
        label(copy, digest)


@pytest.mark.parametrize("what", ["receipt gone", "approval another", "receipt cut"])
def test_a_day_that_cannot_be_counted_is_no_day(world: World, what: str) -> None:
    digest = put(world, grant_of(world))
    finished = label(world)
    assert isinstance(finished, Finished)
    next_mail(world, 1)
    path = world.context.workspace.receipts / f"{finished.run}.jsonl"
    if what == "receipt gone":
        path.unlink()
    elif what == "receipt cut":
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    else:
        manifest = load_receipts(world.context.workspace)[0].receipt.opened.manifest
        approval = approval_path(world.context.workspace, manifest)
        value = json.loads(approval.read_bytes()) | {"approved_by": "stated"}
        del value["grant"]
        approval.write_bytes(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())
    done = len(world.mailbox.changes)
    with pytest.raises(Refusal):
        label(world, digest)
    assert len(world.mailbox.changes) == done


@pytest.mark.parametrize("what", ["archive", "other label", "too many", "outlives", "no grant", "a person's"])
def test_an_approval_that_claims_more_than_its_grant_is_not_executed(world: World, what: str) -> None:
    """Signed with the real key, as only a fault of ours could: the executor judges for itself."""
    limits = {"per_run": 1} if what == "too many" else {}
    good = grant_of(world, **limits)
    if what == "outlives":
        good = grant_of(world, expires_at=world.clock.now() + timedelta(minutes=5))
    if what == "other label":
        good = grant_of(world, labels=("Other",))
    digest = put(world, good)
    manifest = world.freeze()
    wanted = {"archive": ("m1", "m3"), "too many": ("m1", "m2")}.get(what, ("m1",))
    targets = subset(manifest, wanted)
    honest = world.approve(manifest, only=",".join(wanted))
    fields = honest.model_dump() | {"approved_by": "grant", "grant": "2" * 64 if what == "no grant" else digest}
    assert fields["operations"] == count_operations(targets).model_dump()
    if what == "a person's":
        with pytest.raises(ValueError, match="under a grant"):
            type(honest).model_validate(honest.model_dump() | {"approved_by": "grant"})
        with pytest.raises(ValueError, match="under a grant"):
            GrantedApproval.model_validate(fields | {"approved_by": "stated"})
        return
    forged = signed(GrantedApproval.model_validate(fields), KEY)
    assert forged.mac == approval_mac(forged, KEY) != honest.mac
    path = world.context.workspace.decisions / f"{honest.run}.jsonl"
    path.rename(path.with_name(f"{forged.run}.jsonl"))
    approval_path(world.context.workspace, manifest.sha256).write_bytes(forged.to_bytes())
    refuse_and_leave_locks(world, manifest, NoGrant)


@pytest.mark.parametrize("at", [3, 9, 14, 20, 26])
def test_an_interrupted_run_is_finished_by_the_next(world: World, at: int) -> None:
    put(world, grant_of(world))
    before = world.mailbox.label_sets()
    with killing(world, at, []), pytest.raises(Killed):
        label(world)
    finished = label(world)
    assert isinstance(finished, Finished) and finished.statuses["verified"] == 3
    wanted = {one: worn | ({MINE} if WISHES.get(one) == "label" else set()) for one, worn in before.items()}
    assert world.mailbox.label_sets() == wanted and len(list(load_receipts(world.context.workspace))) == 1


steps = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from(["label", "label", "archive"]),
        st.sampled_from([1.0, 60.0, 600.0, 1500.0, -30.0]),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=sweep(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 4), st.integers(0, 6), steps)
def test_whatever_comes_no_archive_no_other_label_and_no_count_is_passed(
    template: Template, tmp_path_factory: pytest.TempPathFactory, per_run: int, more: int, todo: list[Any]
) -> None:
    """Mail arrives, time passes (also backwards), grants are given again; every request is looked at afterwards."""
    world = template.fresh(tmp_path_factory.mktemp("any") / "w")
    per_day = per_run + more
    put(world, grant_of(world, per_run=per_run, per_day=per_day, granted_at=world.clock.now() - timedelta(days=3)))
    sent: list[tuple[Any, int]] = []
    for number, (arrived, wish, minutes, is_regranted) in enumerate(todo):
        next_mail(world, arrived, wish)
        if is_regranted:
            revoke(world.context, "all")
            begin = world.clock.now() - timedelta(days=3)
            put(world, grant_of(world, per_run=per_run, per_day=per_day, nonce=f"{number:032x}", granted_at=begin))
        done = len(world.mailbox.changes)
        try:
            label(world)
        except Refusal:
            assert len(world.mailbox.changes) == done
        touched = sum(len(one.message_ids) for one in world.mailbox.changes[done:] if isinstance(one, ModifyLabels))
        assert touched <= per_run
        sent.append((world.clock.now(), touched))
        world.clock.pass_minutes(minutes)
    for one in world.mailbox.changes:
        assert isinstance(one, ModifyLabels) and one.add == (MINE,) and one.remove == ()
    for at, _ in sent:
        assert sum(number for when, number in sent if at - timedelta(hours=24) < when <= at) <= per_day
