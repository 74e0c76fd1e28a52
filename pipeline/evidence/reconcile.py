"""Whether files that another tool saved fit each other: what one of them names, another must show.

Promises: a thread that a connector may have cut has its whole self beside it, and no member of a whole thread is known
elsewhere but missing in it (TruncatedThread); every listed thread is shown (IncompleteCapture); every message that was
saved alone stands in the list of the same set, when there is one (MissingPage): so no file can be left out in silence.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pipeline.canonical import parse_json_object
from pipeline.evidence.answers import Resource, items
from pipeline.evidence.captures import Exchange, RawCapture
from pipeline.mail.rawmail import takeout_facts
from pipeline.refusals import IncompleteCapture, MissingPage, TruncatedThread

THREAD_CAP: Final = 5
"""A connector shows at most the oldest five messages of a thread: five may mean more."""
_WHOLE: Final = ("threads.get", "get_thread")
_SEPARATOR_BYTES: Final = 1_000


@dataclass(slots=True)
class Threads:
    """What a set says about its threads: members as whole answers show them, as anything names them, and the capped."""

    whole: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    named: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    capped: dict[str, int] = field(default_factory=dict)


def refuse_unreconciled(capture: RawCapture) -> None:
    """Raise TruncatedThread, IncompleteCapture or MissingPage for the first file that lacks its counterpart."""
    if capture.seal.source != "ingest":
        return
    threads = threads_of(capture.exchanges)
    _refuse_cut_thread(threads)
    _refuse_unshown_thread(capture, threads)
    _refuse_unlisted(capture)


def threads_of(exchanges: Iterable[Exchange]) -> Threads:
    """Thread ids and members out of every answer that names both."""
    found = Threads()
    for exchange in exchanges:
        for thread_id, members, is_whole in _members(exchange):
            found.named[thread_id] |= members
            if is_whole:
                found.whole[thread_id] |= members
            elif len(members) >= THREAD_CAP:
                found.capped[thread_id] = len(members)
    return found


def shown_ids(exchanges: Iterable[Exchange]) -> set[str]:
    """Ids of the messages that the answers show with sender and subject."""
    return {message_id for exchange in exchanges for message_id in _shown(exchange)}


def _shown(exchange: Exchange) -> Iterator[str]:
    method = exchange.method
    if method == "messages.get" and exchange.parameters.get("format", "full") != "minimal":
        yield str(exchange.parameters.get("id"))
    if method in ("threads.get", "get_thread", "triage"):
        yield from (_id(item) for item in items(parse_json_object(exchange.body), "messages"))
    if method == "search_threads":
        for thread in items(parse_json_object(exchange.body), "threads"):
            yield from (str(item.get("id", thread.get("id"))) for item in items(thread, "messages"))
    if method == "mbox":
        line, _, mail = exchange.body.partition(b"\n")
        yield takeout_facts(line[:_SEPARATOR_BYTES].decode("latin-1"), mail).id


def _members(exchange: Exchange) -> Iterator[tuple[str, set[str], bool]]:
    """(thread id, member ids, whether that is all of them)."""
    if exchange.method not in (*_WHOLE, "search_threads", "messages.list", "messages.get"):
        return
    document = parse_json_object(exchange.body)
    if exchange.method in _WHOLE:
        found = items(document, "messages")
        thread_id = document.get("id", found[0].get("threadId") if found else None)
        yield str(thread_id), {_id(item, thread_id) for item in found}, True
    if exchange.method == "search_threads":
        for thread in items(document, "threads"):
            shown = items(thread, "messages")
            yield _id(thread), {_id(item, thread.get("id")) for item in shown}, bool(thread.get("messagesComplete"))
    if exchange.method == "messages.list":
        yield from ((str(item.get("threadId")), {_id(item)}, False) for item in items(document, "messages"))
    if exchange.method == "messages.get":
        yield str(document.get("threadId")), {_id(document)}, False


def _refuse_cut_thread(threads: Threads) -> None:
    for thread_id, shown in threads.capped.items():
        if thread_id not in threads.whole:
            raise _truncated(
                f"thread {thread_id} shows {shown} messages, as many as a connector ever shows",
                "there may be more",
            )
    for thread_id, members in threads.whole.items():
        missing = sorted(threads.named[thread_id] - members)
        if missing:
            raise _truncated(f"thread {thread_id} lacks a message that another file names", ", ".join(missing[:5]))


def _truncated(what: str, evidence: str) -> TruncatedThread:
    return TruncatedThread(what, evidence=evidence, next_command="save get_thread of this thread, then ingest both")


def _refuse_unshown_thread(capture: RawCapture, threads: Threads) -> None:
    listed = [_id(item) for e in capture.bodies("threads.list") if _is_inbox(e) for item in _listed(e, "threads")]
    missing = [thread_id for thread_id in dict.fromkeys(listed) if thread_id not in threads.named]
    if missing:
        raise IncompleteCapture(
            f"{len(missing)} listed threads are in no other file",
            evidence=", ".join(missing[:5]),
            next_command="save get_thread of each, then ingest all of them",
        )


def _refuse_unlisted(capture: RawCapture) -> None:
    """A list that lacks what was read after it has lost a page; members of listed threads may stand in no list."""
    messages = [item for exchange in capture.bodies("messages.list") for item in _listed(exchange, "messages")]
    threads = [item for exchange in capture.bodies("threads.list") for item in _listed(exchange, "threads")]
    if not any(True for method in ("messages.list", "threads.list") for _ in capture.bodies(method)):
        return
    known = {_id(item) for item in (*messages, *threads)} | {str(item.get("threadId")) for item in messages}
    for exchange in (*capture.bodies("messages.get"), *capture.bodies("threads.get")):
        document = parse_json_object(exchange.body)
        if not known & {_id(document), str(document.get("threadId"))}:
            raise MissingPage(
                "a message was saved that no page of the list names",
                evidence=_id(document),
                next_command="save every page of the list, then ingest all of them",
            )


def _is_inbox(exchange: Exchange) -> bool:
    return exchange.parameters.get("purpose") == "inbox"


def _listed(exchange: Exchange, key: str) -> list[Resource]:
    return items(parse_json_object(exchange.body), key)


def _id(item: Resource, otherwise: object = None) -> str:
    return str(item.get("id", otherwise))
