"""A plain letter and its HTML twin.

`[See the job](https://boardly.example/j/1)` on a line of its own is a button; a line that begins
with `* ` is a list item; empty lines part paragraphs.
"""

import re
from html import escape

_LINK = re.compile(r"\[([^\]]+)\]\((https://[^)\s]+)\)")


def plain(text: str) -> str:
    """The letter as text/plain: a link reads 'See the job: https://...'."""
    return _LINK.sub(r"\1: \2", text)


def to_html(text: str, layout: str, brand: str, footer: str) -> str:
    """The letter in an HTML layout, whose places are @BODY@, @BRAND@, @PREHEADER@ and @FOOTER@."""
    paragraphs = [block for block in text.strip().split("\n\n") if block.strip()]
    places = {
        "@BODY@": "\n".join(_paragraph(block) for block in paragraphs),
        "@BRAND@": escape(brand),
        "@PREHEADER@": escape(_LINK.sub(r"\1", text).replace("\n", " ")[:90]),
        "@FOOTER@": _inline(footer),
    }
    for place, words in places.items():
        layout = layout.replace(place, words)
    return layout


def _paragraph(block: str) -> str:
    lines = block.split("\n")
    if all(line.startswith("* ") for line in lines):
        items = "".join(f"<li>{_inline(line[2:])}</li>" for line in lines)
        return f"<ul>{items}</ul>"
    return "<p>" + "<br>\n".join(_inline(line) for line in lines) + "</p>"


def _inline(text: str) -> str:
    return _LINK.sub(r'<a href="\2" style="color:#1a5fb4">\1</a>', escape(text, quote=False))
