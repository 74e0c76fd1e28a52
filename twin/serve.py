"""The twin's HTTP face: loopback only, HTTP/1.1 with keep-alive, one thread a connection.

    with serve(twin) as server:
        print(server.url)          # http://127.0.0.1:40123

Nagle's algorithm is off: with it a keep-alive client waits 40 ms for each answer.
"""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from types import TracebackType
from typing import Any

from twin.faults import Lost
from twin.running import Twin
from twin.wire import ApiError, Request, Response, refuse

MAX_BODY = 64 * 1024 * 1024
MAX_SILENCE = 30.0  # seconds: no hang outlives a test by more


class NotLoopbackError(ValueError):
    """The twin has no authentication worth the name: it never listens on another interface."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "gmail-twin"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = 1 << 16  # headers and body leave in one packet
    server: "_Server"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class's name)
        """Silent: the twin keeps its own log."""

    def _body(self) -> bytes | None:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return self._chunks()
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > MAX_BODY:
            return None
        return self.rfile.read(int(length))

    def _chunks(self) -> bytes | None:
        data = bytearray()
        while (size := _chunk_size(self.rfile.readline(1024))) > 0:
            if len(data) + size > MAX_BODY:
                return None
            data += self.rfile.read(size)
            self.rfile.readline(8)
        while self.rfile.readline(1024).strip():
            pass
        return bytes(data) if size == 0 else None

    def _serve(self) -> None:
        body = self._body()
        if body is None:
            self.close_connection = True
            return self._send(refuse(ApiError(413, "Request body too large or malformed", "badRequest")))
        headers = tuple(self.headers.items())
        outcome = self.server.twin.answer(Request(self.command, self.path, headers, body))
        return self._lose(outcome) if isinstance(outcome, Lost) else self._send(outcome)

    # The base class looks these names up.
    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815

    def _send(self, response: Response, length: int | None = None) -> None:
        self.send_response(response.status)
        for name, value in response.headers:
            self.send_header(name, value)
        if response.status != 204:
            self.send_header("Content-Length", str(len(response.body) if length is None else length))
        self.end_headers()
        self.wfile.write(response.body)
        self.wfile.flush()

    def _lose(self, lost: Lost) -> None:
        """Close without a whole answer, after the silence that was planned."""
        self.close_connection = True
        if lost.kind.startswith("hang"):
            self.server.stopping.wait(min(lost.seconds, MAX_SILENCE))
        if lost.cut is not None:
            half = lost.cut.body[: len(lost.cut.body) // 2]
            short = Response(lost.cut.status, lost.cut.headers, half)
            self._send(short, len(lost.cut.body) + 1)


def _chunk_size(line: bytes) -> int:
    try:
        return int(line.split(b";")[0].strip() or b"x", 16)
    except ValueError:
        return -1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, host: str, port: int, twin: Twin) -> None:
        self.twin, self.stopping = twin, threading.Event()
        super().__init__((host, port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no event; anything else is a fault of ours and is shown."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class RunningServer:
    """A twin that listens. `url` has no trailing slash; `stop()` may be called twice."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self.host, self.port = str(server.server_address[0]), int(server.server_address[1])
        self.url = f"http://{self.host}:{self.port}"
        self.twin = server.twin
        self._thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def __enter__(self) -> "RunningServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def serve(twin: Twin, port: int = 0, host: str = "127.0.0.1") -> RunningServer:
    """Starts listening; port 0 takes a free one. NotLoopbackError for any address but loopback."""
    try:
        is_loopback = ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise NotLoopbackError(f"the twin listens on loopback only, not on {host!r}")
    return RunningServer(_Server(host, port, twin))
