"""Findings for a person and for a script: worst first, each with the command or edit that mends it."""

from collections.abc import Sequence

import polars as pl

from pipeline.models.findings import Finding, counts, in_order, is_green, number_of
from pipeline.tables import FINDINGS

SHOWN_IDS = 3


def finding_lines(findings: Sequence[Finding], green: str) -> list[str]:
    """Two lines a finding, and one that adds up; `green` says what was looked at when there is nothing to mend."""
    told = [line for one in findings for line in _lines(one)]
    numbers = ", ".join(number_of(number, name) for name, number in counts(findings).items())
    return [*told, f"green: {green}" if is_green(findings) else f"findings: {numbers}"]


def _lines(one: Finding) -> list[str]:
    where = f"{one.file}: " if one.file else ""
    ids = "".join(f" {message}" for message in one.message_ids[:SHOWN_IDS])
    more = f" and {len(one.message_ids) - SHOWN_IDS} more" if len(one.message_ids) > SHOWN_IDS else ""
    mend = [f"    mend: {one.mend}"] if one.mend else []
    return [f"{one.severity:7s}  {where}{one.id}: {one.what}{f' ({ids.strip()}{more})' if ids else ''}", *mend]


def findings_document(findings: Sequence[Finding]) -> dict[str, object]:
    """The same as one JSON value."""
    return {
        "is_green": is_green(findings),
        "counts": dict(counts(findings)),
        "findings": [finding_value(one) for one in findings],
    }


def finding_value(one: Finding) -> dict[str, object]:
    """One finding, field by field."""
    return {
        "id": one.id,
        "severity": one.severity,
        "kind": one.kind,
        "subject": one.subject,
        "what": one.what,
        "mend": one.mend,
        "file": one.file,
        "rule": one.rule,
        "message_ids": list(one.message_ids),
    }


def is_findings(value: object) -> bool:
    """Whether a value is a table of findings."""
    return isinstance(value, pl.DataFrame) and value.columns == list(FINDINGS.columns)


def findings_of(value: object) -> tuple[Finding, ...]:
    """The findings of such a table, worst first; none of anything else."""
    if not isinstance(value, pl.DataFrame) or not is_findings(value):
        return ()
    rows = (dict(row) for row in value.drop("id").iter_rows(named=True))
    return in_order(Finding(**{**row, "message_ids": tuple(row["message_ids"])}) for row in rows)
