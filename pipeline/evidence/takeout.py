"""Labels by name, as Takeout writes them, to label ids: Gmail's own names, then the account's label list.

A name that nobody knows makes the whole list unknown: a message whose labels are not known is left alone.

>>> label_ids(("Inbox", "Opened", "Job alerts"), {"job alerts": "Label_7"})
('INBOX', 'Label_7')
>>> label_ids(("Inbox", "Nowhere"), {}) is None
True
"""

from collections.abc import Iterable, Mapping
from typing import Final

from pipeline.mail.message import is_id

SYSTEM: Final[Mapping[str, str]] = {
    "inbox": "INBOX",
    "sent": "SENT",
    "drafts": "DRAFT",
    "draft": "DRAFT",
    "spam": "SPAM",
    "trash": "TRASH",
    "bin": "TRASH",
    "chat": "CHAT",
    "starred": "STARRED",
    "important": "IMPORTANT",
    "unread": "UNREAD",
    "category promotions": "CATEGORY_PROMOTIONS",
    "category updates": "CATEGORY_UPDATES",
    "category social": "CATEGORY_SOCIAL",
    "category forums": "CATEGORY_FORUMS",
    "category personal": "CATEGORY_PERSONAL",
    "category purchases": "CATEGORY_PURCHASES",
}
NO_LABEL: Final = frozenset({"opened", "archived"})
"""Words that Takeout writes for the absence of UNREAD and of INBOX."""


def label_ids(names: Iterable[str] | None, listed: Mapping[str, str]) -> tuple[str, ...] | None:
    """Sorted ids of the names; None when they are unknown. `listed` is casefolded name -> id of the account."""
    if names is None:
        return None
    folded = [name.casefold() for name in names]
    found = [SYSTEM.get(name) or listed.get(name) for name in folded if name not in NO_LABEL]
    known = [label for label in found if label is not None]
    return tuple(sorted(set(known))) if len(known) == len(found) else None


def listed_names(labels: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """Casefolded name -> id of a label list's items."""
    named = (item for item in labels if isinstance(item.get("name"), str) and is_id(item.get("id")))
    return {str(item["name"]).casefold(): str(item["id"]) for item in named}
