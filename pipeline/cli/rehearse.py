"""Execute a manifest that nobody approved on a copy of the mailbox in memory, show the inbox after, and undo it.

The copy is what the captures and receipts show. The real stages run on it with a key made for the occasion, through the
real client and the real gate; nothing is asked of Gmail, and nothing is written in the workspace. What comes out is no
receipt. Then everything is undone, and every message must wear the labels that it wore before.
"""

import json as json_text
import secrets
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from pipeline.changes.closing import Finished
from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.context import Context
from pipeline.models.approval import signed
from pipeline.models.manifest import Manifest, Target
from pipeline.refusals import PartlyDone
from pipeline.rehearsing import PREFIX, TOKEN, allow, kept_private, rehearsal_context, rehearsal_place
from pipeline.sealing.documents import full_digest, read_manifest
from pipeline.sealing.samples import Sample, group_lines, representatives, rows_of
from pipeline.stage import Option
from pipeline.twinning import snapshot_twin, wire_of
from pipeline.untrusted import show
from stages.approve import choose, load_decisions, make_approval, refuse_other_decisions
from stages.execute import STAGE as EXECUTE
from stages.normalize import LABELS, MESSAGES
from stages.undo import STAGE as UNDO
from twin.running import Twin

LabelSets = Mapping[str, frozenset[str]]
STAYS = 5
"""Examples of what stays in the inbox."""


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What a rehearsal showed: label sets before and after execution, names of labels, and how both runs ended."""

    before: LabelSets
    after: LabelSets
    names: Mapping[str, str]
    executed: Finished
    undone: Finished


def command(
    manifest: Annotated[str, typer.Argument(help="a manifest's full sha256")],
    only: Annotated[str, typer.Option(help="rehearse only these, in the words of approve")] = "",
    except_: Annotated[str, typer.Option("--except", help="all but these")] = "",
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Rehearse it. Raises NotApproved for a manifest that no longer fits, DriftAborted, PartlyDone."""
    with session(account, workspace, config) as opened:
        context = opened.context
        sealed = read_manifest(context.workspace, full_digest(manifest))
        decisions = load_decisions(context, sealed)
        targets = choose(sealed, decisions, only, except_)
        refuse_other_decisions(targets, decisions)
        messages, labels = frames(context)
        done = rehearsed(context, sealed, targets, snapshot_twin(messages, labels, sealed, TOKEN))
    rows = rows_of(targets, decisions)
    if json:
        print(json_text.dumps({"rehearsal": as_json(sealed, done)}, ensure_ascii=True, sort_keys=True))
        return 0
    for line in lines(sealed, done, rows, kept(messages, done)):
        print(show(line))
    return 0


def frames(context: Context) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The snapshot, made anew in memory."""
    messages, labels = context.derive(MESSAGES, LABELS)
    if not isinstance(messages, pl.DataFrame) or not isinstance(labels, pl.DataFrame):
        raise TypeError("messages and labels are tables")
    return messages, labels


def rehearsed(context: Context, manifest: Manifest, targets: tuple[Target, ...], twin: Twin) -> Rehearsed:
    """Execute on the twin, look, undo, compare. Raises PartlyDone when a message wears other labels than before."""
    before, key = twin.label_sets(), secrets.token_bytes(32)
    # A killed rehearsal leaves its folder behind: a live mailbox's ids and labels then lie where they may.
    # The next one sweeps it; only one at a time, so that none is swept while it runs.
    with kept_private(context.workspace) as private, tempfile.TemporaryDirectory(prefix=PREFIX, dir=private) as temp:
        place = rehearsal_place(Path(temp), context.workspace, manifest)
        stand_in = rehearsal_context(context, place, manifest, wire_of(twin), key)
        draft = make_approval(manifest, targets, (), manifest.created_at, "stated")
        allow(place, signed(draft, key))
        executed: Finished = EXECUTE.run(stand_in, **options(EXECUTE.options, manifest=manifest.sha256))
        after = twin.label_sets()
        undone: Finished = UNDO.run(stand_in, **options(UNDO.options, run=executed.run, digest=executed.receipt))
    refuse_difference(before, twin.label_sets())
    names = {one: label.name for one, label in twin.state.mail.labels.items()}
    return Rehearsed(before, after, names, executed, undone)


def options(declared: tuple[Option, ...], **given: object) -> dict[str, object]:
    """A stage's options with their defaults."""
    return {one.name: one.default for one in declared} | given


def refuse_difference(before: LabelSets, after: LabelSets) -> None:
    """Silent when every message wears what it wore before. Raises PartlyDone, naming the first that do not."""
    differing = sorted(one for one in before.keys() | after.keys() if before.get(one) != after.get(one))
    if differing:
        raise PartlyDone("after the rehearsal's undo the copy is not as before", evidence=", ".join(differing[:5]))


def inbox(labels: LabelSets) -> int:
    """How many messages are in the inbox."""
    return sum("INBOX" in worn for worn in labels.values())


def gained(done: Rehearsed) -> list[tuple[str, int]]:
    """How many messages gained each label, by its name, most first."""
    found = Counter(done.names[one] for message, worn in done.after.items() for one in worn - done.before[message])
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def kept(messages: pl.DataFrame, done: Rehearsed) -> tuple[Sample, ...]:
    """Rows of what is in the inbox afterwards."""
    found = messages.filter(pl.col("id").is_in([one for one, worn in done.after.items() if "INBOX" in worn]))
    return tuple(
        Sample(row["id"], "inbox", row["from_address"], row["subject"] or "", int(row["date"].timestamp() * 1000))
        for row in found.iter_rows(named=True)
    )


def as_json(manifest: Manifest, done: Rehearsed) -> dict[str, object]:
    """What a helper may be told: counts and label names, no sender and no subject."""
    return {
        "manifest": manifest.sha256,
        "inbox_before": inbox(done.before),
        "inbox_after": inbox(done.after),
        "labels_gained": dict(gained(done)),
        "statuses": dict(done.executed.statuses),
        "undone": dict(done.undone.statuses),
        "is_identity": True,
        "messages": len(done.before),
        "units": done.executed.units,
        "requests": done.executed.requests,
    }


def lines(manifest: Manifest, done: Rehearsed, rows: tuple[Sample, ...], left: tuple[Sample, ...]) -> list[str]:
    """What a person sees: the inbox after, what leaves it, what stays, and the proof that it can be taken back."""
    gone = [row for row in rows if "INBOX" in done.before[row.message_id] - done.after[row.message_id]]
    executed, undone = done.executed.statuses["verified"], done.undone.statuses["verified"]
    return [
        f"rehearsal of manifest {manifest.sha256}: on a copy in memory, nothing was sent to Gmail",
        f"inbox     {inbox(done.before)} messages before, {inbox(done.after)} after",
        *(f"label     {number:4d} get {name}" for name, number in gained(done)),
        *([f"leaves    {len(gone)} leave the inbox:"] if gone else ["leaves    nothing leaves the inbox"]),
        *group_lines(gone),
        f"stays     {len(left)} stay in the inbox, among them:",
        *(f"          {row.line}" for row in representatives(left, STAYS)),
        f"executed  {executed} verified; {done.executed.units} quota units, {done.executed.requests} requests",
        f"undone    {undone} verified",
        f"proof     {len(done.before)} messages: every label set is the one before",
        f"next: gmailtriage approve {manifest.sha256}",
    ]
