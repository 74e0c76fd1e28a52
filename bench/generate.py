"""Seeded mailboxes on disk: sealed captures for us, one file a response for the Node peer.

    python -m bench.generate messages FOLDER COUNT [FIRST]     full messages of about 15 KB
    python -m bench.generate threads FOLDER COUNT              the search_threads shape, 100 threads an answer

FOLDER becomes a demo workspace; FOLDER/responses holds the same bodies. FIRST is the number of the first message, so
that a second call adds new mail. The same arguments give the same bytes.
"""

import base64
import json
import random
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pipeline.evidence.captures import Exchange
from pipeline.evidence.writing import CaptureWriter, draft_seal, next_capture_id
from pipeline.models.capture import Window
from pipeline.workspace import Demo

OWNER = "mara.quill@example.com"
START = datetime(2026, 11, 1, tzinfo=UTC)
CAPTURE_SIZE = 5_000
PAGE_SIZE = 500
POOL = (
    "application interview receipt statement invoice meeting update offer team role schedule confirm thank you for "
    "applying code order shipped delivered newsletter weekly digest opening position engineer manager remote salary "
    "please review the attached document before our call next week and let us know if anything changes"
)
WORDS = POOL.split()
TABS = ("CATEGORY_UPDATES", "CATEGORY_PROMOTIONS", "CATEGORY_PERSONAL", "CATEGORY_FORUMS")


def text(source: random.Random, words: int) -> str:
    """So many words, each from the pool."""
    return " ".join(source.choices(WORDS, k=words))


def sender(source: random.Random) -> tuple[str, str]:
    """Name and address of one of 2,000 senders; the same sender always has the same name."""
    host, box = source.randrange(400), source.randrange(5)
    return text(random.Random(host * 5 + box), 2).title(), f"news{box}@sender{host}.example"


def page(source: random.Random) -> str:
    """A newsletter's HTML, about 7 KB: a table, styles, links, one hidden preheader."""
    rows = "".join(
        f'<tr><td style="padding:8px 16px;font-family:Arial,sans-serif;font-size:14px;color:#333333" bgcolor="#ffffff">'
        f'{text(source, 24)} <a href="https://news.example/{source.getrandbits(64):x}">{text(source, 3)}</a></td></tr>'
        for _ in range(17)
    )
    hidden = f'<div style="display:none;max-height:0">{text(source, 8)}</div>'
    return f"<html><head><style>.a{{color:#111}}</style></head><body>{hidden}<table>{rows}</table></body></html>"


def part(mime: str, content: str) -> dict[str, object]:
    """One leaf of a payload as Gmail writes it."""
    data = content.encode()
    header = {"name": "Content-Type", "value": f'{mime}; charset="UTF-8"'}
    encoded = base64.urlsafe_b64encode(data).decode()
    return {"mimeType": mime, "filename": "", "headers": [header], "body": {"size": len(data), "data": encoded}}


def headers(source: random.Random, number: int) -> list[dict[str, str]]:
    """What a mailing service sends: some twenty fields, two of them long."""
    name, address = sender(source)
    host = address.partition("@")[2]
    relay = f"from mx{number % 9}.{host} (198.51.100.{number % 250}) by mx.example.net; {text(source, 6)}"
    named = {
        "Delivered-To": OWNER,
        "Received": relay,
        "ARC-Seal": f"i=1; a=rsa-sha256; d=example.net; b={source.getrandbits(2_000):x}",
        "Authentication-Results": f"mx.google.com; dkim=pass header.i=@{host}; spf=pass; dmarc=pass",
        "Return-Path": f"<bounce-{number}@{host}>",
        "DKIM-Signature": f"v=1; a=rsa-sha256; d={host}; b={source.getrandbits(1_400):x}",
        "From": f"{name} <{address}>",
        "To": f"Mara Quill <{OWNER}>",
        "Subject": text(source, 7).capitalize(),
        "Date": "Sun, 01 Nov 2026 12:00:00 +0000",
        "Message-ID": f"<{number}.{source.getrandbits(64):x}@{host}>",
        "List-Unsubscribe": f"<https://{host}/u/{number}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "List-Id": f"News <news.{host}>",
        "MIME-Version": "1.0",
        "Content-Type": 'multipart/alternative; boundary="b1"',
    }
    return [{"name": name, "value": value} for name, value in named.items()]


