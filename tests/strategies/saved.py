"""What agents and tools save of one small mailbox, shape by shape: thread t1 of two messages, message b1 alone."""

import base64
import json
from pathlib import Path
from typing import Any

from tests.strategies.captures import ADDRESS, LABELS, Letter
from tests.strategies.raw_mail import mail_bytes

ANN = "Ann <ann@vendor.example>"
LETTERS = (
    Letter("a1", "a1", sender=ANN, subject="Hello", labels=("INBOX", "Label_12"), age=0),
    Letter("a2", "a1", sender=ANN, subject="Hello", labels=("INBOX",), age=0),
    Letter("b1", "b1", sender=ANN, subject="Hello", labels=("INBOX", "CATEGORY_UPDATES"), age=0),
)
WHEN = "2026-11-23T12:00:00Z"
DATE = "Mon, 23 Nov 2026 12:00:00 +0000"
PROFILE = {"emailAddress": ADDRESS, "messagesTotal": 3, "historyId": "900100"}
LABEL_LIST = {"labels": list(LABELS)}


def shown(letter: Letter, **more: object) -> dict[str, Any]:
    """A connector's view of a letter."""
    return {"id": letter.id, "sender": letter.sender, "subject": letter.subject, "date": WHEN, "snippet": "…",
            "labelIds": list(letter.labels or ()), **more}  # fmt: skip


def searched(*letters: Letter, **more: object) -> dict[str, Any]:
    """`search_threads`: threads with their messages."""
    threads: dict[str, list[dict[str, Any]]] = {}
    for letter in letters:
        threads.setdefault(letter.thread, []).append(shown(letter))
    return {"threads": [{"id": thread, "messages": found} for thread, found in threads.items()], **more}


def connector_thread(*letters: Letter) -> dict[str, Any]:
    """`get_thread`: one thread with bodies."""
    return {"id": letters[0].thread, "messages": [shown(one, plaintextBody=one.body) for one in letters]}


def api_thread(*letters: Letter) -> dict[str, Any]:
    """threads.get in format full."""
    return {"id": letters[0].thread, "historyId": "9", "messages": [one.resource for one in letters]}


def listed(*letters: Letter, **more: object) -> dict[str, Any]:
    """messages.list."""
    return {"messages": [{"id": one.id, "threadId": one.thread} for one in letters], "resultSizeEstimate": 201, **more}


def triage(*letters: Letter) -> dict[str, Any]:
    """A helper's list."""
    rows = [{"id": one.id, "from": one.sender, "subject": one.subject, "date": DATE} for one in letters]
    return {"messages": rows, "query": "is:unread", "resultSizeEstimate": len(rows)}


def in_format(letter: Letter, kind: str) -> dict[str, Any]:
    """messages.get in another format than full."""
    bare = {key: value for key, value in letter.resource.items() if key != "payload"}
    if kind == "raw":
        fields = (("From", letter.sender), ("Subject", letter.subject), ("To", ADDRESS))
        return {**bare, "raw": base64.urlsafe_b64encode(mail_bytes(*fields, text=letter.body)).decode()}
    if kind == "metadata":
        payload = letter.resource["payload"]
        return {**bare, "payload": {"mimeType": payload["mimeType"], "headers": payload["headers"]}}
    return bare


def json_lines(*documents: object) -> bytes:
    """One document a line, as `--page-all` prints pages."""
    return b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in documents)


def write(folder: Path, *contents: object, names: tuple[str, ...] = ()) -> tuple[Path, ...]:
    """Files with these contents: bytes as they are, other values as indented JSON."""
    folder.mkdir(exist_ok=True)
    paths = tuple(folder / (names[n] if names else f"saved-{n}.json") for n in range(len(contents)))
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, indent=2).encode())
    return paths
