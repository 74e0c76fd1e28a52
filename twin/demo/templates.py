"""The mail as written: files of small blocks, each a front matter and its parts.

A file `mail/*.mail` holds blocks. A line `%%% mail` opens one, TOML follows (the fields of
`Template`), then its parts: `%%% text`, `%%% html` or `%%% attach TYPE FILE` up to the next
`%%%` line. A first block `%%% defaults` gives fields to all blocks of its file. Words in double
braces are filled in later (see `slots`).

    %%% mail
    kind = "rejection"
    from = "Lumenbyte <no-reply@hirefast.example>"
    subject = "Your application"
    days = [3]
    %%% text
    Hi {{first}}, ...
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

MARK = "%%% "


@dataclass(frozen=True, slots=True)
class Part:
    """One written part: `kind` is 'text', 'html' or 'attach'; the rest of its line are `words`."""

    kind: str
    words: tuple[str, ...]
    body: str


@dataclass(frozen=True, slots=True)
class Template:
    """One block. Days count back from the newest day; shares run from 0.0 to 1.0."""

    name: str
    kind: str
    subject: str
    parts: tuple[Part, ...]
    sender: str = ""  # the From value as it stands in the mail; "me" is the owner
    to: str = "{{owner}}"
    cc: str = ""
    reply_to: str = ""
    days: tuple[int, ...] = ()
    spread: tuple[int, ...] = ()  # how many, first day, last day
    at: str = ""  # HH:MM in UTC; office hours by chance otherwise
    thread: str = ""  # blocks of one name are one conversation
    labels: str = "INBOX"
    unread: float = 0.0
    archived: float = 0.0
    layout: str = ""  # an HTML twin of the text in this layout
    charset: str = "utf-8"
    declared: str = ""  # what the mail says its charset is, where that is a lie
    transfer: str = ""  # 7bit, 8bit, quoted-printable or base64; fitting otherwise
    auth: str = "pass"  # pass, fail, softfail, absent
    unsubscribe: str = ""  # one-click, web, mailto, none; the sender's way otherwise
    headers: str = ""  # more header lines, written as they are
    drop: tuple[str, ...] = ()  # header names left out
    header_charset: str = ""  # raw 8-bit header bytes in this charset, against the standard
    header_case: str = ""  # lower or upper
    slots: tuple[tuple[str, tuple[str, ...]], ...] = ()  # pools of this block alone


@dataclass(frozen=True, slots=True)
class Sender:
    """How the machines of one domain write their headers."""

    brand: str = ""
    ip: str = "203.0.113.25"
    bounce: str = ""
    unsubscribe: str = "none"
    feedback: str = ""
    precedence: str = ""
    list_id: str = ""
    mailer: str = ""
    footer: str = ""


def read_text(*path: str) -> str:
    """The text of one data file under `mail/`."""
    return files("twin.demo").joinpath("mail", *path).read_bytes().decode("utf-8")


def read_templates() -> tuple[Template, ...]:
    """All blocks of all files, files by name, blocks as they stand."""
    folder = files("twin.demo").joinpath("mail")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".mail"))
    return tuple(template for name in names for template in parse(name, read_text(name)))


def read_senders() -> dict[str, Sender]:
    """Domain or address to its habits."""
    return {name: Sender(**fields) for name, fields in tomllib.loads(read_text("senders.toml")).items()}


def read_pools() -> dict[str, tuple[str, ...]]:
    """Slot name to the words it may take."""
    return {name: tuple(words) for name, words in tomllib.loads(read_text("pools.toml")).items()}


def parse(file_name: str, text: str) -> Iterator[Template]:
    """The templates of one file; raises TypeError at an unknown field."""
    defaults: dict[str, Any] = {}
    for number, block in enumerate(_blocks(text)):
        (kind, _, front), *rest = block
        fields = {**defaults, **tomllib.loads(front)}
        if kind == "defaults":
            defaults = fields
            continue
        parts = tuple(Part(word, words, body.strip("\n") + "\n") for word, words, body in rest)
        yield _template(f"{file_name}#{number}", fields, parts)


def _template(name: str, fields: dict[str, Any], parts: tuple[Part, ...]) -> Template:
    slots = tuple((slot, tuple(words)) for slot, words in fields.pop("slots", {}).items())
    fixed: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    fixed["sender"] = fixed.pop("from", "")
    return Template(name=name, parts=parts, slots=slots, **fixed)


def _blocks(text: str) -> Iterator[list[tuple[str, tuple[str, ...], str]]]:
    block: list[tuple[str, tuple[str, ...], str]] = []
    for section in ("\n" + text).split("\n" + MARK)[1:]:
        line, _, body = section.partition("\n")
        kind, *words = line.split()
        if kind in ("mail", "defaults") and block:
            yield block
            block = []
        block.append((kind, tuple(words), body))
    yield block
