"""A few rows of each group, for a person's eyes before a yes. Pure; every text of a mail is shown inert.

rows = rows_of(manifest.targets, decisions)      # satisfy `selecting.Selectable`
group_lines(rows)                                # groups, most first, each with a few of its messages

A group is what shares classification, change and rule. Its examples come from different senders before they come twice
from one, newest first. Of a sender only the domain is told, of a subject only what the snapshot kept: codes are masked.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

import polars as pl

from pipeline.models.manifest import Target
from pipeline.sealing.selecting import group_of
from pipeline.untrusted import show

FEW = 3
"""Examples of a group."""
DOMAIN_WIDTH, SUBJECT_WIDTH = 28, 60
NOBODY = "(no certain sender)"


@dataclass(frozen=True, slots=True)
class Sample:
    """One message as a person may see it; `date_ms` is Gmail's internal date."""

    message_id: str
    group: str
    sender: str | None
    subject: str
    date_ms: int

    @property
    def domain(self) -> str:
        """The sender's domain."""
        return self.sender.rpartition("@")[2].casefold() if self.sender else NOBODY

    @property
    def line(self) -> str:
        """Date, domain, subject, inert and in columns."""
        date = datetime.fromtimestamp(self.date_ms / 1000, UTC)
        domain = show(self.domain, DOMAIN_WIDTH)
        return f"{date:%Y-%m-%d}  {domain:{DOMAIN_WIDTH}s}  {show(self.subject, SUBJECT_WIDTH)}"


def rows_of(targets: Iterable[Target], decisions: pl.DataFrame) -> tuple[Sample, ...]:
    """A row for each target, in their order, with sender and subject out of the decisions table."""
    decided = {str(row["message_id"]): row for row in decisions.iter_rows(named=True)}
    return tuple(_row(target, decided.get(target.message_id, {})) for target in targets)


def _row(target: Target, decided: Mapping[str, object]) -> Sample:
    sender, subject = decided.get("sender"), decided.get("subject")
    return Sample(
        message_id=target.message_id,
        group=group_of(target),
        sender=sender if isinstance(sender, str) else None,
        subject=subject if isinstance(subject, str) else "",
        date_ms=target.fingerprint.internal_date_ms,
    )


def group_lines(rows: Iterable[Sample], few: int = FEW) -> list[str]:
    """Each group with its name, number and examples, the largest first."""
    ordered = sorted(rows, key=lambda row: row.group)
    groups = [(name, tuple(members)) for name, members in groupby(ordered, key=lambda row: row.group)]
    groups.sort(key=lambda group: (-len(group[1]), group[0]))
    return [line for name, members in groups for line in _lines(name, members, few)]


def _lines(name: str, members: tuple[Sample, ...], few: int) -> list[str]:
    chosen = representatives(members, few)
    more = [f"          and {len(members) - len(chosen)} more"] if len(members) > len(chosen) else []
    return [f"group     {show(name)}: {len(members)}", *(f"          {row.line}" for row in chosen), *more]


def representatives(rows: Iterable[Sample], few: int = FEW) -> tuple[Sample, ...]:
    """At most `few` rows: first one of each domain, the domains with most mail before the others, newest first."""
    newest = sorted(rows, key=lambda row: (-row.date_ms, row.message_id))
    size, seen = Counter(row.domain for row in newest), Counter[str]()
    ranked = []
    for row in newest:
        ranked.append((seen[row.domain], -size[row.domain], row.domain, row))
        seen[row.domain] += 1
    ranked.sort(key=lambda found: found[:3])
    return tuple(row for *_, row in ranked[:few])
