"""One-time codes in subjects made unreadable before a subject is kept anywhere.

Promises: nothing of a code is left, not even its length; masking twice changes nothing; a subject that
speaks of no code stays as it is. Years, prices, dates, clock times and numbers called an order,
invoice, ticket or the like are left alone where the subject says what they are; where it does not,
a code-like number beside code-like words is masked: a lost order number costs less than a leaked code.

>>> mask_codes("Your verification code is 482913")
'Your verification code is ••••••'
>>> mask_codes("G-204817 is your verification code")
'•••••• is your verification code'
>>> mask_codes("Invoice 482913 for 2026")
'Invoice 482913 for 2026'
"""

import re
from itertools import pairwise
from typing import Final

from pipeline.mail import fold
from pipeline.mail.mask_context import (
    YEAR,
    Candidate,
    Context,
    context_of,
    is_called_otherwise,
    is_named_code,
    is_promotion,
)

MASK: Final = "••••••"
MAX_CHARACTERS: Final = 8_192
MAX_CANDIDATES: Final = 60
_WINDOW: Final = 80
_MAX_ROUNDS: Final = 4

# Digits in one run or in groups, or letters and digits mixed, or capital groups with hyphens.
_CANDIDATE: Final = re.compile(
    r"(?<![\dA-Za-z\u00c0-\u024f])"
    r"(?:\d+(?:[ \u00a0\u2009\u202f\u2010-\u2015-]\d+)+|[\dA-Za-z\u00c0-\u024f]+(?:-[\dA-Za-z\u00c0-\u024f]+)*)"
    r"(?![\dA-Za-z\u00c0-\u024f])"
)
# What is no code whatever stands around it: dates, times, prices, decimals, versions, percentages.
_OTHER_NUMBER: Final = re.compile(
    r"(?<![\d.,])(?:"
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)"
    r"|(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:\d{4}|\d{2})(?!\d)"
    r"|\d{1,2}:\d{2}(?::\d{2})?(?!\d)"
    r"|\d[\d.,]*+[ \u00a0]?(?:[$€£¥₹₽₺₩%°]|(?:usd|eur|gbp|chf|kr|zł|pln|inr)\b)"
    r"|\d++(?:[.,]\d++)++"
    r")"
    r"|(?:[$€£¥₹₽₺₩]|\b(?:usd|eur|gbp|chf|inr|rs\.?|us\$))[ \u00a0]?\d[\d.,]*+"
    r"|\+\d[\d -]{6,18}\d",
    re.IGNORECASE,
)
# Nothing is masked without one of these: a digit, or four capitals that at most hyphens set apart;
# nor by the cap, which no short subject can reach.
_COULD_HOLD_ONE: Final = re.compile(r"\d|[A-Z](?:-?[A-Z]){3}")
_COMPACT_DATE: Final = re.compile(r"20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\Z")
_THREE_PAIRS: Final = re.compile(r"\d\d-\d\d-\d\d\Z")
_PREFIXED: Final = re.compile(r"[A-Z]{1,4}-\d{4,10}\Z")
_GOOGLE: Final = re.compile(r"G-\d{5,8}\Z")
_ONLY_A_CODE: Final = re.compile(r"[\W_]*(?:[A-Z]{1,3}-)?\d{4,8}[\W_]*\Z|[\W_]*\d{3}[ -]\d{3}[\W_]*\Z")


def mask_codes(subject: str) -> str:
    """The subject with every code replaced by six bullets; unchanged when there is none."""
    clean = _visible(subject[:MAX_CHARACTERS])
    if not any(character.isdigit() or character.isupper() for character in clean):
        return subject[:MAX_CHARACTERS]
    if len(subject) <= 2 * MAX_CANDIDATES and not _COULD_HOLD_ONE.search(clean):
        return subject
    masked = clean
    for _ in range(_MAX_ROUNDS):
        masked, before = _mask_once(masked), masked
        if masked == before:
            break
    return subject if masked == clean and len(subject) <= MAX_CHARACTERS else masked


def _visible(subject: str) -> str:
    """Without the invisible characters that could stand inside a code."""
    if subject.isascii():
        return subject
    return "".join(character for character in subject if not fold.is_invisible(character))


def _mask_once(subject: str) -> str:
    context = context_of(subject)
    if context is Context.NONE:
        return _by_shape(subject)
    is_shop_code = context is Context.CODE and is_promotion(subject)
    others = [found.span() for found in _OTHER_NUMBER.finditer(subject)]
    pieces: list[str] = []
    end = 0
    for count, found in enumerate(_CANDIDATE.finditer(subject)):
        candidate = _candidate(subject, found)
        is_other = _overlaps(found.span(), others)
        if count > MAX_CANDIDATES or _is_code(candidate, context, is_other, is_shop_code):
            pieces += [subject[end : found.start()], MASK]
            end = found.end()
    return "".join(pieces) + subject[end:]


def _candidate(subject: str, found: re.Match[str]) -> Candidate:
    before = subject[max(0, found.start() - _WINDOW) : found.start()]
    return Candidate(found.group(), fold.fold(before), fold.fold(subject[found.end() : found.end() + _WINDOW]))


def _by_shape(subject: str) -> str:
    """Without a word about codes: a subject that is nothing but one, or Google's own prefix in front."""
    if _ONLY_A_CODE.match(subject) and not YEAR.match(subject.strip()):
        return MASK
    first = subject.split(None, 1)[:1]
    return subject.replace(first[0], MASK, 1) if first and _GOOGLE.match(first[0]) else subject


def _overlaps(span: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _is_code(candidate: Candidate, context: Context, is_other: bool, is_shop_code: bool) -> bool:
    is_named = context is Context.CODE and is_named_code(candidate)
    if is_other and not (is_named and _THREE_PAIRS.match(candidate.text)):
        return False
    if candidate.is_numeric:
        return _is_numeric_code(candidate, context, is_named)
    if context is Context.HINT:
        return _PREFIXED.match(candidate.text) is not None and not is_called_otherwise(candidate)
    return _is_letter_code(candidate, is_named) and not is_shop_code


def _is_numeric_code(candidate: Candidate, context: Context, is_named: bool) -> bool:
    if not 4 <= candidate.digits <= 12:
        return False
    if is_named:
        return True
    if YEAR.match(candidate.text) or _COMPACT_DATE.match(candidate.text) or is_called_otherwise(candidate):
        return False
    if context is Context.CODE:
        return True
    return 5 <= candidate.digits <= 8 and len({len(group) for group in candidate.groups}) == 1


def _is_letter_code(candidate: Candidate, is_named: bool) -> bool:
    """Capitals and digits mixed, or groups with hyphens; capitals alone only where a code is announced."""
    text = candidate.text
    joined = text.replace("-", "")
    if not 4 <= len(joined) <= 24 or not joined.isascii():
        return False
    if any(character.isdigit() for character in joined):
        return _is_mixed(text, is_named) and (is_named or not is_called_otherwise(candidate))
    is_grouped = "-" in text and len({len(group) for group in text.split("-")}) == 1
    return joined.isupper() and (is_named or (is_grouped and len(joined) >= 6))


def _is_mixed(text: str, is_named: bool) -> bool:
    joined = text.replace("-", "")
    digits = sum(character.isdigit() for character in joined)
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(joined))
    if is_named or _PREFIXED.match(text):
        return digits >= 1
    return len(joined) >= 5 and digits >= 2 and (changes >= 2 or joined.isupper())
