"""Trash, fetch to undo, on mailboxes that somebody else wrote; myworld also with its own faults on.

They disagree on whether INBOX stays in the trash: the product is right on each. The clock of our side stands a month
ahead, because a peer may date all mail by its own clock.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli.loop import Loop
from pipeline.models.manifest import KEPT_IN_TRASH, Manifest
from pipeline.refusals import NothingToDo
from pipeline.sealing.progress import fold_events
from pipeline.sealing.receipts import load_receipts
from pipeline.session import Session
from tests.fakes import Clock
from tests.peers.servers import Mailbox
from tests.peers.test_loop import POLICY, Letter, Peer, call, filled, looped, until_over
from tests.sweeps import told

RULE = """
[[trash]]
name = "old adverts"
older_than_days = 14
senders = ["adverts.example"]
categories = ["promotions"]
interaction = ["never-answered"]
"""
TEXT = "Hundreds of openings. See all of them on our site, updated every day for you by Adverts."
ADS = ("Adverts", "newsletter@adverts.example")
LITTER: tuple[Letter, ...] = (
    (*ADS, "Big savings this week", "INBOX", "UNREAD", "CATEGORY_PROMOTIONS"),
    (*ADS, "Bigger savings this week", "INBOX", "CATEGORY_PROMOTIONS"),
    (*ADS, "Savings of the season", "INBOX", "CATEGORY_PROMOTIONS"),
    (*ADS, "Big savings in summer", "INBOX", "STARRED", "CATEGORY_PROMOTIONS"),
    (*ADS, "Invoice 2026-118 is due", "INBOX", "CATEGORY_PROMOTIONS"),
    (*ADS, "Interview invitation, please confirm", "INBOX", "CATEGORY_PROMOTIONS"),
    ("Ann Lee", "ann@people.example", "Lunch?", "INBOX"),
)
"""Only the first three may go: a star, money and an invitation protect the next."""


@contextmanager
def littered(gmail: Mailbox, root: Path) -> Iterator[tuple[Peer, Loop]]:
    """The loop over a peer with litter, in an account that may trash, a month later."""
    with filled(gmail, LITTER, TEXT, "bigger") as peer, looped(root, peer, "cleanup-enabled", POLICY + RULE) as loop:
        later = Clock(datetime.now(UTC) + timedelta(days=30))
        yield peer, Loop(Session(replace(loop.context, wall=later)))


def approved(loop: Loop, peer: Peer) -> Manifest:
    """Fetch, plan, freeze and approve what may go to the trash: three messages, none of them protected."""
    loop.fetch()
    loop.plan()
    manifest = loop.freeze("trash")
    assert len(manifest.targets) == 3 and peer.first in {one.message_id for one in manifest.targets}
    assert not any(one.protected for one in manifest.targets)
    loop.approve(manifest)
    return manifest


def moved(loop: Loop, before: Mapping[str, frozenset[str]], after: Mapping[str, frozenset[str]]) -> set[str]:
    """The ids in the trash. Each was approved and wears every other label as before, INBOX at most is gone; nothing
    else changed; what the receipt calls verified is there, and its prior labels are the true ones."""
    gone = {one for one in before if after[one] != before[one]}
    progress = fold_events(load_receipts(loop.context.workspace)[0].receipt.events)
    for one in gone:
        assert after[one] in (before[one] | {"TRASH"}, (before[one] | {"TRASH"}) - {"INBOX"})
        assert set(progress.first_before[one]) == before[one]
    assert after.keys() == before.keys()
    assert gone == {one for one, status in progress.statuses().items() if status == "verified"}
    return gone


@pytest.mark.contract("P1", "P3", "P6", "AP-6", "AP-9", "AP-10")
def test_the_loop_of_trash_from_fetch_to_undo(gmail: Mailbox, tmp_path: Path) -> None:
    with littered(gmail, tmp_path) as (peer, loop):
        before = peer.labels()
        manifest = approved(loop, peer)
        done = loop.execute(manifest)
        assert done.statuses["verified"] == 3 and not done.listed
        assert moved(loop, before, peer.labels()) == {one.message_id for one in manifest.targets}
        opened = load_receipts(loop.context.workspace)[0].receipt.opened
        assert opened.trash_kept_until == opened.at + KEPT_IN_TRASH
        loop.fetch()
        loop.plan()
        with pytest.raises(NothingToDo):
            loop.freeze("trash")
        gmail.post(f"messages/{peer.first}/modify", {"addLabelIds": ["STARRED"], "removeLabelIds": []})
        loop.undo(done)
        assert peer.labels() == {**before, peer.first: before[peer.first] | {"STARRED"}}
        loop.verify()


FAULTS: Mapping[str, list[dict[str, Any]]] = {
    "one moved in silence": [call("messages.trash", "timeout_after_commit", on_call=2)],
    "one moved twice": [call("messages.trash", "duplicate_commit")],
    "one not moved": [call("messages.trash", "server_error", on_call=3)],
    "one that never got there": [call("messages.trash", "timeout")],
    "an endless rate limit on moves": [call("messages.trash", "rate_limit", times=None)],
    "one brought back in silence": [call("messages.untrash", "timeout_after_commit", on_call=2)],
    "one not brought back": [call("messages.untrash", "server_error")],
    "one denied once": [call("messages.get", "not_found", on_call=2)],
    "an inbox put back in silence": [call("messages.batchModify", "timeout_after_commit")],
}


@pytest.mark.contract("P2", "P3", "AP-6", "AP-7", "AP-9")
@pytest.mark.parametrize("gmail", ["myworld"], indirect=True)
@pytest.mark.parametrize("name", FAULTS)
def test_trash_and_back_on_a_peer_with_its_own_faults_on(gmail: Mailbox, tmp_path: Path, name: str) -> None:
    with littered(gmail, tmp_path) as (peer, loop):
        before = peer.labels()
        manifest = approved(loop, peer)
        until_over(peer, FAULTS[name], lambda: loop.execute(manifest))
        after = peer.labels()
        gone = moved(loop, before, after)
        (source,) = load_receipts(loop.context.workspace)
        undo: Callable[..., object] = loop.stage("undo").run
        if gone:
            until_over(peer, FAULTS[name], lambda: undo(loop.context, source.run, source.sha256, "", ""))
        assert peer.labels() == before
    hits = Counter("moved" if one in gone else "as before" for one in before)
    told("a peer's faults around trash", hits, runs=1, states=() if "rate" in name else ("moved",), floor=1)
