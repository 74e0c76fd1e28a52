"""Dates as mail writes them, without locale and without a clock.

>>> header_date(NEWEST_DAY_MS, 60)
'Fri, 27 Nov 2026 01:00:00 +0100'
"""

from datetime import UTC, datetime, timedelta

NEWEST_DAY_MS = 1_795_737_600_000
"""Midnight UTC of 27 November 2026, the day zero all templates count back from."""

_EUROPE_WINTER_MS = 1_792_890_000_000  # 25 October 2026, 01:00 UTC
_PACIFIC_WINTER_MS = 1_793_523_600_000  # 1 November 2026, 09:00 UTC

DAY_MS = 86_400_000
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December")  # fmt: skip


def moment(epoch_ms: int, offset_minutes: int = 0) -> datetime:
    """The wall time `offset_minutes` east of Greenwich."""
    return datetime.fromtimestamp(epoch_ms // 1000, UTC) + timedelta(minutes=offset_minutes)


def central(epoch_ms: int) -> int:
    """Minutes east of Greenwich in Berlin, autumn 2026."""
    return 60 if epoch_ms >= _EUROPE_WINTER_MS else 120


def pacific_date(epoch_ms: int) -> str:
    """A Date as Gmail's machines write it, with the zone's name."""
    is_winter = epoch_ms >= _PACIFIC_WINTER_MS
    return header_date(epoch_ms, -480 if is_winter else -420) + (" (PST)" if is_winter else " (PDT)")


def header_date(epoch_ms: int, offset_minutes: int) -> str:
    """The value of a Date header."""
    at = moment(epoch_ms, offset_minutes)
    sign, away = ("-" if offset_minutes < 0 else "+"), abs(offset_minutes)
    zone = f"{sign}{away // 60:02d}{away % 60:02d}"
    day = f"{_WEEKDAYS[at.weekday()][:3]}, {at.day} {_MONTHS[at.month - 1][:3]} {at.year}"
    return f"{day} {at.hour:02d}:{at.minute:02d}:{at.second:02d} {zone}"


def long_day(epoch_ms: int) -> str:
    """Such as 'Tuesday, 1 December'."""
    at = moment(epoch_ms)
    return f"{_WEEKDAYS[at.weekday()]}, {at.day} {_MONTHS[at.month - 1]}"


def weekday(epoch_ms: int) -> str:
    """Such as 'Tuesday'."""
    return _WEEKDAYS[moment(epoch_ms).weekday()]


def dotted(epoch_ms: int) -> str:
    """Such as '01.12.2026', as German and French mail writes it."""
    at = moment(epoch_ms)
    return f"{at.day:02d}.{at.month:02d}.{at.year}"


def compact(epoch_ms: int) -> str:
    """Such as '20261201', as calendars write it."""
    at = moment(epoch_ms)
    return f"{at.year:04d}{at.month:02d}{at.day:02d}"
