"""One run's way to the mailbox: the gateway's few methods, the journal, the clocks, and the check before each request.

changer.check()                                     # time and identity; raises Expired or IdentityRefused
perform(changer, changer.journal.intent(operation, before))    # announced, sent once, the answer noted
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pipeline.changes.journal import Journal
from pipeline.changes.numbers import number_of
from pipeline.changes.readback import SURELY_UNSENT
from pipeline.clock import Monotonic, Wall
from pipeline.gmail.answers import Answer, GmailError, Unanswered
from pipeline.models.operation import IntentToken
from pipeline.models.receipt import Answered
from pipeline.refusals import Expired, KillSwitchOn


def always() -> None:
    """Nothing can be taken back."""


class Meter(Protocol):
    """What a gateway has spent."""

    spent_units: int
    requests: int


class ChangingGateway(Protocol):
    """The methods of ExecuteGateway and UndoGateway; a test hands in a mailbox in memory."""

    @property
    def meter(self) -> Meter:
        """Units and requests so far."""

    def reattest(self) -> Answer:
        """getProfile, compared with the registry."""

    def list_labels(self) -> Answer:
        """labels.list."""

    def list_history(self, start_history_id: str) -> Iterator[Answer]:
        """history.list, page by page."""

    def get_message(self, message_id: str) -> Answer:
        """messages.get, format=minimal."""

    def get_thread(self, thread_id: str) -> Answer:
        """threads.get, format=minimal."""

    def perform(self, token: IntentToken) -> Answer:
        """Exactly the token's operation, once."""


@dataclass(slots=True)
class Changer:
    """One run's way to the mailbox. `history_id` is the mailbox's state right before the current batch; empty = every
    read-back is a read. `expires_at` None = nothing expires (an undo). `may_go_on` raises Expired when what allows the
    run was taken back."""

    gateway: ChangingGateway
    journal: Journal
    monotonic: Monotonic
    wall: Wall
    expires_at: datetime | None
    history_id: str = ""
    may_go_on: Callable[[], None] = always

    def check_time(self) -> None:
        """Silent while the run may send. Raises Expired."""
        self.may_go_on()
        if self.expires_at is not None and self.wall.now() >= self.expires_at:
            raise Expired("the approval expired while the run was under way", evidence=f"at {self.expires_at}",
                          next_command="gmailtriage plan")  # fmt: skip

    def check(self) -> str:
        """Time and identity, right before a mutating request; the mailbox's history id (empty
        when Gmail tells none). Raises IdentityRefused too."""
        self.check_time()
        history_id = self.gateway.reattest().document.get("historyId")
        return str(history_id) if number_of(history_id) is not None else ""


def perform(changer: Changer, token: IntentToken) -> Answer | Answered:
    """Send a token's operation once and note the answer: Gmail's Answer, or the note of a trouble. Raises KillSwitchOn
    after noting that nothing was sent."""
    try:
        answer = changer.gateway.perform(token)
    except KillSwitchOn:
        changer.journal.append(Answered, intent=token.sequence, status=None, reason=SURELY_UNSENT)
        raise
    except GmailError as error:
        return changer.journal.append(Answered, intent=token.sequence, status=error.status, reason=error.reason)
    except Unanswered as silence:
        reason = SURELY_UNSENT if silence.is_surely_unsent else "silent"
        return changer.journal.append(Answered, intent=token.sequence, status=None, reason=reason)
    changer.journal.append(Answered, intent=token.sequence, status=answer.status)
    return answer
