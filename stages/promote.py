"""promote: a person makes one proposed sender rule active, by the full digest of the proposal.

Promises: exactly one rule is appended to rules/sender_rules.toml; every other byte of the file stays; the new file is
parsed and the whole rule book checked before it takes the old one's place; a proposal with a reason against it, an
unknown digest and a proposal that changed since are refused. Nothing else adds a rule.

    gmailtriage promote 5f0c…  (the full digest that `gmailtriage mine` listed)
"""

import tomllib
from pathlib import Path

import polars as pl
import tomlkit

from pipeline.context import Context
from pipeline.refusals import InputRefused, NotATerminal, ProposalRefused
from pipeline.rulebook import RULES, read_rules
from pipeline.stage import Option, Stage
from pipeline.store import read_bytes, replace_file
from stages.mine import PROPOSALS

FILE = "sender_rules.toml"


def promote(context: Context, digest: str) -> str:
    """Append the proposed rule of that digest to the owner's sender rules. Raises ProposalRefused or NotATerminal."""
    if not digest:
        raise NotATerminal(
            "no proposal was named", evidence="promote takes the full digest", next_command="gmailtriage mine --json"
        )
    row = find(context.derive(PROPOSALS)[0], digest)
    path = context.config.rules_folder() / FILE
    old = read_bytes(path)
    new = with_rule(old, rule_of(row))
    refuse_broken(context.config.rules, path, new)
    replace_file(path, new)
    return f"promoted: {row['sender_contains']} is {row['classification']}\nwrote: {path}\nnext: gmailtriage plan"


def find(proposals: object, digest: str) -> dict[str, object]:
    """The promotable row of a digest. Raises ProposalRefused."""
    if not isinstance(proposals, pl.DataFrame):
        raise TypeError("proposals is a table")
    rows = proposals.filter(pl.col("digest") == digest).to_dicts()
    if not rows:
        raise ProposalRefused(
            "there is no proposal of that digest",
            evidence=f"{proposals.height} proposals",
            next_command="gmailtriage mine",
        )
    if rows[0]["reasons_against"]:
        raise ProposalRefused("this proposal may not be promoted", evidence=", ".join(rows[0]["reasons_against"]))
    return rows[0]


def rule_of(row: dict[str, object]) -> dict[str, object]:
    """The rule as the file writes it."""
    return {
        "name": row["name"],
        "sender_contains": [row["sender_contains"]],
        "classification": row["classification"],
        "confidence": row["confidence"],
    }


def with_rule(old: bytes, rule: dict[str, object]) -> bytes:
    """The file's bytes with one `[[rule]]` appended. Raises ProposalRefused when anything else would change."""
    tables = tomlkit.aot()
    tables.append(tomlkit.item(rule))
    addition = tomlkit.dumps(tomlkit.document().append("rule", tables))
    gap = b"" if old.endswith(b"\n") or not old else b"\n"
    new = old + gap + b"\n" + addition.encode()
    try:
        before, after = tomllib.loads(old.decode()), tomllib.loads(new.decode())
    except ValueError as error:
        raise ProposalRefused("the file would no longer be TOML", evidence=f"{FILE}: {type(error).__name__}") from None
    if after != {**before, "rule": [*before.get("rule", []), rule]}:
        raise ProposalRefused("the edit would change more than one rule", evidence=FILE)
    return new


def refuse_broken(rules: tuple[tuple[str, bytes], ...], path: Path, new: bytes) -> None:
    """Raise ProposalRefused unless the whole rule book still reads, its examples included."""
    changed = tuple((name, new if name == path.name else data) for name, data in rules)
    try:
        read_rules(changed)
    except InputRefused as error:
        raise ProposalRefused(f"the rules would no longer load: {error.what}", evidence=error.evidence) from None


STAGE = Stage(
    "promote",
    reads=(PROPOSALS,),
    writes=(RULES,),
    kind="person",
    run=promote,
    options=(Option("digest", str, "", "full digest of the proposal", is_argument=True),),
)
