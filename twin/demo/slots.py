"""Words in double braces, filled in.

`{{role}}` draws from the pool of that name and keeps its word for the whole mail; `{{role2}}`,
`{{role3}}` are other words of the same pool; the next mail of the same template draws the next
word. `{{num:3-40}}` is a number, `{{token:8}}` hex digits, `{{code}}` six digits, `{{count:90}}` counts
down from 90 with the mails of a template, newest first,
`{{day:+3}}`, `{{weekday:+3}}`, `{{dotted:+3}}` and `{{compact:+3}}` are dates counted from the mail's own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from twin.demo.dates import DAY_MS, compact, dotted, long_day, weekday
from twin.demo.dice import Dice
from twin.demo.schedule import Planned

_SLOT = re.compile(r"\{\{([a-z_]+)([0-9]?)(?::([^{}]*))?\}\}")
_DATES = {"day": long_day, "weekday": weekday, "dotted": dotted, "compact": compact}


@dataclass(frozen=True, slots=True)
class Filler:
    """Fills the slots of one mail. `pools` are the shared ones; the block's own come first."""

    dice: Dice
    mail: Planned
    pools: Mapping[str, tuple[str, ...]]

    def fill(self, text: str) -> str:
        """The text with every slot filled, also slots inside words; raises KeyError at an unknown one."""
        filled = _SLOT.sub(self._word, text)
        return self.fill(filled) if _SLOT.search(filled) else filled

    def _word(self, match: re.Match[str]) -> str:
        name, place, argument = match.group(1), int(match.group(2) or 0), match.group(3) or ""
        if name in _DATES:
            return _DATES[name](self.mail.received_ms + int(argument or 0) * DAY_MS)
        if name == "count":
            return str(int(argument) - self.mail.turn)
        if name in ("num", "token", "code"):
            return self._throw(name, place, argument)
        return self._draw(name, place)

    def _throw(self, name: str, place: int, argument: str) -> str:
        key = (self.mail.id, name, place, argument)
        if name == "token":
            return self.dice.token(int(argument or 8), *key)
        if name == "code":
            return str(self.dice.between(100_000, 999_999, *key))
        low, high = argument.split("-")
        return str(self.dice.between(int(low), int(high), *key))

    def _draw(self, name: str, place: int) -> str:
        words = dict(self.mail.template.slots).get(name) or self.pools[name]
        start = self.dice.below(len(words), self.mail.template.name, name)
        return words[(start + self.mail.turn + place * 3) % len(words)]
