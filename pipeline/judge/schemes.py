"""Schemes of fraud that need no link: jobs over a chat, cheques, gift cards, a superior who must not be called.

Promises: what one scheme needs to be said, within a breath; honest mail says it rarely, and hardly ever two of them.

    signs_in(" i cannot take calls, are you free for a discreet task", PATTERNS, stems)     # {'in_private'}
"""

from typing import Final

from pipeline.judge.patterns import Pattern, pattern

PATTERNS: Final[tuple[Pattern, ...]] = (
    pattern(
        "chat_elsewhere",
        "telegram|whatsapp|signal",
        r"\b(?:interview|onboarding|briefing|hiring|recruit\w*|position|job|manager|director)\b[^!?]{0,160}"
        r"\b(?:on|via|through|over|using) (?:the )?(?:telegram|whatsapp|signal)\b|"
        r"\b(?:telegram|whatsapp|signal)\b[^!?]{0,160}\b(?:interview|onboarding|hiring|recruit\w*)\b",
    ),
    pattern(
        "cheque",
        "check|cheque",
        r"\b(?:send|mail|issue|e-?mail|post)\w* you a (?:[\w']+ )?che(?:ck|que)\b|"
        r"\b(?:a|the) che(?:ck|que) (?:for|to|towards)\b[^.!?]{0,60}\b(?:purchase|buy|home office|equipment|"
        r"deposit (?:it|the))\b",
    ),
    pattern(
        "wants_papers",
        "full name|your name|bank name|date of birth|occupation",
        r"\b(?:full |your )?names?\b[^.!?]{0,140}\b(?:age|occupation|date of birth|sex|marital|phone|telephone|"
        r"address)\b"
        r"[^.!?]{0,100}\b(?:bank|account number|passport|id card|occupation|ssn|identity card|driver)",
    ),
    pattern(
        "gift_cards",
        "gift card|gift-card|giftcard|itunes card|steam card",
        r"\b(?:buy|purchase|get|pick up|procure|arrange)\b[^!?]{0,80}\b(?:gift.?cards?|itunes cards?|steam cards?)\b"
        r"[^?]{0,240}\b(?:codes?|scratch|pictures?|photos?|reimburse\w*|discreet\w*|surprise|confidential)\b",
    ),
    pattern(
        "in_private",
        "available|at your desk|take calls|take a call|call me|discreet|in a meeting|confidential|quick favo|"
        "quick task",
        r"\b(?:can't|cannot|can not|unable to|not able to|won't be able to) (?:take|talk|speak|pick up|receive|make)\b"
        r"[^!?]{0,30}\b(?:calls?|phone)\b|\bare you (?:available|at your desk|in the office|free)\b[^!]{0,200}"
        r"\b(?:discreet\w*|confidential\w*|favou?r|urgent\w*|task)\b",
    ),
    pattern(
        "other_account",
        "bank details|account details|banking details|bank information|payment details|new account|direct deposit",
        r"\b(?:our|my|new|updated|changed?|switched) (?:\w+ ){0,3}?(?:bank|banking|account|payment|direct deposit)"
        r" (?:details|information|account)\b[^!?]{0,120}\b(?:have changed|has changed|changed|new|from now on|"
        r"effective|"
        r"instead|going forward|future payments|old account|before (?:the )?next)\b",
    ),
)
SIGNS: Final = tuple(dict.fromkeys(one.sign for one in PATTERNS))
STEMS: Final = frozenset[str]().union(*(one.stems for one in PATTERNS))
