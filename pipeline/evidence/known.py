"""What the captures already hold, and what a fetch still has to read: values in, ids out.

known = known_of(captures)
missing(inbox, known.after(changes), known.bodies)
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from pipeline.evidence.captures import RawCapture
from pipeline.evidence.history import Change, is_read
from pipeline.evidence.lists import living_threads

Listed = dict[str, str]
"""Message id -> thread id."""


@dataclass(frozen=True, slots=True)
class Known:
    """Ids whose body some capture holds, and the thread of every message that is known to be there."""

    bodies: frozenset[str]
    threads: Mapping[str, str]

    def after(self, changes: Mapping[str, Change]) -> Listed:
        """The threads once history has gone on."""
        there = {one.message_id: one.thread_id for one in changes.values() if not one.is_deleted}
        old = {key: thread for key, thread in self.threads.items() if key not in changes}
        return {**old, **there}


def known_of(captures: tuple[RawCapture, ...]) -> Known:
    """What these captures hold, oldest first."""
    reads = (one for capture in captures for one in capture.bodies("messages.get") if is_read(one, "full"))
    return Known(frozenset(str(one.parameters.get("id")) for one in reads), living_threads(captures))


def newest_fetch(captures: tuple[RawCapture, ...]) -> RawCapture | None:
    """The newest capture in which a fetch read mail, or None; one of labels alone dates no mail."""
    return next((capture for capture in reversed(captures) if _read_mail(capture)), None)


def _read_mail(capture: RawCapture) -> bool:
    return capture.seal.source == "fetch" and bool({"inbox", "history"} & set(capture.seal.purposes))


def may_touch_inbox(changes: Mapping[str, Change], bodies: Collection[str]) -> bool:
    """Whether the inbox may hold, or its threads may have gained, what was not read yet."""
    living = (change for change in changes.values() if not change.is_deleted)
    return any(one.labels is None or "INBOX" in one.labels or one.message_id not in bodies for one in living)


def unlabelled(changes: Mapping[str, Change], bodies: Collection[str]) -> tuple[str, ...]:
    """Ids of read messages whose last change does not say what they wear, sorted."""
    living = (change for change in changes.values() if not change.is_deleted and change.labels is None)
    return tuple(sorted(change.message_id for change in living if change.message_id in bodies))


def with_thread_members(inbox: Listed, everything: Listed) -> tuple[str, ...]:
    """Inbox ids first, then every other member of their threads, each sorted."""
    threads = set(inbox.values())
    others = {i for i, thread in everything.items() if thread in threads and i not in inbox}
    return (*sorted(inbox), *sorted(others))


def left_the_inbox(messages: pl.DataFrame, inbox: Listed, everything: Listed, opens_at: int | None) -> tuple[str, ...]:
    """Ids that the captures show in the inbox and its list does not, sorted; older than the window ones are let go.

    They are read once more: without that the snapshot would go on showing them in the inbox.
    """
    opens, threads = datetime.fromtimestamp(opens_at or 0, UTC), set(inbox.values())
    worn = pl.col("label_ids").list.contains("INBOX").fill_null(False)
    seen = messages.filter(worn, pl.col("date") >= opens).select("id", "thread_id").rows()
    return tuple(sorted(own for own, thread in seen if own in everything and thread not in threads))
