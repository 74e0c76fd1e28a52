"""The whole loop as a person would type it, one method a step, for the demo and for real mail."""

import importlib

from pipeline.changes.closing import Finished
from pipeline.models.approval import Approval
from pipeline.models.capture import Capture
from pipeline.models.manifest import Manifest
from pipeline.models.plan import Plan
from pipeline.run import make_all
from pipeline.sealing.authority import count_operations
from pipeline.session import Session
from pipeline.stage import Stage, discover, upstream


class Loop:
    """The steps over one session. Each raises what its stage raises."""

    def __init__(self, session: Session) -> None:
        self.context = session.context
        self.place = session.place
        self.stages = discover(importlib.import_module("stages"))

    def fetch(self) -> Capture:
        """Read the mailbox into a sealed capture."""
        capture: Capture = self.stages["fetch"].run(self.context)
        return capture

    def derive(self, name: str) -> dict[str, object]:
        """Every derived value up to the pure stage `name`, by artifact name."""
        return make_all(upstream(self.stages, name), self.place)

    def plan(self) -> Plan:
        """What would change now."""
        plan = self.derive("plan")["plan"]
        if not isinstance(plan, Plan):
            raise TypeError("plan is a document")
        return plan

    def freeze(self, operation: str = "organize") -> Manifest:
        """Seal the plan."""
        manifest: Manifest = self.stages["freeze"].run(self.context, operation)
        return manifest

    def approve(self, manifest: Manifest) -> Approval:
        """Say yes as a caller who states everything."""
        counts = count_operations(manifest.targets).model_dump()
        operations = ",".join(f"{name}={number}" for name, number in counts.items())
        digest = manifest.sha256
        approval: Approval = self.stages["approve"].run(
            self.context, digest, digest, manifest.address, operations, "", ""
        )
        return approval

    def execute(self, manifest: Manifest) -> Finished:
        """Make the approved changes."""
        return self.execute_digest(manifest.sha256)

    def execute_digest(self, digest: str) -> Finished:
        """Make the approved changes of a manifest, or finish what an interrupted run of it began."""
        finished: Finished = self.stages["execute"].run(self.context, digest, False)
        return finished

    def undo(self, done: Finished) -> Finished:
        """Take them back, confirmed by the receipt's full digest."""
        finished: Finished = self.stages["undo"].run(self.context, done.run, done.receipt, "", "")
        return finished

    def verify(self) -> object:
        """Check every digest, chain and binding."""
        return self.stage("verify").run(self.context)

    def stage(self, name: str) -> Stage:
        """A stage by name."""
        return self.stages[name]
