"""Undo of a part: exactly that part goes back, the rest stays for a later undo, and the receipt says which is which."""

from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from pipeline.models.manifest import NewLabel
from pipeline.refusals import AlreadyUndone, Busy, NotApproved, PartlyDone, SelectorRefused, Tampered
from pipeline.sealing.receipts import fold_receipts, read_receipts
from stages.verify import verify
from tests.fakes import Killed, Mail, Template, Typist, World, killing
from tests.guarantees.undos import edits, expected
from tests.strategies.kills import ENDED
from tests.sweeps import sweep

SENDERS = {"m1": "alerts@boardly.example", "m2": "news@letters.example", "m3": "alerts@boardly.example"}
KINDS = {"m1": "archive", "m2": "archive", "m3": "label", "m4": "archive", "m5": "label", "m6": "archive"}
OURS = {one: {"Label_12"} if kind == "label" else {"Label_12", "INBOX"} for one, kind in KINDS.items()}

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, str, dict[str, set[str]]]:
    """Six messages of two senders after a run in batches of two; the run; every label set before it."""
    messages = [
        Mail(one, one, {"INBOX", "STARRED"} if one == "m4" else {"INBOX"}, sender=SENDERS.get(one, "eve@corp.example"))
        for one in KINDS
    ]
    world = World.make(tmp_path_factory.mktemp("world"), messages, batch_size=2)
    before = world.mailbox.label_sets()
    finished = world.execute(world.ready(KINDS, NewLabel(create="Jobs")))
    world.clock.pass_minutes(1)
    return Template(world), finished.run, before


def undone_ids(world: World) -> set[str]:
    """Messages that the receipts call taken back."""
    folds = fold_receipts(read_receipts(world.context.workspace))
    return {one for one, fold in folds.items() if fold.is_undone}


@pytest.mark.contract("AP-9")
@pytest.mark.parametrize(
    ("only", "except_", "part"),
    [
        ("m1", "", {"m1"}),
        ("m1,id:m3", "", {"m1", "m3"}),
        ("", "m1", {"m2", "m3", "m4", "m5", "m6"}),
        ("sender:boardly.example", "", {"m1", "m3"}),
        ("sender:news@letters.example", "", {"m2"}),
        ("group:job_alert/label", "", {"m3", "m5"}),
        ("group:Job Alert/archive", "sender:corp.example", {"m1", "m2"}),
    ],
)
def test_exactly_the_part_goes_back_and_the_receipt_names_what_was_left(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path, only: str, except_: str, part: set[str]
) -> None:
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    after = world.mailbox.label_sets()
    finished = world.undo(run, only=only, except_=except_)
    assert world.mailbox.label_sets() == {one: (before if one in part else after)[one] for one in before}
    opened = world.receipt(finished.run).opened
    assert (set(opened.message_ids), set(opened.leaves)) == (part, KINDS.keys() - part)
    assert set(finished.leaves) == KINDS.keys() - part and "were not asked for" in str(finished)
    assert undone_ids(world) == part
    assert verify(world.context).findings == ()


