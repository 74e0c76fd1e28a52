"""Paging that loses nothing: the end of a list is the page without nextPageToken, not the page without items.

Gmail sends pages that lack the list key although more pages follow, and its resultSizeEstimate is no count.

>>> answers = {None: Answer(200, {"nextPageToken": "p2"}), "p2": Answer(200, {"messages": []})}
>>> len(list(pages(answers.get)))
2
"""

from collections.abc import Callable, Iterator
from urllib.parse import quote_plus

from pipeline.gmail.answers import Answer
from pipeline.gmail.gate import QUERY_LIMIT
from pipeline.refusals import AnswerRefused, QueryRefused


def pages(ask: Callable[[str | None], Answer]) -> Iterator[Answer]:
    """Every page of a list, `ask(token)` for each. Raises AnswerRefused for a token that is no text or comes again."""
    seen: set[str] = set()
    token: str | None = None
    while True:
        page = ask(token)
        yield page
        following = page.document.get("nextPageToken")
        if following is None:
            return
        if not isinstance(following, str) or not following or following in seen:
            raise AnswerRefused("a list does not end: its nextPageToken is empty or was there before")
        seen.add(following)
        token = following


def plain_query(q: str) -> str | None:
    """A search query fit for a URL, None for the empty one. Raises QueryRefused over the cap, without quoting it."""
    if len(quote_plus(q)) > QUERY_LIMIT:
        raise QueryRefused(
            "a search query is too long for one GET",
            evidence=f"over {QUERY_LIMIT} characters in the URL",
            next_command="split the query",
        )
    return q or None
