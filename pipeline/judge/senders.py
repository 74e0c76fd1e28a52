"""Whether a sender pretends to be somebody: a brand, a correspondent, the owner, an office on a free mailbox.

Promises: evidence ids only; what honest senders do too (a brand's name at a hiring system, answers elsewhere) weighs
little alone.

    list(sender_signs(seen))     # ['name_holds_address'] for "a@bank.example" <x@drop.example>
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pipeline.judge import brands
from pipeline.judge.borrowed import borrowed_signs, spells_owner
from pipeline.judge.lures import LURE_WORDS
from pipeline.judge.seen import Seen
from pipeline.mail import domains, lookalike
from pipeline.mail.address import same_mailbox
from pipeline.mail.fold import fold, has_invisible_runs, word_set, words
from pipeline.mail.hosting import is_hosting
from pipeline.mail.packed import INVISIBLE

# Names that phishing imitates most, by public yearly reports. Only to notice imitations of them, never to trust them.
# Names of four letters and less are left out: half the honest domains are one letter away from them.
IMITATED: Final = (
    *("paypal.com", "google.com", "gmail.com", "microsoft.com", "microsoftonline.com", "office.com", "outlook.com"),
    *("apple.com", "icloud.com", "amazon.com", "amazon.de", "amazon.co.uk", "netflix.com", "facebook.com"),
    *("instagram.com", "whatsapp.com", "linkedin.com", "indeed.com", "glassdoor.com", "dropbox.com", "docusign.com"),
    *("docusign.net", "adobe.com", "fedex.com", "chase.com"),
    *("wellsfargo.com", "bankofamerica.com", "citibank.com", "barclays.co.uk", "santander.com"),
    *("coinbase.com", "binance.com", "github.com", "stripe.com", "booking.com", "airbnb.com"),
    *("steampowered.com", "spotify.com"),
)
_ADDRESS: Final = re.compile(r"[^\s@\"'<>()\[\],;:]+@([^\s@\"'<>()\[\],;:]+\.[^\s@\"'<>()\[\],;:]+)")
_DOMAIN: Final = re.compile(r"(?<![@\w.-])(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12}(?![\w@-])")
_OFFICE: Final = frozenset(
    {"support", "service", "services", "helpdesk", "security", "billing", "admin", "administrator"}
    | {"bank", "customer", "notification", "notifications", "accounts", "department", "team"}
    | {"verification", "alert", "alerts", "payroll", "delivery", "webmail", "mailbox", "refund", "lottery"}
    | {"foundation"}
)
_BAIT: Final = word_set(
    """
    account accounts alert alerts auth bill billing bonus claim confirm helpdesk identity invite loan login mailadmin
    notify pay payment payroll portal prize recovery redelivery refund relief renewal reward rewards secure security
    signin sso support survey unlock update validate verification verify wallet webmail winner
    """
)
_TOKENS: Final = re.compile(r"[\w$|!]{2,30}")
_SHORT_SWAPS: Final = frozenset({"log", "login", "id", "email", "bill", "billing"})
_SHORTEST: Final = 5
_KNOWN_WORDS: Final = LURE_WORDS | brands.WORDS | _SHORT_SWAPS


def sender_signs(seen: Seen) -> Iterator[str]:
    """Evidence ids from the From and Reply-To of one message, and from how its head is written."""
    sender = seen.mail.sender
    if ("name_holds_address" in sender.defects and _holds_foreign_address(sender.name, seen.site)) or (
        spells_owner(sender.name, seen.owner) and not same_mailbox(sender.address, seen.owner)
    ):
        yield "name_holds_address"
    texts = (seen.mail.subject, sender.name, seen.mail.body.text) if INVISIBLE in seen.packings else ()
    if any(map(has_invisible_runs, texts)):
        yield "invisible_run"
    if lookalike.has_mixed_scripts(sender.name):
        yield "name_mixes_scripts"
    if _is_disguised(f"{seen.mail.subject} {sender.name}"):
        yield "disguised_word"
    if sender.domain is not None and sender.address is not None:
        yield from _borrowed(seen, sender.domain, sender.address)
        yield from _reply(seen, sender.address)


def _borrowed(seen: Seen, domain: str, address: str) -> Iterator[str]:
    if imitates(domain, seen.owner.rpartition("@")[2]) or brands.brand_alike(seen.site) is not None:
        yield "domain_lookalike"
    yield from borrowed_signs(seen, address)
    yield from _brand(seen, address)
    name = fold(seen.mail.sender.name)
    if any(site != seen.site for site in _sites_in(name)):
        yield "name_claims_domain"
    if domains.is_free_mail(seen.site) and _OFFICE.intersection(words(name)):
        yield "office_on_free_mail"
    if is_bait(seen.site):
        yield "bait_domain"
    if is_hosting(domain):
        yield "sender_on_hosting"


def _brand(seen: Seen, address: str) -> Iterator[str]:
    if brands.brand_in(fold(seen.mail.sender.name), seen.site) is not None:
        yield "name_claims_brand"
    if brands.brand_worn(seen.site) is not None:
        yield "domain_wears_brand"
    elif _wears(address, seen.site):
        yield "address_claims_brand"
    elif brands.is_plain_word_worn(fold(seen.mail.sender.name), seen.site):
        yield "plain_word_worn"


def _wears(address: str, site: str) -> bool:
    """Whether local part or sub-domain name a brand that the registrable domain is not of."""
    local, _, host = address.rpartition("@")
    return (
        brands.brand_in(fold(f"{local} {host.removesuffix(site)}").replace(".", " ").replace("-", " "), site)
        is not None
    )


def is_bait(site: str) -> bool:
    """Whether the first label joins a name with what a page to sign in or to pay at is called: harbour-login."""
    parts = site.partition(".")[0].split("-")
    return len(parts) > 1 and not _BAIT.isdisjoint(parts)


def _sites_in(name: str) -> set[str]:
    """Registrable domains that a display name shows outside of addresses."""
    if "." not in name:
        return set()
    return {site for found in _DOMAIN.findall(name) if (site := domains.registrable(found))}


def _holds_foreign_address(name: str, site: str) -> bool:
    """Whether the name shows an address of another organisation; `a.b@corp` for somebody at corp is honest."""
    hosts = _ADDRESS.findall(fold(name))
    return any((domains.registrable(host.strip(".")) or host) != site for host in hosts)


def imitates(domain: str, owner_domain: str) -> bool:
    """Mixed alphabets, or a known name one slip away; providers such as mail.com are nobody's imitation."""
    if lookalike.has_mixed_scripts(domains.to_unicode(domain)):
        return True
    return not domains.is_free_mail(domains.registrable(domain)) and _known(owner_domain).find(domain) is not None


