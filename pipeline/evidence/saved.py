"""A file that a tool saved, as the exchanges it stands for: the file stays whole, each exchange is a slice of it.

Kinds: one JSON object; JSON Lines (one page or one message a line, as `gws --page-all` prints); an mbox; an .eml.
Each slice says its shape, who said what it is (`purpose`), and for a message its id and format.

>>> [piece.shape for piece in judge("saved.json", b'{"threads": []}', "inbox").pieces]
['search_threads']
"""

import re
from dataclasses import dataclass
from typing import Final

from pipeline.canonical import parse_json_object
from pipeline.evidence.captures import OK, Exchange
from pipeline.evidence.mbox import is_mbox, places
from pipeline.evidence.shapes import SAVE_AGAIN, Resource, format_of, refuse_bad_shape, shape_of
from pipeline.mail.message import is_id
from pipeline.refusals import NotJson, NotVerbatim, UnknownShape

_MAIL_FIELD: Final = re.compile(rb"^(?:from|date|received|message-id|subject)[ \t]*:", re.I | re.M)
_HEADER_BYTES: Final = 65_536
_LINE: Final = re.compile(rb"[^\n]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """One answer in a saved file: its shape, what identifies it, and its bytes from `offset` on."""

    shape: str
    parameters: dict[str, object]
    offset: int
    body: bytes
    address: str | None = None

    @property
    def exchange(self) -> Exchange:
        """As if it had been asked for now."""
        return Exchange(self.shape, self.parameters, OK, self.body)


@dataclass(frozen=True, slots=True)
class Saved:
    """One judged file: the ending it is kept under, its bytes, and the answers in them, in order."""

    ending: str
    body: bytes
    pieces: tuple[Piece, ...]

    @property
    def shape(self) -> str:
        """The shape of its first answer, which names the file."""
        return self.pieces[0].shape


def judge(name: str, body: bytes, purpose: str) -> Saved:
    """A file's answers. Raises NotJson, UnknownShape, MetadataOnly, NotVerbatim or DroppedOn429."""
    ending = name.lower().rpartition(".")[2]
    if is_mbox(body):
        return Saved("mbox", body, tuple(_mbox_pieces(body, purpose)))
    if ending == "mbox":
        raise UnknownShape(f"{name}: no mbox: it does not begin with a From line", evidence=f"{len(body)} bytes")
    if ending == "eml":
        return _eml(name, body, purpose)
    return _json(name, body, purpose)


def _mbox_pieces(body: bytes, purpose: str) -> list[Piece]:
    return [Piece("mbox", {"purpose": purpose}, at, body[at : at + length]) for at, length in places(body)]


def _eml(name: str, body: bytes, purpose: str) -> Saved:
    if not _MAIL_FIELD.search(body[:_HEADER_BYTES]):
        raise UnknownShape(f"{name}: no mail: it has no header", evidence=f"{len(body)} bytes", next_command=SAVE_AGAIN)
    return Saved("eml", body, (Piece("eml", {"purpose": purpose}, 0, body),))


def _json(name: str, body: bytes, purpose: str) -> Saved:
    try:
        return Saved("json", body, (_piece(name, parse_json_object(body), 0, body, purpose),))
    except NotJson as error:
        lines = [(found.start(), found.group()) for found in _LINE.finditer(body) if found.group().strip()]
        if len(lines) < 2:
            raise _not_json(name, error) from None
        first = error
    try:
        documents = [parse_json_object(line) for _, line in lines]
    except NotJson:
        raise _not_json(name, first) from None
    made = zip(documents, lines, strict=True)
    pieces = tuple(_piece(name, document, at, line, purpose) for document, (at, line) in made)
    _refuse_pages_out_of_order(name, pieces, documents)
    return Saved("jsonl", body, pieces)


def _refuse_pages_out_of_order(name: str, pieces: tuple[Piece, ...], documents: list[dict[str, object]]) -> None:
    """One command wrote the pages of one list: only the last may be the last."""
    if len({piece.shape for piece in pieces} - {"search_threads"}) > 1:
        return
    is_last = [not document.get("nextPageToken") for document in documents]
    if "nextPageToken" in documents[0] and any(is_last[:-1]):
        raise NotVerbatim(
            f"{name}: a page follows the last one", evidence="lines changed places", next_command=SAVE_AGAIN
        )


def _piece(name: str, document: Resource, offset: int, body: bytes, purpose: str) -> Piece:
    shape = shape_of(document)
    refuse_bad_shape(shape, document, name)
    parameters: dict[str, object] = {"purpose": purpose}
    if is_id(document.get("id")):
        parameters["id"] = document["id"]
    if shape == "messages.get":
        parameters["format"] = format_of(document)
    address = document.get("emailAddress")
    return Piece(shape, parameters, offset, body, address if isinstance(address, str) else None)


def _not_json(name: str, error: NotJson) -> NotJson:
    return NotJson(f"{name}: {error.what}", evidence=error.evidence, next_command="save the tool's output again")
