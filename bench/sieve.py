"""B6: from sealed captures to decisions, in one process and in two, against Dovecot's `sieve-filter` on the same mail.

Ours is `gmailtriage decide`: captures verified, every stage up to the decisions, from nothing. Theirs reads a Maildir
of the same messages in its simulation mode, also from nothing (no index is kept), and says where each would be stored.
The rule that decides each message is compared, and for mail that its rule would file, whether action words stand
against it. The screen, the protected classes and the threads are work that only we do.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

from bench.letters import CONFIG, config_of, generated_letters
from bench.measure import COMMAND, Cost, Result, cost, interleaved, result, size
from bench.owner_rules import rule_files
from bench.sieve_script import ASKS, IRRELEVANT, script_of
from pipeline.models.rules import RuleSet, parse_rules

PROGRAM = "sieve-filter"
PACKAGE = "dovecot-sieve"
_FILTERED = re.compile(r"^  ID: +<(\d+)@bench\.example>$|^ \* store message in folder: (\S+)$", re.M)


def against_sieve(*, is_smoke: bool) -> list[Result]:
    """B6: times as fast as sieve-filter, one process and two. Nothing, and a line on stderr, where there is none."""
    if shutil.which(PROGRAM) is None:
        print(f"B6    not measured: {PROGRAM} is not installed (Debian: apt-get install {PACKAGE})", file=sys.stderr)
        return []
    count = size(10_000, 2_000, 60, is_smoke=is_smoke)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = generated_letters(Path(folder) / "box", count)
        refuse_unequal(root, parse_rules(rule_files()))
        found = [_result(root, processes, f"{PROGRAM}, {count} messages", is_smoke) for processes in (1, 2)]
    return found


def _result(root: Path, processes: int, peer: str, is_smoke: bool) -> Result:
    pairs = interleaved(lambda: ours(root, processes), lambda: cost(theirs(root)), 1 if is_smoke else 5)
    ratios = [there.seconds / here.seconds for here, there in pairs]
    bar, unit = (4, "x, one process") if processes == 1 else (7, "x, two processes")
    return result("B6", ratios, bar=bar, better="higher", unit=unit, peer=peer)


def ours(root: Path, processes: int = 1) -> Cost:
    """The whole command from sealed captures to decisions, by so many processes; nothing derived is there before."""
    shutil.rmtree(root / "data" / "snapshots", ignore_errors=True)
    return cost([COMMAND, "decide", "--workspace", str(root), "--config", str(root / CONFIG)], processes)


def theirs(root: Path) -> list[str]:
    """The whole process of the peer."""
    return [PROGRAM, "-c", str(root / "dovecot.conf"), str(root / "rules.sieve"), "INBOX"]


def refuse_unequal(root: Path, rules: RuleSet) -> None:
    """Raise AssertionError unless both decide every message by the same rule."""
    (root / "rules.sieve").write_text(script_of(rules))
    config_of(root)
    ours(root)
    found = subprocess.run(theirs(root), check=True, capture_output=True, text=True).stdout
    told, said = decided(root, rules), filtered(found)
    different = sorted(one for one in told.keys() | said.keys() if told.get(one) != said.get(one))
    if different:
        one = different[0]
        raise AssertionError(f"{len(different)} of {len(told)} differ, such as {one}: {told.get(one)}, {said.get(one)}")


def filtered(output: str) -> dict[int, str]:
    """Message number -> folder, from what sieve-filter prints."""
    found: dict[int, str] = {}
    number = -1
    for match in _FILTERED.finditer(output):
        if match.group(1) is not None:
            number = int(match.group(1))
        else:
            found[number] = match.group(2)
    return found


def decided(root: Path, rules: RuleSet) -> dict[int, str]:
    """Message number -> the folder that our decision means in the script's terms."""
    table = pl.read_parquet(root / "data" / "snapshots" / "demo" / "decisions.parquet")
    rows = table.select("message_id", "source", "rule", "classification", "reasons").iter_rows()
    return {int(one[3:], 16): _folder(rules, *rest) for one, *rest in rows}


def _folder(rules: RuleSet, source: str, rule: str | None, classification: str | None, reasons: list[str]) -> str:
    if rule is None:
        return IRRELEVANT if source == "irrelevant" else "INBOX"
    found = rules.classification(classification)
    is_asking = found is not None and found.archivable and any(one.startswith("action:") for one in reasons)
    return rule + ASKS if is_asking else rule
