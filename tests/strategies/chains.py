"""Chains of captures of one mailbox: full reads, changes by history, bare labels, connectors' views, in any order."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from hypothesis import strategies as st

from pipeline.evidence.captures import Exchange, RawCapture
from tests.strategies.captures import ADDRESS, LABEL_SETS, PROFILE, Letter, body, capture_of, got, letters, raw

Box = tuple[Letter, ...]


def _known(labels: tuple[str, ...] | None) -> list[str]:
    return list(labels or ())


def history_capture(box: Box, new: Box, gone: Sequence[str], number: int) -> RawCapture:
    """What a fetch since the last capture records: changed labels, new mail in full, what was deleted."""
    records: list[dict[str, object]] = []
    for at, letter in enumerate(box):
        message: dict[str, object] = {"id": letter.id, "threadId": letter.thread}
        if letter.id in gone:
            records.append({"id": f"9{at}", "messagesDeleted": [{"message": message}]})
        else:
            worn = {} if letter.labels is None else {"labelIds": list(letter.labels)}
            records.append({"id": f"9{at}", "labelsAdded": [{"message": {**message, **worn}}]})
    records += [
        {
            "id": "99",
            "messagesAdded": [{"message": {"id": one.id, "threadId": one.thread, "labelIds": _known(one.labels)}}],
        }
        for one in new
    ]
    page = Exchange(
        "history.list", {"startHistoryId": "900100"}, 200, body({"history": records, "historyId": "900100"})
    )
    asked = [Exchange("messages.get", {"id": one.id, "format": "minimal"}, 200,
                      body({"id": one.id, "threadId": one.thread, "labelIds": _known(one.labels), "historyId": "77"}))
             for one in box if one.labels is None and one.id not in gone]  # fmt: skip
    labels = Exchange("labels.list", {}, 200, body({"labels": []}))
    return raw([PROFILE, page, labels, *(got(one.resource) for one in new), *asked], number,
               purposes=("history", "labels", "profile"))  # fmt: skip


def labels_capture(box: Box, number: int) -> RawCapture:
    """A refresh of labels that another tool saved: format minimal."""
    return raw(
        [
            Exchange("messages.get", {"id": one.id, "format": "minimal", "purpose": "labels"}, 200,
                     body({"id": one.id, "threadId": one.thread, "labelIds": _known(one.labels)}))
            for one in box
        ],
        number, source="ingest", purposes=("labels",),
    )  # fmt: skip


def searched_capture(box: Box, number: int) -> RawCapture:
    """A connector's view of the same mail, no thread of it near the cap."""
    threads = [
        {"id": one.thread, "messages": [{"id": one.id, "sender": one.sender or f"x <{ADDRESS}>", "subject": one.subject,
                                         "date": "2026-11-22", "labelIds": _known(one.labels)}],
         "messagesComplete": True}
        for one in box
    ]  # fmt: skip
    return raw([Exchange("search_threads", {}, 200, body({"threads": threads}))], number, source="ingest")


_LATER: tuple[Callable[[Box, int], RawCapture], ...] = (
    capture_of,
    labels_capture,
    searched_capture,
    lambda box, number: history_capture(box, (), (), number),
    lambda box, number: history_capture(box, (), tuple(one.id for one in box[:1]), number),
    lambda box, number: history_capture(box, tuple(_new(one, number) for one in box[:2]), (), number),
    lambda box, number: history_capture(box, (), tuple(one.id for one in box), number),
    lambda box, number: capture_of(box[1:], number),
    lambda box, number: capture_of(tuple(replace(one, thread="elsewhere") for one in box[:1]), number),
    lambda box, number: capture_of((), number),
    lambda box, number: _orphan(history_capture(box, (), (), number), number),
    lambda box, number: _orphan(history_capture(box, (), (), number), number),
)


def _orphan(capture: RawCapture, number: int) -> RawCapture:
    """The same changes since a capture that is not there."""
    moved = [
        replace(one, parameters={"startHistoryId": "1"}) if one.method == "history.list" else one
        for one in capture.exchanges
    ]
    return raw(moved, number, purposes=capture.seal.purposes)


def _new(letter: Letter, number: int) -> Letter:
    return replace(letter, id=f"{letter.id}n{number}", thread=f"{letter.thread}n{number}")


@st.composite
def chains(draw: st.DrawFn, *, max_letters: int = 4, max_later: int = 3) -> tuple[RawCapture, ...]:
    """A full read (or a bare label list before it), then up to so many captures of any kind."""
    box = draw(letters(max_size=max_letters)) or (Letter("18f0a1b2c3d40000", "18f0a1b2c3d40000"),)
    found = [labels_capture(box, 0)] if draw(st.booleans()) and box else []
    found.append(capture_of(box, 1))
    for number in range(2, 2 + draw(st.integers(0, max_later))):
        box = tuple(replace(one, labels=draw(st.sampled_from((*LABEL_SETS, None)))) for one in box)
        found.append(draw(st.sampled_from(_LATER))(box, number))
    return tuple(found)
