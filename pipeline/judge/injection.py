"""Whether a message speaks to a machine instead of its reader: by how such text is built, visible, hidden or packed.

Promises: evidence ids only; the same fold as all matching, so letter case, accents and invisible characters hide
nothing. What a reader cannot see is judged more strictly: there every sign of an order is one too many.

    list(injection_evidence(see(mail, owner)))     # ['instruction:visible'] for "Ignore all previous instructions"
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from pipeline.judge.errands import SPOKEN, SPOKEN_LINE
from pipeline.judge.levels import NEEDED, Level, sign_of
from pipeline.judge.orders import BOUNDARY_STEMS, LINE_STEMS, PATTERNS, ROLE_STEMS
from pipeline.judge.patterns import all_signs_in, signs_in, stems_in
from pipeline.judge.seen import MAX_CHARACTERS, Seen
from pipeline.mail.fold import words
from pipeline.mail.matcher import plain
from pipeline.mail.packed import INVISIBLE, unpacked

_ROLE: Final = re.compile(r"^[ \t>*#_`<!-]{0,8}(?:system|assistant|developer)\W{0,4}:\W{0,4}(.{0,120})", re.I | re.M)
_COMMANDS: Final = re.compile(
    r"\b(?:you|the user|user is|ignore|obey|label|archive|classify|mark|forward|delete|reveal|grant|call|override|must|"
    r"new instruction|disregard|respond|reply|append|include|send|sure|comply|it as|all as)\b"
)
_BOUNDARY: Final = re.compile(
    r"^[\s>#*=_-]{0,40}(?:begin|end|start)(?: of)?(?: the)?(?: user| untrusted| external)? "
    r"(?:input|document|context|prompt|instructions?|conversation|data|task|query|transcript)s?[\s#*=_:.-]{0,40}$",
    re.I | re.M,
)
_IMAGE: Final = re.compile(
    r"!\[[^\]\n]{0,100}\]\(\s?https?://[^)\s]{0,300}(?:\[[^\]\n]{1,60}\]|\{[^}\n]{1,60}\}|<[^>\n]{1,60}>|"
    r"=[A-Z_]{4,30}\b)"
)
# Words that only make sense to a machine; enough where a reader cannot see them.
_HIDDEN_ORDERS: Final = (
    *(
        "system:",
        "assistant",
        "instruction",
        "ignore",
        "disregard",
        "classify",
        "classification",
        "confidence",
        "archive",
    ),
    *(
        "archive",
        "delete",
        "prompt",
        "execute",
        "automated agent",
        "language model",
        "the model",
        "label this",
        "mark this",
    ),
    *("priority: low", "not important", "is a newsletter", "as newsletter", "obey"),
)
_MANY: Final = 2
_MANY_LINES: Final = 40
_LEAST_NAME: Final = 3
# Letters that show nothing; the flags of England, Scotland and Wales are the one honest use.
_TAG_CHARACTERS: Final = re.compile("(?<![\U0001f3f4\U000e0000-\U000e007f])[\U000e0000-\U000e007f]{2,}")


def injection_evidence(seen: Seen) -> Iterator[str]:
    """Evidence ids of text that addresses a machine, or hides orders or characters from the reader."""
    hidden = seen.mail.body.hidden_text[:MAX_CHARACTERS]
    spoken = _spoken(seen.shown, seen.raw, seen.stems)
    yield from _named(spoken, "visible")
    if (INVISIBLE in seen.packings and _has_tags(seen.raw)) or _has_tags(hidden):
        yield "tag_characters"
    if seen.packings - {INVISIBLE} and _orders("\n".join(unpacked(seen.raw, seen.packings))):
        yield "encoded_order:visible"
    if spoken and (owner := _about(seen.owner)) is not None and owner.search(seen.shown):
        yield "about_the_owner:visible"
    if hidden:
        yield from _hidden(seen, hidden)


@lru_cache(maxsize=64)
def _about(owner: str) -> re.Pattern[str] | None:
    """How one speaks to somebody else about the owner, by the first word of the address: tell mara that, mara wants.

    People do so in mail to several; the sign counts only beside words to a machine.
    """
    name = next((word for word in words(owner.partition("@")[0]) if len(word) >= _LEAST_NAME), None)
    if name is None:
        return None
    return re.compile(
        rf"\b(?:tell|inform|remind|assure|show|ask|warn|notify|telling|asking|informing|check with) {name}\b|"
        rf"\b{name} (?:prefers|wants|likes|trusts|has (?:asked|approved|authori[sz]ed|agreed)|approved|asked|"
        rf"authori[sz]ed)\b"
    )


def _hidden(seen: Seen, raw: str) -> Iterator[str]:
    """Where nobody looks, one weak sign is enough."""
    signs = all_signs_in(seen.hidden, PATTERNS, seen.hidden_stems) | set(_lines(raw, seen.hidden_stems))
    yield from _named(signs, "hidden")
    if signs or sum(order in seen.hidden for order in _HIDDEN_ORDERS) >= _MANY or _orders("\n".join(unpacked(raw))):
        yield "orders:hidden"


def _named(signs: set[str], place: str) -> Iterator[str]:
    yield from (f"{sign}:{place}" for sign in sorted(signs))


def _spoken_alone(folded: str, raw: str) -> set[str]:
    """The signs in a text whose stems nobody looked for yet."""
    text = f" {folded}"
    stems = stems_in(text, PATTERNS) | {stem for stem in LINE_STEMS if stem in text}
    return _spoken(text, raw, frozenset(stems))


def _spoken(folded: str, raw: str, stems: frozenset[str]) -> set[str]:
    """The signs in one text, folded and as it stands."""
    return signs_in(folded, PATTERNS, stems) | set(_lines(raw, stems))


def _lines(raw: str, stems: frozenset[str]) -> Iterator[str]:
    """What needs the lines and letter case of the text."""
    if not stems.isdisjoint(ROLE_STEMS):
        said = [plain(found.group(1)) for found in _ROLE.finditer(raw)]
        if any(_COMMANDS.search(text) for text in said):
            yield "role_line"
        elif said:
            yield "authority"
    if not stems.isdisjoint(BOUNDARY_STEMS) and _BOUNDARY.search(raw):
        yield "boundary"
    if not stems.isdisjoint(SPOKEN.stems) and any(
        SPOKEN.form.search(f" {plain(found.group(1))}") for found in islice(SPOKEN_LINE.finditer(raw), _MANY_LINES)
    ):
        yield SPOKEN.sign
    if "](" in raw and _IMAGE.search(raw):
        yield "image_of_answer"


def _orders(text: str) -> bool:
    """Whether unpacked text gives orders to a machine: one strong sign, or some weak ones."""
    return bool(text) and sum(sign_of(sign).points for sign in _spoken_alone(plain(text), text)) >= NEEDED[Level.HOLD]


def _has_tags(text: str) -> bool:
    return not text.isascii() and _TAG_CHARACTERS.search(text) is not None
