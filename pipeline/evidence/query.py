"""Search queries, built so that nothing leaks out of its group; used for discovery only, never by the executor.

>>> window_query("from:a@x.example OR from:b@x.example", after=1794819600)
'(from:a@x.example OR from:b@x.example) after:1794819600'
>>> window_query("", after=None)
''
"""

from pipeline.refusals import QueryRefused

CLOSERS = {"(": ")", "{": "}"}
LONGEST = 1000
"""Characters: a longer GET would be rewritten to POST by the client."""


def window_query(words: str, after: int | None) -> str:
    """The owner's words as one group, then the window's start in epoch seconds. Raises QueryRefused."""
    group = f"({_balanced(words.strip())})" if words.strip() else ""
    return " ".join(part for part in (group, f"after:{after}" if after is not None else "") if part)


def redacted(words: str, days: int | str) -> str:
    """What a manifest may say of a query: its shape and window, none of the owner's words."""
    masked = "(owner's words) " if words.strip() else ""
    return f"{masked}in:inbox window:{days}"


def _balanced(words: str) -> str:
    if len(words) > LONGEST or not words.isprintable():
        raise QueryRefused("the query is too long or holds control characters", evidence=f"{len(words)} characters")
    open_groups, is_quoted = [], False
    for character in words:
        if character == '"':
            is_quoted = not is_quoted
        elif not is_quoted and character in CLOSERS:
            open_groups.append(CLOSERS[character])
        elif not is_quoted and character in CLOSERS.values() and (not open_groups or open_groups.pop() != character):
            raise QueryRefused("the query closes a group that it did not open", evidence=repr(character))
    if open_groups or is_quoted:
        raise QueryRefused("the query leaves a group or a quote open", evidence=open_groups[-1] if open_groups else '"')
    return words
