"""Run the whole loop on a mailbox that does not exist, and compare every fact with the committed one.

Twin up, fetch, decide, freeze, show, approve with the published key, execute, plan again (empty), mine, undo, read back
(every message wears what it wore before), verify, compare, twin down. The scratch workspace is build/demo.
"""

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from pipeline.changes.closing import Finished
from pipeline.cli.loop import Loop
from pipeline.cli.show import manifest_lines
from pipeline.clock import DEMO_START
from pipeline.config import REPOSITORY
from pipeline.models.manifest import Manifest
from pipeline.refusals import PartlyDone, WrongDigest
from pipeline.session import Request, Session, open_session
from pipeline.store import read_bytes, remove_file, remove_tree, replace_file
from pipeline.twinning import demo_twin
from pipeline.untrusted import show
from pipeline.workspace import Demo, Workspace
from twin.running import Twin
from twin.serve import serve

ACCEPT = "git status rules policy.toml mailboxes.toml; make demo-accept, then review git diff"
SCRATCH = REPOSITORY / "build" / "demo"


def command(
    accept: Annotated[bool, typer.Option("--accept", help="replace the committed facts by what this run made")] = False,
) -> int:
    """Run the loop. Raises WrongDigest when a fact differs from the committed one, PartlyDone when undo differs."""
    run_demo(SCRATCH, REPOSITORY, is_accepting=accept)
    return 0


def run_demo(scratch: Path, root: Path, *, is_accepting: bool) -> None:
    """The loop in the empty folder `scratch`, compared with the facts that are committed under `root`."""
    remove_tree(scratch)
    twin = demo_twin((), DEMO_START)
    with serve(twin) as server, open_session(Request("demo", scratch, REPOSITORY, twin_url=server.url)) as session:
        manifest, finished = run_loop(session, twin)
        made = session.context.workspace
    committed = Demo(root, made.account, root / "receipts")
    say_next(manifest, finished, scratch)
    if is_accepting:
        accept_facts(made, committed)
    say(f"identical: {compare(made, committed)} files")


def run_loop(session: Session, twin: Twin) -> tuple[Manifest, Finished]:
    """Every step once, told on the way; the manifest and the executed run."""
    loop, before = Loop(session), twin.label_sets()
    say(f"fetch    {loop.fetch().counts['messages.get']} messages of {session.context.account.address}")
    plan = loop.plan()
    say(f"decide   {plan.counts.archive} to archive, {plan.counts.label} to label, {plan.counts.excluded} left alone")
    manifest = loop.freeze()
    say(f"freeze   manifests/{manifest.sha256}.json")
    for line in manifest_lines(manifest, session, is_redacted=False):
        say(f"show     {line}")
    say(f"approve  run {loop.approve(manifest).run} (the demo's published key)")
    finished = loop.execute(manifest)
    say(f"execute  {finished}")
    say(f"plan     again: {len(loop.plan().targets)} changes left to make")
    say(f"mine     {mined(loop)}")
    say(f"undo     {loop.undo(finished)}")
    refuse_difference(before, twin.label_sets())
    say(f"read     {len(before)} messages: every label set is the one before")
    say(f"verify   {loop.verify()}")
    return manifest, finished


def mined(loop: Loop) -> str:
    """How many sender rules the log proposes."""
    proposals = loop.derive("mine")["proposals"]
    if not isinstance(proposals, pl.DataFrame):
        raise TypeError("proposals is a table")
    free = proposals.filter(pl.col("reasons_against").list.len() == 0)
    return f"{free.height} proposed sender rules, {proposals.height - free.height} with reasons against"


def refuse_difference(before: dict[str, frozenset[str]], after: dict[str, frozenset[str]]) -> None:
    """Raise PartlyDone when a message's label set is not the one before."""
    differing = sorted(one for one in before.keys() | after.keys() if before.get(one) != after.get(one))
    if differing:
        raise PartlyDone("after undo the mailbox is not as before", evidence=", ".join(differing[:5]))


def compare(made: Workspace, committed: Workspace) -> int:
    """How many facts are byte for byte the committed ones. Raises WrongDigest, naming the first that is not."""
    ours, theirs = facts(made), facts(committed)
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in theirs or name not in ours:
            where = "made by this run only" if name in ours else "committed only"
            raise WrongDigest(f"{name} differs", evidence=where, next_command=ACCEPT)
        if read_bytes(ours[name]) != read_bytes(theirs[name]):
            next_command = f"git status rules policy.toml mailboxes.toml; diff {typed(ours[name])} {name}"
            raise WrongDigest(f"{name} differs", evidence="not the bytes that are committed", next_command=next_command)
    return len(ours)


def facts(workspace: Workspace) -> dict[str, Path]:
    """Facts by their place in the workspace."""
    return {str(path.relative_to(workspace.root)): path for path in workspace.fact_files()}


def accept_facts(made: Workspace, committed: Workspace) -> None:
    """Make the committed facts those of this run; a reviewer reads the difference in git."""
    ours, theirs = facts(made), facts(committed)
    for name in theirs.keys() - ours.keys():
        remove_file(theirs[name])
    for name, path in ours.items():
        replace_file(committed.root / name, read_bytes(path))


def typed(path: Path) -> str:
    """A path as somebody in the repository would type it."""
    return str(path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path)


def say_next(manifest: Manifest, finished: Finished, scratch: Path) -> None:
    """Where things are and what to type next."""
    place = typed(scratch)
    say("")
    say(f"manifest  {place}/manifests/{manifest.sha256}.json")
    say(f"receipt   {place}/receipts/{finished.run}.jsonl")
    say("try next  .venv/bin/gmailtriage show")
    say(f"          .venv/bin/gmailtriage show {manifest.sha256}")
    say(f"          .venv/bin/gmailtriage why {manifest.targets[0].message_id} --workspace {place}")
    say("          make reproduce")


def say(text: str) -> None:
    """A line with nothing in it that a terminal would obey."""
    print(show(text))
