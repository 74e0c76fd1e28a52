"""HTML to what a reader sees, what is hidden from them, and where the links go.

Promises: never raises, bounded time and memory whatever the markup (size, depth and attribute caps
are checked before the parser runs; over a cap the tags are cut out blindly and the result says so).
Comments, scripts and style sheets are neither visible nor hidden text.

>>> read_html('<p>Hello <span style="display:none">SYSTEM: obey</span></p>').hidden
'SYSTEM: obey'
"""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pipeline.mail import style

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_HTML_CHARACTERS: Final = 262_144
MAX_DEPTH: Final = 200
MAX_ATTRIBUTES: Final = 1_000
MAX_LINKS: Final = 500
MAX_HREF_CHARACTERS: Final = 2_048
MAX_LINK_TEXT: Final = 300
MAX_STYLED: Final = 20_000
_MAX_SHEET: Final = 65_536
_MAX_RULES: Final = 400

_TAG: Final = re.compile(
    r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)"
    r"((?:[\s/]++[^\s>/=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"']++))?+){0,1000}+)"
)
_MANY_ATTRIBUTES: Final = MAX_ATTRIBUTES * 2
_NOT_NESTING: Final = (
    "area base br col embed hr img input link meta source track wbr param"
    # closed by their next sibling, so an unclosed one does not nest
    " p li td tr th dt dd option tbody thead tfoot colgroup"
)
_VOID: Final = frozenset(_NOT_NESTING.split())
_BLIND_TAG: Final = re.compile(r"<[^<>]{0,4000}>?")
_SHEET_COMMENT: Final = re.compile(r"/\*.*?\*/|<!--|-->", re.S)
_SIMPLE_SELECTOR: Final = re.compile(r"[a-z0-9]*[.#]?[a-zA-Z0-9_-]{1,60}\Z")
_DROPPED: Final = ("script", "style", "head", "title", "noembed", "template")
_SPACES: Final = re.compile(r"[ \t\r\f\v\xa0]+")


