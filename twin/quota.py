"""Quota units: what each method costs, and a bucket that refills with the clock that is handed in.

Costs are Google's published ones for new projects (since May 2026); no bucket means no limit.

>>> bucket = Bucket(per_minute=10, level=10.0, at_ms=0)
>>> bucket.spend(10, 0).level, bucket.spend(10, 0).spend(5, 30_000).level
(0.0, 0.0)
"""

from dataclasses import dataclass, replace

from twin.wire import ApiError

COSTS = {
    "getProfile": 1,
    "messages.get": 20,
    "messages.list": 5,
    "messages.attachments.get": 20,
    "messages.insert": 25,
    "messages.import": 25,
    "messages.modify": 5,
    "messages.batchModify": 50,
    "messages.trash": 5,
    "messages.untrash": 5,
    "threads.get": 40,
    "threads.list": 10,
    "threads.modify": 10,
    "threads.trash": 10,
    "threads.untrash": 10,
    "history.list": 2,
    "labels.list": 1,
    "labels.get": 1,
    "labels.create": 5,
    "drafts.create": 10,
    "drafts.update": 15,
}


@dataclass(frozen=True, slots=True)
class Bucket:
    """Units left at a moment (epoch milliseconds); full is one minute's worth."""

    per_minute: int
    level: float
    at_ms: int
    refusal: int = 429  # or 403: Gmail has answered with both

    def spend(self, units: int, now_ms: int) -> "Bucket":
        """The bucket after paying, or the refusal that Gmail gives when it is empty."""
        elapsed = max(0, now_ms - self.at_ms)
        level = min(float(self.per_minute), self.level + elapsed * self.per_minute / 60_000)
        if level < units:
            raise exceeded(self.refusal)
        return replace(self, level=level - units, at_ms=max(now_ms, self.at_ms))


def full(per_minute: int, now_ms: int, refusal: int = 429) -> Bucket:
    return Bucket(per_minute, float(per_minute), now_ms, refusal)


def exceeded(code: int) -> ApiError:
    """429 rateLimitExceeded or 403 userRateLimitExceeded."""
    message = (
        "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user' "
        "of service 'gmail.googleapis.com'."
    )
    if code == 403:
        return ApiError(403, "User Rate Limit Exceeded", "userRateLimitExceeded")
    return ApiError(429, message, "rateLimitExceeded")
