"""Whom the owner writes to, from the owner's own sent mail: whose names strangers would borrow.

Promises: the same for every message of a mailbox, so the screen of one message still depends on that message alone;
only mail that Gmail knows as SENT counts, never what a sender claims. Addresses, names and domains are canonical.

    circle_of(mails)      # Circle(addresses={'ann@vendor.example'}, names={'ann noor': ...}, ...)
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from pipeline.canonical import sha256_hex
from pipeline.mail import domains, lookalike
from pipeline.mail.address import Sender
from pipeline.mail.fold import fold, words
from pipeline.mail.message import Mail, Unreadable

_SHORTEST_NAME: Final = 2
"""Words: a first name alone is many people's."""
_SHORTEST_LOCAL: Final = 6
"""Shorter local parts are one letter from each other honestly."""
_SHORTEST_LABEL: Final = 5
_IN_PARENTHESES: Final = re.compile(r"\([^()]*\)")


@dataclass(frozen=True)
class Circle:
    """Correspondents of one owner; `names` has the folded display names and the addresses each was written under."""

    addresses: frozenset[str] = frozenset()
    names: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def sites(self) -> frozenset[str]:
        """Registrable domains of organisations written to; free mail says nothing about a person."""
        hosts = {address.rpartition("@")[2] for address in self.addresses}
        return frozenset(
            site for host in hosts if (site := domains.registrable(host)) and not domains.is_free_mail(site)
        )

    @cached_property
    def known_sites(self) -> lookalike.Known:
        """Those domains, ready to find imitations of."""
        return lookalike.index(sorted(self.sites))

    @cached_property
    def skeletons(self) -> dict[str, str]:
        """Skeleton of a free mailbox written to -> the address, for look-alikes of the part before the @."""
        free = (one for one in sorted(self.addresses) if domains.is_free_mail(one.rpartition("@")[2]))
        return {key: one for one in free if (key := mailbox_skeleton(one))}

    @cached_property
    def name_keys(self) -> dict[str, frozenset[str]]:
        """Names as they look, in whatever order, as they are kept where no name may stand -> the addresses."""
        found: dict[str, frozenset[str]] = {}
        for name, addresses in self.names.items():
            found[name_key(name)] = found.get(name_key(name), frozenset()) | addresses
        return found

    @cached_property
    def labels(self) -> dict[str, str]:
        """First label of an organisation's domain, without hyphens -> that domain."""
        return {label: site for site in sorted(self.sites) if len(label := first_label(site)) >= _SHORTEST_LABEL}

    @cached_property
    def free_mailboxes(self) -> tuple[tuple[str, str], ...]:
        """(local part without separators, provider) of the free mailboxes written to, but for short ones."""
        apart = (one.rpartition("@") for one in sorted(self.addresses))
        split = ((squeezed(local), host) for local, _, host in apart if domains.is_free_mail(host))
        return tuple((local, host) for local, host in split if len(local) >= _SHORTEST_LOCAL)

    def __hash__(self) -> int:
        return hash((self.addresses, tuple(sorted(self.names))))


NOBODY: Final = Circle()


def circle_of(mails: Iterable[Mail | Unreadable]) -> Circle:
    """The circle of a mailbox's owner from all its mail; the owner is in it who writes to themself."""
    return circle_from((one.address, one.name) for mail in mails for one in written_to(mail))


def circle_from(written: Iterable[tuple[str | None, str]]) -> Circle:
    """The circle from (address, display name) of everybody whom the owner wrote to."""
    addresses: set[str] = set()
    names: dict[str, set[str]] = {}
    for address, shown in written:
        name = fold(shown)
        if address is not None:
            addresses.add(address)
            if len(name.split()) >= _SHORTEST_NAME and "@" not in name:
                names.setdefault(name, set()).add(address)
    return Circle(frozenset(addresses), {name: frozenset(found) for name, found in sorted(names.items())})


def written_to(mail: Mail | Unreadable) -> tuple[Sender, ...]:
    """Whom the owner addressed in a message of their own; nobody in mail of others."""
    if isinstance(mail, Mail) and mail.label_ids is not None and "SENT" in mail.label_ids:
        return (*mail.to, *mail.cc)
    return ()


def name_key(shown: str) -> str:
    """What stands for a display name where only its equality counts: a digest of the name as it looks."""
    return sha256_hex(as_seen(fold(shown)).encode())


def mailbox_skeleton(address: str) -> str:
    """The local part as it looks, with the domain; empty when too short to tell an imitation from a neighbour."""
    local, _, domain = address.rpartition("@")
    return f"{lookalike.skeleton(local)}@{domain}" if len(local) >= _SHORTEST_LOCAL else ""


def as_seen(name: str) -> str:
    """A display name as it looks at a glance: `Berg, Tom (mobile)` as `Tom Berg`."""
    return " ".join(sorted(lookalike.skeleton(word) for word in words(_IN_PARENTHESES.sub(" ", name))))


def first_label(site: str) -> str:
    """The first label of a domain, without hyphens."""
    return squeezed(site.partition(".")[0])


def squeezed(text: str) -> str:
    """A local part or label without what separates its words."""
    return re.sub(r"[._+-]", "", text)
