"""The whole loop, fetch to undo, on mailboxes that somebody else wrote: they cannot share our mistakes as a twin could.

myworld runs with its own faults on: rate limits, server errors, an answer that is cut, a time-out after the work was
done, a proxy that does the work twice, a message that is denied once.
"""

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli.loop import Loop
from pipeline.models.plan import Plan
from pipeline.refusals import AlreadyUndone, Consumed, PartlyDone, Refusal
from pipeline.sealing.progress import fold_events
from pipeline.sealing.receipts import load_receipts
from pipeline.session import Request, open_session
from tests.fakes import no_fsync
from tests.peers.servers import POOL, Mailbox
from tests.peers.shim import profile_shim
from tests.sweeps import told
from tests.worlds import make_folders

POLICY = 'version = 1\nwindow_days = "all"\nbatch_size = 2\n'
RECORD = """[[mailbox]]
id = "peer"
alias = ["peer"]
address = "{address}"
status = "{status}"
endpoint = "{endpoint}"
credential = "env:PEER_TOKEN"
"""
Letter = tuple[str, ...]
MAIL: tuple[Letter, ...] = (
    ("boardly alerts", "alerts@boardly.example", "Job alert: three openings", "INBOX", "UNREAD"),
    ("boardly alerts", "alerts@boardly.example", "Job alert: two openings", "INBOX"),
    ("boardly alerts", "news@jobs.boardly.example", "Job alert: one opening", "INBOX", "CATEGORY_UPDATES"),
    ("boardly alerts", "alerts@boardly.example", "Job alert: late openings", "INBOX"),
    ("boardly alerts", "alerts@boardly.example", "Job alert: no openings", "INBOX", "STARRED"),
    ("boardly desk", "desk@boardly.example", "Your interview on Friday", "INBOX"),
    ("Ann Lee", "ann@people.example", "Lunch?", "INBOX"),
    ("Shop", "offers@shop.example", "Application of paint: half price", "INBOX"),
    ("boardly alerts", "alerts@boardly.example", "Job alert: long ago"),
)
"""Name, address, subject and labels; the last one was archived by hand."""


@dataclass(frozen=True)
class Peer:
    """A filled mailbox of a peer, and where our client finds it."""

    mailbox: Mailbox
    endpoint: str
    first: str

    def labels(self) -> dict[str, frozenset[str]]:
        """Every message's labels by id, as the peer shows them."""
        rows = self.mailbox.get("messages?maxResults=500&includeSpamTrash=true").get("messages", [])
        read = (self.mailbox.get(f"messages/{row['id']}?format=minimal") for row in rows)
        return {one["id"]: frozenset(one.get("labelIds", [])) for one in read}


@contextmanager
def filled(
    gmail: Mailbox, mail: tuple[Letter, ...] = MAIL, text: str = "Hello, a line of text.", word: str = "two"
) -> Iterator[Peer]:
    """The mailbox with mail in it; `word` finds its first message of interest. A peer without getProfile stands behind
    the shim."""
    for name, address, subject, *labels in mail:
        raw = f"From: {name} <{address}>\r\nTo: {gmail.owner}\r\nSubject: {subject}\r\n\r\n{text}\r\n"
        gmail.post("messages", {"raw": base64.urlsafe_b64encode(raw.encode()).decode(), "labelIds": labels})
    first = gmail.get(f"messages?q={word}")["messages"][0]["id"]
    base = gmail.base.removesuffix("/gmail/v1/users/")
    if gmail.kind != "emulate":
        yield Peer(gmail, base, first)
        return
    with profile_shim(base, gmail.owner) as url:
        yield Peer(gmail, url, first)


@contextmanager
def looped(root: Path, peer: Peer, status: str = "organize-only", policy: str = POLICY) -> Iterator[Loop]:
    """Our loop over the peer: the real session, client, gate and transport."""
    registry = RECORD.format(address=peer.mailbox.owner, endpoint=peer.endpoint, status=status)
    folders = make_folders(root, registry=registry, policy=policy)
    env = {**folders.env, "PEER_TOKEN": peer.mailbox.token}
    with no_fsync(), open_session(Request("peer", folders.place, folders.config, env=env)) as session:
        yield Loop(session)


def planned(loop: Loop) -> Plan:
    """Fetch, then plan."""
    loop.fetch()
    return loop.plan()


