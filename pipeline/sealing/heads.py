"""How far an open receipt has come, kept apart from it: its number of lines and the digest of the last one.

A chain proves that no line was changed, not that the last ones are still there. So each line of a receipt is followed
by its head, on the disk before anything is sent, authenticated with the approval key; only the opening line comes
after its head. A kill between line and head leaves the head one line behind, which is fine; a receipt that is behind
its head, or has none, was cut. A closed receipt needs no head: its digest stands apart (`binding`).

    write_head(head_path(workspace, run), key, run, (4, tail))
    check_head(workspace, stored, key)          # raises Tampered for an open receipt that lost lines
"""

import hashlib
import hmac
from pathlib import Path

from pipeline.canonical import canonical_bytes
from pipeline.refusals import Tampered
from pipeline.sealing.documents import closed_path
from pipeline.sealing.receipts import StoredReceipt
from pipeline.store import DISK, Disk, exists, read_bytes, replace_file
from pipeline.workspace import Workspace

Mark = tuple[int, str]
"""How many lines, and the sha256 of the last."""


def head_path(workspace: Workspace, run: str) -> Path:
    """Where the head of a run's open receipt lies."""
    return workspace.control / f"{run}.head"


def write_head(path: Path, key: bytes, run: str, mark: Mark, disk: Disk = DISK) -> None:
    """Say how far a receipt has come, and wait until that is on the disk. Raises WriteFailed."""
    replace_file(path, head_words(key, run, mark), disk)


def head_words(key: bytes, run: str, mark: Mark) -> bytes:
    """What a head says: run, lines and last digest, with a MAC over them."""
    words = {"run": run, "lines": mark[0], "tail": mark[1]}
    mac = hmac.new(key, canonical_bytes(words), hashlib.sha256).hexdigest()
    return canonical_bytes({**words, "mac": mac})


def check_head(workspace: Workspace, stored: StoredReceipt, key: bytes) -> None:
    """Silent when an open receipt is as long as its head says, or one line longer. Raises Tampered, naming it."""
    path, receipt = head_path(workspace, stored.run), stored.receipt
    lines = len(receipt.events)
    if not exists(path):
        raise _cut(stored, f"its head is gone ({path.name})")
    marks = ((lines, receipt.tail), (lines - 1, receipt.events[-1].previous))
    if read_bytes(path) not in [head_words(key, stored.run, mark) for mark in marks]:
        raise _cut(stored, f"it has {lines} whole lines and its head says another end ({path.name})")


def refuse_lost(workspace: Workspace, run: str) -> None:
    """Silent when a run without a receipt wrote no more than its first head. Raises Tampered for a lost receipt, open
    or closed; an account's copied workspace has none of what was done in the other."""
    path, closing = head_path(workspace, run), closed_path(workspace, run)
    if exists(closing):
        raise _lost(run, f"its closing digest is here ({closing.name})")
    if exists(path) and not read_bytes(path).startswith(b'{"lines":1,'):
        raise _lost(run, f"its head is here ({path.name})")


def _lost(run: str, evidence: str) -> Tampered:
    return Tampered(f"receipt {run}.jsonl is gone", evidence=evidence, next_command="gmailtriage verify")


def _cut(stored: StoredReceipt, evidence: str) -> Tampered:
    return Tampered(f"receipt {stored.run}.jsonl was cut", evidence=evidence, next_command="gmailtriage verify")
