"""screen: one message at a time, before anything else may believe it.

Promises: the verdict of a message depends on that message, the owner and whom the owner writes to, never on other
messages, so the screen of a set is the union of the screens of each; out come a verdict, a level and evidence ids,
never text. Nothing later accepts a message that was not screened.

    injection    it speaks to an assistant, or hides instructions       no action, no model, held for a person
    suspicious   it pretends to be somebody, or its links or files do   no action, no model
    unreadable   nobody can say who sent it                             no action
    partial      not all of it was there to read                        may be labelled, never archived
    clean        none of these

The level says how sure that is: none, wary (never unsubscribe), hold (no action, no model), flag (call it suspicious
too). What is held or flagged has one of the first three verdicts; `pipeline/judge/levels.py` has what each sign weighs.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import polars as pl

from pipeline.artifacts import ACCOUNT, Derived
from pipeline.evidence.gather import CIRCLE
from pipeline.evidence.raw import MAIL, Reading
from pipeline.judge.disguise import disguise_evidence
from pipeline.judge.injection import injection_evidence
from pipeline.judge.levels import level_of, verdict_of
from pipeline.judge.seen import Seen, see
from pipeline.mail.circle import NOBODY, Circle
from pipeline.mail.matcher import is_ambiguous
from pipeline.mail.reader import Mail, Unreadable
from pipeline.models.registry import AccountRecord
from pipeline.stage import Stage
from pipeline.tables import SCREEN as SCREEN_TABLE

Row = dict[str, object]
_CHUNK: Final = 512
"""Messages whose texts one search goes through at once; the result does not depend on it."""


def screen(mail: tuple[Reading, ...], account: AccountRecord, circle: Circle) -> pl.DataFrame:
    """One row a message id of the captures, read or not, with its verdict, level and sorted evidence ids."""
    mails = [reading.mail for reading in mail if reading.mail.id]
    chunks = (mails[at : at + _CHUNK] for at in range(0, len(mails), _CHUNK))
    return SCREEN_TABLE.frame(row for chunk in chunks for row in screen_rows(chunk, account.address, circle))


def screen_rows(mails: Sequence[Mail | Unreadable], owner: str, circle: Circle) -> Iterator[Row]:
    """A row for each message to the mailbox of `owner` (an address)."""
    seen = {one.mail.id: one for one in see([mail for mail in mails if isinstance(mail, Mail)], owner, circle)}
    for mail in mails:
        yield screen_row(mail.id, evidence_of(seen.get(mail.id, mail)))


def screen_row(message_id: str, evidence: Iterable[str]) -> Row:
    """The row of one message from what was found in it."""
    found = sorted(set(evidence))
    return {
        "message_id": message_id,
        "verdict": verdict_of(found),
        "level": level_of(found).word,
        "evidence": found,
    }


def evidence_of(one: Seen | Mail | Unreadable) -> tuple[str, ...]:
    """The evidence ids of one message."""
    if isinstance(one, Unreadable):
        return (f"unreadable:{one.reason}",)
    seen = one if isinstance(one, Seen) else see([one], "", NOBODY)[0]
    return (*injection_evidence(seen), *disguise_evidence(seen), *_unreadable(seen.mail), *_partial(seen.mail))


def judge_one(mail: Mail | Unreadable, owner: str, circle: Circle = NOBODY) -> tuple[str, tuple[str, ...]]:
    """(verdict, sorted evidence ids) of one message to the mailbox of `owner`."""
    evidence = evidence_of(see([mail], owner, circle)[0] if isinstance(mail, Mail) else mail)
    return verdict_of(evidence), tuple(sorted(set(evidence)))


def _unreadable(mail: Mail) -> Iterator[str]:
    if is_ambiguous(mail.sender) and mail.sender.address is None:
        yield "sender_ambiguous" if mail.sender.name or mail.sender.defects != ("missing_from",) else "sender_missing"


def _partial(mail: Mail) -> Iterator[str]:
    if not mail.headers_seen:
        yield "headers_not_seen"
    if mail.body.state in ("not_fetched", "lossy"):
        yield f"body_{mail.body.state}"
    if {"undecodable", "unknown_charset", "over_cap", "lossy"}.intersection(mail.subject_defects):
        yield "subject_not_readable"
    if "over_cap" in mail.defects:
        yield "headers_over_cap"


SCREEN = Derived("screen", "the verdict on each message: may it be believed at all, and how sure that is", SCREEN_TABLE)

STAGE = Stage("screen", reads=(MAIL, ACCOUNT, CIRCLE), writes=(SCREEN,), keeps="message", run=screen)
