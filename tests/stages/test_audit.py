"""audit: a mailbox that is green with the owner's own mail in it; each kind of finding red in one place, and mended."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings

from pipeline import tables
from pipeline.cli import run
from pipeline.models.decision import Decision
from pipeline.models.findings import SEVERITIES
from pipeline.models.rules import RuleSet
from stages.audit import audit
from tests.strategies.captures import Letter
from tests.strategies.captures import capture_of as capture_of_letters
from tests.strategies.case_files import case_json
from tests.strategies.judgement import (
    POLICY,
    capture_of,
    judge,
    mail_state,
    mailboxes,
    noise,
    search_capture,
    state_row,
)
from tests.strategies.mail import message
from tests.strategies.rules import override, rule_set, rule_sets, sender_rule
from tests.sweeps import sweep
from tests.worlds import make_folders, write_capture

RUN = "0" * 16
LABELS = ({"id": "Label_1", "name": "Job Search/Job Alert", "type": "user"}, {"id": "INBOX", "name": "INBOX"})
SHOP = "Garden Shop <news@garden.example>"
MINE = {"irrelevant": {"domains": ["garden.example"]}, "senders": [sender_rule()]}
Row = dict[str, Any]


def mailbox(*more: Row) -> list[Row]:
    """Filed, fresh, irrelevant and protected mail, and the owner's own: also to herself, also under another address."""
    return [
        noise("filed", labels=("Label_1",)),
        noise("fresh"),
        noise("shop", sender=SHOP, subject="Bulbs for spring", text="Plant now and smile"),
        noise("person", sender="Ann Lee <ann.lee@corp.example>", subject="Lunch", text="See you there at noon then"),
        message("Mara <mara.quill@example.com>", "buy milk", labels=("SENT", "INBOX"), message_id="own-1"),
        message("M. Q. <mara@elsewhere.example>", "an idea", labels=("SENT", "INBOX"), message_id="own-2"),
        *more,
    ]


def log_of(*rows: Row, **changes: Any) -> tuple[tuple[str, tuple[Decision, ...]], ...]:
    """The approved log of one run, as approve writes it from these decisions."""
    return ((RUN, tuple(decision(row, **changes) for row in rows)),)


def decision(row: Row, **changes: Any) -> Decision:
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Decision.model_validate({**plain, "approved": True, **changes})


def audited(
    resources: list[Row],
    rules: RuleSet | None = None,
    logs: Any = None,
    *,
    labels: Any = LABELS,
    state: pl.DataFrame | None = None,
    before: RuleSet | None = None,
) -> pl.DataFrame:
    """The findings. The run behind the mailbox was decided under `before`, and filed `filed` under Label_1."""
    book = rules or rule_set(**MINE)
    states = mail_state(state_row("filed", run=RUN)) if state is None else state
    judged = judge(capture_of(resources, labels), book, POLICY, mail_state=states).tables
    old = (
        judge(capture_of(resources, labels), before or book, POLICY, mail_state=states).of("filed") if resources else {}
    )
    log = (log_of({**old, "action": "label+archive"}) if old else ()) if logs is None else logs
    names = ("messages", "labels", "mail_state", "hits", "protected", "decisions")
    return audit(rules=book, decision_logs=log, **{name: judged[name] for name in names})


def told(frame: pl.DataFrame) -> list[tuple[str, str]]:
    """(severity, id) of all that is more than a note."""
    return [(row["severity"], row["id"]) for row in frame.rows(named=True) if row["severity"] != "note"]


def test_mailbox_with_the_owners_own_mail_in_it_is_green() -> None:
    found = audited(mailbox())
    assert told(found) == []
    (own,) = found.filter(pl.col("kind") == "self_sent").rows(named=True)
    assert (own["severity"], own["mend"], own["message_ids"]) == ("note", "", ["own-1", "own-2"])


def test_empty_mailbox_has_no_findings() -> None:
    assert audited([], state=mail_state()).is_empty()


