"""Whether a mail says only what plain answers to applications say.

An acknowledgement and a refusal are formulas: thanks, received, we read it, we write to you, good luck. No list of
requests is ever complete, so the question is turned round. In such a mail no sentence may ask, tell its reader to do
something, name a day or an hour, or speak of interviews, tests, offers, papers or meetings, unless it says that there
will be none, thanks for one that was, or only says what would happen if (pipeline/mail/hypothetical.py). If a single
one does, the mail is `unexplained` and stays.

>>> unexplained("Thank you for applying. If there is a match, we will invite you to an interview.")
False
>>> unexplained("Thank you for applying. Prepare a ten-minute presentation for the panel.")
True
"""

from functools import lru_cache
from typing import Final

from pipeline.judge.formulas import is_formula
from pipeline.judge.plain_words import (
    ADDRESS,
    APOSTROPHES,
    DATE,
    FAQ,
    HARD,
    HARMLESSLY,
    IS_OF_THE_FORM,
    LABEL,
    LEAVING,
    MATTERS,
    NONE_OF_IT,
    TOLD,
    YOU,
)
from pipeline.mail.fold import fold
from pipeline.mail.hypothetical import certain, lines, sentences

MAX_CHARACTERS: Final = 12_000
"""An answer that is longer is no formula."""


def unexplained(text: str) -> bool:
    """Whether some sentence may ask something of its reader, for all that is known of plain answers."""
    if len(text) > MAX_CHARACTERS:
        return True
    return any(_asks(said) or _is_dated(said) or _is_unheard_of(said) for said in said_of(text))


def asking(text: str) -> bool:
    """The same without the days: a letter to many names many. What is too long to be read like this does not ask."""
    return len(text) <= MAX_CHARACTERS and any(map(_asks, said_of(text)))


def pressing(text: str) -> bool:
    """The same of sentences that name their reader, and without what any letter tells them: to read on, to look."""
    return len(text) <= MAX_CHARACTERS and any(YOU.search(said) and _is_a_matter(said) for said in said_of(text))


def asked_by(subject: str) -> bool:
    """Whether a subject alone asks something: it has no verb to tell a formula by."""
    return any(map(_is_a_matter, said_of(subject)))


@lru_cache(maxsize=4)  # both bodies of one mail are asked about more than once
def said_of(text: str) -> tuple[str, ...]:
    """The folded sentences of a text that are neither hypothetical nor small print, without addresses."""
    bare = ADDRESS.sub(" . ", text)
    every = (sentence for line in lines(certain(bare)) for sentence in sentences(line))
    return tuple(folded for sentence in every if (folded := fold(sentence).translate(APOSTROPHES)))


def _is_unheard_of(said: str) -> bool:
    return not is_formula(said) and FAQ.search(said) is None


@lru_cache(maxsize=2_048)  # three looks ask for it, of both bodies of one mail
def _is_a_matter(said: str) -> bool:
    if LABEL.match(said) or LEAVING.search(said):
        return False
    if HARD.search(said) or ("?" in said and not FAQ.search(said)):
        return True
    return bool(MATTERS.search(NONE_OF_IT.sub(" ", said)))


def _asks(said: str) -> bool:
    return _is_a_matter(said) or (TOLD.search(said) is not None and not HARMLESSLY.search(said))


def _is_dated(said: str) -> bool:
    return DATE.search(said) is not None and not IS_OF_THE_FORM.search(said)
