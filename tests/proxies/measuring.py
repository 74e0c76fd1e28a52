"""What the shipped rules make of the invented mail of one half: a table of labels and decisions, and what is held.

Counts only: nobody who writes rules may read `held/`, so nothing here prints a word of a mail.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.config import REPOSITORY
from pipeline.judge.people import is_a_machines
from pipeline.mail.address import read_sender
from pipeline.models.policy import Policy, read_policy
from pipeline.models.rules import RuleSet, parse_rules
from tests.strategies.judgement import Judged, capture_of, judge
from tests.strategies.mail import message, part
from tests.strategies.rules import shipped

HERE = Path(__file__).parent
HALVES = ("tune", "held", "second", "third", "fourth", "fifth")
FILED = "label+archive"
OTHERS = {"ack_with_task": ("Application Received",)}
"""Expectations that are no class: the class that a mail may wear, as long as it stays in the inbox."""
BULK = (
    ("List-Unsubscribe", "<https://lists.example/u>"),
    ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
    ("List-Id", "<all.lists.example>"),
    ("Precedence", "bulk"),
)
"""What every machine's mail carries today; a gate must not win by its absence."""
EVERYTHING = """
version = 1
[[rule]]
name = "everything goes"
body_contains_any = ["er", "en", "in", "es", "on", "is", "at", "ou", "th"]
classification = "{}"
confidence = 1.0
safe_to_archive = true
"""


@dataclass(frozen=True)
class Half:
    """The decisions on one half. `labels` maps message id to the label of its file, `<label>_<language>`."""

    labels: Mapping[str, str]
    judged: Judged

    def table(self) -> dict[str, Counter[tuple[str, str]]]:
        """Label -> (classification, action) -> count."""
        found: dict[str, Counter[tuple[str, str]]] = {}
        for message_id, label in self.labels.items():
            row = self.judged.of(message_id)
            found.setdefault(label, Counter())[row["classification"] or "-", row["action"]] += 1
        return found

    def count(self, label: str, *classes: str, action: str | None = None) -> int:
        """How many of a label got one of these classes (any, if none is named) and this action (any, if None)."""
        rows = self.table().get(label, {}).items()
        return sum(n for (name, done), n in rows if (not classes or name in classes) and action in (None, done))

    def size(self, *labels: str) -> int:
        """How many messages bear these labels."""
        return sum(label in labels for label in self.labels.values())


def listed(half: str) -> list[tuple[str, Mapping[str, Any]]]:
    """(label, mail) of every invented mail of a half, in the order of their files."""
    files = sorted((HERE / half).glob("*.toml"))
    read = ((path.stem, tomllib.loads(path.read_text("utf-8"))) for path in files)
    return [(stem, mail) for stem, document in read for mail in document.get("mail", ())]


def planted_sentences(half: str) -> list[str]:
    """The requests to be put into acknowledgements."""
    return list(tomllib.loads((HERE / half / "planted_sentences.toml").read_text("utf-8"))["sentences"])


def resource(mail: Mapping[str, Any], message_id: str, *, is_bulk: bool = False) -> dict[str, Any]:
    """One invented mail as Gmail would give it; `is_bulk` adds what machines' mail carries."""
    fields = [tuple(line.split(": ", 1)) for line in mail.get("headers", ())]
    named = {name.lower() for name, _ in fields}
    if is_bulk and is_a_machines(read_sender([mail["from"]]).address or ""):
        fields += [pair for pair in BULK if pair[0].lower() not in named]
    parts = [part("application/octet-stream", "x", name) for name in mail.get("attachments", ())]
    texts = mail["from"], mail["subject"], mail["text"], mail.get("html")
    return message(*texts, fields=fields, parts=parts, message_id=message_id)


def planted(mail: Mapping[str, Any], sentence: str) -> dict[str, Any]:
    """The mail with one more sentence before its last lines, in both bodies."""
    head, _, foot = str(mail["text"]).rstrip().rpartition("\n\n")
    html = mail.get("html")
    inside = html.replace("</p>", f"</p><p>{sentence}</p>", 1) if html and "</p>" in html else html
    return {**mail, "text": f"{head or foot}\n\n{sentence}\n\n{foot}", **({"html": inside} if html else {})}


@cache
def rules() -> RuleSet:
    """The shipped rules, all packs on."""
    return parse_rules(shipped())


@cache
def hostile(classification: str) -> RuleSet:
    """The shipped rules under an override that files everything as that class."""
    files = {**dict(shipped()), "manual_overrides.toml": EVERYTHING.format(classification).encode()}
    return parse_rules(tuple(files.items()))


def policy() -> Policy:
    """The shipped policy, for mail of any age."""
    return read_policy((REPOSITORY / "policy.toml").read_bytes()).model_copy(update={"window_days": "all"})


@cache
def measured(half: str) -> Half:
    """The decisions on a half as its mails are written."""
    return decided(listed(half), rules())


def decided(mails: Iterable[tuple[str, Mapping[str, Any]]], by: RuleSet, *, is_bulk: bool = False) -> Half:
    """The decisions on these (label, mail) pairs."""
    numbered = {f"m{number}": pair for number, pair in enumerate(mails)}
    made = [resource(mail, message_id, is_bulk=is_bulk) for message_id, (_, mail) in numbered.items()]
    labels = {message_id: label for message_id, (label, _) in numbered.items()}
    return Half(labels, judge(capture_of(made), by, policy()))
