"""One prepared run, ways to kill it, and the questions that are asked after every attack: did anything change that was
not approved, is anything called verified that is not so, is every target accounted for, are the prior labels true?

The fixtures `quick` and `prepared` are known to every test of this folder by its conftest.
"""

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.models.manifest import NewLabel
from pipeline.models.operation import CreateLabel, ModifyLabels
from pipeline.models.receipt import GENESIS, Closed
from pipeline.refusals import (
    Consumed,
    PartlyDone,
    Refusal,
)
from pipeline.sealing.progress import Progress, fold_events
from pipeline.sealing.receipts import load_receipts
from tests.fakes import KEY, MINE, Killed, Mailbox, Template, World, killing, mail, no_fsync
from tests.strategies.kills import ENDED


@pytest.fixture(scope="module")
def quick() -> Iterator[None]:
    """The disk's waiting switched off."""
    with no_fsync():
        yield


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, str]:
    """Six messages in five threads, four approved of five targets, two changes, a label to create, batches of two."""
    messages = [
        mail("m1", "INBOX", "UNREAD"),
        mail("m2", "INBOX", "CATEGORY_UPDATES"),
        mail("m3", "INBOX"),
        mail("m4", "INBOX", "Label_7", thread="m3"),
        mail("m5", "INBOX"),
        mail("m6", "INBOX", "STARRED"),
    ]
    world = World.make(tmp_path_factory.mktemp("world"), messages, batch_size=2)
    wishes = {"m1": "archive", "m2": "archive", "m3": "label", "m4": "archive", "m5": "archive"}
    digest = world.ready(wishes, NewLabel(create="Jobs/Alerts"), only="m1,m2,m3,m4")
    return Template(world), digest


@pytest.fixture(scope="module")
def populated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, str]:
    """The same run in a workspace with a past: one run that stands, one that was undone, and their receipts."""
    messages = [
        mail("m1", "INBOX", "UNREAD"),
        mail("m2", "INBOX", "CATEGORY_UPDATES"),
        mail("m3", "INBOX"),
        mail("m4", "INBOX", "Label_7", thread="m3"),
        mail("m5", "INBOX"),
        mail("m6", "INBOX", "STARRED"),
        mail("m7", "INBOX"),
    ]
    world = World.make(tmp_path_factory.mktemp("world"), messages, batch_size=2)
    for wishes in ({"m7": "archive"}, {"m1": "label", "m5": "archive"}):
        run = world.execute(world.ready(wishes)).run
        world.clock.pass_minutes(1)
    world.undo(run)
    world.clock.pass_minutes(1)
    world.capture()
    wishes = {"m1": "archive", "m2": "archive", "m3": "label", "m4": "archive", "m5": "archive"}
    digest = world.ready(wishes, NewLabel(create="Jobs/Alerts"), only="m1,m2,m3,m4")
    world.mailbox.changes.clear()
    world.mailbox.asked.clear()
    world.mailbox.received = 0
    return Template(world), digest


APPROVED = {"m1": "archive", "m2": "archive", "m3": "label", "m4": "archive"}


def settle(world: World, digest: str) -> str:
    """Run the command again until it says that it is over; at most three times."""
    for _ in range(3):
        try:
            world.execute(digest)
            return "done"
        except Consumed:
            return "over"
        except PartlyDone:
            return "partly"
    raise AssertionError("never ends")


def judge(world: World, before: dict[str, set[str]], *, is_alone: bool = True) -> Progress:
    """The questions. Returns what the newest receipt of an execution says."""
    stored = [one for one in load_receipts(world.context.workspace) if one.receipt.opened.purpose == "execute"]
    receipt = stored[-1].receipt
    progress = fold_events(receipt.events)
    closed = receipt.events[-1]
    assert isinstance(closed, Closed) and closed.is_authentic(KEY)
    assert sum(closed.statuses.values()) == len(APPROVED) and not progress.pending
    for message_id, status in progress.statuses().items():
        now = world.mailbox.messages.get(message_id)
        if status == "verified":
            assert now is not None
            wanted = before[message_id] | {progress.operations[message_id].add[0]}
            wanted -= {"INBOX"} if APPROVED[message_id] == "archive" else set()
            assert not is_alone or now.labels == wanted, (message_id, now.labels)
        if status in ("not_sent", "failed") and now is not None:
            assert not is_alone or now.labels == before[message_id], (message_id, now.labels)
        if message_id in progress.first_before:
            assert not is_alone or set(progress.first_before[message_id]) == before[message_id]
    refuse_foreign_changes(world.mailbox)
    return progress


def refuse_foreign_changes(mailbox: Mailbox) -> None:
    """Nothing but the approved changes on the approved ids, and at most one label made."""
    made = [one for one in mailbox.changes if isinstance(one, CreateLabel)]
    assert [one.name for one in made] in ([], ["Jobs/Alerts"])
    for change in mailbox.changes:
        if isinstance(change, ModifyLabels):
            assert set(change.message_ids) <= APPROVED.keys()
            assert change.remove in ((), ("INBOX",)) and change.add[0] not in ("INBOX", MINE)
            kinds = {APPROVED[one] for one in change.message_ids}
            assert kinds == {"archive" if change.remove else "label"}


def killed(world: World, digest: str, at: int, *, is_torn: bool, only: str = "") -> list[str]:
    """The steps until the process died; fewer than `at` when it came to its end."""
    seen: list[str] = []
    with killing(world, at, seen, is_torn=is_torn, only=only), suppress(Killed):
        with suppress(Refusal):
            world.execute(digest)
        seen.append(ENDED)
    return seen


def attempt(world: World, digest: str) -> str:
    """How one run ended, in one word."""
    try:
        world.execute(digest)
        return "done"
    except Refusal as refusal:
        return refusal.slug


def no_locks(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files without the lock, which is no fact."""
    return {name: data for name, data in files.items() if not name.endswith(".lock")}


def rechained(data: bytes, opening: dict[str, object]) -> bytes:
    """The lines with another opening and their chain made right again: everybody can compute it."""
    previous, lines = GENESIS, []
    for number, line in enumerate(data.splitlines()):
        changed = {**json.loads(line), **(opening if number == 0 else {}), "previous": previous}
        lines.append(canonical_bytes(changed))
        previous = sha256_hex(lines[-1])
    return b"".join(line + b"\n" for line in lines)
