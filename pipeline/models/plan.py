"""plan.json: the planned changes as a pure function of facts. It holds no time; freezing adds the two it needs."""

from typing import Literal

from pipeline.models.document import Document, Sha256
from pipeline.models.manifest import Counts, Price, Request, Target
from pipeline.models.operation import LabelName


class Plan(Document):
    """Targets sorted by message id, labels to create, counts, price, and the digest of the decisions behind them.

    `left_over` are message ids over the archive cap: left out whole, so that the next run takes them.
    """

    schema_version: Literal[1] = 1
    request: Request
    decisions: Sha256
    targets: tuple[Target, ...]
    new_labels: tuple[LabelName, ...]
    counts: Counts
    left_over: tuple[str, ...]
    price: Price
