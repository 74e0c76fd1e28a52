"""A thin proxy on 127.0.0.1 before a peer that has no getProfile: it answers that one call and forwards the rest.

    with profile_shim("http://127.0.0.1:4000", "user1@demo.example") as url:
        ...                                         # url stands for the peer, with a profile

The history id of the profile is the peer's own: that of its history since the beginning. Its ids have 21 digits, where
Gmail's are 64-bit numbers: answers lose the last digit, and a start of history gets the highest one back.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import urllib3

POOL = urllib3.PoolManager(retries=False, timeout=10)
PASSED_ON = ("authorization", "content-type", "accept")
LONG_ID = re.compile(rb'("(?:historyId|id)":\s*"[0-9]{20})[0-9]"')
START = re.compile(r"(startHistoryId=[0-9]{20})(?![0-9])")
PROFILE = "/gmail/v1/users/me/profile"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Shim"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class's name
        """Silent."""

    def _forward(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        data = self.rfile.read(length) if length else None
        headers = {name: self.headers[name] for name in PASSED_ON if name in self.headers}
        if self.command == "GET" and urlsplit(self.path).path == PROFILE:
            return self._send(200, self._profile(headers))
        path = START.sub(r"\g<1>9", self.path)
        answer = POOL.request(self.command, self.server.peer + path, headers=headers, body=data)
        return self._send(answer.status, answer.data)

    do_GET = do_POST = do_PUT = do_DELETE = _forward  # noqa: N815  the base class looks these names up

    def _profile(self, headers: dict[str, str]) -> bytes:
        since = f"{self.server.peer}/gmail/v1/users/me/history?startHistoryId=1"
        known = json.loads(POOL.request("GET", since, headers=headers).data)
        return json.dumps({"emailAddress": self.server.owner, "historyId": str(known["historyId"])}).encode()

    def _send(self, status: int, data: bytes) -> None:
        data = LONG_ID.sub(rb'\g<1>"', data)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(b"" if status == 204 else data)


class _Shim(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, peer: str, owner: str) -> None:
        self.peer, self.owner = peer, owner
        super().__init__(("127.0.0.1", 0), _Handler)


@contextmanager
def profile_shim(peer: str, owner: str) -> Iterator[str]:
    """The peer's base URL (up to before /gmail), with a profile for its owner."""
    server = _Shim(peer, owner)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
