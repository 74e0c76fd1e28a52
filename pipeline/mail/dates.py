"""Times as mail and tools write them, to epoch milliseconds: a time without a zone is no time.

>>> mail_date_ms("Mon, 23 Nov 2026 10:00:00 +0100 (CET)"), mail_date_ms("23 Nov 2026 10:00:00")
(1795424400000, None)
>>> separator_ms("From 1788@xxx Mon Nov 23 09:00:00 +0000 2026")
1795424400000
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from pipeline.mail.message import EARLIEST_MS, LATEST_MS

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK: Final = r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?"
_ZONE: Final = r"([+-][0-9]{4}|[A-Za-z]{1,5})"
_MAIL_DATE: Final = re.compile(rf"([0-9]{{1,2}})[ -]([A-Za-z]{{3}})[ -]([0-9]{{4}}) {_CLOCK} {_ZONE}")
_SEPARATOR: Final = re.compile(rf"From \S{{1,320}} [A-Za-z]{{3}} ([A-Za-z]{{3}}) {{1,2}}([0-9]{{1,2}}) {_CLOCK} "
                               r"(?:([+-][0-9]{4}) )?([0-9]{4})")  # fmt: skip
_NAMED_ZONES: Final = {"gmt": 0, "ut": 0, "utc": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7,
                       "mdt": -6, "pst": -8, "pdt": -7}  # fmt: skip
_BLANKS: Final = re.compile(r"\s+")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def mail_date_ms(value: str | None) -> int | None:
    """A Date header's instant, or None: no zone, no such day, another form."""
    found = _MAIL_DATE.search(_BLANKS.sub(" ", (value or "")[:1_000]))
    if found is None:
        return None
    day, month, year, hour, minute, second, zone = found.groups()
    return _instant((year, month, day), (hour, minute, second), _zone(zone))


def separator_ms(line: str) -> int | None:
    """The time in an mbox `From ` line; without a zone it is UTC, as the format says."""
    found = _SEPARATOR.match(line)
    if found is None:
        return None
    month, day, hour, minute, second, zone, year = found.groups()
    return _instant((year, month, day), (hour, minute, second), _zone(zone or "+0000"))


def received_ms(values: Iterable[str]) -> int | None:
    """When the topmost Received field says that the mail arrived, or None."""
    top = next(iter(values), "")
    return mail_date_ms(top[-1_000:].rpartition(";")[2])


def _zone(text: str) -> timezone | None:
    if text[0] in "+-":
        minutes = int(text[1:3]) * 60 + int(text[3:5])
        return timezone(timedelta(minutes=minutes if text[0] == "+" else -minutes)) if minutes < 1_440 else None
    hours = _NAMED_ZONES.get(text.lower())
    return None if hours is None else timezone(timedelta(hours=hours))


def _instant(date: tuple[str, str, str], clock: tuple[str, str, str | None], zone: timezone | None) -> int | None:
    year, month, day = date
    if zone is None or month.lower() not in _MONTHS:
        return None
    numbers = (int(year), _MONTHS.index(month.lower()) + 1, int(day), int(clock[0]), int(clock[1]))
    try:
        when = datetime(*numbers, min(int(clock[2] or 0), 59), tzinfo=zone)
    except ValueError:
        return None
    milliseconds = int((when - _EPOCH) / timedelta(milliseconds=1))
    return milliseconds if EARLIEST_MS <= milliseconds <= LATEST_MS else None
