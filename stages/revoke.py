"""revoke: take a standing grant back, for good.

    gmailtriage revoke 4be1…      (the grant's full sha256, as `gmailtriage grants` lists it)
    gmailtriage revoke all

Promises: it asks nobody, since it only takes authority away; the marker lies with lock and markers, for a live account
in the state folder, so that an older copy of the workspace brings no grant back. A run under the grant that is under
way stops before its next batch.
"""

from pipeline.context import Context
from pipeline.refusals import NoGrant
from pipeline.sealing.grants import REVOCATIONS, grant_ids, revoke_grant
from pipeline.stage import Option, Stage


def revoke(context: Context, grant: str) -> tuple[str, ...]:
    """What was revoked, a line each. Raises NoGrant, UsageRefused or WriteFailed."""
    digests = grant_ids(context.workspace) if grant == "all" else (grant,)
    if not digests:
        raise NoGrant("there is no grant to revoke", next_command="gmailtriage grants")
    for digest in digests:
        revoke_grant(context.workspace, digest)
    return tuple(f"revoked {digest}" for digest in digests)


STAGE = Stage(
    "revoke",
    reads=(),
    writes=(REVOCATIONS,),
    kind="seals",
    run=revoke,
    options=(Option("grant", str, "", "the grant's full sha256, or all", is_argument=True),),
)
