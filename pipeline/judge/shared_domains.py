"""Domains under which strangers share: a rule on one of them would mean anybody.

Free mail is `domains.is_free_mail`; here are public suffixes, the addresses that forward to a person's own, lists and
groups, and the market places and code hosts through which people write.

>>> what_is_shared("co.uk", is_under=True)
'a public suffix: it holds the domains of strangers'
>>> what_is_shared("jobly.example", is_under=True)
''
"""

from typing import Final

from pipeline.mail import domains


def _domains(text: str) -> frozenset[str]:
    return frozenset(text.split())


FORWARDING: Final = _domains(
    """
    privaterelay.appleid.com users.noreply.github.com reply.github.com relay.firefox.com mozmail.com simplelogin.com
    simplelogin.co simplelogin.fr slmail.me aleeas.com 8alias.com anonaddy.me anonaddy.com addy.io passmail.net
    passinbox.com pobox.com forwardemail.net cloaked.id googlegroups.com groups.io yahoogroups.com freelists.org
    simplelists.com reply.craigslist.org sale.craigslist.org marketplace.amazon.com marketplace.amazon.co.uk
    marketplace.amazon.de members.ebay.com reply.airbnb.com guest.booking.com mail.kleinanzeigen.de
    aim.com email.com usa.net cs.com netscape.net lycos.com excite.com consultant.com engineer.com europe.com
    post.com writeme.com myself.com iname.com techie.com accountant.com cheerful.com fastmail.fm hushmail.me
    runbox.com startmail.com disroot.org riseup.net mailfence.com zohomail.eu skiff.com ctemplar.com arcor.de
    blueyonder.co.uk ntlworld.com talktalk.net btopenworld.com orange.fr neuf.fr numericable.fr skynet.be
    telefonica.net alice.it tin.it chello.at chello.nl xs4all.nl planet.nl telia.com online.no centrum.cz volny.cz
    abv.bg inbox.lv walla.co.il windowslive.com passport.com frontier.com windstream.net mindspring.com
    """
)
"""Where people have addresses, or are written from, that say nothing of who they are."""


def what_is_shared(domain: str, *, is_under: bool) -> str:
    """Why the domain (and with `is_under` what lies below it) means anybody, or an empty string."""
    if "." in domain and domains.registrable(domain) is None:
        return "a public suffix: it holds the domains of strangers"
    if any(domains.is_free_mail(one) for one in (domain, domains.registrable(domain))):
        return "a free-mail domain: anybody can have an address there"
    if any(domains.is_under(domain, one) or (is_under and domains.is_under(one, domain)) for one in FORWARDING):
        return "a domain that forwards for strangers, or gives them addresses"
    return ""
