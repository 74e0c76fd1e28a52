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
from pipeline.judge.borrowed import correspondent_signs
from pipeline.judge.disguise import disguise_evidence
from pipeline.judge.injection import injection_evidence
from pipeline.judge.levels import level_of, verdict_of
from pipeline.judge.seen import Seen, see
from pipeline.mail.circle import NOBODY, Circle, name_key
from pipeline.mail.matcher import is_ambiguous
from pipeline.mail.reader import Mail, Unreadable
from pipeline.models.registry import AccountRecord
from pipeline.stage import Halves, Stage
from pipeline.tables import LOOKS
from pipeline.tables import SCREEN as SCREEN_TABLE

Row = dict[str, object]
_CHUNK: Final = 512
"""Messages whose texts one search goes through at once; the result does not depend on it."""


def screen(mail: tuple[Reading, ...], account: AccountRecord, circle: Circle) -> pl.DataFrame:
    """One row a message id of the captures, read or not, with its verdict, level and sorted evidence ids."""
    return with_circle(look(mail, account), circle)


def look(mail: tuple[Reading, ...], account: AccountRecord) -> pl.DataFrame:
    """The same as far as each message tells, with what it takes to know its sender among the owner's correspondents."""
    mails = [reading.mail for reading in mail if reading.mail.id]
    chunks = (mails[at : at + _CHUNK] for at in range(0, len(mails), _CHUNK))
    return LOOKS.frame(row for chunk in chunks for row in look_rows(chunk, account.address))


def with_circle(looks: pl.DataFrame, circle: Circle) -> pl.DataFrame:
    """The screen of mail that was looked at, now that it is known whom the owner writes to."""
    told = looks.join(_signs_of(_people(looks, circle), circle), on=_PERSON, how="left")
    plain = told.filter(pl.col("signs").is_null()).select(*SCREEN_TABLE.columns)
    rows = told.filter(pl.col("signs").is_not_null()).select("message_id", "evidence", "signs").iter_rows()
    more = SCREEN_TABLE.frame(screen_row(one, (*evidence, *found)) for one, evidence, found in rows)
    return SCREEN_TABLE.checked(pl.concat([plain, more]))


def _people(looks: pl.DataFrame, circle: Circle) -> list[tuple[str, str, str]]:
    """Address, site and name of each sender, once; nobody where the owner writes to nobody."""
    return looks.select(_PERSON).drop_nulls().unique().rows() if circle.addresses else []


def _signs_of(people: Iterable[tuple[str, str, str]], circle: Circle) -> pl.DataFrame:
    """The senders of whom the circle tells something, and what."""
    rows = [(*person, list(correspondent_signs(circle, *person))) for person in people]
    return pl.DataFrame([row for row in rows if row[-1]], schema=_SIGNS, orient="row")


def look_rows(mails: Sequence[Mail | Unreadable], owner: str) -> Iterator[Row]:
    """A row for each message to the mailbox of `owner` (an address)."""
    seen = {one.mail.id: one for one in see([mail for mail in mails if isinstance(mail, Mail)], owner, NOBODY)}
    for mail in mails:
        yield screen_row(mail.id, evidence_of(seen.get(mail.id, mail))) | _person(seen.get(mail.id))


def _person(seen: Seen | None) -> Row:
    """Who sent it, for comparing with whom the owner writes to; nobody where that is not sure."""
    if seen is None or seen.mail.sender.domain is None or seen.mail.sender.address is None:
        return dict.fromkeys(_PERSON)
    sender = seen.mail.sender
    return {"address": sender.address, "site": seen.site, "name": name_key(sender.name)}


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


_PERSON: Final = ("address", "site", "name")
_SIGNS: Final = {**dict.fromkeys(_PERSON, pl.String()), "signs": pl.List(pl.String)}
SCREEN = Derived("screen", "the verdict on each message: may it be believed at all, and how sure that is", SCREEN_TABLE)

STAGE = Stage(
    "screen",
    reads=(MAIL, ACCOUNT, CIRCLE),
    writes=(SCREEN,),
    keeps="message",
    run=screen,
    halves=Halves(LOOKS, look, with_circle),
)
