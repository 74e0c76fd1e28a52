"""Say why: the whole path of one message, each tier and each clause of the gate with its verdict and evidence ids.

    gmailtriage why 00996f8ea1b33cd7

The decision stands first, then what led to it: screen, protection, every tier in the order of asking, every marker by
rule, field and number, every clause of the gate, and what the other messages of the thread have to say. Of the mail
itself only sender and masked subject are shown.
"""

import json as json_text
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import polars as pl
import typer

from pipeline.artifacts import Derived
from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.cli.running import chain_to, refuse_empty
from pipeline.cli.why_lines import why_lines
from pipeline.judge.path import Clause, Member, Step, action_clauses, archive_clauses, classes, members, steps
from pipeline.judge.whole import whole_threads
from pipeline.refusals import UnknownMessage
from pipeline.run import preview
from pipeline.tables import Table
from pipeline.untrusted import show
from stages.decide import DECISIONS, Known, facts_of, known_of, verdict_of
from stages.discard import DISCARDS
from stages.discard import STAGE as DISCARD
from stages.match import HITS
from stages.normalize import MAIL_STATE, MESSAGES
from stages.protect import PROTECTED
from stages.screen import SCREEN

PATH: tuple[Derived, ...] = (MESSAGES, SCREEN, HITS, PROTECTED, MAIL_STATE, DECISIONS, DISCARDS)
"""The tables in which a message has rows, in the order in which it passes them."""


@dataclass(frozen=True, slots=True)
class Path:
    """How one message was judged, step by step."""

    tiers: tuple[Step, ...]
    may_act: tuple[Clause, ...]
    may_archive: tuple[Clause, ...]
    only_to_file: bool
    """Whether its label is a guess that is put on nothing that stays."""
    protected: Mapping[str, tuple[str, ...]]
    is_whole_thread: bool
    thread: tuple[Member, ...]


def command(
    message: Annotated[str, typer.Argument(help="a message id")],
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Print the path of a message, from tables that are made anew: an old verdict would be a wrong one."""
    with session(account, workspace, config) as opened:
        refuse_empty(opened.context.workspace)
        values = preview(chain_to(DISCARD), opened.place)
    rows = path_of(message, values)
    path = judged(message, values)
    if json:
        print(json_text.dumps({**rows, "path": asdict(path)}, ensure_ascii=True, sort_keys=True))
        return 0
    for line in why_lines(rows, path):
        print(show(line))
    return 0


def path_of(message: str, values: Mapping[str, object]) -> dict[str, list[Mapping[str, object]]]:
    """The rows of a message in every table of the path. Raises UnknownMessage."""
    found = {artifact.name: rows_of(artifact, message, values[artifact.name]) for artifact in PATH}
    if not found["messages"]:
        raise UnknownMessage(
            "no message of that id is in the snapshot",
            evidence=f"{len(found)} tables were made",
            next_command="gmailtriage fetch",
        )
    return found


def rows_of(artifact: Derived, message: str, frame: object) -> list[Mapping[str, object]]:
    """The rows of one table, times as text."""
    if not isinstance(frame, pl.DataFrame) or not isinstance(artifact.form, Table):
        raise TypeError(f"{artifact.name} is no table")
    key = "id" if "id" in frame.columns else "message_id"
    return list(artifact.form.rows(frame.filter(pl.col(key) == message)))


def judged(message: str, values: Mapping[str, Any]) -> Path:
    """The message judged again with its thread, by the same functions, one question at a time."""
    rules, policy, known, messages = values["rules"], values["policy"], _known(values), values["messages"]
    (own,) = messages.filter(pl.col("id") == message).rows(named=True)
    rows = messages.filter(pl.col("thread_id") == own["thread_id"]).rows(named=True)
    verdicts = {row["id"]: verdict_of(row, known, rules, policy) for row in rows}
    facts = {row["id"]: facts_of(row, known, verdicts[row["id"]], rules) for row in rows}
    evidence = values["protected"].filter(pl.col("message_id") == message)["evidence"].to_list()
    threads = values["threads"].filter(pl.col("id") == own["thread_id"])
    return Path(
        tiers=steps(known.hits.get(message, ()), rules, review_everything=policy.review_everything),
        may_act=action_clauses(facts[message], verdicts[message]),
        may_archive=archive_clauses(facts[message], verdicts[message], rules, policy),
        only_to_file=verdicts[message].only_to_file,
        protected=classes(facts[message], evidence[0] if evidence else ()),
        is_whole_thread=whole_threads(threads, messages).get(own["thread_id"], False),
        thread=members([(facts[one], verdicts[one]) for one in facts], rules, policy),
    )


def _known(values: Mapping[str, Any]) -> Known:
    names = ("labels", "screen", "hits", "protected", "mail_state", "rules", "policy", "as_of")
    return known_of(**{name: values[name] for name in names})
