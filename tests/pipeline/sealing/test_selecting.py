"""A part of a run is exactly the part that was named; a selector that means nothing is refused, never ignored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.refusals import SelectorRefused
from pipeline.sealing.selecting import Row, group_path, matches, select, slug, split_selectors

ROWS = (
    Row("m1", group_path("Job Alert", "archive", "boardly: daily"), "alerts@jobs.boardly.example"),
    Row("m2", group_path("Job Alert", "label", "boardly: daily"), "alerts@boardly.example"),
    Row("m3", group_path("Job Alert Digest", "archive", "review"), "Eve@Corp.example"),
    Row("m4", group_path("Interview", "label", "tier1"), None),
)
GROUPS = ("job_alert", "Job-Alert/Archive", "interview/label/tier1", "offer")
SENDERS = ("boardly.example", ".boardly.example", "eve@corp.example", "none.test")
SELECTORS = (
    *("m1", "m2", "m3", "m4", "id:m4", "m9"),
    *(f"group:{one}" for one in GROUPS),
    *(f"sender:{one}" for one in SENDERS),
)


@pytest.mark.parametrize(
    ("only", "except_", "wanted"),
    [
        ((), (), ("m1", "m2", "m3", "m4")),
        (("group:job_alert",), (), ("m1", "m2")),
        (("group:JOB-ALERT/Archive",), (), ("m1",)),
        (("group:job_alert/archive/boardly daily",), (), ("m1",)),
        (("sender:boardly.example",), (), ("m2",)),
        (("sender:.boardly.example",), (), ("m1", "m2")),
        (("sender:eve@corp.example",), (), ("m3",)),
        (("sender:EVE@CORP.EXAMPLE", "m1"), (), ("m1", "m3")),
        (("id:m2", "m2", "group:job_alert"), ("m1",), ("m2",)),
        ((), ("group:job_alert", "sender:corp.example"), ("m4",)),
    ],
)
@pytest.mark.contract("AP-2")
def test_a_selection_is_exactly_what_was_named(
    only: tuple[str, ...], except_: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    assert select(ROWS, only, except_) == wanted


@pytest.mark.parametrize(
    ("only", "except_", "named"),
    [
        (("m9",), (), "m9"),
        (("m",), (), "--only m "),
        (("m1", "group:offer"), (), "group:offer"),
        (("group:job",), (), "group:job "),
        (("group:job_alert/arch",), (), "group:job_alert/arch"),
        (("sender:ardly.example",), (), "sender:ardly.example"),
        (("sender:example",), (), "sender:example"),
        (("sender:lerts@boardly.example",), (), "sender:lerts@boardly.example"),
        (("sender:none",), (), "sender:none"),
        ((), ("m9",), "--except m9"),
        (("m1",), ("m2",), "--except m2"),
        (("subject:hello",), (), "subject:hello"),
        (("group:",), (), "group:"),
        ((), ("m1", "m2", "m3", "m4"), "no message"),
        (("",), (), "matches no message"),
    ],
)
@pytest.mark.contract("AP-2")
def test_a_selector_that_means_nothing_is_refused_by_name(
    only: tuple[str, ...], except_: tuple[str, ...], named: str
) -> None:
    with pytest.raises(SelectorRefused, match=named):
        select(ROWS, only, except_)


@given(st.lists(st.sampled_from(SELECTORS), unique=True).map(tuple), st.lists(st.sampled_from(SELECTORS)).map(tuple))
@pytest.mark.contract("AP-2")
def test_nothing_is_in_a_selection_that_no_selector_named(only: tuple[str, ...], except_: tuple[str, ...]) -> None:
    """Against the slow obvious way, row by row; the order of selectors means nothing."""
    try:
        found = select(ROWS, only, except_)
    except SelectorRefused:
        return
    wanted = [
        row.message_id
        for row in ROWS
        if (not only or any(matches(one, row) for one in only)) and not any(matches(one, row) for one in except_)
    ]
    assert list(found) == wanted and found == select(ROWS, only[::-1], except_[::-1])


def test_selectors_are_split_at_commas_and_none_is_empty() -> None:
    assert split_selectors("") == () and split_selectors(" m1 ,group:a b") == ("m1", "group:a b")
    for text in (",", "m1,", " "):
        with pytest.raises(SelectorRefused):
            split_selectors(text)


@given(st.text())
def test_a_slug_is_one_part_of_a_path_and_stays_itself(text: str) -> None:
    found = slug(text)
    assert found and "/" not in found and "," not in found and slug(found) == found
