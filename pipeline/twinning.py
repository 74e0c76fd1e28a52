"""Adapters from our facts to the twin: the demo mailbox as its receipts left it, a capture or a snapshot as a mailbox.

The twin knows nothing of us; this module hands it Gmail JSON resources and label changes.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from pipeline.canonical import parse_json_object
from pipeline.clock import DEMO_START
from pipeline.evidence.captures import RawCapture
from pipeline.evidence.history import is_read
from pipeline.evidence.lists import newest_list
from pipeline.gmail.wire import Wire
from pipeline.models.manifest import ExistingLabel, Manifest
from pipeline.models.receipt import Receipt
from pipeline.sealing.receipts import fold_receipts
from twin.auth import DEFAULT_TOKENS, scopes
from twin.demo import resources
from twin.running import Twin

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TOKENS = {**DEFAULT_TOKENS, "all": scopes("all")}


def demo_twin(receipts: tuple[Receipt, ...], at: datetime = DEMO_START) -> Twin:
    """The demo mailbox with every verified change of these receipts applied; its clock stands still at `at`."""
    box = resources()
    after = {i: f.after_labels for i, f in fold_receipts(receipts).items() if f.after_labels is not None}
    messages = [
        {**message, "labelIds": sorted(after.get(str(message["id"]), message["labelIds"]))}
        for message in box["messages"]
    ]
    labels = [*map(dict, box["labels"]), *created_labels(receipts)]
    milliseconds = int(at.timestamp() * 1000)
    # A mailbox that changed since a capture must not answer for the history of before: its ids start far above.
    history_id = 1_000_000 * sum(len(receipt.events) for receipt in receipts)
    return Twin.from_resources(
        box["address"], messages, labels, tokens=TOKENS, clock=lambda: milliseconds, history_id=history_id
    )


def capture_twin(captures: Iterable[RawCapture], address: str, tokens: Mapping[str, frozenset[str]]) -> Twin:
    """The mailbox that captures show: newest body of each message, newest label list."""
    listed = tuple(captures)
    reads = (one for capture in listed for one in capture.bodies("messages.get") if is_read(one, "full"))
    messages = {str(message["id"]): message for message in (parse_json_object(one.body) for one in reads)}
    labels = [dict(label) for label in newest_list(listed, "labels.list") if label.get("type") == "user"]
    bodies = [dict(message) for message in messages.values()]
    return Twin.from_resources(address, bodies, labels, tokens=tokens)


def snapshot_twin(messages: pl.DataFrame, labels: pl.DataFrame, manifest: Manifest, token: str) -> Twin:
    """The mailbox that the snapshot shows, which is what captures and receipts add up to: ids, threads, labels, dates.

    It holds no text. Members of a target's thread that nobody read are there by their ids, or the thread would differ.
    """
    rows = [_bare(str(r["id"]), str(r["thread_id"]), r["label_ids"], r["date"]) for r in messages.iter_rows(named=True)]
    known = {str(row["id"]) for row in rows}
    unread = {one: t.thread_id for t in manifest.targets for one in t.fingerprint.thread_members if one not in known}
    rows += [_bare(one, thread, (), None) for one, thread in unread.items()]
    owned = {str(r["id"]): str(r["name"]) for r in labels.iter_rows(named=True) if r["type"] == "user"}
    named = {r.id: r.name for t in manifest.targets if isinstance(r := t.label, ExistingLabel)}
    described = [{"id": one, "name": name, "type": "user"} for one, name in {**named, **owned}.items()]
    tokens = {token: scopes("gmail.modify")}
    history_id = int(manifest.history_id)
    return Twin.from_resources(manifest.address, rows, described, tokens=tokens, history_id=history_id)


def _bare(message_id: str, thread_id: str, label_ids: Iterable[str] | None, date: datetime | None) -> dict[str, Any]:
    milliseconds = (date - _EPOCH) // timedelta(milliseconds=1) if date is not None else 0
    return {
        "id": message_id,
        "threadId": thread_id,
        "labelIds": list(label_ids or ()),
        "internalDate": str(milliseconds),
        "payload": {"mimeType": "text/plain", "headers": [], "body": {"size": 0}},
    }


def wire_of(twin: Twin) -> Wire:
    """A twin as a wire: a function in this process, whatever origin and base path a URL names."""
    http = twin.in_process()

    def wire(verb: str, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        return http.request(verb, f"/gmail/v1/{url.partition('/gmail/v1/')[2]}", headers, body)

    return wire


def created_labels(receipts: Iterable[Receipt]) -> list[dict[str, object]]:
    """Labels that runs created, as Gmail label resources."""
    events = (event for receipt in receipts for event in receipt.events if event.event == "label_created")
    return [{"id": event.id, "name": event.name, "type": "user"} for event in events if event.is_ours]
