"""Standing grants on the disk: sealed in the workspace, revoked beside lock and markers.

    manifests/grants/<sha256>.json        <control>/<sha256>.revoked

For a live account the control folder lies in the state folder, so that an older copy of the workspace brings no grant
back. Revoking asks nobody: it only takes authority away.
"""

import re
from pathlib import Path

from pipeline.artifacts import Fact, Place
from pipeline.canonical import canonical_bytes
from pipeline.models.grant import Grant
from pipeline.refusals import InputRefused, NoGrant, Tampered
from pipeline.sealing.documents import full_digest
from pipeline.store import exists, list_names, read_named_by_digest, write_once
from pipeline.workspace import Workspace

_NAME = re.compile(r"[0-9a-f]{64}\.json")


def grant_path(workspace: Workspace, digest: str) -> Path:
    """Where a grant lies. Raises UsageRefused for anything that is not a full sha256."""
    return workspace.manifests / "grants" / f"{full_digest(digest)}.json"


def revoked_path(workspace: Workspace, digest: str) -> Path:
    """The marker that a grant was revoked."""
    return workspace.control / f"{full_digest(digest)}.revoked"


def grant_ids(workspace: Workspace) -> tuple[str, ...]:
    """Ids of every grant in the workspace, sorted."""
    return tuple(name[:64] for name in list_names(workspace.manifests / "grants") if _NAME.fullmatch(name))


def read_grant(workspace: Workspace, digest: str, key: bytes) -> Grant:
    """An authentic grant by its digest. Raises NoGrant when there is none, Tampered when it is not as it was sealed."""
    path = grant_path(workspace, digest)
    if not exists(path):
        raise NoGrant("there is no grant of that id", evidence=f"grants/{path.name}", next_command="gmailtriage grants")
    try:
        grant = Grant.from_bytes(read_named_by_digest(path, digest))
    except InputRefused as error:
        raise Tampered(f"grant {path.name} was altered", evidence=f"{error.what}; {error.evidence}") from None
    if not grant.is_authentic(key):
        raise Tampered(f"grant {path.name} is not authentic", evidence="its MAC was not made with this account's key")
    return grant


def is_revoked(workspace: Workspace, digest: str) -> bool:
    """Whether a grant was revoked; anything at the marker's place means yes."""
    return exists(revoked_path(workspace, digest))


def revoke_grant(workspace: Workspace, digest: str) -> None:
    """Revoke a grant for good, also one whose file is not here: it may lie in another copy. Twice is fine."""
    if not is_revoked(workspace, digest):
        write_once(revoked_path(workspace, digest), revoked_words(digest))


def revoked_words(digest: str) -> bytes:
    """What the marker of a revoked grant says."""
    return canonical_bytes({"grant": digest})


def _load(place: Place) -> object:
    return grant_ids(place.workspace)


GRANTS = Fact("grants", "sealed", "a person's yes in advance to labels alone", _load)
REVOCATIONS = Fact("revocations", "sealed", "grants that were taken back", _load)
