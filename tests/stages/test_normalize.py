"""The snapshot: an allow-list of columns, codes masked, one bad message alone, the same facts the same bytes."""

import base64
import copy
import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.evidence.captures import Exchange, RawCapture
from pipeline.models.receipt import Receipt
from pipeline.refusals import UnknownShape
from stages.normalize import STAGE
from tests.strategies.captures import (
    LABELS,
    Letter,
    capture_of,
    captures,
    finished_at,
    got,
    hostile_exchanges,
    letters,
)
from tests.strategies.case_files import case_json
from tests.strategies.receipts import RUN, Change, receipt_of
from tests.strategies.snapshots import normalized
from tests.sweeps import sweep

BOX = (
    Letter("a1", "a1"),
    Letter("a2", "a1", sender="Casey Rivers <casey.rivers@example.com>", labels=("SENT",), age=0.5),
    Letter("b1", "b1", subject="Your code is 482913", labels=("INBOX", "STARRED"), filename="scan.pdf"),
)


def snapshot(*found: RawCapture, receipts: tuple[Receipt, ...] = ()) -> dict[str, pl.DataFrame]:
    return normalized(found, receipts)


def encoded(tables: dict[str, pl.DataFrame]) -> dict[str, bytes]:
    """What every derived file holds, as canonical rows."""
    return {artifact.name: json.dumps(artifact.form.rows(tables[artifact.name])).encode() for artifact in STAGE.derived}


def digests(tables: dict[str, pl.DataFrame]) -> dict[str, str]:
    return {artifact.name: artifact.digest(tables[artifact.name]) for artifact in STAGE.derived}


def row_of(tables: dict[str, pl.DataFrame], message_id: str) -> dict[str, Any]:
    return tables["messages"].row(by_predicate=pl.col("id") == message_id, named=True)


# --- EV-2: nothing that was not named


CANARY = "Kanarienvogel7351"


def spellings(word: str) -> list[bytes]:
    """The canary as it could leak: plain, upper case, base64 at each offset, url-encoded, utf-16."""
    found = [
        word.encode(),
        word.upper().encode(),
        word.lower().encode(),
        word.encode("utf-16-le"),
        word.encode("utf-16-be"),
    ]
    found += ["".join(f"%{byte:02X}" for byte in word.encode()).encode(), quote(word).encode()]
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + word.encode()).rstrip(b"=")
        found += [text[4:-2], text[4:-2].replace(b"+", b"-").replace(b"/", b"_")]
    return found


