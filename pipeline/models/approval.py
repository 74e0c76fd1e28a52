"""The approval: a person's yes to exact bytes, an exact subset of targets, and nothing else.

It is authenticated with HMAC-SHA256 under a key that lies in the keyring (a published key for mailboxes that do not
exist). The run it allows is named by the first 16 hex digits of its sha256.
"""

import hashlib
import hmac
from typing import Annotated, Literal

from pydantic import Field

from pipeline.canonical import canonical_bytes
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
    approved_by: Literal["terminal", "stated"]
    approved_at: UtcTime
    expires_at: UtcTime
    mac: Sha256
    """HMAC-SHA256 over the canonical bytes of every other field."""

    @property
    def run(self) -> str:
        """The id of the run that this approval allows."""
        return self.sha256[:16]

    def is_authentic(self, key: bytes) -> bool:
        """Whether `mac` was made with `key` over exactly these fields."""
        return hmac.compare_digest(self.mac, approval_mac(self, key))


def approval_mac(approval: Approval, key: bytes) -> str:
    """The MAC that an approval must carry, lowercase hex."""
    unsigned = approval.model_dump(mode="json", exclude={"mac"})
    return hmac.new(key, canonical_bytes(unsigned), hashlib.sha256).hexdigest()


def signed(approval: Approval, key: bytes) -> Approval:
    """The same approval with its MAC filled in."""
    return approval.model_copy(update={"mac": approval_mac(approval, key)})
