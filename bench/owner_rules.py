"""Seeded rules of an owner, and the mail that they are about: what B5 and B6 judge.

200 sender rules, 60 templates, 50 overrides, 60 irrelevant senders and one set of action words; no pack. Senders are
named by whole address, exact domain or domain with everything under it, and words are plain ASCII: what a Sieve script
can say too. The same seed gives the same bytes.

    rules = parse_rules(rule_files())
    resource(7)["id"]        # '18f0000000000007': a newsletter of 15 KB, as messages.get gives it
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bench.generate import START, headers, page, part, text

SEED: Final = 20_261_101
FILED: Final = ("Digest", "Notice", "Offer List")
KEPT: Final = ("Question", "Contract", "Review")
ACTION: Final = tuple(
    f"kindly {verb} us" for verb in ("call", "tell", "send", "answer", "meet", "write", "show", "ask")
)
SENDERS: Final = 200
TEMPLATES: Final = 60
OVERRIDES: Final = 50
IRRELEVANT: Final = 40
STRANGERS: Final = 400
_SYLLABLES: Final = ["ba", "de", "fi", "go", "ku", "lam", "nor", "pes", "rit", "sol", "tuv", "wex"]
_SHARES: Final = {"irrelevant": 25, "sender": 40, "template": 15, "override": 10, "stranger": 10}
"""How many mails of a hundred come from whom."""
Table = Mapping[str, object]


def phrase(number: int) -> str:
    """Two invented words that no other text of these mails holds."""
    first, second, third = (_SYLLABLES[number // step % 12] for step in (1, 12, 144))
    return f"zy{first}{second} vo{third}{first}q"


def rule_files() -> tuple[tuple[str, bytes], ...]:
    """The owner's rule files by name."""
    source = random.Random(SEED)
    return (
        ("irrelevant_senders.toml", _toml(irrelevant_senders())),
        ("manual_overrides.toml", _toml({}, [override(number, source) for number in range(OVERRIDES)])),
        ("patterns.toml", words()),
        ("sender_rules.toml", _toml({}, [sender_rule(number, source) for number in range(SENDERS)])),
        ("taxonomy.toml", _toml({"review": "Review"}, [*map(_class, (*FILED, *KEPT))], "classification")),
        ("template_rules.toml", _toml({}, [template(number, source) for number in range(TEMPLATES)])),
    )


def words() -> bytes:
    """Action words; and, because a pack must have some, a protected word that no mail says."""
    asks = {"name": "asks", "makes_relevant": False, "text_contains": list(ACTION)}
    unsaid = {"name": "unsaid", "protects": "money", "text_contains": ["zyzyzy"]}
    return _toml({"pack": "bench"}, [asks], "action") + _tables([unsaid], "protected")


def irrelevant_senders() -> Table:
    """Exact domains, whole addresses, and one domain with all under it."""
    return {
        "domains": [f"shop{number}.example" for number in range(IRRELEVANT)],
        "sender_contains": [*(f"news{number}@mixed.example" for number in range(19)), ".adverts.example"],
    }


def override(number: int, source: random.Random) -> Table:
    """In turn: one address, a wording of the subject, a domain with a wording of the body."""
    kinds = (
        {"sender_contains": [f"desk{number}@office.example"]},
        {"subject_contains": [phrase(number), f"re-issued {phrase(number)}"]},
        {"sender_contains": [f"bureau{number}.example"], "body_contains_any": [phrase(number), phrase(number + 300)]},
    )
    named = {"name": f"override-{number}", **kinds[number % 3], **_verdict(source)}
    return {**named, "safe_to_archive": source.random() < 0.7}


def template(number: int, source: random.Random) -> Table:
    """A sender and five wordings of the body."""
    wordings = [phrase(50 + number + step * 60) for step in range(5)]
    return {
        "name": f"template-{number}",
        "sender_contains": [f".boards{number}.example", f"list{number}@board.example"],
        "body_contains_any": wordings,
        **_verdict(source),
    }


