"""How far a sweep goes: a tenth in the normal run, whole with SWEEP=full (`make test-long`).

>>> sweep(1000) in (100, 1000)
True
"""

import os

IS_FULL = os.environ.get("SWEEP") == "full"


def sweep(full: int, share: int = 10) -> int:
    """Examples for this run: `full` in the long profile, `full // share` (at least 10) otherwise."""
    return full if IS_FULL else max(10, full // share)
