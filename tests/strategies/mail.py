"""Mail as Gmail hands it over: plain messages for tables, hostile ones for sweeps.

`message()` builds one honest resource from a few words; the strategies draw texts, fields, payloads
and whole resources in which every leaf may lie.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

INTERNAL_DATE = "1795428000000"
HOSTILE_CHARACTERS = (
    "\x00\x1b\x07\r\n\t\x7f\x9b\u00ad\u200b\u200d\u2060\u202e\u2066\ufeff\ud800\udfff\U000e0041\u0301\u0130\u0131ßς"
)
SPECIALS = '"\\()<>,;:@[]=?&#%_./ -'
_WORDS = (
    "interview invitation offer code order invoice Okafor Ngozi alerts firstbank drop-zone list via"
    " Hello Ann Straße İstanbul сбер 验证码 مرحبا"
)
WORDS = _WORDS.split()
_KEYS = (
    "id threadId labelIds historyId internalDate payload headers name value parts body data size"
    " attachmentId mimeType filename sender subject date toRecipients"
)
_FIELD_NAMES = (
    "From from SUBJECT Subject To Reply-To List-Id List-Unsubscribe List-Unsubscribe-Post Date Message-ID"
    " Authentication-Results Received Content-Type Content-Disposition Content-ID"
)
ADDRESSES = ("ann@vendor.example", "kx7@drop-zone.example", "alerts@firstbank.example", "o.k@x.test", "root@localhost")


def b64(text: str | bytes) -> str:
    """base64url with padding, as Gmail writes body data."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return base64.urlsafe_b64encode(raw).decode("ascii")


def part(
    mime: str, content: str | bytes = "", filename: str = "", fields: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """One leaf of a payload."""
    raw = content.encode() if isinstance(content, str) else content
    return {
        "partId": "0",
        "mimeType": mime,
        "filename": filename,
        "headers": [{"name": k, "value": v} for k, v in (fields or {}).items()],
        "body": {"size": len(raw), "data": b64(raw)},
    }


def message(
    sender: str | None = "Ann <ann@vendor.example>",
    subject: str | None = "Hello",
    text: str = "Hello.",
    html: str | None = None,
    *,
    fields: Sequence[tuple[str, str]] = (),
    parts: Sequence[dict[str, Any]] = (),
    labels: Sequence[str] | None = ("INBOX",),
    message_id: str = "18f0a1b2c3d40001",
) -> dict[str, Any]:
    """One full message resource; `fields` are added below From and Subject, `parts` behind the bodies."""
    headers = [
        {"name": name, "value": value} for name, value in (("From", sender), ("Subject", subject)) if value is not None
    ]
    bodies = [part("text/plain", text), *([part("text/html", html)] if html is not None else []), *parts]
    top: dict[str, Any] = {
        "mimeType": "multipart/mixed",
        "filename": "",
        "headers": headers + [{"name": name, "value": value} for name, value in fields],
        "body": {"size": 0},
        "parts": bodies,
    }
    resource = {
        "id": message_id,
        "threadId": message_id,
        "snippet": "",
        "historyId": "900100",
        "internalDate": INTERNAL_DATE,
        "payload": top,
    }
    return resource if labels is None else {**resource, "labelIds": list(labels)}


def texts(max_size: int = 60) -> st.SearchStrategy[str]:
    """Any text, leaning to what breaks readers: controls, bidi, zero width, lone surrogates, specials."""
    characters = st.one_of(
        st.sampled_from(HOSTILE_CHARACTERS),
        st.sampled_from(SPECIALS),
        st.characters(codec=None),
        st.sampled_from("abcdefghijklmnopqrstuvwxyzABC0123456789"),
    )
    pieces = st.one_of(st.sampled_from(WORDS), characters)
    return st.lists(pieces, max_size=max_size).map("".join)


def from_values() -> st.SearchStrategy[str]:
    """From fields put together from names, addresses and marks in any order."""
    pieces = st.one_of(
        st.sampled_from(ADDRESSES),
        st.sampled_from(ADDRESSES).map("<{}>".format),
        st.sampled_from(WORDS),
        st.sampled_from(list(SPECIALS)),
        st.sampled_from(["=?utf-8?q?=40?=", "=?x-nowhere?B?U2hvcA==?=", '"Q, R"', "(note)", " via ", "\r\n "]),
        texts(4),
    )
    return st.lists(pieces, max_size=10).map("".join)


def json_like() -> st.SearchStrategy[Any]:
    """Anything a JSON parser can return, keys leaning to those of a message."""
    keys = st.one_of(
        st.sampled_from(_KEYS.split()),
        st.text(max_size=5),
    )
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        texts(8),
        st.sampled_from(["text/html", "text/plain", "a", "SGk"]),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=6)),
        max_leaves=25,
    )


