"""What is wrong with rules that load: read from the rules alone, without a single mail.

    shadowed            an earlier rule, or the irrelevant senders, always answers first
    conflict            two rules of one tier say different things of the same mail
    dead                no condition, an empty one, or a class that the taxonomy lacks
    never_archives      it means to archive, and the gate could never let it
    catches_people      its sender words name anybody at a shared domain, or a person

Pure: a rule set and a policy in, findings out, worst first. What stored mail adds is in `lint_mail`.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from pipeline.judge.covering import Atom, Group, always_beats, covers, groups_of, groups_of_rule, one_by_one
from pipeline.judge.gate import LOWEST_CONFIDENCE
from pipeline.judge.given_names import EVERYDAY, GIVEN_NAMES, KIN, TITLES
from pipeline.judge.own_words import suppressed_by
from pipeline.judge.people import MACHINES
from pipeline.judge.rule_places import FILE_OF_TIER, IRRELEVANT_FILE, TAXONOMY_FILE
from pipeline.judge.shared_domains import what_is_shared
from pipeline.mail.fold import words
from pipeline.models.findings import Finding, in_order, removal
from pipeline.models.policy import Policy
from pipeline.models.rules import IRRELEVANT, Rule, RuleSet

_NAMES: Final = GIVEN_NAMES - EVERYDAY


def lint(rules: RuleSet, policy: Policy) -> tuple[Finding, ...]:
    """Every finding about the rules themselves, worst first."""
    dead = tuple(_dead(rules))
    alive = tuple(rule for rule in rules.rules if rule.name not in {found.rule for found in dead})
    return in_order((*dead, *_beaten(alive, rules), *_never_archives(alive, rules, policy), *_people(rules, policy)))


def _finding(severity: str, kind: str, rule: Rule, what: str, mend: str, subject: str = "") -> Finding:
    file = FILE_OF_TIER[rule.tier]
    return Finding(severity, kind, subject or rule.name, what, mend, file, rule.name)  # type: ignore[arg-type]


def _dead(rules: RuleSet) -> Iterator[Finding]:
    for rule in rules.rules:
        if not rule.conditions or any(not group for group in groups_of(rule.conditions)):
            yield _finding("error", "dead", rule, "a condition is empty, so nothing meets it", removal(rule.name))
        elif rules.classification(rule.classification) is None:
            mend = f"edit {TAXONOMY_FILE}: add {rule.classification}, or {removal(rule.name)}"
            yield _finding("error", "dead", rule, f"the taxonomy has no class {rule.classification}", mend)


def _beaten(alive: tuple[Rule, ...], rules: RuleSet) -> Iterator[Finding]:
    """Rules, and markers of rules, that an earlier answer makes idle."""
    ignored = tuple(atom for found in rules.sets if found.name == IRRELEVANT for atom in _atoms(found.conditions))
    for at, rule in enumerate(alive):
        if ignored and covers((ignored,), groups_of(rule.conditions)):
            what = "its senders are irrelevant, so it is never asked"
            yield _finding("warning", "shadowed", rule, what, _out_or(rule, f"take them out of {IRRELEVANT_FILE}"))
            continue
        winner = next((one for one in alive[:at] if always_beats(one, rule)), None)
        if winner is not None:
            yield _idle(rule, winner, is_mutual=always_beats(rule, winner))
        elif rule.tier != "tier1":
            yield from _idle_markers(rule, alive[:at])


def _atoms(conditions: tuple[tuple[str, tuple[str, ...]], ...]) -> Group:
    return tuple(atom for group in groups_of(conditions) for atom in group)  # type: ignore[arg-type]  # marker fields


def _idle(rule: Rule, winner: Rule, *, is_mutual: bool) -> Finding:
    says = "the same" if winner.classification == rule.classification else winner.classification
    if is_mutual and winner.tier == rule.tier and says != "the same":
        what = f'"{winner.name}" has the same condition, stands before it and says {says}'
        return _finding("error", "conflict", rule, what, f"{removal(rule.name)}, or {removal(winner.name)}")
    what = f'"{winner.name}" ({winner.tier}) holds wherever it does, is asked first and says {says}'
    return _finding("warning", "shadowed", rule, what, _out_or(rule, f'edit: make "{winner.name}" narrower'))


def _out_or(rule: Rule, other: str) -> str:
    return f"{removal(rule.name)}, or {other}"


def _idle_markers(rule: Rule, earlier: tuple[Rule, ...]) -> Iterator[Finding]:
    """Single markers for which an earlier rule of the same tier answers otherwise."""
    rivals = [one for one in earlier if one.tier == rule.tier and one.classification != rule.classification]
    for atom, narrowed in one_by_one(groups_of_rule(rule)):
        winner = next((one for one in rivals if always_beats(one, rule, narrowed)), None)
        if winner is not None:
            what = f'marker {_place(atom)} is taken by "{winner.name}", which says {winner.classification}'
            mend = f"edit: take marker {_place(atom)} out of one of the two"
            yield _finding("warning", "conflict", rule, what, mend, f"{rule.name}/{_place(atom)}")


def _place(atom: Atom) -> str:
    return f"{atom.field}/{atom.number}"


def _never_archives(alive: tuple[Rule, ...], rules: RuleSet, policy: Policy) -> Iterator[Finding]:
    for rule in alive:
        found = rules.classification(rule.classification)
        is_archivable = found is not None and found.archivable
        if rule.tier == "override" and rule.is_safe_to_archive and not is_archivable:
            what = f"safe_to_archive = true, and mail of the class {rule.classification} never leaves the inbox"
            yield _finding("warning", "never_archives", rule, what, "edit: safe_to_archive = false")
        elif is_archivable and rule.is_safe_to_archive:
            yield from _kept_by_the_gate(rule, rules, policy)


def _kept_by_the_gate(rule: Rule, rules: RuleSet, policy: Policy) -> Iterator[Finding]:
    least = max(LOWEST_CONFIDENCE, policy.minimum_confidence)
    if rule.confidence < least:
        severity = "warning" if rule.tier == "override" else "note"
        what = f"confidence {rule.confidence} is under {least}: it labels and never archives"
        yield _finding(severity, "never_archives", rule, what, f"edit: confidence = {least}, if it may archive")
    elif (found := suppressed_by(rule, rules, policy)).reasons:
        what = f"its own words always raise {found.reasons}: it labels and never archives"
        if not found.is_always:
            what = f"its own words raise {found.reasons} where they are meant: it archives only what says them in an if"
        yield _finding("warning", "never_archives", rule, what, "edit: other words, or another class")


def _people(rules: RuleSet, policy: Policy) -> Iterator[Finding]:
    owners = [(rule.name, FILE_OF_TIER[rule.tier], rule.conditions) for rule in rules.rules]
    owners += [(found.name, IRRELEVANT_FILE, found.conditions) for found in rules.sets if found.name == IRRELEVANT]
    personal = {word for name in policy.protect.personal_names for word in words(name)}
    for name, file, conditions in owners:
        senders = tuple(one for one in conditions if one[0] in ("sender", "domain_equals", "domain_under"))
        for atom in _atoms(senders):
            if problem := names_people(atom, personal):
                severity = "error" if atom.kind in ("equal", "under") else "warning"
                mend = f"edit: name whole addresses instead of marker {_place(atom)}"
                yield Finding(severity, "catches_people", f"{name}/{_place(atom)}", problem, mend, file, name)  # type: ignore[arg-type]


def names_people(atom: Atom, personal: Iterable[str] = ()) -> str:
    """Why a sender marker could mean a person, or an empty string."""
    if atom.kind in ("equal", "under"):
        return what_is_shared(atom.text, is_under=atom.kind == "under")
    if atom.kind != "phrase":
        return ""
    found = atom.text.split()
    if set(found) & set(personal):
        return "a word of a name that policy.toml lists as personal"
    if all(len(word) == 1 for word in found):
        return "an initial: it stands in the names of many"
    if found[0] in TITLES:
        return "a title, as it stands before anybody's name"
    is_name = not set(found) & MACHINES and (not _NAMES.isdisjoint(found) or set(found) <= KIN)
    return "a person's first name" if is_name else ""
