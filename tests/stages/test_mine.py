"""LE-1, LE-2: learning only proposes, and each thing that speaks against a sender is listed."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.models.decision import Decision
from pipeline.models.policy import Policy
from pipeline.rulebook import read_rules
from pipeline.tables import MAIL_STATE, MESSAGES, PROPOSALS, PROTECTED, RELATIONS, SCREEN
from stages.mine import mine, promotable
from tests.strategies.captures import NOON, RULE_FILES
from tests.strategies.case_files import case_lines
from tests.sweeps import sweep

SENDER = "hello@openings.example"
RULES = read_rules(RULE_FILES)


@dataclass(frozen=True)
class Known:
    """The tables beside the log, as rows that a test may change."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)
    screen: list[dict[str, Any]] = field(default_factory=list)
    protected: list[dict[str, Any]] = field(default_factory=list)
    mail_state: list[dict[str, Any]] = field(default_factory=list)


def message(number: int, sender: str | None = SENDER, **changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "id": f"m{number:03d}",
        "thread_id": f"m{number:03d}",
        "from_name": "Openings",
        "from_address": sender,
        "from_domain": (sender or "").rpartition("@")[2],
        "defects": [],
        "subject": "New openings",
        "date": NOON,
        "label_ids": ["Label_12"],
        "category": "updates",
        "headers_seen": True,
        "has_unsubscribe": True,
        "one_click": True,
        "list_id": None,
        "attachment_count": 0,
        "body_state": "fetched",
        "spf": "pass",
        "dkim": "pass",
        "dmarc": "pass",
        "is_sent_by_me": False,
        "written_to": [],
        "history_id": "1",
        "capture": "c",
    }
    return {**values, **changes}


def decided(number: int, sender: str | None = SENDER, **changes: Any) -> Decision:
    values = {
        "as_of": NOON,
        "message_id": f"m{number:03d}",
        "thread_id": f"m{number:03d}",
        "sender": sender,
        "subject": "New openings",
        "classification": "Job Alert",
        "confidence": 0.9,
        "source": "tier1",
        "rule": "alert words",
        "evidence": (),
        "reasons": (),
        "screen": "clean",
        "protected": (),
        "action": "label+archive",
        "approved": True,
    }
    return Decision.model_validate({**values, **changes})


def state(number: int, **changes: Any) -> dict[str, Any]:
    values = {
        "message_id": f"m{number:03d}",
        "classified_at": NOON,
        "labelled_at": NOON,
        "archived_at": NOON,
        "is_undone": False,
        "is_reversed_by_hand": False,
        "run": "r",
        "added_label_id": "Label_12",
    }
    return {**values, **changes}


def relation(**changes: Any) -> dict[str, Any]:
    values = {
        "address": SENDER,
        "received_count": 5,
        "is_written_to": False,
        "replied_count": 0,
        "live_count": 0,
        "read_count": 0,
        "read_and_archived_count": 0,
        "ignored_count": 5,
        "archived_by_hand_count": 0,
        "rescued_count": 0,
        "last_reply_at": None,
    }
    return {**values, **changes}


def known_of(count: int = 5, sender: str | None = SENDER) -> Known:
    """A sender against whom nothing speaks."""
    ids = [f"m{number:03d}" for number in range(count)]
    return Known(
        [message(number, sender) for number in range(count)],
        [relation()],
        [{"message_id": one, "verdict": "clean", "level": "none", "evidence": []} for one in ids],
        [{"message_id": one, "classes": ["employment"], "evidence": []} for one in ids],
        [state(number) for number in range(count)],
    )


def mined(log: list[Decision], known: Known | None = None, rules: Any = RULES, **policy: Any) -> list[dict[str, Any]]:
    known = known or known_of()
    frame = mine(
        (("run", tuple(log)),),
        rules,
        MESSAGES.frame(known.messages),
        RELATIONS.frame(known.relations),
        SCREEN.frame(known.screen),
        PROTECTED.frame(known.protected),
        MAIL_STATE.frame(known.mail_state),
        Policy.model_validate({"version": 1, **policy}),
    )
    assert frame.schema == PROPOSALS.schema
    return frame.to_dicts()


LOG = [decided(number) for number in range(5)]


@pytest.mark.contract("LE-1")
def test_five_messages_decided_alike_become_one_proposal_that_may_be_promoted() -> None:
    (found,) = mined(LOG)
    assert found["sender_contains"] == SENDER
    assert found["classification"] == "Job Alert"
    assert found["evidence"] == [f"m{number:03d}" for number in range(5)]
    assert (found["message_count"], found["confidence"], found["reasons_against"]) == (5, 0.9, [])
    assert len(found["digest"]) == 64


