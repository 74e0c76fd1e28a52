"""match: rule words in subject, sender and visible body; nothing hidden, nothing attached, no text out."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.mail.reader import Mail, read_message
from pipeline.models.rules import READING, SHAPE
from tests.reference.decide import stands
from tests.strategies.case_files import case_json
from tests.strategies.judgement import capture_of, mailboxes, search_capture
from tests.strategies.mail import message, part
from tests.strategies.rules import override, rule_set, rule_sets, sender_rule
from tests.strategies.snapshots import matched
from tests.sweeps import sweep

RULES = rule_set(overrides=[override(subject_contains=["digest"], body_contains_any=["canary"])])


def found(*resources: dict[str, Any]) -> set[tuple[str, str, str]]:
    """(rule, field, marker) of every hit."""
    table = matched((capture_of(resources),), RULES).filter(~pl.col("rule").is_in([READING, SHAPE]))
    return {(row["rule"], row["field"], row["marker"]) for row in table.rows(named=True)}


def test_words_of_subject_and_visible_body_are_found() -> None:
    assert found(message(subject="Digest", text="the canary")) == {("mine", "subject", "1"), ("mine", "body", "1")}
    assert found(message(html="<p>the <b>canary</b></p>")) == {("mine", "body", "1")}


@pytest.mark.parametrize(
    "resource",
    [
        {**message(), "snippet": "canary"},
        message(html="<p>Hello</p><div style='display:none'>canary</div>"),
        message(html="<!-- canary --><script>canary</script><p>Hello</p>"),
        message(parts=[part("text/plain", "canary", "notes.txt")]),
        message(parts=[part("text/plain", "x", "canary.txt")]),
        message(fields=[("X-Canary", "canary")]),
    ],
)
def test_text_that_no_reader_is_shown_matches_nothing(resource: dict[str, Any]) -> None:
    assert found(resource) == set()


def test_case_14_text_attachment_is_not_the_body() -> None:
    rules = rule_set(
        overrides=[override(subject_contains=["documents"], body_contains_any=["newsletter", "sign the offer"])]
    )
    hits = matched((capture_of([case_json("14", "message.json")]),), rules).rows(named=True)
    assert [(hit["field"], hit["marker"]) for hit in hits if hit["rule"] == "mine"] == [("subject", "1"), ("body", "2")]


def test_case_19_forwarded_mail_is_not_the_outer_mail() -> None:
    rules = rule_set(
        senders=[sender_rule(domain_equals=["megastore.example", "workmate.example"])],
        overrides=[override(subject_contains=["weekly deals"], body_contains_any=["deals!", "answer them"])],
    )
    hits = matched((capture_of([case_json("19", "message.json")]),), rules).filter(
        ~pl.col("rule").is_in([READING, SHAPE])
    )
    found = {(hit["rule"], hit["field"], hit["marker"]) for hit in hits.rows(named=True)}
    assert found == {("boards", "domain_equals", "2"), ("mine", "body", "2")}
    table = matched(
        (capture_of([case_json("19", "message.json")]),),
        rule_set(senders=[sender_rule(domain_equals=["megastore.example"])]),
    )
    assert table.filter(~pl.col("rule").is_in([READING, SHAPE])).is_empty()


def test_case_23_invisible_characters_in_a_marker_are_seen_through() -> None:
    document = case_json("23", "search_threads.json")
    table = matched((search_capture(document),), RULES)
    asks = table.filter(role="action")
    assert sorted(asks["message_id"]) == [f"t-inv-{number}" for number in range(5)]


def test_hits_hold_no_text_of_the_mail() -> None:
    resource = message("Canary Bird <canary@bird.example>", "digest canary", "canary reply by noon, secret 771")
    table = matched((capture_of([resource]),), RULES)
    assert not table.is_empty()
    assert "canary" not in repr(table.to_dicts())
    assert "771" not in repr(table.to_dicts())


@given(mailboxes(), rule_sets(), st.randoms())
@settings(max_examples=sweep(600), deadline=None)
def test_hits_of_many_are_those_of_each_and_those_of_the_slow_way(
    resources: list[dict[str, Any]], rules: Any, random: Any
) -> None:
    table = matched((capture_of(resources),), rules)
    slow = set()
    for resource in resources:
        mail = read_message(resource)
        assert isinstance(mail, Mail)
        for marker in rules.markers():
            if stands(mail, marker.field, marker.text):
                slow.add((mail.id, marker.role, marker.rule, marker.id, marker.field))
    assert set(table.filter(~pl.col("rule").is_in([READING, SHAPE])).rows()) == slow
    shuffled = random.sample(resources, len(resources))
    assert matched((capture_of(shuffled),), rules).equals(table)