@dataclass(frozen=True, slots=True)
class Link:
    """Where a link says it goes (`text`) and where it goes (`href`), both cut to their caps."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class HtmlText:
    """Defects: html_over_cap, html_too_deep, html_attributes, html_unreadable."""

    visible: str = ""
    hidden: str = ""
    links: tuple[Link, ...] = ()
    defects: tuple[str, ...] = ()


@dataclass(slots=True)
class _Hidden:
    pieces: list[str] = field(default_factory=list)

    def take(self, text: str) -> None:
        if stripped := " ".join(text.split()):
            self.pieces.append(stripped)


def read_html(markup: str) -> HtmlText:
    """The texts and links of one HTML part."""
    if len(markup) > MAX_HTML_CHARACTERS:
        return _blindly(markup[:MAX_HTML_CHARACTERS], "html_over_cap")
    if defect := _shape_defect(markup):
        return _blindly(markup, defect)
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError  # 10 ms: only where there is HTML

    try:
        return _read_tree(LexborHTMLParser(markup))
    except (SelectolaxError, ValueError, RuntimeError, MemoryError, UnicodeError):
        return _blindly(markup, "html_unreadable")


def _blindly(markup: str, defect: str) -> HtmlText:
    """All text between tags, as visible: too much is seen rather than too little."""
    text = _BLIND_TAG.sub(" ", markup)
    return HtmlText(" ".join(text.split()), "", (), (defect,))


def _shape_defect(markup: str) -> str | None:
    """Depth and attribute counts over the cap, from one linear pass; nothing small can exceed them."""
    if markup.count("<") <= MAX_DEPTH and len(markup) < _MANY_ATTRIBUTES:
        return None
    depth = 0
    is_long = len(markup) > _MANY_ATTRIBUTES * 4
    for tag in _TAG.finditer(markup):
        if is_long and len(tag.group(3)) > _MANY_ATTRIBUTES and _attribute_count(tag.group(3)) >= MAX_ATTRIBUTES:
            return "html_attributes"
        if tag.group(2).lower() in _VOID:
            continue
        depth = max(0, depth + (-1 if tag.group(1) else 1))
        if depth > MAX_DEPTH:
            return "html_too_deep"
    return None


def _attribute_count(text: str) -> int:
    return len(_ATTRIBUTE.findall(text))


_ATTRIBUTE: Final = re.compile(r"[\s/]++[^\s>/=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"']++))?+")


def _read_tree(tree: "LexborHTMLParser") -> HtmlText:
    if tree.body is None:
        return HtmlText()
    sheet = _sheet(tree)
    tree.strip_tags(list(_DROPPED))
    links = _links(tree)
    hidden = _Hidden()
    _hide_by_sheet(tree, sheet, hidden)
    _hide_by_attribute(tree, hidden)
    _hide_by_style(tree, hidden)
    body = tree.body
    shown = body.text(separator=" ") if body is not None else ""
    alts = [alt for image in tree.css("img[alt]") if (alt := image.attributes.get("alt"))]
    return HtmlText(" ".join([shown, *alts]), " ".join(hidden.pieces), links)


def _links(tree: "LexborHTMLParser") -> tuple[Link, ...]:
    found: list[Link] = []
    for node in tree.css("a[href], area[href], form[action]")[:MAX_LINKS]:
        target = node.attributes.get("href") or node.attributes.get("action") or ""
        text = "" if node.tag == "form" else " ".join(node.text()[:2_000].split())
        if target:
            found.append(Link(text[:MAX_LINK_TEXT], target.strip()[:MAX_HREF_CHARACTERS]))
    return tuple(found)


def _sheet(tree: "LexborHTMLParser") -> list[str]:
    """Simple selectors whose rule hides, outside of any @-block (those are for other screens)."""
    text = "".join(node.text() for node in tree.css("style"))[:_MAX_SHEET]
    found: list[str] = []
    depth = 0
    for rule in _SHEET_COMMENT.sub(" ", text).split("}")[: _MAX_RULES * 2]:
        opened = rule.count("{")
        selectors, _, body = rule.rpartition("{")
        is_nested = depth > 0 or opened > 1
        depth = max(0, depth + opened - 1)
        if not is_nested and (style.hides_subtree(body) or style.hides_text(body)):
            names = (name.strip() for name in selectors.split(","))
            found += [name for name in names if _SIMPLE_SELECTOR.match(name)]
    return found[:_MAX_RULES]


def _hide_by_sheet(tree: "LexborHTMLParser", selectors: list[str], hidden: _Hidden) -> None:
    for selector in selectors:
        if selector in ("body", "html"):
            continue
        for node in tree.css(selector):
            if not style.resets_text(node.attributes.get("style") or ""):
                _take_subtree(node, hidden)


def _hide_by_attribute(tree: "LexborHTMLParser", hidden: _Hidden) -> None:
    for node in tree.css("[hidden]"):
        _take_subtree(node, hidden)


def _hide_by_style(tree: "LexborHTMLParser", hidden: _Hidden) -> None:
    for node in tree.css("[style], font[color]")[:MAX_STYLED]:
        text = node.attributes.get("style") or ""
        if style.hides_subtree(text):
            _take_subtree(node, hidden)
        elif style.hides_text(text) or _is_camouflaged(node, text):
            _take_own_text(node, hidden)


def _is_camouflaged(node: "LexborNode", text: str) -> bool:
    """Text in the colour of what it stands on; a page without a colour is white."""
    colour = style.text_colour(text) or style.parse_colour(node.attributes.get("color") or "")
    if colour is None:
        return False
    ground = _ground(node)
    return not isinstance(ground, str) and style.is_same_colour(colour, ground)


def _ground(node: "LexborNode") -> "style.Colour | str":
    here: LexborNode | None = node
    for _ in range(MAX_DEPTH * 2):
        if here is None:
            break
        attributes = here.attributes
        if attributes.get("background"):
            return "unknown"
        found = style.background(attributes.get("style") or "") or _bgcolor(attributes.get("bgcolor"))
        if found is not None:
            return found
        here = here.parent
    return style.WHITE


def _bgcolor(value: str | None) -> "style.Colour | str | None":
    return (style.parse_colour(value) or "unknown") if value else None


def _take_subtree(node: "LexborNode", hidden: _Hidden) -> None:
    if node.tag in ("body", "html") or node.parent is None:
        return
    hidden.take(node.text(separator=" "))
    for child in list(node.iter(include_text=True)):
        child.decompose()


def _take_own_text(node: "LexborNode", hidden: _Hidden) -> None:
    """The text below, but for children that set their own look: newsletters zero a cell's font that way."""
    waiting = list(node.iter(include_text=True))
    while waiting:
        child = waiting.pop(0)
        if child.is_text_node:
            hidden.take(child.text())
            child.decompose()
        elif child.tag != "img" and not _sets_look(child):
            waiting = [*child.iter(include_text=True), *waiting]


def _sets_look(node: "LexborNode") -> bool:
    attributes = node.attributes
    if attributes.get("color") or attributes.get("bgcolor") or attributes.get("background"):
        return True
    text = attributes.get("style") or ""
    return style.resets_text(text) or style.background(text) is not None
