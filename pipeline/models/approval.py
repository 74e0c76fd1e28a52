"""The approval: a person's yes to exact bytes, an exact subset of targets, and nothing else.

It is authenticated with HMAC-SHA256 under a key that lies in the keyring (a published key for mailboxes that do not
exist). The run it allows is named by the first 16 hex digits of its sha256.
"""

import hashlib
import hmac
from typing import Annotated, Literal

from pydantic import Field, model_validator

from pipeline.canonical import canonical_bytes, parse_json_object
from pipeline.models.document import AccountId, Document, Frozen, MessageId, Sha256, UtcTime
from pipeline.models.manifest import Count


class ApprovedOperations(Frozen):
    """How many of each operation were approved; any growth aborts."""

    label: Count
    archive: Count
    create_label: Count
    trash: Count = 0


class Approval(Document):
    """Binds manifest digest, account, operations, exact target subset and expiry."""

    schema_version: Literal[1] = 1
    manifest: Sha256
    account: AccountId
    operations: ApprovedOperations
    message_ids: Annotated[tuple[MessageId, ...], Field(min_length=1)]
    """Sorted; a subset of the manifest's targets."""
    decisions_log: Sha256
    """Digest of the run's decisions log, which was written first."""
    approved_by: Literal["terminal", "stated", "grant"]
    approved_at: UtcTime
    expires_at: UtcTime
    mac: Sha256
    """HMAC-SHA256 over the canonical bytes of every other field."""

    @model_validator(mode="after")
    def _is_whose_it_says(self) -> "Approval":
        if (self.approved_by == "grant") != isinstance(self, GrantedApproval):
            raise ValueError("an approval under a grant names it, and no other does")
        return self

    @property
    def run(self) -> str:
        """The id of the run that this approval allows."""
        return self.sha256[:16]

    def is_authentic(self, key: bytes) -> bool:
        """Whether `mac` was made with `key` over exactly these fields."""
        return hmac.compare_digest(self.mac, approval_mac(self, key))


class GrantedApproval(Approval):
    """The same under a standing grant: nobody was asked, and the executor judges the grant again."""

    grant: Sha256


def read_approval_bytes(data: bytes) -> Approval:
    """An approval of either kind. Raises NotJson, NotCanonical or DocumentRefused."""
    kind = GrantedApproval if "grant" in parse_json_object(data) else Approval
    return kind.from_bytes(data)


def approval_mac(approval: Approval, key: bytes) -> str:
    """The MAC that an approval must carry, lowercase hex."""
    unsigned = approval.model_dump(mode="json", exclude={"mac"})
    return hmac.new(key, canonical_bytes(unsigned), hashlib.sha256).hexdigest()


def signed(approval: Approval, key: bytes) -> Approval:
    """The same approval with its MAC filled in."""
    return approval.model_copy(update={"mac": approval_mac(approval, key)})
