"""Names that phishing borrows most, and the domains that may use them. To notice imitation, never to trust.

Promises: data and one question. Names that are also plain words or people's names (chase, indeed, steam, zoom) are left
out: they would hold honest mail.

>>> brand_in("paypal customer service", "paypal-desk.example"), brand_in("paypal", "paypal.de")
('paypal', None)
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pipeline.mail import lookalike
from pipeline.mail.domains import to_unicode

# A brand's own label (paypal.com, paypal.de) need not be listed; other domains that it sends from are.
_LISTED: Final = """
    paypal          | paypal-communication.com paypalobjects.com
    ebay            | ebaydesc.com
    amazon          | amazonaws.com amazonses.com audible.com primevideo.com
    amazon prime    | amazon.com amazon.de amazon.co.uk amazon.fr
    microsoft       | microsoftonline.com office.com office365.com outlook.com live.com xbox.com sharepoint.com
    microsoft 365   | microsoft.com microsoftonline.com office.com office365.com sharepoint.com
    office 365      | microsoft.com microsoftonline.com office.com office365.com sharepoint.com
    office365       | microsoft.com microsoftonline.com office.com sharepoint.com
    onedrive        | microsoft.com live.com sharepoint.com sharepointonline.com
    sharepoint      | microsoft.com sharepointonline.com
    outlook         | microsoft.com live.com
    google          | youtube.com gmail.com googlemail.com withgoogle.com googleapis.com
    gmail           | google.com googlemail.com
    apple           | icloud.com itunes.com
    apple id        | apple.com icloud.com
    icloud          | apple.com
    itunes          | apple.com
    facebook        | facebookmail.com fb.com meta.com metamail.com
    instagram       | facebookmail.com meta.com
    whatsapp        | facebookmail.com meta.com
    linkedin        | licdn.com
    twitter         | x.com
    tiktok          | bytedance.com
    telegram        | telegram.me
    netflix         |
    spotify         | spotifymail.com
    disney+         | disneyplus.com disney.com
    disney plus     | disneyplus.com disney.com
    dropbox         | dropboxmail.com dropbox-mail.com
    docusign        |
    adobe           | adobesign.com echosign.com
    wetransfer      |
    godaddy         | secureserver.net
    norton          | nortonlifelock.com gendigital.com
    mcafee          |
    geek squad      | geeksquad.com bestbuy.com
    proton.me       | protonmail.com
    protonmail      | proton.me
    coinbase        |
    binance         |
    metamask        |
    uniswap         |
    opensea         |
    trust wallet    | trustwallet.com
    trustwallet     |
    trezor          |
    blockchain.com  |
    crypto.com      |
    walletconnect   | walletconnect.com walletconnect.network
    dhl             | deutschepost.de
    fedex           |
    usps            |
    ups             | upsemail.com
    royal mail      | royalmail.com
    hermes          | hermesworld.com myhermes.co.uk
    la poste        | laposte.fr laposte.net
    correos         |
    poste italiane  | poste.it posteitaliane.it
    mercado livre   | mercadolivre.com.br
    mercado pago    | mercadopago.com mercadopago.com.br
    bradesco        | bradesco.com.br
    livelo          | pontoslivelo.com.br
    nubank          | nubank.com.br
    itau            | itau-unibanco.com.br
    serasa          | serasaexperian.com.br
    caixa economica | caixa.gov.br
    banco do brasil | bb.com.br
    santander       |
    bbva            |
    caixabank       |
    intesa sanpaolo | intesasanpaolo.com
    unicredit       |
    credit agricole | credit-agricole.fr
    bnp paribas     | bnpparibas.com bnpparibas
    societe generale | socgen.com societegenerale.fr
    sparkasse       |
    volksbank       | vr.de
    postbank        |
    commerzbank     |
    deutsche bank   | db.com deutsche-bank.de
    rabobank        |
    abn amro        | abnamro.nl abnamro.com
    barclays        |
    hsbc            |
    lloyds bank     | lloydsbank.co.uk lloydsbank.com
    natwest         |
    wells fargo     | wellsfargo.com
    bank of america | bankofamerica.com bofa.com
    citibank        | citi.com
    american express | americanexpress.com aexp.com
    mastercard      |
    capital one     | capitalone.com
    western union   | westernunion.com
    moneygram       |
    walmart         |
    costco          |
    home depot      | homedepot.com
    dewalt          | stanleyblackanddecker.com
    aliexpress      | alibaba.com
    booking.com     |
    github          | githubusercontent.com
    glassdoor       |
    adobe sign      | adobe.com adobesign.com echosign.com
    acrobat sign    | adobe.com adobesign.com echosign.com
    revolut         |
    venmo           | paypal.com
    zelle           | zellepay.com
    e-zpass         | e-zpassny.com ezpassnj.com ezpassva.com ezpassmd.com paturnpike.com
    ezpass          | e-zpassny.com ezpassnj.com ezpassva.com ezpassmd.com paturnpike.com
    airbnb          |
    verizon         | verizonwireless.com
    t-mobile        | telekom.de
    vodafone        |
    xfinity         | comcast.com comcast.net
    hmrc            | hmrc.gov.uk
    irs             | irs.gov
