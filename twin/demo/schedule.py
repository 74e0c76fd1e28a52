"""When each mail came, which conversation it belongs to and what labels it bears.

A template with `days` gives one mail for each day, one with `spread` gives many; the result is
in order of time, and a conversation bears the id of its first mail.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from twin.demo.dates import DAY_MS, NEWEST_DAY_MS
from twin.demo.dice import Dice
from twin.demo.templates import Template

_FIRST_MINUTE, _LAST_MINUTE = 6 * 60, 17 * 60 + 55
_MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Planned:
    """One mail before it is written: `turn` counts the mails of its template from 0."""

    template: Template
    turn: int
    id: str
    received_ms: int

    @property
    def thread_name(self) -> str:
        """Conversations are named in the template; any other mail stands alone."""
        return self.template.thread or self.id


def plan(dice: Dice, templates: Iterable[Template]) -> tuple[Planned, ...]:
    """Every mail of every template, oldest first."""
    mails = (mail for template in templates for mail in _mails(dice, template))
    return tuple(sorted(mails, key=lambda mail: (mail.received_ms, mail.id)))


def first_ids(planned: Iterable[Planned]) -> dict[str, str]:
    """Thread name to the id of its first mail; `planned` is oldest first."""
    first: dict[str, str] = {}
    for mail in planned:
        first.setdefault(mail.thread_name, mail.id)
    return first


def label_ids(dice: Dice, mail: Planned) -> tuple[str, ...]:
    """The written labels, less INBOX where archived, with UNREAD where unread."""
    template, labels = mail.template, list(mail.template.labels.split())
    if "INBOX" in labels and dice.happens(template.archived, mail.id, "archived"):
        labels.remove("INBOX")
    elif "UNREAD" not in labels and dice.happens(template.unread, mail.id, "unread"):
        labels.append("UNREAD")
    return tuple(labels)


def _mails(dice: Dice, template: Template) -> Iterator[Planned]:
    for turn, day in enumerate(_days(template)):
        name = dice.token(16, template.name, turn, "id")
        yield Planned(template, turn, name, _received_ms(dice, template, turn, day))


def _days(template: Template) -> tuple[int, ...]:
    if not template.spread:
        return template.days
    count, first, last = template.spread
    return tuple(first + turn * (last - first) // max(1, count - 1) for turn in range(count))


def _received_ms(dice: Dice, template: Template, turn: int, day: int) -> int:
    if template.at:
        hour, minute = template.at.split(":")
        minutes = int(hour) * 60 + int(minute)
    else:
        minutes = dice.between(_FIRST_MINUTE, _LAST_MINUTE, template.name, turn, "minute")
    seconds = dice.below(60, template.name, turn, "second")
    return NEWEST_DAY_MS - day * DAY_MS + minutes * _MINUTE_MS + seconds * 1000
