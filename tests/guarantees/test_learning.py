"""Learning only proposes: a rule is active only by its digest, and bad evidence counts against it."""

import json
import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stages
from pipeline.artifacts import Place
from pipeline.config import REPOSITORY
from pipeline.models.decision import Decision
from pipeline.models.policy import Policy
from pipeline.refusals import NotATerminal, ProposalRefused
from pipeline.rulebook import RULES, read_rules
from pipeline.stage import discover
from pipeline.tables import MAIL_STATE, MESSAGES, PROTECTED, RELATIONS, SCREEN
from stages.mine import PROPOSALS, mine
from tests.guarantees.approved import Approved, fresh, loop_on
from tests.sweeps import sweep

SENDER = "jobs@boardly.example"
NOW = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)
RULE_BOOK = read_rules(tuple((p.name, p.read_bytes()) for p in sorted((REPOSITORY / "rules").glob("*.toml"))))
POLICY = Policy(version=1)


@dataclass(frozen=True)
class Mail:
    """One message of the sender with what the stages said of it, and its decision in the log."""

    number: int
    sender: str = SENDER
    source: str = "tier1"
    classification: str = "Job Alert"
    approved: bool = True
    screen: str = "clean"
    classes: tuple[str, ...] = ("employment",)
    list_id: str | None = None
    one_click: bool = True
    dmarc: str | None = "pass"
    state: dict[str, Any] = field(default_factory=lambda: {"is_undone": False, "is_reversed_by_hand": False})

    @property
    def id(self) -> str:
        return f"m{self.number}"

    def decision(self) -> Decision:
        """Its line in the decisions log."""
        values = {
            "as_of": NOW.isoformat(),
            "message_id": self.id,
            "thread_id": self.id,
            "sender": self.sender,
            "subject": "New jobs",
            "classification": self.classification,
            "confidence": 0.9,
            "source": self.source,
            "rule": None,
            "evidence": [],
            "reasons": [],
            "screen": self.screen,
            "protected": list(self.classes),
            "action": "label",
            "approved": self.approved,
        }
        return Decision.model_validate_json(json.dumps(values))

    def row(self) -> dict[str, Any]:
        """Its row among the messages."""
        named = {
            "id": self.id,
            "from_address": self.sender,
            "list_id": self.list_id,
            "one_click": self.one_click,
            "dmarc": self.dmarc,
        }
        return {**dict.fromkeys(MESSAGES.columns), **named}

    def screen_row(self) -> dict[str, Any]:
        """Its row in the screen."""
        return {"message_id": self.id, "verdict": self.screen, "level": "none", "evidence": []}

    def state_row(self) -> dict[str, Any]:
        """Its row in the mail state."""
        return {**dict.fromkeys(MAIL_STATE.columns), "message_id": self.id, "labelled_at": NOW, **self.state}


def mined(mails: list[Mail], written_to: tuple[str, ...] = (), policy: Policy = POLICY) -> list[dict[str, Any]]:
    """The proposals of one approved run over these messages."""
    relations = [{**dict.fromkeys(RELATIONS.columns), "address": who, "is_written_to": True} for who in written_to]
    table = mine(
        (("ab" * 8, tuple(mail.decision() for mail in mails)),),
        RULE_BOOK,
        MESSAGES.frame(mail.row() for mail in mails),
        RELATIONS.frame(relations),
        SCREEN.frame(
            {"message_id": mail.id, "verdict": mail.screen, "level": "none", "evidence": []} for mail in mails
        ),
        PROTECTED.frame({"message_id": mail.id, "classes": list(mail.classes), "evidence": []} for mail in mails),
        MAIL_STATE.frame(mail.state_row() for mail in mails),
        policy,
    )
    return table.to_dicts()


GOOD = [Mail(number) for number in range(6)]


def spoiled(**changes: Any) -> list[Mail]:
    """The good log with one message changed."""
    return [replace(GOOD[0], **changes), *GOOD[1:]]


def test_six_messages_alike_are_proposed_with_nothing_against_them() -> None:
    (row,) = mined(GOOD)
    assert (row["sender_contains"], row["classification"], row["message_count"]) == (SENDER, "Job Alert", 6)
    assert row["reasons_against"] == []


