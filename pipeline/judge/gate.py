"""The gate: what may happen to a message, whatever tier decided it. Unknown means protected; doubt means leave.

`Archive` is a permission and has one constructor, `permit_archive`: an archivable class, a finite confidence of at
least the policy's minimum (never below 0.80, never above 1.0), a clean screen, a fetched body, no protected class, no
action language, and an override only if it says so. Otherwise it is `Barred`, with every reason.
`rule_thread` then takes the permission away from all members when one of them must stay.

The waiver: `employment` alone, when policy names the classification and nothing else stands; recorded as a reason.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.judge.cascade import Verdict
from pipeline.models.decision import Action
from pipeline.models.policy import Policy
from pipeline.models.rules import RuleSet

LOWEST_CONFIDENCE: Final = 0.80
"""The contract's floor; policy may only raise it."""
WAIVABLE: Final = "employment"
WAIVED: Final = "waived:employment"
_ELSEWHERE: Final = ("SENT", "DRAFT", "SPAM", "TRASH", "CHAT")
_UNTOUCHABLE_SCREENS: Final = frozenset({"injection", "suspicious", "unreadable"})
_SEAL: Final = object()


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one message; None is unknown, which counts as the worst."""

    message_id: str
    label_ids: tuple[str, ...] | None
    screen: str | None
    body_state: str | None
    protected: tuple[str, ...] | None
    action_language: tuple[str, ...]
    is_in_window: bool
    is_handled: bool
    is_reversed_by_hand: bool


class Archive:
    """Permission to take one message out of the inbox, with the waiver it rests on, if any."""

    __slots__ = ("message_id", "waivers")

    def __init__(self, message_id: str, waivers: tuple[str, ...], *, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("only permit_archive makes an Archive")
        self.message_id = message_id
        self.waivers = waivers


@dataclass(frozen=True, slots=True)
class Barred:
    """Why a message may not be archived; never empty."""

    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ruling:
    """The action, and why not more (or which waiver it rests on)."""

    action: Action
    reasons: tuple[str, ...]


def permit_archive(facts: Facts, verdict: Verdict, rules: RuleSet, policy: Policy) -> Archive | Barred:
    """The one way to an Archive."""
    waivers = _waivers(facts, verdict, policy)
    reasons = (
        *_class_reasons(verdict, rules),
        *_confidence_reasons(verdict.confidence, policy),
        *standing_reasons(facts, waivers),
    )
    return Barred(reasons) if reasons else Archive(facts.message_id, waivers, seal=_SEAL)


def standing_reasons(facts: Facts, waivers: tuple[str, ...] = ()) -> tuple[str, ...]:
    """What bars a message, and with it its whole thread, whatever it was classified as."""
    protected = ("uncertain",) if facts.protected is None else facts.protected
    stands = [name for name in protected if not (waivers and name == WAIVABLE)]
    return (
        *(() if facts.screen == "clean" else (f"screen:{facts.screen or 'unknown'}",)),
        *(() if facts.body_state == "fetched" else (f"body:{facts.body_state or 'unknown'}",)),
        *(() if facts.label_ids is not None else ("labels_unknown",)),
        *(f"protected:{name}" for name in stands),
        *(f"action:{name}" for name in facts.action_language),
    )


def _class_reasons(verdict: Verdict, rules: RuleSet) -> tuple[str, ...]:
    found = rules.classification(verdict.classification)
    if found is None or not found.archivable:
        return ("not_archivable",)
    return () if verdict.is_safe_to_archive else ("override_not_safe",)


def _confidence_reasons(confidence: float | None, policy: Policy) -> tuple[str, ...]:
    """Written positively over finite values: NaN compares true in some libraries."""
    is_number = isinstance(confidence, float) and math.isfinite(confidence)
    if is_number and confidence is not None and LOWEST_CONFIDENCE <= confidence <= 1.0:
        return () if confidence >= policy.minimum_confidence else ("low_confidence",)
    return ("low_confidence",)


def _waivers(facts: Facts, verdict: Verdict, policy: Policy) -> tuple[str, ...]:
    is_named = verdict.classification is not None and verdict.classification in policy.protect.waive_employment_for
    is_alone = facts.protected == (WAIVABLE,) and not facts.action_language
    return (WAIVED,) if is_named and is_alone else ()


def leave_reason(facts: Facts, verdict: Verdict) -> str:
    """The first reason to do nothing at all, or an empty string."""
    if facts.label_ids is None:
        return "labels_unknown"
    for label in _ELSEWHERE:
        if label in facts.label_ids:
            return f"in_{label.lower()}"
    checks = (
        ("not_in_inbox", "INBOX" not in facts.label_ids),
        ("outside_window", not facts.is_in_window),
        ("already_handled", facts.is_handled),
        ("reversed_by_hand", facts.is_reversed_by_hand),
        (f"screen:{facts.screen or 'unknown'}", facts.screen is None or facts.screen in _UNTOUCHABLE_SCREENS),
        ("irrelevant", verdict.source == "irrelevant"),
        ("not_relevant", verdict.classification is None),
    )
    return next((reason for reason, holds in checks if holds), "")


def rule_message(facts: Facts, verdict: Verdict, permission: Archive | Barred) -> Ruling:
    """The strongest action that the message alone allows."""
    why_leave = leave_reason(facts, verdict)
    barred = permission.reasons if isinstance(permission, Barred) else ()
    if why_leave:
        return Ruling("leave", (why_leave, *(reason for reason in barred if reason != why_leave)))
    if isinstance(permission, Archive):
        return Ruling("label+archive", permission.waivers)
    return Ruling(_weaker(verdict), barred)


def _weaker(verdict: Verdict) -> Action:
    """What is left of an archive: the label, or nothing where the label is a guess that was only to file the mail."""
    return "leave" if verdict.only_to_file else "label"


def rule_thread(
    members: Sequence[tuple[Facts, Verdict]], rules: RuleSet, policy: Policy, *, is_whole: bool
) -> tuple[Ruling, ...]:
    """The rulings of all known members of one thread, in order: one that must stay keeps every one.

    `is_whole` says that every member was read; if not, nobody knows what the rest says.
    """
    permissions = [permit_archive(facts, verdict, rules, policy) for facts, verdict in members]
    rulings = [rule_message(*pair, found) for pair, found in zip(members, permissions, strict=True)]
    keeps = [
        _keeps_thread(pair[0], ruling, found) for pair, ruling, found in zip(members, rulings, permissions, strict=True)
    ]
    reasons = (*(() if is_whole else ("thread:not_read",)), *(("thread:member_stays",) if any(keeps) else ()))
    return tuple(_held(ruling, reasons, verdict) for ruling, (_, verdict) in zip(rulings, members, strict=True))


def _keeps_thread(facts: Facts, ruling: Ruling, permission: Archive | Barred) -> bool:
    """Whether a member must stay: something stands against it, or it stays in the inbox anyway."""
    if isinstance(permission, Barred) and any(_is_standing(reason) for reason in permission.reasons):
        return True
    is_in_inbox = facts.label_ids is None or "INBOX" in facts.label_ids
    return is_in_inbox and ruling.action != "label+archive"


def _is_standing(reason: str) -> bool:
    return reason.startswith(("screen:", "body:", "protected:", "action:", "labels_unknown"))


def _held(ruling: Ruling, reasons: tuple[str, ...], verdict: Verdict) -> Ruling:
    if ruling.action != "label+archive" or not reasons:
        return ruling
    return Ruling(_weaker(verdict), (*reasons, *ruling.reasons))


def standing_classes(facts: Facts, ruling: Ruling) -> tuple[str, ...]:
    """The protected classes that count: all, without the one that the ruling waived; unknown is `uncertain`."""
    if facts.protected is None:
        return ("uncertain",)
    return tuple(name for name in facts.protected if not (name == WAIVABLE and WAIVED in ruling.reasons))


def rule_threads(
    cases: Mapping[str, Sequence[tuple[Facts, Verdict]]], whole: Mapping[str, bool], rules: RuleSet, policy: Policy
) -> dict[str, Ruling]:
    """Rulings by message id for cases by thread id; a thread that `whole` does not know counts as not read."""
    ruled: dict[str, Ruling] = {}
    for thread, members in cases.items():
        rulings = rule_thread(members, rules, policy, is_whole=whole.get(thread, False))
        ruled.update({facts.message_id: ruling for (facts, _), ruling in zip(members, rulings, strict=True)})
    return ruled
