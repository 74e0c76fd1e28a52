"""One gateway a stage, made only from an attestation, holding only what the stage may do.

FetchGateway reads. ExecuteGateway and UndoGateway read labels (never bodies) and `perform` one operation whose intent
token proves that the journal knows it. What a stage may not do has no name here, and no gateway can mail anything.

Reads repeat themselves within bounds when Gmail is busy or silent; every repeat is a recorded, paid request. Changes
are tried exactly once: `GmailError` says that Gmail refused, `Unanswered` that nobody knows (read back).
"""

from collections.abc import Iterator, Mapping
from typing import Literal

from pipeline.gmail.answers import Answer, Unanswered
from pipeline.gmail.attest import Attested, identity_of, rim_of
from pipeline.gmail.capability import StageName, allowed_for
from pipeline.gmail.client import Client
from pipeline.gmail.gate import LABEL_BODY
from pipeline.gmail.paging import pages, plain_query
from pipeline.gmail.quota import Meter
from pipeline.gmail.retry import Patience
from pipeline.models.operation import CreateLabel, IntentToken, ModifyLabels, Trash, Untrash
from pipeline.refusals import AnswerRefused, StatusForbids, Unattested

Format = Literal["full", "minimal", "raw"]
PAGE = 500
_Change = ModifyLabels | CreateLabel | Trash | Untrash


class _Gateway:
    """What every stage may do: ask again who this is, and read."""

    __slots__ = ("_attested", "_client", "_methods", "_patience")
    _stage: StageName

    def __init__(self, attested: Attested) -> None:
        if not isinstance(attested, Attested) or attested.stage != self._stage:
            raise Unattested(f"no attestation for {self._stage}", evidence=repr(attested))
        rim = rim_of(attested)
        allowed = allowed_for(attested.record, self._stage, attested.endpoint)
        self._attested = attested
        self._methods = allowed.methods
        self._client = Client(allowed, rim)
        self._patience = Patience(rim.meter.monotonic)

    @property
    def attested(self) -> Attested:
        """Whom this gateway speaks for."""
        return self._attested

    @property
    def meter(self) -> Meter:
        """What was spent so far, in units and requests."""
        return rim_of(self._attested).meter

    def get_profile(self) -> Answer:
        """getProfile: emailAddress, messagesTotal, threadsTotal, historyId."""
        return self._read("getProfile")

    def reattest(self) -> Answer:
        """getProfile again, compared with the registry; before each mutating batch. Raises WrongAccount."""
        answer = self.get_profile()
        identity_of(self._attested.record, answer)
        return answer

    def list_labels(self) -> Answer:
        """labels.list: every label with id, name and type."""
        return self._read("labels.list")

    def list_history(
        self, start_history_id: str, *, history_types: tuple[str, ...] = (), label_id: str | None = None
    ) -> Iterator[Answer]:
        """history.list, page by page. Raises GmailError 404 when the id is too old."""
        return self._pages(
            "history.list", startHistoryId=start_history_id, historyTypes=list(history_types) or None, labelId=label_id
        )

    def _read(self, method: str, **parameters: object) -> Answer:
        return self._patience.ask(lambda: self._client.call(method, **parameters))

    def _pages(self, method: str, **parameters: object) -> Iterator[Answer]:
        return pages(lambda token: self._read(method, maxResults=PAGE, pageToken=token, **parameters))


class FetchGateway(_Gateway):
    """Reads everything that judging needs, and changes nothing."""

    __slots__ = ()
    _stage: StageName = "fetch"

    def list_messages(
        self, q: str = "", *, label_ids: tuple[str, ...] = (), include_spam_trash: bool = False
    ) -> Iterator[Answer]:
        """messages.list, page by page until no nextPageToken is left. Raises QueryRefused for a query over the cap."""
        return self._search("messages.list", q, label_ids, include_spam_trash)

    def list_threads(
        self, q: str = "", *, label_ids: tuple[str, ...] = (), include_spam_trash: bool = False
    ) -> Iterator[Answer]:
        """threads.list, page by page."""
        return self._search("threads.list", q, label_ids, include_spam_trash)

    def get_message(self, message_id: str, format: Format = "full") -> Answer:  # noqa: A002  Gmail's own word
        """messages.get. Raises GmailError 404 for an id that is gone."""
        return self._read("messages.get", id=message_id, format=format)

    def get_thread(self, thread_id: str, format: Literal["full", "minimal"] = "full") -> Answer:  # noqa: A002  Gmail's own word
        """threads.get."""
        return self._read("threads.get", id=thread_id, format=format)

    def list_filters(self) -> Answer:
        """settings.filters.list."""
        return self._read("settings.filters.list")

    def list_drafts(self, q: str = "") -> Iterator[Answer]:
        """drafts.list, page by page."""
        return self._pages("drafts.list", q=plain_query(q))

    def get_draft(self, draft_id: str, format: Format = "full") -> Answer:  # noqa: A002  Gmail's own word
        """drafts.get."""
        return self._read("drafts.get", id=draft_id, format=format)

    def _search(self, method: str, q: str, label_ids: tuple[str, ...], include_spam_trash: bool) -> Iterator[Answer]:
        return self._pages(
            method, q=plain_query(q), labelIds=list(label_ids) or None, includeSpamTrash=include_spam_trash or None
        )


class _ChangingGateway(_Gateway):
    """Reads labels in format=minimal and performs journaled operations, each once."""

    __slots__ = ()

    def get_message(self, message_id: str) -> Answer:
        """messages.get in format=minimal: labelIds and historyId, no headers, no body."""
        return self._read("messages.get", id=message_id, format="minimal")

    def get_thread(self, thread_id: str) -> Answer:
        """threads.get in format=minimal."""
        return self._read("threads.get", id=thread_id, format="minimal")

    def perform(self, token: IntentToken) -> Answer:
        """Exactly the token's operation, exactly once. Raises StatusForbids, GmailError or Unanswered."""
        if not isinstance(token, IntentToken):
            raise TypeError("perform takes an intent token: journal the operation first")
        method, parameters = _request_of(token.operation)
        if method not in self._methods:
            raise StatusForbids(
                f"account {self._attested.record.id} may not {token.operation.kind} in {self._stage}",
                evidence=f"mailboxes.toml: status = {self._attested.record.status}",
            )
        return self._once(method, parameters)

    def _once(self, method: str, parameters: Mapping[str, object]) -> Answer:
        try:
            return self._client.call(method, **parameters)
        except AnswerRefused as refusal:
            kind = f"AnswerRefused: {refusal.evidence}"
        raise Unanswered(method, kind)


class ExecuteGateway(_ChangingGateway):
    """The executor's: labels, archive, and trash where the account's status has it."""

    __slots__ = ()
    _stage: StageName = "execute"


class UndoGateway(_ChangingGateway):
    """The undoer's: the same with untrash in place of trash, and INBOX may come back."""

    __slots__ = ()
    _stage: StageName = "undo"


def _request_of(operation: _Change) -> tuple[str, Mapping[str, object]]:
    """The one request that an operation stands for."""
    match operation:
        case ModifyLabels(message_ids=ids, add=add, remove=remove):
            body: dict[str, object] = {"ids": list(ids), "addLabelIds": list(add), "removeLabelIds": list(remove)}
            return "messages.batchModify", {"body": body}
        case CreateLabel(name=name):
            return "labels.create", {"body": {"name": name, **LABEL_BODY}}
        case Trash(message_id=message_id):
            return "messages.trash", {"id": message_id}
        case Untrash(message_id=message_id):
            return "messages.untrash", {"id": message_id}
