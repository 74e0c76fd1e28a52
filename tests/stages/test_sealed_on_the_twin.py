"""The sealed half through the real client, over real HTTP, on the twin: what the in-memory mailbox cannot prove."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.models.manifest import ExistingLabel, NewLabel
from pipeline.refusals import DriftAborted, PartlyDone, Refusal, WrongAccount
from pipeline.sealing.progress import fold_events
from tests.fakes import World, no_fsync
from tests.served import WISHES, Loop, served
from tests.sweeps import sweep
from twin.auth import scopes
from twin.faults import Fault
from twin.running import Twin
from twin.serve import serve
from twin.wire import Request as WireRequest


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    """A served twin and its world."""
    with served(tmp_path) as found:
        yield found


@pytest.mark.contract("AP-3", "AP-9", "P3")
def test_execute_and_undo_over_http_and_the_mailbox_is_as_before(loop: Loop) -> None:
    before = loop.twin.label_sets()
    digest = loop.world.ready(WISHES, NewLabel(create="Jobs/Alerts"))
    finished = loop.world.execute(digest)
    assert finished.statuses["verified"] == 4
    assert {seen.route for seen in loop.twin.requests} <= {
        "getProfile", "labels.list", "labels.create", "history.list", "threads.get", "messages.get",
        "messages.batchModify",
    }  # fmt: skip
    assert finished.requests == len(loop.twin.requests) and not loop.twin.recorded
    assert all(seen.params.get("format") == ["minimal"] for seen in loop.twin.requests if seen.route.endswith(".get"))
    assert loop.twin.labels_of("18f0a1b2c3d40005") == before["18f0a1b2c3d40005"]
    loop.world.undo()
    assert loop.twin.label_sets() == before


@pytest.mark.contract("AP-6", "AP-7", "P2")
@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "http_429", "http_503", "html", "truncated", "cut"])
@pytest.mark.parametrize("route", ["messages.batchModify", "labels.create", "messages.get", "threads.get"])
def test_a_fault_on_the_wire_never_makes_a_false_receipt(loop: Loop, kind: str, route: str) -> None:
    before = loop.twin.label_sets()
    digest = loop.world.ready(WISHES, NewLabel(create="Jobs/Alerts"))
    loop.twin.plan(Fault(kind, route, nth=2 if route.endswith("get") else 1))  # type: ignore[arg-type]
    finish(loop.world, digest)
    (path,) = loop.world.context.workspace.receipts.glob("*.jsonl")
    statuses = fold_events(loop.world.receipt(path.stem).events).statuses()
    created = [seen for seen in loop.twin.requests if seen.route == "labels.create"]
    assert len(created) == 1, "a create is sent at most once"
    done = {one for one, labels in loop.twin.label_sets().items() if labels != before[one]}
    assert {one for one, status in statuses.items() if status == "verified"} == done
    if done:
        loop.world.undo()
    assert loop.twin.label_sets() == before


def finish(world: World, digest: str) -> None:
    """Run until it is over."""
    for _ in range(3):
        with suppress(PartlyDone):
            try:
                world.execute(digest)
            except PartlyDone:
                raise
            except Refusal as refusal:
                if refusal.slug == "consumed":
                    return


@pytest.mark.contract("AP-5")
def test_a_star_a_reply_and_a_vanished_message_between_plan_and_execute(loop: Loop) -> None:
    digest = loop.world.ready(WISHES, NewLabel(create="Jobs/Alerts"))
    loop.twin.relabel("18f0a1b2c3d40001", add=("STARRED",))
    with pytest.raises(PartlyDone):
        loop.world.execute(digest)
    assert loop.twin.labels_of("18f0a1b2c3d40001") == {"INBOX", "UNREAD", "STARRED"}
    assert "INBOX" not in loop.twin.labels_of("18f0a1b2c3d40002")


@pytest.mark.contract("ID-1")
def test_another_endpoint_in_the_registry_sends_nothing(loop: Loop) -> None:
    digest = loop.world.ready(WISHES, NewLabel(create="Jobs/Alerts"))
    other = Twin.from_resources("other@example.com", [], tokens={"loop": scopes("gmail.modify")})
    with serve(other) as server:
        account = loop.world.context.account.model_copy(update={"endpoint": server.url})
        config = replace(loop.world.context.config, account=account)
        with pytest.raises(DriftAborted):
            loop.world.with_context(config=config).execute(digest)
    assert not other.requests and not loop.twin.mutations, "the registry record is pinned: no gateway was opened"


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("calls", [1, 2, 3])
def test_credentials_swapped_between_two_batches_over_http(loop: Loop, calls: int) -> None:
    """The same URL and token open another mailbox from the second, third or fourth getProfile on."""
    digest = loop.world.ready(WISHES, NewLabel(create="Jobs/Alerts"))
    state = loop.twin.state
    asked = []

    def swap(*_: object) -> object:
        asked.append(1)
        return replace(state, address="other@example.com") if len(asked) > calls else None

    answered = Twin.answer

    def answer(twin: Twin, request: WireRequest) -> object:
        if request.path.endswith("/profile") and (other := swap()) is not None:
            twin = Twin(other)  # type: ignore[arg-type]
        return answered(twin, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Twin, "answer", answer)
        with pytest.raises(WrongAccount):
            loop.world.execute(digest)
    assert len(loop.twin.mutations) == max(0, calls - 1), "nothing was sent after the swap"


@pytest.mark.contract("AP-3")
def test_with_every_list_of_mail_broken_execute_and_undo_never_ask_for_one(loop: Loop) -> None:
    """The list and search routes answer 500 for ever; runs go through and not one of those routes is called."""
    before = loop.twin.label_sets()
    for route in ("messages.list", "threads.list", "drafts.list", "settings.filters.list"):
        loop.twin.plan(Fault("http_500", route, count=0))
    for number in range(sweep(500, 25)):
        loop.world.clock.pass_minutes(1)
        loop.world.mailbox.history_id = int(loop.twin.state.mail.history_id)
        loop.world.capture()
        name = "Jobs/Alerts"
        label = NewLabel(create=name) if number == 0 else ExistingLabel(id=label_id(loop.twin), name=name)
        loop.world.execute(loop.world.ready(WISHES, label))
        loop.world.clock.pass_minutes(1)
        loop.world.undo()
        assert loop.twin.label_sets() == before
    assert not {seen.route for seen in loop.twin.requests if "list" in seen.route} - {"labels.list", "history.list"}


def label_id(twin: Twin) -> str:
    """The label that the first run made."""
    (found,) = (one for one, label in twin.state.mail.labels.items() if label.name == "Jobs/Alerts")
    return found
