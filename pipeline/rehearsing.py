"""A place and a Gmail for a rehearsal: the real stages run in it, and nothing of it is the real workspace or mailbox.

The manifest lies alone in a folder of its own, beside copies of the receipts that it pins, so that every check of a
real run is made. Captures are read where they are. The approval is made with a key that exists for this rehearsal
alone, so nothing that comes of it verifies anywhere else. Gmail is a function in this process: there is no socket, no
credential of the owner's is read, and the account's real record goes through the real gate.

    place = rehearsal_place(folder, context.workspace, manifest)
    stand_in = RehearsalGmail(context.account, wire)
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.artifacts import Place
from pipeline.clock import FixedWall, VirtualMonotonic
from pipeline.context import Context, Recorder
from pipeline.credentials import BearerToken
from pipeline.gmail.attest import Attested, attest
from pipeline.gmail.capability import StageName
from pipeline.gmail.gateway import ExecuteGateway, FetchGateway, UndoGateway
from pipeline.gmail.quota import Meter
from pipeline.gmail.transport import Rim
from pipeline.gmail.wire import Wire
from pipeline.models.approval import Approval
from pipeline.models.manifest import Manifest
from pipeline.models.registry import AccountRecord
from pipeline.models.registry import Kind as AccountKind
from pipeline.refusals import StatusForbids
from pipeline.sealing.documents import approval_path, decisions_log_bytes, decisions_log_path, manifest_path
from pipeline.sealing.pins import refuse_changed_pins
from pipeline.store import list_names, locked, read_named_by_digest, remove_tree, replace_file
from pipeline.workspace import Workspace

TOKEN = "rehearsal"  # noqa: S105  opens a mailbox that exists for as long as this command runs
PREFIX = "gmailtriage-"
"""A rehearsal's own folder begins so; nothing else in a control folder does."""
STAND_IN = "http://127.0.0.1:1"
"""What a twin's address is called where no socket is opened."""


@dataclass(frozen=True, slots=True)
class Rehearsal(Workspace):
    """A workspace beside the real one: its captures are the real ones, all else is its own."""

    source: Workspace

    @property
    def kind(self) -> AccountKind:
        """The kind of the real one."""
        return self.source.kind

    @property
    def raw(self) -> Path:
        """The real captures, to be hashed."""
        return self.source.raw


@dataclass(frozen=True)
class RehearsalGmail:
    """Opens attested gateways over a wire that is a function."""

    account: AccountRecord
    wire: Wire

    def for_fetch(self, record: Recorder) -> FetchGateway:
        """A rehearsal reads no mail. Raises StatusForbids."""
        raise StatusForbids("a rehearsal does not fetch")

    def for_execute(self) -> ExecuteGateway:
        """The executor's methods."""
        return ExecuteGateway(self._attested("execute"))

    def for_undo(self) -> UndoGateway:
        """The undoer's methods."""
        return UndoGateway(self._attested("undo"))

    def _attested(self, stage: StageName) -> Attested:
        credential = BearerToken(TOKEN, is_published=False)
        rim = Rim(self.wire, credential, Meter(self.account.quota, VirtualMonotonic()), twin=STAND_IN)
        return attest(self.account, stage, rim, workspace_kind=self.account.kind)


@contextmanager
def kept_private(workspace: Workspace) -> Iterator[Path | None]:
    """Where a rehearsal may put its folder: for a live account its control folder, locked for this and swept of what
    killed rehearsals left there; None = any temp folder. Raises Busy while another rehearsal of the account runs."""
    if workspace.kind != "live":
        yield None
        return
    with locked(
        workspace.control / f"{workspace.account}.rehearsal.lock", f"gmailtriage rehearse, process {os.getpid()}"
    ):
        for name in list_names(workspace.control):
            if name.startswith(PREFIX):
                remove_tree(workspace.control / name)
        yield workspace.control


def rehearsal_place(folder: Path, source: Workspace, manifest: Manifest) -> Rehearsal:
    """A folder with the manifest and the receipts that it pins, each checked against its pin. It holds ids and label
    names, no text of a mail. Raises WrongDigest or MissingArtifact."""
    place = Rehearsal(folder, source.account, folder / "receipts", source)
    replace_file(manifest_path(place, manifest.sha256), manifest.to_bytes())
    for pinned in manifest.pins.receipts:
        name = f"{pinned.run}.jsonl"
        replace_file(place.receipts / name, read_named_by_digest(source.receipts / name, pinned.sha256))
    return place


def rehearsal_context(context: Context, place: Rehearsal, manifest: Manifest, wire: Wire, key: bytes) -> Context:
    """The surroundings of the rehearsal's stages: time stands still at the manifest's making, nobody is asked.
    Raises DriftAborted when something that the manifest pins changed."""
    refuse_changed_pins(Place(context.workspace, context.config), manifest)
    return replace(
        context,
        workspace=place,
        wall=FixedWall(manifest.created_at),
        monotonic=VirtualMonotonic(),
        gmail=RehearsalGmail(context.account, wire),
        approval_key=_always(key),
        terminal=None,
        derive=_nothing,
        say=_silent,
    )


def allow(place: Rehearsal, approval: Approval) -> None:
    """Put the rehearsal's approval beside the manifest, with an empty decisions log."""
    replace_file(decisions_log_path(place, approval.run), decisions_log_bytes(()))
    replace_file(approval_path(place, approval.manifest), approval.to_bytes())


def _always(key: bytes) -> Callable[[], bytes]:
    return lambda: key


def _nothing(*_: object) -> tuple[object, ...]:
    return ()


def _silent(text: str) -> None:
    """Progress of a rehearsal is not told."""
