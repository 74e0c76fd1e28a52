"""What an agent should still save: ids of mail that nobody can judge yet, each with the reason; never text of mail.

Reasons, and what to save for each:

    unread-member    a thread with inbox mail has this member, and no answer shows it     (messages.get, format full)
    no-headers       a connector showed it: no headers, at most a converted body          (messages.get, format full)
    body-elsewhere   Gmail keeps the body apart from the message                          (messages.get, format raw)
    unreadable       what was saved of it gives no row                                    (messages.get, format full)
    listed           a list that is not ingested yet names it, and no file shows it       (messages.get, format full)
    thread-cut       a connector showed as many messages of this thread as it ever shows  (get_thread of the thread)
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from pipeline.canonical import parse_json_object
from pipeline.evidence.answers import items
from pipeline.evidence.captures import Exchange, RawCapture
from pipeline.evidence.lists import living_threads
from pipeline.evidence.raw import Reading, read_mail
from pipeline.evidence.reconcile import shown_ids, threads_of
from pipeline.mail.message import Mail, Unreadable

Reason = Literal["unread-member", "no-headers", "body-elsewhere", "unreadable", "listed", "thread-cut"]


@dataclass(frozen=True, slots=True, order=True)
class Wanted:
    """One id to save: a message's, or for `thread-cut` a thread's. `thread_id` is empty when nobody named it."""

    id: str
    thread_id: str
    reason: Reason


def wanted(captures: tuple[RawCapture, ...]) -> tuple[Wanted, ...]:
    """What is missing in sealed captures, sorted by id. Raises InputRefused's kinds for a broken raw set."""
    readings = read_mail(captures)
    return tuple(sorted({*_unjudged(readings), *_unread_members(readings, living_threads(captures))}))


def wanted_of_files(exchanges: tuple[Exchange, ...]) -> tuple[Wanted, ...]:
    """What is missing in saved files that are not ingested yet, sorted by id."""
    shown = shown_ids(exchanges)
    lists = (one for one in exchanges if one.method == "messages.list")
    listed = [item for one in lists for item in items(parse_json_object(one.body), "messages")]
    found = [Wanted(str(i.get("id")), str(i.get("threadId", "")), "listed") for i in listed if i.get("id") not in shown]
    threads = threads_of(exchanges)
    cut = [Wanted(one, one, "thread-cut") for one in threads.capped if one not in threads.whole]
    return tuple(sorted({*found, *cut}))


def missing_sources(captures: Iterable[RawCapture]) -> tuple[str, ...]:
    """Which answers about the mailbox itself no capture holds: without them nothing can be frozen."""
    methods = {exchange.method for capture in captures for exchange in capture.exchanges}
    return tuple(name for name in ("getProfile", "labels.list") if name not in methods)


def _unjudged(readings: Iterable[Reading]) -> Iterator[Wanted]:
    for reading in readings:
        mail = reading.mail
        if isinstance(mail, Unreadable):
            if mail.id and mail.reason != "gone":
                yield Wanted(mail.id, "", "unreadable")
        elif _may_be_in_inbox(mail) and not mail.headers_seen:
            yield Wanted(mail.id, mail.thread_id, "no-headers")
        elif _may_be_in_inbox(mail) and mail.body.state == "not_fetched":
            yield Wanted(mail.id, mail.thread_id, "body-elsewhere")


def _may_be_in_inbox(mail: Mail) -> bool:
    return mail.label_ids is None or "INBOX" in mail.label_ids


def _unread_members(readings: tuple[Reading, ...], listed: dict[str, str]) -> Iterator[Wanted]:
    mails = [reading.mail for reading in readings if isinstance(reading.mail, Mail)]
    threads = {mail.thread_id for mail in mails if _may_be_in_inbox(mail)}
    known = {reading.mail.id for reading in readings}
    for message_id, thread_id in listed.items():
        if thread_id in threads and message_id not in known:
            yield Wanted(message_id, thread_id, "unread-member")
