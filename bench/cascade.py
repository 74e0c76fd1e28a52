"""B5: the cascade on mail that was read already, against the reference judge of the tests and a straightforward loop.

Four figures. The cascade alone (one matcher, then `decide`) with every body scanned, against the reference judge and
against the loop; with bodies scanned only where a rule is still open, which the product does not do (bench/opened.py);
and the whole stages `match` and `decide`, which also look for what words cannot tell. Decisions are compared one by one
before anything is timed. Nothing is archived by a class, a state or a screen: every mail is clean, new and alone.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import polars as pl

from bench.generate import START
from bench.measure import Result, interleaved, result, size
from bench.opened import hits_while_open, probe
from bench.owner_rules import resource, rule_files
from pipeline.evidence.gather import evidence_of
from pipeline.evidence.raw import Reading
from pipeline.mail.matcher import Hit, Matcher
from pipeline.mail.reader import Mail, read_message
from pipeline.models.policy import Policy
from pipeline.models.rules import RuleSet, parse_rules
from pipeline.tables import HITS, PROTECTED, SCREEN
from stages.decide import decide
from stages.match import hit_row, match
from stages.normalize import normalize
from tests.reference.decide import Known, decide_all
from tests.reference.loop import Decision, decide_each
from tests.strategies.judgement import capture_of

AS_OF = START + timedelta(days=90)
POLICY = Policy(version=1, window_days="all")
PART = 1_000
"""Messages whose raw form is held at a time."""


@dataclass(frozen=True)
class Box:
    """Mail that was read, and what the other stages say of it."""

    mails: tuple[Mail, ...]
    rules: RuleSet
    tables: dict[str, pl.DataFrame]


def judged(*, is_smoke: bool) -> list[Result]:
    """B5: times as fast as the peer, with equal decisions."""
    box = box_of(size(100_000, 5_000, 60, is_smoke=is_smoke))
    few = first(box, size(2_000, 300, 30, is_smoke=is_smoke))
    refuse_unequal(box, few)
    runs = 1 if is_smoke else 5
    loop = f"a plain loop, {len(box.mails)} messages"
    judge = f"the tests' reference judge, {len(few.mails)} messages"
    return [
        _result(
            "x, bodies while open", timed(lambda: cascade(few, hits_while_open), lambda: slow(few), runs), 40, judge
        ),
        _result("x, every body", timed(lambda: cascade(few, every_hit), lambda: slow(few), runs), 20, judge),
        _result(
            "x, bodies while open", timed(lambda: cascade(box, hits_while_open), lambda: plain(box), runs), 40, loop
        ),
        _result("x, every body", timed(lambda: cascade(box, every_hit), lambda: plain(box), runs), 20, loop),
        _result("x, the whole stages", timed(lambda: stages(box), lambda: plain(box), runs), 20, loop),
    ]


def box_of(count: int) -> Box:
    """The mailbox of a seed."""
    parts = [_part(range(start, min(start + PART, count))) for start in range(0, count, PART)]
    mails = tuple(mail for found, _ in parts for mail in found)
    tables = {name: pl.concat([tables[name] for _, tables in parts]) for name in ("messages", "threads", "mail_state")}
    ids = [mail.id for mail in mails]
    tables["labels"] = parts[0][1]["labels"]
    tables["screen"] = SCREEN.frame(
        {"message_id": one, "verdict": "clean", "level": "none", "evidence": []} for one in ids
    )
    tables["protected"] = PROTECTED.frame({"message_id": one, "classes": [], "evidence": []} for one in ids)
    return Box(mails, parse_rules(rule_files()), tables)


def _part(numbers: range) -> tuple[list[Mail], dict[str, pl.DataFrame]]:
    resources = [resource(number) for number in numbers]
    read = [mail for mail in map(read_message, resources) if isinstance(mail, Mail)]
    return read, normalize(evidence_of((capture_of(resources, labels=()),)), ())


def first(box: Box, count: int) -> Box:
    """The first messages of a mailbox."""
    tables = {name: frame if name == "labels" else frame.head(count) for name, frame in box.tables.items()}
    return Box(box.mails[:count], box.rules, tables)


def every_hit(mails: Iterable[Mail], rules: RuleSet) -> list[tuple[Hit, ...]]:
    """The hits of each mail, every body scanned."""
    return list(Matcher(rules.markers()).hits_of([probe(mail) for mail in mails]))


def cascade(box: Box, look: Callable[[tuple[Mail, ...], RuleSet], list[tuple[Hit, ...]]]) -> pl.DataFrame:
    """The decisions by one matcher and `decide`."""
    found = zip(box.mails, look(box.mails, box.rules), strict=True)
    hits = HITS.frame(hit_row(mail.id, hit) for mail, found_ in found for hit in found_)
    return decide(**box.tables, hits=hits, rules=box.rules, policy=POLICY, as_of=AS_OF)


def stages(box: Box) -> pl.DataFrame:
    """The decisions by the stages `match` and `decide` as they are."""
    readings = tuple(Reading(mail.id, "c", mail, ()) for mail in box.mails)
    hits = match(readings, box.rules)
    return decide(**box.tables, hits=hits, rules=box.rules, policy=POLICY, as_of=AS_OF)


def plain(box: Box) -> list[Decision]:
    """The decisions by the loop."""
    return decide_each(box.mails, box.rules)


def slow(box: Box) -> list[dict[str, Any]]:
    """The decisions by the reference judge of the tests."""
    rows = {name: box.tables[name].rows(named=True) for name in ("messages", "threads")}
    known = Known(
        mails={mail.id: mail for mail in box.mails},
        screens=dict.fromkeys((mail.id for mail in box.mails), "clean"),
        protected=dict.fromkeys((mail.id for mail in box.mails), ()),
        states={},
        threads={row["id"]: row for row in rows["threads"]},
        our_labels=(),
        rules=box.rules,
        policy=POLICY,
        as_of=AS_OF,
        hits={},
    )
    return decide_all(rows["messages"], known)


def refuse_unequal(box: Box, few: Box) -> None:
    """Raise AssertionError unless all ways come to the same decisions: a ratio would mean nothing."""
    every = cascade(box, every_hit)
    told = decisions_of(every)
    for decided in (decisions_of(cascade(box, hits_while_open)), decisions_of(stages(box)), plain(box)):
        _refuse(told, decided)
    _refuse(every.head(len(few.mails)).rows(named=True), slow(few))


def _refuse(ours: list[Any], theirs: list[Any]) -> None:
    different = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    if different:
        raise AssertionError(f"{len(different)} decisions differ, such as {different[0]}")


def decisions_of(frame: pl.DataFrame) -> list[Decision]:
    """The columns that the loop decides too."""
    return frame.select("message_id", "source", "rule", "classification", "confidence", "action").rows()


def timed(ours: Callable[[], object], theirs: Callable[[], object], runs: int) -> list[float]:
    """How many times as long theirs takes, run by run."""
    return [there / here for here, there in interleaved(lambda: _seconds(ours), lambda: _seconds(theirs), runs)]


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _result(unit: str, ratios: list[float], bar: float, peer: str) -> Result:
    return result("B5", ratios, bar=bar, better="higher", unit=unit, peer=peer)
