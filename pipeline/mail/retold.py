"""What a body says in other ways than its plain words: where its links lead, and words that were taken apart.

Promises: text for the action words of the rules only, never for a rule that files; bounded. `also_says` holds the hosts
and paths of links (and of the links within them), words cut by a hyphen at a line end, and words in which digits stand
for letters.

    also_says(body)      # for <a href="https://meet.example/j/4?x=1">here</a>: 'meet.example/j/4'
"""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from pipeline.mail.body import Body

MAX_CHARACTERS: Final = 100_000
_TARGET: Final = re.compile(r"https?://([^\s/?#]{1,255})(/[^\s?#&]{0,512})?", re.I)
_BLANKS: Final = re.compile(r"[-_+\s]+")
_HYPHENED: Final = re.compile(r"[-\u2010\u2011\u00ad](?<=[^\W\d_].)[^\S\n]*\n\s*(?=[^\W\d_])")
_LIKE_LETTERS: Final = re.compile(r"(?<![^\W_])[013457$@!|]?[a-z]+(?:[013457$@!|][a-z]+){0,4}(?![^\W_])", re.I)
_DIGITS: Final = re.compile(r"[013457$@!|]")
_LETTERS: Final = str.maketrans("013457$@!|", "oieastsail")
_SHORTEST: Final = 5
_LONGEST: Final = 20


def also_says(body: Body) -> str:
    """The other wordings, a line each."""
    seen = f"{body.text}\n{body.visible_html_text}"[:MAX_CHARACTERS]
    targets = [target for link in body.links for target in _targets(link.href)]
    return "\n".join(dict.fromkeys([*targets, *_joined(seen), *_spelled(seen)]))


def _targets(href: str) -> Iterator[str]:
    """Host and path, and those that are packed into the query; signs that join words become blanks."""
    for host, path in _TARGET.findall(unquote(unquote(href))):
        yield f"{host}{_BLANKS.sub(' ', path)}"


def _joined(text: str) -> Iterator[str]:
    if "\n" in text and (whole := _HYPHENED.sub("", text)) != text:
        yield whole


def _spelled(text: str) -> Iterator[str]:
    for token in dict.fromkeys(text.split()):
        if not token.isalpha() and _DIGITS.search(token):  # hardly any token: the rest needs no closer look
            yield from _spelled_token(token)


def _spelled_token(token: str) -> Iterator[str]:
    for word in _LIKE_LETTERS.findall(token):
        if len(word) <= _LONGEST and _DIGITS.search(word) and sum(map(str.isalpha, word)) >= _SHORTEST:
            yield word.translate(_LETTERS)