def _or_junk(wanted: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 7).flatmap(lambda n: json_like() if n == 0 else wanted)


def header_lists() -> st.SearchStrategy[Any]:
    """Gmail's header list with any names in any case, hostile values, and now and then junk."""
    names = st.sampled_from(_FIELD_NAMES.split())
    values = st.one_of(
        from_values(), texts(20), st.sampled_from(["mx.google.com; spf=pass", "attachment", "text/html; charset=hex"])
    )
    entry = st.fixed_dictionaries({"name": names, "value": values})
    return st.lists(_or_junk(entry), max_size=8)


def html_texts() -> st.SearchStrategy[str]:
    """Markup, balanced or not."""
    pieces = st.sampled_from(
        [
            "<div>", "</div>", "<p style='display:none'>", "<span style='font-size:0'>", "<font color=white>",
            "</font>",
            "<table bgcolor='#000'>", "</table>", "<a href='http://x.test'>", "</a>",
            "<style>.a{display:none}</style>",
            "<b class=a>", "<!--", "-->", "<script>", "</script>", "<body hidden>", "<p hidden>", "<", ">",
            "&lt;", "&#0;", "<svg>",
            "<wbr>", "</wbr>", "<title>", "<noscript>", "<frameset>", "<select>", "<math>", "<input value=v>", "&nbsp;",
            "<style>.1a, b { opacity: 0 }</style>", "<i style='visibility:hidden'>", "<iframe srcdoc='s'>",
            "<img alt='z'>", "<template>", "<form action=x>", "</p>", "<td style='color:#fff;background:#ffe'>",
        ]
    )  # fmt: skip
    return st.lists(st.one_of(pieces, texts(3)), max_size=30).map("".join)


def payloads() -> st.SearchStrategy[Any]:
    """A payload tree, nested and damaged."""
    data = st.one_of(html_texts().map(b64), texts(20).map(b64), texts(6), st.binary(max_size=20).map(b64))
    body = _or_junk(
        st.fixed_dictionaries({"size": st.integers(-1, 100)}, optional={"data": data, "attachmentId": texts(3)})
    )
    mimes = st.sampled_from(
        ["text/plain", "text/html", "TEXT/HTML", "text/calendar", "message/rfc822", "multipart/mixed", "image/png", ""]
    )
    leaf = st.fixed_dictionaries(
        {"mimeType": _or_junk(mimes), "headers": _or_junk(header_lists())},
        optional={"filename": _or_junk(texts(5)), "body": body},
    )
    return st.recursive(
        leaf,
        lambda inner: st.builds(
            lambda node, parts: {**node, "parts": parts}, leaf, _or_junk(st.lists(inner, max_size=3))
        ),
        max_leaves=5,
    )


def resources() -> st.SearchStrategy[Any]:
    """A message resource in which each key may be absent, null or junk."""
    ids = st.one_of(st.from_regex(r"[A-Za-z0-9_-]{1,20}", fullmatch=True), st.sampled_from(["../x", "", "a\n"]))
    return st.fixed_dictionaries(
        {"id": ids, "threadId": ids, "payload": _or_junk(payloads()), "internalDate": _or_junk(st.just(INTERNAL_DATE))},
        optional={
            "labelIds": _or_junk(st.lists(st.sampled_from(["INBOX", "SENT", "STARRED"]), max_size=3)),
            "historyId": _or_junk(st.just("9")),
        },
    )


def labels() -> st.SearchStrategy[str]:
    """One label of a domain name."""
    return st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True).filter(lambda label: label[2:4] != "--")


def domain_names() -> st.SearchStrategy[str]:
    """An invented domain at a reserved top level."""
    return st.builds(
        lambda parts, top: ".".join([*parts, top]),
        st.lists(labels(), min_size=1, max_size=3),
        st.sampled_from(["example", "test"]),
    )
