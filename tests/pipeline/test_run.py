"""Around a pure stage: read, call, write; beside each file what it was made from; nothing when the stage refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.artifacts import AS_OF, CAPTURES, Fact, Place, view
from pipeline.canonical import canonical_bytes, parse_json_object, sha256_hex
from pipeline.cli.loop import Loop
from pipeline.config import REPOSITORY, find_config
from pipeline.refusals import MissingArtifact, MissingPage, Refusal, TableRefused, Tampered, TamperedCapture
from pipeline.run import Chain, digests, fact_digest, make_all
from pipeline.session import Request, open_session
from pipeline.store import tree_files
from stages.decide import DECISIONS
from stages.normalize import MESSAGES
from stages.normalize import STAGE as NORMALIZE
from tests.strategies.captures import Exchange, Letter, capture_of, finished_at, raw
from tests.worlds import make_folders, write_capture


def place_in(folder: Path, *captures: Any) -> Place:
    folders = make_folders(folder)
    for capture in captures:
        write_capture(folders.workspace(), capture)
    return Place(folders.workspace(), find_config("demo", {}, folders.config))


def made_by(place: Place, name: str) -> dict[str, Any]:
    return json.loads((place.workspace.snapshots / f"{name}.made.json").read_bytes())


@pytest.mark.contract("EV-6")
def test_beside_each_file_stand_the_digests_of_what_it_was_made_from(tmp_path: Path) -> None:
    place = place_in(tmp_path, capture_of([Letter("a1", "a1")]))
    values = make_all([NORMALIZE], place)
    made = made_by(place, "messages.parquet")
    assert (made["artifact"], made["stage"]) == ("messages", "normalize")
    assert made["output"] == sha256_hex((place.workspace.snapshots / "messages.parquet").read_bytes())
    assert digests(values, [NORMALIZE])["messages"] == MESSAGES.digest(values["messages"])
    assert made["inputs"].keys() == {"evidence", "receipts"}
    assert made["inputs"]["evidence"] == fact_digest(CAPTURES, place)
    assert all(len(made[name]) == 64 for name in ("output", "code", "lock"))
    data = (place.workspace.snapshots / "messages.parquet.made.json").read_bytes()
    assert canonical_bytes(parse_json_object(data)) == data


@pytest.mark.contract("AP-5")
def test_one_changed_fact_changes_the_digest_of_the_inputs(tmp_path: Path) -> None:
    place = place_in(tmp_path, capture_of([Letter("a1", "a1")]))
    before = fact_digest(CAPTURES, place)
    assert fact_digest(CAPTURES, place) == before
    write_capture(place.workspace, capture_of([], 1))
    assert fact_digest(CAPTURES, place) != before


@pytest.mark.contract("EV-4")
def test_a_stage_that_refuses_writes_nothing(tmp_path: Path) -> None:
    page = Exchange("messages.list", {"purpose": "sent"}, 200, b'{"nextPageToken":"x"}')
    place = place_in(tmp_path, raw([page], source="ingest"))
    before = tree_files(tmp_path)
    with pytest.raises(MissingPage):
        make_all([NORMALIZE], place)
    assert tree_files(tmp_path) == before


def test_facts_are_loaded_once_for_a_whole_chain(tmp_path: Path) -> None:
    place = place_in(tmp_path, capture_of([Letter("a1", "a1")]))
    chain = Chain(place)
    assert chain.value(CAPTURES) is chain.value(CAPTURES)
    assert AS_OF.load(place) == finished_at(0)


@pytest.mark.parametrize(
    ("data", "refusal"), [(None, MissingArtifact), (b"", TableRefused), (b"PAR1junkPAR1", TableRefused)]
)
def test_a_derived_file_that_is_absent_or_damaged_is_refused_with_the_way_on(
    data: bytes | None, refusal: type[Refusal], tmp_path: Path
) -> None:
    place = place_in(tmp_path, capture_of([]))
    if data is not None:
        place.workspace.snapshots.mkdir(parents=True)
        MESSAGES.path(place.workspace).write_bytes(data)
    with pytest.raises(refusal):
        MESSAGES.load(place)


def test_a_value_of_another_form_is_never_written(tmp_path: Path) -> None:
    place = place_in(tmp_path, capture_of([]))
    with pytest.raises(TypeError, match="messages is a table"):
        MESSAGES.save(place, {"rows": 0})
    assert not place.workspace.snapshots.exists()


def test_a_mailbox_without_captures_has_no_time(tmp_path: Path) -> None:
    with pytest.raises(MissingArtifact) as refusal:
        AS_OF.load(place_in(tmp_path))
    assert refusal.value.next_command == "gmailtriage fetch"


def test_what_several_stages_need_is_worked_out_once_for_a_chain_and_is_the_same_alone(tmp_path: Path) -> None:
    place, loads, looks = place_in(tmp_path), [], []
    fact = Fact("numbers", "evidence", "two numbers", lambda place: loads.append(1) or (1, 2))
    total = view("total", "their sum", fact, lambda numbers: looks.append(1) or sum(numbers))
    chain = Chain(place)
    assert [chain.value(total), chain.value(fact), chain.value(total)] == [3, (1, 2), 3]
    assert (len(loads), len(looks)) == (1, 1)
    assert total.load(place) == 3


def test_a_changed_capture_changes_the_digest_of_the_mail_that_was_read_from_it(tmp_path: Path) -> None:
    place = place_in(tmp_path, capture_of([Letter("a1", "a1")]))
    make_all([NORMALIZE], place)
    before = made_by(place, "messages.parquet")
    write_capture(place.workspace, capture_of([Letter("a1", "a1"), Letter("b1", "b1")], 1))
    make_all([NORMALIZE], place)
    after = made_by(place, "messages.parquet")
    assert after["inputs"]["evidence"] != before["inputs"]["evidence"]
    assert after["output"] != before["output"]


@pytest.mark.contract("EV-6")
def test_derived_values_are_made_anew_when_a_fact_or_an_owners_file_has_other_bytes(tmp_path: Path) -> None:
    with open_session(Request("demo", tmp_path / "demo", REPOSITORY)) as session:
        Loop(session).fetch()
        derive = session.context.derive
        (first,) = derive(DECISIONS)
        assert derive(DECISIONS)[0] is first, "the same bytes, the same values"
        receipts = session.context.workspace.receipts
        receipts.mkdir(exist_ok=True)
        (receipts / "0123456789abcdef.jsonl").write_bytes(b"{}\n")
        with pytest.raises(Tampered):
            derive(DECISIONS)
        (receipts / "0123456789abcdef.jsonl").unlink()
        pack = next(session.context.workspace.raw.rglob("messages.get.pack"))
        pack.write_bytes(pack.read_bytes()[:-2] + b"x\n")
        with pytest.raises(TamperedCapture):
            derive(DECISIONS)
