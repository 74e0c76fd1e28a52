"""The rates: how much of a class of mail is flagged, held, never unsubscribed from; how much of a family is held."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.judge.levels import Level, level_of, verdict_of
from pipeline.judge.seen import see
from pipeline.mail.circle import NOBODY
from pipeline.mail.reader import Mail
from stages.screen import evidence_of

OWNER = "owner@mailbox.test"
CHUNK = 512


@dataclass(frozen=True, slots=True)
class Rates:
    """Of `count` messages, the shares (0 to 1) at each level or above, and of verdict injection."""

    count: int
    flag: float
    hold: float
    wary: float
    injection: float


def rates_of(mails: Sequence[Mail]) -> Rates:
    """The rates of one class of mail."""
    found = [one for at in range(0, len(mails), CHUNK) for one in _evidence(mails[at : at + CHUNK])]
    levels = [level_of(one) for one in found]
    size = max(len(mails), 1)
    at_least = {level: sum(one >= level for one in levels) / size for level in Level}
    told = sum(verdict_of(one) == "injection" for one in found) / size
    return Rates(len(mails), at_least[Level.FLAG], at_least[Level.HOLD], at_least[Level.WARY], told)


def _evidence(mails: Sequence[Mail]) -> list[tuple[str, ...]]:
    return [evidence_of(one) for one in see(mails, OWNER, NOBODY)]


def whole(carrier: Mail, text: str) -> Mail:
    """A mail that holds nothing but the text."""
    body = replace(carrier.body, text=text, visible_html_text="", hidden_text="", links=(), attachments=())
    return replace(carrier, subject="Hello", body=body)


def inserted(carrier: Mail, text: str) -> Mail:
    """The mail with the text as a paragraph in its middle."""
    told = carrier.body.text or carrier.body.visible_html_text
    middle = told.find("\n", len(told) // 2)
    cut = middle if middle >= 0 else len(told)
    body = replace(carrier.body, text=f"{told[:cut]}\n\n{text}\n\n{told[cut:]}", visible_html_text="")
    return replace(carrier, body=body)
