"""EV-1: what was answered comes back byte for byte, or is refused by name; without its seal nothing exists."""

import random
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.canonical import canonical_bytes, parse_json_object, sha256_hex
from pipeline.evidence.captures import Exchange, capture_ids, read_capture, read_captures
from pipeline.evidence.writing import CaptureWriter, draft_seal, next_capture_id
from pipeline.models.capture import Capture, IndexRow, SealedFile, Window
from pipeline.refusals import ForeignAccount, IncompleteCapture, InputRefused, TamperedCapture, WriteFailed
from pipeline.store import DISK, Disk, replace_file
from pipeline.workspace import Workspace, open_workspace
from tests.pipeline.test_workspace import record
from tests.strategies.captures import ADDRESS, NOON
from tests.sweeps import IS_FULL, sweep

ID = "20261123T120000Z-00"


def place(folder: Path) -> Workspace:
    return open_workspace(folder, record("demo"), {})


def sealed(workspace: Workspace, exchanges: list[Exchange], capture_id: str = ID, disk: Disk = DISK) -> Capture:
    """Write and seal a capture of these exchanges."""
    writer = CaptureWriter(workspace, capture_id, disk)
    for exchange in exchanges:
        writer.record(exchange)
    return writer.seal(draft(writer))


def draft(writer: CaptureWriter) -> Capture:
    return draft_seal(
        writer,
        source="fetch",
        address=ADDRESS,
        purposes=("inbox",),
        window=Window(days=7, query="after:1"),
        times=(NOON, NOON),
        history_id="900100",
        units=27,
    )


def reforged(workspace: Workspace, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    """Write other index rows and a seal that fits them, as somebody who knows the format would."""
    folder = workspace.raw / ID
    rows = change([dict(parse_json_object(line)) for line in (folder / "index.jsonl").read_bytes().splitlines()])
    index = b"".join(canonical_bytes(row) + b"\n" for row in rows)
    (folder / "index.jsonl").write_bytes(index)
    seal = Capture.from_bytes((folder / "capture.json").read_bytes())
    lie = SealedFile(name="index.jsonl", sha256=sha256_hex(index), size=len(index))
    files = tuple(lie if file.name == lie.name else file for file in seal.files)
    (folder / "capture.json").write_bytes(seal.model_copy(update={"files": files}).checksummed().to_bytes())


STEP = 1 if IS_FULL else 3
"""Bytes between cuts: every byte in the long run."""

EXCHANGES = [
    Exchange("getProfile", {}, 200, b'{"emailAddress":"casey.rivers@example.com"}'),
    Exchange("messages.list", {"labelIds": ("INBOX",), "maxResults": "500", "q": "é"}, 200, b"{}"),
    Exchange("messages.get", {"id": "a1", "format": "full"}, 200, b'{"id":"a1"}'),
    Exchange("messages.get", {"id": "a2", "format": "full"}, 404, b"gone"),
    Exchange("messages.get", {"id": "a3", "format": "full"}, 0, b""),
    Exchange("messages.get", {"id": "a4", "format": "full"}, 200, b"\n\x00\r\n\xff{}\n\n"),
]

bodies = st.one_of(
    st.binary(max_size=60), st.sampled_from([b"", b"\n", b"\n\n", b"\x00", b"{}\n{}", b"\r\n", b'{"a":\n1}'])
)


@pytest.mark.contract("EV-1")
@settings(max_examples=sweep(200), deadline=None)
@given(st.lists(st.tuples(bodies, st.sampled_from(["messages.get", "messages.list", "labels.list"])), max_size=20))
def test_random_bodies_come_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, answers: list[tuple[bytes, str]]
) -> None:
    workspace = place(tmp_path_factory.mktemp("w"))
    sealed(workspace, [Exchange(method, {"n": str(n)}, 200, body) for n, (body, method) in enumerate(answers)])
    found = read_capture(workspace, ID).exchanges
    assert [(exchange.body, exchange.method) for exchange in found] == answers


