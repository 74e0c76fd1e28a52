"""A small client of the in-process twin for tests: JSON in, JSON out, nothing hidden."""

import base64
import json
from typing import Any
from urllib.parse import quote

from twin.auth import scopes
from twin.running import Twin

OWNER = "me@demo.example"
NOW_MS = 1_796_040_000_000  # 2026-11-30T12:00:00Z
TOKENS = {"all": scopes("all"), "reader": scopes("gmail.readonly"), "meta": scopes("gmail.readonly,gmail.metadata")}


def new_twin(messages: Any = (), labels: Any = (), **more: Any) -> Twin:
    """A twin whose clock stands still."""
    more.setdefault("clock", lambda: NOW_MS)
    return Twin.from_resources(OWNER, messages, labels, tokens=more.pop("tokens", TOKENS), **more)


def mail(subject: str = "Hello", *, body: str = "A line.", sender: str = "ann@mail.example", **more: str) -> bytes:
    fields = {"From": sender, "To": OWNER, "Subject": subject, **more}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return f"{head}\r\n{body}\r\n".encode()


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode()


class Client:
    def __init__(self, twin: Twin, bearer: str = "all", user: str = "me") -> None:
        self.twin, self.bearer, self.user = twin, bearer, user

    def ask(self, verb: str, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
        url = f"http://twin.test/gmail/v1/users/{self.user}/{path}"
        sent = {"Authorization": f"Bearer {self.bearer}", **headers}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        status, _, answer = self.twin.in_process().request(verb, url, sent, data)
        return status, answer

    def call(self, verb: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        status, data = self.ask(verb, path, body, **headers)
        return status, json.loads(data) if data else None

    def get(self, path: str) -> Any:
        status, body = self.call("GET", path)
        assert status == 200, (path, status, body)
        return body

    def post(self, path: str, body: Any) -> Any:
        status, answer = self.call("POST", path, body)
        assert status in (200, 204), (path, status, answer)
        return answer

    def insert(self, raw: bytes, *labels: str, **more: Any) -> Any:
        return self.post("messages", {"raw": encoded(raw), "labelIds": list(labels or ("INBOX",)), **more})

    def pages(self, path: str, key: str, size: int) -> list[list[Any]]:
        """All pages of a list call."""
        found, token = [], ""
        for _ in range(1000):
            glue = "&" if "?" in path else "?"
            body = self.get(f"{path}{glue}maxResults={size}" + (f"&pageToken={token}" if token else ""))
            found.append(body.get(key, []))
            token = body.get("nextPageToken", "")
            if not token:
                return found
        raise AssertionError("paging does not end")

    def listed(self, query: str, size: int = 500) -> list[str]:
        rows = self.pages(f"messages?q={quote(query)}", "messages", size)
        return [row["id"] for page in rows for row in page]

    def labels(self, message_id: str) -> set[str]:
        return set(self.get(f"messages/{message_id}?format=minimal").get("labelIds", []))

    def error(self, verb: str, path: str, body: Any = None) -> tuple[int, str, str, str]:
        """(status, reason, status name, message) of a refusal."""
        status, answer = self.call(verb, path, body)
        error = answer["error"]
        assert error["code"] == status and error["errors"][0]["domain"] == "global"
        return status, error["errors"][0]["reason"], error["status"], error["message"]
