"""Reads mail from disk into Gmail message resources: an mbox file, a Maildir, or a folder of message files.

Deterministic: files in the order of their paths, messages in the order of their dates, ids made from that.
Threads follow References and In-Reply-To. Every message wears INBOX, or SENT when it comes from the owner.
Read only: the twin writes nothing back.
"""

import re
from collections.abc import Iterator
from email.utils import mktime_tz, parsedate_tz
from pathlib import Path

from twin.arrivals import date_header_ms
from twin.mailbox import FIRST_ID, ID_STEP
from twin.rawmail import split
from twin.resource import b64url
from twin.searchdoc import names_address
from twin.seeding import FALLBACK_MS
from twin.source import Source
from twin.wire import Json

FIELD_LINE = re.compile(rb"[A-Za-z][A-Za-z0-9_-]*[ \t]*:")
TELLING = frozenset({"from", "received", "return-path", "delivered-to", "message-id", "date", "subject"})
SEPARATOR = re.compile(rb"(?:\A|\n\r?\n)(From [^\r\n]*\r?\n)(?=[!-9;-~]+:|[ \t])")
FROM_LINE = re.compile(rb"\A>?From [^\r\n]*\r?\n")
REFERENCE = re.compile(r"<[^<>\s]{1,998}>")
MAX_FILE = 64 * 1024 * 1024


def is_mail(data: bytes) -> bool:
    """Whether bytes are a mail: they begin with header fields (after a `From ` line), one a field of mail."""
    head = FROM_LINE.sub(b"", data[:64_000], count=1)
    return FIELD_LINE.match(head) is not None and any(name.lower() in TELLING for name, _ in split(head)[0])


def messages_in(data: bytes) -> list[bytes]:
    """The mails of one file: many for an mbox, one for a message file, none for anything else."""
    if not is_mail(data):
        return []
    starts = [match.start(1) for match in SEPARATOR.finditer(data)] if data.startswith(b"From ") else [0]
    ends = [*starts[1:], len(data)]
    return [FROM_LINE.sub(b"", data[start:end], count=1) for start, end in zip(starts, ends, strict=True)]


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for found in sorted(path.rglob("*")):
        names = found.relative_to(path).parts
        if found.is_file() and not any(name.startswith(".") for name in names) and "tmp" not in names[:-1]:
            yield found


def _is_mbox(path: Path, root: Path) -> bool:
    """Only a file named on its own, or called so, is split: a mail in a folder may quote a `From ` line."""
    return path == root or path.suffix.lower() in (".mbox", ".mbx")


def _mails(path: Path) -> Iterator[bytes]:
    for found in _files(path):
        if found.stat().st_size > MAX_FILE:
            continue
        data = found.read_bytes()
        if _is_mbox(found, path):
            yield from messages_in(data)
        elif is_mail(data):
            yield FROM_LINE.sub(b"", data, count=1)


def _received_ms(source: Source) -> int | None:
    """Epoch milliseconds of the topmost Received header, whose date follows the last semicolon."""
    try:
        parsed = parsedate_tz(source.header("Received").rpartition(";")[2][:200])
        seconds = mktime_tz((*parsed[:9], parsed[9] or 0)) if parsed else None
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return seconds * 1000 if seconds is not None and 0 <= seconds < 2**40 else None


def date_ms(source: Source) -> int:
    """Epoch milliseconds: the Date header, else the topmost Received, else a fixed day."""
    for found in (date_header_ms(source), _received_ms(source)):
        if found is not None:
            return found
    return FALLBACK_MS


def _thread(source: Source, threads: dict[str, str], own: str) -> str:
    """The thread of any message that this one refers to, else its own."""
    names = f"{source.header('References')[-20_000:]} {source.header('In-Reply-To')[:2000]}"
    for reference in reversed(REFERENCE.findall(names)):
        if reference.casefold() in threads:
            return threads[reference.casefold()]
    return own


def _labels(source: Source, owner: str) -> list[str]:
    is_own = bool(owner) and names_address(source.header("From").lower(), owner)
    return ["SENT"] if is_own else ["INBOX"]


def read_folder(path: str | Path, owner: str = "") -> list[Json]:
    """Message resources with `raw`, oldest first. FileNotFoundError when there is nothing at `path`."""
    root = Path(path)
    if not root.exists():
        raise FileNotFoundError(f"no mail at {root}")
    dated = [(date_ms(source), source) for source in map(Source.from_raw, _mails(root))]
    dated.sort(key=lambda pair: pair[0])
    threads: dict[str, str] = {}
    found: list[Json] = []
    for number, (when, source) in enumerate(dated, start=1):
        message_id = f"{FIRST_ID + number * ID_STEP:016x}"
        thread_id = _thread(source, threads, message_id)
        threads.setdefault(source.header("Message-ID").strip().casefold(), thread_id)
        found.append(
            {
                "id": message_id,
                "threadId": thread_id,
                "labelIds": _labels(source, owner),
                "internalDate": str(when),
                "raw": b64url(source.raw),
            }
        )
    return found
