"""Numbers in Gmail's answers, believed only in the one form that Gmail writes: ASCII digits, at most twenty.

Python's own `int` would also take Arabic digits and blanks, and fails on five thousand digits.

>>> number_of("1780045678901"), number_of("-5"), number_of("--5"), number_of("9" * 5000)
(1780045678901, -5, None, None)
"""

import re

_NUMBER = re.compile(r"-?[0-9]{1,20}")


def number_of(value: object) -> int | None:
    """The whole number that a text of Gmail's stands for; None when it stands for none."""
    return int(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None
