"""Whether a capture holds all that it says it holds: a hole is refused by name before anybody reads around it.

Promises: each list runs from its first page to its last (MissingPage); what the seal's purposes name is there
(IncompleteCapture); every id of an inbox list was answered, if only with "gone" (DroppedOn429, IncompleteCapture). A
capture of history stands on an earlier fetch: that one must be there, and bodies that it holds count as answered.

    refuse_incomplete(capture, earlier)
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pipeline.canonical import parse_json_object
from pipeline.evidence.answers import Resource, items
from pipeline.evidence.captures import OK, Exchange, RawCapture
from pipeline.evidence.reconcile import refuse_unreconciled, shown_ids
from pipeline.models.capture import Capture
from pipeline.refusals import DroppedOn429, IncompleteCapture, MissingPage

__all__ = ["LIST_KEYS", "Resource", "is_inbox_list", "is_list_of_everything", "items", "refuse_incomplete"]

LIST_KEYS = {
    "messages.list": "messages",
    "threads.list": "threads",
    "history.list": "history",
    "labels.list": "labels",
    "drafts.list": "drafts",
    "search_threads": "threads",
    "settings.filters.list": "filter",
    "triage": "messages",
}
"""Where a list answer keeps its items; the key is absent when there are none."""
READS = ("messages.get", "threads.get")
RATE_LIMITED = (403, 429)
GONE = 404


@dataclass(frozen=True, slots=True)
class Claims:
    """What one capture says of others: history ids that it continues, ids it answered, inbox ids it did not, and of
    those the ones that were refused for their number."""

    starts: frozenset[str]
    answered: frozenset[str]
    unanswered: tuple[str, ...]
    limited: frozenset[str]


@dataclass
class Earlier:
    """What the captures before one hold: history ids where a fetch ended, and ids that were answered."""

    ends: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)

    def add(self, seal: Capture, answered: Iterable[str]) -> None:
        """Count one more capture among the earlier ones."""
        if seal.source == "fetch" and seal.history_id is not None:
            self.ends.add(seal.history_id)
        self.answered.update(answered)


def refuse_incomplete(capture: RawCapture, earlier: Earlier | None = None) -> Claims:
    """What the capture claims. Raises MissingPage, IncompleteCapture or DroppedOn429 for the first hole.

    Without `earlier` a capture of history is judged by itself alone: `refuse_unmet` judges the rest.
    """
    _refuse_missing_purpose(capture)
    _refuse_missing_page(capture)
    claims = _claims_of(capture)
    if earlier is not None or not is_of_history(capture.seal):
        refuse_unmet(capture.seal, claims, earlier or Earlier())
    refuse_unreconciled(capture)
    return claims


def refuse_unmet(seal: Capture, claims: Claims, earlier: Earlier) -> None:
    """Raise IncompleteCapture or DroppedOn429 when neither the capture nor an earlier one holds what it claims."""
    before = earlier if is_of_history(seal) else Earlier()
    _refuse_missing_start(seal, claims, before)
    _refuse_unanswered(seal, claims, before)


def is_of_history(seal: Capture) -> bool:
    """Whether a capture holds what changed since an earlier one, not all of the window."""
    return "history" in seal.purposes


def _claims_of(capture: RawCapture) -> Claims:
    missing = unanswered(capture)
    reads = (one for one in capture.exchanges if one.method in READS and one.status in RATE_LIMITED)
    limited = {str(one.parameters.get("id")) for one in reads} & set(missing)
    starts = frozenset(str(exchange.parameters.get("startHistoryId")) for exchange in capture.bodies("history.list"))
    return Claims(starts, frozenset(_answered(capture)), missing, frozenset(limited))


def _refuse_missing_start(seal: Capture, claims: Claims, before: Earlier) -> None:
    """What changed since a capture that is not there tells half of a story."""
    if is_of_history(seal) and not claims.starts <= before.ends:
        raise _incomplete(seal, "the capture that it continues is not there", "startHistoryId")


def _refuse_missing_purpose(capture: RawCapture) -> None:
    """A fetched capture holds what its purposes name: without its labels or lists it would look like a small one."""
    if capture.seal.source != "fetch":
        return
    answered = [exchange for exchange in capture.exchanges if exchange.status == OK]
    needs: dict[str, Callable[[Exchange], bool]] = {
        "profile": lambda exchange: exchange.method == "getProfile",
        "labels": lambda exchange: exchange.method == "labels.list",
        "history": lambda exchange: exchange.method == "history.list",
        "inbox": is_inbox_list,
        "inbox, threads": is_list_of_everything,
    }
    for need, is_met in needs.items():
        if need.split(",")[0] in capture.seal.purposes and not any(is_met(exchange) for exchange in answered):
            raise _incomplete(capture.seal, "it has no answer for one of its purposes", need)


def _refuse_missing_page(capture: RawCapture) -> None:
    open_lists: dict[tuple[object, ...], object] = {}
    for exchange in capture.exchanges:
        if exchange.method in LIST_KEYS and exchange.status == OK:
            identity = _list_identity(exchange)
            asked = exchange.parameters.get("pageToken")
            if asked is not None and asked != open_lists.get(identity):
                raise _missing_page(capture, "a page was asked for that no page before it names")
            open_lists[identity] = parse_json_object(exchange.body).get("nextPageToken")
    if any(open_lists.values()):
        raise _missing_page(capture, "its last page still names a next page")


def _list_identity(exchange: Exchange) -> tuple[object, ...]:
    asked = sorted((name, str(value)) for name, value in exchange.parameters.items() if name != "pageToken")
    return (exchange.method, *asked)


def _answered(capture: RawCapture) -> set[str]:
    """Ids whose body a capture holds, and those that were gone."""
    reads = [exchange for exchange in capture.exchanges if exchange.method in READS]
    gone = {str(exchange.parameters.get("id")) for exchange in reads if exchange.status == GONE}
    if capture.seal.source == "ingest":
        return gone | shown_ids(capture.exchanges)
    full = (one for one in reads if one.status == OK and one.parameters.get("format", "full") == "full")
    answered = gone | {str(exchange.parameters.get("id")) for exchange in full}
    return answered | {i for exchange in capture.bodies("threads.get") for i in _ids(exchange)}


def _refuse_unanswered(seal: Capture, claims: Claims, before: Earlier) -> None:
    missing = [message_id for message_id in claims.unanswered if message_id not in before.answered]
    if not missing:
        return
    refusal = DroppedOn429 if claims.limited.intersection(missing) else IncompleteCapture
    raise refusal(
        f"capture {seal.id}: {len(missing)} listed messages have no body",
        evidence=", ".join(missing[:5]),
        next_command="gmailtriage fetch" if seal.source == "fetch" else "gmailtriage wanted FILES",
    )


def unanswered(capture: RawCapture) -> tuple[str, ...]:
    """Ids of its inbox lists that no other answer shows, in the order in which they were listed."""
    wanted = [i for exchange in capture.bodies("messages.list") if is_inbox_list(exchange) for i in _ids(exchange)]
    answered = _answered(capture) if wanted else set()
    return tuple(message_id for message_id in dict.fromkeys(wanted) if message_id not in answered)


def is_inbox_list(exchange: Exchange) -> bool:
    """The inbox list is what fetch reads in full; other lists give ids and threads only."""
    is_ingested = exchange.parameters.get("purpose") == "inbox"
    is_inbox = exchange.parameters.get("labelIds") in ("INBOX", ("INBOX",), ["INBOX"])
    return exchange.method == "messages.list" and (is_inbox or is_ingested)


def is_list_of_everything(exchange: Exchange) -> bool:
    """The list of all mail, trash included: without it nobody knows which members of a thread were not read."""
    is_narrow = "q" in exchange.parameters or "labelIds" in exchange.parameters
    return exchange.method == "messages.list" and "includeSpamTrash" in exchange.parameters and not is_narrow


def _ids(exchange: Exchange) -> list[str]:
    return [str(item.get("id")) for item in items(parse_json_object(exchange.body), "messages")]


def _missing_page(capture: RawCapture, evidence: str) -> MissingPage:
    what = f"capture {capture.seal.id}: a list is not whole"
    saved_again = "save every page, in order, then ingest all of them"
    is_fetched = capture.seal.source == "fetch"
    return MissingPage(what, evidence=evidence, next_command="gmailtriage fetch" if is_fetched else saved_again)


def _incomplete(seal: Capture, what: str, evidence: str) -> IncompleteCapture:
    return IncompleteCapture(f"capture {seal.id}: {what}", evidence=evidence, next_command="gmailtriage fetch")
