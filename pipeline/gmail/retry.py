"""Patience for reads: a busy or silent Gmail is asked again, a bounded number of times, and never by stealth.

Each try is a request of its own: recorded, counted and paid. What still fails raises; nothing is skipped in silence.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pipeline.clock import Monotonic
from pipeline.gmail.answers import Answer, GmailError, Unanswered
from pipeline.refusals import QuotaExhausted, Refusal, SignInAgain, Unreachable

TRIES = 7
"""With waits of 1, 2, 4, ... seconds between them: over a minute in all, so that a minute's quota comes back."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Asks up to TRIES times, doubling the wait."""

    monotonic: Monotonic

    def ask(self, question: Callable[[], Answer]) -> Answer:
        """The answer, or QuotaExhausted, Unreachable, SignInAgain (401), or GmailError for what waiting cannot mend."""
        trouble: GmailError | Unanswered | None = None
        for attempt in range(TRIES):
            if attempt:
                self.monotonic.sleep(2.0 ** (attempt - 1))
            outcome = _asked(question)
            if isinstance(outcome, Answer):
                return outcome
            trouble = outcome
        raise _given_up(trouble)


def _asked(question: Callable[[], Answer]) -> Answer | GmailError | Unanswered:
    """An answer, or a trouble that waiting may mend; any other trouble is raised."""
    try:
        return question()
    except Unanswered as silence:
        return silence
    except GmailError as error:
        if error.is_rate_limit or error.is_server_fault:
            return error
        if error.status == 401:
            evidence = f"status 401 on {error.method}"
            raise SignInAgain("Gmail does not know the credential", evidence=evidence) from None
        raise


def _given_up(trouble: GmailError | Unanswered | None) -> Refusal:
    evidence = trouble.evidence if trouble else ""
    if isinstance(trouble, GmailError) and trouble.is_rate_limit:
        return QuotaExhausted(f"Gmail kept its rate limit through {TRIES} tries", evidence=evidence)
    return Unreachable(f"Gmail gave no answer in {TRIES} tries", evidence=evidence)
