"""Part of a run, chosen by words: which messages an approval or an undo is about. Pure.

A selector is `group:JOB_ALERT`, `sender:ADDRESS`, `sender:DOMAIN`, or a message id. A group is a path such as
`job_alert/archive/linkedin`: classification, change, rule. A selector names it from the left by whole parts, without
regard to case and punctuation. A domain is itself alone; with a dot before it, everything under it too.

>>> rows = [Row("m1", "job_alert/archive", "a@jobs.example"), Row("m2", "interview/label", "eve@corp.example")]
>>> select(rows, ("group:Job Alert",), ())
('m1',)
>>> select(rows, (), ("sender:jobs.example",))
('m2',)

A selector that matches nothing is refused by name: it is a mistake, and a yes must not rest on one.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from pipeline.models.manifest import Target
from pipeline.refusals import SelectorRefused

GROUP, SENDER, ID = "group", "sender", "id"


class Selectable(Protocol):
    """What a selector looks at."""

    @property
    def message_id(self) -> str:
        """Gmail's id."""

    @property
    def group(self) -> str:
        """A path of slugs, made by `group_path`."""

    @property
    def sender(self) -> str | None:
        """The one certain address, or None: then no sender selector matches."""


@dataclass(frozen=True, slots=True)
class Row:
    """One message that may be chosen."""

    message_id: str
    group: str
    sender: str | None


def select(rows: Iterable[Selectable], only: tuple[str, ...], except_: tuple[str, ...]) -> tuple[str, ...]:
    """The ids that are meant, in the order of the rows: all, or those of `only`, without those of `except_`.
    Raises SelectorRefused for a selector that matches none of them, and when nothing is left."""
    listed = tuple(rows)
    kept = _matched(listed, only, "--only") if only else listed
    dropped = {row.message_id for row in _matched(kept, except_, "--except")}
    left = tuple(row.message_id for row in kept if row.message_id not in dropped)
    if not left:
        raise SelectorRefused("the selection leaves no message", evidence=f"of {len(listed)}")
    return left


def split_selectors(text: str) -> tuple[str, ...]:
    """Selectors out of one option's value, separated by commas. Raises SelectorRefused for an empty one.

    >>> split_selectors("group:offer, m1")
    ('group:offer', 'm1')
    """
    parts = tuple(part.strip() for part in text.split(",")) if text else ()
    if not all(parts):
        raise SelectorRefused("a selector is empty", evidence=f"{len(parts)} parts between commas")
    return parts


def group_path(*parts: str) -> str:
    """The path of a group.

    >>> group_path("Job Alert", "archive", "LinkedIn: alerts")
    'job_alert/archive/linkedin_alerts'
    """
    return "/".join(slug(part) for part in parts)


def group_of(target: Target) -> str:
    """`job_alert/archive/linkedin_alerts`: classification, change, and the rule (or what else decided)."""
    return group_path(target.classification or "trash", target.change.kind, target.rule or target.source)


def slug(text: str) -> str:
    """Letters and digits in lower case, everything between them as one underscore."""
    return re.sub(r"[\W_]+", "_", text.casefold()).strip("_") or "_"


def _matched(rows: tuple[Selectable, ...], selectors: tuple[str, ...], option: str) -> tuple[Selectable, ...]:
    found: set[str] = set()
    for selector in selectors:
        ids = {row.message_id for row in rows if matches(selector, row)}
        if not ids:
            raise SelectorRefused(f"{option} {selector} matches no message", evidence=f"of {len(rows)}")
        found |= ids
    return tuple(row for row in rows if row.message_id in found)


def matches(selector: str, row: Selectable) -> bool:
    """Whether one selector means this row. Raises SelectorRefused for a selector of another kind."""
    kind, colon, value = selector.partition(":")
    if not colon:
        return selector == row.message_id
    if kind not in (GROUP, SENDER, ID) or not value:
        raise SelectorRefused(
            f"{selector} is no selector", evidence="group:NAME, sender:ADDRESS, sender:DOMAIN or an id"
        )
    if kind == ID:
        return value == row.message_id
    return _is_in_group(value, row.group) if kind == GROUP else _is_from(value.casefold(), row.sender)


def _is_in_group(wanted: str, group: str) -> bool:
    parts = group_path(*wanted.split("/")).split("/")
    return group.split("/")[: len(parts)] == parts


def _is_from(wanted: str, sender: str | None) -> bool:
    if sender is None:
        return False
    address = sender.casefold()
    domain = address.rpartition("@")[2]
    if "@" in wanted:
        return address == wanted
    return domain == wanted.removeprefix(".") or (wanted.startswith(".") and domain.endswith(wanted))
