"""Chance without state: the same seed and the same words always fall the same way.

Each throw is a SHA-256 of its own key, so a template added tomorrow moves no other mail.

>>> Dice(2026).below(6, "rejection", "role") == Dice(2026).below(6, "rejection", "role")
True
"""

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Dice:
    """A seed and the throws that follow from it."""

    seed: int

    def token(self, length: int, *key: object) -> str:
        """`length` (1 to 64) lowercase hex digits."""
        words = "\x1f".join(str(part) for part in (self.seed, *key))
        return sha256(words.encode("utf-8")).hexdigest()[:length]

    def below(self, bound: int, *key: object) -> int:
        """A number from 0 to `bound` - 1."""
        return int(self.token(12, *key), 16) % bound

    def between(self, low: int, high: int, *key: object) -> int:
        """A number from `low` to `high`, both possible."""
        return low + self.below(high - low + 1, *key)

    def happens(self, share: float, *key: object) -> bool:
        """True in about `share` (0.0 to 1.0) of all keys."""
        return self.below(10_000, *key) < round(share * 10_000)
