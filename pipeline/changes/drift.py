"""Did the mailbox change since the plan? Each target's fingerprint against what Gmail shows now.

Up to `history_above_targets` every thread is read again. Above, one cheap list of changes since the newest capture
tells which threads were touched, and only those are read; when that list is gone, late or empty without proof that
nothing happened, everything is read. Our own earlier edits are in that list too: they are read like any others.

A thread's membership is unchanged when it holds every planned member and no new live one (a member in trash or spam
that no list ever showed is no news). Drift over the policy's share aborts; one changed target alone never does, unless
the owner's share is 0 or nothing else is left to do.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pipeline.changes.numbers import number_of
from pipeline.changes.readback import NOT_FOUND, Gone, Reader, Seen, look
from pipeline.changes.touched import NoHistory, Touched
from pipeline.gmail.answers import Answer, GmailError
from pipeline.models.manifest import Target
from pipeline.refusals import AnswerRefused, DriftAborted

DEAD = frozenset({"TRASH", "SPAM"})
NEVER_CHANGED = DEAD | {"DRAFT", "CHAT"}
"""Mail that no plan may touch, whatever its fingerprint says."""
GONE, AWAY, OTHER_THREAD, OTHER_DATE, OTHER_LABELS = (
    "vanished", "in trash, spam or drafts", "changed membership", "changed date", "changed labels"
)  # fmt: skip
DRIFTED = frozenset({GONE, AWAY, OTHER_THREAD, OTHER_DATE, OTHER_LABELS})
"""Why a target is left out when the mailbox changed, rather than because something could not be read or made."""


@dataclass(frozen=True, slots=True)
class Steady:
    """The target is as planned; its labels now. `is_read`: Gmail showed them, rather than history's silence."""

    label_ids: frozenset[str]
    is_read: bool


@dataclass(frozen=True, slots=True)
class Changed:
    """The target is not as planned, because."""

    reason: str


Finding = Steady | Changed


@dataclass(frozen=True, slots=True)
class Member:
    """One message of a thread as Gmail shows it now."""

    label_ids: frozenset[str]
    internal_date_ms: int


class DriftReader(Reader, Protocol):
    """The reads that the drift gate needs."""

    def get_thread(self, thread_id: str) -> Answer:
        """threads.get, format=minimal."""


def judge_target(target: Target, members: Mapping[str, Member]) -> Finding:
    """One target against its thread as it is now; an empty thread is a vanished one."""
    member = members.get(target.message_id)
    if member is None:
        return Changed(GONE)
    if member.label_ids & NEVER_CHANGED:
        return Changed(AWAY)
    if not _is_same_thread(target, members):
        return Changed(OTHER_THREAD)
    if member.internal_date_ms != target.fingerprint.internal_date_ms:
        return Changed(OTHER_DATE)
    if member.label_ids != frozenset(target.fingerprint.label_ids):
        return Changed(OTHER_LABELS)
    return Steady(member.label_ids, is_read=True)


def _is_same_thread(target: Target, members: Mapping[str, Member]) -> bool:
    planned = set(target.fingerprint.thread_members)
    live = {message_id for message_id, member in members.items() if not member.label_ids & DEAD}
    return live <= planned <= members.keys()


def allowed_changes(total: int, share: float) -> int:
    """How many of `total` targets may have changed: the share rounded down, but one where any drift is allowed.

    >>> allowed_changes(3, 0.10), allowed_changes(29, 0.10), allowed_changes(30, 0.10), allowed_changes(30, 0.0)
    (1, 2, 3, 0)
    """
    return max(1, int(share * total + 1e-9)) if share > 0 else 0


def refuse_drift(findings: Mapping[str, Finding], share: float) -> None:
    """Silent within the share. Raises DriftAborted, naming the changed ids."""
    changed = {message_id: found for message_id, found in findings.items() if isinstance(found, Changed)}
    if len(changed) <= allowed_changes(len(findings), share) and len(changed) < len(findings):
        return
    named = ", ".join(f"{message_id} {found.reason}" for message_id, found in sorted(changed.items())[:20])
    raise DriftAborted(
        f"{len(changed)} of {len(findings)} targets changed since the plan; nothing was sent",
        evidence=named,
        next_command="gmailtriage fetch, then gmailtriage plan",
    )


def refuse_more_drift(changed: int, total: int, share: float) -> None:
    """The same for an interrupted run: `changed` counts the targets that drifted before and since, of all approved.
    Raises DriftAborted."""
    if changed > allowed_changes(total, share):
        raise DriftAborted(f"{changed} of {total} targets changed since the plan; nothing more was sent",
                           next_command="gmailtriage fetch, then gmailtriage plan")  # fmt: skip


def inspect(reader: DriftReader, targets: Iterable[Target], touched: Touched | NoHistory) -> dict[str, Finding]:
    """Every target's finding; only touched threads are read, or all without a history. Raises BudgetRefused's kinds."""
    findings: dict[str, Finding] = {}
    threads: dict[str, dict[str, Member]] = {}
    for target in targets:
        if isinstance(touched, Touched) and not _is_touched(target, touched):
            findings[target.message_id] = _as_planned(target)
            continue
        if target.thread_id not in threads:
            threads[target.thread_id] = read_thread(reader, target.thread_id)
        findings[target.message_id] = judge_target(target, threads[target.thread_id])
    return findings


def recheck(reader: DriftReader, targets: Iterable[Target], touched: Touched | NoHistory) -> dict[str, Finding]:
    """The same right before a batch, every target's labels read in any case."""
    listed = tuple(targets)
    findings = inspect(reader, listed, touched)
    for target in listed:
        found = findings[target.message_id]
        if isinstance(found, Steady) and not found.is_read:
            findings[target.message_id] = _reread(reader, target)
    return findings


def _reread(reader: Reader, target: Target) -> Finding:
    match look(reader, target.message_id):
        case Gone():
            return Changed(GONE)
        case Seen(label_ids=now) if now == frozenset(target.fingerprint.label_ids):
            return Steady(now, is_read=True)
        case Seen(label_ids=now):
            return Changed(AWAY if now & NEVER_CHANGED else OTHER_LABELS)
        case unseen:
            return Changed(f"could not be read: {unseen.reason}")


def _as_planned(target: Target) -> Finding:
    labels = frozenset(target.fingerprint.label_ids)
    return Changed(AWAY) if labels & NEVER_CHANGED else Steady(labels, is_read=False)


def _is_touched(target: Target, touched: Touched) -> bool:
    members = {target.message_id, *target.fingerprint.thread_members}
    return target.thread_id in touched.thread_ids or bool(members & touched.message_ids)


def read_thread(reader: DriftReader, thread_id: str) -> dict[str, Member]:
    """Members of a thread by id; none when Gmail does not know it. Raises AnswerRefused for a shape we do not know."""
    try:
        document = reader.get_thread(thread_id).document
    except GmailError as error:
        if error.status == NOT_FOUND:
            return {}
        raise
    messages = document.get("messages", [])
    if document.get("id") != thread_id or not isinstance(messages, list):
        raise AnswerRefused("a thread answer is no thread", evidence="threads.get")
    return dict(_member(item) for item in messages)


def _member(item: object) -> tuple[str, Member]:
    if isinstance(item, dict):
        message_id, labels, date = item.get("id"), item.get("labelIds", []), number_of(item.get("internalDate"))
        is_known = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
        if isinstance(message_id, str) and date is not None and is_known:
            return message_id, Member(frozenset(labels), date)
    raise AnswerRefused("a thread's message has no id, labels or date", evidence="threads.get")
