"""The whole loop as a person would type it, one method a step, for the demo and for real mail."""

import importlib

from pipeline.models.approval import Approval
from pipeline.models.capture import Capture
from pipeline.models.manifest import Manifest
from pipeline.models.plan import Plan
from pipeline.receipts import load_receipts
from pipeline.run import make_all
from pipeline.session import Session
from pipeline.stage import Stage, discover, upstream


class Loop:
    """The steps over one session. Each raises what its stage raises."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.stages = discover(importlib.import_module("stages"))

    def fetch(self) -> Capture:
        """Read the mailbox into a sealed capture."""
        capture: Capture = self.stages["fetch"].run(self.session.context)
        return capture

    def plan(self) -> dict[str, object]:
        """Every derived value up to the plan."""
        return make_all(self.pure("plan"), self.session.place)

    def mine(self) -> dict[str, object]:
        """Every derived value up to the proposals."""
        return make_all(self.pure("mine"), self.session.place)

    def pure(self, name: str) -> tuple[Stage, ...]:
        """The pure stages up to one."""
        return tuple(stage for stage in upstream(self.stages, name) if stage.kind == "pure")

    @staticmethod
    def has_targets(values: dict[str, object]) -> bool:
        """Whether the plan changes anything."""
        plan = values["plan"]
        return isinstance(plan, Plan) and bool(plan.targets)
