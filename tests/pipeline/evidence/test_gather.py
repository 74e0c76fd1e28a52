"""Sheets of single captures, folded, are what all captures at once say."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from pipeline.evidence.captures import RawCapture
from pipeline.evidence.gather import evidence_of, gather
from pipeline.evidence.lists import known_of
from pipeline.evidence.raw import Reading, read_mail
from pipeline.evidence.sheet import Sheet, nobody, sheet_of
from pipeline.mail.message import Mail
from pipeline.refusals import Refusal
from pipeline.tables import SHOWN, TOLD
from stages.normalize import normalize
from tests.reference.normalize import reference_normalize
from tests.strategies.captures import Letter, capture_of, captures, finished_at
from tests.strategies.chains import chains
from tests.strategies.receipts import Change, receipt_of
from tests.sweeps import sweep

DONE = receipt_of(
    finished_at(1), Change("18f0a1b2c3d40000", ("INBOX",), add=("Label_12",), remove=("INBOX",)),
)  # fmt: skip


def outcome(found: tuple[RawCapture, ...], *, is_reference: bool) -> dict[str, object] | str:
    """Every table's rows, or that the set is refused: of two reasons either may come first."""
    try:
        if is_reference:
            return {name: frame.rows() for name, frame in reference_normalize(found, (DONE,)).items()}
        tables = normalize(evidence_of(found), (DONE,))
    except Refusal:
        return "refused"
    return {name: frame.rows() for name, frame in tables.items() if name != "labels"}


@pytest.mark.contract("EV-6")
def test_folded_sheets_say_what_all_captures_at_once_say() -> None:
    reached: Counter[str] = Counter()

    @settings(max_examples=sweep(4_000), deadline=None)
    @given(chains())
    def compare(found: tuple[RawCapture, ...]) -> None:
        ours = outcome(found, is_reference=False)
        assert ours == outcome(found, is_reference=True)
        reached.update(kinds(found) if isinstance(ours, dict) else ("refused",))

    compare()
    print(dict(reached))
    assert min(reached[kind] for kind in ("refused", "folded", "crowded", "gone", "moved")) >= 10


def kinds(found: tuple[RawCapture, ...]) -> Iterator[str]:
    """What had to be folded."""
    evidence = evidence_of(found)
    yield "folded"
    yield from ("crowded",) if evidence.crowded else ()
    yield from ("gone",) if (evidence.refused["reason"] == "gone").any() else ()
    yield from ("moved",) if evidence.sightings.height > evidence.messages.height else ()


@pytest.mark.contract("EV-6")
@settings(max_examples=sweep(500), deadline=None)
@given(captures())
def test_hostile_mail_folds_the_same(found: tuple[RawCapture, ...]) -> None:
    assert outcome(found, is_reference=False) == outcome(found, is_reference=True)


def test_mail_is_shown_on_the_way_each_id_once_and_in_chunks() -> None:
    letters = [Letter(f"a{number}", f"a{number}") for number in range(3)]
    capture = capture_of(letters, hostile=capture_of(letters[:1]).exchanges[4:])
    looks: list[tuple[Reading, ...]] = []
    sheet = sheet_of(capture, known_of((capture,)), looks.append)
    seen = [reading.mail.id for look in looks for reading in look if isinstance(reading.mail, Mail)]
    assert seen == ["a0", "a1", "a2"]
    assert sheet.shown.height == 4
    evidence = gather((capture,), [sheet])
    assert [reading.key for reading in evidence.crowded] == ["a0"]
    assert set(evidence.homes["message_id"]) == {"a1", "a2"}


@pytest.mark.contract("EV-2")
@settings(max_examples=sweep(200), deadline=None)
@given(chains())
def test_a_sheet_survives_its_file_and_holds_what_its_schema_names(found: tuple[RawCapture, ...]) -> None:
    known = known_of(found)
    for capture in found:
        try:
            sheet = sheet_of(capture, known, lambda readings: None)
        except Refusal:
            continue
        again = Sheet(sheet.seal, SHOWN.read(SHOWN.write(sheet.shown)), TOLD.read(TOLD.write(sheet.told)))
        assert again.shown.equals(sheet.shown)
        assert again.told.equals(sheet.told)


@pytest.mark.contract("EV-7")
@settings(max_examples=sweep(500), deadline=None)
@given(captures())
def test_a_sheet_is_the_same_whether_bodies_are_read_whole_or_as_far_as_a_row_needs(
    found: tuple[RawCapture, ...],
) -> None:
    known = known_of(found)
    for capture in found:
        assert sheet_of(capture, known, nobody).shown.equals(sheet_of(capture, known, lambda readings: None).shown)


def test_no_capture_is_an_empty_mailbox() -> None:
    evidence = evidence_of(())
    assert (evidence.messages.height, evidence.labels_at) == (0, None)
    assert read_mail(()) == ()
