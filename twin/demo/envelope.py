"""The headers that machines add on the way: trace, authentication, lists.

Newest first, as a mailbox at Gmail sees them. All relays are at reserved domains and all
addresses of documentation ranges; only the receiving end bears its real name.
"""

import re
from collections.abc import Mapping

from twin.demo.dates import pacific_date
from twin.demo.dice import Dice
from twin.demo.schedule import Planned
from twin.demo.templates import Sender

_ADDRESS = re.compile(r"[^\s<>\",;]+@[^\s<>\",;]+")
_UNKNOWN = Sender()
_STRANGER = "198.51.100.199"  # from where mail comes that its domain did not send


def address_of(value: str) -> str:
    """The last address in a From value; 'unknown@unknown.invalid' where there is none."""
    found: list[str] = _ADDRESS.findall(value)
    return found[-1] if found else "unknown@unknown.invalid"


def sender_of(address: str, senders: Mapping[str, Sender]) -> Sender:
    """The habits of this address, of its domain, or of nobody in particular."""
    return senders.get(address) or senders.get(address.rpartition("@")[2]) or _UNKNOWN


def trace(dice: Dice, mail: Planned, address: str, owner: str, sender: Sender) -> str:
    """Delivered-To down to the first Received."""
    domain, bounce = address.rpartition("@")[2], sender.bounce or address
    ip = sender.ip if mail.template.auth == "pass" else _STRANGER
    relay, seen = f"mta{dice.between(1, 9, domain)}.{domain}", pacific_date(mail.received_ms)
    hop = dice.token(14, mail.id, "hop")
    lines = (
        f"Delivered-To: {owner}",
        f"Received: by 2002:a05:6e02:{hop[:4]}:b0:{hop[4:7]}:{hop[7:10]} with SMTP id {hop};\n        {seen}",
        f"Return-Path: <{bounce}>",
        f"Received: from {relay} ({relay}. [{ip}])\n        by mx.google.com with ESMTPS id {hop[::-1]}"
        f"\n        for <{owner}>\n        (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384 bits=256/256);"
        f"\n        {seen}",
    )
    return "\n".join(lines) + "\n" + _authentication(dice, mail, domain, bounce, ip)


def _authentication(dice: Dice, mail: Planned, domain: str, bounce: str, ip: str) -> str:
    outcome = mail.template.auth
    if outcome == "absent":
        return ""
    permitted = outcome == "pass"
    spf = "pass" if permitted else outcome
    verdict = "designates" if permitted else "does not designate"
    reason = f"(google.com: domain of {bounce} {verdict} {ip} as permitted sender)"
    lines = [f"Received-SPF: {spf} {reason} client-ip={ip};", "Authentication-Results: mx.google.com;"]
    if permitted:
        lines.append(f"       dkim=pass header.i=@{domain} header.s=s1 header.b={dice.token(8, mail.id, 'b')};")
    lines.append(f"       spf={spf} {reason} smtp.mailfrom={bounce};")
    policy = "p=REJECT sp=REJECT dis=NONE" if permitted else "p=NONE sp=NONE dis=NONE"
    lines.append(f"       dmarc={'pass' if permitted else 'fail'} ({policy}) header.from={domain}")
    return "\n".join(lines) + "\n" + (_signature(dice, mail, domain) if permitted else "")


def _signature(dice: Dice, mail: Planned, domain: str) -> str:
    names = "from:to:subject:date:message-id:mime-version"
    return (
        f"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d={domain}; s=s1;\n        h={names};\n"
        f"        bh={dice.token(42, mail.id, 'bh')}=;\n        b={dice.token(64, mail.id, 'sig')}\n"
    )


def bulk(dice: Dice, mail: Planned, address: str, sender: Sender) -> str:
    """What mass mail adds: unsubscribing, feedback, precedence, list id, mailer."""
    token, domain = dice.token(20, mail.id, "unsubscribe"), address.rpartition("@")[2]
    web, post = f"<https://{domain}/u/{token}>", f"<mailto:unsubscribe+{token}@{domain}>"
    ways = {
        "one-click": f"List-Unsubscribe: {web}, {post}\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\n",
        "web": f"List-Unsubscribe: {web}\n",
        "mailto": f"List-Unsubscribe: {post}\n",
    }
    fields = (("List-Id", sender.list_id), ("Feedback-ID", sender.feedback),
              ("Precedence", sender.precedence), ("X-Mailer", sender.mailer))  # fmt: skip
    named = "".join(f"{name}: {value}\n" for name, value in fields if value)
    return ways.get(mail.template.unsubscribe or sender.unsubscribe, "") + named
