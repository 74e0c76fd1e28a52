"""protect: which messages must stay, and why. It only ever raises classes; nothing here can lower one.

Promises: every message of the snapshot exactly once; what is null or unknown reads as protected (`uncertain`);
structure first (SENT in the thread, attachments, stars, labels, who wrote), words second. The gate in `decide` may
waive `employment` and nothing else.

    direct_human live_conversation recent                   people
    account_security money legal health employment orders housing_family travel_delivery     words
    attachment starred important user_labelled              what the owner or the sender did to it
    uncertain injected                                      what nobody could read, or believe
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from pipeline.artifacts import ACCOUNT, AS_OF, POLICY, Derived
from pipeline.judge.people import Build, looks_like_a_person
from pipeline.mail.address import same_mailbox
from pipeline.mail.fold import words
from pipeline.models.operation import is_user_label
from pipeline.models.policy import Policy
from pipeline.models.registry import AccountRecord
from pipeline.models.rules import READING, RuleSet
from pipeline.rulebook import RULES
from pipeline.stage import Stage
from pipeline.tables import PROTECTED as PROTECTED_TABLE
from stages.match import HITS
from stages.normalize import LABELS, MAIL_STATE, MESSAGES, THREADS
from stages.relate import RELATIONS
from stages.screen import SCREEN

Row = Mapping[str, Any]
Raised = Iterator[tuple[str, str]]
"""(class, evidence id) pairs."""
_READABLE_SCREENS = ("clean", "suspicious", "injection")
_READABLE_BODIES = ("fetched", "empty")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known around the messages: of threads, correspondents, labels, the owner and the time."""

    threads: Mapping[str, Row]
    relations: Mapping[str, Row]
    screens: Mapping[str, str]
    words: Mapping[str, tuple[tuple[str, str], ...]]
    shapes: Mapping[str, frozenset[str]]
    our_label_ids: frozenset[str]
    owner: str
    policy: Policy
    as_of: datetime


def protect(
    messages: pl.DataFrame,
    threads: pl.DataFrame,
    labels: pl.DataFrame,
    relations: pl.DataFrame,
    hits: pl.DataFrame,
    screen: pl.DataFrame,
    mail_state: pl.DataFrame,
    rules: RuleSet,
    policy: Policy,
    account: AccountRecord,
    as_of: datetime,
) -> pl.DataFrame:
    """One row a message: its sorted classes and the evidence ids behind them."""
    around = Surroundings(
        threads={row["id"]: row for row in threads.iter_rows(named=True)},
        relations={row["address"]: row for row in relations.iter_rows(named=True)},
        screens=dict(zip(screen["message_id"], screen["verdict"], strict=True)),
        words=raised_by_words(hits, rules),
        shapes=shapes_by_message(hits),
        our_label_ids=our_labels(labels, mail_state, rules),
        owner=account.address,
        policy=policy,
        as_of=as_of,
    )
    return PROTECTED_TABLE.frame(protected_row(row, around) for row in messages.iter_rows(named=True))


def protected_row(row: Row, around: Surroundings) -> dict[str, object]:
    """The classes of one message and why."""
    raised = sorted(
        {
            *_uncertain(row, around),
            *_people(row, around),
            *_marks(row, around.our_label_ids),
            *around.words.get(row["id"], ()),
        }
    )
    return {
        "message_id": row["id"],
        "classes": sorted({name for name, _ in raised}),
        "evidence": [f"{name}:{why}" for name, why in raised],
    }


def _uncertain(row: Row, around: Surroundings) -> Raised:
    """Whatever is null, unread or not believed."""
    for column in ("from_address", "subject", "date", "label_ids", "attachment_count", "thread_id"):
        if row[column] is None:
            yield "uncertain", f"{column}_unknown"
    if row["headers_seen"] is not True:
        yield "uncertain", "headers_not_seen"
    if row["body_state"] not in _READABLE_BODIES:
        yield "uncertain", f"body_{row['body_state'] or 'unknown'}"
    verdict = around.screens.get(row["id"])
    if verdict not in _READABLE_SCREENS:
        yield "uncertain", f"screen_{verdict or 'unknown'}"
    if verdict == "injection":
        yield "injected", "screen_injection"
    if verdict == "suspicious":
        yield "uncertain", "screen_suspicious"


