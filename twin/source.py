"""One mail's content and everything the twin derives from it, each view made once when first asked for.

A source is a value: it is made from raw bytes or from a payload and never changes. Its views (payload,
attachments, raw, snippet, search document) are remembered, because a mailbox is asked for them often.

>>> Source.from_raw(b"Subject: hi\\r\\n\\r\\nhello").snippet
'hello'
"""

import hashlib
from functools import cached_property

from twin.rawmail import Headers, first, parse, split
from twin.resource import INLINE_LIMIT, Attachments, bytes_of, payload, snippet, unb64url
from twin.searchdoc import SearchDoc, document
from twin.wire import Json


class Source:
    """The content of one message. Build it with `from_raw` or `from_payload`."""

    def __init__(self, raw: bytes | None, given: Json | None, known: Json, inline_limit: int) -> None:
        self._raw, self._given, self._known, self._limit = raw, given, known, inline_limit

    @classmethod
    def from_raw(cls, raw: bytes, known: Json | None = None, inline_limit: int = INLINE_LIMIT) -> "Source":
        """`known` may hold a snippet or sizeEstimate that Gmail itself gave."""
        return cls(raw, None, known or {}, inline_limit)

    @classmethod
    def from_payload(cls, given: Json, known: Json | None = None) -> "Source":
        """`given` is a MessagePart as `format=full` or `format=metadata` delivers it; `{}` when not known."""
        return cls(None, given, known or {}, INLINE_LIMIT)

    @cached_property
    def headers(self) -> Headers:
        """Header names as written, values unfolded and decoded."""
        if self._raw is not None:
            return split(self._raw)[0]
        pairs = (self._given or {}).get("headers") or []
        return tuple((str(h.get("name", "")), str(h.get("value", ""))) for h in pairs)

    def header(self, name: str) -> str:
        return first(self.headers, name)

    @cached_property
    def _full(self) -> tuple[Json, dict[str, bytes]]:
        if self._raw is None:
            return self._given or {"mimeType": "text/plain"}, _inline(self._given or {})
        kept = Attachments(hashlib.sha256(self._raw).hexdigest(), self._limit)
        return payload(parse(self._raw), kept), kept.found

    @property
    def payload(self) -> Json:
        """The MessagePart of `format=full`."""
        return self._full[0]

    @property
    def attachments(self) -> dict[str, bytes]:
        """Bytes by attachmentId."""
        return self._full[1]

    @cached_property
    def raw(self) -> bytes:
        """The exact bytes, or bytes made from the payload when only that is known."""
        return self._raw if self._raw is not None else bytes_of(self.payload, self.attachments)

    @cached_property
    def size(self) -> int:
        """Bytes: what Gmail said when it said so, else the length of raw."""
        return int(self._known.get("sizeEstimate") or len(self.raw))

    @cached_property
    def snippet(self) -> str:
        """HTML-escaped, one line."""
        known = self._known.get("snippet")
        return known if isinstance(known, str) else snippet(self.payload)

    @cached_property
    def doc(self) -> SearchDoc:
        return document(self)


def _inline(part: Json) -> dict[str, bytes]:
    """Bytes that a given payload holds beside an attachmentId (Gmail does not, other tools may)."""
    found: dict[str, bytes] = {}
    body = part.get("body") or {}
    if body.get("attachmentId") and body.get("data"):
        found[str(body["attachmentId"])] = unb64url(str(body["data"])) or b""
    for child in part.get("parts") or []:
        found.update(_inline(child))
    return found