@pytest.mark.contract("EV-1")
def test_every_request_is_in_the_index_in_order_with_its_parameters_and_status(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    seal = sealed(workspace, EXCHANGES)
    capture = read_capture(workspace, ID)
    assert capture.seal == seal
    assert capture.sha256 == seal.sha256
    assert [(e.method, e.status, dict(e.parameters)) for e in capture.exchanges] == [
        (e.method, e.status, dict(e.parameters)) for e in EXCHANGES
    ]
    assert [e.body for e in capture.exchanges if e.status == 200] == [e.body for e in EXCHANGES if e.status == 200]
    assert seal.counts == {"getProfile": 1, "messages.list": 1, "messages.get": 4}
    assert read_captures(workspace) == (capture,)


@pytest.mark.contract("EV-1")
def test_bodies_of_one_method_stand_back_to_back_each_with_one_newline(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    pack = (workspace.raw / ID / "messages.get.pack").read_bytes()
    assert pack == EXCHANGES[2].body + b"\n" + EXCHANGES[5].body + b"\n"


@pytest.mark.contract("EV-1")
def test_a_flipped_bit_of_any_file_is_refused_by_name(tmp_path: Path) -> None:
    """Every file, the seal and the index included, at random places and bits."""
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    files = sorted((workspace.raw / ID).iterdir())
    dice = random.Random(7)
    flips = {path.name: 0 for path in files}
    for turn in range(sweep(10_000)):
        path = files[turn % len(files)]
        before = path.read_bytes()
        at = dice.randrange(len(before))
        changed = bytearray(before)
        changed[at] ^= 1 << dice.randrange(8)
        path.write_bytes(changed)
        with pytest.raises(TamperedCapture) as refusal:
            read_capture(workspace, ID)
        assert ID in refusal.value.what
        flips[path.name] += 1
        path.write_bytes(before)
    assert read_capture(workspace, ID).seal.id == ID
    assert set(flips) == {"capture.json", "index.jsonl", "getProfile.pack", "messages.list.pack", "messages.get.pack"}
    assert min(flips.values()) >= 10


@pytest.mark.contract("EV-1")
@pytest.mark.parametrize("name", ["capture.json", "index.jsonl", "messages.get.pack"])
def test_a_file_cut_at_any_byte_or_grown_by_one_is_refused(name: str, tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    path = workspace.raw / ID / name
    before = path.read_bytes()
    for changed in (
        *(before[:cut] for cut in range(0, len(before), STEP)),
        before + b"\n",
        before + before,
        b" " + before,
    ):
        path.write_bytes(changed)
        with pytest.raises(TamperedCapture, match=name):
            read_capture(workspace, ID)


@pytest.mark.contract("EV-1")
def test_a_seal_that_says_something_else_in_valid_words_is_refused(tmp_path: Path) -> None:
    """A flip that leaves a valid canonical document, for each field."""
    workspace = place(tmp_path)
    seal = sealed(workspace, EXCHANGES)
    changes: dict[str, object] = {
        "attested_address": "other@example.com",
        "quota_units": 28,
        "history_id": "900101",
        "started_at": NOON - timedelta(seconds=1),
        "finished_at": NOON + timedelta(seconds=1),
        "purposes": ("inbox", "sent"),
        "window": Window(days=8, query="after:1"),
        "source": "ingest",
        "attested_address ": None,
    }
    for name, value in changes.items():
        forged = seal.model_copy(update={name.strip(): value})
        replace_file(workspace.raw / ID / "capture.json", forged.to_bytes())
        with pytest.raises(TamperedCapture, match=r"capture\.json"):
            read_capture(workspace, ID)
        assert Capture.from_bytes(forged.to_bytes()).to_bytes() == forged.to_bytes()


@pytest.mark.contract("EV-1")
def test_an_index_that_leaves_a_request_out_is_refused_even_when_sealed_anew(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    reforged(workspace, lambda rows: rows[:3] + rows[4:])
    with pytest.raises(TamperedCapture, match="index"):
        read_capture(workspace, ID)


@pytest.mark.contract("EV-1")
def test_an_index_row_that_points_elsewhere_is_refused(tmp_path: Path) -> None:
    for number, change in enumerate(
        ({"offset": 1}, {"length": 3}, {"file": "getProfile.pack"}, {"file": "absent.pack"}, {"sha256": "0" * 64})
    ):
        workspace = place(tmp_path / str(number))
        sealed(workspace, EXCHANGES)
        reforged(workspace, lambda rows, change=change: [*rows[:2], {**rows[2], **change}, *rows[3:]])
        with pytest.raises(TamperedCapture):
            [exchange.body for exchange in read_capture(workspace, ID).exchanges]


@pytest.mark.contract("EV-1")
def test_a_body_that_changes_after_its_capture_was_opened_is_refused_when_it_is_read(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    opened = read_capture(workspace, ID)
    pack = workspace.raw / ID / "messages.get.pack"
    pack.write_bytes(pack.read_bytes().replace(b"a1", b"b1"))
    with pytest.raises(TamperedCapture, match="differs from the index"):
        [exchange.body for exchange in opened.exchanges]


@pytest.mark.contract("EV-1")
def test_a_stranger_file_in_a_sealed_folder_is_refused(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    (workspace.raw / ID / "extra.json").write_bytes(b"{}")
    with pytest.raises(TamperedCapture, match=r"extra\.json"):
        read_capture(workspace, ID)


@pytest.mark.contract("EV-1", "EV-4")
def test_a_capture_without_its_seal_does_not_exist(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    assert capture_ids(workspace) == (ID,)
    (workspace.raw / ID / "capture.json").rename(tmp_path / "seal")
    assert capture_ids(workspace) == ()
    assert read_captures(workspace) == ()
    with pytest.raises(IncompleteCapture, match=ID):
        read_capture(workspace, ID)


@pytest.mark.contract("EV-4")
def test_a_sealed_file_that_is_missing_is_refused_by_name(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    (workspace.raw / ID / "messages.get.pack").unlink()
    with pytest.raises(IncompleteCapture, match=r"messages\.get\.pack"):
        read_capture(workspace, ID)


@pytest.mark.contract("OU-4")
def test_a_pack_that_is_a_link_to_the_same_bytes_is_not_followed(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    pack = workspace.raw / ID / "messages.get.pack"
    pack.rename(tmp_path / "elsewhere")
    pack.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputRefused):
        read_capture(workspace, ID)


@pytest.mark.contract("EV-4")
def test_a_capture_of_another_account_is_refused(tmp_path: Path) -> None:
    mine = place(tmp_path)
    other = open_workspace(tmp_path, record("loopback"), {})
    sealed(other, EXCHANGES)
    mine.raw.parent.mkdir(parents=True, exist_ok=True)
    other.raw.rename(mine.raw)
    with pytest.raises(ForeignAccount):
        read_capture(mine, ID)


@pytest.mark.contract("EV-1")
def test_a_capture_under_another_name_is_refused(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    (workspace.raw / ID).rename(workspace.raw / "20261124T120000Z-00")
    with pytest.raises(TamperedCapture):
        read_captures(workspace)


# --- writing


class Lying(Disk):
    """Takes every byte and keeps another."""

    def write(self, descriptor: int, data: bytes) -> int:
        return super().write(descriptor, data.replace(b'{"id":"a1"}', b'{"id":"a7"}'))


class Full(Disk):
    """Fails from the Nth write on."""

    def __init__(self, after: int) -> None:
        object.__setattr__(self, "left", after)

    def write(self, descriptor: int, data: bytes) -> int:
        left = self.left  # type: ignore[attr-defined]
        object.__setattr__(self, "left", left - 1)
        if left <= 0:
            raise OSError(28, "No space left on device")
        return super().write(descriptor, data)


@pytest.mark.contract("AP-8", "EV-1")
def test_a_disk_that_fills_while_a_capture_is_written_leaves_no_capture(
    tmp_path: Path,
) -> None:
    """At every write: four bodies, six rows of the index, the seal."""
    outcomes = []
    for after in range(13):
        workspace = place(tmp_path / str(after))
        try:
            sealed(workspace, EXCHANGES, disk=Full(after))
        except WriteFailed:
            assert read_captures(workspace) == ()
            outcomes.append("failed")
        else:
            assert len(read_captures(workspace)) == 1
            outcomes.append("whole")
    assert outcomes == ["failed"] * 11 + ["whole"] * 2


@pytest.mark.contract("AP-8", "EV-1")
def test_a_disk_that_keeps_other_bytes_than_it_took_leaves_no_capture(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    with pytest.raises(WriteFailed, match="reads back"):
        sealed(workspace, EXCHANGES, disk=Lying())
    assert read_captures(workspace) == ()


@pytest.mark.contract("AP-8")
def test_a_body_is_on_the_disk_before_the_index_speaks_of_it(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    writer = CaptureWriter(workspace, ID)
    for count, exchange in enumerate(EXCHANGES, start=1):
        writer.record(exchange)
        rows = (writer.folder / "index.jsonl").read_bytes().splitlines()
        assert len(rows) == count
        row = IndexRow.model_validate_json(rows[-1])
        if row.file is not None:
            pack = (writer.folder / row.file).read_bytes()
            assert pack[row.offset or 0 :][: row.length] == exchange.body
    writer.discard()
    assert not writer.folder.exists()


def test_memory_does_not_grow_with_the_bodies(tmp_path: Path) -> None:
    workspace, writer = place(tmp_path), CaptureWriter(place(tmp_path), ID)
    body = b'"' + b"x" * 1_000_000 + b'"'
    tracemalloc.start()
    for number in range(30):
        writer.record(Exchange("messages.get", {"id": f"a{number}", "format": "full"}, 200, body))
    writer.seal(draft(writer))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8_000_000, "thirty bodies of a megabyte"
    assert len(read_captures(workspace)[0].exchanges) == 30


@pytest.mark.contract("EV-1")
def test_what_a_killed_run_left_is_no_part_of_the_next_capture(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    replace_file(workspace.raw / f".partial-{ID}" / "threads.get.pack", b"left by a killed run")
    replace_file(workspace.raw / f".partial-{ID}" / "capture.json", b"{}")
    assert capture_ids(workspace) == ()
    sealed(workspace, EXCHANGES)
    assert len(read_captures(workspace)) == 1


@pytest.mark.contract("EV-1")
def test_a_sealed_capture_is_never_written_over(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    with pytest.raises(WriteFailed):
        sealed(workspace, EXCHANGES[:2])
    assert len(read_capture(workspace, ID).exchanges) == len(EXCHANGES)


def test_the_index_is_canonical_lines_and_the_seal_canonical_json(tmp_path: Path) -> None:
    workspace = place(tmp_path)
    sealed(workspace, EXCHANGES)
    for line in (workspace.raw / ID / "index.jsonl").read_bytes().splitlines():
        assert canonical_bytes(parse_json_object(line)) == line
    seal = (workspace.raw / ID / "capture.json").read_bytes()
    assert canonical_bytes(parse_json_object(seal)) == seal


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ([], "20261123T120000Z-00"),
        (["20261123T120000Z-00"], "20261123T120000Z-01"),
        (["20261123T120000Z-01"], "20261123T120000Z-02"),
        (["20261122T120000Z-04"], "20261123T120000Z-00"),
        (["20261124T000000Z-00"], "20261124T000000Z-01"),
        (["20261123T235959Z-99"], "20261124T000000Z-00"),
        (["zzz", ".partial-20261125T120000Z-00", "20261123T11"], "20261123T120000Z-00"),
    ],
)
def test_a_new_id_sorts_after_all_others_even_when_the_clock_went_back(
    taken: list[str], expected: str, tmp_path: Path
) -> None:
    workspace = place(tmp_path)
    for name in taken:
        (workspace.raw / name).mkdir(parents=True)
    found = next_capture_id(workspace, datetime(2026, 11, 23, 12, 0, 0, 987654, tzinfo=UTC))
    assert found == expected
