"""The gate before the trash: everything at once, or the message stays; one more sign never lets it go."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.judge.trashing import Discard, Kept, Member, meets, permit_trash, standing
from pipeline.models.policy import TrashRule
from tests.sweeps import sweep

FINE = Member(
    message_id="m1",
    label_ids=("INBOX", "CATEGORY_PROMOTIONS"),
    screen="clean",
    body_state="fetched",
    protected=(),
    asks=(),
    is_irrelevant=False,
    is_reversed_by_hand=False,
)
WORSE: dict[str, tuple[Any, ...]] = {
    "label_ids": (None, ("SENT",), ("DRAFT",), ("SPAM",), ("TRASH",), ("CHAT",), ("INBOX", "TRASH")),
    "screen": (None, "suspicious", "injection", "unreadable", "partial", "unknown"),
    "body_state": (None, "empty", "not_fetched", "lossy"),
    "protected": (None, ("employment",), ("direct_human",), ("starred",), ("uncertain",), ("money", "recent")),
    "asks": (("interview",), ("a set nobody knows",)),
    "is_irrelevant": (True,),
    "is_reversed_by_hand": (True,),
}
members = st.builds(
    lambda changes: replace(FINE, **changes),
    st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in WORSE.items()}),
)


def permit(member: Member, *others: Member, is_whole: bool = True) -> Discard | Kept:
    """The ruling in a thread with these."""
    return permit_trash(member, "old adverts", (member, *others), is_whole=is_whole)


def test_a_message_without_any_sign_may_go() -> None:
    found = permit(FINE, replace(FINE, message_id="m2"))
    assert isinstance(found, Discard) and (found.message_id, found.rule) == ("m1", "old adverts")


@pytest.mark.contract("JU-3", "JU-4", "JU-8", "P6")
@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WORSE.items() for value in values])
def test_each_sign_alone_keeps_it(name: str, value: Any) -> None:
    found = permit(replace(FINE, **{name: value}))
    assert isinstance(found, Kept) and found.reasons


@pytest.mark.contract("JU-3", "P6")
@settings(max_examples=sweep(20_000), deadline=None)
@given(members, st.lists(members, max_size=3), st.booleans(), st.sampled_from(sorted(WORSE)), st.data())
def test_one_more_sign_in_it_or_in_its_thread_never_lets_it_go(
    member: Member, others: list[Member], is_whole: bool, name: str, data: st.DataObject
) -> None:
    thread = [replace(one, message_id=f"o{n}") for n, one in enumerate(others)]
    found = permit(member, *thread, is_whole=is_whole)
    is_free = member == FINE and is_whole and not any(standing(one) for one in thread)
    assert isinstance(found, Discard) == is_free
    worse = replace(member, **{name: data.draw(st.sampled_from(WORSE[name]))})
    assert isinstance(permit(worse, *thread, is_whole=is_whole), Kept)
    assert not is_free or isinstance(permit(member, *thread, is_whole=False), Kept)


@pytest.mark.contract("JU-3")
@pytest.mark.parametrize("name", ["screen", "body_state", "protected", "asks"])
def test_a_member_that_stays_keeps_its_thread(name: str) -> None:
    other = replace(FINE, message_id="m2", **{name: WORSE[name][0]})
    assert permit(FINE, other) == Kept(("thread:member_stays",))


def test_nobody_makes_a_permission_but_the_gate() -> None:
    with pytest.raises(TypeError):
        Discard("m1", "old adverts", seal=object())


AS_OF = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)
RULE = TrashRule(
    name="old adverts",
    older_than_days=30,
    senders=("offers@shop.example", "news.example", "gmail.com"),
    categories=("promotions",),
    interaction=("never-answered", "never-opened"),
)
ROW: dict[str, Any] = {
    "date": AS_OF - timedelta(days=30),
    "from_address": "offers@shop.example",
    "category": "promotions",
    "label_ids": ["INBOX", "UNREAD"],
}
STRANGER = {"is_written_to": False, "replied_count": 0, "live_count": 0, "rescued_count": 0}


@pytest.mark.parametrize("address", ["offers@shop.example", "Offers@Shop.Example", "any@news.example"])
def test_a_message_that_meets_all_four_is_meant(address: str) -> None:
    assert meets(RULE, {**ROW, "from_address": address}, STRANGER, AS_OF)


@pytest.mark.contract("JU-6", "JU-3")
@pytest.mark.parametrize(
    ("row", "relation"),
    [
        ({"date": AS_OF - timedelta(days=29, hours=23)}, {}),
        ({"date": None}, {}),
        ({"date": AS_OF + timedelta(days=400)}, {}),
        ({"from_address": None}, {}),
        ({"from_address": ""}, {}),
        ({"from_address": "help@shop.example"}, {}),
        ({"from_address": "offers@shop.example.evil.test"}, {}),
        ({"from_address": "offers@xshop.example"}, {}),
        ({"from_address": "any@mail.news.example"}, {}),
        ({"from_address": "any@evilnews.example"}, {}),
        ({"from_address": "someone@gmail.com"}, {}),
        ({"category": None}, {}),
        ({"category": "updates"}, {}),
        ({"label_ids": ["INBOX"]}, {}),
        ({"label_ids": None}, {}),
        ({}, {"is_written_to": True}),
        ({}, {"is_written_to": None}),
        ({}, {"replied_count": 1}),
        ({}, {"replied_count": None}),
        ({}, {"live_count": 1}),
        ({}, {"live_count": None}),
        ({}, {"rescued_count": 1}),
    ],
)
def test_one_that_is_not_met_or_not_known_is_enough(row: dict[str, Any], relation: dict[str, Any]) -> None:
    assert not meets(RULE, {**ROW, **row}, {**STRANGER, **relation}, AS_OF)


def test_a_correspondent_of_whom_nothing_is_known_is_not_met() -> None:
    assert not meets(RULE, ROW, None, AS_OF)
