"""policy.toml: a trash rule without age, sender, category and interaction stops the run when it is read."""

import pytest

from pipeline.models.policy import Policy, read_policy
from pipeline.refusals import PolicyRefused

RULE = {
    "name": '"old adverts"',
    "older_than_days": "60",
    "senders": '["offers@shop.example", "news.example"]',
    "categories": '["promotions"]',
    "interaction": '["never-answered"]',
}


def read(*rules: dict[str, str]) -> Policy:
    """A policy with these trash rules."""
    lines = [line for rule in rules for line in ("[[trash]]", *(f"{name} = {text}" for name, text in rule.items()))]
    return read_policy("\n".join(["version = 1", *lines, ""]).encode())


def test_a_whole_rule_is_read_and_without_one_there_is_no_trash() -> None:
    (rule,) = read(RULE).trash
    assert (rule.older_than_days, rule.senders) == (60, ("offers@shop.example", "news.example"))
    assert read().trash == ()


@pytest.mark.contract("ID-4", "JU-3")
@pytest.mark.parametrize("missing", RULE)
def test_a_rule_that_lacks_a_constraint_is_refused(missing: str) -> None:
    with pytest.raises(PolicyRefused):
        read({name: text for name, text in RULE.items() if name != missing})


@pytest.mark.contract("ID-4", "JU-3")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("name", '""'),
        ("older_than_days", "6"),
        ("older_than_days", "0"),
        ("older_than_days", "60.5"),
        ("older_than_days", "nan"),
        ("older_than_days", '"60"'),
        ("senders", "[]"),
        ("senders", '[""]'),
        ("senders", '["*"]'),
        ("senders", '["com"]'),
        ("senders", '["@shop.example"]'),
        ("senders", '["Offers@Shop.example"]'),
        ("senders", '"shop.example"'),
        ("categories", "[]"),
        ("categories", '["primary"]'),
        ("categories", '["personal"]'),
        ("categories", '["CATEGORY_PROMOTIONS"]'),
        ("interaction", "[]"),
        ("interaction", '["any"]'),
        ("force", "true"),
    ],
)
def test_a_rule_whose_constraint_says_nothing_is_refused(name: str, text: str) -> None:
    with pytest.raises(PolicyRefused):
        read({**RULE, name: text})


def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(PolicyRefused):
        read(RULE, RULE)
