"""match: which rule words stand in which message.

Promises: one fold for words and mail; literal comparison; senders and domains whole, never a part; the body is what
a reader sees (plain text and visible HTML), never a snippet or an attachment. Action words are also looked for in where
links lead, and action and protected sets in hidden text: they can only hold a mail. Where words cannot tell what a mail
says (too short, another language, disguised), that is a hit of the set `reading`, which protects as `uncertain`. What
the mail is by its build is a hit of the set `shape`; a marker set may say in which shapes its words do not count. Out
come names and numbers, never text of the mail.

    role: rule (overrides, templates, sender rules, irrelevant senders), pattern (tier 1), action, protected, shape
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import polars as pl

from pipeline.artifacts import Derived
from pipeline.evidence.raw import MAIL, Reading
from pipeline.judge.legibility import unread_signs
from pipeline.judge.shapes import shapes_of
from pipeline.mail.matcher import Hit, Matcher, Probe
from pipeline.mail.reader import Mail
from pipeline.mail.retold import also_says
from pipeline.models.rules import READING, SHAPE, RuleSet
from pipeline.rulebook import RULES
from pipeline.stage import Stage
from pipeline.tables import HITS as HITS_TABLE

_HOLDING = ("action", "protected")


def match(mail: tuple[Reading, ...], rules: RuleSet) -> pl.DataFrame:
    """One row a hit: message id, role, rule name, marker number in the rule's list, field."""
    mails = [reading.mail for reading in mail if isinstance(reading.mail, Mail)]
    probes = [probe(one) for one in mails]
    matcher = _matcher(rules)
    found = zip(probes, mails, matcher.hits_of(probes), _holding(matcher, mails, probes), strict=True)
    return HITS_TABLE.frame(
        hit_row(one.id, hit)
        for seen, one, hits, unseen in found
        for hit in (*hits, *(hit for hit in unseen if hit not in hits), *built(one, seen.shapes))
    )


@lru_cache(maxsize=1)
def _matcher(rules: RuleSet) -> Matcher:
    """Mail comes a chunk at a time, and what a word means to the rules is remembered."""
    return Matcher(rules.markers())


def _holding(matcher: Matcher, mails: Sequence[Mail], probes: Sequence[Probe]) -> Iterator[tuple[Hit, ...]]:
    """For each mail what its hidden text holds it for: never a rule or a pattern, which could file it."""
    texts = [one.body.hidden_text for one in mails]
    asked = [replace(seen, subject="", body=text, also="") for seen, text in zip(probes, texts, strict=True) if text]
    found = iter(matcher.hits_of(asked))
    for text in texts:
        yield tuple(hit for hit in next(found) if hit.role in _HOLDING) if text else ()


def built(mail: Mail, shapes: tuple[str, ...]) -> tuple[Hit, ...]:
    """A hit for each shape, and for each sign that the words of this mail are not all it says."""
    signs = (Hit("protected", READING, "body", sign) for sign in unread_signs(mail, is_broadcast="broadcast" in shapes))
    return (*signs, *(Hit("shape", SHAPE, "shape", shape) for shape in shapes))


def probe(mail: Mail) -> Probe:
    """What a message offers to the matcher."""
    said = f"{mail.body.text}\n{mail.body.visible_html_text}"
    return Probe(mail.sender, mail.subject, said, also_says(mail.body), shapes_of(mail))


def hit_row(message_id: str, hit: Hit) -> dict[str, object]:
    """One row of hits."""
    return {
        "message_id": message_id,
        "role": hit.role,
        "rule": hit.rule,
        "marker": hit.marker,
        "field": hit.field,
    }


HITS = Derived("hits", "which rule words stand in which message: names and numbers, no text", HITS_TABLE)

STAGE = Stage("match", reads=(MAIL, RULES), writes=(HITS,), keeps=None, run=match)
