"""Messages made ready to be screened: every text folded once, every link taken apart once, one search for all stems.

Promises: the screen's looks share these values and read nothing else; what is found in one message does not depend on
the others; total on any mail.

    (seen,) = see((mail,), "mara@example.com", NOBODY)
    seen.shown        # a blank, then the folded subject, name and visible body, in one text
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from pipeline.judge import lures, orders
from pipeline.judge.patterns import stems_of
from pipeline.mail import domains
from pipeline.mail.circle import Circle
from pipeline.mail.html import Link
from pipeline.mail.matcher import plain
from pipeline.mail.packed import TURNED, packings
from pipeline.mail.reader import Mail

MAX_CHARACTERS: Final = 1_048_576
"""Of each text: more is not searched for words; what is longer is over the cap of the reader already."""
_STEMS: Final = orders.STEMS | lures.STEMS | lures.FEE_STEMS | lures.THREATS | TURNED


_USUAL: Final = re.compile(r"https?://([A-Za-z0-9.-]{1,253})(?::[0-9]{1,5})?(?:[/?#]|\Z)", re.I)
"""A web address as most are: ten times faster than taking it apart, and equal to that (tested)."""


@dataclass(frozen=True, slots=True)
class Target:
    """One link to the web: what it shows, and where it goes."""

    link: Link
    host: str
    has_userinfo: bool
    site: str
    """The registrable domain of the host, or the host itself."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A mail with what the looks need of it; `raw` keeps case and lines, the others are folded."""

    mail: Mail
    owner: str
    circle: Circle
    raw: str
    head: str
    shown: str
    hidden: str
    stems: frozenset[str]
    """Of all patterns, those that stand in `shown`."""
    hidden_stems: frozenset[str]
    packings: frozenset[str]
    """Kinds of packing that may be in `raw`, invisible characters among them."""
    targets: tuple[Target, ...]
    site: str
    """The registrable domain of the sender, or empty."""


def see(mails: Sequence[Mail], owner: str, circle: Circle) -> list[Seen]:
    """The mails to the mailbox `owner`, who knows `circle`, in the order given."""
    raws = [_raw(mail) for mail in mails]
    shown = [f" {plain(raw)}" for raw in raws]
    hidden = [f" {plain(text)}" if (text := mail.body.hidden_text[:MAX_CHARACTERS]) else "" for mail in mails]
    found = zip(stems_of(shown, _STEMS), stems_of(hidden, _STEMS), packings(raws), strict=True)
    texts = zip(mails, raws, shown, hidden, found, strict=True)
    return [_seen(owner, circle, *text) for text in texts]


def _raw(mail: Mail) -> str:
    body = mail.body
    text = (
        f"{mail.subject}\n{mail.sender.name}\n{body.text[:MAX_CHARACTERS]}\n{body.visible_html_text[:MAX_CHARACTERS]}"
    )
    return text if text.isascii() else text.encode("utf-8", "replace").decode()  # polars takes no lone surrogate


def _seen(
    owner: str,
    circle: Circle,
    mail: Mail,
    raw: str,
    shown: str,
    hidden: str,
    found: tuple[frozenset[str], frozenset[str], frozenset[str]],
) -> Seen:
    return Seen(
        mail=mail,
        owner=owner,
        circle=circle,
        raw=raw,
        head=plain(f"{mail.subject} {mail.sender.name}"),
        shown=shown,
        hidden=hidden,
        stems=found[0],
        hidden_stems=found[1],
        packings=found[2] if found[0].isdisjoint(TURNED) else found[2] | {"turned"},
        targets=tuple(_targets(mail.body.links)),
        site=site_of(mail.sender.domain or ""),
    )


def site_of(host: str) -> str:
    """The registrable domain of a host, or the host as it is where there is none."""
    return domains.registrable(host) or host


def _targets(links: Iterable[Link]) -> Iterator[Target]:
    for link in dict.fromkeys(links):
        usual = _USUAL.match(link.href)
        if usual is not None:
            host = usual.group(1).lower()
            yield Target(link, host, False, site_of(host))
        elif (parts := _split(link.href)) is not None and parts.scheme.startswith("http") and parts.hostname:
            yield Target(link, parts.hostname, parts.username is not None, site_of(parts.hostname))


def _split(href: str) -> SplitResult | None:
    """The parts of a link, or None when it is none; some hosts raise only when they are asked for."""
    try:
        parts = urlsplit(href.strip())
        return parts if parts.hostname is not None else None
    except ValueError:
        return None
