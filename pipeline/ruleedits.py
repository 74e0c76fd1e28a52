"""Taking one rule out of a rule file: every byte that is not the rule's own stays, comments too.

Promises: the name is looked for in all files and must stand exactly once; only rules and patterns can be taken out (the
action and protected sets hold mail in the inbox, so they are edited by hand); the new bytes are one cut out of the old
ones and say what the old ones said without that rule; the whole rule book must still load, its examples included.

    cut(files, "boardly")   # Cut(file='sender_rules.toml', old=b'...', new=b'...', removed='[[rule]]\\n...')
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from pipeline.judge.rule_places import named_tables
from pipeline.mail.fold import fold
from pipeline.models.findings import removal
from pipeline.refusals import InputRefused, RulesRefused
from pipeline.rulebook import read_rules

_MARK: Final = "\x00"
"""No TOML file can hold it."""
_KEPT: Final = ("action", "protected")
Files = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """One file before and after, and the text that was taken out."""

    file: str
    old: bytes
    new: bytes
    removed: str


def cut(files: Files, name: str) -> Cut:
    """The edit that takes the rule of that name out. Raises RulesRefused when it may not be done."""
    file, key, index = _place(files, name)
    old = dict(files)[file]
    new, removed = without(old, key, index, file)
    changed = tuple((one, new if one == file else data) for one, data in files)
    try:
        read_rules(changed)
    except InputRefused as error:
        raise RulesRefused(
            f"without this rule the others would not load: {error.what}",
            evidence=error.evidence,
            next_command=f"take out by hand what rests on it, then {removal(name)}",
        ) from None
    return Cut(file, old, new, removed)


def _place(files: Files, name: str) -> tuple[str, str, int]:
    """(file, key, index) of the one rule of that name."""
    found = [(file, key, index) for file, data in files for key, index, one in _named(file, data) if one == name]
    near = [one for file, data in files for _, _, one in _named(file, data) if fold(one) == fold(name)]
    if not found:
        evidence = f"did you mean {near[0]!r}?" if near else f"{len(files)} rule files"
        raise RulesRefused("there is no rule of that name", evidence=evidence, next_command="gmailtriage rules list")
    if len(found) > 1:
        where = ", ".join(f"{file} [[{key}]] no. {index + 1}" for file, key, index in found)
        raise RulesRefused("the name stands more than once", evidence=where, next_command="rename all but one by hand")
    if found[0][1] in _KEPT:
        raise RulesRefused(
            "a set of words that keeps mail in the inbox is no rule",
            evidence=f"{found[0][0]} [[{found[0][1]}]]",
            next_command="edit the file by hand, if this is meant",
        )
    return found[0]


def _named(file: str, data: bytes) -> list[tuple[str, int, str]]:
    """(key, index, name) of every table that has a name."""
    return list(named_tables(_loads(data, file)))


def _loads(data: bytes, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode())
    except ValueError as error:
        raise RulesRefused(f"{file} is not TOML", evidence=type(error).__name__) from None


def without(old: bytes, key: str, index: int, file: str = "") -> tuple[bytes, str]:
    """(the file without the table `[[key]]` of that index, the text taken out). One empty line before it goes too."""
    before, removed, after = _split(old, key, index, file)
    gap = before[: -len("\n")] if before.endswith("\n\n") else before
    new = (gap + after).encode()
    if _loads(new, file) != _without_table(_loads(old, file), key, index):
        raise RulesRefused("the edit would change more than one rule", evidence=file, next_command="edit it by hand")
    return new, removed


def _split(old: bytes, key: str, index: int, file: str) -> tuple[str, str, str]:
    """The text before, of and after a table: from its header to the end of its last value, comments after it not."""
    try:
        text = old.decode()
        document = tomlkit.parse(text)
    except (ValueError, TOMLKitError) as error:
        raise RulesRefused(f"{file} is not TOML", evidence=type(error).__name__) from None
    tables = document.get(key)
    table = tables[index] if isinstance(tables, AoT) else None
    if not isinstance(table, Table):
        raise RulesRefused("the rule is not a table of its own", evidence=file, next_command="edit it by hand")
    last = [item for name, item in table.value.body if name is not None][-1]
    end = last.trivia.trail  # the line end; the mark stands before it, because the editor adds one where it lacks
    table.trivia.indent, last.trivia.trail = _MARK + table.trivia.indent, _MARK + end
    parts = tomlkit.dumps(document).split(_MARK)
    if len(parts) != len(("before", "rule", "after")) or "".join(parts) != text:
        raise RulesRefused("the editor would change the layout", evidence=file, next_command="edit it by hand")
    return parts[0], parts[1] + end, parts[2].removeprefix(end)


def _without_table(read: Mapping[str, Any], key: str, index: int) -> dict[str, Any]:
    """What the file must say afterwards; the last rule takes its key with it."""
    left = [table for at, table in enumerate(read[key]) if at != index]
    rest = {name: value for name, value in read.items() if name != key}
    return {**rest, key: left} if left else rest
