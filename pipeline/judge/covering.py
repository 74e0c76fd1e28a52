"""When one rule always answers in another's place: wherever the narrow one holds, the wide one holds too.

Promises: sound, not complete. `covers(wide, narrow)` is true only if no mail exists in which `narrow` is hit and `wide`
is not; it knows that a longer text holds a shorter one, that an address has a domain and a local part, and which domain
lies under which. Conditions are read as `Rule.holds` reads them: all groups must be hit, one atom of each is enough.

The tiers do not see the same text. The owner's own words (overrides, templates) are looked for in all of it; those of
a pattern only in what is meant, without hypothetical sentences; those of a pattern that asks only where no harmless
phrase stands, and in what links say too. So a template on "will call you back" can hold where a pattern on "call you
back" does not.

>>> wide = groups_of((("sender", (".jobly.example",)),))
>>> covers(wide, groups_of((("domain_equals", ("mail.jobly.example",)), ("text", ("digest",)))))
True
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.mail import address, domains
from pipeline.mail.fold import words
from pipeline.mail.matcher import GAP, MarkerField, plain
from pipeline.models.rules import Rule

_WIDER: Final[dict[str, frozenset[str]]] = {
    "subject": frozenset({"subject", "text"}),
    "body": frozenset({"body", "text"}),
    "text": frozenset({"text"}),
}
EVERYTHING: Final = 0
MEANT: Final = 1
ASKED: Final = 2
"""What of a text a rule sees: all of it, what is not hypothetical, or of that what is no harmless phrase."""
_SHORT: Final = 4
"""Letters of a word that may count only as a whole word."""
_SOLID: Final = 6
"""Letters of a word that is found even where a line end cuts it in two."""
_KINDS: Final = {"domain_equals": "equal", "domain_under": "under"}


@dataclass(frozen=True, slots=True)
class Atom:
    """One marker, normalised: a folded text, the words of a sender phrase joined by blanks, an address, a domain."""

    kind: str
    """subject, body, text, phrase, address, equal, under; or the field itself, compared as a whole."""
    text: str
    number: int
    """Its place in the rule's list, from 1."""
    field: MarkerField
    sees: int = EVERYTHING


Group = tuple[Atom, ...]
Conditions = Sequence[tuple[MarkerField, tuple[str, ...]]]


def groups_of_rule(rule: Rule) -> tuple[Group, ...]:
    """The conditions of a rule as groups that see what its tier sees."""
    return groups_of(rule.conditions, EVERYTHING if rule.role == "rule" else ASKED if rule.asks else MEANT)


def groups_of(conditions: Conditions, sees: int = EVERYTHING) -> tuple[Group, ...]:
    """The conditions as groups; `domain_equals` and `domain_under` are one."""
    by_group: dict[str, list[Atom]] = {}
    for field, markers in conditions:
        name = "domain" if field.startswith("domain_") else field
        atoms = (atom_of(field, marker, number, sees) for number, marker in enumerate(markers, 1))
        by_group.setdefault(name, []).extend(atoms)
    return tuple(tuple(group) for group in by_group.values())


def atom_of(field: MarkerField, marker: str, number: int = 1, sees: int = EVERYTHING) -> Atom:
    """One marker of one field as the matcher reads it."""
    kind, text = _sender_atom(marker) if field == "sender" else (_KINDS.get(field, field), marker)
    if kind in ("equal", "under"):
        text = domains.canonical(text) or ""
    return Atom(kind, plain(text) if kind in _WIDER else text, number, field, sees)


def _sender_atom(marker: str) -> tuple[str, str]:
    if "@" in marker:
        return "address", address.read_sender([marker]).address or ""
    if "." in marker:
        name = marker.removeprefix(".")
        return "under" if marker.startswith(".") else "equal", name if "." in name else ""
    return "phrase", " ".join(words(marker))


def always_beats(wide: Rule, narrow: Rule, narrowed: Sequence[Group] | None = None) -> bool:
    """Whether a rule that is asked first holds wherever the other does (or a part of it, as groups)."""
    if not set(wide.unless) <= set(narrow.unless):
        return False  # there is mail of a shape for which the first is silent
    return covers(groups_of_rule(wide), groups_of_rule(narrow) if narrowed is None else narrowed)


def covers(wide: Sequence[Group], narrow: Sequence[Group]) -> bool:
    """Whether `wide` holds wherever `narrow` does. What has no group, or an empty one, covers nothing."""
    return bool(wide) and all(any(_implied(group, by) for by in narrow) for group in wide)


def _implied(group: Group, by: Group) -> bool:
    return bool(group and by) and all(any(implies(atom, one) for one in group) for atom in by)


def implies(narrow: Atom, wide: Atom) -> bool:
    """Whether a hit of one atom is always a hit of the other."""
    if not narrow.text or not wide.text:
        return False
    if narrow.kind in _WIDER:
        return wide.kind in _WIDER[narrow.kind] and _is_seen(narrow, wide) and _is_said(narrow, wide)
    if narrow.kind == "phrase":
        return wide.kind == "phrase" and _stands_in(wide.text, narrow.text)
    if narrow.kind == "address":
        return _address_implies(narrow.text, wide)
    if narrow.kind not in ("equal", "under"):
        return (narrow.kind, narrow.text) == (wide.kind, wide.text)
    return _domain_implies(narrow, wide)


def _is_seen(narrow: Atom, wide: Atom) -> bool:
    """Whether the text in which the one was found is looked through for the other too.

    Where sentences were cut out, the words around them meet: only a text without blanks surely stood there before.
    """
    is_part = (narrow.sees, wide.sees) == (MEANT, EVERYTHING) and " " not in wide.text
    return narrow.sees == wide.sees or is_part


def _is_said(narrow: Atom, wide: Atom) -> bool:
    """Whether the longer text holds the shorter one, gaps and all; one solid word may be found in halves."""
    if narrow.text == wide.text:
        return True
    if narrow.sees == ASKED and narrow.text.isalpha() and len(narrow.text) >= _SOLID:
        return False
    if GAP not in wide.text:
        return any(_holds(part, wide.text) for part in narrow.text.split(GAP))
    before, found, _ = narrow.text.partition(wide.text)
    return bool(found) and GAP not in before


def _holds(text: str, part: str) -> bool:
    """Whether the part stands in the text; a short word as a word, which at an end of the text nobody can tell."""
    if len(part) > _SHORT or not (part.isascii() and part.isalpha()):
        return part in text
    return re.search(rf"[\W_]{re.escape(part)}[\W_]", text) is not None


def _address_implies(text: str, wide: Atom) -> bool:
    local, _, domain = text.rpartition("@")
    if wide.kind == "phrase":
        return _stands_in(wide.text, " ".join(words(local)))
    if wide.kind == "address":
        return wide.text == text
    return _domain_implies(Atom("equal", domain, 0, "domain_equals"), wide)


def _domain_implies(narrow: Atom, wide: Atom) -> bool:
    if wide.kind == "under":
        return domains.is_under(narrow.text, wide.text)
    return wide.kind == "equal" == narrow.kind and domains.is_equal(narrow.text, wide.text)


def _stands_in(phrase: str, text: str) -> bool:
    return f" {phrase} " in f" {text} "


def one_by_one(groups: Sequence[Group]) -> Iterable[tuple[Atom, tuple[Group, ...]]]:
    """Each atom with the groups that remain when it stands for its whole group."""
    for at, group in enumerate(groups):
        for atom in group:
            yield atom, (*groups[:at], (atom,), *groups[at + 1 :])
