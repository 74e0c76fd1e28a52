"""The quick search for orders to an assistant finds what a search for each of them finds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.judge import injection
from tests.sweeps import sweep

BREAKS = st.sampled_from(["", " ", ".", "_", "x", "9", "\u00e9", ": ", "-"])
PIECES = st.sampled_from([*injection.ORDERS, *(order[:-2] for order in injection.ORDERS), "please", "you", "system"])


@pytest.mark.parametrize("order", injection.ORDERS)
def test_every_order_is_found_alone(order: str) -> None:
    assert order in set(injection._possible(order))


@settings(max_examples=sweep(2000), deadline=None)
@given(st.lists(st.tuples(BREAKS, PIECES, BREAKS), max_size=4))
def test_no_order_is_lost_by_looking_at_first_words_only(parts: list[tuple[str, str, str]]) -> None:
    text = "".join(map("".join, parts))
    slow = {order for order in injection.ORDERS if injection._says(text, order)}
    assert {order for order in injection._possible(text) if injection._says(text, order)} == slow
