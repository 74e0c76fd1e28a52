"""A message once it is read: `Mail`, or `Unreadable` and what is missing; and the checks both shapes share.

>>> is_id("18f0a1b2c3d40001"), is_id("../etc"), read_labels(["SENT", "INBOX", "SENT"]), read_labels(None)
(True, False, ('INBOX', 'SENT'), None)
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final, Self

from pipeline.mail.address import Sender
from pipeline.mail.auth import NO_VERDICT, Auth
from pipeline.mail.body import NOT_FETCHED, Body
from pipeline.mail.headers import Headers

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,128}\Z")
# Years 1 to 9999 in epoch milliseconds: what a datetime can hold.
EARLIEST_MS: Final = -62_135_596_800_000
LATEST_MS: Final = 253_402_300_799_999
_MAX_LABELS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message that gives no row; `missing` names the keys that are absent or unusable.

    Reasons: not-a-message, bad-id, bad-thread-id, no-payload, no-headers, bad-date, no-date, metadata-only,
    bad-raw; too-deep; other-id (the answer is about another message); gone (a later list of all mail lacks it).
    """

    id: str
    reason: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mail:
    """One message, read. `label_ids` is sorted and None when unknown; `date_header` is the sender's claim."""

    id: str
    thread_id: str
    label_ids: tuple[str, ...] | None
    internal_date_ms: int
    history_id: str = ""
    headers: Headers = field(default_factory=Headers)
    headers_seen: bool = True
    sender: Sender = field(default_factory=Sender)
    reply_to: tuple[Sender, ...] = ()
    to: tuple[Sender, ...] = ()
    cc: tuple[Sender, ...] = ()
    subject: str = ""
    subject_defects: tuple[str, ...] = ()
    body: Body = NOT_FETCHED
    list_id: str | None = None
    list_unsubscribe: tuple[str, ...] = ()
    has_unsubscribe: bool = False
    one_click: bool = False
    auth: Auth = NO_VERDICT
    message_id: str | None = None
    date_header: str | None = None
    defects: tuple[str, ...] = ()

    def with_labels(self, label_ids: tuple[str, ...] | None) -> Self:
        """The same mail wearing these labels (sorted ids; None = unknown)."""
        return replace(self, label_ids=label_ids)


def is_id(value: object) -> bool:
    """Whether the value may be a Gmail id: opaque, but never a path, a query or a line."""
    return isinstance(value, str) and _ID.match(value) is not None


def read_labels(value: object) -> tuple[str, ...] | None:
    """A label list as a sorted set; None (unknown) when it is null or holds anything but texts."""
    if not isinstance(value, (list, tuple)) or len(value) > _MAX_LABELS:
        return None
    if not all(isinstance(label, str) and label for label in value):
        return None
    return tuple(sorted(set(value)))
