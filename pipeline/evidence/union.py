"""Two readings of one message id made one: the richer view leads, the other fills what it does not name.

Promises: sources of one capture add up their labels, of two captures the newer one's count; whoever names a sender, a
subject or a date first is believed; two sources that both name one and differ are refused (DuplicateIdConflict), for
nobody could say which of them was edited. A headless view can never take headers or a body away.
"""

from dataclasses import replace
from typing import Final

from pipeline.mail.message import Mail
from pipeline.refusals import DuplicateIdConflict

THREAD_UNKNOWN: Final = "thread_unknown"
_UNNAMED_SENDER: Final = frozenset({"null_sender", "missing_from"})
_UNNAMED_SUBJECT: Final = frozenset({"null_subject", "missing_subject"})
_ROUGH: Final = frozenset({"date_only", "date_of_sender", THREAD_UNKNOWN})
"""Defects of views whose date is a day or the sender's claim: they differ from Gmail's own time by design."""
_ROUGH_MS: Final = 2 * 86_400_000
_BODY_RANK: Final = {"not_fetched": 0, "lossy": 1, "empty": 2, "fetched": 2}


def merged(old: Mail, new: Mail, *, is_same_capture: bool) -> Mail:
    """Both views of a message as one. Raises DuplicateIdConflict."""
    refuse_conflict(old, new)
    is_new_better = rank(new) > rank(old) or (rank(new) == rank(old) and not is_same_capture)
    lead, other = (new, old) if is_new_better else (old, new)
    named = other if _UNNAMED_SUBJECT.intersection(lead.subject_defects) else lead
    return replace(
        lead,
        thread_id=other.thread_id if THREAD_UNKNOWN in lead.defects else lead.thread_id,
        label_ids=union_of(old.label_ids, new.label_ids) if is_same_capture else new.label_ids,
        internal_date_ms=other.internal_date_ms if is_rough(lead) and not is_rough(other) else lead.internal_date_ms,
        sender=other.sender if _UNNAMED_SENDER.intersection(lead.sender.defects) else lead.sender,
        subject=named.subject,
        subject_defects=named.subject_defects,
        body=other.body if _BODY_RANK[other.body.state] > _BODY_RANK[lead.body.state] else lead.body,
        defects=_defects(lead, other),
    )


def rank(mail: Mail) -> tuple[int, ...]:
    """How much of a message a view shows: headers first, then its body."""
    return (int(mail.headers_seen), _BODY_RANK[mail.body.state])


def union_of(first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Labels that either view shows; None when neither shows any list."""
    if first is None or second is None:
        return second if first is None else first
    return tuple(sorted({*first, *second}))


def is_rough(mail: Mail) -> bool:
    """Whether the view's date is not Gmail's own time."""
    return bool(_ROUGH.intersection(mail.defects))


def _defects(lead: Mail, other: Mail) -> tuple[str, ...]:
    """The lead's, without those that the other view made good."""
    good = {THREAD_UNKNOWN} if THREAD_UNKNOWN not in other.defects else set()
    good |= set() if is_rough(other) else {"date_only", "date_of_sender"}
    return tuple(defect for defect in lead.defects if defect not in good)


def refuse_conflict(old: Mail, new: Mail) -> None:
    """Raise DuplicateIdConflict, naming what differs, never what it says."""
    differing = [name for name, differs in _comparisons(old, new) if differs]
    if differing:
        raise DuplicateIdConflict(
            f"two sources contradict each other about message {new.id}",
            evidence=f"they differ in {', '.join(differing)}",
            next_command="save both answers again, unedited",
        )


def _comparisons(old: Mail, new: Mail) -> list[tuple[str, bool]]:
    is_known = THREAD_UNKNOWN not in (*old.defects, *new.defects)
    return [
        ("threadId", is_known and old.thread_id != new.thread_id),
        ("internalDate", _dates_differ(old, new)),
        ("sender", _senders_differ(old, new)),
        ("subject", _subjects_differ(old, new)),
    ]


def _dates_differ(old: Mail, new: Mail) -> bool:
    """Views of one kind agree to the millisecond; a connector's date beside Gmail's own proves nothing."""
    apart = abs(old.internal_date_ms - new.internal_date_ms)
    if is_rough(old) or is_rough(new):
        return old.headers_seen == new.headers_seen and apart > _ROUGH_MS
    return old.headers_seen == new.headers_seen and apart > 0


def _senders_differ(old: Mail, new: Mail) -> bool:
    if old.headers_seen and new.headers_seen:
        return old.sender.address != new.sender.address
    first, second = old.sender.address, new.sender.address
    return first is not None and second is not None and first.casefold() != second.casefold()


def _subjects_differ(old: Mail, new: Mail) -> bool:
    """Only two readable subjects contradict each other; blanks are folded differently by every tool."""
    if old.subject_defects or new.subject_defects:
        return False
    return "".join(old.subject.split()) != "".join(new.subject.split())
