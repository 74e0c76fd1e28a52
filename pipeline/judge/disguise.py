"""Whether a message pretends: to be somebody, to come from somewhere, to lead somewhere, to be a harmless file.

Promises: evidence ids only. Signs that honest mail shows too (Reply-To elsewhere, a tracker behind a link, a domain in
a display name) are not used alone; see the reasons at each sign.

    list(disguise_evidence(mail, "mara@example.com"))     # ['name_holds_address'] for "a@bank.example" <x@drop.example>
"""

import ipaddress
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from urllib.parse import SplitResult, urlsplit

from pipeline.mail import domains, lookalike
from pipeline.mail.address import same_mailbox
from pipeline.mail.fold import fold, has_invisible_runs, words
from pipeline.mail.html import Link
from pipeline.mail.reader import Mail

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
_DANGEROUS: Final = frozenset(
    {"exe", "scr", "com", "pif", "bat", "cmd", "ps1", "vbs", "vbe", "js", "jse", "wsf", "wsh", "hta", "lnk", "jar"}
    | {"msi", "msix", "reg", "iso", "img", "vhd", "cpl", "dll", "docm", "xlsm", "pptm", "xlam", "one", "appx", "apk"}
    | {"dmg", "pkg", "chm"}
)
_LURES: Final = (
    *("verify your", "confirm your", "update your", "your account", "log in", "login", "sign in", "password"),
    *("suspended", "unusual activity", "limited your"),
)
_PAGES: Final = frozenset({"html", "htm", "shtml", "xhtml", "svg", "mht", "mhtml"})
_SHOWN_HOST: Final = re.compile(r"(?:https?://)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?:[/:?#]\S*)?\Z", re.I)
_FAILS: Final = frozenset({"fail", "hardfail"})


def disguise_evidence(mail: Mail, owner: str) -> Iterator[str]:
    """Evidence ids of pretence in one message to the mailbox `owner`."""
    yield from _sender(mail, owner)
    yield from _authentication(mail)
    yield from _links(mail)
    yield from _attachments(mail)


def _sender(mail: Mail, owner: str) -> Iterator[str]:
    if "name_holds_address" in mail.sender.defects:
        yield "name_holds_address"
    if any(has_invisible_runs(text) for text in (mail.subject, mail.sender.name, mail.body.text)):
        yield "invisible_run"
    if lookalike.has_mixed_scripts(mail.sender.name):
        yield "name_mixes_scripts"
    if mail.sender.domain is None:
        return
    if _imitates(mail.sender.domain, owner.rpartition("@")[2]):
        yield "domain_lookalike"
    if _claims_owner(mail, owner):
        yield "claims_owner"


def _imitates(domain: str, owner_domain: str) -> bool:
    """Mixed alphabets, or a known name one slip away; providers such as mail.com are nobody's imitation."""
    if lookalike.has_mixed_scripts(domains.to_unicode(domain)):
        return True
    return not domains.is_free_mail(domains.registrable(domain)) and _known(owner_domain).find(domain) is not None


@lru_cache(maxsize=64)
def _known(owner_domain: str) -> lookalike.Known:
    own = () if not owner_domain or domains.is_free_mail(owner_domain) else (owner_domain,)
    return lookalike.index((*own, *IMITATED))


def _claims_owner(mail: Mail, owner: str) -> bool:
    """The owner's own address on mail that Gmail does not know as sent, and that no DMARC pass covers."""
    is_sent = mail.label_ids is None or bool({"SENT", "DRAFT"}.intersection(mail.label_ids))
    return not is_sent and mail.auth.dmarc != "pass" and same_mailbox(mail.sender.address, owner)


def _authentication(mail: Mail) -> Iterator[str]:
    """A DMARC pass outweighs a failed part: forwarding breaks SPF, lists break DKIM, honestly."""
    if mail.auth.dmarc in _FAILS:
        yield "dmarc_fail"
    elif mail.auth.dmarc != "pass":
        yield from ("spf_fail",) if mail.auth.spf in _FAILS else ()
        yield from ("dkim_fail",) if mail.auth.dkim in _FAILS else ()


def _links(mail: Mail) -> Iterator[str]:
    found = {sign for link in mail.body.links for sign in _link_signs(link, mail)}
    yield from sorted(found)


def _link_signs(link: Link, mail: Mail) -> Iterator[str]:
    parts = _split(link.href)
    if parts is None or not parts.scheme.startswith("http") or not (host := parts.hostname):
        return
    yield from _host_signs(host)
    if parts.username is not None:
        yield "link_with_userinfo"
    if _shows_another(link.text, host, mail):
        yield "link_shows_another_host"


@lru_cache(maxsize=8_192)
def _host_signs(host: str) -> tuple[str, ...]:
    """What the host alone says; a newsletter's links share a few."""
    number = ("link_to_number",) if _is_address_literal(host) else ()
    return (*number, "link_lookalike") if _imitates(host, "") else number


def _split(href: str) -> SplitResult | None:
    """The parts of a link, or None when it is none; some hosts raise only when they are asked for."""
    try:
        parts = urlsplit(href.strip())
        return parts if parts.hostname is not None else None
    except ValueError:
        return None


def _is_address_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return host.isdigit() or host.startswith("0x")
    return True


def _shows_another(text: str, host: str, mail: Mail) -> bool:
    """The strong form only: a shown host that neither target nor sender owns, that name or subject claims, and a

    reason to sign in. Trackers make shown and real hosts differ in most honest newsletters.
    """
    shown = _SHOWN_HOST.match(text.strip())
    if shown is None:
        return False
    claimed = domains.registrable(shown.group(1))
    others = {domains.registrable(host), domains.registrable(mail.sender.domain or "")}
    if claimed is None or claimed in others:
        return False
    if claimed.partition(".")[0] not in "".join(words(f"{mail.sender.name} {mail.subject}")):
        return False
    return claimed in IMITATED or any(lure in _said(mail) for lure in _LURES)


def _attachments(mail: Mail) -> Iterator[str]:
    endings = [fold(part.filename).split(".") for part in mail.body.attachments]
    if any(names[-1] in _DANGEROUS for names in endings if len(names) > 1):
        yield "attachment_executable"
    if any(names[-1] in _PAGES for names in endings if len(names) > 1) and _asks_to_open(mail):
        yield "attachment_page"


def _asks_to_open(mail: Mail) -> bool:
    """An HTML file alone is common and honest; one that stands in for a sign-in or a payment is not."""
    return any(word in _said(mail) for word in (*_LURES, "invoice", "payment", "document"))


def _said(mail: Mail) -> str:
    return fold(f"{mail.subject} {mail.body.text} {mail.body.visible_html_text}")
