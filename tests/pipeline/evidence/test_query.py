"""Search words stay in their group, or are refused: nothing leaks into or out of the window."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.evidence.query import LONGEST, redacted, window_query
from pipeline.refusals import QueryRefused
from tests.strategies.case_files import case_json
from tests.sweeps import sweep


def test_case_73_or_query_grouping_keeps_or_inside_one_outer_group() -> None:
    case = case_json("73", "query.json")
    after = int(case["window"].removeprefix("after:"))
    assert window_query(case["user"], after) == f"({case['user']}) {case['window']}"


@pytest.mark.parametrize(
    "words",
    [
        "a)",
        "(a",
        "a) OR (b",
        ")(",
        "(a]",
        '"a',
        '"a" OR "b"c"',
        "{a",
        "{a)",
        "(a}",
        "}{",
        '("a)',
        "a\nb",
        "a\x00",
        "a\u202eb",
    ],
)
def test_words_that_leave_or_close_a_group_are_refused(words: str) -> None:
    with pytest.raises(QueryRefused):
        window_query(words, 1)


@pytest.mark.parametrize("words", ["(a) OR (b)", "{a b}", '"a) OR (b"', "-(a {b (c)})", 'subject:("x y") é'])
def test_balanced_words_become_one_group(words: str) -> None:
    assert window_query(words, 7) == f"({words}) after:7"


@pytest.mark.parametrize(("words", "after", "query"), [("", None, ""), ("  ", 5, "after:5"), ("a", None, "(a)")])
def test_no_words_and_no_window_leave_nothing_behind(words: str, after: int | None, query: str) -> None:
    assert window_query(words, after) == query


def test_a_query_too_long_for_a_get_is_refused() -> None:
    assert window_query("a" * LONGEST, 1)
    with pytest.raises(QueryRefused):
        window_query("a" * (LONGEST + 1), 1)


@settings(max_examples=sweep(2000), deadline=None)
@given(st.text('ab(){}" OR', max_size=14))
def test_whatever_is_accepted_is_closed_exactly_at_its_end(words: str) -> None:
    """A slow reader of the result: the outer group closes right before the window, not earlier."""
    try:
        query = window_query(words, 9)
    except QueryRefused:
        return
    if not words.strip():
        assert query == "after:9"
        return
    depth, is_quoted, closes = 0, False, []
    for place, character in enumerate(query):
        is_quoted ^= character == '"'
        if not is_quoted and character in "({":
            depth += 1
        if not is_quoted and character in ")}":
            depth -= 1
            closes += [place] if depth == 0 else []
    assert closes == [len(query) - len(" after:9") - 1]


@given(st.text("abcdefgh:@.", min_size=3, max_size=20))
@settings(max_examples=sweep(200), deadline=None)
def test_a_manifest_says_nothing_of_the_owners_words(words: str) -> None:
    assert redacted(words, 7) == "(owner's words) in:inbox window:7"
    assert redacted(" ", "all") == "in:inbox window:all"
