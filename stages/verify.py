"""verify: check every digest, chain and binding of the workspace, and name what does not hold.

Promises: it reads and writes nothing else. Captures against their seals; manifests against their names and their
canonical form; approvals against their MAC, their manifest and their decisions log; standing grants against their name
and MAC; receipts against their chain, their approval and their closing; the write-once copies against their names;
every pinned capture and receipt against its pin; and nothing else lies among the manifests. It returns what is merely
unfinished; when a file was altered, is missing or does not belong there it raises WrongDigest (exit 3), naming the
first, with the others as evidence.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.artifacts import CAPTURES
from pipeline.context import Context
from pipeline.evidence.captures import capture_ids
from pipeline.holding import CHECKS, Finding
from pipeline.refusals import WrongDigest
from pipeline.sealing.documents import APPROVALS, DECISION_LOGS, MANIFESTS, read_approvals, read_manifests
from pipeline.sealing.receipts import RECEIPTS, load_receipts
from pipeline.stage import Stage
from pipeline.workspace import Workspace

NAMED = 20
SAID: Mapping[str, str] = {"altered": "was altered", "missing": "is missing", "foreign": "does not belong there"}


@dataclass(frozen=True, slots=True)
class Verified:
    """What was checked, by kind, and what is unfinished."""

    checked: Mapping[str, int]
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {name}" for name, number in self.checked.items())
        notes = "; ".join(f"{found.file}: {found.what}" for found in self.findings)
        return f"{counts}: every digest and chain holds" + (f"; unfinished: {notes}" if notes else "")


def verify(context: Context) -> Verified:
    """Everything that was checked. Raises WrongDigest, naming the first altered or missing file."""
    findings = tuple(found for check in CHECKS for found in check(context))
    refused = [found for found in findings if found.kind != "unfinished"]
    if refused:
        first = refused[0]
        others = "; ".join(f"{found.file}: {found.what}" for found in refused[:NAMED])
        raise WrongDigest(f"{first.file} {SAID[first.kind]}",
                          evidence=f"{len(refused)} in all: {others}",
                          next_command="put the file back from a copy; nothing here repairs facts")  # fmt: skip
    return Verified(_counts(context.workspace), findings)


def _counts(workspace: Workspace) -> dict[str, int]:
    return {
        "captures": len(capture_ids(workspace)),
        "manifests": len(read_manifests(workspace)),
        "approvals": len(read_approvals(workspace)),
        "receipts": len(load_receipts(workspace)),
    }


STAGE = Stage(
    "verify",
    reads=(CAPTURES, MANIFESTS, APPROVALS, DECISION_LOGS, RECEIPTS),
    writes=(),
    kind="checks",
    run=verify,
)
