"""normalize: captures and receipts in, the snapshot out.

Promises: every table has its exact schema and is built column by column, so nothing unnamed is copied; codes in
subjects are masked; a message that cannot be read is a row in `refused` and changes no other row; labels are those of
the newest capture that shows the message, then of every receipt that was verified after it. No message text, snippet
or attachment name ever enters a table.

Each capture is read once: what it says by itself is a shard, kept beside the tables, and the tables are their fold.

    captures + receipts -> messages, threads, labels, label_history, mail_state, refused
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

import polars as pl

from pipeline.artifacts import Derived
from pipeline.evidence.gather import EVIDENCE, Evidence
from pipeline.mail.message import is_id
from pipeline.models.receipt import Receipt
from pipeline.refusals import UnknownShape
from pipeline.sealing.receipts import RECEIPTS, MailFold, fold_receipts
from pipeline.stage import Stage
from pipeline.tables import LABEL_HISTORY as LABEL_HISTORY_TABLE
from pipeline.tables import LABELS as LABELS_TABLE
from pipeline.tables import MAIL_STATE as MAIL_STATE_TABLE
from pipeline.tables import MESSAGES as MESSAGES_TABLE
from pipeline.tables import REFUSED as REFUSED_TABLE
from pipeline.tables import THREADS as THREADS_TABLE

CATEGORIES = ("CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_SOCIAL", "CATEGORY_FORUMS", "CATEGORY_PERSONAL")
NOISY_CATEGORIES = ("CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_FORUMS")
Row = dict[str, object]


def normalize(evidence: Evidence, receipts: tuple[Receipt, ...]) -> dict[str, pl.DataFrame]:
    """The snapshot tables of what captures say and receipts did. Raises UnknownShape for a label that is none."""
    folds = fold_receipts(receipts)
    done = sightings_of(evidence.sightings, folds)
    messages = MESSAGES_TABLE.checked(judged_by_labels(relabelled(evidence.messages, after_receipts(done, folds))))
    return {
        "messages": messages,
        "threads": THREADS_TABLE.checked(thread_table(messages, evidence.threads)),
        "labels": LABELS_TABLE.frame(label_rows(evidence, receipts)),
        "label_history": LABEL_HISTORY_TABLE.checked(evidence.sightings),
        "mail_state": MAIL_STATE_TABLE.frame(state_rows(folds, done)),
        "refused": REFUSED_TABLE.checked(evidence.refused),
    }


Sighted = Mapping[str, tuple[tuple[datetime, list[str] | None], ...]]
"""Message id -> (time, labels) of each capture that saw it, oldest first."""


def sightings_of(sightings: pl.DataFrame, folds: Mapping[str, MailFold]) -> Sighted:
    """The sightings of the messages that our runs touched."""
    touched = sightings.filter(pl.col("message_id").is_in(list(folds))).sort("message_id", "seen_at", "capture")
    found: dict[str, list[tuple[datetime, list[str] | None]]] = {}
    for message_id, seen_at, labels in touched.select("message_id", "seen_at", "label_ids").iter_rows():
        found.setdefault(message_id, []).append((seen_at, labels))
    return {message_id: tuple(one) for message_id, one in found.items()}


def after_receipts(sighted: Sighted, folds: Mapping[str, MailFold]) -> dict[str, list[str]]:
    """Labels that a receipt verified after the newest sighting."""
    return {
        message_id: sorted(done.after_labels)
        for message_id, done in folds.items()
        if done.after_labels is not None and (seen := sighted.get(message_id)) and done.at >= seen[-1][0]
    }


def relabelled(messages: pl.DataFrame, labels: Mapping[str, list[str]]) -> pl.DataFrame:
    """The messages with these label lists in place of theirs."""
    if not labels:
        return messages
    new = pl.DataFrame(
        {"id": list(labels), "new_labels": list(labels.values())},
        schema={"id": pl.String, "new_labels": pl.List(pl.String)},
    )
    joined = messages.join(new, on="id", how="left")
    return joined.with_columns(pl.coalesce("new_labels", "label_ids").alias("label_ids")).drop("new_labels")


def judged_by_labels(messages: pl.DataFrame) -> pl.DataFrame:
    """What follows from labels: Gmail's tab, the owner's own mail, an unsubscribe offer where headers were not seen."""
    is_noisy = pl.any_horizontal(*map(wears, NOISY_CATEGORIES))
    tabs = (pl.when(wears(name)).then(pl.lit(name.removeprefix("CATEGORY_").lower())) for name in CATEGORIES)
    return messages.with_columns(
        pl.coalesce(*tabs).alias("category"),
        pl.when("headers_seen").then("has_unsubscribe").otherwise(is_noisy).alias("has_unsubscribe"),
        wears("SENT").alias("is_sent_by_me"),
        pl.when(wears("SENT")).then("written_to").otherwise(pl.lit([], pl.List(pl.String))).alias("written_to"),
    )


def wears(label: str) -> pl.Expr:
    """Whether a message is known to wear a label."""
    return pl.col("label_ids").list.contains(label).fill_null(False)


def thread_table(messages: pl.DataFrame, listed: Mapping[str, str]) -> pl.DataFrame:
    """One row a thread: members from lists and reads together, the ones nobody read named."""
    read = (
        messages.sort("date", "id")
        .group_by(pl.col("thread_id").alias("id"), maintain_order=True)
        .agg(
            pl.col("from_address").first().alias("first_sender"),
            pl.col("subject").first().alias("first_subject"),
            pl.col("id").alias("read_ids"),
            pl.col("label_ids").list.explode().drop_nulls().unique().sort().alias("label_union"),
            pl.col("is_sent_by_me").any().alias("is_participated"),
        )
    )
    named = pl.DataFrame(
        {"id": list(listed.values()), "listed_ids": list(listed)}, schema={"id": pl.String, "listed_ids": pl.String}
    )
    members = read.join(named.group_by("id").agg("listed_ids"), on="id", how="left").with_columns(
        pl.col("listed_ids").fill_null([])
    )
    return members.with_columns(
        pl.col("read_ids").list.set_union("listed_ids").list.sort().alias("member_ids"),
        pl.col("listed_ids").list.set_difference("read_ids").list.sort().alias("unread_member_ids"),
    ).select(*THREADS_TABLE.columns)


def label_rows(evidence: Evidence, receipts: tuple[Receipt, ...]) -> list[Row]:
    """Labels of the newest list, and those that receipts created since it was taken (an older one may be gone)."""
    rows = dict(map(_label_of, evidence.labels))
    for receipt in receipts:
        if evidence.labels_at is None or receipt.opened.at >= evidence.labels_at:
            created = (event for event in receipt.events if event.event == "label_created")
            rows |= {event.id: (event.name, "user") for event in created}
    return [
        {"id": label_id, "name": name, "type": kind, "folded_name": name.casefold()}
        for label_id, (name, kind) in sorted(rows.items())
    ]


def _label_of(item: Mapping[str, object]) -> tuple[str, tuple[str, str]]:
    """A listed label's id, name and type. Raises UnknownShape: a label that cannot be read would be created anew."""
    name = item.get("name")
    if not is_id(item.get("id")) or not isinstance(name, str):
        raise UnknownShape("a listed label has no usable id or name", evidence="labels.list")
    return str(item["id"]), (name, "system" if item.get("type") == "system" else "user")


