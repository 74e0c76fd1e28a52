"""The mailbox, or something pinned, changed between plan and send: excluded and named, or aborted with nothing sent."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pipeline.models.operation import ModifyLabels
from pipeline.refusals import (
    DriftAborted,
    PartlyDone,
)
from pipeline.sealing.progress import fold_events
from tests.fakes import MINE, Fault, Mailbox, Template, World, mail
from tests.guarantees.executions import (
    attempt,
    killed,
    no_locks,
)
from tests.sweeps import sweep, told

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.contract("AP-5")
def test_case_43_a_reply_after_the_plan_excludes_its_thread_only(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.mailbox.arrive(mail("m9", "INBOX", "UNREAD", thread="m1"))
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert "m1 changed membership" in caught.value.evidence
    (run,) = {path.stem for path in (tmp_path / "w" / "receipts").glob("*.jsonl")}
    progress = fold_events(world.receipt(run).events)
    assert progress.excluded == {"m1": "changed membership"}
    assert [progress.status(one) for one in ("m2", "m3", "m4")] == ["verified"] * 3
    assert "m9" not in str(world.receipt(run)) and world.mailbox.labels_of("m1") == {"INBOX", "UNREAD"}


@pytest.mark.contract("AP-5")
def test_a_star_between_plan_and_execute_excludes_the_message(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.mailbox.edit("m2", add=("STARRED",))
    with pytest.raises(PartlyDone):
        world.execute(digest)
    assert world.mailbox.labels_of("m2") == {"INBOX", "CATEGORY_UPDATES", "STARRED"}


@pytest.mark.contract("AP-5")
def test_a_change_between_two_batches_is_seen(prepared: tuple[Template, str], tmp_path: Path) -> None:
    """The mailbox changes after the drift gate, while the first batch is under way."""
    template, digest = prepared
    for edit, message_id in ((lambda box: box.edit("m4", add=("STARRED",)), "m4"),
                             (lambda box: box.arrive(mail("m9", "INBOX", thread="m3")), "m3")):  # fmt: skip
        world = template.fresh(tmp_path / message_id)
        world.gmail.faults.append(Fault("labels.create", 1, edit))
        with pytest.raises(PartlyDone) as caught:
            world.execute(digest)
        assert f"{message_id} changed " in caught.value.evidence
        assert "INBOX" in world.mailbox.labels_of(message_id)
        assert not any(message_id in c.message_ids for c in world.mailbox.changes if isinstance(c, ModifyLabels))


@pytest.mark.contract("AP-5")
def test_drift_over_the_share_aborts_with_nothing_written(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.mailbox.edit("m1", add=("STARRED",))
    world.mailbox.edit("m2", add=("STARRED",))
    files = world.files()
    with pytest.raises(DriftAborted) as caught:
        world.execute(digest)
    assert "m1 changed labels" in caught.value.evidence and caught.value.exit_code == 6
    assert world.mailbox.received == 0 and no_locks(world.files()) == no_locks(files)


@pytest.mark.contract("AP-5")
@pytest.mark.parametrize("part", ["policy", "rules", "more-rules", "record", "capture", "seal"])
def test_a_changed_pin_aborts_and_is_named(prepared: tuple[Template, str], tmp_path: Path, part: str) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    config = world.context.config
    changed = {
        "policy": replace(config, policy_bytes=config.policy_bytes + b"\n"),
        "rules": replace(config, rules=(("taxonomy.toml", b"x = 2\n"),)),
        "more-rules": replace(config, rules=(*config.rules, ("extra.toml", b""))),
        "record": replace(config, account=config.account.model_copy(update={"alias": ("loop", "other")})),
    }
    world.context = replace(world.context, config=changed.get(part, config))
    if part in ("capture", "seal"):
        name = {"capture": "getProfile.pack", "seal": "capture.json"}[part]
        (path,) = (tmp_path / "w" / "data" / "raw" / "loop").glob(f"*/{name}")
        path.write_bytes(path.read_bytes().replace(b"a", b"b", 1))
    with pytest.raises(DriftAborted):
        world.execute(digest)
    assert world.mailbox.received == 0 and world.gmail.opened == 0, "not even a gateway was opened"


@pytest.mark.contract("AP-5")
def test_a_label_of_the_plan_that_is_gone_aborts(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    digest = world.ready()
    del world.mailbox.labels[MINE]
    with pytest.raises(DriftAborted):
        world.execute(digest)
    assert world.mailbox.received == 0


@pytest.mark.contract("AP-5", "P1")
@pytest.mark.parametrize("name", ["Taxes", "job alert", "Job Alert "])
def test_a_label_of_the_plan_that_was_renamed_aborts(tmp_path: Path, name: str) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX")])
    digest = world.ready()
    world.mailbox.rename(MINE, name)
    with pytest.raises(DriftAborted) as caught:
        world.execute(digest)
    assert "Job Alert (Label_1)" in caught.value.evidence and world.mailbox.received == 0


@pytest.mark.contract("AP-5", "P2")
@pytest.mark.parametrize("edit", ["drift", "rename", "one"])
def test_an_interrupted_run_passes_the_gates_again(tmp_path: Path, edit: str) -> None:
    """Over the share, or with a renamed label, nothing more is sent and the rest is listed; one alone is left out."""
    share = 0.5 if edit == "one" else 0.0
    messages = [mail(f"m{n}", "INBOX") for n in range(6)]
    world = World.make(tmp_path, messages, batch_size=2, drift_share=share)
    digest = world.ready()
    killed(world, digest, 1, is_torn=False, only="read_back written")
    received = world.mailbox.received
    if edit == "rename":
        world.mailbox.rename(MINE, "Taxes")
    else:
        world.mailbox.edit("m4", add=("STARRED",))
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    (path,) = world.context.workspace.receipts.glob("*.jsonl")
    counts = fold_events(world.receipt(path.stem).events).counts()
    assert ("nothing more was sent" in caught.value.what) == (edit != "one")
    assert world.mailbox.received == received + (edit == "one") * 2
    assert (counts["verified"], counts["not_sent"]) == ((5, 1) if edit == "one" else (2, 4))
    world.undo()
    assert all("INBOX" in labels for labels in world.mailbox.label_sets().values())


@pytest.mark.contract("AP-5")
def test_a_look_alike_of_a_new_label_is_used_not_made(prepared: tuple[Template, str], tmp_path: Path) -> None:
    template, digest = prepared
    world = template.fresh(tmp_path / "w")
    world.mailbox.labels["Label_77"] = "JOBS/alerts"
    world.execute(digest)
    assert world.mailbox.asked["labels.create"] == 0 and "Label_77" in world.mailbox.labels_of("m1")


def test_trashed_mail_is_left_alone_even_when_its_fingerprint_says_so(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX", "TRASH"), mail("m2", "INBOX")], history_above_targets=0)
    digest = world.ready()
    with pytest.raises(PartlyDone):
        world.execute(digest)
    assert world.mailbox.labels_of("m1") == {"INBOX", "TRASH"} and world.mailbox.labels_of("m2") == {MINE}


@pytest.mark.contract("AP-5")
@pytest.mark.parametrize("is_large", [False, True])
def test_drift_on_generated_mailboxes_against_an_independent_judge(tmp_path: Path, is_large: bool) -> None:
    """Random threads, plans and edits by hand; a slow and obvious judge says which targets changed."""
    random, hits = Random(43), Counter[str]()
    for number in range(sweep(1000)):
        messages = [mail(f"m{n:02d}", "INBOX", thread=f"t{random.randrange(8)}") for n in range(random.randint(2, 14))]
        policy = {"history_above_targets": 0 if is_large else 300, "batch_size": random.choice([1, 3, 100])}
        world = World.make(tmp_path / str(number), messages, drift_share=0.3, **policy)
        chosen = random.sample(messages, random.randint(1, len(messages)))
        digest = world.ready({one.id: random.choice(["label", "archive"]) for one in chosen})
        before, members = world.mailbox.label_sets(), membership(world.mailbox)
        hand(world.mailbox, random)
        changed = changed_targets(world.mailbox, {one.id for one in chosen}, before, members)
        now = world.mailbox.label_sets()
        outcome = attempt(world, digest)
        allowed = max(1, int(0.3 * len(chosen) + 1e-9))
        if len(changed) > allowed or len(changed) == len(chosen):
            assert outcome == "drift-aborted" and world.mailbox.received == 0
        else:
            assert outcome == ("partly-done" if changed else "done")
            touched = {one for c in world.mailbox.changes if isinstance(c, ModifyLabels) for one in c.message_ids}
            assert touched == {one.id for one in chosen} - changed
            assert all(world.mailbox.label_sets().get(one) == now.get(one) for one in changed)
        hits[outcome] += 1
    told("runs on drifting mailboxes", hits)
    assert min(hits[one] for one in ("done", "partly-done", "drift-aborted")) >= 10, hits


def membership(mailbox: Mailbox) -> dict[str, set[str]]:
    """Thread -> every message id in it."""
    found: dict[str, set[str]] = {}
    for one in mailbox.messages.values():
        found.setdefault(one.thread, set()).add(one.id)
    return found


def hand(mailbox: Mailbox, random: Random) -> None:
    """A few edits by the owner and by the world, with their history."""
    for number in range(random.choice([0, 0, 1, 2, 5, 9])):
        one = random.choice(list(mailbox.messages.values()))
        match random.randrange(5):
            case 0:
                mailbox.edit(one.id, add=("STARRED",))
            case 1:
                mailbox.edit(one.id, remove=("INBOX",))
            case 2:
                mailbox.edit(one.id, add=("TRASH",))
            case 3:
                mailbox.arrive(mail(f"new{number}", random.choice(["INBOX", "DRAFT", "SPAM"]), thread=one.thread))
            case _:
                mailbox.edit(one.id, add=("UNREAD",))
                mailbox.edit(one.id, remove=("UNREAD",))


def changed_targets(
    mailbox: Mailbox, targets: set[str], before: dict[str, set[str]], members: dict[str, set[str]]
) -> set[str]:
    """Slow and obvious: other labels, or a new live member in the thread."""
    found = set()
    for one in targets:
        message = mailbox.messages[one]
        thread = [other for other in mailbox.messages.values() if other.thread == message.thread]
        live = {other.id for other in thread if not other.labels & {"TRASH", "SPAM"}}
        if message.labels != before[one] or live - members[message.thread]:
            found.add(one)
    return found


@pytest.mark.contract("AP-5", "P4")
def test_any_byte_of_anything_pinned_changed_aborts_before_a_gateway_is_opened(
    prepared: tuple[Template, str], tmp_path: Path
) -> None:
    template, digest = prepared
    world, random = template.fresh(tmp_path / "w"), Random(5)
    files = [path for path in (tmp_path / "w" / "data" / "raw").rglob("*") if path.is_file()]
    config = world.context.config
    hits: Counter[str] = Counter()
    for _ in range(sweep(300)):
        kind = random.choice(["capture", "policy", "rules"])
        path = random.choice(files)
        data = {"capture": path.read_bytes(), "policy": config.policy_bytes, "rules": config.rules[0][1]}[kind]
        flipped = bytearray(data)
        flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
        if kind == "capture":
            path.write_bytes(bytes(flipped))
        changed = {
            "capture": config,
            "policy": replace(config, policy_bytes=bytes(flipped)),
            "rules": replace(config, rules=((config.rules[0][0], bytes(flipped)),)),
        }[kind]
        with pytest.raises(DriftAborted):
            world.with_context(config=changed).execute(digest)
        if kind == "capture":
            path.write_bytes(data)
        hits[kind] += 1
    told("changed bytes of what is pinned", hits)
    assert world.gmail.opened == 0 and world.mailbox.received == 0 and len(hits) == 3


@pytest.mark.contract("AP-5")
def test_a_pinned_receipt_that_is_gone_aborts(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    finished = world.execute(world.ready({"m1": "archive"}))
    world.clock.pass_minutes(1)
    world.capture()
    digest = world.ready({"m2": "archive"})
    (world.context.workspace.receipts / f"{finished.run}.jsonl").unlink()
    received = world.mailbox.received
    with pytest.raises(DriftAborted) as caught:
        world.execute(digest)
    assert f"receipts/{finished.run}.jsonl" in caught.value.what and world.mailbox.received == received


@pytest.mark.contract("AP-5")
def test_a_receipt_that_came_after_the_plan_is_no_drift_of_another_target(tmp_path: Path) -> None:
    """Two manifests over one capture: our own first run touches nothing that the second is about."""
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    first = world.ready({"m1": "archive"})
    world.clock.pass_minutes(0.5)
    second = world.ready({"m2": "archive"})
    world.execute(first)
    assert world.execute(second).statuses["verified"] == 1


@pytest.mark.contract("AP-5", "AP-6")
def test_a_gmail_that_goes_away_while_a_batch_is_checked_leaves_the_run_open(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail(f"m{n}", "INBOX") for n in range(3)])
    digest = world.ready()
    dead = {"history.list": 1, "threads.get": 4, "getProfile": 3}
    world.gmail.faults += [Fault(method, nth, "500", forever=True) for method, nth in dead.items()]
    assert attempt(world, digest) == "unreachable" and world.mailbox.received == 0
    world.gmail.faults.clear()
    assert world.execute(digest).statuses["verified"] == 3


@pytest.mark.contract("AP-5")
@pytest.mark.parametrize("kind", ["500", "garbage", "404", "403"])
def test_a_sick_history_alone_is_made_up_for_by_reading(tmp_path: Path, kind: str) -> None:
    for limit in (0, 300):
        world = World.make(
            tmp_path / str(limit), [mail(f"m{n}", "INBOX") for n in range(3)], history_above_targets=limit
        )
        digest = world.ready()
        world.gmail.faults.append(Fault("history.list", 1, kind, forever=True))
        assert world.execute(digest).statuses["verified"] == 3


@pytest.mark.contract("AP-5")
def test_a_thread_that_cannot_be_read_leaves_its_batch_out(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail(f"m{n}", "INBOX") for n in range(3)], batch_size=2)
    digest = world.ready()
    world.mailbox.is_history_gone = True
    world.gmail.faults.append(Fault("threads.get", 4, "500"))
    with pytest.raises(PartlyDone) as caught:
        world.execute(digest)
    assert "m0 could not be read" in caught.value.evidence and world.mailbox.labels_of("m0") == {"INBOX"}
    assert world.mailbox.labels_of("m2") == {MINE}