def test_findings_have_their_schema_and_are_sorted_by_id() -> None:
    found = audited(mailbox(noise("lost", sender="News <n@news.example>", subject="Hi", text="Nothing of note")))
    assert found.schema == tables.FINDINGS.schema
    assert found["id"].to_list() == sorted(found["id"])


class TestEachKindIsRedAndCanBeMended:
    """The green mailbox with one thing changed, and the same after what the finding says was done."""

    def test_mail_that_nobody_claims(self) -> None:
        box = mailbox(noise("lost", sender="News <n@news.example>", subject="Hi", text="Nothing of note"))
        assert told(audited(box)) == [("warning", "unclaimed_mail/n@news.example")]
        mended = {**MINE, "irrelevant": {"domains": ["garden.example"], "sender_contains": ["n@news.example"]}}
        assert told(audited(box, rule_set(**mended))) == []

    @pytest.mark.parametrize("labels", [("SENT", "INBOX"), (), ("INBOX", "STARRED"), ("INBOX", "Label_9"), ("SPAM",)])
    def test_mail_that_the_owner_or_gmail_claimed_is_none(self, labels: tuple[str, ...]) -> None:
        found = noise("lost", sender="News <n@news.example>", subject="Hi", text="Nothing of note", labels=labels)
        assert told(audited(mailbox(found))) == []

    def test_label_that_is_gone(self) -> None:
        gone = ({"id": "Label_7", "name": "Mine", "type": "user"},)
        assert told(audited(mailbox(), labels=gone)) == [("warning", "dangling_destination/Job Alert")]
        again = (*gone, {"id": "Label_8", "name": "JOB search/Job Alert", "type": "user"})
        assert told(audited(mailbox(), labels=again)) == []

    def test_label_that_is_gone_after_an_undo_is_missed_by_nobody(self) -> None:
        gone = ({"id": "Label_7", "name": "Mine", "type": "user"},)
        undone = mail_state(state_row("filed", run=RUN, is_undone=True))
        assert told(audited(mailbox(), labels=gone, state=undone)) == []

    def test_label_that_was_renamed(self) -> None:
        renamed = ({"id": "Label_1", "name": "Boards", "type": "user"},)
        (row,) = [one for one in audited(mailbox(), labels=renamed).rows(named=True) if one["severity"] != "note"]
        assert row["kind"] == "dangling_destination"
        assert row["mend"] == 'edit taxonomy.toml: label = "Boards" for Job Alert'
        classes = (
            ("Interview", "I", False),
            ("Job Alert", "Boards", True),
            ("Application Received", "A", True),
            ("Review Manually", "R", False),
        )
        assert told(audited(mailbox(), rule_set(classes=classes, **MINE), labels=renamed)) == []

    def test_label_without_any_list_of_labels_says_nothing(self) -> None:
        assert told(audited(mailbox(), labels=())) == []

    def test_label_that_no_rule_fills(self) -> None:
        extra = (*LABELS, {"id": "Label_2", "name": "Job Search/Interview", "type": "user"})
        assert told(audited(mailbox(), labels=extra)) == [("warning", "unfilled_label/Job Search/Interview")]
        filled = [override(subject_contains=["new jobs"], classification="Interview", safe=False)]
        assert ("warning", "unfilled_label/Job Search/Interview") not in told(
            audited(mailbox(), rule_set(**MINE, overrides=filled), labels=extra)
        )
        assert told(audited(mailbox(), labels=(*LABELS, {"id": "L", "name": "Job Search/Review Manually"}))) == []

    def test_label_of_ours_whose_class_left_the_taxonomy(self) -> None:
        classes = (("Alert", "Alerts", True), ("Review Manually", "R", False))
        rules = rule_set(classes=classes, **{**MINE, "senders": [sender_rule(classification="Alert")]})
        found = told(audited(mailbox(), rules, before=rule_set(**MINE)))
        assert ("warning", "unfilled_label/Job Search/Job Alert") in found

    def test_rule_that_no_mail_meets(self) -> None:
        two = {**MINE, "senders": [sender_rule(), sender_rule("gone", domain_equals=["gone.example"])]}
        (row,) = [one for one in audited(mailbox(), rule_set(**two)).rows(named=True) if one["severity"] != "note"]
        assert (row["id"], row["mend"]) == ("never_hit/gone", "gmailtriage rules --remove gone")
        pattern = {"name": "p", "classification": "Interview", "confidence": 0.9, "text_contains": ["no such words"]}
        assert told(audited(mailbox(), rule_set(**MINE, patterns=[pattern]))) == []

    @pytest.mark.contract("JU-3")
    def test_filing_rule_that_decides_protected_mail(self) -> None:
        wide = [override(subject_contains=["lunch", "new jobs"])]
        rules = rule_set(**MINE, overrides=wide)
        found = told(audited(mailbox(), rules, before=rules))
        assert ("warning", "rule_hits_protected/mine") in found
        held = rule_set(**MINE, overrides=[override(safe=False, subject_contains=["lunch", "new jobs"])])
        assert not [one for one in told(audited(mailbox(), held, before=held)) if "protected" in one[1]]

    def test_star_is_nothing_that_a_rule_could_know(self) -> None:
        assert told(audited(mailbox(noise("loved", labels=("INBOX", "STARRED"))))) == []

    def test_archived_mail_that_todays_rules_would_keep(self) -> None:
        before = rule_set(**MINE)
        now = rule_set(**MINE, actions=[{"name": "asks", "makes_relevant": True, "text_contains": ["view job"]}])
        found = audited(mailbox(), now, before=before)
        (row,) = [one for one in found.rows(named=True) if one["severity"] != "note"]
        assert (row["severity"], row["kind"], row["message_ids"]) == ("error", "decision_would_change", ["filed"])
        assert row["mend"].startswith(f"gmailtriage undo {RUN}")
        undone = mail_state(state_row("filed", run=RUN, is_undone=True))
        assert told(audited(mailbox(), now, before=before, state=undone)) == []
        assert told(audited(mailbox(), before, before=before)) == []

    def test_mail_that_todays_rules_call_something_else(self) -> None:
        now = rule_set(**{**MINE, "senders": [sender_rule(classification="Application Received")]})
        found = told(audited(mailbox(), now, before=rule_set(**MINE)))
        assert ("warning", "decision_would_change/Job Alert (not held) -> Application Received (not held)") in found

    @pytest.mark.parametrize("labels", [("Label_1", "STARRED"), ("Label_1", "IMPORTANT"), ("Label_1", "Label_9")])
    def test_what_the_owner_did_since_changes_no_decision(self, labels: tuple[str, ...]) -> None:
        box = mailbox()
        old = judge(capture_of(box), rule_set(**MINE), POLICY, mail_state=mail_state(state_row("filed", run=RUN)))
        touched = [{**one, "labelIds": list(labels)} if one["id"] == "filed" else one for one in box]
        logs = log_of({**old.of("filed"), "action": "label+archive"})
        assert told(audited(touched, logs=logs)) == []

    def test_only_the_newest_run_is_compared(self) -> None:
        now = rule_set(**{**MINE, "senders": [sender_rule(classification="Application Received")]})
        rows = judge(capture_of(mailbox()), now, POLICY).of("filed")
        stale = judge(capture_of(mailbox()), rule_set(**MINE), POLICY).of("filed")
        logs = (*log_of(stale), *log_of(rows))
        assert not [one for one in told(audited(mailbox(), now, logs=logs)) if "would_change" in one[1]]


