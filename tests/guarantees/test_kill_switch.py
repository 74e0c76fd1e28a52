"""A person says stop: no request of a process that changes mail leaves after it, and nothing is lost by stopping.

Through the real client and the real gate, on the twin. The switch is thrown after every single request of a run.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.changes.runs import summaries
from pipeline.cli.undo_all import undo_all, undo_one
from pipeline.clock import VirtualMonotonic
from pipeline.gmail.attest import attest
from pipeline.gmail.capability import METHODS
from pipeline.gmail.gate import Allowed
from pipeline.gmail.quota import Meter
from pipeline.gmail.transport import OneRequest, Rim
from pipeline.models.manifest import NewLabel
from pipeline.models.policy import Quota
from pipeline.refusals import Busy, KillSwitchOn, PartlyDone
from pipeline.sealing.killswitch import lift_switch, refuse_stopped, switch_path, throw_switch
from pipeline.sealing.receipts import load_receipts
from tests.fakes import no_fsync
from tests.served import WISHES, Loop, served
from twin.running import Twin
from twin.wire import Request as WireRequest

pytestmark = pytest.mark.contract("AP-4", "P2")
LABEL = NewLabel(create="Jobs/Alerts")


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    """A served twin and its world."""
    with served(tmp_path) as found:
        yield found


def switch(loop: Loop) -> Path:
    """Where this account's switch lies."""
    workspace = loop.world.context.workspace
    return switch_path(workspace.control, workspace.account)


def stop_after(loop: Loop, number: int) -> pytest.MonkeyPatch:
    """Throw the switch while the twin answers request `number` (from 1) from now on."""
    answered, start = Twin.answer, len(loop.twin.requests)

    def answer(twin: Twin, request: WireRequest) -> object:
        outcome = answered(twin, request)
        if len(twin.requests) == start + number:
            throw_switch(switch(loop))
        return outcome

    patch = pytest.MonkeyPatch()
    patch.setattr(Twin, "answer", answer)
    return patch


def requests_of(loop: Loop, command: Callable[[], object]) -> int:
    """How many requests a command makes."""
    before = len(loop.twin.requests)
    command()
    return len(loop.twin.requests) - before


def test_thrown_after_any_request_of_a_run_nothing_follows_and_resume_ends_it(tmp_path: Path) -> None:
    with served(tmp_path / "whole") as loop:
        before = loop.twin.label_sets()
        total = requests_of(loop, lambda: loop.world.execute(loop.world.ready(WISHES, LABEL)))
        wanted = loop.twin.label_sets()
    hit = {"refused": 0, "partly": 0}
    for number in range(1, total):
        with served(tmp_path / str(number)) as loop:
            hit[stopped_and_resumed(loop, number, wanted)] += 1
            loop.world.clock.pass_minutes(1)
            loop.world.undo()
            assert loop.twin.label_sets() == before
    print(f"kill switch: {hit}")
    assert min(hit.values()) >= 1 and sum(hit.values()) == total - 1


def stopped_and_resumed(loop: Loop, number: int, wanted: object) -> str:
    """Stop a run after some request, try to go on, lift, go on. How the stop was told."""
    digest = loop.world.ready(WISHES, LABEL)
    patch = stop_after(loop, number)
    with pytest.raises((KillSwitchOn, PartlyDone)) as caught:
        loop.world.execute(digest)
    patch.undo()
    assert len(loop.twin.requests) == number, "no request followed"
    receipts = list(loop.world.context.workspace.receipts.glob("*.jsonl"))
    if isinstance(caught.value, PartlyDone):
        receipt = loop.world.receipt(receipts[0].stem)
        assert not receipt.is_closed and "panic --off" in caught.value.next_command
        for message_id in WISHES:
            changed = loop.twin.label_sets()[message_id] == wanted[message_id]  # type: ignore[index]
            assert changed or message_id in caught.value.evidence
    else:
        assert not receipts, "a run that had not begun left nothing"
    with pytest.raises((KillSwitchOn, PartlyDone)):
        loop.world.execute(digest)
    assert len(loop.twin.requests) == number, "while it is on nothing is asked"
    lift_switch(switch(loop))
    loop.world.execute(digest, resume=bool(receipts))
    assert loop.twin.label_sets() == wanted
    return "partly" if receipts else "refused"


def test_an_undo_is_stopped_and_goes_on(loop: Loop) -> None:
    before = loop.twin.label_sets()
    loop.world.execute(loop.world.ready(WISHES, LABEL))
    loop.world.clock.pass_minutes(1)
    done = len(loop.twin.mutations)
    patch = stop_after(loop, 8)
    with pytest.raises(PartlyDone, match="kill switch"):
        loop.world.undo()
    patch.undo()
    stopped_at = len(loop.twin.mutations)
    with pytest.raises(PartlyDone):
        loop.world.undo()
    assert len(loop.twin.mutations) == stopped_at
    lift_switch(switch(loop))
    loop.world.undo()
    assert loop.twin.label_sets() == before and len(loop.twin.mutations) > done


