"""The slow obvious judge: one message after the other, straight from the mail, as a person would on paper.

It shares with the product only the reading of mail, the fold and the facts of other stages (screen, protected classes);
matching, cascade, gate and threads are written again, without tables, indexes or shortcuts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.mail.fold import fold, words
from pipeline.mail.reader import Mail
from pipeline.models.policy import Policy
from pipeline.models.rules import Rule, RuleSet

Answer = tuple[str, str | None, str | None, str]
"""(source, classification, rule, action)"""


def decide_all(
    mails: Sequence[Mail],
    screens: Mapping[str, str],
    protected: Mapping[str, Sequence[str]],
    rules: RuleSet,
    policy: Policy,
    our_labels: Sequence[str],
) -> dict[str, Answer]:
    """The answer of every message, all members of each thread being there."""
    alone = {mail.id: decide_alone(mail, screens, protected, rules, policy, our_labels) for mail in mails}
    answers = {}
    for mail in mails:
        source, classification, rule, action, _ = alone[mail.id]
        family = [other for other in mails if other.thread_id == mail.thread_id]
        if action == "label+archive" and any(must_stay(other, alone[other.id]) for other in family):
            action = "label"
        answers[mail.id] = (source, classification, rule, action)
    return answers


def must_stay(mail: Mail, answer: tuple[str, str | None, str | None, str, bool]) -> bool:
    """Whether a member keeps its whole thread."""
    action, stands = answer[3], answer[4]
    return stands or ("INBOX" in (mail.label_ids or ("INBOX",)) and action != "label+archive")


def decide_alone(
    mail: Mail,
    screens: Mapping[str, str],
    protected: Mapping[str, Sequence[str]],
    rules: RuleSet,
    policy: Policy,
    our_labels: Sequence[str],
) -> tuple[str, str | None, str | None, str, bool]:
    """(source, classification, rule, action, whether something stands against the message)."""
    source, classification, rule = cascade(mail, rules)
    asks = any(hits_set(mail, found) for found in rules.sets if found.role == "action")
    classes = list(protected[mail.id])
    if classes == ["employment"] and classification in policy.protect.waive_employment_for and not asks:
        classes = []
    stands = bool(classes) or asks or screens[mail.id] != "clean" or mail.body.state != "fetched"
    stands = stands or mail.label_ids is None
    labels = mail.label_ids or ()
    leaves = (
        mail.label_ids is None
        or any(label in labels for label in ("SENT", "DRAFT", "SPAM", "TRASH", "CHAT"))
        or "INBOX" not in labels
        or any(label in labels for label in our_labels)
        or screens[mail.id] in ("injection", "suspicious", "unreadable")
        or classification is None
    )
    archivable = any(found.name == classification and found.archivable for found in rules.classifications)
    sure = rule is not None and 0.8 <= rule.confidence <= 1.0 and rule.confidence >= policy.minimum_confidence
    may = archivable and sure and rule is not None and rule.is_safe_to_archive and not stands
    action = "leave" if leaves else "label+archive" if may else "label"
    return source, classification, rule.name if rule else None, action, stands


def cascade(mail: Mail, rules: RuleSet) -> tuple[str, str | None, Rule | None]:
    """(source, classification, rule)."""
    if any(hits_set(mail, found) for found in rules.sets if found.name == "irrelevant"):
        return "irrelevant", None, None
    for tier in ("override", "tier1", "template", "sender"):
        for rule in rules.rules:
            if rule.tier == tier and holds(mail, rule.conditions):
                return tier, rule.classification, rule
    if any(hits_set(mail, found) for found in rules.sets if found.makes_relevant):
        return "review", rules.review, None
    return "none", None, None


def holds(mail: Mail, conditions: Sequence[tuple[str, Sequence[str]]]) -> bool:
    """Every condition has a marker that is there; the two kinds of domain count as one condition."""
    domains = [item for item in conditions if item[0] in ("domain_equals", "domain_under")]
    others = [item for item in conditions if item not in domains]
    if domains and not any(stands(mail, field, marker) for field, markers in domains for marker in markers):
        return False
    return all(any(stands(mail, field, marker) for marker in markers) for field, markers in others)


def hits_set(mail: Mail, found: Any) -> bool:
    """Whether any marker of a set is there."""
    return any(stands(mail, field, marker) for field, markers in found.conditions for marker in markers)


def stands(mail: Mail, field: str, marker: str) -> bool:
    """Whether one marker is in one field of the mail."""
    subject, body = fold(mail.subject), fold(f"{mail.body.text}\n{mail.body.visible_html_text}")
    if field in ("subject", "body", "text"):
        places = {"subject": [subject], "body": [body], "text": [subject, body]}[field]
        return any(fold(marker) in place for place in places)
    if mail.sender.address is None or "name_holds_address" in mail.sender.defects:
        return False
    local, _, domain = mail.sender.address.partition("@")
    if field == "domain_equals":
        return domain == marker
    if field == "domain_under":
        return domain == marker or domain.endswith("." + marker)
    if "@" in marker:
        return mail.sender.address == marker
    if marker.startswith("."):
        return domain == marker[1:] or domain.endswith(marker)
    if "." in marker:
        return domain == marker
    return f" {marker} " in f" {' '.join(words(mail.sender.name))} | {' '.join(words(local))} "
