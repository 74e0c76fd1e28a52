"""policy.toml: thresholds, windows, caps and budgets. It may be stricter than the contract, never laxer.

>>> read_policy(b'version = 1\\nwindow_days = 7\\n').archive_cap
200
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from pipeline.models.document import Frozen, read_toml
from pipeline.refusals import PolicyRefused

UNIT_COSTS: dict[str, int] = {
    "getProfile": 1,
    "labels.list": 1,
    "labels.create": 5,
    "messages.list": 5,
    "messages.get": 20,
    "threads.list": 10,
    "threads.get": 40,
    "history.list": 2,
    "messages.modify": 5,
    "messages.batchModify": 50,
    "messages.trash": 5,
    "messages.untrash": 5,
    "drafts.list": 5,
    "drafts.get": 20,
    "settings.filters.list": 1,
}
"""Quota units a request, table of 1 May 2026 (developers.google.com/workspace/gmail/api/reference/quota)."""


class Quota(Frozen):
    """Units a minute, and costs that differ from the default table."""

    units_per_minute: Annotated[int, Field(ge=1, le=1_000_000)] = 6000
    costs: dict[str, Annotated[int, Field(ge=0, le=10_000)]] = Field(default_factory=dict)

    def cost(self, method: str) -> int:
        """Units of one request of a method, e.g. `messages.get`. Unknown methods cost as much as the dearest."""
        return self.costs.get(method, UNIT_COSTS.get(method, 50))


class Protection(Frozen):
    """Narrow, explicit exceptions from the deny gate. Only `employment` can be waived at all."""

    waive_employment_for: tuple[str, ...] = ()
    recent_days: Annotated[int, Field(ge=0, le=365)] = 3
    personal_names: tuple[str, ...] = ()


NoisyCategory = Literal["promotions", "social", "updates", "forums"]
"""Gmail's inbox tabs that trash may be about; the primary tab is none of them."""
Interaction = Literal["never-answered", "never-opened"]
"""never-answered: the owner never wrote to the sender, answered it, or took a change of ours back on its mail.
never-opened: the message is unread."""
TrashSender = Annotated[str, StringConstraints(pattern=r"^([^\s@,]{1,128}@)?[a-z0-9-]+(\.[a-z0-9-]+)+$")]
"""A whole address, or a whole domain (not what lies below it), in lower case; a free-mail domain names nobody."""


class TrashRule(Frozen):
    """Which old mail may go to the trash. All four constraints must be there, and a message must meet all of them."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9 _-]{0,62}$")]
    older_than_days: Annotated[int, Field(ge=7, le=36_500)]
    senders: Annotated[tuple[TrashSender, ...], Field(min_length=1)]
    categories: Annotated[tuple[NoisyCategory, ...], Field(min_length=1)]
    interaction: Annotated[tuple[Interaction, ...], Field(min_length=1)]


class Policy(Frozen):
    """The owner's policy. Days, counts, shares (0..1), minutes and quota units, as the names say."""

    version: Literal[1]
    window_days: Annotated[int, Field(ge=1, le=36_500)] | Literal["all"] = 7
    query: Annotated[str, Field(max_length=1000)] = ""
    """The owner's own search words for the inbox; always sent as one group beside the window."""
    archive_cap: Annotated[int, Field(ge=0, le=100_000)] = 200
    minimum_confidence: Annotated[float, Field(ge=0.80, le=1.0)] = 0.80
    drift_share: Annotated[float, Field(ge=0.0, le=0.5)] = 0.10
    expiry_minutes: Annotated[int, Field(ge=1, le=60)] = 60
    batch_size: Annotated[int, Field(ge=1, le=100)] = 100
    history_above_targets: Annotated[int, Field(ge=0, le=100_000)] = 300
    budget_units: Annotated[int, Field(ge=0, le=100_000_000)] = 600_000
    review_everything: bool = False
    minimum_evidence: Annotated[int, Field(ge=2, le=1000)] = 5
    """Messages of one sender that must agree before a sender rule is proposed."""
    protect: Protection = Protection()
    trash: tuple[TrashRule, ...] = ()
    """Without a rule nothing is ever trashed. Only a cleanup-enabled account may be."""
    trash_cap: Annotated[int, Field(ge=0, le=10_000)] = 100

    @model_validator(mode="after")
    def _names_rules_once(self) -> "Policy":
        names = [rule.name for rule in self.trash]
        if len(set(names)) != len(names):
            raise ValueError("two trash rules have one name")
        return self


def read_policy(data: bytes) -> Policy:
    """Parse policy.toml strictly. Raises PolicyRefused."""
    return read_toml(Policy, data, "policy.toml", PolicyRefused)
