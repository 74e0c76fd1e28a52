"""Adapters from our facts to the twin: the demo mailbox as its receipts left it, and a capture as a mailbox.

The twin knows nothing of us; this module hands it Gmail JSON resources and label changes.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from pipeline.canonical import parse_json_object
from pipeline.clock import DEMO_START
from pipeline.evidence.captures import RawCapture
from pipeline.evidence.history import is_read
from pipeline.evidence.lists import newest_list
from pipeline.models.receipt import Receipt
from pipeline.sealing.receipts import fold_receipts
from twin.auth import DEFAULT_TOKENS, scopes
from twin.demo import resources
from twin.running import Twin

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


def created_labels(receipts: Iterable[Receipt]) -> list[dict[str, object]]:
    """Labels that runs created, as Gmail label resources."""
    events = (event for receipt in receipts for event in receipt.events if event.event == "label_created")
    return [{"id": event.id, "name": event.name, "type": "user"} for event in events if event.is_ours]
