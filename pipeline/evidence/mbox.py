"""An mbox as the places of its messages: bytes are sliced, never changed.

>>> places(b"From 1@x Mon Nov 23 09:00:00 +0000 2026\\nSubject: a\\n\\nText\\n\\nFrom me, with love\\n")
((0, 77),)
"""

import re
from typing import Final

# A writer that forgets the blank line before it would otherwise hide a whole message in the one before.
_SEPARATOR: Final = re.compile(
    rb"(?:\A|(?<=\n))From \S{1,320} [A-Za-z]{3} [A-Za-z]{3} {1,2}[0-9]{1,2} [0-9:]{4,8} "
    rb"(?:[+-][0-9]{4} )?[0-9]{4}(?: [+-][0-9]{4})?[ ]*(?=\r?\n|\Z)"
)


def is_mbox(data: bytes) -> bool:
    """Whether the bytes begin with an mbox's separator line."""
    return _SEPARATOR.match(data) is not None


def places(data: bytes) -> tuple[tuple[int, int], ...]:
    """(offset, length) of each message, its `From ` line included; together they are all the bytes."""
    starts = [found.start() for found in _SEPARATOR.finditer(data)]
    ends = [*starts[1:], len(data)]
    return tuple((start, end - start) for start, end in zip(starts, ends, strict=True))
