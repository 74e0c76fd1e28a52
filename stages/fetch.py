"""fetch: ask Gmail what is new, keep every answer byte for byte, seal the capture.

The first fetch reads everything: who are we (getProfile, attested), labels, the inbox list of the window, the list of
all mail (ids and threads cost almost nothing), then in full the inbox messages, every other member of their threads,
and what left the inbox meanwhile. Every later one asks for the history since the last capture and reads only what no
capture holds: new mail of the inbox and its threads in full, and what known mail wears where history does not say.
Nothing new costs four units.

A full read comes again, and is told on stderr, when Gmail forgot the history, when policy changed, or with --full;
--since-history refuses instead. Its price is checked against the budget before the reads, as always. A run that stops
leaves no capture, but the bodies it has read: the next one within a day keeps them; an id that vanished between list
and read is recorded as gone.

Gmail methods: getProfile, labels.list, history.list, messages.list, messages.get, all read-only.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pipeline.artifacts import ACCOUNT, CAPTURES, POLICY
from pipeline.context import Context
from pipeline.evidence.captures import RawCapture, read_captures
from pipeline.evidence.complete import items
from pipeline.evidence.gather import evidence_of
from pipeline.evidence.history import Change
from pipeline.evidence.known import (
    Listed,
    known_of,
    left_the_inbox,
    may_touch_inbox,
    newest_fetch,
    unlabelled,
    with_thread_members,
)
from pipeline.evidence.leftovers import only_one
from pipeline.evidence.query import window_query
from pipeline.evidence.visit import StaleLeftovers, Visit, discard_all, open_visit
from pipeline.gmail.answers import GmailError
from pipeline.gmail.progress import Progress
from pipeline.mail.reader import is_id
from pipeline.models.capture import Capture, Purpose, Window
from pipeline.models.policy import Policy, Quota
from pipeline.refusals import BudgetRefused, CannotContinue, UnknownShape, UsageRefused
from pipeline.stage import Option, Stage

if TYPE_CHECKING:
    from pipeline.gmail.answers import Answer
    from pipeline.gmail.gateway import FetchGateway, Format

GONE = 404
FORGOTTEN = "Gmail no longer knows the history since the last capture"
FULL: tuple[Purpose, ...] = ("inbox", "labels", "profile")
SINCE: tuple[Purpose, ...] = ("history", "labels", "profile")


def fetch(context: Context, full: bool = False, since_history: bool = False, labels_only: bool = False) -> Capture:
    """What is new, or everything, as one sealed capture; `labels_only`: the label list alone.

    Raises IdentityRefused, BudgetRefused, CannotContinue, UsageRefused.
    """
    if full + since_history + labels_only > 1:
        what = "--full, --since-history and --labels-only exclude each other"
        raise UsageRefused(what, next_command="gmailtriage fetch")
    with only_one(context.workspace):
        if labels_only:
            return fetch_labels(context)
        captures = read_captures(context.workspace)
        reason = "a full read was asked for" if full else why_full(newest_fetch(captures), context.config.policy)
        if reason and since_history:
            raise cannot_continue(reason)
        try:
            return visited(context, captures, reason, is_bound=since_history)
        except StaleLeftovers:
            discard_all(context)
            return visited(context, captures, reason, is_bound=since_history)


def fetch_labels(context: Context) -> Capture:
    """The label list and the profile as one small capture. It dates no mail, so it names no history id."""
    with open_visit(context) as visit:
        visit.gateway.list_labels()
        return visit.seal(("labels", "profile"), Window(days="all", query=""), dates_mail=False)


def visited(context: Context, captures: tuple[RawCapture, ...], reason: str, *, is_bound: bool) -> Capture:
    """One visit to Gmail: the changes since the last capture unless there is a reason to read everything."""
    with open_visit(context) as visit:
        purposes = _read(visit, captures, reason, is_bound=is_bound)
        return visit.seal(purposes, window_of(context.config.policy, visit.started_at))


def why_full(before: RawCapture | None, policy: Policy) -> str:
    """Why the last fetch cannot be continued, empty when it can: history tells changes, not older mail."""
    if before is None or before.seal.history_id is None:
        return "there is no earlier fetch"
    if before.seal.window != window_of(policy, before.seal.started_at):
        return "policy.toml has another window or query than the last capture"
    return ""


def cannot_continue(reason: str) -> CannotContinue:
    """The refusal of a fetch that may only continue."""
    return CannotContinue(
        "the last capture cannot be continued", evidence=reason, next_command="gmailtriage fetch (may read everything)"
    )


def window_of(policy: Policy, now: datetime) -> Window:
    """The window as it is at a time, with the search query that asks for it. Raises QueryRefused."""
    return Window(days=policy.window_days, query=window_query(policy.query, window_start(policy, now)))


def window_start(policy: Policy, now: datetime) -> int | None:
    """Epoch seconds of the window's start, or None for all mail."""
    if policy.window_days == "all":
        return None
    return int((now - timedelta(days=policy.window_days)).timestamp())


