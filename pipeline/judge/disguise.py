"""Whether a message pretends: to be somebody, to come from somewhere, to lead somewhere, to be a harmless file.

Promises: evidence ids only. Signs that honest mail shows too weigh little; `pipeline.judge.levels` says how much each
weighs and why, and adds them up.

    list(disguise_evidence(seen))     # ['link_to_number', 'lure', 'lure_leads_away']
"""

import base64
import ipaddress
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pipeline.judge import lures, schemes
from pipeline.judge.patterns import all_signs_in, has_sign, signs_in
from pipeline.judge.seen import Seen, Target
from pipeline.judge.senders import IMITATED, imitates, is_bait, sender_signs
from pipeline.mail import domains
from pipeline.mail.auth import FAILS
from pipeline.mail.fold import fold, words
from pipeline.mail.hosting import is_hosting, is_shortener
from pipeline.mail.packed import INVISIBLE

_DANGEROUS: Final = frozenset(
    {"exe", "scr", "com", "pif", "bat", "cmd", "ps1", "vbs", "vbe", "js", "jse", "wsf", "wsh", "hta", "lnk", "jar"}
    | {"msi", "msix", "reg", "iso", "img", "vhd", "cpl", "dll", "docm", "xlsm", "pptm", "xlam", "one", "appx", "apk"}
    | {"dmg", "pkg", "chm"}
)
_PAGES: Final = frozenset({"html", "htm", "shtml", "xhtml", "svg", "mht", "mhtml"})
_ARCHIVES: Final = frozenset({"zip", "rar", "7z", "gz", "cab", "ace", "arj"})
_OPENED: Final = ("invoice", "payment", "document", "sign in", "log in", "login", "password")
_SCRIPTS: Final = ("javascript:", "data:text", "vbscript:")
_SIGN_IN: Final = ("sign in", "log in", "verify your", "confirm your")
_TOLD_PASSWORD: Final = re.compile(r"\b(?:password|passwort|contrasena|mot de passe|senha)\W{1,4}(?:is\W+)?\w*\d")
_SHOWN_HOST: Final = re.compile(r"(?:https?://)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?:[/:?#]\S*)?\Z", re.I)
_NUMBER_IN_NAME: Final = re.compile(r"(?:\d{1,3}[.-]){3}\d{1,3}(?=[\w.-]*[a-z])|[a-z][\w.-]*(?:\d{1,3}[.-]){3}\d{1,3}")
_AT_HOME: Final = tuple(map(ipaddress.ip_network, ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
_VOUCHES: Final = frozenset({"pass", "bestguesspass", "temperror"})
_BROKEN: Final = re.compile("[A-Za-z][\u200b-\u200d\u2060\ufeff\u034f]+(?=[A-Za-z])")
_MANY_BROKEN: Final = 4
_MANY_FEE_WORDS: Final = 6
_MOST_FEE_WORDS: Final = 8
_SOME_FEE_WORDS: Final = 4
_MANY_THREATS: Final = 2
_LEAST_OWNER: Final = 8
_MANY_SITES: Final = 15
_FEW_CHARACTERS: Final = 80


def disguise_evidence(seen: Seen) -> Iterator[str]:
    """Evidence ids of pretence in one message."""
    yield from sender_signs(seen)
    yield from _authentication(seen)
    yield from _links(seen)
    yield from _wants(seen)
    yield from _attachments(seen)
    if INVISIBLE in seen.packings and len(_BROKEN.findall(seen.raw)) >= _MANY_BROKEN:
        yield "broken_words"


def _authentication(seen: Seen) -> Iterator[str]:
    """A DMARC pass outweighs a failed part: forwarding breaks SPF, lists break DKIM, honestly."""
    auth = seen.mail.auth
    if auth.dmarc == "pass":
        return
    failed = [name for name in ("dmarc", "spf", "dkim") if getattr(auth, name) in FAILS]
    if auth.is_unread and "dmarc" not in failed:
        yield "auth_unread"
    if failed:
        yield from _failures(seen, failed)
    elif auth.spf is not None and auth.spf not in _VOUCHES and auth.dkim != "pass" and not _is_listed(seen):
        yield "not_authenticated"


def _failures(seen: Seen, failed: list[str]) -> Iterator[str]:
    if _is_listed(seen):
        yield "fails_through_list"
    elif "dmarc" in failed:
        yield "dmarc_fail"
        if (
            seen.site
            and not domains.is_free_mail(seen.site)
            and domains.is_under(seen.owner.rpartition("@")[2], seen.site)
        ):
            yield "forges_own_domain"
    elif _is_vouched_for(seen):
        yield "fails_in_part"
    else:
        yield from (f"{name}_fail" for name in failed)


def _is_vouched_for(seen: Seen) -> bool:
    """Whether SPF or a signature passed for the very domain of the sender, as DMARC would ask if the domain had one."""
    auth, site = seen.mail.auth, seen.site
    return bool(site) and any(domains.is_under(one, site) for one in (auth.spf_domain, *auth.dkim_domains) if one)


def _is_listed(seen: Seen) -> bool:
    """Whether Gmail verified the domain that the List-Id names, by a signature or by the return path: a list says who

    it is, the sender's own signature is broken by its footer. A spoofer who runs such a list gains a mail that is never
    unsubscribed from.
    """
    list_site = domains.registrable(seen.mail.list_id or "")
    passed = (seen.mail.auth.spf_domain, *seen.mail.auth.dkim_domains)
    return list_site is not None and any(domains.is_under(one, list_site) for one in passed if one)


def _links(seen: Seen) -> Iterator[str]:
    signs = {target: tuple(_link_signs(target, seen)) for target in seen.targets}
    found = {sign for some in signs.values() for sign in some}
    if any(
        link.href[:11].lower().startswith(("javascript:", "data:text", "vbscript:")) for link in seen.mail.body.links
    ):
        found.add("link_to_script")
    if any(_is_strangers_mailbox(link.href, seen) for link in seen.mail.body.links):
        found.add("mail_link_to_free")
    if seen.targets and _is_picture(seen) and all(target.site != seen.site for target in seen.targets):
        found.add("picture_leads_away")
    if sum("link_to_number" in some for some in signs.values()) == 1 and _is_digest(seen):
        found = found - {"link_to_number"} | {"number_among_many"}
    yield from sorted(found)


def _is_digest(seen: Seen) -> bool:
    """Whether the mail links to the sites of many."""
    return len({target.site for target in seen.targets}) >= _MANY_SITES


def _is_strangers_mailbox(href: str, seen: Seen) -> bool:
    """A button that writes to a free mailbox, in the mail of an organisation."""
    address = href[7:].partition("?")[0].strip() if href[:7].lower() == "mailto:" else ""
    return domains.is_free_mail(address.rpartition("@")[2]) and not domains.is_free_mail(seen.site)


def _is_picture(seen: Seen) -> bool:
    """Whether a picture says what there is to say."""
    return "html_pictures" in seen.mail.body.defects and len(seen.shown) - len(seen.head) < _FEW_CHARACTERS


def _link_signs(target: Target, seen: Seen) -> Iterator[str]:
    yield from _host_signs(target.host)
    if target.has_userinfo:
        yield "link_with_userinfo"
    if target.site != seen.site:
        if is_bait(target.site):
            yield "link_to_bait"
        if _names_owner(target.link.href, seen.owner):
            yield "link_names_owner"
        if _shows_another(target, seen):
            yield "link_shows_another_host"


@lru_cache(maxsize=8_192)
def _host_signs(host: str) -> tuple[str, ...]:
    """What the host alone says; a newsletter's links share a few."""
    signs = {
        "link_to_number": _is_address_literal(host) or _NUMBER_IN_NAME.search(host) is not None,
        "link_lookalike": imitates(host, ""),
        "link_to_shortener": is_shortener(host),
        "link_to_hosting": is_hosting(host),
    }
    return tuple(name for name, holds in signs.items() if holds)


def _is_address_literal(host: str) -> bool:
    """A machine's number, in any spelling; those of one's own network stand in technical mail and lead nowhere else."""
    try:
        found = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return host.isdigit() or host.startswith("0x")
    return not any(found in network for network in _AT_HOME if network.version == found.version)


def _names_owner(href: str, owner: str) -> bool:
    """The owner's address as it is or in base64; unsubscribe links carry it too, so the sign is weak."""
    if len(owner) < _LEAST_OWNER:
        return False
    low = href.lower().replace("%40", "@")
    return owner in low or base64.b64encode(owner.encode())[:-4].decode() in href


def _shows_another(target: Target, seen: Seen) -> bool:
    """The strong form only: a shown host that neither target nor sender owns, that name or subject claims, and a

    reason to sign in. Trackers make shown and real hosts differ in most honest newsletters.
    """
    shown = _SHOWN_HOST.match(target.link.text.strip())
    claimed = domains.registrable(shown.group(1)) if shown is not None else None
    if claimed is None or claimed in (target.site, seen.site):
        return False
    if claimed.partition(".")[0] not in "".join(words(seen.head)):
        return False
    return claimed in IMITATED or any(
        word in seen.shown for word in ("sign in", "log in", "verify your", "confirm your")
    )


def _wants(seen: Seen) -> Iterator[str]:
    """What it asks for, and whether it leads to the sender at all."""
    if has_sign("lure", seen.shown, lures.PATTERNS, seen.stems):
        yield "lure"
        if has_sign("impersonal", seen.shown, lures.PATTERNS, seen.stems):
            yield "impersonal"
        if has_sign("pressure", seen.shown, lures.PATTERNS, seen.stems):
            yield from signs_in(seen.shown, lures.PATTERNS, seen.stems) & {"pressure"}
        if seen.targets and seen.site and all(target.site != seen.site for target in seen.targets):
            yield "lure_leads_away"
    yield from sorted(all_signs_in(seen.shown, schemes.PATTERNS, seen.stems))
    yield from _fortune(len(seen.stems & lures.FEE_STEMS))
    if len(seen.stems & lures.THREATS) >= _MANY_THREATS and lures.COIN.search(seen.raw):
        yield "extortion"


def _fortune(count: int) -> Iterator[str]:
    """Of the words of a stranger's fortune; both signs for a text that is made of them."""
    if count >= _MANY_FEE_WORDS:
        yield "advance_fee"
    if _SOME_FEE_WORDS <= count < _MANY_FEE_WORDS or count >= _MOST_FEE_WORDS:
        yield "fortune"


def _attachments(seen: Seen) -> Iterator[str]:
    endings = [fold(part.filename).split(".") for part in seen.mail.body.attachments]
    last = {names[-1] for names in endings if len(names) > 1}
    if last & _DANGEROUS:
        yield "attachment_executable"
    if last & _PAGES and any(word in seen.shown for word in _OPENED):
        yield "attachment_page"
    if last & _ARCHIVES and _TOLD_PASSWORD.search(seen.shown):
        yield "attachment_locked"
