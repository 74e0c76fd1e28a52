"""One line of the decisions log: what was decided about one message, why, and whether a person approved it."""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.models.document import Document, MessageId, UtcTime

Source = Literal["irrelevant", "none", "override", "tier1", "template", "sender", "claude", "review", "policy"]
Action = Literal["leave", "label", "label+archive", "trash"]
"""`trash` stands only in decisions of phase `discard`, whose source is `policy`."""


class Decision(Document):
    """A decision record; `subject` has its codes masked, `sender` is the parsed address or null."""

    schema_version: Literal[1] = 1
    as_of: UtcTime
    message_id: MessageId
    thread_id: MessageId
    sender: str | None
    subject: str
    phase: Literal["decide", "discard"] = "decide"
    classification: str | None
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    source: Source
    rule: str | None
    evidence: tuple[str, ...]
    reasons: tuple[str, ...]
    """The gate's reasons: why a stronger action was not taken."""
    screen: str
    protected: tuple[str, ...]
    action: Action
    approved: bool
