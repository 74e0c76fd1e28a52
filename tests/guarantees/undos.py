"""One executed run to take back, the owner at work on it, and an independent word on what an undo must leave."""

from contextlib import suppress
from random import Random

import pytest

from pipeline.canonical import sha256_hex
from pipeline.models.manifest import NewLabel
from pipeline.models.operation import ModifyLabels
from pipeline.refusals import (
    AlreadyUndone,
    PartlyDone,
    Refusal,
)
from tests.fakes import Killed, Mailbox, Template, World, killing, mail
from tests.strategies.kills import ENDED


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, str, dict[str, set[str]]]:
    """Six messages after a run in batches of two: the template, the run, and every label set before it."""
    messages = [
        mail("m1", "INBOX", "UNREAD"),
        mail("m2", "INBOX", "CATEGORY_UPDATES"),
        mail("m3", "INBOX"),
        mail("m4", "INBOX", "Label_7"),
        mail("m5", "INBOX"),
        mail("m6", "INBOX"),
    ]
    world = World.make(tmp_path_factory.mktemp("world"), messages, batch_size=2)
    before = world.mailbox.label_sets()
    kinds = ("archive", "archive", "label", "archive", "label", "archive")
    wishes = dict(zip(("m1", "m2", "m3", "m4", "m5", "m6"), kinds, strict=True))
    finished = world.execute(world.ready(wishes, NewLabel(create="Jobs")))
    world.clock.pass_minutes(1)
    return Template(world), finished.run, before


OURS = {
    one: {"Label_12"} if one in ("m3", "m5") else {"Label_12", "INBOX"} for one in ("m1", "m2", "m3", "m4", "m5", "m6")
}
"""The labels that the run changed on each message."""


def edits(mailbox: Mailbox, random: Random, steps: int) -> None:
    """The owner at work: stars, reads, files, moves, takes our label off, trashes, marks as spam, deletes."""
    for _ in range(steps):
        message_id = random.choice(sorted(mailbox.messages))
        label = random.choice(["STARRED", "UNREAD", "INBOX", "Label_12", "Label_7", "TRASH", "SPAM"])
        if random.random() < 0.02 and len(mailbox.messages) > 2:
            del mailbox.messages[message_id]
        elif label in mailbox.labels_of(message_id) or random.random() < 0.3:
            mailbox.edit(message_id, remove=(label,))
        elif label not in ("TRASH", "SPAM") or random.random() < 0.3:
            mailbox.edit(message_id, add=(label,))


def expected(before: set[str], now: set[str], ours: set[str]) -> set[str]:
    """An independent word on what an undo leaves: our labels as before the run, everything else as it is; mail that
    is away stays exactly as it is."""
    return set(now) if now & {"TRASH", "SPAM"} else (now - ours) | (before & ours)


def killed(world: World, run: str, at: int, *, is_torn: bool, only: str = "") -> list[str]:
    """The steps of an undo until the process died or came to its end."""
    seen: list[str] = []
    with killing(world, at, seen, is_torn=is_torn, only=only), suppress(Killed):
        with suppress(Refusal):
            world.undo(run)
        seen.append(ENDED)
    return seen


def finish(
    world: World,
    run: str,
    digest: str | None = None,
    *,
    tries: int = 6,
    over: tuple[type[Refusal], ...] = (AlreadyUndone,),
) -> None:
    """Undo again until it says that nothing is left, in one of the ways of saying so."""
    for _ in range(tries):
        try:
            world.undo(run, digest)
        except over:
            return
        except PartlyDone:
            continue
    raise AssertionError("never ends")


def refuse_foreign(mailbox: Mailbox) -> None:
    """Every request of an undo is an inverse: INBOX at most is given, our label at most is taken."""
    for change in mailbox.changes:
        if isinstance(change, ModifyLabels) and change.add != ("Label_12",):
            assert set(change.add) <= {"INBOX"} and set(change.remove) <= {"Label_12"}
    assert mailbox.revived == []


def rechained(data: bytes) -> bytes:
    """The lines with their chain made right again: everybody can compute it."""
    import json

    from pipeline.canonical import canonical_bytes
    from pipeline.models.receipt import GENESIS

    previous, lines = GENESIS, []
    for line in data.splitlines():
        made = canonical_bytes({**json.loads(line), "previous": previous})
        lines.append(made)
        previous = sha256_hex(made)
    return b"".join(line + b"\n" for line in lines)
