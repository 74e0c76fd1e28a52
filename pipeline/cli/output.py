"""Print a result: one JSON document, or a few lines that a person reads."""

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass

import polars as pl
from pydantic import BaseModel

from pipeline.changes.closing import Finished
from pipeline.cli.hints import with_options
from pipeline.models.approval import Approval
from pipeline.models.capture import Capture
from pipeline.models.grant import Grant
from pipeline.models.manifest import Manifest
from pipeline.models.plan import Plan
from pipeline.untrusted import show


def present(results: Mapping[str, object], *, is_json: bool, arguments: list[str]) -> None:
    """Print results by name. JSON carries documents whole and tables as row counts; hints repeat the given options."""
    if is_json:
        print(json.dumps({name: plain(value) for name, value in results.items()}, ensure_ascii=True, sort_keys=True))
        return
    for name, value in results.items():
        for line in lines(name, value):
            print(show(with_options(line, arguments)))


def plain(value: object) -> object:
    """A JSON value of a result: documents as they are sealed, with their digest; tables as counts."""
    if isinstance(value, pl.DataFrame):
        return {"rows": value.height, **({"proposals": value.to_dicts()} if is_proposals(value) else {})}
    if isinstance(value, BaseModel):
        digest = {"sha256": value.sha256} if isinstance(value, Manifest | Approval | Capture | Grant) else {}
        return {**value.model_dump(mode="json"), **digest}
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(part) for name, part in asdict(value).items()}
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool | dict | None) else str(value)


def lines(name: str, value: object) -> list[str]:
    """What a person reads of a result."""
    match value:
        case pl.DataFrame() if is_proposals(value):
            return proposal_lines(value)
        case pl.DataFrame():
            return [f"{name}: {value.height} rows"]
        case Capture():
            read = value.counts.get("messages.get", 0)
            return [f"capture {value.id}: {read} messages, {value.quota_units} quota units", "next: gmailtriage plan"]
        case Plan() if name == "trash_plan":
            return trash_lines(value)
        case Plan():
            return plan_lines(value)
        case Manifest():
            return [f"manifest {value.sha256}", f"next: gmailtriage show {value.sha256}"]
        case Approval():
            return [f"approved: run {value.run}", f"next: gmailtriage execute {value.manifest}"]
        case Grant():
            return [f"granted {value.sha256}", f"next: gmailtriage label {value.sha256} (from cron)"]
        case None:
            return []
        case Finished():
            following = "undo" if name in ("execute", "label") else "plan"
            return [str(value), "next: gmailtriage verify", f"or: gmailtriage {following}"]
        case str():
            return value.splitlines()
        case tuple() | list():
            return [line for part in value for line in lines(name, part)]
        case _:
            return [f"{name}: {value}"]


def is_proposals(frame: pl.DataFrame) -> bool:
    """Whether a table is the proposals: the one that a person chooses from, row by row."""
    return "reasons_against" in frame.columns


def proposal_lines(frame: pl.DataFrame) -> list[str]:
    """Each proposed sender rule: its full digest when it may be promoted, else every reason against it."""
    free = frame.filter(pl.col("reasons_against").list.len() == 0)
    barred = frame.filter(pl.col("reasons_against").list.len() > 0).sort("message_count", descending=True)
    may = [f"{r['digest']}  {r['sender_contains']} -> {r['classification']}, {r['message_count']} messages"
           for r in free.iter_rows(named=True)]  # fmt: skip
    may_not = [f"not: {r['sender_contains']} -> {r['classification']}: {', '.join(r['reasons_against'])}"
               for r in barred.iter_rows(named=True)]  # fmt: skip
    following = ["next: gmailtriage promote DIGEST"] if may else []
    return [f"proposals: {len(may)} may be promoted, {len(may_not)} may not", *may, *may_not, *following]


def trash_lines(plan: Plan) -> list[str]:
    """What is planned for the trash; nothing where nothing is."""
    counts = plan.counts
    if not plan.targets:
        return []
    return [
        f"trash: {counts.trash} messages ({counts.protected + counts.uncertain + counts.excluded} kept by the gate, "
        f"{counts.over_cap} over the cap); price {plan.price.units} units",
        "next: gmailtriage freeze --operation trash",
    ]


def plan_lines(plan: Plan) -> list[str]:
    """A plan in three lines: what it would do, what it leaves, what it costs."""
    counts = plan.counts
    left_alone = counts.excluded + counts.protected + counts.uncertain + counts.over_cap
    return [
        f"plan: {counts.archive} archive, {counts.label} label, {counts.create_label} labels to create",
        f"left alone: {left_alone} ({counts.protected} protected, {counts.uncertain} uncertain, "
        f"{counts.over_cap} over the cap)",
        f"price: {plan.price.units} units, {plan.price.requests} requests, {plan.price.minutes} minutes",
        "next: gmailtriage freeze" if plan.targets else "nothing to do",
    ]
