"""Exact schemas: nothing is guessed from the first rows, nothing extra slips in, and order does not change a digest."""

import os
import random
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import tables
from pipeline.refusals import NotCanonical, TableRefused
from pipeline.tables import LABEL_HISTORY, PROTECTED, SCREEN, Table
from tests.strategies.case_files import case_lines
from tests.sweeps import sweep

SMALL = Table(
    "small",
    {
        "id": pl.String(),
        "at": pl.Datetime("ms", "UTC"),
        "names": pl.List(pl.String),
        "share": pl.Float64(),
        "is_x": pl.Boolean(),
    },
    key=("id",),
)
NOON = datetime(2026, 11, 23, 12, 0, 0, 123000, tzinfo=UTC)
ROW: dict[str, Any] = {"id": "a", "at": NOON, "names": ["x", "y"], "share": 0.5, "is_x": True}
ALL = [value for value in vars(tables).values() if isinstance(value, Table)]

rows = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.text("abc", min_size=1, max_size=3),
            "at": st.none() | st.just(NOON),
            "names": st.none() | st.lists(st.text("xyz\x00é", max_size=3), max_size=3),
            "share": st.none() | st.floats(0, 1),
            "is_x": st.none() | st.booleans(),
        }
    ),
    max_size=8,
    unique_by=lambda row: row["id"],
)


def test_there_are_as_many_tables_as_names() -> None:
    assert len(ALL) >= 12
    assert len({table.name for table in ALL}) == len(ALL)


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_an_empty_table_keeps_its_schema_through_bytes(table: Table) -> None:
    empty = table.frame([])
    assert empty.schema == table.schema
    assert table.read(table.write(empty)).schema == table.schema
    assert set(table.key) <= set(table.columns)


@settings(max_examples=sweep(500), deadline=None)
@given(rows, st.randoms(use_true_random=False))
@pytest.mark.contract("EV-6")
def test_rows_survive_bytes_and_their_order_does_not_change_the_digest(
    found: list[dict[str, Any]], dice: random.Random
) -> None:
    frame = SMALL.frame(found)
    assert frame.to_dicts() == sorted(found, key=lambda row: row["id"])
    assert SMALL.read(SMALL.write(frame)).equals(frame)
    shuffled = list(found)
    dice.shuffle(shuffled)
    assert SMALL.digest(SMALL.frame(shuffled)) == SMALL.digest(frame)
    assert SMALL.digest(frame.sample(fraction=1, shuffle=True, seed=dice.randrange(99))) == SMALL.digest(frame)


@pytest.mark.contract("EV-6")
def test_every_value_counts_in_the_digest() -> None:
    digests = {SMALL.digest(SMALL.frame([{**ROW, **change}])) for change in (
        {}, {"id": "b"}, {"at": None}, {"names": []}, {"names": None}, {"names": ["y", "x"]}, {"share": 0.25},
        {"is_x": None},
    )}  # fmt: skip
    assert len(digests) == 8
    assert SMALL.digest(SMALL.frame([])) not in digests


THREADS = """
import random, sys
from pipeline.tables import PROTECTED
rows = [{"message_id": f"m{n}", "classes": ["money"] * (n % 3), "evidence": []} for n in range(5000)]
random.Random(int(sys.argv[1])).shuffle(rows)
print(PROTECTED.digest(PROTECTED.frame(rows)))
"""