def refuse_over_budget(reads: int, policy: Policy, quota: Quota) -> None:
    """Raise BudgetRefused when reading that many messages costs more units than policy allows."""
    units = reads * quota.cost("messages.get")
    if units > policy.budget_units:
        raise BudgetRefused(
            f"reading {reads} messages would cost {units} quota units",
            evidence=f"policy.toml: budget_units = {policy.budget_units}",
            next_command="raise budget_units or shorten window_days in policy.toml",
        )


def _read(visit: Visit, captures: tuple[RawCapture, ...], reason: str, *, is_bound: bool) -> tuple[Purpose, ...]:
    """Read what has to be read; the purposes that it serves. `reason` says why history is not asked, empty = it is."""
    before = newest_fetch(captures)
    if before is not None and not reason:
        try:
            changes = visit.history_since(before.seal.history_id or "")
        except GmailError as error:
            if error.status != GONE:
                raise
            reason = FORGOTTEN
        else:
            _read_changes(visit, captures, changes)
            return SINCE
    if is_bound:
        raise cannot_continue(reason)
    if before is not None:
        visit.context.warn(f"reading everything: {reason}")
    _read_everything(visit, captures)
    return FULL


def _read_changes(visit: Visit, captures: tuple[RawCapture, ...], changes: Mapping[str, Change]) -> None:
    """Read what history names and no capture holds."""
    known = known_of(captures)
    held = known.bodies | visit.kept
    visit.gateway.list_labels()
    inbox = _inbox(visit) if may_touch_inbox(changes, known.bodies) else {}
    wanted = [one for one in with_thread_members(inbox, {**known.after(changes), **inbox}) if one not in held]
    _read_all(visit, wanted, unlabelled(changes, held))


def _read_everything(visit: Visit, captures: tuple[RawCapture, ...]) -> None:
    """Read the window's inbox, its threads, and what left it."""
    changes = visit.history_since_kept()
    visit.gateway.list_labels()
    inbox = _inbox(visit)
    everything = _listed(visit.gateway.list_messages(include_spam_trash=True))
    opens_at = window_start(visit.context.config.policy, visit.started_at)
    left = left_the_inbox(evidence_of(captures).messages, inbox, everything, opens_at)
    wanted = dict.fromkeys((*with_thread_members(inbox, everything), *left))
    _read_all(visit, [one for one in wanted if one not in visit.kept], unlabelled(changes, visit.kept))


def _inbox(visit: Visit) -> Listed:
    query = window_of(visit.context.config.policy, visit.started_at).query
    return _listed(visit.gateway.list_messages(q=query, label_ids=("INBOX",)))


def _listed(pages: "Iterable[Answer]") -> Listed:
    return dict(_ids(item) for page in pages for item in items(page.document, "messages"))


def _ids(item: Mapping[str, object]) -> tuple[str, str]:
    """A listed message's id and thread id. Raises UnknownShape: one that is left out would be lost in silence."""
    message_id, thread_id = item.get("id"), item.get("threadId")
    if not is_id(message_id) or not is_id(thread_id):
        raise UnknownShape("an item of a message list has no usable id and thread id", evidence="messages.list")
    return str(message_id), str(thread_id)


def _read_all(visit: Visit, wanted: list[str], labels_only: tuple[str, ...]) -> None:
    """Read messages in full, and of others what they wear. Raises BudgetRefused before the first read."""
    policy, gateway = visit.context.config.policy, visit.gateway
    refuse_over_budget(len(wanted) + len(labels_only), policy, visit.context.account.quota)
    progress = Progress(len(wanted) + len(labels_only), gateway.meter, policy.budget_units, visit.context.say)
    forms: tuple[tuple[Format, Iterable[str]], ...] = (("full", wanted), ("minimal", labels_only))
    for form, ids in forms:
        for message_id in ids:
            _read_one(gateway, message_id, form)
            progress.step()


def _read_one(gateway: "FetchGateway", message_id: str, form: "Format") -> None:
    try:
        gateway.get_message(message_id, format=form)
    except GmailError as error:
        if error.status != GONE:
            raise


STAGE = Stage(
    "fetch",
    reads=(ACCOUNT, POLICY),
    writes=(CAPTURES,),
    kind="asks",
    run=fetch,
    methods=frozenset({"getProfile", "labels.list", "history.list", "messages.list", "messages.get"}),
    options=(
        Option("full", bool, False, "read everything again, also when history would do"),
        Option("since_history", bool, False, "refuse when history does not reach the last capture"),
        Option("labels_only", bool, False, "read the label list alone"),
    ),
)
