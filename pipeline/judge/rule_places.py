"""Where a rule stands: by its tier as a rule set knows it, or by its name as the files themselves tell.

places((("sender_rules.toml", b'...name = "boardly"...'),))      # {'boardly': 'sender_rules.toml'}
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from pipeline.models.findings import Finding
from pipeline.models.rules import Tier

FILE_OF_TIER: Final[dict[Tier, str]] = {
    "override": "manual_overrides.toml",
    "tier1": "patterns.toml",
    "template": "template_rules.toml",
    "sender": "sender_rules.toml",
}
IRRELEVANT_FILE: Final = "irrelevant_senders.toml"
TAXONOMY_FILE: Final = "taxonomy.toml"
NAMED: Final = ("rule", "pattern", "action", "protected")
"""The arrays of tables whose members have names."""


def named_tables(read: Mapping[str, Any]) -> Iterator[tuple[str, int, str]]:
    """(key, index, name) of every named table of one file."""
    for key in NAMED:
        tables = read.get(key)
        for index, table in enumerate(tables if isinstance(tables, list) else ()):
            if isinstance(table, dict) and "name" in table:
                yield key, index, str(table["name"])


def places(files: Iterable[tuple[str, bytes]]) -> dict[str, str]:
    """Name -> file, of files that load."""
    read = ((file, tomllib.loads(data.decode())) for file, data in files)
    return {name: file for file, tables in read for _, _, name in named_tables(tables)}


def placed(findings: Iterable[Finding], files: Iterable[tuple[str, bytes]]) -> tuple[Finding, ...]:
    """The findings with the very file in which each rule stands."""
    where = places(files)
    return tuple(replace(one, file=where.get(one.rule, one.file)) for one in findings)