def places_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every object inside a JSON value."""
    here = [path] if isinstance(value, dict) else []
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return here + [place for key, child in children for place in places_of(child, (*path, key))]


def planted(document: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """A copy of the document with the fields added to every object at every depth."""
    changed = copy.deepcopy(document)
    for place in places_of(document):
        inner: Any = changed
        for step in place:
            inner = inner[step]
        for key, value in fields.items():
            inner.setdefault(key, value)
    return changed


def canary_fields() -> dict[str, Any]:
    shapes: list[Any] = [
        CANARY,
        [CANARY],
        {CANARY: CANARY},
        {"data": base64.urlsafe_b64encode(CANARY.encode()).decode()},
    ]
    return {f"field{number}": shapes[number % len(shapes)] for number in range(sweep(500))} | {CANARY: 1}


def canary_capture() -> RawCapture:
    """A capture with canaries in unknown fields, snippet, body, attachment name and odd headers."""
    odd = ("X-Odd", "Received", "DKIM-Signature", "Message-ID", "References", "To", "Cc", "Bcc", "Reply-To", "Date")
    headers = tuple((name, f"{CANARY} <{CANARY}@x.example>") for name in odd)
    letter = Letter("a1", "a1", body=f"Hello {CANARY}", headers=headers, filename=f"{CANARY}.pdf")
    resource = planted({**letter.resource, "snippet": CANARY}, canary_fields())
    capture = capture_of([letter])
    exchanges = [got(resource) if e.parameters.get("id") == "a1" else _planted_list(e) for e in capture.exchanges]
    bad = got({"id": "bad1", "threadId": CANARY + "/../", "snippet": CANARY, "payload": {"headers": [CANARY]}}, "bad1")
    return replace(capture, exchanges=(*exchanges, bad))


def _planted_list(exchange: Exchange) -> Exchange:
    document = planted(json.loads(exchange.body), {"unknown": CANARY, CANARY: CANARY})
    return replace(exchange, held=json.dumps(document).encode())


@pytest.mark.contract("EV-2")
def test_no_canary_reaches_a_derived_file_in_any_spelling() -> None:
    capture = canary_capture()
    raw = b"".join(exchange.body for exchange in capture.exchanges)
    assert raw.count(CANARY.encode()) > sweep(500), "the canaries are there"
    tables = snapshot(capture)
    assert tables["messages"].height == 1
    assert tables["refused"].height == 1
    for name, data in encoded(tables).items():
        for spelling in spellings(CANARY):
            assert spelling not in data, f"{name} holds {spelling!r}"
    for artifact in STAGE.derived:
        parquet = pl.read_parquet(artifact.encode(tables[artifact.name]))
        assert parquet.schema == artifact.form.schema  # type: ignore[union-attr]
        assert not any(spelling in artifact.encode(tables[artifact.name]) for spelling in spellings(CANARY))


@pytest.mark.contract("EV-2")
def test_the_search_for_canaries_finds_them_where_they_may_be() -> None:
    """The subject and the sender are named columns: the search must see a word there, or it proves nothing."""
    capture = capture_of([Letter("a1", "a1", subject=f"Hello {CANARY}")])
    assert any(spelling in encoded(snapshot(capture))["messages"] for spelling in spellings(CANARY))
    for form in (
        base64.b64encode(f"ab{CANARY}cd".encode()),
        CANARY.encode("utf-16-le"),
        base64.b64encode(CANARY.encode()),
    ):
        assert any(spelling in form for spelling in spellings(CANARY))


@pytest.mark.contract("EV-2")
def test_unknown_fields_do_not_change_one_byte_of_the_snapshot() -> None:
    plain, capture = capture_of(BOX), capture_of(BOX)
    changed = tuple(
        replace(e, held=json.dumps(planted(json.loads(e.body), canary_fields())).encode()) for e in capture.exchanges
    )
    assert digests(snapshot(replace(capture, exchanges=changed))) == digests(snapshot(plain))


# --- EV-3: codes


@pytest.mark.contract("EV-3")
@pytest.mark.parametrize(
    ("subject", "code"),
    [
        ("Your code is 482913", "482913"),
        ("482913 is your verification code", "482913"),
        ("Ihr Bestätigungscode: 482 913", "482 913"),
        ("=?utf-8?q?Your_code_is_482913?=", "482913"),
        ("Votre code de vérification : 739-204", "739-204"),
    ],
)
def test_a_code_in_a_subject_or_name_is_masked_in_every_table(subject: str, code: str) -> None:
    letter = Letter("a1", "a1", subject=subject, sender=f'"Login code {code}" <alerts@firstbank.example>')
    tables = snapshot(capture_of([letter]))
    assert code.encode() not in b"".join(encoded(tables).values())
    assert row_of(tables, "a1")["subject"], "masked, not dropped"
    assert tables["threads"].row(0, named=True)["first_subject"] == row_of(tables, "a1")["subject"]


def test_a_number_that_is_no_code_stays() -> None:
    tables = snapshot(capture_of([Letter("a1", "a1", subject="Invoice 2026-118")]))
    assert row_of(tables, "a1")["subject"] == "Invoice 2026-118"


# --- EV-5: one bad message


@pytest.mark.contract("EV-5")
@settings(max_examples=sweep(400), deadline=None)
@given(letters(max_size=4), hostile_exchanges(), hostile_exchanges(), st.randoms(use_true_random=False))
def test_adding_removing_or_reordering_hostile_messages_changes_no_other_row(
    box: tuple[Letter, ...], first: tuple[Exchange, ...], second: tuple[Exchange, ...], dice: random.Random
) -> None:
    calm = snapshot(capture_of(box))
    for hostile in (first, second, first[1:]):
        capture = capture_of(box, hostile=hostile)
        lists = [e for e in capture.exchanges if e.method == "messages.list"]
        rest = [e for e in capture.exchanges if e.method != "messages.list"]
        dice.shuffle(rest)
        busy = snapshot(replace(capture, exchanges=(*lists, *rest)))
        for name, key in (("messages", "id"), ("label_history", "message_id"), ("refused", "message_id")):
            others = busy[name].filter(~pl.col(key).fill_null("").str.starts_with("hostile"))
            assert others.equals(calm[name]), name
        assert busy["labels"].equals(calm["labels"])
        kept = busy["messages"]["id"].to_list() + busy["refused"]["message_id"].to_list()
        assert sorted(kept) == sorted({*(x.id for x in box), *(str(e.parameters["id"]) for e in hostile)})


@pytest.mark.contract("EV-5")
def test_a_refused_row_says_where_and_why_and_does_not_move_when_others_come() -> None:
    bad = [got({"id": f"bad{n}", "threadId": "t", "payload": {}}, f"bad{n}") for n in range(3)]
    alone = snapshot(capture_of(BOX, hostile=bad[1:2]))["refused"].to_dicts()
    assert alone == [
        {
            "id": "bad1",
            "capture": capture_of(BOX).seal.id,
            "message_id": "bad1",
            "reason": "no-headers",
            "missing": alone[0]["missing"],
        }
    ]
    assert snapshot(capture_of(BOX, hostile=bad))["refused"].row(1, named=True) == alone[0]


@pytest.mark.contract("EV-5")
@pytest.mark.parametrize("labels", ["INBOX", [7], ["a b"], ["../x"], [""], ["x" * 200], None, {"a": 1}, ["\ud800"]])
def test_labels_that_are_no_ids_are_unknown_not_empty(labels: Any) -> None:
    resource = {**BOX[0].resource, "labelIds": labels}
    tables = snapshot(capture_of([], hostile=[got(resource)]))
    assert row_of(tables, "a1")["label_ids"] is None
    assert snapshot(capture_of([], hostile=[got({**resource, "labelIds": []})]))["messages"]["label_ids"].to_list() == [
        []
    ]


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    "label", [{}, {"id": "Label_1"}, {"name": "x"}, {"id": "a b", "name": "x"}, {"id": 7, "name": "x"}]
)
def test_a_label_list_that_cannot_be_read_is_refused(label: dict[str, Any]) -> None:
    with pytest.raises(UnknownShape):
        snapshot(capture_of(BOX, labels=[*LABELS, label]))


# --- EV-6: same facts, same result


RERUN = """
import random, sys
from stages.normalize import STAGE
from tests.strategies.captures import Letter, capture_of
from tests.strategies.snapshots import normalized
dice = random.Random(int(sys.argv[1]))
box = [Letter(f"{n:04x}", f"{n // 3:04x}", subject=f"Subject {n}", age=n / 9) for n in range(400)]
dice.shuffle(box)
tables = normalized((capture_of(box),), ())
print([artifact.digest(tables[artifact.name]) for artifact in STAGE.derived])
"""


@pytest.mark.contract("EV-6")
def test_shuffled_files_and_one_or_two_threads_give_the_same_digests() -> None:
    found = set()
    for run in range(4):
        env = {**os.environ, "POLARS_MAX_THREADS": str(1 + run % 2), "PYTHONHASHSEED": str(run)}
        done = subprocess.run([sys.executable, "-c", RERUN, str(run)], env=env, capture_output=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.contract("EV-6")
@settings(max_examples=sweep(200), deadline=None)
@given(captures(), st.randoms(use_true_random=False))
def test_reruns_with_shuffled_answers_give_the_same_digests(found: tuple[RawCapture, ...], dice: random.Random) -> None:
    before = digests(normalized(found, ()))
    shuffled = []
    for capture in found:
        exchanges = list(capture.exchanges)
        dice.shuffle(exchanges)
        shuffled.append(replace(capture, exchanges=tuple(exchanges)))
    assert digests(normalized(tuple(shuffled), ())) == before


# --- threads and dates


def test_threads_know_members_that_nobody_read() -> None:
    tables = snapshot(capture_of(BOX, listed_only=[("a3", "a1"), ("c1", "c1")]))
    first = tables["threads"].row(0, named=True)
    assert first["member_ids"] == ["a1", "a2", "a3"]
    assert first["unread_member_ids"] == ["a3"]
    assert first["is_participated"] is True
    assert first["first_sender"] == "alerts@boardly.example"
    assert tables["threads"]["id"].to_list() == ["a1", "b1"]


def test_case_35_spam_trash_in_raw_leaves_live_mail_live() -> None:
    thread = case_json("35", "thread.json")
    exchange = Exchange("threads.get", {"id": thread["id"], "format": "full"}, 200, json.dumps(thread).encode())
    tables = snapshot(replace(capture_of([]), exchanges=(*capture_of([]).exchanges, exchange)))
    labels = dict(zip(tables["messages"]["id"], tables["messages"]["label_ids"].to_list(), strict=True))
    assert labels["18f0a1b2c3d40190"] == ["IMPORTANT", "INBOX"]
    assert labels["18f0a1b2c3d40192"] == ["SPAM"]


@pytest.mark.parametrize("milliseconds", [0, -1, 1, 1795428000123, 253_402_300_799_999, -62_135_596_800_000])
def test_dates_are_gmails_own_to_the_millisecond(milliseconds: int) -> None:
    resource = {**BOX[0].resource, "internalDate": str(milliseconds)}
    frame = snapshot(capture_of([], hostile=[got(resource)]))["messages"]
    assert frame["date"].dt.timestamp("ms").to_list() == [milliseconds]


# --- receipts folded in


AFTER = finished_at(0) + timedelta(minutes=5)
DONE = Change("a1", before=("INBOX",), add=("Label_90",), remove=("INBOX",))


def test_labels_after_a_verified_change_are_the_receipts() -> None:
    tables = snapshot(capture_of(BOX), receipts=(receipt_of(AFTER, DONE, created={"Job Alerts": "Label_90"}),))
    assert row_of(tables, "a1")["label_ids"] == ["Label_90"]
    assert row_of(tables, "b1")["label_ids"] == ["INBOX", "STARRED"]
    state = tables["mail_state"].row(0, named=True)
    assert (state["archived_at"], state["labelled_at"], state["run"]) == (AFTER, AFTER, RUN)
    assert not state["is_undone"]
    assert not state["is_reversed_by_hand"]
    assert "Label_90" in tables["labels"]["id"].to_list()


@pytest.mark.parametrize("status", ["conflict", "vanished", "not_sent", "failed", "indeterminate"])
def test_a_change_that_was_not_verified_changes_nothing(status: Any) -> None:
    tables = snapshot(capture_of(BOX), receipts=(receipt_of(AFTER, replace(DONE, status=status)),))
    assert row_of(tables, "a1")["label_ids"] == ["INBOX"]
    assert tables["mail_state"].height == 0


def test_an_undo_restores_the_labels_and_forgets_the_message() -> None:
    back = Change("a1", before=("Label_90",), add=("INBOX",), remove=("Label_90",))
    undo = receipt_of(AFTER + timedelta(minutes=1), back, run="f" * 16, purpose="undo", undoes=RUN)
    for order in ((0, 1), (1, 0)):
        both = (receipt_of(AFTER, DONE), undo)
        tables = snapshot(capture_of(BOX), receipts=tuple(both[n] for n in order))
        assert row_of(tables, "a1")["label_ids"] == ["INBOX"]
        state = tables["mail_state"].row(0, named=True)
        assert state["is_undone"]
        assert not state["is_reversed_by_hand"]
        assert state["classified_at"] == AFTER, "when it was done, not when it was undone"


def test_what_our_own_undo_brought_back_is_no_reversal_by_the_owner() -> None:
    back = Change("a1", before=("Label_90",), add=("INBOX",), remove=("Label_90",))
    undo = receipt_of(AFTER + timedelta(minutes=1), back, run="f" * 16, purpose="undo", undoes=RUN)
    tables = snapshot(capture_of(BOX), capture_of(BOX, 9), receipts=(receipt_of(AFTER, DONE), undo))
    state = tables["mail_state"].row(0, named=True)
    assert (state["is_undone"], state["is_reversed_by_hand"]) == (True, False)


def test_an_undo_of_another_run_undoes_nothing_here() -> None:
    back = Change("a1", before=("Label_90",), add=("INBOX",), remove=("Label_90",))
    undo = receipt_of(AFTER + timedelta(minutes=1), back, run="f" * 16, purpose="undo", undoes="e" * 16)
    assert not snapshot(capture_of(BOX), receipts=(receipt_of(AFTER, DONE), undo))["mail_state"]["is_undone"][0]


@pytest.mark.contract("AP-9", "AP-10")
@pytest.mark.parametrize(
    ("seen", "is_reversed"),
    [
        (("Label_90",), False),
        (("Label_90", "STARRED"), False),
        (("INBOX", "Label_90"), True),
        ((), True),
        (("INBOX",), True),
    ],
)
def test_what_a_later_capture_shows_tells_whether_the_owner_took_it_back(
    seen: tuple[str, ...], is_reversed: bool
) -> None:
    later = capture_of([replace(BOX[0], labels=seen)], 9)
    tables = snapshot(capture_of(BOX), later, receipts=(receipt_of(AFTER, DONE),))
    assert row_of(tables, "a1")["label_ids"] == sorted(seen), "the newer sighting wins over the receipt"
    assert tables["mail_state"]["is_reversed_by_hand"].to_list() == [is_reversed]


def test_a_capture_from_before_the_run_says_nothing_about_a_reversal() -> None:
    tables = snapshot(capture_of(BOX), receipts=(receipt_of(finished_at(0), DONE),))
    assert tables["mail_state"]["is_reversed_by_hand"].to_list() == [False]
    assert row_of(tables, "a1")["label_ids"] == ["Label_90"]


def test_a_created_label_that_a_later_list_lacks_is_gone() -> None:
    made = receipt_of(AFTER, DONE, created={"Job Alerts": "Label_90"})
    assert "Label_90" in snapshot(capture_of(BOX), receipts=(made,))["labels"]["id"].to_list()
    assert "Label_90" not in snapshot(capture_of(BOX), capture_of(BOX, 9), receipts=(made,))["labels"]["id"].to_list()


def test_nothing_is_written_by_a_pure_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    snapshot(capture_of(BOX))
    assert list(tmp_path.iterdir()) == []
