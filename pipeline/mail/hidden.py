"""Finds the text of a parsed page that its reader cannot see; takes out of the tree what for certain nobody sees.

Promises: linear in the size of the tree; a child that sets its own look inside an invisible parent stays visible
(newsletters zero a cell's font and set it again inside); what may be seen all the same (doubts.py) is named hidden and
stays in the tree; nodes are removed only after the last look at them, because the parser frees their memory at once.

    cut_out(tree, read_sheet(".gone { display: none }"))     # the tree is then without what wears this class
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.mail import doubts, style
from pipeline.mail.sheet import Sheet

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_STYLED: Final = 20_000
# Beyond these the text stays visible: too much is seen rather than too little.
MAX_ROOTS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Cut:
    """What looks hidden, in reading order of its kinds, and every style looked at; partial = beyond the cap."""

    text: str
    styles: tuple[str, ...]
    is_partial: bool


def cut_out(tree: "LexborHTMLParser", sheet: Sheet, *, may_say_hidden: bool = True) -> Cut:
    """Take what is hidden out of the tree; without the attribute `hidden` in the markup nobody looks for it."""
    search = _Search(sheet)
    for node, is_sure in _wholly_hidden(tree, sheet, may_say_hidden=may_say_hidden):
        search.take_subtree(node, is_sure=is_sure)
    nodes = tree.css("[style], font[color]")[:MAX_STYLED]
    styles = tuple([search.judge(node) for node in nodes])
    search.remove_all()
    return Cut(" ".join(search.pieces), styles, len(nodes) == MAX_STYLED)


def _wholly_hidden(
    tree: "LexborHTMLParser", sheet: Sheet, *, may_say_hidden: bool
) -> Iterator[tuple["LexborNode", bool]]:
    """What the attribute `hidden` or the sheet hides, and whether nothing can show it."""
    for node in tree.css("[hidden]")[:MAX_STYLED] if may_say_hidden else ():
        yield node, "display" not in sheet.shows and "display" not in _style(node).lower()
    for selector, ways in sheet.hiding.items():
        for node in tree.css(selector)[:MAX_STYLED]:
            text = _style(node)
            if not style.resets_text(text):
                has_styled = node.css_first("[style], font, table, button, input, select, textarea") is not None
                yield node, doubts.is_sure_of_sheet(ways, text, sheet, has_styled=has_styled)


def _style(node: "LexborNode") -> str:
    return node.attributes.get("style") or ""


class _Search:
    """What was found hidden so far, and what is already known about each node (by its address)."""

    __slots__ = ("_clear", "_grounds", "_loose", "_roots", "_seen", "_sheet", "_sure", "pieces")

    def __init__(self, sheet: Sheet) -> None:
        self.pieces: list[str] = []
        self._sheet = sheet
        self._sure: dict[int, LexborNode] = {}
        self._roots: dict[int, LexborNode] = {}
        self._loose: dict[int, LexborNode] = {}
        self._seen: set[int] = set()
        self._clear: set[int] = set()
        self._grounds: dict[int, style.Colour | str] = {}

    def judge(self, node: "LexborNode") -> str:
        """Takes what one styled element hides; returns its style."""
        attributes = node.attributes
        text = attributes.get("style") or ""
        ways = style.ways_to_hide(text)
        if ways & style.SUBTREE:
            self.take_subtree(node, is_sure=self._is_sure(ways & style.SUBTREE, text, node))
        elif ways:
            self._take_own_text(node, is_sure=self._is_sure(ways, text, node))
        elif colour := self._camouflage(node, text, attributes):
            self._take_own_text(node, is_sure=doubts.is_sure_of_colour(colour, text, node.tag or "", self._sheet))
        return text

    def _is_sure(self, ways: frozenset[str], text: str, node: "LexborNode") -> bool:
        size = len(node.text()) if "indent" in ways else 0
        return doubts.is_sure(ways, text, node.tag or "", self._sheet, size)

    def take_subtree(self, node: "LexborNode", *, is_sure: bool) -> None:
        """Everything below, whatever it says about itself; the page as a whole never."""
        if node.tag in ("body", "html"):
            return
        if is_sure and len(self._sure) < MAX_ROOTS:
            self._sure[node.mem_id] = node
        if node.mem_id in self._roots or len(self._roots) >= MAX_ROOTS:
            return
        if not _is_below(node, self._roots):
            self._keep(node.text(separator=" "))
        self._roots[node.mem_id] = node

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

    def _take_own_text(self, node: "LexborNode", *, is_sure: bool) -> None:
        """The text below, but for children that set their own look."""
        if self._is_covered(node):
            return
        waiting = [(node, is_sure)]
        while waiting:
            here, is_certain = waiting.pop()
            if here.mem_id in self._seen or here.mem_id in self._roots:
                continue
            self._seen.add(here.mem_id)
            if here.is_text_node:
                self._keep(here.text())
                if is_certain:
                    self._loose[here.mem_id] = here
            elif here is node or not _sets_look(here):
                is_certain = is_certain and (here is node or not doubts.has_own_look(here.tag or ""))
                waiting += [(child, is_certain) for child in reversed(list(here.iter(include_text=True)))]

    def _keep(self, text: str) -> None:
        if stripped := " ".join(text.split()):
            self.pieces.append(stripped)

    def _camouflage(self, node: "LexborNode", text: str, attributes: Mapping[str, str | None]) -> "style.Colour | None":
        """The colour of text that stands on the same; a page that names no ground is white."""
        colour = style.text_colour(text) or style.parse_colour(attributes.get("color") or "")
        if colour is None:
            return None
        ground = _own_ground(attributes) or self._ground(node)
        return colour if not isinstance(ground, str) and style.is_same_colour(colour, ground) else None

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
        tops = [node for node in self._sure.values() if not _is_below(node, self._sure)]
        for node in [*self._loose.values(), *tops]:
            node.decompose()


def _is_below(node: "LexborNode", roots: Mapping[int, "LexborNode"]) -> bool:
    here = node.parent
    while here is not None and here.mem_id not in roots:
        here = here.parent
    return here is not None


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
