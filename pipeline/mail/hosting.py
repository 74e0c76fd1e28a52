"""Domains where anyone publishes or writes in a minute, and those that only forward: they say nothing about a sender.

Promises: whole labels only; a host is judged by what it lies under.

>>> is_hosting("login-desk.web.app"), is_shortener("bit.ly"), is_hosting("web.app.example")
(True, True, False)
"""

from functools import lru_cache
from typing import Final

from pipeline.mail.fold import word_set

_HOSTING: Final = word_set("""
    web.app firebaseapp.com pages.dev workers.dev r2.dev blogspot.com weebly.com weeblysite.com wixsite.com
    000webhostapp.com glitch.me github.io gitlab.io netlify.app vercel.app herokuapp.com repl.co replit.app
    onrender.com fly.dev storage.googleapis.com sites.google.com forms.gle googleusercontent.com translate.goog
    azurewebsites.net web.core.windows.net blob.core.windows.net azurefd.net azureedge.net cloudfront.net
    s3.amazonaws.com amplifyapp.com awsapprunner.com onmicrosoft.com duckdns.org ngrok.io ngrok-free.app
    trycloudflare.com ipfs.io dweb.link cf-ipfs.com myfreesites.net webflow.io square.site godaddysites.com
    mystrikingly.com strikingly.com jimdosite.com yolasite.com webador.com carrd.co canva.site typedream.app
    notion.site gitbook.io surge.sh codesandbox.io csb.app stackblitz.io secureserver.net plesk.page cprapid.com
    serveo.net cloudwaysapps.com wpengine.com wordpress.com hostingerapp.com hostingersite.com zendesk.com
    freshdesk.com atlassian.net jotform.com typeform.com cognitoforms.com formstack.com vultrusercontent.com
    linodeusercontent.com members.linode.com digitaloceanspaces.com ondigitalocean.app contaboserver.net cjb.net
    tripod.com geocities.com angelfire.com 50megs.com hypermart.net
""")
_SHORTENERS: Final = word_set("""
    bit.ly tinyurl.com t.co goo.gl ow.ly is.gd v.gd buff.ly rebrand.ly cutt.ly shorturl.at rb.gy t.ly tiny.cc
    bl.ink s.id qrco.de linktr.ee shorte.st adf.ly lnkd.in tr.im u.to clck.ru urlz.fr short.gy tiny.pl x.gd
    n9.cl surl.li
""")


@lru_cache(maxsize=8_192)
def is_hosting(host: str) -> bool:
    """Whether a host lies under a domain that hands out names to anyone."""
    return _lies_under(host, _HOSTING)


@lru_cache(maxsize=8_192)
def is_shortener(host: str) -> bool:
    """Whether a host only sends on to another."""
    return _lies_under(host, _SHORTENERS)


def _lies_under(host: str, known: frozenset[str]) -> bool:
    labels = host.lower().rstrip(".").split(".")
    return any(".".join(labels[at:]) in known for at in range(len(labels) - 1))