def sender_rule(number: int, source: random.Random) -> Table:
    """In turn: an exact domain, a domain with all under it, one address at a host of many."""
    kinds: tuple[Table, ...] = (
        {"domain_equals": [f"firm{number}.example"]},
        {"domain_under": [f"group{number}.example"]},
        {"sender_contains": [f"letters{number}@host{number % 7}.example"]},
    )
    return {"name": f"sender-{number}", **kinds[number % 3], **_verdict(source)}


def _verdict(source: random.Random) -> Table:
    return {"classification": source.choice((*FILED, *KEPT)), "confidence": source.choice((0.7, 0.85, 0.95))}


def _class(name: str) -> Table:
    return {"name": name, "label": f"Bench/{name}", "archivable": name in FILED, "description": "For the benchmark."}


def _toml(head: Table, tables: Sequence[Table] = (), kind: str = "rule") -> bytes:
    return _lines({"version": 1, **head}) + _tables(tables, kind)


def _tables(tables: Sequence[Table], kind: str) -> bytes:
    return b"".join(f"[[{kind}]]\n".encode() + _lines(table) for table in tables)


def _lines(table: Table) -> bytes:
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items()).encode()


def address(kind: str, number: int, source: random.Random) -> str:
    """A sender of one kind: of a third each of rules there are as many as rules of that build."""
    under = source.choice(("", "mail.", "a.b."))
    if kind == "irrelevant":
        return source.choice((f"a@shop{number % IRRELEVANT}.example", f"news{number % 19}@mixed.example",
                              f"b@{under}adverts.example"))  # fmt: skip
    if kind == "template":
        at = number % TEMPLATES
        return source.choice((f"post@{under}boards{at}.example", f"list{at}@board.example"))
    if kind == "override":
        at = number % OVERRIDES
        return (f"desk{at}@office.example", f"any@firm{at}.example", f"info@bureau{at}.example")[at % 3]
    if kind == "sender":
        at = number % SENDERS
        return (f"x@firm{at}.example", f"y@{under}group{at}.example", f"letters{at}@host{at % 7}.example")[at % 3]
    return f"news@sender{number % STRANGERS}.example"


def said(kind: str, number: int, source: random.Random) -> tuple[str, str]:
    """(what the subject says beside the usual, what the body does): often the wording that a rule looks for."""
    asks = source.choice(ACTION) if source.random() < 0.1 else ""
    if kind == "override":
        at = number % OVERRIDES
        return (phrase(at) if at % 3 == 1 else "", f"{phrase(at + 300 * source.randrange(2))} {asks}")
    if kind == "template" and source.random() < 0.6:
        return "", f"{phrase(50 + number % TEMPLATES + 60 * source.randrange(5))} {asks}"
    return "", asks


def resource(number: int) -> dict[str, object]:
    """The body of messages.get in format full."""
    source = random.Random(SEED + number)
    (kind,) = source.choices(list(_SHARES), list(_SHARES.values()))
    about = source.randrange(100_000)
    extra, wording = said(kind, about, source)
    fields = dict(_headers(source, number))
    fields |= {"From": f"{text(source, 2).title()} <{address(kind, about, source)}>"}
    fields |= {"Subject": f"{text(source, 6)} {extra}".strip(), "Message-ID": f"<{number}@bench.example>"}
    parts = [part("text/plain", f"{text(source, 160)}\n{wording}\n{text(source, 160)}")]
    parts.append(part("text/html", page(source).replace("<table>", f"<table><tr><td>{wording}</td></tr>")))
    payload = {"mimeType": "multipart/alternative", "filename": "", "body": {"size": 0}, "parts": parts}
    return {
        "id": f"18f{number:013x}",
        "threadId": f"18f{number:013x}",
        "labelIds": ["INBOX", "UNREAD"],
        "snippet": text(source, 20),
        "payload": {**payload, "headers": [{"name": name, "value": value} for name, value in fields.items()]},
        "sizeEstimate": 12_000,
        "historyId": str(900_000 + number),
        "internalDate": str(int(START.timestamp() * 1000) + number * 1_000),
    }


def _headers(source: random.Random, number: int) -> Iterator[tuple[str, str]]:
    return ((field["name"], field["value"]) for field in headers(source, number))
