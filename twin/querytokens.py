"""Cuts a search query into tokens. Total: any text gives tokens, what means nothing is skipped.

>>> tokens('from:ann -"two words"')
[('term', 'from:ann'), ('minus', '-'), ('quote', 'two words')]
"""

import re

OPERATORS = frozenset(
    (
        *("from", "to", "cc", "bcc", "deliveredto", "subject", "in", "is", "label", "category", "has", "list"),
        *("filename", "larger", "smaller", "size", "rfc822msgid"),
        *("newer_than", "older_than", "after", "before", "newer", "older"),
    )
)
TOKEN = re.compile(
    r"""(?P<minus>-(?=[^\s)}]))|(?P<open>[({])|(?P<close>[)}])
      |(?P<op>[A-Za-z][A-Za-z0-9_]*):
      |"(?P<quote>[^"]*)"?|(?P<bar>\|)|(?P<word>[^\s(){}"]+)""",
    re.VERBOSE,
)


Token = tuple[str, str]
VALUE = re.compile(r'"([^"]*)"?|([^\s(){}"]+)')


def tokens(query: str) -> list[Token]:
    """(kind, text) pairs; `op` tokens carry `name value` joined, or stand before an `open`."""
    found: list[Token] = []
    position = 0
    while position < len(query):
        match = TOKEN.match(query, position)
        if match is None:
            position += 1
            continue
        position = _take(query, match, found)
    return found


def _take(query: str, match: re.Match[str], found: list[Token]) -> int:
    kind = match.lastgroup or ""
    if match.group("op") is not None:
        return _take_operator(query, match, found)
    text = match.group(kind)
    if kind == "word" and text in ("OR", "AND"):
        kind = "or" if text == "OR" else "and"
    found.append(("or", text) if kind == "bar" else (kind, text))
    return match.end()


def _take_operator(query: str, match: re.Match[str], found: list[Token]) -> int:
    """`from:x`, `from:"x y"`, `from:(x y)`; a name that is no operator is a word like any other."""
    name, start = match.group("op").lower(), match.end("op") + 1
    if name not in OPERATORS:
        whole = re.compile(r'[^\s(){}"]+').match(query, match.start())
        end = whole.end() if whole else match.end()
        found.append(("word", query[match.start() : end]))
        return end
    if query[start : start + 1] in ("(", "{"):
        found.append(("op", name))
        return start
    value = VALUE.match(query, start)
    text = (value.group(1) if value.group(1) is not None else value.group(2)) if value else ""
    found.append(("term", f"{name}:{text}"))
    return value.end() if value else start