@pytest.mark.contract("AP-9")
def test_the_rest_later_and_the_same_part_never_twice(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, before = executed
    world = template.fresh(tmp_path / "w")
    world.undo(run, only="sender:boardly.example")
    files, sent = world.files(), len(world.mailbox.changes)
    with pytest.raises(AlreadyUndone, match="that part"):
        world.undo(run, only="m1,m3")
    assert world.files() == files and len(world.mailbox.changes) == sent
    overlapping = world.undo(run, only="m3,m4")
    assert world.receipt(overlapping.run).opened.message_ids == ("m4",)
    rest = world.undo()
    assert world.receipt(rest.run).opened.message_ids == ("m2", "m5", "m6") and rest.leaves == ()
    assert world.mailbox.label_sets() == before and undone_ids(world) == set(before)
    with pytest.raises(AlreadyUndone):
        world.undo(run)
    assert verify(world.context).findings == ()


@pytest.mark.contract("AP-9", "AP-11")
@pytest.mark.parametrize(
    ("only", "except_"),
    [("m9", ""), ("", "sender:nobody.example"), ("group:offer", ""), ("m1", "m1"), ("m1,,m2", ""), ("kind:x", "")],
)
def test_a_selector_that_means_nothing_is_refused_and_nothing_is_written(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path, only: str, except_: str
) -> None:
    template, run, _ = executed
    world = template.fresh(tmp_path / "w")
    files = world.files()
    with pytest.raises(SelectorRefused):
        world.undo(run, only=only, except_=except_)
    assert world.files() == files and world.gmail.opened == 0


@pytest.mark.contract("AP-9")
def test_a_person_confirms_the_exact_part_and_not_another(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, _ = executed
    codes = set()
    for number, only in enumerate(("", "m1", "m2")):
        typist = Typist()
        world = template.fresh(tmp_path / str(number)).with_context(terminal=typist)
        world.undo(run, "", only=only)
        codes.add(typist.screen.split("digest    ")[1][:64])
        assert ("which you did not ask for" in typist.screen) == bool(only)
    assert len(codes) == 3
    for code in codes:
        with pytest.raises(NotApproved):
            template.fresh(tmp_path / code).with_context(terminal=Typist(code[:8])).undo(run, "", only="m5")


@pytest.mark.contract("AP-9", "AP-6", "P2", "P3")
def test_parts_of_a_run_against_an_owner_at_work_with_kills(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    """The run is taken back part by part, in any cut and order, killed anywhere, while the owner edits in between."""
    template, run, before = executed
    hits = Counter[str]()
    for seed in range(sweep(600)):
        random, world = Random(seed), template.fresh(tmp_path / str(seed))
        ids = sorted(KINDS)
        random.shuffle(ids)
        while ids:
            part = {ids.pop() for _ in range(random.randint(1, len(ids)))}
            edits(world.mailbox, random, random.randrange(3))
            now = world.mailbox.label_sets()
            undo_part(world, run, part, random, hits)
            for one, labels in world.mailbox.label_sets().items():
                wanted = expected(before[one], now[one], OURS[one]) if one in part else now[one]
                assert labels == wanted, (seed, one, part)
        assert world.mailbox.revived == []
        with pytest.raises(AlreadyUndone):
            world.undo(run, "")
        assert verify(world.context).findings == ()
    print("parts", dict(hits))
    assert min(hits["whole rest"], hits["a part"], hits["killed"], hits["other part refused"]) >= 10


def undo_part(world: World, run: str, part: set[str], random: Random, hits: Counter[str]) -> None:
    """One part, with a kill half of the time; then to its end."""
    only = ",".join(sorted(part))
    if random.random() < 0.5:
        seen: list[str] = []
        with killing(world, random.randrange(1, 60), seen), suppress(Killed):
            with suppress(PartlyDone):
                world.undo(run, only=only)
            seen.append(ENDED)
        hits["killed"] += seen[-1] != ENDED
        refuse_another_part(world, run, part, hits)
    with suppress(AlreadyUndone, PartlyDone):
        world.undo(run, only=only)
    hits["whole rest" if len(part) == len(KINDS) else "a part"] += 1


def refuse_another_part(world: World, run: str, part: set[str], hits: Counter[str]) -> None:
    """While the undo of a part waits, no other part begins."""
    is_open = any(not one.is_closed for one in read_receipts(world.context.workspace))
    others = KINDS.keys() - part - undone_ids(world)
    if is_open and others:
        before = world.mailbox.label_sets()
        with suppress(AlreadyUndone), pytest.raises(Busy):
            world.undo(run, only=min(others))
        assert world.mailbox.label_sets() == before
        hits["other part refused"] += 1


@pytest.mark.contract("AP-9")
def test_a_forged_word_on_what_was_left_is_refused(
    executed: tuple[Template, str, dict[str, set[str]]], tmp_path: Path
) -> None:
    template, run, _ = executed
    world = template.fresh(tmp_path / "w")
    with killing(world, 30, []), suppress(Killed):
        world.undo(run, only="m1,m2,m3")
    (path,) = [one for one in world.context.workspace.receipts.glob("*.jsonl") if one.stem != run]
    path.write_bytes(path.read_bytes().replace(b'"leaves":["m4","m5","m6"]', b'"leaves":["m4","m5"]'))
    with pytest.raises(Tampered):
        world.undo(run)
