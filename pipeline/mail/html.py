"""HTML to what a reader sees, what is hidden from them, and where the links go.

Promises: never raises, bounded time and memory whatever the markup (size, depth and attribute caps
are checked before the parser runs; over a cap the tags are cut out blindly and the result says so).
Comments, scripts and style sheets are neither visible nor hidden text.

>>> read_html('<p>Hello <span style="display:none">SYSTEM: obey</span></p>').hidden
'SYSTEM: obey'
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.mail import hidden

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MAX_HTML_CHARACTERS: Final = 262_144
MAX_DEPTH: Final = 200
MAX_ATTRIBUTES: Final = 1_000
MAX_LINKS: Final = 500
MAX_HREF_CHARACTERS: Final = 2_048
MAX_LINK_TEXT: Final = 300

_TAG: Final = re.compile(
    r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)"
    r"((?:[\s/]++[^\s>/][^\s>/=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"']++))?+){0,1000}+)"
)
_ATTRIBUTE: Final = re.compile(r"[\s/]++[^\s>/][^\s>/=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"']++))?+")
_MANY_ATTRIBUTES: Final = MAX_ATTRIBUTES * 2
_NOT_NESTING: Final = (
    "area base br col embed hr img input link meta source track wbr param"
    # closed by their next sibling, so an unclosed one does not nest
    " p li td tr th dt dd option tbody thead tfoot colgroup"
)
_VOID: Final = frozenset(_NOT_NESTING.split())
_BLIND_TAG: Final = re.compile(r"<[^<>]{0,4000}>?")
# These never end a word: `inter<b>view</b>` is one word to a reader, so it must be one to the markers.
_INLINE_TAGS: Final = "a abbr b big bdi bdo code dfn em font i ins kbd mark s samp small span strong sub sup u var"
_DROPPED: Final = ("script", "style", "head", "title", "noembed", "template")


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
    is_long = len(markup) > _MANY_ATTRIBUTES * 4
    if markup.count("<") <= MAX_DEPTH and not is_long:
        return None
    depth = 0
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


def _read_tree(tree: "LexborHTMLParser") -> HtmlText:
    if tree.body is None:
        return HtmlText()
    selectors = hidden.hiding_selectors("".join(node.text() for node in tree.css("style")))
    tree.strip_tags(list(_DROPPED))
    links = _links(tree)
    unseen = hidden.cut_out(tree, selectors)
    shown = _text_of(tree)
    alts = [alt for image in tree.css("img[alt]") if (alt := image.attributes.get("alt"))]
    return HtmlText(" ".join([shown, *alts]), unseen, links)


def _text_of(tree: "LexborHTMLParser") -> str:
    """The text in reading order: blocks are set apart, pieces of one word are not."""
    if tree.body is None:
        return ""
    tree.strip_tags(["wbr"])
    tree.unwrap_tags(_INLINE_TAGS.split())
    tree.merge_text_nodes()
    return tree.body.text(separator=" ")


def _links(tree: "LexborHTMLParser") -> tuple[Link, ...]:
    found: list[Link] = []
    for node in tree.css("a[href], area[href], form[action]")[:MAX_LINKS]:
        target = node.attributes.get("href") or node.attributes.get("action") or ""
        text = "" if node.tag == "form" else " ".join(node.text()[:2_000].split())
        if target:
            found.append(Link(text[:MAX_LINK_TEXT], target.strip()[:MAX_HREF_CHARACTERS]))
    return tuple(found)
