"""What the screen makes of invented mail that was written without sight of it: levels by kind of mail and by half.

The half of a mail follows from a digest of its sender and subject, so that nobody chose it. `tune` was read when the
signs were written; of `held` only totals were looked at.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.judge.levels import Level, level_of
from pipeline.mail.reader import read_message
from stages.screen import judge_one
from tests.proxies.measuring import resource

HERE = Path(__file__).parent / "screen"
OWNER = "alex@example.com"
KINDS = ("phishing", "list", "ordinary", "whole", "inserted")


@dataclass(frozen=True)
class Screened:
    """The outcome of one mail; `kind` is one of KINDS, attacks apart in whole mails and passages in ordinary ones."""

    kind: str
    half: str
    verdict: str
    level: Level


def half_of(mail: Mapping[str, Any]) -> str:
    """tune or held, by a digest of sender and subject."""
    digest = hashlib.sha256(f"{mail['from']}\n{mail['subject']}".encode()).digest()
    return "held" if digest[0] % 2 else "tune"


@cache
def screened() -> tuple[Screened, ...]:
    """All mail of the folder, each message screened for itself."""
    return tuple(
        _one(path.stem.partition("_")[0], mail) for path in sorted(HERE.glob("*.toml")) for mail in _mails(path)
    )


def _mails(path: Path) -> list[dict[str, Any]]:
    return list(tomllib.loads(path.read_text("utf-8"))["mail"])


def _one(label: str, mail: Mapping[str, Any]) -> Screened:
    kind = label if label != "injection" else "whole" if mail["note"].startswith("whole") else "inserted"
    verdict, evidence = judge_one(read_message(resource(mail, "m1")), OWNER)
    return Screened(kind, half_of(mail), verdict, level_of(evidence))


def share(kind: str, half: str, level: Level) -> float:
    """Of a hundred mails of a kind, how many reach a level; `both` halves together."""
    found = [one for one in screened() if one.kind == kind and half in (one.half, "both")]
    return 100 * sum(one.level >= level for one in found) / len(found)


def injected(kind: str, half: str) -> float:
    """Of a hundred mails of a kind, how many are said to hold words to a machine."""
    found = [one for one in screened() if one.kind == kind and half in (one.half, "both")]
    return 100 * sum(one.verdict == "injection" for one in found) / len(found)
