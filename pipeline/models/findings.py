"""A finding: something about the rules or the mailbox that does not fit, how bad it is, and what mends it.

    error      what is written cannot be meant; it should not be used like this
    warning    it does less, or more, than its owner will expect
    note       worth knowing; nothing has to be done, and it never turns a check red

>>> Finding("warning", "shadowed", "boards", what="never asked", mend="gmailtriage rules --remove boards").id
'shadowed/boards'
"""

import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

Severity = Literal["error", "warning", "note"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `subject` is what it is about (a rule, a label, a sender) and, with the kind, its identity."""

    severity: Severity
    kind: str
    subject: str
    what: str
    mend: str = ""
    """The command that mends it, or the edit; empty for a note that asks for nothing."""
    file: str = ""
    rule: str = ""
    message_ids: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """`kind/subject`: the same finding keeps its id from run to run."""
        return f"{self.kind}/{self.subject}"


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Worst first, then by id."""
    return tuple(sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), one.id)))


def counts(findings: Iterable[Finding]) -> dict[Severity, int]:
    """How many of each severity, zeros included."""
    found = Counter(one.severity for one in findings)
    return {severity: found[severity] for severity in SEVERITIES}


def is_green(findings: Iterable[Finding]) -> bool:
    """Whether nothing has to be mended; notes may stand."""
    return all(one.severity == "note" for one in findings)


def removal(rule: str) -> str:
    """The command that takes a rule out, as a shell reads it."""
    return f"gmailtriage rules --remove {shlex.quote(rule)}"


def number_of(count: int, thing: str) -> str:
    """`1 message`, `2 messages`."""
    return f"{count} {thing}{'' if count == 1 else 's'}"