def state_rows(folds: Mapping[str, MailFold], sighted: Sighted) -> list[Row]:
    """What our verified runs did to each message, and whether the owner took it back by hand."""
    return [_state_row(message_id, done, sighted.get(message_id, ())) for message_id, done in sorted(folds.items())]


def _state_row(message_id: str, done: MailFold, sightings: Iterable[tuple[datetime, list[str] | None]]) -> Row:
    later = [labels for seen_at, labels in sightings if seen_at > done.at and labels is not None]
    return {
        "message_id": message_id,
        "classified_at": done.classified_at,
        "labelled_at": done.labelled_at,
        "archived_at": done.archived_at,
        "is_undone": done.is_undone,
        "is_reversed_by_hand": not done.is_undone and any(_is_reversed(done, labels) for labels in later),
        "run": done.run,
        "added_label_id": done.added_label_id,
    }


def _is_reversed(done: MailFold, labels: list[str]) -> bool:
    if done.trashed_at is not None:
        return "TRASH" not in labels
    has_lost_label = done.added_label_id is not None and done.added_label_id not in labels
    return has_lost_label or (done.archived_at is not None and "INBOX" in labels)


MESSAGES = Derived(
    "messages", "one row a message: sender, subject (masked), labels, facts about its headers", MESSAGES_TABLE
)
THREADS = Derived("threads", "one row a thread: members, members not read, label union", THREADS_TABLE)
LABELS = Derived("labels", "labels of the account by id, with the name as Gmail compares it", LABELS_TABLE)
LABEL_HISTORY = Derived("label_history", "the labels of each message in each capture", LABEL_HISTORY_TABLE)
MAIL_STATE = Derived("mail_state", "what our runs did to each message and whether it still stands", MAIL_STATE_TABLE)
REFUSED = Derived("refused", "messages that could not be read, with the reason", REFUSED_TABLE)

STAGE = Stage(
    "normalize",
    reads=(EVIDENCE, RECEIPTS),
    writes=(MESSAGES, THREADS, LABELS, LABEL_HISTORY, MAIL_STATE, REFUSED),
    keeps="message",
    run=normalize,
)
