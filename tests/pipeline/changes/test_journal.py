"""The write-ahead journal: nothing is sent before its line is on the disk, and a broken disk ends the writing."""

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from pipeline.changes.journal import Journal
from pipeline.models.operation import IntentToken, ModifyLabels
from pipeline.models.receipt import Answered, Excluded, Intent, ReadBack, read_receipt
from pipeline.refusals import Busy, Tampered, WriteFailed
from pipeline.store import DISK, Disk
from tests.fakes import KEY, START
from tests.sweeps import sweep, told

ROOT = Path(__file__).parents[3]
EDIT = ModifyLabels(message_ids=("m1", "m2"), add=("Label_1",), remove=("INBOX",))
BEFORE = {"m1": ["UNREAD", "INBOX"], "m2": ["INBOX"]}
OPENING = {
    "run": "0" * 16,
    "purpose": "execute",
    "account": "loop",
    "address": "owner@example.com",
    "manifest": "1" * 64,
    "approval": "2" * 64,
    "message_ids": ("m1", "m2", "m3"),
    "at": START,
}


@dataclass(frozen=True)
class Sick(Disk):
    """A disk on which the `nth` system call of one kind fails; a write may be short first."""

    call: str
    nth: int
    is_short: bool = False
    seen: list[str] = field(default_factory=list)

    def _count(self, call: str) -> bool:
        self.seen.append(call)
        return call == self.call and self.seen.count(call) >= self.nth

    def write(self, descriptor: int, data: bytes) -> int:
        if self._count("write"):
            if self.is_short and len(data) > 1:
                return os.write(descriptor, data[: len(data) // 2])
            raise OSError(28, "No space left on device")
        return super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        if self._count("sync"):
            raise OSError(5, "Input/output error")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the receipt goes."""
    return tmp_path / "receipts" / f"{'0' * 16}.jsonl"


def write_run(path: Path, disk: Disk = DISK) -> Journal:
    """A small run: one batch of two, one message left out, closed."""
    journal = Journal.begin(path, path.with_suffix(".head"), KEY, OPENING, disk)
    journal.append(Excluded, message_id="m3", reason="changed labels")
    token = journal.intent(EDIT, BEFORE)
    journal.append(Answered, intent=token.sequence, status=204)
    after = ({"message_id": one, "label_ids": ("Label_1",), "status": "verified"} for one in ("m1", "m2"))
    journal.append(ReadBack, intent=token.sequence, via="read", after=tuple(after))
    journal.close(units=9, requests=3, at=START)
    return journal


@pytest.mark.contract("AP-6")
def test_the_intent_is_on_the_disk_when_the_token_exists(path: Path) -> None:
    journal = Journal.begin(path, path.with_suffix(".head"), KEY, OPENING)
    token = journal.intent(EDIT, BEFORE)
    last = read_receipt(path.read_bytes(), path.name).events[-1]
    assert isinstance(token, IntentToken) and isinstance(last, Intent)
    assert (last.sequence, last.operation) == (token.sequence, token.operation) and token.operation == EDIT
    assert {one.message_id: one.label_ids for one in last.before} == {"m1": ("INBOX", "UNREAD"), "m2": ("INBOX",)}


@pytest.mark.contract("AP-6")
def test_no_token_without_a_durable_line(path: Path) -> None:
    for number, (call, is_short) in enumerate([("write", False), ("write", True), ("sync", False)]):
        run = f"{number:016x}"
        journal = Journal.begin(path.with_name(f"{run}.jsonl"), path.with_name("x.head"), KEY, OPENING | {"run": run})
        journal.disk = Sick(call, 1, is_short)
        with pytest.raises(WriteFailed):
            journal.intent(EDIT, BEFORE)


@pytest.mark.contract("AP-6")
def test_only_the_journal_makes_tokens() -> None:
    found = [
        str(path.relative_to(ROOT))
        for folder in ("pipeline", "stages")
        for path in (ROOT / folder).rglob("*.py")
        if "journal_token" in path.read_text() or "_SEAL, seal" in path.read_text()
    ]
    assert sorted(found) == ["pipeline/changes/journal.py", "pipeline/models/operation.py"]
    with pytest.raises(TypeError):
        IntentToken(EDIT, 0, seal=object())


@pytest.mark.contract("AP-8")
def test_a_disk_that_fails_at_any_call_leaves_a_readable_prefix_and_takes_no_more(path: Path) -> None:
    hits: Counter[str] = Counter()
    for call, is_short in (("write", False), ("write", True), ("sync", False)):
        for nth in range(1, 30):
            target = path.with_name("disk.jsonl")
            target.unlink(missing_ok=True)
            disk = Sick(call, nth, is_short)
            try:
                write_run(target, disk)
                hits["whole"] += 1
            except WriteFailed:
                hits[f"{call} failed"] += 1
                refuse_half(target)
    told("system calls of a journal on a sick disk", hits)
    assert hits["write failed"] >= 10 and hits["sync failed"] >= 5


def refuse_half(path: Path) -> None:
    """No receipt at all, or whole lines and at most one torn."""
    assert not [name for name in path.parent.iterdir() if name.name.endswith(".part")]
    if path.exists():
        receipt = read_receipt(path.read_bytes(), path.name)
        journal = Journal.reopen(path, path.with_suffix(".head"), receipt, KEY)
        if not receipt.is_closed:
            journal.append(Excluded, message_id="m1", reason="vanished")
        assert not read_receipt(path.read_bytes(), path.name).is_torn


@pytest.mark.contract("AP-8")
def test_after_a_failed_write_the_journal_is_finished(path: Path) -> None:
    journal = Journal.begin(path, path.with_suffix(".head"), KEY, OPENING)
    journal.disk = Sick("write", 1)
    with pytest.raises(WriteFailed):
        journal.append(Excluded, message_id="m1", reason="vanished")
    journal.disk = DISK
    with pytest.raises(WriteFailed):
        journal.append(Excluded, message_id="m1", reason="vanished")
    with pytest.raises(WriteFailed):
        journal.close(units=0, requests=0, at=START)


@pytest.mark.contract("AP-8")
def test_a_closed_journal_takes_no_more(path: Path) -> None:
    journal = write_run(path)
    data = path.read_bytes()
    with pytest.raises(WriteFailed):
        journal.append(Excluded, message_id="m1", reason="vanished")
    assert path.read_bytes() == data


@pytest.mark.contract("AP-8")
def test_a_run_has_one_receipt(path: Path) -> None:
    write_run(path)
    with pytest.raises(Busy):
        Journal.begin(path, path.with_suffix(".head"), KEY, OPENING)


@pytest.mark.contract("AP-8")
def test_cut_anywhere_a_receipt_is_a_prefix_or_refused(path: Path) -> None:
    write_run(path)
    data = path.read_bytes()
    whole = read_receipt(data, path.name)
    for cut in range(len(data) + 1):
        try:
            receipt = read_receipt(data[:cut], path.name)
        except Tampered:
            assert b"\n" not in data[:cut]
            continue
        assert receipt.events == whole.events[: len(receipt.events)]
        assert receipt.is_torn == (not data[:cut].endswith(b"\n"))


@pytest.mark.contract("AP-8", "P4")
def test_altered_lines_are_refused(path: Path) -> None:
    """Flips, exchanged, dropped and doubled lines, a foreign key, a blank line: the chain or the form breaks."""
    write_run(path)
    data, random = path.read_bytes(), Random(8)
    lines = data.splitlines(keepends=True)
    for _ in range(sweep(40_000, 100)):
        position = random.randrange(len(data) - 1)
        flipped = bytearray(data)
        flipped[position] ^= 1 << random.randrange(8)
        if position < len(data) - len(lines[-1]) or b"\n" not in bytes(flipped)[-1:]:
            with pytest.raises(Tampered):
                read_receipt(bytes(flipped), path.name)
    for broken in (
        [lines[0], *lines[2:]],
        [lines[0], lines[2], lines[1], *lines[3:]],
        [lines[0], *lines],
        [*lines[:2], b"\n", *lines[2:]],
        lines[1:],
        [lines[0].replace(b'{"account"', b'{"Account":1,"account"'), *lines[1:]],
        [],
    ):
        with pytest.raises(Tampered):
            read_receipt(b"".join(broken), path.name)


def test_reopening_cuts_the_torn_line_and_goes_on_with_the_chain(path: Path) -> None:
    journal = Journal.begin(path, path.with_suffix(".head"), KEY, OPENING)
    journal.intent(EDIT, BEFORE)
    with path.open("ab") as file:
        file.write(b'{"event":"answ')
    receipt = read_receipt(path.read_bytes(), path.name)
    again = Journal.reopen(path, path.with_suffix(".head"), receipt, KEY)
    assert receipt.is_torn and again.progress.status("m1") == "indeterminate"
    again.append(Answered, intent=1, status=204)
    assert [event.event for event in read_receipt(path.read_bytes(), path.name).events] == [
        "opened",
        "intent",
        "answered",
    ]


def test_the_closing_counts_every_target_and_is_authenticated(path: Path) -> None:
    closed = write_run(path).events[-1]
    assert closed.event == "closed" and closed.is_authentic(KEY) and not closed.is_authentic(b"another key")
    assert closed.statuses == {
        "verified": 2,
        "conflict": 0,
        "vanished": 0,
        "not_sent": 1,
        "failed": 0,
        "indeterminate": 0,
    }
    assert closed.not_sent == ("m3",)


def test_the_key_is_not_in_the_journals_repr(path: Path) -> None:
    assert KEY.decode() not in repr(Journal.begin(path, path.with_suffix(".head"), KEY, OPENING))
    assert json.loads(path.read_bytes())["event"] == "opened"
