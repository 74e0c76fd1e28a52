"""screen: one message at a time, before anything else may believe it.

Promises: the verdict of a message depends on that message alone, so the screen of a set is the union of the screens of
each; out come a verdict and evidence ids, never text. Nothing later accepts a message that was not screened.

    injection    it speaks to an assistant, or hides instructions       no action, no model, held for a person
    suspicious   it pretends to be somebody, or its links or files do   no action
    unreadable   nobody can say who sent it                             no action
    partial      not all of it was there to read                        may be labelled, never archived
    clean        none of these
"""

from collections.abc import Callable, Iterable
from typing import Final

import polars as pl

from pipeline.artifacts import ACCOUNT, Derived
from pipeline.evidence.raw import MAIL, Reading
from pipeline.judge.disguise import disguise_evidence
from pipeline.judge.injection import injection_evidence
from pipeline.mail.matcher import is_ambiguous
from pipeline.mail.reader import Mail, Unreadable
from pipeline.models.registry import AccountRecord
from pipeline.stage import Stage
from pipeline.tables import SCREEN as SCREEN_TABLE

Row = dict[str, object]


def screen(mail: tuple[Reading, ...], account: AccountRecord) -> pl.DataFrame:
    """One row a message id of the captures, read or not, with its verdict and sorted evidence ids."""
    mails = (reading.mail for reading in mail)
    return SCREEN_TABLE.frame(screen_row(one, account.address) for one in mails if one.id)


def screen_row(mail: Mail | Unreadable, owner: str) -> Row:
    """The verdict of one message to the mailbox of `owner` (an address)."""
    verdict, evidence = judge_one(mail, owner)
    return {"message_id": mail.id, "verdict": verdict, "evidence": sorted(evidence)}


def judge_one(mail: Mail | Unreadable, owner: str) -> tuple[str, tuple[str, ...]]:
    """(verdict, evidence ids): the worst verdict for which there is evidence; all evidence is kept."""
    if isinstance(mail, Unreadable):
        return "unreadable", (f"unreadable:{mail.reason}",)
    found = [(verdict, tuple(look(mail, owner))) for verdict, look in _LOOKS]
    worst = next((verdict for verdict, evidence in found if evidence), "clean")
    return worst, tuple(dict.fromkeys(name for _, evidence in found for name in evidence))


def _injection(mail: Mail, owner: str) -> Iterable[str]:
    return injection_evidence(mail)


def _unreadable(mail: Mail, owner: str) -> Iterable[str]:
    if is_ambiguous(mail.sender) and mail.sender.address is None:
        yield "sender_ambiguous" if mail.sender.name or mail.sender.defects != ("missing_from",) else "sender_missing"


def _partial(mail: Mail, owner: str) -> Iterable[str]:
    if not mail.headers_seen:
        yield "headers_not_seen"
    if mail.body.state in ("not_fetched", "lossy"):
        yield f"body_{mail.body.state}"
    if {"undecodable", "unknown_charset", "over_cap", "lossy"}.intersection(mail.subject_defects):
        yield "subject_not_readable"
    if "over_cap" in mail.defects:
        yield "headers_over_cap"


_LOOKS: Final[tuple[tuple[str, Callable[[Mail, str], Iterable[str]]], ...]] = (
    ("injection", _injection),
    ("suspicious", disguise_evidence),
    ("unreadable", _unreadable),
    ("partial", _partial),
)
"""Worst first."""

SCREEN = Derived("screen", "the verdict on each message: may it be believed at all", SCREEN_TABLE)

STAGE = Stage("screen", reads=(MAIL, ACCOUNT), writes=(SCREEN,), keeps="message", run=screen)