@settings(max_examples=sweep(400), deadline=None)
@given(mailboxes(), rule_sets())
def test_every_finding_can_be_mended_and_claims_mail_that_is_there(resources: list[Row], rules: RuleSet) -> None:
    judged = judge(capture_of(resources), rules).tables
    logs = log_of(*judged["decisions"].rows(named=True))
    names = ("messages", "labels", "mail_state", "hits", "protected", "decisions")
    found = audit(rules=rules, decision_logs=logs, **{name: judged[name] for name in names}).rows(named=True)
    ids = set(judged["messages"]["id"])
    own = {row["id"] for row in judged["messages"].rows(named=True) if row["is_sent_by_me"]}
    for row in found:
        assert row["severity"] in SEVERITIES and row["what"]
        assert row["mend"] or row["severity"] == "note"
        assert set(row["message_ids"]) <= ids
        assert row["kind"] == "self_sent" or not own & set(row["message_ids"]) or row["kind"] != "unclaimed_mail"
    assert not [row for row in found if row["kind"] == "decision_would_change"], "the same rules decide the same"


@settings(max_examples=sweep(300), deadline=None)
@given(mailboxes(), rule_sets())
def test_unclaimed_mail_is_claimed_once_its_senders_are_called_irrelevant(resources: list[Row], rules: RuleSet) -> None:
    def lost(book: RuleSet) -> list[str]:
        judged = judge(capture_of(resources), book).tables
        names = ("messages", "labels", "mail_state", "hits", "protected", "decisions")
        found = audit(rules=book, decision_logs=(), **{name: judged[name] for name in names})
        return found.filter(pl.col("kind") == "unclaimed_mail")["subject"].to_list()

    senders = tuple(lost(rules))
    sets = tuple(
        replace(one, conditions=(*one.conditions, ("sender", senders))) if one.name == "irrelevant" else one
        for one in rules.sets
    )
    assert lost(replace(rules, sets=sets)) == []


