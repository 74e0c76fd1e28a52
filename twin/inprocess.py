"""The twin without a socket, for use under the real client: `request` as an HTTP library has it.

status, headers, body = twin.in_process().request("GET", "http://twin.test/gmail/v1/users/me/profile",
                                                  {"Authorization": "Bearer demo"})
"""

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from twin.faults import DroppedError, HungError, Lost
from twin.wire import Request, Response


class InProcess:
    """Any URL is the twin's: only its path and query count."""

    def __init__(self, answer: Callable[[Request], Response | Lost]) -> None:
        self._answer = answer

    def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | str | None = None,
    ) -> tuple[int, dict[str, str], bytes]:
        """(status, headers, body). A planned drop raises DroppedError, a planned silence HungError, at once."""
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        data = body.encode() if isinstance(body, str) else body or b""
        outcome = self._answer(Request(method, target, tuple((headers or {}).items()), data))
        if isinstance(outcome, Lost):
            raise HungError("no answer") if outcome.kind.startswith("hang") else DroppedError("connection closed")
        sent = {**dict(outcome.headers), "Content-Length": str(len(outcome.body))}
        return outcome.status, sent, outcome.body