@lru_cache(maxsize=64)
def _known(owner_domain: str) -> lookalike.Known:
    own = () if not owner_domain or domains.is_free_mail(owner_domain) else (owner_domain,)
    return lookalike.index((*own, *IMITATED))


def _reply(seen: Seen, address: str) -> Iterator[str]:
    """Answers to a free mailbox of another name; a list or a form that writes for a person does that too."""
    for other in seen.mail.reply_to:
        if (
            other.address is not None
            and domains.is_free_mail(other.domain)
            and not same_mailbox(other.address, address)
        ):
            yield "reply_to_other_mailbox" if domains.is_free_mail(seen.site) else "reply_elsewhere"
            return


def _is_disguised(text: str) -> bool:
    """A lure or brand in letters that only look the same: Iog in, PayPaI, 0ffice365, υniswap."""
    return any(_is_swapped(token) or _is_alike(token) for token in _TOKENS.findall(text))


def _is_swapped(token: str) -> bool:
    if "I" not in token and "l" not in token:
        return False
    if token.lower() in _KNOWN_WORDS:
        return False
    return token.replace("I", "l").lower() in _KNOWN_WORDS or token.replace("l", "I", 1).lower() in _KNOWN_WORDS


def _is_alike(token: str) -> bool:
    folded = fold(token)
    if len(folded) < _SHORTEST or (folded.isascii() and folded.isalpha()):
        return False
    return folded not in _skeletons().values() and lookalike.skeleton(folded) in _skeletons()


@lru_cache(maxsize=1)
def _skeletons() -> dict[str, str]:
    return {lookalike.skeleton(word): word for word in sorted(LURE_WORDS | brands.WORDS) if len(word) >= _SHORTEST}
