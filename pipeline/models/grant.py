"""The standing grant: a person's yes, in advance, to labels of exactly these names and to nothing else.

It names one account, the exact policy and rules under which the labels are decided, how many messages a run and a day
may touch, and when it ends. It never allows an archive, and a label that does not exist only where it names it. It is
authenticated with the approval key; its id is its sha256.
"""

import hashlib
import hmac
from collections.abc import Iterable
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.models.document import AccountId, Document, Sha256, UtcTime
from pipeline.models.manifest import PinnedFile
from pipeline.models.operation import LabelName

LONGEST = timedelta(days=90)
"""No grant stands for longer."""


class Grant(Document):
    """Binds account, registry record, policy, rules, labels, counts and expiry."""

    schema_version: Literal[1] = 1
    kind: Literal["standing-label-grant"] = "standing-label-grant"
    account: AccountId
    address: str
    registry_record: Sha256
    policy: Sha256
    rules: Sha256
    """`rules_digest` of the rule files."""
    labels: Annotated[tuple[LabelName, ...], Field(min_length=1, max_length=100)]
    """Names of the labels that may be added, sorted."""
    new_labels: tuple[LabelName, ...]
    """Those of them that may be created when they do not exist, sorted."""
    per_run: Annotated[int, Field(ge=1, le=1000)]
    """Messages that one run may touch at most."""
    per_day: Annotated[int, Field(ge=1, le=10_000)]
    """Messages that all granted runs of any 24 hours may touch at most."""
    granted_at: UtcTime
    expires_at: UtcTime
    nonce: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    """Makes a grant that is given again another document than the one that was revoked."""
    mac: Sha256
    """HMAC-SHA256 over the canonical bytes of every other field."""

    @model_validator(mode="after")
    def _adds_up(self) -> "Grant":
        problems = {
            "labels are not sorted, or one stands twice": list(self.labels) != sorted(set(self.labels)),
            "new labels are not sorted, or one stands twice": list(self.new_labels) != sorted(set(self.new_labels)),
            "a new label is not among the labels": not set(self.new_labels) <= set(self.labels),
            "a run may touch more than a day": self.per_run > self.per_day,
            "it ends before it begins": self.expires_at <= self.granted_at,
            "it stands for too long": self.expires_at - self.granted_at > LONGEST,
        }
        for problem, is_real in problems.items():
            if is_real:
                raise ValueError(problem)
        return self

    def is_authentic(self, key: bytes) -> bool:
        """Whether `mac` was made with `key` over exactly these fields."""
        return hmac.compare_digest(self.mac, grant_mac(self, key))


def grant_mac(grant: Grant, key: bytes) -> str:
    """The MAC that a grant must carry, lowercase hex."""
    unsigned = grant.model_dump(mode="json", exclude={"mac"})
    return hmac.new(key, canonical_bytes(unsigned), hashlib.sha256).hexdigest()


def signed_grant(grant: Grant, key: bytes) -> Grant:
    """The same grant with its MAC filled in."""
    return grant.model_copy(update={"mac": grant_mac(grant, key)})


def rules_digest(files: Iterable[PinnedFile]) -> str:
    """One digest of all rule files, by name and content."""
    return sha256_hex(canonical_bytes(sorted([file.name, file.sha256] for file in files)))
