"""Whether a sender stands where a correspondent or the owner stands: their name, mailbox or domain, or one close by.

Promises: evidence ids only. What only looks the same is one matter; what lies beside it (another ending, a word more,
one letter in a free mailbox) honest people have too, and weighs little alone.

    list(borrowed_signs(seen, "ann@northwind-hr.example"))     # ['correspondent_neighbour']
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from pipeline.judge.seen import Seen
from pipeline.mail import domains, lookalike
from pipeline.mail.address import mailbox_key, same_mailbox
from pipeline.mail.circle import Circle, first_label, mailbox_skeleton, name_key, squeezed
from pipeline.mail.fold import fold

_LONG: Final = 7
"""Letters from which a label counts as a part of another one."""
_SHORTEST_LOCAL: Final = 6
_RESERVED: Final = frozenset({"example.com", "example.net", "example.org"})
"""For documentation, all of one owner: no neighbours of each other."""
_COMMON: Final = frozenset(
    {"careers", "recruit", "recruiting", "recruitment", "support", "service", "services", "company", "consult"}
    | {"consulting", "solutions", "systems", "digital", "college", "university", "software", "capital", "partners"}
    | {"holding", "holdings", "network", "networks", "talent", "hosting", "country", "village", "internet"}
)


def borrowed_signs(seen: Seen, address: str) -> Iterator[str]:
    """Evidence ids from how near a sender's address comes to the owner's and to correspondents'."""
    if not same_mailbox(address, seen.owner):
        yield from _owner(seen, address)
    elif _is_forged(seen):
        yield "claims_owner"
    yield from correspondent_signs(seen.circle, address, seen.site, name_key(seen.mail.sender.name))


def correspondent_signs(circle: Circle, address: str, site: str, name: str) -> Iterator[str]:
    """Evidence ids that only whoever knows the owner's correspondents can see; `name` is a `name_key`."""
    if not circle.addresses or _is_known(circle.addresses, address):
        return
    host = address.rpartition("@")[2]
    is_alike = circle.skeletons.get(mailbox_skeleton(address)) is not None
    if is_alike or (site not in circle.sites and circle.known_sites.find(host) is not None):
        yield "correspondent_lookalike"
    elif (site not in circle.sites and _is_beside(site, circle.labels)) or _is_next_door(circle, address, site):
        yield "correspondent_neighbour"
    known = circle.name_keys.get(name, frozenset())
    if known and (domains.is_free_mail(site) or all(one.rpartition("@")[2] != host for one in known)):
        yield "correspondent_elsewhere"


def spells_owner(name: str, owner: str) -> bool:
    """Whether a display name writes the owner's address out: mara at example.com."""
    return bool(owner) and " at" in name.replace("(", " ") and _spelled(owner).search(fold(name)) is not None


@lru_cache(maxsize=64)
def _spelled(owner: str) -> re.Pattern[str]:
    local, _, domain = owner.rpartition("@")
    return re.compile(rf"(?<!\w){re.escape(local)}\W{{1,3}}at\W{{1,3}}{re.escape(domain)}(?!\w)")


def _is_forged(seen: Seen) -> bool:
    """The owner's own address on mail that Gmail does not know as sent, and that no DMARC pass covers."""
    labels = seen.mail.label_ids
    is_sent = labels is None or bool({"SENT", "DRAFT"}.intersection(labels))
    return not is_sent and seen.mail.auth.dmarc != "pass"


def _owner(seen: Seen, address: str) -> Iterator[str]:
    local, _, host = address.rpartition("@")
    own_local, _, own_host = seen.owner.rpartition("@")
    if len(own_local) < _SHORTEST_LOCAL:
        is_alike = is_near = False
    else:
        is_alike = local != own_local and lookalike.skeleton(local) == lookalike.skeleton(own_local)
        is_near = host == own_host and lookalike.is_one_slip(squeezed(local), squeezed(own_local))
    if is_alike and squeezed(local) != squeezed(own_local):
        yield "owner_lookalike"
    elif is_near or _is_beside(seen.site, _own_label(own_host)):
        yield "owner_neighbour"


@lru_cache(maxsize=64)
def _own_label(host: str) -> Mapping[str, str]:
    site = domains.registrable(host)
    return {} if site is None or domains.is_free_mail(site) else {first_label(site): site}


def _is_next_door(circle: Circle, address: str, site: str) -> bool:
    """One slip from a free mailbox at the same provider, or the same one at a provider of nearly that name."""
    local, _, host = address.rpartition("@")
    own, label = squeezed(local), host.partition(".")[0]
    return domains.is_free_mail(site) and any(
        (host == other and lookalike.is_one_slip(own, known))
        or (own == known and (host == other) != (label == other.partition(".")[0]))
        or (own == known and host == other)
        for known, other in circle.free_mailboxes
    )


def _is_beside(site: str, labels: Mapping[str, str]) -> bool:
    """Whether a domain has the first label of one of these under another ending, or with more words around it."""
    if not labels or domains.is_free_mail(site):
        return False
    own = first_label(site)
    others = {labels.get(own)} | {labels.get(part) for part in _parts(own, site) if part not in _COMMON}
    return any(other not in (None, site) and not {other, site} <= _RESERVED for other in others)


def _parts(label: str, site: str) -> Iterator[str]:
    """Long beginnings and ends of a label, and its words."""
    yield from (word for word in site.partition(".")[0].split("-") if len(word) >= _LONG)
    for length in range(_LONG, len(label)):
        yield label[:length]
        yield label[-length:]


def _is_known(addresses: frozenset[str], address: str) -> bool:
    key = mailbox_key(address)
    return address in addresses or any(mailbox_key(one) == key for one in addresses if "gmail" in one)
