"""Small stand-ins for Gmail: a scripted in-process wire and a loopback socket that counts every byte it is given."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pipeline.clock import VirtualMonotonic
from pipeline.evidence.captures import Exchange
from pipeline.gmail.attest import Attested, attest
from pipeline.gmail.quota import Meter
from pipeline.gmail.transport import Rim
from pipeline.models.policy import Quota
from pipeline.models.registry import AccountRecord

ADDRESS = "casey.rivers@example.com"
TWIN = "http://127.0.0.1:9"
SECRET = "token-that-nobody-may-see"
PROFILE = {"emailAddress": ADDRESS, "historyId": "900100", "messagesTotal": 2, "threadsTotal": 2}

Reply = tuple[int, object] | OSError


def account(**changes: Any) -> AccountRecord:
    """The demo's record, with changes."""
    fields = {
        "id": "demo",
        "alias": ("demo",),
        "address": ADDRESS,
        "status": "organize-only",
        "endpoint": "twin",
        "credential": "published:demo",
    }
    return AccountRecord.model_validate({**fields, **changes})


@dataclass(frozen=True)
class Token:
    """A credential with a fixed token."""

    value: str = SECRET
    is_published: bool = False
    scopes: frozenset[str] | None = None

    def token(self) -> str:
        return self.value

    def granted_scopes(self) -> frozenset[str] | None:
        return self.scopes


@dataclass
class Script:
    """An in-process wire: getProfile always answers `profile`; the rest takes the next scripted reply."""

    replies: list[Reply] = field(default_factory=list)
    profile: Mapping[str, object] = field(default_factory=lambda: dict(PROFILE))
    calls: list[tuple[str, str, bytes]] = field(default_factory=list)

    def __call__(
        self, verb: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Mapping[str, str], bytes]:
        self.calls.append((verb, url, body))
        if "/profile?" in url:
            return 200, {}, json.dumps(self.profile).encode()
        reply = self.replies.pop(0) if self.replies else (200, {})
        if isinstance(reply, OSError):
            raise reply
        status, document = reply
        return status, {}, document if isinstance(document, bytes) else json.dumps(document).encode()

    @property
    def mutations(self) -> list[str]:
        """URLs of everything that is no GET."""
        return [url for verb, url, _ in self.calls if verb != "GET"]


def rim(wire: Any, *, record: Callable[[Exchange], None] | None = None, **changes: Any) -> Rim:
    """A rim over a wire, on a virtual clock."""
    meter = changes.pop("meter", None) or Meter(Quota(), VirtualMonotonic())
    fields: dict[str, Any] = {"wire": wire, "credential": Token(), "meter": meter, "twin": TWIN, **changes}
    return Rim(**fields, **({"record": record} if record else {}))


def attested(stage: Any, wire: Any, **changes: Any) -> Attested:
    """An attestation of the demo account for a stage."""
    record = changes.pop("record_of", None) or account()
    return attest(record, stage, rim(wire, **changes), workspace_kind=record.kind)


@dataclass
class Heard:
    """What a loopback server was given."""

    port: int
    data: bytearray = field(default_factory=bytearray)
    connections: int = 0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def requests(self) -> int:
        """Request lines seen."""
        return self.data.count(b" HTTP/1.1\r\n")


OK_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


@contextmanager
def loopback(answer: bytes | None = OK_ANSWER) -> Iterator[Heard]:
    """A real server on 127.0.0.1 that answers every request with the same bytes; None: hangs up after reading."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        heard = Heard(listener.getsockname()[1])
        thread = threading.Thread(target=_serve, args=(listener, heard, answer), daemon=True)
        thread.start()
        try:
            yield heard
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def _serve(listener: socket.socket, heard: Heard, answer: bytes | None) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        heard.connections += 1
        threading.Thread(target=_talk, args=(connection, heard, answer), daemon=True).start()


def _talk(connection: socket.socket, heard: Heard, answer: bytes | None) -> None:
    with connection:
        connection.settimeout(5)
        while request := _whole_request(connection):
            heard.data += request
            if answer is None:
                return
            connection.sendall(answer)
            if b"Connection: close" in answer:
                return


def _whole_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        try:
            more = connection.recv(65536)
        except OSError:
            return b""
        if not more:
            return data
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while len(body) < (int(lengths[0]) if lengths else 0):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
