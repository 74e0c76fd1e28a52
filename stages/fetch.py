"""fetch: ask Gmail, keep every answer byte for byte, seal the capture.

Order: who are we (getProfile, attested), labels, the inbox list of the window, the list of everything (ids and threads
cost almost nothing), then full reads of the inbox messages, of every other member of their threads, and of what left
the inbox since the last fetch (or the snapshot would show it there for ever). The price is checked against the budget
before the reads. Answers are recorded before they are parsed; a run that stops leaves no capture, and an id that
vanished between list and read is recorded as gone.

Gmail methods: getProfile, labels.list, messages.list, messages.get, all read-only.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pipeline.artifacts import ACCOUNT, CAPTURES, POLICY
from pipeline.canonical import parse_json_object
from pipeline.context import Context
from pipeline.evidence.captures import CaptureWriter, RawCapture, capture_ids, draft_seal, next_capture_id, read_capture
from pipeline.evidence.complete import is_inbox_list, items
from pipeline.evidence.query import window_query
from pipeline.mail.reader import Mail, is_id, read_message
from pipeline.models.capture import Capture, Window
from pipeline.models.policy import Policy, Quota
from pipeline.refusals import BudgetRefused, UnknownShape
from pipeline.stage import Option, Stage
from pipeline.workspace import Workspace

if TYPE_CHECKING:
    from pipeline.gmail.answers import Answer
    from pipeline.gmail.gateway import FetchGateway

GONE = 404
Listed = dict[str, str]
"""Message id -> thread id."""


def fetch(context: Context, labels_only: bool = False) -> Capture:
    """Read the window's inbox mail and its threads into one sealed capture; `labels_only`: the label list alone.

    Raises IdentityRefused, BudgetRefused.
    """
    if labels_only:
        return fetch_labels(context)
    started_at = context.wall.now()
    policy = context.config.policy
    writer = CaptureWriter(context.workspace, next_capture_id(context.workspace, started_at))
    gateway = context.gmail.for_fetch(writer.record)
    query = window_query(policy.query, window_start(policy, started_at))
    gateway.list_labels()
    inbox = _listed(gateway.list_messages(q=query, label_ids=("INBOX",)))
    everything = _listed(gateway.list_messages(include_spam_trash=True))
    left = left_the_inbox(last_fetch(context.workspace), inbox, everything, window_start(policy, started_at))
    wanted = tuple(dict.fromkeys((*with_thread_members(inbox, everything), *left)))
    refuse_over_budget(len(wanted), policy, context.account.quota)
    _read_all(gateway, wanted, context)
    draft = draft_seal(
        writer,
        source="fetch",
        address=gateway.attested.address,
        purposes=("inbox", "labels", "profile"),
        window=Window(days=policy.window_days, query=query),
        times=(started_at, context.wall.now()),
        history_id=gateway.attested.history_id,
        units=gateway.meter.spent_units,
    )
    return writer.seal(draft)


def fetch_labels(context: Context) -> Capture:
    """The label list and the profile as one small capture. It dates no mail, so it names no history id."""
    started_at = context.wall.now()
    writer = CaptureWriter(context.workspace, next_capture_id(context.workspace, started_at))
    gateway = context.gmail.for_fetch(writer.record)
    gateway.list_labels()
    draft = draft_seal(
        writer,
        source="fetch",
        address=gateway.attested.address,
        purposes=("labels", "profile"),
        window=Window(days="all", query=""),
        times=(started_at, context.wall.now()),
        history_id=None,
        units=gateway.meter.spent_units,
    )
    return writer.seal(draft)


def window_start(policy: Policy, now: datetime) -> int | None:
    """Epoch seconds of the window's start, or None for all mail."""
    if policy.window_days == "all":
        return None
    return int((now - timedelta(days=policy.window_days)).timestamp())


def with_thread_members(inbox: Listed, everything: Listed) -> tuple[str, ...]:
    """Inbox ids first, then every other member of their threads, each sorted."""
    threads = set(inbox.values())
    others = {i for i, thread in everything.items() if thread in threads and i not in inbox}
    return (*sorted(inbox), *sorted(others))


def last_fetch(workspace: Workspace) -> RawCapture | None:
    """The newest capture in which a fetch read the inbox, verified, or None."""
    newest_first = (read_capture(workspace, capture_id) for capture_id in reversed(capture_ids(workspace)))
    return next((capture for capture in newest_first if _read_inbox(capture)), None)


def _read_inbox(capture: RawCapture) -> bool:
    return capture.seal.source == "fetch" and "inbox" in capture.seal.purposes


def left_the_inbox(
    before: RawCapture | None, inbox: Listed, everything: Listed, opens_at: int | None
) -> tuple[str, ...]:
    """Ids that the last fetch saw in the inbox and this one does not, sorted; older than the window ones are let go.

    They are read once more: without that the snapshot would go on showing them in the inbox.
    """
    if before is None:
        return ()
    lists = (exchange for exchange in before.bodies("messages.list") if is_inbox_list(exchange))
    seen = {str(item["id"]) for exchange in lists for item in items(parse_json_object(exchange.body), "messages")}
    left = {message_id for message_id in seen if message_id in everything and message_id not in inbox}
    reads = (exchange for exchange in before.bodies("messages.get") if exchange.parameters.get("id") in left)
    mails = (read_message(parse_json_object(exchange.body)) for exchange in reads)
    opens_ms = (opens_at or 0) * 1000
    return tuple(sorted({mail.id for mail in mails if isinstance(mail, Mail) and mail.internal_date_ms >= opens_ms}))


def refuse_over_budget(reads: int, policy: Policy, quota: Quota) -> None:
    """Raise BudgetRefused when reading that many messages costs more units than policy allows."""
    units = reads * quota.cost("messages.get")
    if units > policy.budget_units:
        raise BudgetRefused(
            f"reading {reads} messages would cost {units} quota units",
            evidence=f"policy.toml: budget_units = {policy.budget_units}",
            next_command="raise budget_units or shorten window_days in policy.toml",
        )


def _listed(pages: "Iterable[Answer]") -> Listed:
    return dict(_ids(item) for page in pages for item in items(page.document, "messages"))


def _ids(item: Mapping[str, object]) -> tuple[str, str]:
    """A listed message's id and thread id. Raises UnknownShape: one that is left out would be lost in silence."""
    message_id, thread_id = item.get("id"), item.get("threadId")
    if not is_id(message_id) or not is_id(thread_id):
        raise UnknownShape("an item of a message list has no usable id and thread id", evidence="messages.list")
    return str(message_id), str(thread_id)


def _read_all(gateway: "FetchGateway", wanted: tuple[str, ...], context: Context) -> None:
    for number, message_id in enumerate(wanted, start=1):
        _read(gateway, message_id)
        if number % 500 == 0:
            context.say(f"read {number} of {len(wanted)} messages")


def _read(gateway: "FetchGateway", message_id: str) -> None:
    try:
        gateway.get_message(message_id, format="full")
    except BudgetRefused as error:
        if getattr(error, "status", None) != GONE:
            raise


STAGE = Stage(
    "fetch",
    reads=(ACCOUNT, POLICY),
    writes=(CAPTURES,),
    kind="asks",
    run=fetch,
    methods=frozenset({"getProfile", "labels.list", "messages.list", "messages.get"}),
    options=(Option("labels_only", bool, False, "read the label list alone"),),
)
