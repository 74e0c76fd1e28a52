"""When a sealed document may be used: not before it was made, not after it expires, never for longer than an hour.

Clocks differ, so a document may come from up to a minute ahead; an expiry has no such grace.

    check_window(created_at, expires_at, now, longest=timedelta(minutes=60), name="manifest 12ab")
"""

from datetime import datetime, timedelta

from pipeline.refusals import Expired, FromTheFuture, WindowTooLong

TOLERANCE = timedelta(seconds=60)
"""How far another machine's clock may be ahead of ours."""
LONGEST = timedelta(minutes=60)
"""The contract's bound on a manifest's life; policy may only shorten it."""


def check_window(created_at: datetime, expires_at: datetime, now: datetime, *, longest: timedelta, name: str) -> None:
    """Silent inside the window. Raises FromTheFuture, WindowTooLong or Expired."""
    if created_at > now + TOLERANCE:
        raise FromTheFuture(f"{name} was made in the future", evidence=f"made {created_at}, now {now}",
                            next_command="set the clock")  # fmt: skip
    if expires_at - created_at > longest:
        raise WindowTooLong(f"{name} is valid for too long", evidence=f"{expires_at - created_at}, at most {longest}",
                            next_command="gmailtriage freeze")  # fmt: skip
    if now >= expires_at:
        raise Expired(f"{name} has expired", evidence=f"at {expires_at}, now {now}", next_command="gmailtriage freeze")
