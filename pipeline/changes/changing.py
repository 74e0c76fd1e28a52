"""Sending changes of messages so that a kill at any instruction loses nothing: announce, send once, note, read back.

Shared by execute and undo. A batch goes out with an intent token and never twice for one intent; when Gmail was busy
or silent, every id is read first and only what still shows its prior labels is announced and sent again, three times at
most. One batch that Gmail refuses does not keep the next from being tried, and every id gets its own verdict.

    finish_open(changer)                       # after an interruption: read back what was announced
    stop = change_all(changer, batches, prepare)    # check time and identity, send, read back, retry
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from pipeline.changes.batches import Batch
from pipeline.changes.changer import Changer, ChangingGateway, perform
from pipeline.changes.readback import (
    Gone,
    Outcome,
    Seen,
    Sight,
    Unseen,
    after_state,
    is_reached,
    look,
    outcome_of,
    verdict,
)
from pipeline.changes.touched import NoHistory, labels_after, read_pages
from pipeline.models.receipt import ReadBack
from pipeline.refusals import Expired, IdentityRefused
from pipeline.sealing.progress import OpenIntent

PATIENT = frozenset({"unreachable", "quota-exhausted"})
"""Troubles after which the gateway has already asked again, for a minute; any other read is repeated once."""
OUTAGE = 3
TRIES = 3
WAIT_SECONDS = (0.0, 5.0, 30.0)
"""Before each try: Gmail's minute of quota comes back while we wait."""


Prepared = Iterable[tuple[Batch, Mapping[str, frozenset[str]]]]
"""Batches that may be sent as they are, each with the true labels of its messages right now."""


def change_all(
    changer: Changer, batches: Iterable[Batch], prepare: Callable[[Batch, str], Prepared]
) -> Expired | IdentityRefused | None:
    """Settle batch after batch. A lost identity or an expiry stops the run and is returned; nothing more is sent.
    It is raised instead while an announced edit waits for its read-back: then the run stays open.

    `prepare` gets a batch and the history id of this moment, and drops what changed since.
    """
    try:
        for batch in batches:
            history_id = changer.check()
            for ready, before in prepare(batch, history_id):
                settle(changer, ready, before)
    except (Expired, IdentityRefused) as stop:
        if changer.journal.progress.pending:
            raise
        return stop
    return None


def settle(changer: Changer, batch: Batch, before: Mapping[str, frozenset[str]]) -> None:
    """Send one batch and find out what became of every id of it."""
    pending = batch
    for number in range(TRIES):
        if number:
            changer.monotonic.sleep(WAIT_SECONDS[number])
            changer.check()
        changer.check_time()
        opened = _announce_and_send(changer, pending, before)
        read_back(changer, opened, is_last=number + 1 == TRIES)
        progress = changer.journal.progress
        pending = pending.only(one for one in pending.message_ids if progress.status(one) == "not_sent")
        if not pending.message_ids:
            return


def finish_open(changer: Changer) -> None:
    """After an interruption: read back every announced change. What still shows its prior labels may be sent again."""
    for opened in changer.journal.progress.open_intents():
        read_back(changer, opened, is_last=False)


def look_all(gateway: ChangingGateway, message_ids: Iterable[str]) -> Iterator[tuple[str, Sight]]:
    """One sight after the other. Where three in a row fail, getProfile tells a sick message from a sick Gmail:
    if that fails too, its refusal is raised and the run stays open for the same command to finish."""
    failed = 0
    for message_id in message_ids:
        sight = look(gateway, message_id)
        if isinstance(sight, Gone) or (isinstance(sight, Unseen) and sight.reason not in PATIENT):
            sight = look(gateway, message_id)  # one 404 is not believed
        failed = failed + 1 if isinstance(sight, Unseen) else 0
        if failed == OUTAGE:
            gateway.reattest()
            failed = 0
        yield message_id, sight


def _announce_and_send(changer: Changer, batch: Batch, before: Mapping[str, frozenset[str]]) -> OpenIntent:
    prior = {message_id: tuple(sorted(before[message_id])) for message_id in batch.message_ids}
    token = changer.journal.intent(batch.operation, prior)
    perform(changer, token)
    return OpenIntent(token.sequence, batch.operation, prior, changer.journal.progress.answers[token.sequence])


def read_back(changer: Changer, opened: OpenIntent, *, is_last: bool) -> None:
    """Look at every id of an intent that has no verdict yet, and write what was seen."""
    outcome = outcome_of(opened.answer)
    pending = changer.journal.progress.pending
    waiting = tuple(one for one in opened.operation.message_ids if pending.get(one) == opened.sequence)
    proved = _proved_by_history(changer, opened, waiting) if outcome == "done" else {}
    seen = look_all(changer.gateway, (one for one in waiting if one not in proved))
    rest = {one: _looked_again(changer, opened, one, sight, outcome) for one, sight in seen}
    for via, sights in (("history", proved), ("read", rest)):
        if sights:
            verdicts = {
                one: verdict(sight, opened.before[one], opened.operation, outcome, is_last=is_last)
                for one, sight in sights.items()
            }
            after = tuple(after_state(one, sights[one], verdicts[one]) for one in sorted(sights))
            changer.journal.append(ReadBack, intent=opened.sequence, via=via, after=after)


def _looked_again(changer: Changer, opened: OpenIntent, message_id: str, sight: Sight, outcome: Outcome) -> Sight:
    """A second read when Gmail said yes and shows no change, because a read may lag behind a write."""
    before = frozenset(opened.before[message_id])
    is_changing = not is_reached(opened.operation, before, before)
    if outcome != "done" or not is_changing or sight != Seen(before):
        return sight
    changer.monotonic.sleep(WAIT_SECONDS[1])
    return look(changer.gateway, message_id)


def _proved_by_history(changer: Changer, opened: OpenIntent, message_ids: tuple[str, ...]) -> dict[str, Sight]:
    """Ids whose newest label record since the request carries exactly the intended labels; doubt is left to a read."""
    if not changer.history_id:
        return {}
    pages = read_pages(changer.gateway, changer.history_id)
    if isinstance(pages, NoHistory):
        return {}
    found = labels_after(pages, message_ids)
    return {
        one: sight for one, sight in found.items() if is_reached(opened.operation, opened.before[one], sight.label_ids)
    }