def test_an_undo_of_all_runs_stops_at_once_and_is_gone_on_with(loop: Loop) -> None:
    before, world = loop.twin.label_sets(), loop.world
    world.execute(world.ready({"18f0a1b2c3d40001": "archive"}, LABEL))
    world.clock.pass_minutes(1)
    world.execute(world.ready({"18f0a1b2c3d40003": "label"}, LABEL))
    world.clock.pass_minutes(1)
    digests = tuple(one.receipt for one in summaries(load_receipts(world.context.workspace)))
    patch = stop_after(loop, 3)
    with pytest.raises(PartlyDone, match="kill switch") as caught:
        undo_all(world.context, None, digests, undo_one)
    patch.undo()
    lift_switch(switch(loop))
    with pytest.raises(Busy) as busy:
        undo_all(world.context, None, digests, undo_one)
    assert busy.value.next_command in caught.value.next_command
    world.undo(busy.value.next_command.split()[-1])
    undo_all(world.context, None, digests[1:], undo_one)
    assert loop.twin.label_sets() == before


def test_thrown_before_a_run_the_tree_stays_as_it_was(loop: Loop) -> None:
    digest = loop.world.ready(WISHES, LABEL)
    throw_switch(switch(loop))
    before = loop.world.files()
    with pytest.raises(KillSwitchOn):
        loop.world.execute(digest)
    assert loop.world.files() == before and not loop.twin.requests


class Counting:
    """A credential and a wire that count; a token is renewed each time it is asked for."""

    def __init__(self) -> None:
        self.tokens = self.sent = 0
        self.is_published = False

    def token(self) -> str:
        """A fresh one."""
        self.tokens += 1
        return "token"

    def granted_scopes(self) -> frozenset[str] | None:
        """Not told."""
        return None

    def wire(self, *_: object) -> tuple[int, dict[str, str], bytes]:
        """Answers yes to everything."""
        self.sent += 1
        return 204, {}, b""


class Waiting(Meter):
    """A meter that waits long enough for a person to say stop."""

    path: Path

    def charge(self, method: str) -> int:
        """The person says it while the request waits for quota."""
        throw_switch(self.path)
        return super().charge(method)


def over(counting: Counting, meter: Meter, path: Path) -> OneRequest:
    """The transport under the client."""
    rim = Rim(counting.wire, counting, meter, check=lambda: refuse_stopped(path))
    return OneRequest(Allowed(METHODS["execute"], "https://gmail.googleapis.com", "", frozenset({"minimal"})), rim)


URL = "https://gmail.googleapis.com/gmail/v1/users/me/profile?alt=json&prettyPrint=false"


def test_no_token_is_renewed_and_no_byte_leaves_after_it(tmp_path: Path) -> None:
    counting, path = Counting(), switch_path(tmp_path, "jobs")
    http = over(counting, Meter(Quota(), VirtualMonotonic()), path)
    http.request(URL)
    assert (counting.tokens, counting.sent) == (1, 1)
    throw_switch(path)
    with pytest.raises(KillSwitchOn):
        http.request(URL)
    assert (counting.tokens, counting.sent) == (1, 1)


def test_before_the_first_request_no_token_is_asked_for_either(loop: Loop, tmp_path: Path) -> None:
    counting, path = Counting(), switch_path(tmp_path, "jobs")
    meter = Meter(Quota(), VirtualMonotonic())
    rim = Rim(counting.wire, counting, meter, check=lambda: refuse_stopped(path))
    throw_switch(path)
    with pytest.raises(KillSwitchOn):
        attest(loop.world.context.account, "undo", rim, workspace_kind="loopback")
    assert (counting.tokens, counting.sent) == (0, 0)


def test_thrown_while_a_request_waits_for_quota(tmp_path: Path) -> None:
    counting, path = Counting(), switch_path(tmp_path, "jobs")
    meter = Waiting(Quota(), VirtualMonotonic())
    Waiting.path = path
    with pytest.raises(KillSwitchOn):
        over(counting, meter, path).request(URL)
    assert counting.sent == 0


@pytest.mark.parametrize("what", ["empty", "folder", "dangling link", "unreadable"])
def test_anything_at_its_place_means_stop(tmp_path: Path, what: str) -> None:
    path = switch_path(tmp_path, "jobs")
    refuse_stopped(path)
    if what == "folder":
        path.mkdir()
    elif what == "dangling link":
        path.symlink_to(tmp_path / "nowhere")
    else:
        path.touch(mode=0o000 if what == "unreadable" else 0o600)
    throw_switch(path)
    with pytest.raises(KillSwitchOn):
        refuse_stopped(path)


def test_it_is_no_fact_so_no_clock_moves_by_it(loop: Loop) -> None:
    facts = loop.world.context.workspace.fact_files()
    throw_switch(switch(loop))
    assert loop.world.context.workspace.fact_files() == facts
