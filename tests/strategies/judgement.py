"""Mail on its way through the judging stages: captures in memory, whole runs, and facts for the gate."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any

import polars as pl
from hypothesis import strategies as st

from pipeline import tables
from pipeline.evidence.captures import Exchange, RawCapture
from pipeline.judge.cascade import Verdict
from pipeline.judge.gate import Facts
from pipeline.models.capture import Capture, Window
from pipeline.models.policy import Policy, Protection
from pipeline.models.registry import AccountRecord
from pipeline.models.rules import RuleSet
from stages.decide import decide
from stages.protect import protect
from stages.relate import relate
from tests.strategies.mail import message
from tests.strategies.snapshots import matched, normalized, screened

AS_OF = datetime(2026, 11, 24, tzinfo=UTC)
OWNER = "mara.quill@example.com"
ACCOUNT = AccountRecord(
    id="demo", alias=("demo",), address=OWNER, status="organize-only", endpoint="twin", credential="published:demo"
)
ARCHIVABLE = ("Application Received", "Application Update", "Rejection", "Job Alert", "Career Newsletter")
POLICY = Policy(version=1, window_days=90, protect=Protection(waive_employment_for=ARCHIVABLE))
CLASSES = ("direct_human", "money", "legal", "health", "employment", "uncertain", "injected", "attachment", "starred")
NOISY = "Jobly Alerts <no-reply@jobly.example>"
LABELS = ({"id": "Label_1", "name": "Job Search/Job Alert", "type": "user"}, {"id": "Label_2", "name": "Mine"})


def capture_of(resources: Iterable[Mapping[str, Any]], labels: Iterable[Mapping[str, Any]] = LABELS) -> RawCapture:
    """A capture that holds these messages and labels, as verified reading would give it."""
    gets = [_exchange("messages.get", {"id": one["id"], "format": "full"}, one) for one in resources]
    seal = Capture(
        id="20261124T000000Z-00",
        account="demo",
        source="ingest",
        attested_address=None,
        purposes=(),
        window=Window(days=90, query=""),
        started_at=AS_OF,
        finished_at=AS_OF,
        files=(),
        counts={},
        history_id=None,
        quota_units=0,
    )
    return RawCapture(seal, "0" * 64, (*gets, _exchange("labels.list", {}, {"labels": list(labels)})))


def search_capture(document: Mapping[str, Any]) -> RawCapture:
    """A capture of one saved `search_threads` answer."""
    empty = capture_of(())
    return RawCapture(empty.seal, empty.sha256, (*empty.exchanges, _exchange("search_threads", {}, document)))


def _exchange(method: str, parameters: Mapping[str, object], body: Mapping[str, Any]) -> Exchange:
    return Exchange(method, parameters, 200, json.dumps(body).encode("utf-8", "replace"))


@dataclass(frozen=True)
class Judged:
    """Every table of one run; `of` gives the decision of a message, `only` the one decision there is."""

    tables: Mapping[str, pl.DataFrame]

    def row(self, table: str, message_id: str) -> dict[str, Any]:
        """The one row of a message in a table."""
        key = "id" if table == "messages" else "message_id"
        return self.tables[table].row(by_predicate=pl.col(key) == message_id, named=True)

    def of(self, message_id: str) -> dict[str, Any]:
        """The decision of a message."""
        return self.row("decisions", message_id)

    @property
    def only(self) -> dict[str, Any]:
        """The only decision."""
        (row,) = self.tables["decisions"].rows(named=True)
        return row

    def actions(self) -> dict[str, str]:
        """Message id -> action."""
        decisions = self.tables["decisions"]
        return dict(zip(decisions["message_id"], decisions["action"], strict=True))


def judge(
    captures: RawCapture | tuple[RawCapture, ...],
    rules: RuleSet,
    policy: Policy = POLICY,
    **changed: pl.DataFrame,
) -> Judged:
    """Run screen, match, relate, protect and decide; `changed` replaces tables of the snapshot or of a stage."""
    captured = captures if isinstance(captures, tuple) else (captures,)
    found = {
        **normalized(captured, ()),
        "screen": screened(captured, ACCOUNT),
        "hits": matched(captured, rules),
    } | changed
    seen = {name: found[name] for name in ("messages", "threads", "labels", "mail_state", "screen", "hits")}
    relations = relate(found["messages"], found["label_history"], found["mail_state"])
    protected = changed.get("protected")
    if protected is None:
        protected = protect(**seen, relations=relations, rules=rules, policy=policy, account=ACCOUNT, as_of=AS_OF)
    decisions = decide(**seen, protected=protected, rules=rules, policy=policy, as_of=AS_OF)
    return Judged({**found, "relations": relations, "protected": protected, "decisions": decisions})


PLAIN = "This message was sent to all who are on the list, and so to you."
"""Words that no rule knows: mail of a few letters alone counts as not read."""


def noise(message_id: str = "a1", thread: str | None = None, **changes: Any) -> dict[str, Any]:
    """A job alert that everything allows to file: known machine sender, plain words, nothing attached."""
    base: dict[str, Any] = {"sender": NOISY, "subject": "12 new jobs for you", "text": "Data analyst, Leeds. View job"}
    said = {**base, **changes}
    found = message(**{**said, "text": f"{said['text']}\n{PLAIN}"}, message_id=message_id)
    return {**found, "threadId": thread or message_id}


def state_row(message_id: str, **changes: Any) -> dict[str, Any]:
    """One row of mail_state: labelled and archived by run 0, standing."""
    base = {
        "message_id": message_id,
        "classified_at": AS_OF,
        "labelled_at": AS_OF,
        "archived_at": AS_OF,
        "is_undone": False,
        "is_reversed_by_hand": False,
        "run": "0" * 16,
        "added_label_id": "Label_1",
    }
    return {**base, **changes}


def mail_state(*rows: Mapping[str, Any]) -> pl.DataFrame:
    """The mail_state table of these rows."""
    return tables.MAIL_STATE.frame(rows)


CONFIDENCES = (None, 0.0, 0.79, 0.8, 0.85, 0.95, 1.0, 1.0000001, -0.0, math.nan, math.inf, -math.inf, 2, True, "0.9")
"""Anything a confidence may turn out to be."""


def some_facts(random: Random) -> Facts:
    """What may be known of a message, leaning to where one thing decides. Drawn by hand: 50,000 take a second."""
    doubt = random.choice([0.0, 0.0, 0.15, 0.4])

    def mostly(best: Any, *others: Any) -> Any:
        return random.choice(others) if random.random() < doubt else best

    worn = ("INBOX", "SENT", "SPAM", "TRASH", "DRAFT", "CHAT", "Label_2")
    return Facts(
        message_id="m",
        label_ids=mostly(("INBOX",), None, (), tuple(random.sample(worn, 2)), ("INBOX", "Label_2")),
        screen=mostly("clean", None, "suspicious", "injection", "unreadable", "partial", "odd"),
        body_state=mostly("fetched", None, "empty", "not_fetched", "lossy"),
        protected=mostly((), None, ("employment",), ("employment",), tuple(sorted(random.sample(CLASSES, 2)))),
        action_language=mostly((), ("asks",), ("asks", "documents")),
        is_in_window=mostly(True, False),
        is_handled=mostly(False, True),
        is_reversed_by_hand=mostly(False, True),
    )


def some_verdict(random: Random) -> Verdict:
    """What a cascade, or anything that stands in its place, may say."""
    named = ("Job Alert", "Job Alert", "Application Received", "Interview", "Review Manually", "Unheard Of", None)
    sources = ("override", "tier1", "template", "sender", "claude", "review", "irrelevant", "none")
    confidence = random.choice([random.choice(CONFIDENCES), random.uniform(0.8, 1.0), random.uniform(-1, 3)])
    is_safe = random.random() < 0.8
    is_guess = random.random() < 0.2
    return Verdict(random.choice(sources), random.choice(named), confidence, "some rule", (), is_safe, is_guess)


SENDERS = (
    NOISY,
    "Jobly <news@jobly.example>",
    "Jobly <news@mail.jobly.example>",
    "Ann Lee <ann.lee@corp.example>",
    "alerts@firstbank.example <kx7@drop-zone.example>",
    "a@x.example, b@y.example",
    None,
)
_BODIES = (
    "View job",
    "new jobs",
    "C++ digest",
    "hello",
    "hello digest",
    "apply",
    "reply by noon",
    "interview",
    "invoice",
    "",
)


@st.composite
def mailboxes(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A handful of messages in a few threads, made of the words that generated rules look for."""
    listed = []
    for number in range(draw(st.integers(1, 5))):
        labels = draw(
            st.sampled_from(
                [("INBOX",)] * 6 + [("INBOX", "STARRED"), ("INBOX", "Label_1"), ("SENT",), ("Label_2",), ()]
            )
        )
        one = message(
            sender=draw(st.sampled_from((*SENDERS, NOISY, NOISY, NOISY))),
            subject=draw(
                st.sampled_from(["new jobs", "digest", "interview", "hello", "your application", "jobly C++"])
            ),
            text=draw(st.sampled_from(_BODIES)) + draw(st.sampled_from(["", *[f"\n{PLAIN}"] * 4])),
            labels=labels,
            message_id=f"m{number}",
        )
        listed.append({**one, "threadId": draw(st.sampled_from(["t0", f"m{number}", f"m{number}"]))})
    return listed