def _people(row: Row, around: Surroundings) -> Raised:
    thread, relation = around.threads.get(row["thread_id"]), around.relations.get(row["from_address"])
    if row["is_sent_by_me"] is not False:
        yield "live_conversation", "sent_by_me"
    if thread is None or thread["is_participated"] is not False:
        yield "live_conversation", "owner_in_thread" if thread else "thread_unknown"
    if "reply" in around.shapes.get(row["id"], frozenset()):
        yield "live_conversation", "answers_a_mail"
    if relation is not None:
        yield from _correspondent(relation, around)
    if row["from_address"] is not None and _is_human(row, around):
        yield "direct_human", "sender_looks_human"


def _correspondent(relation: Row, around: Surroundings) -> Raised:
    if relation["is_written_to"] is not False:
        yield "direct_human", "written_to"
    answered = relation["last_reply_at"]
    if answered is not None and answered >= around.as_of - timedelta(days=around.policy.protect.recent_days):
        yield "recent", "recently_answered"
    if relation["rescued_count"] != 0:
        yield "direct_human", "rescued_before"


def _is_human(row: Row, around: Surroundings) -> bool:
    name = row["from_name"] or ""
    if same_mailbox(row["from_address"], around.owner):
        return True
    if any(_stands_in(personal, name) for personal in around.policy.protect.personal_names):
        return True
    shapes = around.shapes.get(row["id"], frozenset())
    is_listed = bool(row["has_unsubscribe"]) or row["list_id"] is not None or "list" in shapes
    is_to_many = "page" in shapes or ("broadcast" in shapes and "greeted" not in shapes)
    build = Build(is_listed, "discussion" in shapes, "reply" in shapes, is_to_many)
    return looks_like_a_person(name, row["from_address"], build)


def _stands_in(personal: str, name: str) -> bool:
    wanted, found = words(personal), words(name)
    return bool(wanted) and any(found[at : at + len(wanted)] == wanted for at in range(len(found) - len(wanted) + 1))


def _marks(row: Row, ours: frozenset[str]) -> Raised:
    """What sender or owner did to it; an unknown label is taken for the owner's."""
    if row["attachment_count"] != 0:
        yield "attachment", "attachments"
    for label in row["label_ids"] or ():
        if label in ("STARRED", "IMPORTANT"):
            yield label.lower(), "label"
        elif is_user_label(label) and label not in ours:
            yield "user_labelled", "label"


def raised_by_words(hits: pl.DataFrame, rules: RuleSet) -> dict[str, tuple[tuple[str, str], ...]]:
    """Message id -> (class, rule/field/marker) of every protected word that was hit."""
    protects = {found.name: found.protects for found in rules.sets if found.protects and found.name != READING}
    raised: dict[str, list[tuple[str, str]]] = {}
    for row in hits.filter(pl.col("role") == "protected").iter_rows(named=True):
        # What could not be read is doubt, and a set that these rules do not know is from other rules: doubt too.
        name = protects.get(row["rule"]) or "uncertain"
        why = sys.intern(f"{row['rule']}/{row['field']}/{row['marker']}")  # few markers, many messages
        raised.setdefault(row["message_id"], []).append((name, why))
    return {message_id: tuple(found) for message_id, found in raised.items()}


def shapes_by_message(hits: pl.DataFrame) -> dict[str, frozenset[str]]:
    """Message id -> what it is by its build."""
    found: dict[str, set[str]] = {}
    for row in hits.filter(pl.col("role") == "shape").iter_rows(named=True):
        found.setdefault(row["message_id"], set()).add(row["marker"])
    return {message_id: frozenset(shapes) for message_id, shapes in found.items()}


def our_labels(labels: pl.DataFrame, mail_state: pl.DataFrame, rules: RuleSet) -> frozenset[str]:
    """Ids of our own labels: by the taxonomy's names, and those that verified runs added."""
    named = labels.filter(pl.col("folded_name").is_in(sorted(rules.folded_label_names)))["id"]
    return frozenset(_known(named)) | frozenset(_known(mail_state["added_label_id"]))


def _known(values: Iterable[str | None]) -> Iterator[str]:
    return (value for value in values if value is not None)


PROTECTED = Derived("protected", "the protected classes of each message, with evidence", PROTECTED_TABLE)

STAGE = Stage(
    "protect",
    reads=(MESSAGES, THREADS, LABELS, RELATIONS, HITS, SCREEN, MAIL_STATE, RULES, POLICY, ACCOUNT, AS_OF),
    writes=(PROTECTED,),
    keeps="message",
    run=protect,
)
