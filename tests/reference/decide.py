"""The slow obvious judge: one message after the other, straight from the mail, as a person would on paper.

It shares with the product only the reading of mail, the fold, the rule files and the facts of other stages (screen,
protected classes, what runs did); nothing of pipeline/judge, and no matcher. Matching, cascade, gate and threads are
written again, without tables, indexes or shortcuts, and give whole decision records.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from pipeline.mail.fold import fold, words
from pipeline.mail.reader import Mail
from pipeline.models.policy import Policy
from pipeline.models.rules import Rule, RuleSet

Row = Mapping[str, Any]
Hit = tuple[str, str, str]
"""(name of the rule or set, field, marker number)"""
ELSEWHERE = ("SENT", "DRAFT", "SPAM", "TRASH", "CHAT")


@dataclass(frozen=True)
class Known:
    """What the other stages said, by message id; a message that is missing is unknown."""

    mails: Mapping[str, Mail]
    screens: Mapping[str, str]
    protected: Mapping[str, Sequence[str]]
    states: Mapping[str, Row]
    threads: Mapping[str, Row]
    our_labels: Sequence[str]
    rules: RuleSet
    policy: Policy
    as_of: datetime
    hits: Mapping[str, Sequence[Hit]]
    """What was looked up in each mail; filled in by decide_all."""


def decide_all(messages: Sequence[Row], known: Known) -> list[dict[str, Any]]:
    """The record of every message, sorted by id; the rows give what a snapshot knows of each."""
    known = replace(known, hits={row["id"]: hits_of(row["id"], known) for row in messages})
    alone = {row["id"]: decide_alone(row, known) for row in messages}
    records = []
    for row in sorted(messages, key=lambda one: str(one["id"])):
        record = alone[row["id"]]
        family = [other for other in messages if other["thread_id"] == row["thread_id"]]
        blocks = []
        if not is_whole(row["thread_id"], messages, known):
            blocks.append("thread:not_read")
        if any(must_stay(other, alone[other["id"]], known) for other in family):
            blocks.append("thread:member_stays")
        if record["action"] == "label+archive" and blocks:
            record = {**record, "action": weaker(record["rule"], known), "reasons": [*blocks, *record["reasons"]]}
        records.append(record)
    return records


def is_whole(thread_id: str, messages: Sequence[Row], known: Known) -> bool:
    """Whether every member that anybody showed was read."""
    thread = known.threads.get(thread_id)
    if thread is None or thread["unread_member_ids"] != [] or thread["member_ids"] is None:
        return False
    return all(member in [row["id"] for row in messages] for member in thread["member_ids"])


def must_stay(row: Row, record: Mapping[str, Any], known: Known) -> bool:
    """Whether a member keeps its whole thread."""
    standing = ("screen:", "body:", "protected:", "action:", "labels_unknown")
    barred = bars_of(row, *verdict_of(row, known)[:2], known)[0]
    if any(reason.startswith(standing) for reason in barred):
        return True
    return (row["label_ids"] is None or "INBOX" in row["label_ids"]) and record["action"] != "label+archive"


def weaker(rule: str | None, known: Known) -> str:
    """What is left when a message may not be filed."""
    return "leave" if any(one.name == rule and one.only_to_file for one in known.rules.rules) else "label"


def decide_alone(row: Row, known: Known) -> dict[str, Any]:
    """The record of a message as if it were alone in its thread."""
    source, rule, classification, confidence, evidence = verdict_of(row, known, full=True)
    barred, waived = bars_of(row, source, rule, known)
    why_leave = leaves(row, source, classification, known)
    if why_leave:
        action, reasons = "leave", [why_leave, *(reason for reason in barred if reason != why_leave)]
    elif barred:
        action, reasons = weaker(rule.name if rule else None, known), barred
    else:
        action, reasons = "label+archive", (["waived:employment"] if waived else [])
    classes = known.protected.get(row["id"])
    shown = ["uncertain"] if classes is None else list(classes)
    if "waived:employment" in reasons:
        shown = [name for name in shown if name != "employment"]
    return {
        "message_id": row["id"],
        "thread_id": row["thread_id"],
        "as_of": known.as_of,
        "sender": row["from_address"],
        "subject": row["subject"] or "",
        "phase": "decide",
        "classification": classification,
        "confidence": confidence,
        "source": source,
        "rule": rule.name if rule else None,
        "evidence": evidence,
        "reasons": reasons,
        "screen": known.screens.get(row["id"]) or "unknown",
        "protected": shown,
        "action": action,
    }


def verdict_of(row: Row, known: Known, *, full: bool = False) -> tuple[Any, ...]:
    """(source, rule) and, when full, (classification, confidence, evidence ids)."""
    rules, hits = known.rules, known.hits[row["id"]]
    source, names, rule = "none", [], None
    if any(name == "irrelevant" for name, _, _ in hits):
        source, names = "irrelevant", ["irrelevant"]
    else:
        for tier in ("override", "tier1", "template", "sender"):
            for one in rules.rules:
                if rule is None and one.tier == tier and holds(one, hits):
                    source, names, rule = tier, [one.name], one
        relevant = [found.name for found in rules.sets if found.makes_relevant]
        if rule is None and (known.policy.review_everything or any(name in relevant for name, _, _ in hits)):
            source, names = "review", relevant
    if not full:
        return source, rule
    classification = rule.classification if rule else rules.review if source == "review" else None
    evidence = sorted(f"{name}/{field}/{number}" for name, field, number in hits if name in names)
    return source, rule, classification, rule.confidence if rule else 0.0, evidence


def holds(rule: Rule, hits: Sequence[Hit]) -> bool:
    """Every condition has a marker that is there; the two kinds of domain count as one condition."""
    fields = [field for name, field, _ in hits if name == rule.name]
    domains = [field for field, _ in rule.conditions if field in ("domain_equals", "domain_under")]
    if domains and not any(field in fields for field in domains):
        return False
    return all(field in fields for field, _ in rule.conditions if field not in domains)


def bars_of(row: Row, source: str, rule: Rule | None, known: Known) -> tuple[list[str], bool]:
    """(every reason against an archive in the gate's order, whether employment was waived)."""
    rules, policy = known.rules, known.policy
    name = rule.classification if rule else rules.review if source == "review" else None
    asks = asks_of(row["id"], name, known)
    classes = known.protected.get(row["id"])
    waived = name in policy.protect.waive_employment_for and list(classes or []) == ["employment"] and not asks
    reasons = []
    if not any(found.name == name and found.archivable for found in rules.classifications):
        reasons.append("not_archivable")
    elif rule is not None and not rule.is_safe_to_archive:
        reasons.append("override_not_safe")
    confidence = rule.confidence if rule else 0.0
    if not (0.8 <= confidence <= 1.0 and confidence >= policy.minimum_confidence):
        reasons.append("low_confidence")
    screen = known.screens.get(row["id"])
    if screen != "clean":
        reasons.append(f"screen:{screen or 'unknown'}")
    if row["body_state"] != "fetched":
        reasons.append(f"body:{row['body_state'] or 'unknown'}")
    if row["label_ids"] is None:
        reasons.append("labels_unknown")
    stand = ["uncertain"] if classes is None else [one for one in classes if not (waived and one == "employment")]
    reasons += [f"protected:{one}" for one in stand]
    reasons += [f"action:{one}" for one in asks]
    return reasons, waived


def asks_of(message_id: str, classification: str | None, known: Known) -> list[str]:
    """The action sets that count for a class and were hit."""
    named = {name for name, _, _ in known.hits[message_id]}
    sets = [found for found in known.rules.sets if found.role == "action" and found.name in named]
    return sorted(found.name for found in sets if not found.only_for or classification in found.only_for)


def leaves(row: Row, source: str, classification: str | None, known: Known) -> str:
    """The first reason to do nothing, or an empty text."""
    labels, state = row["label_ids"], known.states.get(row["id"])
    if labels is None:
        return "labels_unknown"
    for label in ELSEWHERE:
        if label in labels:
            return f"in_{label.lower()}"
    if "INBOX" not in labels:
        return "not_in_inbox"
    days = known.policy.window_days
    if days != "all" and (row["date"] is None or row["date"] < known.as_of - timedelta(days=days)):
        return "outside_window"
    is_done = state is not None and state["is_undone"] is not True
    if is_done and state is not None:
        is_done = state["labelled_at"] is not None or state["archived_at"] is not None
    if is_done or any(label in labels for label in known.our_labels):
        return "already_handled"
    if state is not None and state["is_reversed_by_hand"] is not False:
        return "reversed_by_hand"
    screen = known.screens.get(row["id"])
    if screen in (None, "injection", "suspicious", "unreadable"):
        return f"screen:{screen or 'unknown'}"
    if source == "irrelevant":
        return "irrelevant"
    return "not_relevant" if classification is None else ""


def hits_of(message_id: str, known: Known) -> list[Hit]:
    """Every marker of every rule and set that is in the mail, as a person would look them up."""
    mail, found = known.mails[message_id], []
    for owner in (*known.rules.rules, *known.rules.sets):
        for field, texts in owner.conditions:
            for number, text in enumerate(texts, 1):
                if owner.role == "action":
                    is_there = asks(mail, field, text, known.rules)
                else:
                    is_there = owner.role != "harmless" and stands(mail, field, text)
                if is_there:
                    found.append((owner.name, field, str(number)))
    return found


def asks(mail: Mail, field: str, marker: str, rules: RuleSet) -> bool:
    """Whether an action word is there once the harmless phrases are gone, whole or cut in pieces by blanks."""
    if field not in ("subject", "body", "text"):
        return stands(mail, field, marker)
    harmless = [
        fold(text)
        for found in rules.sets
        if found.role == "harmless"
        for _, texts in found.conditions
        for text in texts
    ]
    wanted = fold(marker)
    for place in places(mail, field):
        left = without(place, harmless)
        if has(left, wanted) or is_in_pieces(left, wanted):
            return True
    return False


def has(text: str, marker: str) -> bool:
    """Whether a folded marker stands in a folded text; one of up to four Latin letters as a whole word."""
    if len(marker) <= 4 and marker.isascii() and marker.isalpha():
        return re.search(rf"(?<![^\W_]){marker}(?![^\W_])", text) is not None
    return marker in text


def without(text: str, phrases: Sequence[str]) -> str:
    """The text with a mark in place of every character of a phrase."""
    marks = list(text)
    for phrase in phrases:
        for at in range(len(text)):
            if phrase and text.startswith(phrase, at):
                marks[at : at + len(phrase)] = "\x00" * len(phrase)
    return "".join(marks)


def is_in_pieces(text: str, wanted: str) -> bool:
    """Whether a long word stands there in two or three pieces, alone or in the plural."""
    if len(wanted) < 6 or not wanted.isalpha():
        return False
    pieces = re.findall(r"[^\W_]+|\x00", text)
    for at, first in enumerate(pieces):
        for many in (2, 3):
            joined = "".join(pieces[at : at + many])
            if len(pieces[at : at + many]) == many and len(first) < len(wanted) and joined in (wanted, wanted + "s"):
                return True
    return False


def places(mail: Mail, field: str) -> list[str]:
    """The folded texts in which a field is looked for."""
    subject, body = fold(mail.subject), fold(f"{mail.body.text}\n{mail.body.visible_html_text}")
    return {"subject": [subject], "body": [body], "text": [subject, body]}[field]


def stands(mail: Mail, field: str, marker: str) -> bool:
    """Whether one marker is in one field of the mail."""
    if field in ("subject", "body", "text"):
        return any(has(place, fold(marker)) for place in places(mail, field))
    if field == "sentence":
        return any(says(sentence, marker) for sentence in sentences_of(mail))
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


def sentences_of(mail: Mail) -> list[str]:
    """The subject, and what stands between two ends of sentences or lines in the body."""
    return [mail.subject, *re.split(r"(?<=[.!?])\s+|\n", f"{mail.body.text}\n{mail.body.visible_html_text}")]


def says(sentence: str, saying: str) -> bool:
    """Every term has a choice that stands there, and no term with a mark before it has."""
    padded = f" {' '.join(words(sentence))} "
    for term in saying.split("&"):
        is_there = any(holds_choice(padded, choice) for choice in term.strip().removeprefix("!").split("|"))
        if is_there == term.strip().startswith("!"):
            return False
    return True


def holds_choice(padded: str, choice: str) -> bool:
    """Whether the words of a choice stand in the text, whole but for a star's."""
    parts = [rf"{' '.join(words(part))}{'[^ ]*' if part.endswith('*') else ''}" for part in choice.split()]
    return re.search(f" {' '.join(parts)} ", padded) is not None
