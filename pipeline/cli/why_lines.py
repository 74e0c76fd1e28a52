"""The path of one message for a person: the decision first, then what led to it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from pipeline.judge.path import Clause, Member, Met, Step

Rows = Mapping[str, Sequence[Mapping[str, object]]]


class Judged(Protocol):
    """What `why` worked out."""

    @property
    def tiers(self) -> tuple[Step, ...]:
        """Each tier's answer."""

    @property
    def may_act(self) -> tuple[Clause, ...]:
        """May anything happen to it?"""

    @property
    def may_archive(self) -> tuple[Clause, ...]:
        """May it leave the inbox?"""

    @property
    def only_to_file(self) -> bool:
        """Whether its label is put on nothing that stays."""

    @property
    def protected(self) -> Mapping[str, tuple[str, ...]]:
        """Protected class -> evidence."""

    @property
    def is_whole_thread(self) -> bool:
        """Whether every member was read."""

    @property
    def thread(self) -> tuple[Member, ...]:
        """Its members."""


def why_lines(rows: Rows, path: Judged) -> list[str]:
    """Section by section, one fact a line."""
    (message,) = rows["messages"]
    return [
        *_decision(rows["decisions"][0]),
        *_section("screen", _screen(rows["screen"])),
        *_section("protected", (f"{name:18s} {', '.join(why)}" for name, why in path.protected.items())),
        *_section("tiers, in the order of asking", (line for step in path.tiers for line in _step(step))),
        *_section("markers: role, rule/field/number", sorted({_hit(row) for row in rows["hits"]})),
        *_section("gate: may anything happen to it?", map(_clause, path.may_act)),
        *_section("gate: may it leave the inbox?", (*map(_clause, path.may_archive), *_guess(path))),
        *_section("thread", _thread(str(message["id"]), path)),
        *_section("runs", (line for row in rows["mail_state"] for line in _fields(row))),
        *_section("message", _fields(message)),
    ]


def _section(title: str, lines: Iterable[str]) -> list[str]:
    listed = [f"    {line.rstrip()}" for line in lines]
    return [title, *(listed or ["    nothing"])]


def _decision(row: Mapping[str, object]) -> list[str]:
    rule = f', rule "{row["rule"]}"' if row["rule"] else ""
    reasons = row["reasons"]
    told = ", ".join(map(str, reasons)) if isinstance(reasons, tuple) else ""
    return _section(
        f"decision: {row['action']}",
        (
            f"{row['classification'] or 'no class'}, by {row['source']}{rule}, confidence {row['confidence']}",
            f"not more because: {told}" if told else "nothing speaks against it",
        ),
    )


def _screen(rows: Sequence[Mapping[str, object]]) -> list[str]:
    return [line for row in rows for line in (str(row["verdict"]), *_listed(row["evidence"]))] or ["not screened"]


def _listed(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else ()


def _step(step: Step) -> list[str]:
    by = f": {step.winner}" if step.winner else ""
    return [f"{step.tier:11s} {step.said}{by}", *(f"    {_met(one)}" for one in step.met)]


def _met(one: Met) -> str:
    where = ", ".join(text.removeprefix(f"{one.name}/") for text in one.evidence)
    missing = f"; no hit in {', '.join(one.missing)}" if one.missing else ""
    return f"{one.name}: {where}{missing}" if where or missing else one.name


def _hit(row: Mapping[str, object]) -> str:
    return f"{row['role']!s:10s} {row['rule']}/{row['field']}/{row['marker']}"


def _clause(clause: Clause) -> str:
    return f"{clause.answer:8s} {clause.name}{': ' if clause.reasons else ''}{', '.join(clause.reasons)}"


def _guess(path: Judged) -> tuple[str, ...]:
    return ("note     its rule only files mail: without leave to go it gets no label",) if path.only_to_file else ()


def _thread(own: str, path: Judged) -> list[str]:
    whole = "every member was read" if path.is_whole_thread else "bars     not every member was read: thread:not_read"
    return [whole, *(_member(one, own) for one in path.thread)]


def _member(one: Member, own: str) -> str:
    keeps = "holds the thread" if one.is_holding else "lets it go"
    alone = ", ".join(one.reasons)
    return f"{one.message_id}{' (this one)' if one.message_id == own else ''}: {keeps}; alone: {alone}"


def _fields(row: Mapping[str, object]) -> list[str]:
    return [f"{name:22s} {_text(value)}" for name, value in row.items() if value not in (None, "", ())]


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
