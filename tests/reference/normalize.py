"""The snapshot in plain Python from all mail at once: slow and obvious. The stage folds shards and must agree."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeGuard

import polars as pl

from pipeline.evidence.captures import RawCapture
from pipeline.evidence.lists import living_threads
from pipeline.evidence.raw import Reading, read_mail
from pipeline.mail.body import attachments_of
from pipeline.mail.masks import mask_codes
from pipeline.mail.reader import Mail, Unreadable, is_id
from pipeline.models.receipt import Receipt
from pipeline.sealing.receipts import MailFold, fold_receipts
from pipeline.tables import LABEL_HISTORY, MAIL_STATE, MESSAGES, REFUSED, THREADS

CATEGORIES = ("CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_SOCIAL", "CATEGORY_FORUMS", "CATEGORY_PERSONAL")
NOISY_CATEGORIES = ("CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_FORUMS")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Row = dict[str, object]


def reference_normalize(captures: tuple[RawCapture, ...], receipts: tuple[Receipt, ...]) -> dict[str, pl.DataFrame]:
    """All tables but the labels."""
    mail, folds = read_mail(captures), fold_receipts(receipts)
    rows = [message_row(reading, folds.get(reading.mail.id)) for reading in mail if _is_mail(reading)]
    return {
        "messages": MESSAGES.frame(rows),
        "threads": THREADS.frame(thread_rows(rows, living_threads(captures))),
        "label_history": LABEL_HISTORY.frame(history_rows(mail)),
        "mail_state": MAIL_STATE.frame(state_rows(folds, mail)),
        "refused": REFUSED.frame(refused_rows(mail)),
    }


def _is_mail(reading: Reading) -> TypeGuard[Reading]:
    return isinstance(reading.mail, Mail)


def message_row(reading: Reading, fold_: MailFold | None) -> Row:
    """One row of messages: every column named here, nothing copied."""
    mail = reading.mail
    if isinstance(mail, Unreadable):
        raise TypeError("an unreadable message has no row")
    labels = current_labels(reading, fold_)
    return {
        "id": mail.id,
        "thread_id": mail.thread_id,
        "from_name": mask_codes(mail.sender.name),
        "from_address": mail.sender.address,
        "from_domain": mail.sender.domain,
        "defects": sorted({*mail.sender.defects, *mail.subject_defects, *mail.defects}),
        "subject": mask_codes(mail.subject),
        "date": EPOCH + timedelta(milliseconds=mail.internal_date_ms),
        "label_ids": labels,
        "category": category(labels),
        "headers_seen": mail.headers_seen,
        "has_unsubscribe": has_unsubscribe(mail, labels),
        "one_click": mail.one_click,
        "list_id": mail.list_id,
        "attachment_count": len(attachments_of(mail.body)),
        "body_state": mail.body.state,
        "spf": mail.auth.spf,
        "dkim": mail.auth.dkim,
        "dmarc": mail.auth.dmarc,
        "is_sent_by_me": labels is not None and "SENT" in labels,
        "written_to": written_to(mail, labels),
        "history_id": mail.history_id or None,
        "capture": reading.capture,
    }


def current_labels(reading: Reading, fold_: MailFold | None) -> list[str] | None:
    """Labels now: the newest sighting, unless a receipt verified a later state. None = unknown."""
    mail = reading.mail
    if isinstance(mail, Unreadable) or not reading.sightings:
        return None
    if fold_ is not None and fold_.after_labels is not None and fold_.at >= reading.sightings[-1][1]:
        return sorted(fold_.after_labels)
    return known_labels(mail.label_ids)


def written_to(mail: Mail, labels: Iterable[str] | None) -> list[str]:
    """The addresses that the owner's own mail went to; whom others write to is not ours to keep."""
    if "SENT" not in set(labels or ()):
        return []
    return sorted({one.address for one in (*mail.to, *mail.cc) if one.address is not None})


def known_labels(label_ids: tuple[str, ...] | None) -> list[str] | None:
    """Label ids, sorted; None = unknown, also when one is no id that we could ever name in a plan."""
    if label_ids is None or not all(is_id(label) for label in label_ids):
        return None
    return sorted(label_ids)


def category(labels: Iterable[str] | None) -> str | None:
    """Gmail's inbox tab, lower case, or None."""
    worn = set(labels or ())
    return next((name.removeprefix("CATEGORY_").lower() for name in CATEGORIES if name in worn), None)


def has_unsubscribe(mail: Mail, labels: Iterable[str] | None) -> bool:
    """The header, or Gmail's category where headers were not seen."""
    if mail.headers_seen:
        return mail.has_unsubscribe
    return bool(set(labels or ()) & set(NOISY_CATEGORIES))


def thread_rows(rows: Iterable[Row], listed: Mapping[str, str]) -> list[Row]:
    """One row a thread: members from lists and reads together, the ones nobody read named."""
    members: dict[str, set[str]] = defaultdict(set)
    read: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        members[str(row["thread_id"])].add(str(row["id"]))
        read[str(row["thread_id"])].append(row)
    for message_id, thread_id in listed.items():
        if thread_id in members:
            members[thread_id].add(message_id)
    return [_thread_row(thread_id, members[thread_id], read[thread_id]) for thread_id in sorted(members)]


def _thread_row(thread_id: str, members: set[str], read: list[Row]) -> Row:
    first = min(read, key=lambda row: (row["date"], row["id"]))
    labels = [row["label_ids"] for row in read]
    return {
        "id": thread_id,
        "first_sender": first["from_address"],
        "first_subject": first["subject"],
        "member_ids": sorted(members),
        "unread_member_ids": sorted(members - {str(row["id"]) for row in read}),
        "label_union": sorted({label for worn in labels if isinstance(worn, list) for label in worn}),
        "is_participated": any(row["is_sent_by_me"] for row in read),
    }


def history_rows(readings: Iterable[Reading]) -> list[Row]:
    """Each label list that each capture saw."""
    return [
        {
            "message_id": reading.mail.id,
            "capture": capture,
            "seen_at": seen_at,
            "label_ids": known_labels(labels),
        }
        for reading in readings
        for capture, seen_at, labels in reading.sightings
    ]


def state_rows(folds: Mapping[str, MailFold], readings: Iterable[Reading]) -> list[Row]:
    """What our verified runs did to each message, and whether the owner took it back by hand."""
    sightings = {reading.mail.id: reading.sightings for reading in readings}
    return [_state_row(message_id, done, sightings.get(message_id, ())) for message_id, done in sorted(folds.items())]


def _state_row(
    message_id: str, done: MailFold, sightings: tuple[tuple[str, datetime, tuple[str, ...] | None], ...]
) -> Row:
    later = [labels for _, seen_at, labels in sightings if seen_at > done.at and labels is not None]
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


def _is_reversed(done: MailFold, labels: tuple[str, ...]) -> bool:
    has_lost_label = done.added_label_id is not None and done.added_label_id not in labels
    return has_lost_label or (done.archived_at is not None and "INBOX" in labels)


def refused_rows(readings: Iterable[Reading]) -> list[Row]:
    """One row a message that could not be read: which, where, why."""
    bad = [(r.key, r.capture, r.mail) for r in readings if isinstance(r.mail, Unreadable)]
    return [
        {
            "id": key,
            "capture": capture,
            "message_id": mail.id or None,
            "reason": mail.reason,
            "missing": list(mail.missing),
        }
        for key, capture, mail in bad
    ]
