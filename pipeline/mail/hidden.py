"""Finds the text of a parsed page that its reader cannot see, and takes it out of the tree.

Promises: linear in the size of the tree; a child that sets its own look inside an invisible parent
stays visible (newsletters zero a cell's font and set it again inside); nodes are removed only after
the last look at them, because the parser frees their memory at once.

>>> hiding_selectors(".gone { display: none } .here { color: red } @media x { .small { display: none } }")
['.gone']
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.mail import style

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_STYLED: Final = 20_000
MAX_SHEET_CHARACTERS: Final = 65_536
MAX_SELECTORS: Final = 40
# Beyond these the text stays visible: too much is seen rather than too little.
MAX_ROOTS: Final = 2_000
_MAX_RULES: Final = 2_000
_SHEET_COMMENT: Final = re.compile(r"/\*.*?\*/|<!--|-->", re.S)
# As browsers read names: a rule whose selector is none (`.1a`) is dropped, so what it names stays visible.
_NAME_STARTS: Final = r"(?!-?(?:[0-9]|\Z))"
_SIMPLE_SELECTOR: Final = re.compile(rf"{_NAME_STARTS}[a-z0-9]*(?:#|\.{_NAME_STARTS})?[a-zA-Z0-9_-]{{1,60}}\Z")
_WHOLE_PAGE: Final = frozenset({"body", "html", "table", "tr", "td", "div", "p", "span", "a", "img"})


def hiding_selectors(sheet: str) -> list[str]:
    """Simple selectors whose rule hides, outside of any @-block (those are for other screens)."""
    found: list[str] = []
    depth = 0
    for rule in _SHEET_COMMENT.sub(" ", sheet[:MAX_SHEET_CHARACTERS]).split("}")[:_MAX_RULES]:
        opened = rule.count("{")
        selectors, _, body = rule.rpartition("{")
        is_nested = depth > 0 or opened > 1
        depth = max(0, depth + opened - 1)
        if not is_nested and (style.hides_subtree(body) or style.hides_text(body)):
            found += [name.strip() for name in selectors.split(",") if _SIMPLE_SELECTOR.match(name.strip())]
    return [name for name in dict.fromkeys(found) if name not in _WHOLE_PAGE][:MAX_SELECTORS]


@dataclass(frozen=True, slots=True)
class Cut:
    """The hidden text in reading order of its kinds, and every style that was looked at; partial = beyond the cap."""

    text: str
    styles: tuple[str, ...]
    is_partial: bool


def cut_out(tree: "LexborHTMLParser", selectors: list[str], *, may_say_hidden: bool = True) -> Cut:
    """Take what is hidden out of the tree; without the attribute `hidden` in the markup nobody looks for it."""
    search = _Search()
    for node in _wholly_hidden(tree, selectors, may_say_hidden=may_say_hidden):
        search.take_subtree(node)
    nodes = tree.css("[style], font[color]")[:MAX_STYLED]
    styles = tuple([search.judge(node) for node in nodes])
    search.remove_all()
    return Cut(" ".join(search.pieces), styles, len(nodes) == MAX_STYLED)


def _wholly_hidden(tree: "LexborHTMLParser", selectors: list[str], *, may_say_hidden: bool) -> list["LexborNode"]:
    found = tree.css("[hidden]") if may_say_hidden else []
    for selector in selectors:
        found += [n for n in tree.css(selector) if not style.resets_text(_style(n))]
    return found[:MAX_STYLED]


def _style(node: "LexborNode") -> str:
    return node.attributes.get("style") or ""


class _Search:
    """What was found hidden so far, and what is already known about each node (by its address)."""

    __slots__ = ("_clear", "_grounds", "_loose", "_roots", "_seen", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._roots: dict[int, LexborNode] = {}
        self._loose: dict[int, LexborNode] = {}
        self._seen: set[int] = set()
        self._clear: set[int] = set()
        self._grounds: dict[int, style.Colour | str] = {}

    def judge(self, node: "LexborNode") -> str:
        """Takes what one styled element hides; returns its style."""
        attributes = node.attributes
        text = attributes.get("style") or ""
        if style.hides_subtree(text):
            self.take_subtree(node)
        elif style.hides_text(text) or self._is_camouflaged(node, text, attributes):
            self._take_own_text(node)
        return text

    def take_subtree(self, node: "LexborNode") -> None:
        """Everything below, whatever it says about itself; the page as a whole never."""
        if node.tag in ("body", "html") or node.mem_id in self._roots or len(self._roots) >= MAX_ROOTS:
            return
        if not self._is_below_root(node):
            self._keep(node.text(separator=" "))
        self._roots[node.mem_id] = node

    def _is_below_root(self, node: "LexborNode") -> bool:
        here = node.parent
        while here is not None and here.mem_id not in self._roots:
            here = here.parent
        return here is not None

    def _is_covered(self, node: "LexborNode") -> bool:
        """Whether a hidden subtree holds the node already; remembered, as elements come in document order."""
        path: list[int] = []
        here: LexborNode | None = node
        while here is not None and here.mem_id not in self._roots and here.mem_id not in self._clear:
            path.append(here.mem_id)
            here = here.parent
        if here is not None and here.mem_id in self._roots:
            return True
        self._clear.update(path)
        return False

    def _take_own_text(self, node: "LexborNode") -> None:
        """The text below, but for children that set their own look."""
        if self._is_covered(node):
            return
        waiting = [node]
        while waiting:
            here = waiting.pop()
            if here.mem_id in self._seen or here.mem_id in self._roots:
                continue
            self._seen.add(here.mem_id)
            if here.is_text_node:
                self._loose[here.mem_id] = here
                self._keep(here.text())
            elif here is node or not _sets_look(here):
                waiting += reversed(list(here.iter(include_text=True)))

    def _keep(self, text: str) -> None:
        if stripped := " ".join(text.split()):
            self.pieces.append(stripped)

    def _is_camouflaged(self, node: "LexborNode", text: str, attributes: Mapping[str, str | None]) -> bool:
        """Text in the colour of what it stands on; a page that names no colour is white."""
        colour = style.text_colour(text) or style.parse_colour(attributes.get("color") or "")
        if colour is None:
            return False
        ground = _own_ground(attributes) or self._ground(node)
        return not isinstance(ground, str) and style.is_same_colour(colour, ground)

    def _ground(self, node: "LexborNode") -> "style.Colour | str":
        """The nearest background named above, remembered for every node on the way."""
        path: list[int] = []
        here: LexborNode | None = node
        found: style.Colour | str | None = None
        while here is not None and found is None:
            found = self._grounds.get(here.mem_id) or _own_ground(here.attributes)
            path.append(here.mem_id)
            here = here.parent
        found = found or style.WHITE
        self._grounds.update(dict.fromkeys(path, found))
        return found

    def remove_all(self) -> None:
        """Loose text first: it may stand inside a removed subtree, whose memory is then gone."""
        tops = [node for node in self._roots.values() if not self._is_below_root(node)]
        for node in [*self._loose.values(), *tops]:
            node.decompose()


def _own_ground(attributes: Mapping[str, str | None]) -> "style.Colour | str | None":
    if attributes.get("background"):
        return "unknown"
    named = attributes.get("bgcolor")
    return style.background(attributes.get("style") or "") or (
        (style.parse_colour(named) or "unknown") if named else None
    )


def _sets_look(node: "LexborNode") -> bool:
    attributes = node.attributes
    if attributes.get("color") or attributes.get("bgcolor") or attributes.get("background"):
        return True
    text = attributes.get("style") or ""
    return style.resets_text(text) or style.background(text) is not None
