"""What stands in the rule files: counts by file, each rule with its class, and where the files lie."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.canonical import sha256_hex
from pipeline.judge.rule_places import places
from pipeline.models.rules import Rule, RuleSet

COUNTED = ("classification", "rule", "pattern", "action", "protected", "example", "sender_contains", "domains")
MINED = "mined "
"""How `mine` begins the name of a rule that it proposes."""


def rule_list(rules: RuleSet, files: Sequence[tuple[str, bytes]], folder: Path) -> dict[str, object]:
    """The rule book as one JSON value."""
    where = places(files)
    return {
        "folder": str(folder),
        "review": rules.review,
        "files": {name: {"sha256": sha256_hex(data), **counted(data)} for name, data in files},
        "rules": [rule_value(rule, where[rule.name]) for rule in rules.rules],
    }


def counted(data: bytes) -> dict[str, int]:
    """How many of each kind a file holds, without zeros."""
    read = tomllib.loads(data.decode())
    return {key: len(read[key]) for key in COUNTED if read.get(key)}


def rule_value(rule: Rule, file: str) -> dict[str, object]:
    """One rule: what it says of which mail, with how many markers, and where it comes from."""
    return {
        "name": rule.name,
        "tier": rule.tier,
        "file": file,
        "origin": "mined" if rule.name.startswith(MINED) else "written",
        "classification": rule.classification,
        "confidence": rule.confidence,
        "is_safe_to_archive": rule.is_safe_to_archive,
        "markers": {field: len(markers) for field, markers in rule.conditions},
    }


def rule_list_lines(listed: Mapping[str, object]) -> list[str]:
    """The same for a person."""
    files, rules = listed["files"], listed["rules"]
    if not isinstance(files, dict) or not isinstance(rules, list):
        raise TypeError("files and rules are listed")
    return [
        f"rules of {listed['folder']}",
        *(f"  {name:26s} {_counts(found)}" for name, found in files.items()),
        "asked in this order, the first that holds wins:",
        *(_line(rule) for rule in rules),
    ]


def _counts(found: Mapping[str, object]) -> str:
    return ", ".join(f"{number} {key}" for key, number in found.items() if key != "sha256") or "nothing"


def _line(rule: Mapping[str, object]) -> str:
    markers = rule["markers"]
    told = ", ".join(f"{number} {field}" for field, number in markers.items()) if isinstance(markers, dict) else ""
    never = "" if rule["is_safe_to_archive"] else ", never archives"
    from_mining = ", mined" if rule["origin"] == "mined" else ""
    name, said = str(rule["name"]), f"{rule['classification']}, {rule['confidence']}"
    return f"  {rule['tier']!s:9s} {name:36s} -> {said}{never}{from_mining} ({told})"