def test_the_order_of_the_log_and_repeats_in_it_change_nothing() -> None:
    assert mined(LOG[::-1] + LOG + LOG[:2]) == mined(LOG)


def test_the_weakest_confidence_is_the_rules_and_the_digest_names_the_whole_rule() -> None:
    (weak,) = mined([*LOG[:4], decided(4, confidence=0.81)])
    assert weak["confidence"] == 0.81
    assert weak["digest"] != mined(LOG)[0]["digest"]


# --- no evidence


NO_EVIDENCE: dict[str, dict[str, Any]] = {
    "not approved": {"approved": False},
    "the miner's own echo": {"source": "sender"},
    "irrelevant": {"source": "irrelevant"},
    "not relevant": {"source": "none", "classification": None},
    "unsure": {"source": "review", "classification": "Review Manually"},
    "no sender": {"sender": None},
    "another sender than the message's": {"sender": "somebody@else.example"},
    "a message that nobody has": {"message_id": "zzz"},
}


@pytest.mark.contract("LE-2")
@pytest.mark.parametrize("change", NO_EVIDENCE.values(), ids=NO_EVIDENCE.keys())
def test_a_decision_that_is_no_evidence_is_not_counted(change: dict[str, Any]) -> None:
    (found,) = mined([*LOG[:4], LOG[4].model_copy(update=change)])
    assert found["message_count"] == 4
    assert found["reasons_against"] == ["too_few_messages"]


@pytest.mark.contract("LE-2")
@pytest.mark.parametrize("change", [{"is_undone": True}, {"is_reversed_by_hand": True}, {"labelled_at": None}])
def test_a_change_that_does_not_stand_is_no_evidence(change: dict[str, Any]) -> None:
    known = known_of()
    (found,) = mined(LOG, replace(known, mail_state=[*known.mail_state[:4], state(4, **change)]))
    assert found["message_count"] == 4
    (found,) = mined(LOG, replace(known, mail_state=known.mail_state[:4]))
    assert found["message_count"] == 4


def test_a_sender_that_has_its_rule_is_not_proposed_again() -> None:
    files = dict(RULE_FILES)
    rule = (
        f'\n[[rule]]\nname = "mine"\nsender_contains = ["{SENDER}"]\nclassification = "Job Alert"\nconfidence = 0.9\n'
    )
    files["sender_rules.toml"] += rule.encode()
    assert mined(LOG, rules=read_rules(tuple(files.items()))) == []


# --- reasons against


def with_message(**changes: Any) -> Callable[[Known], Known]:
    """One more message of the sender, no evidence itself."""
    return lambda known: Known(
        [*known.messages, message(99, **changes)],
        known.relations,
        [*known.screen, {"message_id": "m099", "verdict": "clean", "level": "none", "evidence": []}],
        [*known.protected, {"message_id": "m099", "classes": [], "evidence": []}],
        known.mail_state,
    )


def with_screen(verdict: str | None) -> Callable[[Known], Known]:
    def change(known: Known) -> Known:
        rows = [row for row in known.screen if row["message_id"] != "m000"]
        return replace(
            known, screen=[*rows, {"message_id": "m000", "verdict": verdict, "level": "none", "evidence": []}]
        )

    return change


def with_classes(*classes: str) -> Callable[[Known], Known]:
    def change(known: Known) -> Known:
        rows = [row for row in known.protected if row["message_id"] != "m000"]
        return replace(known, protected=[*rows, {"message_id": "m000", "classes": list(classes), "evidence": []}])

    return change


REASONS: dict[str, tuple[Callable[[Known], Known], str]] = {
    "a list where people post": (with_message(list_id="talk.example", one_click=False), "mailing_list"),
    "one message without authentication": (with_message(dmarc="fail", spf="fail"), "not_authenticated"),
    "authentication unknown": (with_message(dmarc=None, spf=None, dkim=None), "not_authenticated"),
    "dkim alone": (with_message(dmarc=None, spf=None), "not_authenticated"),
    "a person written to": (lambda known: replace(known, relations=[relation(is_written_to=True)]), "written_to"),
    "one suspicious message": (with_screen("suspicious"), "protected_or_unclean_mail"),
    "a verdict that is null": (with_screen(None), "protected_or_unclean_mail"),
    "no verdict": (lambda known: replace(known, screen=known.screen[1:]), "protected_or_unclean_mail"),
    "one message about money": (with_classes("employment", "money"), "protected_or_unclean_mail"),
    "protection unknown": (lambda known: replace(known, protected=known.protected[1:]), "protected_or_unclean_mail"),
}


