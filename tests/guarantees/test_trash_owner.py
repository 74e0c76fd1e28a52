"""Undo of trash against an owner at work: nothing of theirs is lost, nothing comes out of their own trash or spam."""

from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from pipeline.models.operation import ModifyLabels, Untrash
from pipeline.refusals import AlreadyUndone, PartlyDone, Unreachable
from stages.verify import verify
from tests.fakes import Fault, Killed, Mailbox, Template, World, killing, mail
from tests.guarantees.test_standalone import refused
from tests.guarantees.trashes import BOX, WAYS, WISHES, in_trash
from tests.strategies.kills import ENDED
from tests.sweeps import sweep, told

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture(scope="module")
def trashed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Template, str]]:
    """Four messages in the trash, in each of the four kinds of Gmail; with the run."""
    found = []
    for keeps, gives in WAYS:
        world = World.make(
            tmp_path_factory.mktemp("world"), [mail(one, *worn) for one, worn in BOX.items()], status="cleanup-enabled"
        )
        world.mailbox.trash_keeps_inbox, world.mailbox.untrash_gives_inbox = keeps, gives
        run = world.execute(world.ready(WISHES)).run
        assert all(world.mailbox.labels_of(one) == in_trash(world, BOX[one]) for one in WISHES)
        world.clock.pass_minutes(1)
        found.append((Template(world), run))
    return found


def edits(mailbox: Mailbox, random: Random, steps: int) -> None:
    """Stars, labels, moves, out of the trash, into spam, deletes."""
    for _ in range(steps):
        message_id = random.choice(sorted(mailbox.messages))
        label = random.choice(["STARRED", "UNREAD", "INBOX", "Label_1", "Label_7", "TRASH", "SPAM"])
        if random.random() < 0.03 and len(mailbox.messages) > 2:
            mailbox.vanish(message_id)
        elif label in mailbox.labels_of(message_id):
            mailbox.edit(message_id, remove=(label,))
        elif label != "SPAM" or random.random() < 0.3:
            mailbox.edit(message_id, add=(label,))


def expected(one: str, now: set[str], *, keeps_inbox: bool) -> set[str]:
    """An independent word on what an undo leaves of a message that wears this. Where the trash keeps INBOX, one that
    lost it there lost it by hand."""
    if one not in WISHES or "TRASH" not in now or "SPAM" in now:
        return now
    return (now - {"TRASH"}) | (set() if keeps_inbox else BOX[one] & {"INBOX"})


@pytest.mark.contract("AP-9", "P1", "P3", "AP-6")
def test_whatever_the_owner_did_before_the_undo_stands(trashed: list[tuple[Template, str]], tmp_path: Path) -> None:
    hits = Counter[str]()
    for seed in range(sweep(1000)):
        random = Random(seed)
        template, run = trashed[seed % 4]
        world = template.fresh(tmp_path / str(seed))
        edits(world.mailbox, random, random.randrange(8))
        now = world.mailbox.label_sets()
        undo_with_trouble(world, run, random, hits)
        for one, labels in world.mailbox.label_sets().items():
            wanted = expected(one, now[one], keeps_inbox=world.mailbox.trash_keeps_inbox)
            assert labels == wanted, (seed, one, now[one])
            hits["restored" if labels != now[one] else "left"] += 1
        honest_requests(world)
        assert verify(world.context).findings == () and refused(world.context.workspace.root) == []
    told("undo of trash after the owner", hits, states=("restored", "left", "killed", "fault"))


def undo_with_trouble(world: World, run: str, random: Random, hits: Counter[str]) -> None:
    """Killed somewhere, or with a fault on the way, and then again until it says that it is over."""
    asked = world.mailbox.asked
    if random.random() < 0.5:
        seen: list[str] = []
        with killing(world, random.randrange(1, 70), seen, is_torn=random.random() < 0.3), suppress(Killed):
            with suppress(PartlyDone):
                world.undo(run)
            seen.append(ENDED)
        hits["killed"] += seen[-1] != ENDED
    elif random.random() < 0.5:
        method = random.choice(["messages.untrash", "messages.batchModify", "messages.get"])
        kind = random.choice(["503", "429", "drop-before", "drop-after", "garbage", "403", "pretended"])
        nth, forever = asked[method] + random.randint(1, 12 if method == "messages.get" else 2), random.random() < 0.2
        world.gmail.faults.append(Fault(method, nth, kind, forever=forever))
        hits["fault"] += 1
        with suppress(PartlyDone, AlreadyUndone, Unreachable):
            world.undo(run)
        world.gmail.faults.clear()
    for _ in range(3):
        with suppress(PartlyDone):
            try:
                world.undo(run)
            except AlreadyUndone:
                return
    raise AssertionError("never over")


def honest_requests(world: World) -> None:
    """Nothing but taking messages of the run out of the trash, and INBOX as it was."""
    for change in world.mailbox.changes[len(WISHES) :]:
        assert isinstance(change, Untrash | ModifyLabels) and set(change.message_ids) <= WISHES.keys()
        assert not isinstance(change, ModifyLabels) or {*change.add, *change.remove} == {"INBOX"}
    assert world.mailbox.revived == []


@pytest.mark.contract("AP-9", "P3", "P6")
def test_an_owner_who_edits_between_a_killed_undo_and_the_next_loses_nothing(
    trashed: list[tuple[Template, str]], tmp_path: Path
) -> None:
    """Between untrash and the edit of INBOX nobody can tell an owner's INBOX from Gmail's; other labels are theirs."""
    hits = Counter[str]()
    for seed in range(sweep(1000)):
        random = Random(seed)
        template, run = trashed[seed % 4]
        world = template.fresh(tmp_path / str(seed))
        seen: list[str] = []
        with killing(world, random.randrange(5, 90), seen), suppress(Killed, PartlyDone):
            world.undo(run)
        edits(world.mailbox, random, random.randrange(1, 6))
        now = world.mailbox.label_sets()
        for _ in range(3):
            with suppress(PartlyDone, AlreadyUndone):
                world.undo(run)
        for one, labels in world.mailbox.label_sets().items():
            assert labels - {"INBOX", "TRASH"} == now[one] - {"INBOX", "TRASH"}, (seed, one)
            assert "TRASH" not in labels - now[one], "an undo puts nothing into the trash"
            assert "INBOX" not in labels - now[one] or not labels & {"TRASH", "SPAM"}
            assert one in WISHES or labels == now[one]
            hits["changed" if labels != now[one] else "left"] += 1
        honest_requests(world)
        assert verify(world.context).findings == () and refused(world.context.workspace.root) == []
    told("edits between a killed undo of trash and the next", hits, states=("changed", "left"))
