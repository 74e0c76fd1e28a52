"""Who a message says it is from: exactly one address, or none and the reason.

Promises: a name never becomes an address, an ambiguous field gives no address (so no rule can match
it), and any input is read in linear time. Python's own readers disagree with mail clients here
(`a@bank <x@evil>` gives them a@bank), so this one is written out.

>>> read_sender(["Okafor, Ngozi <ngozi@greenfield.example>"]).address
'ngozi@greenfield.example'
>>> read_sender(["alerts@firstbank.example <kx7@drop-zone.example>"]).defects
('name_holds_address',)
>>> read_sender(["a@x.example, b@y.example"]).address is None
True
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pipeline.mail import domains, fold, headers
from pipeline.mail.address_scan import Item, scan, split_list

MAX_FIELD_CHARACTERS: Final = 8_192
MAX_LIST_CHARACTERS: Final = 65_536
MAX_ADDRESSES: Final = 500
MAX_NAME_CHARACTERS: Final = 1_000
MAX_BARE: Final = 20
_USUAL: Final = 200
_MAX_LOCAL: Final = 128

_CONTROL_RUN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LOCAL: Final = re.compile(r"[^\s\"\\()<>,;:@\[\]\x00-\x20\x7f]+\Z")
_QUOTED_LOCAL: Final = re.compile(r'"([^"\\@<>()\x00-\x1f\x7f]*)"\Z')
_ADDRESS_IN_NAME: Final = re.compile(r"[^\s@\"'<>()\[\],;:]+@[^\s@\"'<>()\[\],;:]+")
_ATOMS: Final = r"[A-Za-z0-9._+-]++@[A-Za-z0-9.-]++"
# ASCII without what could be an encoded word, a comment, a second address or half of a quote.
_PLAIN: Final = re.compile(
    rf" *+(?:(?:\"([ !#-;>?A-\[\]-~]*+)\"|([A-Za-z0-9 .&!'/|+_-]*+)) *+<({_ATOMS})>|({_ATOMS})) *+\Z"
)
_UNDECODED: Final = frozenset({"unknown_charset", "undecodable", "lossy"})
_GMAIL: Final = frozenset({"gmail.com", "googlemail.com"})


@dataclass(frozen=True, slots=True)
class Sender:
    """One mailbox as shown and as meant; `address` and `domain` are lower case, or both None.

    Defects: missing_from, several_from, no_address, several_addresses, malformed_address,
    name_holds_address, unquoted_comma, unbalanced_quote, unbalanced_comment, unclosed_bracket,
    undecodable, over_cap, null_sender.
    """

    name: str = ""
    address: str | None = None
    domain: str | None = None
    defects: tuple[str, ...] = ()


def read_sender(values: Sequence[str]) -> Sender:
    """The one sender of all From fields; two fields, two addresses or none at all give address None."""
    if not values:
        return Sender(defects=("missing_from",))
    sender = _read_one(values[0])
    if len(values) > 1:
        return replace(sender, address=None, domain=None, defects=("several_from", *sender.defects))
    return sender


def read_addresses(values: Sequence[str]) -> tuple[Sender, ...]:
    """Every mailbox of To, Cc or Reply-To fields, in order; empty for no field."""
    found: list[Sender] = []
    for value in values:
        if len(value) > MAX_LIST_CHARACTERS:
            return (*found, Sender(defects=("over_cap",)))
        found += _usual_list(value) if len(value) <= _USUAL else _list(value)
        if len(found) > MAX_ADDRESSES:
            return (*found[:MAX_ADDRESSES], Sender(defects=("over_cap",)))
    return tuple(found)


def mailbox_key(address: str) -> str | None:
    """One text per mailbox: dots and plus tags are folded only where the provider is known to (Gmail)."""
    local, _, domain = address.rpartition("@")
    name = domains.canonical(domain)
    if not local or name is None:
        return None
    local = local.lower()
    if name in _GMAIL:
        return f"{local.partition('+')[0].replace('.', '')}@gmail.com"
    return f"{local}@{name}"


def same_mailbox(a: str | None, b: str | None) -> bool:
    """Whether both addresses surely reach the same mailbox; unknown equals nothing."""
    if a is None or b is None:
        return False
    key = mailbox_key(a)
    return key is not None and key == mailbox_key(b)


@lru_cache(maxsize=4_096)
def _usual_list(value: str) -> tuple[Sender, ...]:
    """Recipients repeat even more than senders: most mail is to the owner alone."""
    return _list(value)


def _list(value: str) -> tuple[Sender, ...]:
    return tuple([_read_one(part) for part in split_list(value)])


def _read_one(value: str) -> Sender:
    if len(value) > MAX_FIELD_CHARACTERS:
        return Sender(defects=("over_cap",))
    return _read_usual(value) if len(value) <= _USUAL else _read_field(value)


@lru_cache(maxsize=8_192)
def _read_usual(value: str) -> Sender:
    """Senders repeat: short fields are remembered, long ones would only fill the memory."""
    return _read_plain(value) or _read_field(value)


def _read_plain(value: str) -> Sender | None:
    """What most mail is from, by one pattern; None for any other field. Equal to _read_field wherever it answers."""
    found = _PLAIN.match(value)
    quoted, unquoted, angled, bare = found.groups() if found else (None, None, None, "")
    address = _canonical_address(angled or bare)
    if address is None:
        return None
    return Sender(" ".join((quoted or unquoted or "").split()), address, address.rpartition("@")[2])


def _read_field(value: str) -> Sender:
    items, defects = scan(_CONTROL_RUN.sub(" ", value))
    candidates = _candidates(items)
    name = _name(items, candidates, defects)
    if len(candidates) != 1 or not candidates[0]:
        defects.append("several_addresses" if len(candidates) > 1 else "no_address")
        return Sender(name, None, None, tuple(dict.fromkeys(defects)))
    return _judged(name, candidates[0], items, defects)


def _judged(name: str, candidate: str, items: list[Item], defects: list[str]) -> Sender:
    address = _canonical_address(candidate)
    if any(item.kind == "comma" for item in items):
        defects.append("unquoted_comma")
    if address is None:
        defects.append("malformed_address")
        return Sender(name, None, None, tuple(dict.fromkeys(defects)))
    if _holds_other_address(name, address):
        defects.append("name_holds_address")
    return Sender(name, address, address.rpartition("@")[2], tuple(dict.fromkeys(defects)))


def _canonical_address(text: str) -> str | None:
    """The address in lower case with its domain canonical, or None when any reader could see it otherwise."""
    local, _, domain = text.strip().rpartition("@")
    quoted = _QUOTED_LOCAL.match(local)
    inner = quoted.group(1) if quoted else local
    name = domains.canonical(domain) if domain == domain.strip() else None
    if name is None or not inner or len(inner) > _MAX_LOCAL or not inner.isprintable():
        return None
    if not _LOCAL.match(inner):
        return f'"{inner}"@{name}' if quoted else None
    return f"{unicodedata.normalize('NFC', inner).lower()}@{name}"


def _holds_other_address(name: str, address: str) -> bool:
    if "@" not in (folded := fold.fold(name)):
        return False
    return any(not same_mailbox(found.strip("."), address) for found in _ADDRESS_IN_NAME.findall(folded))


def _candidates(items: list[Item]) -> list[str]:
    """Everything that could be the address: what stands in brackets, and addresses no bracket follows."""
    found = [item.text for item in items if item.kind == "angle"]
    for segment in _segments(items):
        found += _bare_addresses(segment)
    return list(dict.fromkeys(found))


def _segments(items: list[Item]) -> list[list[Item]]:
    """The items between commas."""
    parts: list[list[Item]] = [[]]
    for item in items:
        if item.kind == "comma":
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


def _bare_addresses(segment: list[Item]) -> list[str]:
    """Addresses outside brackets; words before a bracket are its name and do not count."""
    ends = [at for at, item in enumerate(segment) if item.kind == "angle"]
    tail = segment[ends[-1] + 1 :] if ends else segment
    whole = "".join(f'"{i.text}"' if i.kind == "quoted" else i.text for i in tail if i.kind != "comment").strip()
    if "@" not in whole or _canonical_address(whole):
        return [whole] if "@" in whole else []
    said = [word for i in tail if i.kind == "text" for word in i.text.split()]
    if _may_go_on(said):
        return [whole]
    return [word for word in said if "@" in word.strip("@")]


def _may_go_on(said: list[str]) -> bool:
    """Whether a word with @ and its neighbour are one address to some readers: they allow blanks around dots and @."""
    pairs = pairwise(said)
    return any("@" in left + right and (left[-1] in ".@" or right[0] in ".@") for left, right in pairs)


def _shown(item: Item, *, is_bare: bool) -> str:
    if item.kind == "comment":
        return ""
    return f'"{item.text}"' if is_bare and item.kind == "quoted" and "@" not in item.text else item.text


def _name(items: list[Item], candidates: list[str], defects: list[str]) -> str:
    """What the reader is shown as the name: the words before the bracket, else the other words, else a comment."""
    end = next((at for at, item in enumerate(items) if item.kind == "angle"), None)
    shown = items if end is None else items[:end]
    text = "".join(_shown(item, is_bare=end is None) for item in shown).strip()
    if end is None:
        for candidate in candidates[:MAX_BARE]:
            text = text.replace(candidate, "")
        text = text.strip(" ,;")
    text = text or " ".join(i.text for i in items if i.kind == "comment")
    decoded = headers.decode(text[:MAX_NAME_CHARACTERS])
    defects += ["undecodable"] if set(decoded.defects) & _UNDECODED else []
    return " ".join(decoded.text.split())
