"""One altered byte anywhere in a workspace's facts is found and named; what is only unfinished is told."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from pipeline.models.manifest import NewLabel
from pipeline.refusals import Refusal, WrongDigest
from stages.verify import verify
from tests.fakes import Killed, Template, World, killing, mail, no_fsync
from tests.sweeps import sweep, told


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """Two captures, two manifests (the second pins the first's receipts), two runs, one undone."""
    world = World.make(tmp_path_factory.mktemp("world"), [mail("m1", "INBOX"), mail("m2", "INBOX")])
    world.execute(world.ready({"m1": "archive"}, NewLabel(create="Jobs")))
    world.clock.pass_minutes(1)
    world.undo()
    world.clock.pass_minutes(1)
    world.capture()
    world.execute(world.ready({"m2": "label"}))
    return Template(world)


def test_a_sound_workspace_holds_and_nothing_is_written(whole: Template, tmp_path: Path) -> None:
    world = whole.fresh(tmp_path / "w")
    files = world.files()
    verified = verify(world.context)
    assert verified.findings == () and world.files() == files
    assert verified.checked == {"captures": 2, "manifests": 2, "approvals": 2, "receipts": 3}
    assert "every digest and chain holds" in str(verified)


@pytest.mark.contract("P4", "EV-1", "AP-1", "AP-8")
def test_one_altered_byte_in_any_fact_is_refused_and_the_file_is_named(whole: Template, tmp_path: Path) -> None:
    world, random = whole.fresh(tmp_path / "w"), Random(4)
    root, hits = world.context.workspace.root, Counter[str]()
    facts = world.context.workspace.fact_files()
    for number in range(max(len(facts) * 3, sweep(2000))):
        path = facts[number % len(facts)]
        data = path.read_bytes()
        flipped = bytearray(data)
        flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
        path.write_bytes(bytes(flipped))
        with pytest.raises(WrongDigest) as caught:
            verify(world.context)
        path.write_bytes(data)
        name = str(path.relative_to(root))
        named = name if path.parts[-3] != "raw" else name.rsplit("/", 1)[0]
        where = f"{caught.value.what} {caught.value.evidence}"
        assert caught.value.exit_code == 3 and named.rsplit("/", 1)[-1] in where, (name, where)
        hits[path.suffix] += 1
    told("flips in any fact", hits)
    assert hits.keys() == {".json", ".jsonl", ".pack", ".consumed", ".closed", ""}


@pytest.mark.contract("P4")
def test_any_missing_fact_is_noticed(whole: Template, tmp_path: Path) -> None:
    world = whole.fresh(tmp_path / "w")
    for path in world.context.workspace.fact_files():
        data = path.read_bytes()
        path.unlink()
        if path.suffix == ".closed" or path.name.endswith(".approval.json"):
            found = told_or_refused(world)
            assert path.name.split(".")[0] in found
        else:
            with pytest.raises(WrongDigest):
                verify(world.context)
        path.write_bytes(data)


def told_or_refused(world: World) -> str:
    """What verify says, as findings or as a refusal."""
    try:
        return str(verify(world.context))
    except WrongDigest as refusal:
        return f"{refusal.what} {refusal.evidence}"


def test_an_interrupted_run_is_told_and_not_refused(whole: Template, tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    digest = world.ready()
    for at in range(1, 40):
        with killing(world, at, []), suppress(Killed, Refusal):
            world.execute(digest)
        verified = verify(world.context)
        assert all(found.kind == "unfinished" for found in verified.findings)
    world.context.workspace.decisions.joinpath("0123456789abcdef.jsonl").write_bytes(b"")
    (note,) = verify(world.context).findings
    assert (note.kind, note.what) == ("unfinished", "no approval names it")


def test_the_first_of_several_is_named_and_the_others_are_evidence(whole: Template, tmp_path: Path) -> None:
    world = whole.fresh(tmp_path / "w")
    pack = next(world.context.workspace.raw.glob("*/getProfile.pack"))
    receipt = next(world.context.workspace.receipts.glob("*.jsonl"))
    for path in (pack, receipt):
        path.write_bytes(path.read_bytes() + b"x\n")
    with pytest.raises(WrongDigest) as caught:
        verify(world.context)
    assert pack.parent.name in caught.value.what and receipt.name in caught.value.evidence
