"""A thread is whole only when each member was read as its own."""

import polars as pl
import pytest

from pipeline.judge.whole import whole_threads

MESSAGES = pl.DataFrame({"id": ["a1", "a2", "b1"], "thread_id": ["a", "a", "b"]})


@pytest.mark.contract("JU-2", "JU-3")
@pytest.mark.parametrize(
    ("thread", "members", "unread", "is_whole"),
    [
        ("a", ["a1", "a2"], [], True),
        ("b", ["b1"], [], True),
        ("a", ["a1", "a2", "a3"], [], False),
        ("a", ["a1", "b1"], [], False),
        ("b", ["a1"], [], False),
        ("a", ["a1", "a2"], ["a3"], False),
        ("a", ["a1"], None, False),
        ("a", None, [], False),
    ],
)
def test_a_member_that_was_not_read_in_this_thread_is_not_read(
    thread: str, members: list[str] | None, unread: list[str] | None, is_whole: bool
) -> None:
    lists = pl.List(pl.String)
    schema = {"id": pl.String, "member_ids": lists, "unread_member_ids": lists}
    threads = pl.DataFrame({"id": [thread], "member_ids": [members], "unread_member_ids": [unread]}, schema=schema)
    assert whole_threads(threads, MESSAGES) == {thread: is_whole}
    assert whole_threads(threads, MESSAGES.clear()) == {thread: is_whole and members == []}
