"""Gmail's search language, parsed. Total: any text gives a tree; only absurd nesting is refused.

    from:(ann OR "ann lee") subject:offer -in:trash {has:attachment larger:5M} newer_than:7d

`OR` and `|` bind tighter than the blank that means AND; `{a b}` means a OR b; `-` negates what follows;
`AND` is a word for the blank. An operator before a group applies to every word in it.

>>> parse("from:ann is:unread")
And(items=(Term(op='from', value='ann'), Term(op='is', value='unread')))
"""

from dataclasses import dataclass

from twin.querytokens import Token, tokens
from twin.wire import bad

MAX_NESTING = 60


@dataclass(frozen=True, slots=True)
class Text:
    """A bare word or a quoted phrase."""

    value: str
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """`op:value`, the operator in lower case."""

    op: str
    value: str


@dataclass(frozen=True, slots=True)
class And:
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Or:
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Not:
    item: "Node"


Node = Text | Term | And | Or | Not


class _Parser:
    """Recursive descent over the tokens; unbalanced brackets are forgiven, as Gmail forgives them."""

    def __init__(self, query: str) -> None:
        self._tokens, self._at, self._depth = tokens(query), 0, 0

    def _peek(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "")

    def _next(self) -> Token:
        token = self._peek()
        self._at += 1
        return token

    def everything(self) -> Node:
        parts: list[Node] = []
        while self._peek()[0] != "end":
            parts.append(self._sequence())
            if self._peek()[0] == "close":
                self._next()
        return _one(And, parts)

    def _sequence(self) -> Node:
        items: list[Node] = []
        while self._peek()[0] not in ("end", "close"):
            if self._peek()[0] in ("and", "or"):
                self._next()
                continue
            items.append(self._choice())
        return _one(And, items)

    def _choice(self) -> Node:
        options = [self._single()]
        while self._peek()[0] == "or":
            self._next()
            if self._peek()[0] in ("end", "close", "and", "or"):
                continue
            options.append(self._single())
        return _one(Or, options)

    def _braces(self) -> Node:
        options: list[Node] = []
        while self._peek()[0] not in ("end", "close"):
            if self._peek()[0] in ("and", "or"):
                self._next()
                continue
            options.append(self._single())
        return _one(Or, options) if options else And(())

    def _group(self) -> Node:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise bad("Invalid search query: too deeply nested")
        node = self._braces() if self._next()[1] == "{" else self._sequence()
        if self._peek()[0] == "close":
            self._next()
        self._depth -= 1
        return node

    def _single(self) -> Node:
        kind, text = self._peek()
        if kind == "open":
            return self._group()
        self._next()
        if kind == "minus":
            return self._negated()
        if kind == "op":
            return _spread(text, self._group())
        if kind == "term":
            name, _, value = text.partition(":")
            return Term(name, value)
        return Text(text, is_quoted=kind == "quote")

    def _negated(self) -> Node:
        is_odd = True
        while self._peek()[0] == "minus":
            self._next()
            is_odd = not is_odd
        if self._peek()[0] in ("end", "close"):
            return And(())
        item = self._single()
        return Not(item) if is_odd else item


def _one(kind: type[And] | type[Or], items: list[Node]) -> Node:
    return items[0] if len(items) == 1 else kind(tuple(items))


def _spread(op: str, node: Node) -> Node:
    """`op:(a OR b)` means `op:a OR op:b`; a term inside the group keeps its own operator."""
    if isinstance(node, Text):
        return Term(op, node.value)
    if isinstance(node, Not):
        return Not(_spread(op, node.item))
    if isinstance(node, And | Or):
        return type(node)(tuple(_spread(op, item) for item in node.items))
    return node


def parse(query: str) -> Node:
    """The tree of a query; an empty query is `And(())`, which matches everything."""
    return _Parser(query).everything()
