"""Whether we could read a message at all as its reader does: if not, it may be labelled, never archived.

Promises: names of signs only, one message at a time, bounded; in doubt a sign. Rule words say what a mail asks; these
signs say that rule words cannot know.

    short        hardly any letters: a bare code, a link, a picture's caption
    language     a sentence in a language or script that the rules cannot read
    disguised    words of mixed alphabets, or letters set apart
    pictures     pictures and little text: what they show is not known
    drawn        words made by a style sheet or turned round
"""

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

from pipeline.mail import languages, lookalike
from pipeline.mail.reader import Mail

FEWEST_LETTERS: Final = 30
FEWEST_BESIDE_PICTURES: Final = 120
_APART: Final = re.compile(r"(?<![^\W_])[^\W\d_](?:[\s.\-_*\u00b7]{1,3}[^\W\d_](?![^\W_])){4,}")
_ALONE: Final = re.compile(" a(?: {1,3}a(?= )){4}")
_LETTERS_ALIKE: Final = str.maketrans(
    {code: "a" if chr(code).isalpha() else "0" if chr(code).isdigit() else " " for code in range(128)}
)
_DRAWN: Final = frozenset({"html_turned", "html_drawn"})


def unread_signs(mail: Mail, *, is_broadcast: bool = False) -> Iterator[str]:
    """Signs that the words found in this message are not all that it says; none for a body that nobody has.

    In a broadcast one sentence in another language is a name or a quotation; a broadcast all in one is still foreign.
    """
    body = mail.body
    if body.state != "fetched":
        return
    shown = body.visible_html_text if body.has_html and body.visible_html_text.strip() else body.text
    prose = (word for word in f"{mail.subject} {shown}".split() if "://" not in word and "@" not in word)
    letters = sum(1 for _ in islice(filter(str.isalpha, chain.from_iterable(prose)), FEWEST_BESIDE_PICTURES))
    seen = f"{mail.subject}\n{body.text}\n{body.visible_html_text}"
    if letters < FEWEST_LETTERS:
        yield "short"
    if letters < FEWEST_BESIDE_PICTURES and ("html_pictures" in body.defects or _has_inline_picture(mail)):
        yield "pictures"
    if _DRAWN.intersection(body.defects):
        yield "drawn"
    if _is_set_apart(seen) or _mixes_alphabets(seen):
        yield "disguised"
    if languages.is_mostly_foreign(seen) if is_broadcast else languages.is_foreign(seen):
        yield "language"


def _is_set_apart(text: str) -> bool:
    """Whether letters stand alone in a row; in ASCII the row shows sooner once letters are all alike."""
    if text.isascii() and not _ALONE.search(f" {text.translate(_LETTERS_ALIKE)} "):
        return False
    return _APART.search(text) is not None


def _has_inline_picture(mail: Mail) -> bool:
    return any(part.is_inline and part.mime_type.startswith("image/") for part in mail.body.attachments)


def _mixes_alphabets(text: str) -> bool:
    """A word at a time: the look-alike test reads only so much of one text."""
    return not text.isascii() and any(lookalike.has_mixed_scripts(word) for word in text.split() if not word.isascii())