"""
_GIVEN_AWAY: Final = frozenset({"tk", "ml", "ga", "cf", "gq", "co", "cm", "cc", "ws", "pw", "su", "to"})
"""Endings of two letters that anyone got for nothing, or that are a slip away from another."""
_PLAIN_WORDS: Final = frozenset(
    {"chase", "indeed", "zoom", "steam", "meta", "slack", "stripe", "wise", "evri", "target", "discover", "notion"}
)
_SHORT_WORN: Final = frozenset({"dhl", "hmrc", "usps", "ebay", "hsbc", "bbva", "itau", "fedex"})
_DESKS: Final = frozenset(
    {"service", "services", "support", "security", "team", "help", "helpdesk", "billing", "alert", "alerts", "account"}
    | {"accounts", "customer", "care", "center", "centre", "verification", "online", "notice", "notification"}
)
_PLAIN_ENDS: Final = frozenset({"com", "net", "org", "gov", "edu", "eu"})
_LONG: Final = 6
"""Letters from which a brand counts as part of a longer label."""


def _read(listed: str) -> dict[str, frozenset[str]]:
    rows = (line.partition("|") for line in listed.splitlines() if line.strip())
    return {name.strip(): frozenset(own.split()) for name, _, own in rows}


BRANDS: Final[Mapping[str, frozenset[str]]] = _read(_LISTED)
_WORD: Final = re.compile(r"[^\W_]+(?:[.+-][^\W_]+)*\+?")
_BY_WORD: Final[Mapping[str, list[str]]] = {
    first: [name for name in BRANDS if name.split()[0] == first] for first in {name.split()[0] for name in BRANDS}
}
WORDS: Final = frozenset(name for name in BRANDS if name.isalpha() and len(name) >= _LONG)
"""Brands that are one long word: what may be found inside labels and imitated letter by letter."""
_JOINED: Final[Mapping[str, str]] = {name.replace(" ", ""): name for name in BRANDS if name.replace(" ", "").isalpha()}
_LONG_JOINED: Final = tuple(joined for joined, name in _JOINED.items() if " " in name and len(joined) >= _LONG + 2)


def brand_in(folded: str, site: str) -> str | None:
    """The brand that a folded text names, in whole words, though the registrable domain `site` is not its own."""
    words = _words(folded)
    text = f" {' '.join(words)} "
    named = (name for word in dict.fromkeys(words) for name in _BY_WORD.get(word, ()) if f" {name} " in text)
    return next((name for name in (*named, *_joined(words)) if not owns(name, BRANDS[name], site)), None)


def _joined(words: list[str]) -> Iterator[str]:
    """Brands written apart or run together with a desk: pay pal, pay-pal, paypalservice."""
    apart = [part for word in words for part in word.split("-")]
    yield from (pair for one, other in pairwise(apart) if (pair := one + other) in WORDS)
    yield from (name for word in words for name in WORDS if word[: len(name)] == name and word[len(name) :] in _DESKS)


@lru_cache(maxsize=8_192)
def brand_worn(site: str) -> str | None:
    """The brand that is part of the first label of a domain that is not its own: paypal-desk, hmrc-refund."""
    label = site.partition(".")[0]
    parts = label.split("-")
    worn = [name for name in WORDS if name in label]
    worn += [_JOINED[one] for one in _LONG_JOINED if one in label.replace("-", "")]
    worn += [name for name in _SHORT_WORN if name in parts and len(parts) > 1]
    return next((name for name in sorted(worn) if not owns(name, BRANDS[name], site)), None)


@lru_cache(maxsize=8_192)
def brand_alike(site: str) -> str | None:
    """The brand that a word of the first label looks like without being it: paypa1-desk, arnazon."""
    label = to_unicode(site).partition(".")[0]
    for word in (*label.split("-"), label.replace("-", "")):
        looks = lookalike.skeleton(word)
        if word not in _JOINED and (name := _SKELETONS.get(looks) or _slipped(word, looks)) is not None:
            return name
    return None


def _slipped(word: str, looks: str) -> str | None:
    """One slip more, where other letters show that it is on purpose."""
    if word.isascii() and word.isalpha():
        return None
    return next((name for one, name in _SKELETONS.items() if lookalike.is_one_slip(looks, one)), None)


def is_plain_word_worn(folded: str, site: str) -> bool:
    """Whether name and domain both begin with a brand that is also a plain word: Zoom of zoom-meet."""
    label = site.partition(".")[0]
    first = folded.partition(" ")[0]
    return first in _PLAIN_WORDS and label != first and label[: len(first)] == first


def owns(name: str, own: frozenset[str], site: str) -> bool:
    """Whether a registrable domain is the brand's: listed, or its own label under an old-established ending."""
    label, _, end = site.partition(".")
    is_plain = end in _PLAIN_ENDS or (len(end.rpartition(".")[2]) == 2 and end not in _GIVEN_AWAY)
    bare = name.replace(" ", "").replace("+", "")
    return site in own or site == name or (label in (bare, bare.partition(".")[0]) and is_plain)


def _words(folded: str) -> list[str]:
    return _WORD.findall(folded)


_SKELETONS: Final[Mapping[str, str]] = {
    lookalike.skeleton(joined): name for joined, name in sorted(_JOINED.items()) if len(joined) >= _LONG
}
