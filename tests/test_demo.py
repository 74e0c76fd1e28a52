"""The demo is the newcomer's proof: the same facts, byte for byte, on every machine, and a lie is found by name."""

import shutil
from pathlib import Path

import pytest

from pipeline.cli.demo import compare, facts, run_demo
from pipeline.cli.reproduce import reproduced
from pipeline.config import REPOSITORY
from pipeline.refusals import Refusal, WrongDigest
from pipeline.sealing.documents import manifest_ids, read_manifest
from pipeline.session import Request, open_session
from pipeline.workspace import Demo
from tests.sweeps import sweep


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scratch workspace that the demo's loop has just filled, compared with the committed facts on the way."""
    scratch = tmp_path_factory.mktemp("demo") / "scratch"
    run_demo(scratch, REPOSITORY, is_accepting=False)
    return scratch


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Demo:
    """A copy of the facts that a test may damage."""
    shutil.copytree(made, tmp_path / "copy")
    return Demo(tmp_path / "copy", "demo", tmp_path / "copy" / "receipts")


def demo_at(root: Path) -> Demo:
    return Demo(root, "demo", root / "receipts")


@pytest.mark.contract("EV-6")
def test_the_loop_makes_exactly_the_committed_facts(made: Path) -> None:
    assert compare(demo_at(made), demo_at(REPOSITORY)) == len(facts(demo_at(REPOSITORY))) > 10


@pytest.mark.contract("P4")
def test_a_flipped_byte_in_any_fact_is_found_and_the_file_is_named(made: Path, copied: Demo) -> None:
    for name, path in facts(copied).items():
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]) if whole else b"x")
        with pytest.raises(WrongDigest) as refusal:
            compare(demo_at(made), copied)
        assert name in refusal.value.what
        path.write_bytes(whole)
    assert compare(demo_at(made), copied)


def test_a_missing_and_an_added_fact_are_found_and_named(made: Path, copied: Demo) -> None:
    name, path = sorted(facts(copied).items())[0]
    path.unlink()
    with pytest.raises(WrongDigest, match="differs") as refusal:
        compare(demo_at(made), copied)
    assert name in refusal.value.what
    with pytest.raises(WrongDigest):
        compare(copied, demo_at(made))


@pytest.mark.contract("EV-6")
def test_a_manifest_comes_out_again_from_its_raw_files(made: Path) -> None:
    with open_session(Request("demo", made, REPOSITORY)) as session:
        for digest in manifest_ids(session.context.workspace):
            assert reproduced(session, read_manifest(session.context.workspace, digest))["decisions"]


@pytest.mark.contract("P4", "EV-1")
def test_a_manifest_does_not_come_out_again_from_altered_raw_files(copied: Demo) -> None:
    pack = next(copied.raw.rglob("messages.get.pack"))
    data = pack.read_bytes()
    for place in range(0, len(data), max(1, len(data) // sweep(200))):
        pack.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        with open_session(Request("demo", copied.root, REPOSITORY)) as session, pytest.raises(Refusal) as refusal:
            reproduced(session, read_manifest(copied, manifest_ids(copied)[0]))
        assert "messages.get.pack" in refusal.value.what
