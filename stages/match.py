"""match: which rule words stand in which message.

Promises: one fold for words and mail; literal comparison; senders and domains whole, never a part; the body is what
a reader sees (plain text and visible HTML), never hidden text, a snippet or an attachment. Out come names and numbers
(message, role, rule, marker, field), never text of the mail.

    role: rule (overrides, templates, sender rules, irrelevant senders), pattern (tier 1), action, protected
"""

import polars as pl

from pipeline.artifacts import Derived
from pipeline.evidence.raw import MAIL, Reading
from pipeline.mail.matcher import Hit, Matcher, Probe
from pipeline.mail.reader import Mail
from pipeline.models.rules import RuleSet
from pipeline.rulebook import RULES
from pipeline.stage import Stage
from pipeline.tables import HITS as HITS_TABLE


def match(mail: tuple[Reading, ...], rules: RuleSet) -> pl.DataFrame:
    """One row a hit: message id, role, rule name, marker number in the rule's list, field."""
    mails = [reading.mail for reading in mail if isinstance(reading.mail, Mail)]
    found = Matcher(rules.markers()).hits_of([probe(one) for one in mails])
    return HITS_TABLE.frame(hit_row(one.id, hit) for one, hits in zip(mails, found, strict=True) for hit in hits)


def probe(mail: Mail) -> Probe:
    """What a message offers to the matcher."""
    return Probe(mail.sender, mail.subject, f"{mail.body.text}\n{mail.body.visible_html_text}")


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
