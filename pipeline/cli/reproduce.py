"""Rebuild everything derived from the raw files in an empty place, and compare digests with what the facts pin."""

import json as json_text
from typing import Annotated

import typer

from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.sealed import manifest_ids, read_manifest


def command(
    manifest: Annotated[str, typer.Argument(help="a manifest's sha256; empty = every manifest")] = "",
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Compare each manifest's plan with one made anew from the raw files that it pins."""
    with session(account, workspace, config) as opened:
        ids = (manifest,) if manifest else manifest_ids(opened.context.workspace)
        found = {one: reproduced(opened, read_manifest(opened.context.workspace, one)) for one in ids}
    if json:
        print(json_text.dumps(found, sort_keys=True))
        return 0
    for one, result in found.items():
        print(f"reproduced {one[:16]}…: {len(result)} derived files, decisions {result['decisions'][:16]}…")
    print(f"reproduced: {len(found)} manifests")
    return 0
