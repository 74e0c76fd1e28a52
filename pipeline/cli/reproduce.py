"""Rebuild everything derived from the raw files in an empty place, and compare with what the manifests pin.

For each manifest the captures, receipts and owner's files that it pins are copied into an empty workspace, every pure
stage is run, and the plan is frozen with the manifest's own two times: the new manifest must be the old one, byte for
byte.
"""

import importlib
import json as json_text
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from pipeline.artifacts import Place
from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.config import Config
from pipeline.models.manifest import Manifest
from pipeline.models.registry import AccountRecord
from pipeline.refusals import MissingArtifact, WrongDigest
from pipeline.run import digests, make_all
from pipeline.sealing.documents import input_path, manifest_ids, read_manifest
from pipeline.session import Session
from pipeline.stage import discover, upstream
from pipeline.store import make_folder, read_bytes, read_named_by_digest, replace_file, tree_files
from pipeline.workspace import Workspace
from stages.freeze import refreeze


def command(
    manifest: Annotated[str, typer.Argument(help="a manifest's sha256; empty = every manifest")] = "",
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """Reproduce one manifest or all. Raises WrongDigest, naming the manifest that comes out otherwise."""
    with session(account, workspace, config) as opened:
        ids = (manifest,) if manifest else manifest_ids(opened.context.workspace)
        if not ids:
            raise MissingArtifact("there is no manifest", evidence=str(opened.context.workspace.manifests))
        found = {one: reproduced(opened, read_manifest(opened.context.workspace, one)) for one in ids}
    if json:
        print(json_text.dumps(found, sort_keys=True))
        return 0
    for one, result in found.items():
        print(f"reproduced  {one}")
        for name, digest in result.items():
            print(f"  {digest[:16]}  {name}")
    print(f"identical: {len(found)} manifests")
    return 0


def reproduced(opened: Session, manifest: Manifest) -> dict[str, str]:
    """Digests of every derived artifact, made anew. Raises WrongDigest when the manifest comes out otherwise."""
    stages = discover(importlib.import_module("stages"))
    chain = upstream(stages, "plan")
    with ExitStack() as stack:
        temp = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gmailtriage-")))
        place = Place(copied(opened.context.workspace, manifest, temp), pinned_config(opened, manifest))
        values = make_all(chain, place)
        again = refreeze(place, values, manifest)
    if again.to_bytes() != manifest.to_bytes():
        names = [name for name in Manifest.model_fields if getattr(again, name) != getattr(manifest, name)]
        raise WrongDigest(f"manifest {manifest.sha256} does not come out again", evidence=f"differs in {names}")
    return digests(values, chain)


def copied(workspace: Workspace, manifest: Manifest, temp: Path) -> Workspace:
    """An empty workspace with the pinned captures and receipts, each checked against its pin."""
    new = type(workspace)(temp, workspace.account, temp / "receipts")
    for capture in manifest.pins.captures:
        make_folder(new.raw / capture.id)
        for path in tree_files(workspace.raw / capture.id):
            replace_file(new.raw / capture.id / path.name, read_bytes(path))
        read_named_by_digest(new.raw / capture.id / "capture.json", capture.sha256)
    for receipt in manifest.pins.receipts:
        data = read_named_by_digest(workspace.receipts / f"{receipt.run}.jsonl", receipt.sha256)
        replace_file(new.receipts / f"{receipt.run}.jsonl", data)
    return new


def pinned_config(opened: Session, manifest: Manifest) -> Config:
    """The owner's files as they were: from the write-once copies."""

    def pinned(digest: str) -> bytes:
        return read_named_by_digest(input_path(opened.context.workspace, digest), digest)

    config, pins = opened.context.config, manifest.pins
    record = AccountRecord.model_validate_json(pinned(pins.registry_record.sha256))
    rules = tuple((one.name.removeprefix("rules/"), pinned(one.sha256)) for one in pins.rules)
    return Config(config.folder, config.registry, record, pinned(pins.policy.sha256), rules)