@pytest.mark.contract("EV-6")
def test_the_digest_does_not_depend_on_threads_or_row_order() -> None:
    found = set()
    for threads, seed in ((1, 1), (2, 2), (2, 3)):
        env = {**os.environ, "POLARS_MAX_THREADS": str(threads)}
        done = subprocess.run([sys.executable, "-c", THREADS, str(seed)], env=env, capture_output=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.contract("EV-2")
@pytest.mark.parametrize(
    "row",
    [
        {**ROW, "snippet": "text"},
        {key: value for key, value in ROW.items() if key != "share"},
        {**ROW, "names": "x"},
        {**ROW, "share": "0.5"},
        {**ROW, "id": None},
        {**ROW, "id": 7},
        {**ROW, "at": "2026-11-23"},
    ],
)
def test_a_row_that_does_not_fit_is_refused_not_bent(row: dict[str, Any]) -> None:
    with pytest.raises(TableRefused):
        SMALL.frame([ROW | {"id": "first"}, row])


@pytest.mark.contract("EV-2")
@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.with_columns(extra=pl.lit("x")),
        lambda frame: frame.drop("share"),
        lambda frame: frame.select("at", "id", "names", "share", "is_x"),
        lambda frame: frame.cast({"share": pl.Float32()}),
        lambda frame: frame.cast({"at": pl.Datetime("us", "UTC")}),
        lambda frame: frame.rename({"share": "shares"}),
        lambda frame: pl.concat([frame, frame]),
    ],
)
def test_a_frame_of_another_schema_or_with_a_row_twice_is_refused(change: Any) -> None:
    frame = SMALL.frame([ROW])
    with pytest.raises(TableRefused, match="small"):
        SMALL.checked(change(frame))
    SMALL.checked(frame)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"not parquet", SMALL.write(SMALL.frame([ROW]))[:-9]])
def test_bytes_that_are_no_table_are_refused(data: bytes) -> None:
    with pytest.raises(TableRefused):
        SMALL.read(data)


def test_bytes_of_another_table_are_refused() -> None:
    with pytest.raises(TableRefused):
        SMALL.read(SCREEN.write(SCREEN.frame([])))


@pytest.mark.parametrize("share", [float("nan"), float("inf")])
def test_a_number_that_json_cannot_hold_has_no_digest(share: float) -> None:
    with pytest.raises(NotCanonical):
        SMALL.digest(SMALL.frame([{**ROW, "share": share}]))


def test_a_table_with_two_key_columns_is_unique_by_both() -> None:
    row = {"message_id": "a", "capture": "c1", "seen_at": NOON, "label_ids": None}
    assert LABEL_HISTORY.frame([row, {**row, "capture": "c2"}]).height == 2
    with pytest.raises(TableRefused, match="not unique"):
        LABEL_HISTORY.frame([row, row])


def test_times_are_told_in_utc_and_lists_as_tuples() -> None:
    (row,) = SMALL.rows(SMALL.frame([ROW]))
    assert row == {**ROW, "at": "2026-11-23T12:00:00.123000Z", "names": ("x", "y")}


# --- public faults


def test_case_85_late_key_dropped_keeps_all_late_values_and_refuses_an_unknown_key() -> None:
    lines = case_lines("85", "decisions_log.jsonl")
    listed = [
        {
            "message_id": line["id"],
            "classes": [line["protected_class"]] if "protected_class" in line else [],
            "evidence": [],
        }
        for line in lines
    ]
    frame = PROTECTED.read(PROTECTED.write(PROTECTED.frame(listed)))
    assert frame.filter(pl.col("classes").list.contains("account_security")).height == 10
    assert frame.height == len(lines) == 130
    with pytest.raises(TableRefused, match="protected_class"):
        PROTECTED.frame([*listed[:129], {**listed[129], "protected_class": "account_security"}])


@pytest.mark.parametrize("names", [("day1.jsonl", "day2.jsonl"), ("day2.jsonl", "day1.jsonl"), ("late_labels.jsonl",)])
def test_case_87_empty_label_list_type_keeps_every_label_in_any_order(names: tuple[str, ...]) -> None:
    lines = [line for name in names for line in case_lines("87", name)]
    shards = [
        LABEL_HISTORY.read(LABEL_HISTORY.write(LABEL_HISTORY.frame([
            {"message_id": line["id"], "capture": name, "seen_at": NOON, "label_ids": line["labelIds"]}
            for line in case_lines("87", name)
        ])))
        for name in names
    ]  # fmt: skip
    frame = pl.concat(shards)
    assert frame.schema["label_ids"] == pl.List(pl.String)
    assert dict(zip(frame["message_id"], frame["label_ids"].to_list(), strict=True)) == {
        line["id"]: line["labelIds"] for line in lines
    }
