"""The straightforward loop: one mail after the other, one rule after the other, each text folded once. No tables.

What somebody would write in an afternoon who knows what the rules mean: it stops at the first rule that holds, looks at
a body only when the sender fits, and knows a dozen lines of gate. Threads of one message, nothing handled before, mail
that the screen found clean and no class protects; rules without gaps, shapes or harmless phrases. For benchmarks.

    decide_each(mails, rules)      # [('m1', 'sender', 'boards', 'Job Alert', 0.95, 'label+archive'), ...]
"""

from collections.abc import Iterable, Mapping
from typing import Final

from pipeline.mail.fold import fold
from pipeline.mail.reader import Mail
from pipeline.models.rules import IRRELEVANT, MarkerSet, Rule, RuleSet
from tests.reference.decide import has

Decision = tuple[str, str, str | None, str | None, float, str]
"""(message id, source, rule, classification, confidence, action)"""
DOMAINS: Final = ("domain_equals", "domain_under")


def decide_each(mails: Iterable[Mail], rules: RuleSet) -> list[Decision]:
    """The decision on each mail, in the order given."""
    folded = {
        text: fold(text) for owner in (*rules.rules, *rules.sets) for _, texts in owner.conditions for text in texts
    }
    return [_decide(mail, rules, folded) for mail in mails]


def _decide(mail: Mail, rules: RuleSet, folded: Mapping[str, str]) -> Decision:
    texts = _Texts(mail)
    if any(_any_holds(one, texts, folded) for one in rules.sets if one.name == IRRELEVANT):
        return mail.id, "irrelevant", None, None, 0.0, "leave"
    for rule in rules.rules:
        if _holds(rule, texts, folded):
            action = _action(rule, texts, rules, folded)
            return mail.id, rule.tier, rule.name, rule.classification, rule.confidence, action
    if any(one.makes_relevant and _any_holds(one, texts, folded) for one in rules.sets):
        return mail.id, "review", None, rules.review, 0.0, "label"
    return mail.id, "none", None, None, 0.0, "leave"


class _Texts:
    """One mail's subject and body, folded when first asked for."""

    def __init__(self, mail: Mail) -> None:
        self.address = mail.sender.address or ""
        self.domain = mail.sender.domain or ""
        self._mail = mail
        self._kept: dict[str, str] = {}

    def of(self, field: str) -> str:
        """The folded text of `subject` or `body`."""
        if field not in self._kept:
            body = self._mail.body
            raw = self._mail.subject if field == "subject" else f"{body.text}\n{body.visible_html_text}"
            self._kept[field] = fold(raw)
        return self._kept[field]


def _holds(rule: Rule, texts: _Texts, folded: Mapping[str, str]) -> bool:
    domains = [texts_ for field, texts_ in rule.conditions if field in DOMAINS]
    if domains and not any(_stands(f, t, texts, folded) for f, ts in rule.conditions if f in DOMAINS for t in ts):
        return False
    others = ((field, wanted) for field, wanted in rule.conditions if field not in DOMAINS)
    return all(any(_stands(field, text, texts, folded) for text in wanted) for field, wanted in others)


def _any_holds(one: MarkerSet, texts: _Texts, folded: Mapping[str, str]) -> bool:
    return any(_stands(field, text, texts, folded) for field, wanted in one.conditions for text in wanted)


def _stands(field: str, marker: str, texts: _Texts, folded: Mapping[str, str]) -> bool:
    if field in ("subject", "body"):
        return has(texts.of(field), folded[marker])
    if field == "text":
        return has(texts.of("subject"), folded[marker]) or has(texts.of("body"), folded[marker])
    if field == "domain_under" or marker.startswith("."):
        name = marker.removeprefix(".")
        return texts.domain == name or texts.domain.endswith("." + name)
    return marker == (texts.address if "@" in marker else texts.domain)


def _action(rule: Rule, texts: _Texts, rules: RuleSet, folded: Mapping[str, str]) -> str:
    found = rules.classification(rule.classification)
    if found is None or not found.archivable or not rule.is_safe_to_archive or rule.confidence < 0.8:
        return "label"
    asking = [one for one in rules.sets if one.role == "action"]
    return "label" if any(_any_holds(one, texts, folded) for one in asking) else "label+archive"
