"""Whether text that looks hidden may be seen all the same: then the rules read it too, for they can only hold more.

Promises: `is_sure` only where nothing on the page, on no screen and in no mail program, could show it: not the sheet,
not the kind of element, not a child. Programs that drop `position` show what was moved out of sight; cells and words in
a line do not shrink. What is not sure stays hidden text for the screen.

>>> is_sure(frozenset({"display"}), "display:none", "p", Sheet())
True
>>> is_sure(frozenset({"clip"}), "width:1%;overflow:hidden", "td", Sheet())
False
"""

import re
from typing import Final

from pipeline.mail import style
from pipeline.mail.page_lines import is_block
from pipeline.mail.sheet import Sheet

_GROWS: Final = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th", "center", "button", "fieldset"})
_OWN_LOOK: Final = frozenset({"table", "button", "input", "select", "textarea", "option", "mark", "font"})
"""Elements that browsers or mail programs give a size or a ground of their own."""
_IS_BOX: Final = re.compile(r"(?:block|inline-block|list-item|flex|grid|flow-root)\Z")
_NOTHING: Final = re.compile(r"0(?:\.0{1,9})?(?:[a-z]{1,9}|%)?\Z|(?:0?\.\d{1,9}|1(?:\.0{1,9})?)px\Z|0?\.0\d{0,8}r?em\Z")
_SIZES: Final = ("max-height", "height", "max-width", "width")
_WIDENS: Final = (
    "min-height",
    "min-width",
    "padding",
    "padding-top",
    "padding-bottom",
    "padding-left",
    "padding-right",
)
_TINTS: Final = (
    *("text-shadow", "-webkit-text-fill-color", "-webkit-text-stroke", "background-clip", "-webkit-background-clip"),
    *("filter", "mix-blend-mode"),
)
MAX_INDENTED: Final = 400
"""Characters: only the first line of a longer text is moved out of sight."""


def is_sure(ways: frozenset[str], written: str, tag: str, sheet: Sheet, size: int = 0) -> bool:
    """Whether a style attribute that hides in these ways hides `size` characters in this element for certain."""
    if _is_beyond_reading(written):
        return False
    found = style.declarations(written)
    return any(_is_sure(way, found, tag, sheet, size) for way in ways)


def is_sure_of_sheet(ways: frozenset[str], written: str, sheet: Sheet, *, has_styled: bool) -> bool:
    """Whether a rule of the sheet that hides in these ways does so: none shows, and the element does not."""
    found = style.declarations(written)
    if _is_beyond_reading(written):
        return False
    if any(way in ways and way not in sheet.shows and way not in found for way in ("display", "opacity")):
        return True
    is_bare = not has_styled and not {"font", "font-size", "visibility"}.intersection(found)
    return is_bare and any(way in ways and way not in sheet.shows for way in ("visibility", "font"))


def is_sure_of_colour(colour: style.Colour, written: str, tag: str, sheet: Sheet) -> bool:
    """Whether text in the colour of the ground that is named around it stands on no other."""
    if _is_beyond_reading(written) or tag in _OWN_LOOK - {"font", "table"} or "color" in sheet.shows:
        return False
    if any(name in style.declarations(written) for name in _TINTS):
        return False
    return all(not isinstance(ground, str) and style.is_same_colour(colour, ground) for ground in sheet.grounds)


def has_own_look(tag: str) -> bool:
    """Whether an element may be seen in a parent whose text is not, whatever is written."""
    return tag in _OWN_LOOK


def _is_beyond_reading(written: str) -> bool:
    return len(written) > style.MAX_STYLE_CHARACTERS or "\\" in written or "animation" in written.lower()


def _is_sure(way: str, found: dict[str, str], tag: str, sheet: Sheet, size: int) -> bool:
    if way in ("display", "opacity"):
        return way not in sheet.forces
    if way == "visibility":
        return way not in sheet.shows
    if way == "font":
        return way not in sheet.shows and "font" not in found and _NOTHING.match(found["font-size"]) is not None
    if way == "clear":
        return "color" not in sheet.shows and not any(name in found for name in _TINTS)
    if way == "indent":
        return "indent" not in sheet.forces and size <= MAX_INDENTED and _is_box(found, tag)
    return way == "clip" and "box" not in sheet.forces and _is_box(found, tag) and _has_no_room(found)


def _is_box(found: dict[str, str], tag: str) -> bool:
    """Whether width, height and indent mean anything: not to words in a line, and cells grow with their text."""
    shown_as = found.get("display")
    return (is_block(tag) and tag not in _GROWS) if shown_as is None else _IS_BOX.match(shown_as) is not None


def _has_no_room(found: dict[str, str]) -> bool:
    return not any(name in found for name in _WIDENS) and any(_NOTHING.match(found.get(name, "")) for name in _SIZES)
