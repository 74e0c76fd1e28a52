"""The wire: one call puts one HTTP request on a socket and reads one whole answer, or says that none came.

No retry, no redirect, no proxy, no compression, bounded waiting and a bounded answer. Anything else with the same
shape, such as the twin's in-process face, can stand in its place.
"""

import logging
from collections.abc import Callable, Mapping

import urllib3
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

Wire = Callable[[str, str, Mapping[str, str], bytes], tuple[int, Mapping[str, str], bytes]]
"""(verb, url, headers, body) -> (status, headers, body). Raises OSError when no whole answer came."""

ANSWER_LIMIT = 64 * 1024 * 1024
"""Bytes of one answer: Gmail's largest message (about 50 MB) in base64, and no more."""

_PIECE = 1024 * 1024


class Dropped(OSError):  # noqa: N818  it is an event of the wire, not a fault
    """No whole answer came; `kind` is a class name, never a URL. `is_surely_unsent`: no connection was made."""

    def __init__(self, kind: str, *, is_surely_unsent: bool) -> None:
        super().__init__(kind)
        self.kind = kind
        self.is_surely_unsent = is_surely_unsent


class UrllibWire:
    """The real wire, over urllib3. Seconds bound the connecting and each wait for bytes."""

    def __init__(
        self, *, connect_seconds: float = 10.0, read_seconds: float = 60.0, answer_limit: int = ANSWER_LIMIT
    ) -> None:
        timeout = urllib3.Timeout(connect=connect_seconds, read=read_seconds)
        silence_library_logs()
        self._pool = urllib3.PoolManager(num_pools=2, maxsize=1, retries=False, timeout=timeout)
        self._answer_limit = answer_limit

    def __call__(
        self, verb: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Mapping[str, str], bytes]:
        """One request on the wire. Raises Dropped."""
        outcome = self._attempt(verb, url, headers, body)
        if isinstance(outcome, Dropped):
            raise outcome  # outside the except clause: the library's exception quotes the URL
        return outcome

    def _attempt(
        self, verb: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Mapping[str, str], bytes] | Dropped:
        try:
            response = self._pool.request(
                verb,
                url,
                body=body or None,
                headers=dict(headers),
                retries=False,
                redirect=False,
                preload_content=False,
                decode_content=False,
            )
            return self._whole(response)
        except (NewConnectionError, ConnectTimeoutError) as error:
            return Dropped(type(error).__name__, is_surely_unsent=True)
        except (HTTPError, OSError) as error:
            return Dropped(type(error).__name__, is_surely_unsent=False)

    def _whole(self, response: urllib3.BaseHTTPResponse) -> tuple[int, Mapping[str, str], bytes] | Dropped:
        data = bytearray()
        while more := response.read(_PIECE, decode_content=False):  # only the read at the end notices a cut answer
            data += more
            if len(data) > self._answer_limit:
                response.close()
                return Dropped("AnswerTooLarge", is_surely_unsent=False)
        response.release_conn()
        return response.status, dict(response.headers), bytes(data)


def silence_library_logs() -> None:
    """Mute the HTTP libraries at every level: their debug lines hold URLs with search text."""
    for name in ("urllib3", "googleapiclient", "google.auth", "google.oauth2", "httplib2"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