@pytest.mark.contract("LE-2")
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: mined(GOOD[:4]), "too_few_messages"),
        (lambda: mined(spoiled(classification="Interview")), "mixed_classifications"),
        (lambda: mined([replace(mail, sender="jobs@gmail.example") for mail in GOOD]), "free_mail_domain"),
        (lambda: mined(spoiled(list_id="<people.lists.example>", one_click=False)), "mailing_list"),
        (lambda: mined(spoiled(dmarc="fail")), "not_authenticated"),
        (lambda: mined(spoiled(dmarc=None)), "not_authenticated"),
        (lambda: mined(GOOD, written_to=(SENDER,)), "written_to"),
        (lambda: mined(spoiled(screen="suspicious")), "protected_or_unclean_mail"),
        (lambda: mined(spoiled(classes=("employment", "money"))), "protected_or_unclean_mail"),
    ],
)
def test_each_kind_of_bad_evidence_is_named_and_alone(make: Callable[[], list[dict[str, Any]]], reason: str) -> None:
    (row,) = make()
    assert row["reasons_against"] == [reason]


@pytest.mark.contract("LE-2")
@pytest.mark.parametrize(
    "changes",
    [
        {"source": "sender"},
        {"source": "review"},
        {"approved": False},
        {"state": {"is_undone": True, "is_reversed_by_hand": False}},
        {"state": {"is_undone": False, "is_reversed_by_hand": True}},
        {"state": {"is_undone": False, "is_reversed_by_hand": False, "labelled_at": None}},
    ],
    ids=["own-rule", "unsure", "unapproved", "undone", "by-hand", "unverified"],
)
def test_what_is_no_evidence_counts_for_nothing(changes: dict[str, Any]) -> None:
    assert mined([replace(mail, **changes) for mail in GOOD]) == []
    (row,) = mined(spoiled(**changes))
    assert row["message_count"] == 5


POISONS: tuple[dict[str, Any], ...] = (
    {"source": "sender"},
    {"approved": False},
    {"screen": "injection"},
    {"classes": ("direct_human",)},
    {"classes": ("uncertain",)},
    {"dmarc": "fail"},
    {"list_id": "<l.example>", "one_click": False},
    {"classification": "Interview"},
    {"state": {"is_undone": True, "is_reversed_by_hand": False}},
    {"state": {"is_undone": False, "is_reversed_by_hand": True}},
)


@pytest.mark.contract("LE-1")
@settings(max_examples=sweep(1000), deadline=None)
@given(st.lists(st.sampled_from(POISONS), min_size=1, max_size=12), st.integers(0, 4))
def test_no_poisoned_log_gives_a_rule_that_may_be_promoted(poisons: list[dict[str, Any]], good: int) -> None:
    mails = [*GOOD[:good], *(replace(Mail(100 + number), **poison) for number, poison in enumerate(poisons))]
    assert all(row["reasons_against"] for row in mined(mails))


@pytest.mark.contract("LE-1")
def test_only_promote_adds_rules_and_only_their_owner_takes_one_out() -> None:
    assert [name for name, stage in discover(stages).items() if RULES in stage.writes] == ["promote"]
    files = [path for package in ("pipeline", "stages") for path in (REPOSITORY / package).rglob("*.py")]
    named = {path.name for path in files if "rules_folder()" in path.read_text(encoding="utf-8")}
    assert named == {"promote.py", "rules.py"}  # rules --remove: see tests/pipeline/test_ruleedits.py


@pytest.fixture
def place(approved: Approved, tmp_path: Path) -> Path:
    shutil.copytree(approved.config, tmp_path / "config")
    return Path(shutil.copytree(approved.folder, tmp_path / "place"))


@pytest.mark.contract("LE-1")
def test_a_rule_is_active_after_promote_of_its_digest_and_not_before(approved: Approved, place: Path) -> None:
    file = place.parent / "config" / "rules" / "sender_rules.toml"
    before = file.read_bytes()
    with loop_on(place, fresh(approved.state)) as loop:
        loop.execute(approved.manifest)
        proposals = loop.derive("mine")["proposals"]
        assert isinstance(proposals, pl.DataFrame)
        free = proposals.filter(pl.col("reasons_against").list.len() == 0)
        barred = proposals.filter(pl.col("reasons_against").list.len() > 0)
        assert free.height and barred.height
        promote = loop.stage("promote").run
        for digest, refusal in (
            (barred["digest"][0], ProposalRefused),
            ("00" * 32, ProposalRefused),
            ("", NotATerminal),
        ):
            with pytest.raises(refusal):
                promote(loop.context, digest)
        assert file.read_bytes() == before
        promote(loop.context, free["digest"][0])
        assert PROPOSALS.load(Place(loop.context.workspace, loop.context.config)) is not None
    after = file.read_bytes()
    assert after.startswith(before), "every byte of the owner's file stays, comments too"
    rules = tomllib.loads(after.decode())["rule"]
    assert [rule["sender_contains"] for rule in rules] == [[free["sender_contains"][0]]]
