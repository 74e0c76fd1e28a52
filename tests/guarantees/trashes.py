"""Trash under attack: mailboxes of the four kinds that Gmail may be, an approved manifest of trash in a workspace with
a past, and the questions that are asked after every attack.

    template, digest = littered[number % 4]        # INBOX kept in the trash or not, given back by untrash or not
    world = template.fresh(tmp_path / "1")
    judge_trash(world, BOX)                        # of the newest execution, against the mailbox as it is now
"""

from collections.abc import Mapping

import pytest

from pipeline.models.manifest import KEPT_IN_TRASH
from pipeline.models.operation import ModifyLabels, Trash, Untrash
from pipeline.models.receipt import Closed
from pipeline.refusals import AlreadyUndone, NothingToDo
from pipeline.sealing.documents import read_manifest
from pipeline.sealing.progress import Progress, fold_events
from pipeline.sealing.receipts import StoredReceipt, load_receipts
from tests.fakes import KEY, Template, World, mail
from tests.guarantees.undos import finish

WAYS = [(False, False), (False, True), (True, False), (True, True)]
"""Whether INBOX stays in the trash, and whether untrash puts it back."""
BOX = {
    "m1": {"INBOX", "UNREAD", "CATEGORY_PROMOTIONS"},
    "m2": {"INBOX", "CATEGORY_PROMOTIONS"},
    "m3": {"UNREAD", "CATEGORY_UPDATES", "Label_7"},
    "m4": {"INBOX", "CATEGORY_PROMOTIONS", "Label_1"},
    "m5": {"INBOX"},
}
WISHES = dict.fromkeys(("m1", "m2", "m3", "m4"), "trash")
APPROVED = {"m1", "m2", "m3"}
CHANGE = "messages.trash"
"""The request of every change that such a manifest allows."""


def in_trash(world: World, before: set[str]) -> set[str]:
    """An independent word on what a trashed message wears."""
    return (before | {"TRASH"}) - (set() if world.mailbox.trash_keeps_inbox else {"INBOX"})


@pytest.fixture(scope="module")
def littered(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Template, str]]:
    """One workspace for each of the four ways: a run of labels that stands, a run of trash that was undone, and a
    manifest that trashes four messages, one of them archived before and two of one thread; three are approved."""
    found = []
    for way in WAYS:
        messages = [mail(one, *labels, thread="m1" if one == "m2" else "") for one, labels in BOX.items()]
        messages.append(mail("m6", "INBOX"))
        root = tmp_path_factory.mktemp("littered")
        world = World.make(root, messages, status="cleanup-enabled", drift_share=0.5)
        world.mailbox.trash_keeps_inbox, world.mailbox.untrash_gives_inbox = way
        world.execute(world.ready({"m6": "archive"}))
        world.clock.pass_minutes(1)
        run = world.execute(world.ready({"m4": "trash", "m5": "trash"})).run
        world.clock.pass_minutes(1)
        world.undo(run)
        world.clock.pass_minutes(1)
        world.capture()
        digest = world.ready(WISHES, only=",".join(sorted(APPROVED)))
        world.mailbox.changes.clear()
        world.mailbox.asked.clear()
        world.mailbox.received = 0
        found.append((Template(world), digest))
    return found


def newest_run(world: World) -> StoredReceipt:
    """The receipt of the newest execution."""
    return [one for one in load_receipts(world.context.workspace) if one.receipt.opened.purpose == "execute"][-1]


def take_back(world: World, run: str, digest: str | None = None) -> None:
    """Undo again until it says that nothing is left; at most five times."""
    finish(world, run, digest, tries=5, over=(AlreadyUndone, NothingToDo))


def judge_trash(world: World, before: Mapping[str, set[str]]) -> Progress:
    """Verified is true, every approved target is accounted for and none is protected, prior labels are the true ones,
    the way back has its deadline, nothing else happened."""
    stored = newest_run(world)
    progress, closed = fold_events(stored.receipt.events), stored.receipt.events[-1]
    opened = stored.receipt.opened
    assert isinstance(closed, Closed) and closed.is_authentic(KEY) and not progress.pending
    assert sum(closed.statuses.values()) == len(APPROVED) and set(opened.message_ids) == APPROVED
    assert opened.trash_kept_until == opened.at + KEPT_IN_TRASH
    targets = read_manifest(world.context.workspace, opened.manifest).targets
    assert not any(one.protected for one in targets)
    for one, status in progress.statuses().items():
        now = world.mailbox.labels_of(one)
        assert status != "verified" or now == in_trash(world, before[one]), (one, now)
        assert status not in ("not_sent", "failed") or now == before[one], (one, now)
        assert now == before[one] or set(progress.first_before[one]) == before[one], one
    refuse_foreign_trash(world)
    return progress


def refuse_foreign_trash(world: World) -> None:
    """Only approved messages, each by itself: into the trash, out of it, and then INBOX at most."""
    for change in world.mailbox.changes:
        assert isinstance(change, Trash | Untrash | ModifyLabels) and set(change.message_ids) <= APPROVED
        assert not isinstance(change, ModifyLabels) or {*change.add, *change.remove} == {"INBOX"}
    assert world.mailbox.revived == []