@pytest.mark.contract("LE-2")
@pytest.mark.parametrize(("change", "reason"), REASONS.values(), ids=REASONS.keys())
def test_each_thing_that_speaks_against_a_sender_is_listed(change: Callable[[Known], Known], reason: str) -> None:
    (found,) = mined(LOG, change(known_of()))
    assert found["reasons_against"] == [reason]
    assert promotable([found]) == []
    assert promotable(mined(LOG)) == mined(LOG)


@pytest.mark.contract("LE-2")
@pytest.mark.parametrize(
    "change",
    [
        with_message(list_id="news.example", one_click=True),
        with_message(dmarc=None, spf="pass", dkim="pass"),
        with_classes("employment", "recent"),
        with_classes(),
        lambda known: replace(known, relations=[]),
    ],
)
def test_the_neighbours_of_each_reason_are_no_reason(change: Callable[[Known], Known]) -> None:
    (found,) = mined(LOG, change(known_of()))
    assert found["reasons_against"] == []


@pytest.mark.contract("LE-2")
def test_mixed_answers_speak_against_a_sender() -> None:
    (found,) = mined([*LOG[:4], decided(4, classification="Application Received")])
    assert found["reasons_against"] == ["mixed_classifications"]


@pytest.mark.contract("LE-2")
def test_too_few_messages_by_policy() -> None:
    assert mined(LOG, minimum_evidence=6)[0]["reasons_against"] == ["too_few_messages"]
    assert mined(LOG, minimum_evidence=5)[0]["reasons_against"] == []


FREE = "g" + "mail.com"  # not written out: no test names an address that could be real


def free(address: str) -> str:
    return address.replace("freemail.example", FREE)


@pytest.mark.contract("LE-2")
def test_a_free_mail_sender_is_never_promotable() -> None:
    sender = f"somebody@{FREE}"
    known = known_of(sender=sender)
    (found,) = mined([decided(number, sender) for number in range(5)], known)
    assert found["reasons_against"] == ["free_mail_domain"]


@pytest.mark.contract("LE-1", "LE-2")
def test_case_63_mining_freemail_and_self_echo_gives_nothing_to_promote() -> None:
    lines = case_lines("63", "decisions_log.jsonl")
    rows: dict[str, dict[str, Any]] = {}
    log, source = [], {"sender": "sender", "claude": "claude"}
    for line in lines:
        sender = free(line["sender"])
        rows[line["message_id"]] = message(0, sender) | {"id": line["message_id"]}
        log.append(
            decided(
                0,
                sender,
                message_id=line["message_id"],
                classification=line["classification"],
                source=source[line["source"]],
            )
        )
    known = Known(
        list(rows.values()),
        [],
        [{"message_id": one, "verdict": "clean", "level": "none", "evidence": []} for one in rows],
        [{"message_id": one, "classes": ["money"] if one.startswith("nn") else [], "evidence": []} for one in rows],
        [state(0) | {"message_id": one} for one in rows],
    )
    found = {row["sender_contains"]: row for row in mined(log, known)}
    assert promotable(found.values()) == []
    assert "promo@megastore.example" not in found, "its only evidence are echoes of its own rule"
    assert all("free_mail_domain" in row["reasons_against"] for name, row in found.items() if name.endswith(FREE))
    assert not any(row["domain_equals"] for row in found.values()), "never a whole domain"
    bank = found["info@bank.example"]["reasons_against"]
    assert {"mixed_classifications", "protected_or_unclean_mail"} <= set(bank)


@pytest.mark.contract("LE-1")
def test_a_poisoned_log_activates_nothing_however_it_is_poisoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logs that insist, over mail that speaks against them: nothing promotable, and nothing is ever written."""
    monkeypatch.chdir(tmp_path)
    dice, hits = random.Random(63), dict.fromkeys(REASONS, 0)
    names = sorted(REASONS)
    for _ in range(sweep(1000)):
        name = dice.choice(names)
        hits[name] += 1
        count = dice.randint(5, 12)
        known = REASONS[name][0](known_of(count))
        log = [decided(number, confidence=dice.choice((0.9, 1.0))) for number in range(count)] * dice.randint(1, 4)
        dice.shuffle(log)
        log += [decided(number, source="sender") for number in range(dice.randint(0, 20))]
        log += [decided(900 + number, as_of=NOON + timedelta(days=number)) for number in range(dice.randint(0, 20))]
        rows = mined(log, known)
        assert rows, "the poison is seen, not overlooked"
        assert promotable(rows) == []
    assert list(tmp_path.iterdir()) == []
    assert min(hits.values()) > 0
    print(f"poisons: {hits}")


def test_an_empty_log_proposes_nothing() -> None:
    assert mined([]) == []
    assert isinstance(PROPOSALS.frame([]), pl.DataFrame)
