"""Domains compared by whole labels in one spelling; no substring ever matches a domain.

Promises: letter case, one trailing dot, full-width letters and Unicode against punycode do not
matter; everything else does. The public suffix list is the bundled one, read offline.

>>> canonical("MÜNCHEN.Example.")
'xn--mnchen-3ya.example'
>>> is_equal("evilpaypal.example", "paypal.example")
False
>>> is_under("mail.paypal.example", "paypal.example")
True
>>> registrable("news.shop.example.co.uk")
'example.co.uk'
"""

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_MAX_DOMAIN: Final = 253
_MAX_LABEL: Final = 63
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\Z")
_DOTS: Final = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": "."})
# IDNA 2008 keeps these apart from the letters IDNA 2003 mapped them to: they name other domains.
_DEVIATIONS: Final = "\u00df\u03c2"
_NAMES: Final = (
    "aol fastmail gmail gmx googlemail hotmail icloud inbox laposte libero live mac mail mailbox me msn"
    " naver orange outlook pm posteo proton protonmail qq rediffmail rocketmail seznam sina sohu t-online"
    " tutanota tuta virgilio wanadoo web yahoo yandex yeah ymail zoho 126 139 163 188"
)
_FREE_MAIL_NAMES: Final = frozenset(_NAMES.split())
_OTHERS: Final = (
    "att.net bellsouth.net bigpond.com bluewin.ch btinternet.com bt.com charter.net comcast.net cox.net"
    " daum.net duck.com earthlink.net free.fr freenet.de hanmail.net hey.com hushmail.com juno.com"
    " mail.ru bk.ru list.ru interia.pl o2.pl onet.pl wp.pl optonline.net rambler.ru rogers.com sbcglobal.net"
    " sfr.fr shaw.ca sky.com telenet.be tiscali.it uol.com.br bol.com.br verizon.net virginmedia.com"
    " ukr.net ziggo.nl kpnmail.nl home.nl"
)
_FREE_MAIL_OTHERS: Final = frozenset(_OTHERS.split())


@lru_cache(maxsize=16_384)
def canonical(domain: str) -> str | None:
    """The lower-case A-label spelling, or None when the text is no domain name (an IP literal is none)."""
    if not domain or len(domain) > _MAX_DOMAIN + 1:
        return None
    text = domain.strip().translate(_DOTS).removesuffix(".")
    labels = [_label(label) for label in text.split(".")]
    if None in labels or labels[-1] is None or labels[-1].isdigit():
        return None
    joined = ".".join(label for label in labels if label is not None)
    return joined if len(joined) <= _MAX_DOMAIN else None


def _label(label: str) -> str | None:
    """One label in its A-label spelling; an xn-- label stays as written, so a forged one equals nothing."""
    if not label.isascii():
        label = _to_a_label(label)
    label = label.lower()
    return label if len(label) <= _MAX_LABEL and _LABEL.match(label) else None


def _to_a_label(label: str) -> str:
    """Punycode of the mapped label, or an empty text when it holds something no label may hold."""
    mapped = _mapped(label)
    if mapped.isascii():
        return mapped
    if not all(c == "-" or unicodedata.category(c)[0] in "LNM" for c in mapped):
        return ""
    try:
        return "xn--" + mapped.encode("punycode").decode("ascii")
    except UnicodeError:
        return ""


def _mapped(label: str) -> str:
    folded = "".join(c if c in _DEVIATIONS else c.casefold() for c in unicodedata.normalize("NFKC", label))
    return unicodedata.normalize("NFKC", folded)


@cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList  # 30 ms to read: only for who asks

    return PublicSuffixList()


@lru_cache(maxsize=16_384)
def registrable(domain: str) -> str | None:
    """The public suffix and one label more, canonical; None for a bare suffix, one label, or no domain."""
    name = canonical(domain)
    if name is None:
        return None
    found: str | None = _suffixes().privatesuffix(name)
    return found


def is_equal(sender_domain: str | None, rule_domain: str) -> bool:
    """Whether both name exactly the same domain; unknown equals nothing."""
    if sender_domain is None:
        return False
    name = canonical(sender_domain)
    return name is not None and name == canonical(rule_domain)


def is_under(sender_domain: str | None, rule_domain: str) -> bool:
    """Whether the sender's domain is the rule's domain or lies below it, by whole labels."""
    if sender_domain is None:
        return False
    name, parent = canonical(sender_domain), canonical(rule_domain)
    if name is None or parent is None:
        return False
    return name == parent or name.endswith("." + parent)


def is_free_mail(domain: str | None) -> bool:
    """Whether anyone can open a mailbox there: such a domain says nothing about the sender."""
    name = canonical(domain) if domain else None
    if name is None:
        return False
    if name in _FREE_MAIL_OTHERS:
        return True
    return name == registrable(name) and name.partition(".")[0] in _FREE_MAIL_NAMES


def to_unicode(domain: str) -> str:
    """The domain as a person would read it: valid punycode labels decoded, others as they are."""
    return ".".join(_decoded_label(label) for label in domain.split("."))


def _decoded_label(label: str) -> str:
    if not label.lower().startswith("xn--") or len(label) > _MAX_LABEL:
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError, OverflowError):
        return label