def wanted(loop: Loop, plan: Plan, before: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """What each message must wear when every verified target has its change and nothing else has any."""
    receipt = load_receipts(loop.context.workspace)[0].receipt
    progress = fold_events(receipt.events)
    done = {one for one, status in progress.statuses().items() if status == "verified"}
    found = dict(before)
    for target in plan.targets:
        if target.message_id in done:
            operation = progress.operations[target.message_id]
            found[target.message_id] = (before[target.message_id] | set(operation.add)) - set(operation.remove)
    return found


@pytest.mark.contract("P1", "P3", "AP-6", "AP-9", "AP-10")
def test_the_whole_loop_from_fetch_to_undo(gmail: Mailbox, tmp_path: Path) -> None:
    with filled(gmail) as peer, looped(tmp_path, peer) as loop:
        before = peer.labels()
        plan = planned(loop)
        kinds = [target.change.kind for target in plan.targets]
        assert kinds.count("archive") >= 3 and kinds.count("label") >= 1 and plan.new_labels
        manifest = loop.freeze()
        loop.approve(manifest)
        done = loop.execute(manifest)
        assert done.statuses["verified"] == len(plan.targets) and not done.listed
        assert peer.labels() == wanted(loop, plan, before) != before
        loop.fetch()
        assert not loop.plan().targets, "nothing is left to do"
        gmail.post(f"messages/{peer.first}/modify", {"addLabelIds": ["STARRED"], "removeLabelIds": []})
        loop.undo(done)
        assert peer.labels() == {**before, peer.first: before[peer.first] | {"STARRED"}}
        loop.verify()


def call(method: str, kind: str, **more: Any) -> dict[str, Any]:
    """One fault in myworld's words; it strikes the first call unless told otherwise."""
    return {"tool": f"gmail.users.{method}", "kind": kind, **more}


KINDS = ("rate_limit", "server_error", "truncated", "timeout_after_commit", "bad_gateway", "duplicate_commit")
FAULTS: Mapping[str, list[dict[str, Any]]] = {
    "busy reads": [call("messages.get", "rate_limit", on_call=3), call("threads.get", "unavailable", on_call=2)],
    "a cut list of labels": [call("labels.list", "truncated", on_call=2)],
    "a label made in silence": [call("labels.create", "timeout_after_commit")],
    "a batch done in silence": [call("messages.batchModify", "timeout_after_commit")],
    "a batch done twice": [call("messages.batchModify", "duplicate_commit")],
    "a batch not done": [call("messages.batchModify", "server_error", on_call=2)],
    "a batch that never got there": [call("messages.batchModify", "timeout")],
    "a batch behind a broken gateway": [call("messages.batchModify", "transport_error")],
    "a message denied once": [call("messages.get", "not_found", on_call=2)],
    "a sick history": [call("history.list", "server_error", times=9)],
    "an endless rate limit on batches": [call("messages.batchModify", "rate_limit", times=None)],
    "anything at random": [call("*", kind, probability=0.08, times=4) for kind in KINDS],
}


def turn_on(peer: Peer, faults: list[dict[str, Any]]) -> None:
    """myworld's own faults, counted from now on; none = all is well again."""
    secret, _, where = peer.mailbox.admin.partition("@")
    url, _, instance = where.partition(" ")
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    sent = json.dumps(faults).encode()
    answer = POOL.request("PUT", f"{url}/instances/{instance}/faults", headers=headers, body=sent)
    assert answer.status == 200, answer.data


def until_over(peer: Peer, faults: list[dict[str, Any]], command: Callable[[], object]) -> None:
    """The command with the faults on, then without them until it says that it was done before."""
    turn_on(peer, faults)
    with suppress(Refusal):
        command()
    turn_on(peer, [])
    for _ in range(4):
        try:
            command()
        except (Consumed, AlreadyUndone):
            return
        except PartlyDone:
            continue
    raise AssertionError("never ends")


@pytest.mark.contract("P2", "P3", "AP-6", "AP-7", "AP-9")
@pytest.mark.parametrize("gmail", ["myworld"], indirect=True)
@pytest.mark.parametrize("stage", ["execute", "undo"])
@pytest.mark.parametrize("name", FAULTS)
def test_the_loop_on_a_peer_with_its_own_faults_on(gmail: Mailbox, tmp_path: Path, name: str, stage: str) -> None:
    with filled(gmail) as peer, looped(tmp_path, peer) as loop:
        before = peer.labels()
        plan = planned(loop)
        manifest = loop.freeze()
        loop.approve(manifest)
        until_over(peer, FAULTS[name] if stage == "execute" else [], lambda: loop.execute(manifest))
        after = peer.labels()
        assert after == wanted(loop, plan, before)
        (source,) = load_receipts(loop.context.workspace)
        if after != before:
            undo = loop.stage("undo").run
            until_over(
                peer,
                FAULTS[name] if stage == "undo" else [],
                lambda: undo(loop.context, source.run, source.sha256, "", ""),
            )
        assert peer.labels() == before
    told(
        f"a peer's faults in {stage}",
        Counter("changed" if after[one] != before[one] else "as before" for one in before),
        runs=1,
    )