def message(number: int) -> dict[str, object]:
    """The body of messages.get in format full."""
    source = random.Random(number)
    parts = [part("text/plain", text(source, 320)), part("text/html", page(source))]
    fields = headers(source, number)
    payload = {"mimeType": "multipart/alternative", "filename": "", "headers": fields, "body": {"size": 0}}
    return {
        "id": f"18f{number:013x}",
        "threadId": f"18f{number:013x}",
        "labelIds": ["INBOX", "UNREAD", source.choice(TABS)],
        "snippet": text(source, 20),
        "payload": {**payload, "parts": parts},
        "sizeEstimate": 12_000,
        "historyId": str(900_000 + number),
        "internalDate": str(int(START.timestamp() * 1000) + number * 1_000),
    }


def thread(number: int) -> dict[str, object]:
    """One thread of a search_threads answer, with one message."""
    source = random.Random(number)
    shown = {
        "id": f"19f{number:013x}",
        "sender": "{} <{}>".format(*sender(source)),
        "subject": text(source, 7).capitalize(),
        "date": (START + timedelta(seconds=number)).isoformat().replace("+00:00", "Z"),
        "toRecipients": [OWNER],
        "labelIds": ["INBOX", source.choice(TABS)],
        "snippet": text(source, 20),
    }
    return {"id": shown["id"], "messages": [shown]}


def body(document: object) -> bytes:
    """The bytes of an answer."""
    return json.dumps(document, separators=(",", ":")).encode()


def fetched(numbers: range, make: Callable[[int], dict[str, object]] = message) -> Iterator[Exchange]:
    """What a fetch of these messages records: profile, labels, inbox pages, bodies as `make` gives them."""
    yield Exchange("getProfile", {}, 200, body({"emailAddress": OWNER, "historyId": "900000", "messagesTotal": 1}))
    system = [{"id": name, "name": name, "type": "system"} for name in ("INBOX", "UNREAD", *TABS)]
    yield Exchange("labels.list", {}, 200, body({"labels": system}))
    yield from listed(numbers, {"labelIds": "INBOX"})
    yield from listed(range(numbers.stop), {"includeSpamTrash": "true"})
    for number in numbers:
        found = make(number)
        yield Exchange("messages.get", {"id": found["id"], "format": "full"}, 200, body(found))


def listed(numbers: range, asked: dict[str, str]) -> Iterator[Exchange]:
    """A list of these messages in pages."""
    for start in range(numbers.start, numbers.stop, PAGE_SIZE):
        found = [{"id": f"18f{n:013x}", "threadId": f"18f{n:013x}"} for n in range(start, start + PAGE_SIZE)]
        token = {"pageToken": str(start)} if start > numbers.start else {}
        after = {"nextPageToken": str(start + PAGE_SIZE)} if start + PAGE_SIZE < numbers.stop else {}
        yield Exchange("messages.list", asked | token, 200, body({"messages": found[: numbers.stop - start], **after}))


def searched(numbers: range) -> Iterator[Exchange]:
    """Answers of a connector: 100 threads each."""
    for start in range(numbers.start, numbers.stop, 100):
        found = [thread(number) for number in range(start, min(start + 100, numbers.stop))]
        yield Exchange("search_threads", {"purpose": "inbox", "page": start}, 200, body({"threads": found}))


def seal(root: Path, exchanges: Iterator[Exchange], kind: str, at: datetime) -> None:
    """One capture, and each body that the Node peer reads as a file."""
    workspace = Demo(root, "demo", root / "receipts")
    writer = CaptureWriter(workspace, next_capture_id(workspace, at))
    responses = root / "responses"
    responses.mkdir(parents=True, exist_ok=True)
    for number, exchange in enumerate(exchanges):
        writer.record(exchange)
        if exchange.method in ("messages.get", "search_threads"):
            (responses / f"{writer.capture_id}-{number:06d}.json").write_bytes(exchange.body)
    is_fetch = kind == "messages"
    draft = draft_seal(
        writer,
        source="fetch" if is_fetch else "ingest",
        address=OWNER if is_fetch else None,
        purposes=("inbox", "labels", "profile") if is_fetch else ("inbox",),
        window=Window(days="all", query=""),
        times=(at, at + timedelta(minutes=1)),
        history_id="900000" if is_fetch else None,
        units=0,
    )
    writer.seal(draft)


def main(kind: str, folder: str, count: str, first: str = "0") -> None:
    """Write the captures of `count` messages or threads."""
    begin, end = int(first), int(first) + int(count)
    size = CAPTURE_SIZE if kind == "messages" else 100_000
    for start in range(begin, end, size):
        numbers = range(start, min(start + size, end))
        exchanges = fetched(numbers) if kind == "messages" else searched(numbers)
        seal(Path(folder), exchanges, kind, START + timedelta(hours=start // size + (1 if begin else 0)))


if __name__ == "__main__":
    main(*sys.argv[1:])
