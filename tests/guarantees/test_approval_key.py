"""A live account's approvals are authenticated with a key that only the operating system's keyring holds.

Each step is a process of its own in a D-Bus session of its own, as on somebody's machine: approve, execute, and what is
left when the keyring is another, locked or emptied.
"""

from pathlib import Path

import pytest

from pipeline.models.approval import Approval
from pipeline.store import tree_files
from tests.secret_service import LOCKED, UNLOCKED, Home, make_home

STEP = """
import json, sys
from functools import partial
from pathlib import Path
from pipeline.credentials import approval_key
from pipeline.keyrings import SecretStore, system_backend
from pipeline.models.registry import AccountRecord
from pipeline.refusals import Refusal
from tests.fakes import OWNER, World, mail
what, folder = sys.argv[1:]
record = AccountRecord(id="loop", alias=("loop",), address=OWNER, status="organize-only", endpoint="google",
                       credential="keyring:loop")
key = partial(approval_key, record, SecretStore(system_backend), may_create=what == "approve")
world = World.make(Path(folder), [mail("m1", "INBOX"), mail("m2", "INBOX")]).with_context(approval_key=key)
try:
    if what == "approve":
        world.ready()
        print("approved")
    elif what == "delete":
        system_backend().delete_password("gmailtriage-approval", "loop")
        print("deleted")
    else:
        (path,) = Path(folder).glob("workspace/manifests/*.approval.json")
        print(world.execute(path.name[:64]).statuses["verified"], "verified", world.mailbox.received, "sent")
except Refusal as refusal:
    print(refusal.slug, refusal.exit_code, world.mailbox.received, "sent")
"""

pytestmark = [pytest.mark.keyring, pytest.mark.contract("AP-2", "ID-6")]


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Home:
    """A home with a keyring, and our modules in reach."""
    home = make_home(tmp_path)
    return Home(home.folder, {**home.env, "PYTHONPATH": str(Path(__file__).parents[2]), "POLARS_MAX_THREADS": "1"})


def step(home: Home, what: str, before: str = UNLOCKED) -> str:
    """What one process says."""
    return home.python(STEP, what, str(home.folder / "world"), before=before)


def test_a_key_that_was_made_by_approve_allows_the_run_in_another_process(home: Home) -> None:
    assert step(home, "approve") == "approved"
    (path,) = home.folder.glob("world/workspace/manifests/*.approval.json")
    mac = Approval.from_bytes(path.read_bytes()).mac
    assert step(home, "execute") == "2 verified 1 sent"
    held = [one for one in tree_files(home.folder / "xdg_data_home") if mac.encode() in one.read_bytes()]
    assert not held, "the keyring holds a key, not an approval"


@pytest.mark.parametrize("before", [LOCKED, UNLOCKED.replace("pw", "wrong")], ids=["locked", "wrong password"])
def test_a_locked_keyring_executes_nothing(home: Home, before: str) -> None:
    assert step(home, "approve") == "approved"
    assert step(home, "execute", before) == "keyring-refused 4 0 sent"


def test_without_the_key_and_with_another_key_the_approval_is_none(home: Home) -> None:
    """A new key is made only by `approve`; the old yes is not authentic under it."""
    assert step(home, "approve") == "approved"
    assert step(home, "delete") == "deleted"
    assert step(home, "execute") == "not-approved 5 0 sent"
    other = home.folder / "other"
    assert home.python(STEP, "approve", str(other)) == "approved"
    assert step(home, "execute") == "tampered 5 0 sent"
