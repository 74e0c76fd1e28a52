"""Labels: the system ones, the rules for names, and Gmail's resource for each.

Names are unique without regard to case; reserved names are refused in any case (`Invalid label name`).

>>> is_reserved("inbox"), is_reserved("Inbox/Jobs"), is_reserved("Jobs/Inbox")
(True, True, False)
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from twin.wire import ApiError, Json, bad

HIDDEN = {"messageListVisibility": "hide", "labelListVisibility": "labelHide"}
CATEGORIES = tuple(f"CATEGORY_{name}" for name in ("FORUMS", "UPDATES", "PERSONAL", "PROMOTIONS", "SOCIAL"))
SYSTEM: dict[str, Json] = {
    "CHAT": HIDDEN,
    "SENT": {},
    "INBOX": {},
    "IMPORTANT": HIDDEN,
    "TRASH": HIDDEN,
    "DRAFT": {},
    "SPAM": HIDDEN,
    **dict.fromkeys(CATEGORIES, HIDDEN),
    "STARRED": {},
    "UNREAD": {},
}
FIXED = frozenset({"SENT", "DRAFT", "CHAT"})  # GMAIL: nobody can add or remove these
MAX_NAME = 225
MAX_LABELS = 10_000
# Names seen refused in public reports; Gmail's whole list is not published and depends on the language.
RESERVED = frozenset(
    (
        *("inbox", "sent", "sent mail", "draft", "drafts", "spam", "trash", "all mail", "outbox"),
        *("unread", "starred", "important", "chat", "chats", "muted", "snoozed", "scheduled"),
        *(name.lower() for name in CATEGORIES),
    )
)
LIST_SHOWN = ("labelShow", "labelShowIfUnread", "labelHide")
MESSAGE_SHOWN = ("show", "hide")


@dataclass(frozen=True, slots=True)
class Label:
    """A label; `shown` holds visibility and colour as Gmail's JSON spells them."""

    label_id: str
    name: str
    is_system: bool
    shown: Json

    def resource(self) -> Json:
        kind = "system" if self.is_system else "user"
        return {"id": self.label_id, "name": self.name, **self.shown, "type": kind}


def system_labels() -> dict[str, Label]:
    return {name: Label(name, name, True, dict(shown)) for name, shown in SYSTEM.items()}


def folded_name(name: str, *, separators_collide: bool = False) -> str:
    """The key under which two names are the same label."""
    key = unicodedata.normalize("NFKC", name).casefold()
    return key.replace(" ", "-").replace("_", "-") if separators_collide else key


def query_name(name: str) -> str:
    """A label's name as a search writes it: `My Jobs/2026` is `my-jobs-2026`."""
    return folded_name(name).replace(" ", "-").replace("/", "-")


def is_reserved(name: str) -> bool:
    key = folded_name(name).strip()
    return key in RESERVED or key.split("/")[0].strip() == "inbox" or key.startswith("^")


def is_clean(name: str) -> bool:
    """Neither empty nor too long, no blanks at the ends, no control characters, no empty level."""
    if not name or len(name) > MAX_NAME or name != name.strip():
        return False
    is_dirty = any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in name)
    return not is_dirty and all(level.strip() for level in name.split("/"))


def _choice(body: Json, key: str, allowed: tuple[str, ...]) -> str:
    value = body.get(key, allowed[0])
    if value not in allowed:
        raise bad(f"Invalid value at 'label.{key}', {value!r}")
    return str(value)


def new_label(labels: Mapping[str, Label], body: Json, label_id: str, *, separators_collide: bool) -> Label:
    """The label that labels.create makes, or Gmail's refusal: 400 for the name, 409 for a look-alike."""
    name = body.get("name")
    if not isinstance(name, str) or not is_clean(name) or is_reserved(name):
        raise bad("Invalid label name")
    key = folded_name(name, separators_collide=separators_collide)
    taken = {folded_name(label.name, separators_collide=separators_collide) for label in labels.values()}
    if key in taken:
        raise ApiError(409, "Label name exists or conflicts", "aborted")
    if len(labels) - len(SYSTEM) >= MAX_LABELS:
        raise bad("Max number of labels reached.")
    shown: Json = {
        "messageListVisibility": _choice(body, "messageListVisibility", MESSAGE_SHOWN),
        "labelListVisibility": _choice(body, "labelListVisibility", LIST_SHOWN),
    }
    color = body.get("color")
    shown = {**shown, "color": color} if isinstance(color, dict) else shown
    return Label(label_id, name, False, shown)


def number_of(label_id: str) -> int:
    """N of `Label_N`, 0 for any other id."""
    digits = label_id.removeprefix("Label_")
    return int(digits) if label_id != digits and digits.isascii() and digits.isdigit() and len(digits) < 19 else 0


def from_resource(resource: Json, label_id: str) -> Label:
    """A label of a seed: id and visibility kept; `label_id` is for one that brings none."""
    own_id = str(resource.get("id") or label_id)
    keys = ("messageListVisibility", "labelListVisibility", "color")
    shown = {key: resource[key] for key in keys if key in resource}
    if own_id in SYSTEM:
        return Label(own_id, own_id, True, {**SYSTEM[own_id], **shown})
    return Label(own_id, str(resource.get("name") or own_id), resource.get("type") == "system", shown)
