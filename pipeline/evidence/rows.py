"""A message as a row: every column named here, nothing copied, codes in texts masked.

>>> known_labels(("SENT", "INBOX")), known_labels(("../etc",)), known_labels(None)
(['INBOX', 'SENT'], None, None)
"""

from datetime import UTC, datetime, timedelta

from pipeline.mail.body import attachments_of
from pipeline.mail.circle import written_to
from pipeline.mail.masks import mask_codes
from pipeline.mail.message import Mail, Unreadable, is_id

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Row = dict[str, object]


def message_row(mail: Mail, capture: str) -> Row:
    """One row of messages, as one capture shows the message; what follows from its labels is worked out later."""
    return {
        "id": mail.id,
        "thread_id": mail.thread_id,
        "from_name": mask_codes(mail.sender.name),
        "from_address": mail.sender.address,
        "from_domain": mail.sender.domain,
        "defects": sorted({*mail.sender.defects, *mail.subject_defects, *mail.defects}),
        "subject": mask_codes(mail.subject),
        "date": EPOCH + timedelta(milliseconds=mail.internal_date_ms),
        "label_ids": known_labels(mail.label_ids),
        "category": None,
        "headers_seen": mail.headers_seen,
        "has_unsubscribe": mail.has_unsubscribe,
        "one_click": mail.one_click,
        "list_id": mail.list_id,
        "attachment_count": len(attachments_of(mail.body)),
        "body_state": mail.body.state,
        "spf": mail.auth.spf,
        "dkim": mail.auth.dkim,
        "dmarc": mail.auth.dmarc,
        "is_sent_by_me": False,
        "written_to": sorted({one.address for one in written_to(mail) if one.address is not None}),
        "history_id": mail.history_id or None,
        "capture": capture,
    }


def refused_row(key: str, mail: Unreadable, capture: str) -> Row:
    """One row of refused: which message, where, why."""
    return {
        "id": key,
        "capture": capture,
        "message_id": mail.id or None,
        "reason": mail.reason,
        "missing": list(mail.missing),
    }


def known_labels(label_ids: tuple[str, ...] | None) -> list[str] | None:
    """Label ids, sorted; None = unknown, also when one is no id that we could ever name in a plan."""
    if label_ids is None or not all(is_id(label) for label in label_ids):
        return None
    return sorted(label_ids)
