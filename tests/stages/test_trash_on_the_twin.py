"""The whole loop of trash, fetch to undo, through the real client over HTTP, on twins that treat INBOX in four ways."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli.loop import Loop
from pipeline.cli.reproduce import reproduced
from pipeline.gmail.gateway import ExecuteGateway
from pipeline.models.operation import Trash, journal_token
from pipeline.refusals import AlreadyUndone, NothingToDo, PartlyDone, StatusForbids
from pipeline.session import Request, Session, open_session
from tests.fakes import Clock, no_fsync
from tests.guarantees.test_standalone import refused
from tests.strategies.captures import LABELS, NOON, Letter
from tests.worlds import demo_record, make_folders
from twin.auth import scopes
from twin.faults import Fault
from twin.running import Twin
from twin.serve import serve
from twin.state import Options

POLICY = """version = 1
window_days = 90

[[trash]]
name = "old adverts"
older_than_days = 14
senders = ["boardly.example"]
categories = ["promotions"]
interaction = ["never-answered"]
"""
HEADERS = (("List-Unsubscribe", "<https://boardly.example/u>"), ("List-Id", "<jobs.boardly.example>"))
TEXT = "Hundreds of openings. See all of them on our site, updated every day for you by Boardly."


def letter(name: str, **changes: Any) -> Letter:
    """An old advert."""
    values: dict[str, Any] = {
        "subject": "Big savings this week",
        "body": TEXT,
        "labels": ("INBOX", "CATEGORY_PROMOTIONS"),
        "age": 30,
        "headers": HEADERS,
    }
    return Letter(name, name, **{**values, **changes})


BOX = (
    letter("18f0a1b2c3d40001", labels=("INBOX", "UNREAD", "CATEGORY_PROMOTIONS")),
    letter("18f0a1b2c3d40002"),
    letter("18f0a1b2c3d40003", age=40),
    letter("18f0a1b2c3d40004", age=2),
    letter("18f0a1b2c3d40005", labels=("INBOX", "STARRED", "CATEGORY_PROMOTIONS")),
    letter("18f0a1b2c3d40006", subject="Invoice 2026-118"),
    letter("18f0a1b2c3d40007", body="Please confirm your availability for an interview."),
)
DOOMED = {"18f0a1b2c3d40001", "18f0a1b2c3d40002", "18f0a1b2c3d40003"}


@dataclass
class Place:
    """A twin behind HTTP and the product's loop on it."""

    twin: Twin
    loop: Loop
    root: Path


def opened(tmp_path: Path, stack: ExitStack, options: Options, status: str) -> Place:
    """A served twin and a loopback account of that status."""
    twin = Twin.from_resources(
        "casey.rivers@example.com",
        [one.resource for one in BOX],
        [dict(label) for label in LABELS],
        tokens={"loop": scopes("gmail.modify")},
        options=options,
    )
    url = stack.enter_context(serve(twin)).url
    record = demo_record(id="loop", alias="loop", status=status, endpoint=url, credential="env:LOOP_TOKEN")
    folders = make_folders(tmp_path, registry=record, policy=POLICY)
    session = stack.enter_context(open_session(Request("loop", folders.place, folders.config, {"LOOP_TOKEN": "loop"})))
    return Place(twin, Loop(Session(replace(session.context, wall=Clock(NOON)))), folders.place)


@pytest.fixture(params=[(False, False), (False, True), (True, False), (True, True)])
def place(request: Any, tmp_path: Path) -> Iterator[Place]:
    """One of four twins."""
    keeps, gives = request.param
    with no_fsync(), ExitStack() as stack:
        yield opened(tmp_path, stack, Options(trash_keeps_inbox=keeps, untrash_gives_inbox=gives), "cleanup-enabled")


@pytest.mark.contract("AP-3", "AP-9", "AP-10", "P3", "ID-4")
def test_fetch_to_undo_and_the_mailbox_is_as_before(place: Place) -> None:
    before, loop = place.twin.label_sets(), place.loop
    loop.fetch()
    loop.plan()
    manifest = loop.freeze("trash")
    assert {target.message_id for target in manifest.targets} == DOOMED and manifest.operation == "trash"
    loop.approve(manifest)
    assert set(reproduced(Session(loop.context), manifest)) >= {"discards", "trash_plan"}
    asked = len(place.twin.requests)
    done = loop.execute(manifest)
    assert done.statuses["verified"] == 3 and done.requests == len(place.twin.requests) - asked
    assert done.units <= manifest.price.units and done.requests <= manifest.price.requests
    assert {seen.route for seen in place.twin.requests[asked:]} <= {
        "getProfile", "labels.list", "history.list", "threads.get", "messages.get", "messages.trash"
    }  # fmt: skip
    assert {one for one, worn in place.twin.label_sets().items() if "TRASH" in worn} == DOOMED
    loop.plan()
    with pytest.raises(NothingToDo):
        loop.freeze("trash")
    undone = loop.undo(done)
    assert place.twin.label_sets() == before and undone.statuses["verified"] == 3
    assert "every digest and chain holds" in str(loop.verify())
    assert refused(place.root, b"gmailtriage published demo key..") == []
    with pytest.raises(AlreadyUndone):
        loop.undo(done)


@pytest.mark.contract("AP-6", "AP-7", "P2")
@pytest.mark.parametrize("kind", ["drop_after", "drop_before", "http_503", "truncated", "http_403"])
def test_a_fault_on_the_wire_is_read_back_and_undone(place: Place, kind: str) -> None:
    before, loop = place.twin.label_sets(), place.loop
    loop.fetch()
    manifest = loop.freeze("trash")
    loop.approve(manifest)
    place.twin.plan(Fault(kind, "messages.trash", nth=2))  # type: ignore[arg-type]
    try:
        done = loop.execute(manifest)
    except PartlyDone:
        assert kind == "http_403"
        assert sum("TRASH" in worn for worn in place.twin.label_sets().values()) == 2
        return
    assert done.statuses["verified"] == 3
    place.twin.plan(Fault(kind, "messages.untrash", nth=2))  # type: ignore[arg-type]
    if kind == "http_403":
        return
    loop.undo(done)
    assert place.twin.label_sets() == before


@pytest.mark.contract("ID-3", "ID-5", "ID-4")
@pytest.mark.parametrize("status", ["read-only", "draft-only", "organize-only"])
def test_an_account_that_is_not_for_cleanup_has_no_trash_at_all(tmp_path: Path, status: str) -> None:
    with no_fsync(), ExitStack() as stack:
        place = opened(tmp_path, stack, Options(), status)
        place.loop.fetch()
        place.loop.plan()
        with pytest.raises(StatusForbids):
            place.loop.freeze("trash")
        with pytest.raises(StatusForbids):
            gateway: ExecuteGateway = place.loop.context.gmail.for_execute()
            gateway.perform(journal_token(Trash(message_id=BOX[0].id), 0))
        assert "messages.trash" not in {seen.route for seen in place.twin.requests}
