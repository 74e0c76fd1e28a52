"""match: which rule words stand in which message.

Promises: one fold for words and mail; literal comparison; senders and domains whole, never a part; the body is what
a reader sees (plain text and visible HTML), never hidden text, a snippet or an attachment; action words are also looked
for in where links lead. Where words cannot tell what a mail says (too short, another language, disguised), that is a
hit of the set `reading`, which protects as `uncertain`. Out come names and numbers, never text of the mail.

    role: rule (overrides, templates, sender rules, irrelevant senders), pattern (tier 1), action, protected
"""

import polars as pl

from pipeline.artifacts import Derived
from pipeline.evidence.raw import MAIL, Reading
from pipeline.judge.legibility import unread_signs
from pipeline.mail.matcher import Hit, Matcher, Probe
from pipeline.mail.reader import Mail
from pipeline.mail.retold import also_says
from pipeline.models.rules import RuleSet
from pipeline.rulebook import RULES
from pipeline.stage import Stage
from pipeline.tables import HITS as HITS_TABLE

READING = "reading"
"""The name of the set that is no rule's: what could not be read as its reader does."""


def match(mail: tuple[Reading, ...], rules: RuleSet) -> pl.DataFrame:
    """One row a hit: message id, role, rule name, marker number in the rule's list, field."""
    mails = [reading.mail for reading in mail if isinstance(reading.mail, Mail)]
    found = Matcher(rules.markers()).hits_of([probe(one) for one in mails])
    pairs = zip(mails, found, strict=True)
    return HITS_TABLE.frame(hit_row(one.id, hit) for one, hits in pairs for hit in (*hits, *unread(one)))


def unread(mail: Mail) -> tuple[Hit, ...]:
    """A hit for each sign that the words of this mail are not all it says."""
    return tuple(Hit("protected", READING, "body", sign) for sign in unread_signs(mail))


def probe(mail: Mail) -> Probe:
    """What a message offers to the matcher."""
    return Probe(mail.sender, mail.subject, f"{mail.body.text}\n{mail.body.visible_html_text}", also_says(mail.body))


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
