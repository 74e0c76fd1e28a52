"""The text of a parsed page with the lines that its reader sees.

Promises: a block, a cell, a row, an item or a heading stands between blank lines, so that no sentence reaches beyond
it. So does what begins with a capital after <br>; small letters go on as in plain text, where the width of the page
breaks long lines. What stands in a line, known or not, breaks neither a word nor a sentence; the markup's own line ends
are blanks, but where the page keeps them.

>>> from selectolax.lexbor import LexborHTMLParser
>>> text_of(LexborHTMLParser("<h2>See <b>y</b>ou</h2><td>at<br>ten<p>Privacy"), Layout())
'See you\\n\\nat\\nten\\n\\nPrivacy'
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_KINDS: Final = 100
"""Elements of so many names are known to stand in a line; those of other names end one."""
MAX_NODES: Final = 2_000
_BLOCKS: Final = (
    "address article aside audio blockquote body button caption center col colgroup dd desc details dialog dir div dl"
    " dt fieldset figcaption figure footer foreignobject form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr"
    " html iframe legend li listing main math menu nav noframes noscript object ol optgroup option p plaintext pre"
    " search section select style script summary svg table tbody td template text textarea tfoot th thead title tr ul"
    " video xmp"
)
_STANDS_APART: Final = frozenset(_BLOCKS.split())
_KEPT: Final = ("pre", "textarea", "xmp", "listing", "plaintext")
_KEEPS: Final = re.compile(r"white-space\s{0,9}:\s{0,9}(?:pre|break-spaces)")
_AS_BLOCK: Final = re.compile(r"display\s{0,9}:\s{0,9}(?:block|list-item|table|flex|grid|flow-root)")
_NAME: Final = re.compile(r"[a-z][a-z0-9:_-]*\Z")
# What no text of a page holds: the parser makes another character of a NUL, and the reader takes other controls out.
_APART: Final = "\x00"
_BLOCK: Final = "\x02"
_LINE: Final = "\x01"
_SIGNS: Final = {"br": _LINE, "img": " ", "input": " "}


@dataclass(frozen=True, slots=True)
class Layout:
    """What is known of the page beside its tree: the names of its elements, its sheet, whether it may say this."""

    tags: frozenset[str] = frozenset(_SIGNS) | {"b"}
    sheet: str = ""
    """In small letters."""
    blocks: tuple[str, ...] = ()
    """Simple selectors of what the sheet sets apart from its line."""
    may_keep_lines: bool = True
    may_stand_apart: bool = True
    """Whether some style may say `white-space` and `display`."""


def is_block(tag: str) -> bool:
    """Whether an element stands apart from its line, as browsers show it."""
    return tag in _STANDS_APART


def text_of(tree: "LexborHTMLParser", layout: Layout) -> str:
    """The text in reading order; the tree is taken apart."""
    if tree.body is None:
        return ""
    _mark(tree, layout)
    _take_out_remarks(tree.body)
    tree.unwrap_tags(_in_a_line(layout.tags), delete_empty=True)
    tree.merge_text_nodes()
    blocks = tree.body.text(separator=_APART).replace(_BLOCK, _APART).split(_APART)
    return "\n\n".join(filter(None, map(_lined, blocks)))


def _take_out_remarks(body: "LexborNode") -> None:
    """Comments and what the parser takes for one: they show nothing and part nothing."""
    found = [node for node in body.traverse(include_text=True) if not (node.is_element_node or node.is_text_node)]
    for node in found:
        node.decompose()


def _in_a_line(tags: frozenset[str]) -> list[str]:
    """Whatever is no block stands in a line, also what no browser knows."""
    named = sorted(tag for tag in tags - _STANDS_APART if _NAME.match(tag))
    return [tag.replace(":", r"\:") for tag in named[:MAX_KINDS]]


def _mark(tree: "LexborHTMLParser", layout: Layout) -> None:
    """Signs in the text itself: what ends a line, what only stands in one, and lines that are kept as written."""
    for name in layout.tags.intersection(_SIGNS):
        for node in tree.css(name):
            node.insert_before(_SIGNS[name])  # in a drawing it may hold text
    for node in _kept(tree, layout):
        _keep_lines(node)
    for node in _set_apart(tree, layout):
        node.insert_before(_BLOCK)
        node.insert_after(_BLOCK)


def _set_apart(tree: "LexborHTMLParser", layout: Layout) -> Iterator["LexborNode"]:
    for selector in layout.blocks:
        yield from tree.css(selector)[:MAX_NODES]
    if layout.may_stand_apart:
        yield from _styled(tree, "display", _AS_BLOCK)


def _kept(tree: "LexborHTMLParser", layout: Layout) -> Iterator["LexborNode"]:
    """What shows its lines as they are written; all of the page where only the style sheet knows."""
    if tree.body is not None and _KEEPS.search(layout.sheet):
        yield tree.body
        return
    if tags := sorted(layout.tags.intersection(_KEPT)):
        yield from tree.css(", ".join(tags))[:MAX_NODES]
    if layout.may_keep_lines:
        yield from _styled(tree, "white-space", _KEEPS)


def _styled(tree: "LexborHTMLParser", word: str, form: re.Pattern[str]) -> Iterator["LexborNode"]:
    nodes = tree.css(f'[style*="{word}" i]')[:MAX_NODES]
    return (node for node in nodes if form.search((node.attributes.get("style") or "").lower()))


def _keep_lines(node: "LexborNode") -> None:
    """Each line that is written below as one that is shown."""
    for text in [below for below in node.traverse(include_text=True) if below.is_text_node]:
        if "\n" in (written := text.text()):
            text.replace_with(written.replace("\n", _LINE))


def _lined(block: str) -> str:
    """One block's lines, their blanks joined; only small letters go on with the line before."""
    if _LINE not in block:
        return " ".join(block.split())
    said, is_apart = [], False
    for line in (" ".join(written.split()) for written in block.split(_LINE)):
        if line:
            said.append(f"\n{line}" if line[0].islower() and not is_apart else f"\n\n{line}")
        is_apart = not line
    return "".join(said).strip()