# --- the command


@pytest.fixture
def audit_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """(exit code, stdout) of the command on these letters."""

    def call(letters: list[Letter], *words: str) -> tuple[int, str]:
        folders = make_folders(tmp_path / str(len(list(tmp_path.iterdir()))))
        write_capture(folders.workspace(), capture_of_letters(letters))
        code = run(["audit", *words, *folders.words])
        return code, capsys.readouterr().out

    return call


LETTERS = [
    Letter("a1", "a1"),
    Letter("b1", "b1", sender="G <no-reply@greenfield.example>", subject="Application received"),
    Letter("c1", "c1", sender="Casey Rivers <casey.rivers@example.com>", labels=("SENT", "INBOX"), subject="milk"),
]
LOST = Letter("d1", "d1", sender="Shop <news@other.example>", subject="Bulbs", body="Plant now. " * 9,
              headers=(("List-Unsubscribe", "<https://other.example/u>"),))  # fmt: skip


def test_the_command_ends_with_zero_when_green_and_nine_when_not(
    audit_command: Callable[..., tuple[int, str]],
) -> None:
    code, text = audit_command(LETTERS)
    assert (code, text.splitlines()[-1]) == (0, "green: nothing has to be mended")
    code, text = audit_command([*LETTERS, LOST])
    assert code == 9
    assert "unclaimed_mail/news@other.example" in text and "    mend: edit irrelevant_senders.toml" in text
    assert text.splitlines()[-1].startswith("findings: 0 errors, 1 warning, ")


def test_the_command_prints_one_json_document_whatever_it_finds(
    audit_command: Callable[..., tuple[int, str]],
) -> None:
    for letters, is_green, wanted in ((LETTERS, True, 0), ([*LETTERS, LOST], False, 9)):
        code, text = audit_command(letters, "--json")
        document: Mapping[str, Any] = json.loads(text)["findings"]
        assert (code, document["is_green"]) == (wanted, is_green)
        assert text.count("\n") == 1


def test_case_48_mail_to_oneself_under_any_of_its_addresses_is_counted_apart() -> None:
    pattern = {"name": "p", "classification": "Job Alert", "confidence": 0.9, "text_contains": ["no such words"]}
    rules = rule_set(patterns=[pattern])
    judged = judge(search_capture(case_json("48", "search_threads.json")), rules).tables
    names = ("messages", "labels", "mail_state", "hits", "protected", "decisions")
    found = audit(rules=rules, decision_logs=(), **{name: judged[name] for name in names})
    assert told(found) == []
    assert found.filter(pl.col("kind") == "self_sent")["message_ids"].to_list() == [["t-self-1", "t-self-2"]]
