"""What a search sees of one message: each field folded to words in a row, and the addresses it names.

Words are runs of letters, digits and underscores after NFKC and case folding. A field is kept as
`" word word "`, so a phrase is found, whole words only, by one substring test.

>>> folded("Re: Your_Offer, TODAY")
' re your_offer today '
"""

import re
import unicodedata
from functools import cached_property
from typing import Protocol

from twin.rawmail import Headers
from twin.resource import leaves, visible_text
from twin.wire import Json

TOKEN = re.compile(r"\w+")
ADDRESS_END = r"(?![A-Za-z0-9.\-])"
ADDRESS_START = r"(?<![A-Za-z0-9._%+\-])"
PEOPLE = {"from": ("from",), "to": ("to", "cc", "bcc"), "cc": ("cc",), "bcc": ("bcc",)}


class Content(Protocol):
    @property
    def headers(self) -> Headers: ...

    @property
    def payload(self) -> Json: ...

    @property
    def size(self) -> int: ...


def folded(text: str) -> str:
    """Words in a row with a blank at each end."""
    return f" {' '.join(TOKEN.findall(unicodedata.normalize('NFKC', text).casefold()))} "


def has_words(field: str, wanted: str) -> bool:
    """Whether the words of `wanted` stand in a row in the folded `field`; no words match everything."""
    return folded(wanted).strip() == "" or folded(wanted) in field


class SearchDoc:
    """Lazy folded fields of one message."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def _joined(self, names: tuple[str, ...]) -> str:
        return "\n".join(value for key, value in self._content.headers if key.lower() in names)

    @cached_property
    def people_text(self) -> dict[str, str]:
        """Header text by operator (from, to, cc, bcc, deliveredto), lower case."""
        found = {op: self._joined(names).lower() for op, names in PEOPLE.items()}
        return {**found, "deliveredto": self._joined(("delivered-to", "to", "cc", "bcc")).lower()}

    @cached_property
    def people(self) -> dict[str, str]:
        return {op: folded(text) for op, text in self.people_text.items()}

    @cached_property
    def subject(self) -> str:
        return folded(self._joined(("subject",)))

    @cached_property
    def mailing_list(self) -> str:
        return folded(self._joined(("list-id", "mailing-list", "x-mailing-list")))

    @cached_property
    def message_id(self) -> str:
        return self._joined(("message-id",)).strip().strip("<>").casefold()

    @cached_property
    def files(self) -> tuple[str, ...]:
        """File names of attachments; pictures that the HTML shows inline are not attachments."""
        parts = leaves(self._content.payload) + _forwarded(self._content.payload)
        return tuple(str(p["filename"]) for p in parts if p.get("filename") and not _is_shown_inline(p))

    @cached_property
    def file_words(self) -> str:
        return "\n".join(folded(name) for name in self.files)

    @cached_property
    def body(self) -> str:
        return folded(visible_text(self._content.payload))

    @property
    def size(self) -> int:
        return self._content.size

    def anywhere(self, wanted: str) -> bool:
        """Whole words in a row in the subject, a person, the body or a file name (one field at a time)."""
        words = folded(wanted)
        if not words.strip():
            return True
        near = (self.subject, self.people["from"], self.people["to"])
        return any(words in field for field in near) or words in self.body or words in self.file_words


def names_address(text: str, address: str) -> bool:
    """Whether lower-case header text holds exactly this address, not a longer one around it."""
    return re.search(ADDRESS_START + re.escape(address.lower()) + ADDRESS_END, text) is not None


def _is_shown_inline(part: Json) -> bool:
    headers = {str(h.get("name", "")).lower(): str(h.get("value", "")) for h in part.get("headers") or []}
    return headers.get("content-disposition", "").lower().startswith("inline") and "content-id" in headers


def _forwarded(part: Json) -> list[Json]:
    """Attached mails: they have children, so they are no leaves, and yet they are files."""
    children = part.get("parts") or []
    own = [part] if children and part.get("filename") else []
    return own + [found for child in children for found in _forwarded(child)]


def document(content: Content) -> SearchDoc:
    return SearchDoc(content)
