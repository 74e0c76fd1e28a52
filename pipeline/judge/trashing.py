"""May a message go to the trash? Stricter than archive: nothing is waived, and doubt about one member keeps its thread.

`Discard` is a permission and has one constructor, `permit_trash`. It needs everything at once: a policy rule that the
message meets by age, sender, category and interaction; known labels, and none of a place that no plan touches; a clean
screen and a body that was read; no protected class at all; no word that asks for something, whatever it was classified
as; no sign that the owner took a change of ours back; and a whole thread of which no member stands against it.
Otherwise it is `Kept`, with every reason.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from pipeline.mail.domains import is_free_mail
from pipeline.models.policy import TrashRule

Row = Mapping[str, Any]
ELSEWHERE: Final = ("SENT", "DRAFT", "SPAM", "TRASH", "CHAT")
_SEAL: Final = object()


@dataclass(frozen=True, slots=True)
class Member:
    """What is known of one message; None is unknown, which counts as the worst. `asks`: action sets that were hit."""

    message_id: str
    label_ids: tuple[str, ...] | None
    screen: str | None
    body_state: str | None
    protected: tuple[str, ...] | None
    asks: tuple[str, ...]
    is_irrelevant: bool
    is_reversed_by_hand: bool


class Discard:
    """Permission to move one message to the trash under one rule."""

    __slots__ = ("message_id", "rule")

    def __init__(self, message_id: str, rule: str, *, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("only permit_trash makes a Discard")
        self.message_id = message_id
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Kept:
    """Why a message may not go to the trash; never empty."""

    reasons: tuple[str, ...]


def meets(rule: TrashRule, row: Row, relation: Row | None, as_of: datetime) -> bool:
    """Whether a message of the snapshot meets all four constraints of a rule; what is unknown is not met."""
    return (
        row["date"] is not None
        and row["date"] <= as_of - timedelta(days=rule.older_than_days)
        and _is_from(rule, row["from_address"])
        and row["category"] in rule.categories
        and all(_is_so(interaction, row, relation) for interaction in rule.interaction)
    )


def _is_from(rule: TrashRule, address: str | None) -> bool:
    if not address:
        return False
    found = address.casefold()
    domain = found.rpartition("@")[2]
    return found in rule.senders or (domain in rule.senders and not is_free_mail(domain))


def _is_so(interaction: str, row: Row, relation: Row | None) -> bool:
    if interaction == "never-opened":
        return row["label_ids"] is not None and "UNREAD" in row["label_ids"]
    if relation is None or relation["is_written_to"] is not False:
        return False
    return all(relation[count] == 0 for count in ("replied_count", "live_count", "rescued_count"))


def permit_trash(member: Member, rule: str, thread: Iterable[Member], *, is_whole: bool) -> Discard | Kept:
    """The one way to a Discard. `thread` are all known members; `is_whole` says that every member was read."""
    others = [one for one in thread if one.message_id != member.message_id]
    reasons = (
        *_own_reasons(member),
        *standing(member),
        *(() if is_whole else ("thread:not_read",)),
        *(("thread:member_stays",) if any(standing(one) for one in others) else ()),
    )
    return Kept(reasons) if reasons else Discard(member.message_id, rule, seal=_SEAL)


def _own_reasons(member: Member) -> tuple[str, ...]:
    worn = set(member.label_ids or ())
    return (
        *(f"in_{label.lower()}" for label in ELSEWHERE if label in worn),
        *(("irrelevant",) if member.is_irrelevant else ()),
        *(("reversed_by_hand",) if member.is_reversed_by_hand else ()),
    )


def standing(member: Member) -> tuple[str, ...]:
    """What keeps a message, and with it its whole thread."""
    protected = ("uncertain",) if member.protected is None else member.protected
    return (
        *(() if member.label_ids is not None else ("labels_unknown",)),
        *(() if member.screen == "clean" else (f"screen:{member.screen or 'unknown'}",)),
        *(() if member.body_state == "fetched" else (f"body:{member.body_state or 'unknown'}",)),
        *(f"protected:{name}" for name in protected),
        *(f"action:{name}" for name in member.asks),
    )
