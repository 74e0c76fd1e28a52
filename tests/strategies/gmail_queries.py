"""Search queries as trees, their text, and the slow obvious way to decide them.

The evaluator reads the letter, not the mail: it shares no code with the twin.
"""

import re
from typing import Any

from hypothesis import strategies as st

from tests.strategies.gmail_mail import NOW_MS, PEOPLE, USER_LABELS, WORDS, Letter, raw_of

OWNER = "me@demo.example"
DAYS = {"d": 1, "m": 30, "y": 365}
PLACES = {"inbox": "INBOX", "sent": "SENT", "spam": "SPAM", "trash": "TRASH"}
STATES = {"unread": "UNREAD", "starred": "STARRED", "important": "IMPORTANT"}

leaves = st.one_of(
    st.tuples(st.just("word"), st.sampled_from(WORDS)),
    st.tuples(st.just("phrase"), st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(" ".join)),
    st.tuples(st.sampled_from(["from", "to", "cc"]), st.sampled_from((*PEOPLE, "me", "corp.example", "ann"))),
    st.tuples(st.just("subject"), st.sampled_from(WORDS)),
    st.tuples(st.just("in"), st.sampled_from((*PLACES, "anywhere"))),
    st.tuples(st.just("is"), st.sampled_from((*STATES, "read"))),
    st.tuples(st.just("label"), st.sampled_from(("job-search", "jobs-offers", "JOB-Search", "absent"))),
    st.tuples(st.just("category"), st.sampled_from(("promotions", "social", "primary"))),
    st.tuples(st.just("has"), st.sampled_from(("attachment", "userlabels", "nouserlabels"))),
    st.tuples(st.just("list"), st.sampled_from(("digest.list.example", "list.example", "other"))),
    st.tuples(st.just("filename"), st.sampled_from(("pdf", "cv.pdf", "offer"))),
    st.tuples(st.sampled_from(["larger", "smaller"]), st.sampled_from(("2k", "1M", "100"))),
    st.tuples(st.just("rfc822msgid"), st.sampled_from(("m1@mail.example", "<m2@mail.example>"))),
    st.tuples(st.sampled_from(["newer_than", "older_than"]), st.sampled_from(("7d", "2m", "1y"))),
    st.tuples(st.sampled_from(["after", "before"]), st.sampled_from(("2026/11/01", "2025-06-30"))),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.just("and"), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(st.sampled_from(["or", "braces"]), st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=6,
)


def text_of(tree: Any) -> str:
    """The tree as a person would type it, always grouped."""
    kind, value = tree
    if kind == "word":
        return str(value)
    if kind == "phrase":
        return f'"{value}"'
    if kind == "not":
        return f"-{text_of(value)}"
    if kind == "and":
        return f"({' '.join(map(text_of, value))})"
    if kind == "or":
        return f"({' OR '.join(map(text_of, value))})"
    if kind == "braces":
        return f"{{{' '.join(map(text_of, value))}}}"
    return f"{kind}:{value}"


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _in_row(needle: str, hay: str) -> bool:
    small, large = _words(needle), _words(hay)
    return any(large[at : at + len(small)] == small for at in range(len(large) - len(small) + 1))


def _person(value: str, fields: list[str]) -> bool:
    wanted = OWNER if value == "me" else value
    if "@" in wanted:
        return any(wanted == address for text in fields for address in re.findall(r"[^\s<>\"]+@[^\s<>\"]+", text))
    return any(_in_row(wanted, text) for text in fields)


def _sender(letter: Letter) -> str:
    return f"{letter.name} <{letter.sender}>"


def _age(letter: Letter, value: str) -> int:
    return letter.age_days - int(value[:-1]) * DAYS[value[-1]]


def _moment(value: str) -> int:
    """Midnight UTC-8 of a day, by counting days."""
    year, month, day = map(int, re.split("[/-]", value))
    days = sum(366 if y % 4 == 0 else 365 for y in range(1970, year))
    lengths = (31, 29 if year % 4 == 0 else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return ((days + sum(lengths[: month - 1]) + day - 1) * 24 + 8) * 3_600_000


def matches(tree: Any, letter: Letter) -> bool:
    """Whether the letter is meant, spam and trash not hidden."""
    kind, value = tree
    worn = letter.label_ids
    if kind == "not":
        return not matches(value, letter)
    if kind == "and":
        return all(matches(item, letter) for item in value)
    if kind in ("or", "braces"):
        return any(matches(item, letter) for item in value)
    date_ms = NOW_MS - letter.age_days * 86_400_000
    subject, body = " ".join(letter.subject), " ".join(letter.body) + "\n" + "x" * letter.size_pad
    texts = [subject, body, _sender(letter), f"{letter.to}\n{letter.cc}", letter.file_name]
    users = worn & set(USER_LABELS)
    sizes = {"2k": 2048, "1M": 1024 * 1024, "100": 100}
    named = {name.lower().replace(" ", "-").replace("/", "-"): key for key, name in USER_LABELS.items()}
    answers = {
        "word": lambda: any(_in_row(value, text) for text in texts),
        "phrase": lambda: any(_in_row(value, text) for text in texts),
        "from": lambda: _person(value, [_sender(letter)]),
        "to": lambda: _person(value, [letter.to, letter.cc]),
        "cc": lambda: _person(value, [letter.cc]),
        "subject": lambda: _in_row(value, subject),
        "in": lambda: value == "anywhere" or PLACES[value] in worn,
        "is": lambda: "UNREAD" not in worn if value == "read" else STATES[value] in worn,
        "label": lambda: named.get(value.lower()) in worn,
        "category": lambda: (value == "promotions") == ("CATEGORY_PROMOTIONS" in worn) and value != "social",
        "has": lambda: {
            "attachment": bool(letter.file_name),
            "userlabels": bool(users),
            "nouserlabels": not users,
        }[value],
        "list": lambda: bool(letter.list_id) and _in_row(value, letter.list_id),
        "filename": lambda: bool(letter.file_name) and _in_row(value, letter.file_name),
        "larger": lambda: len(raw_of(letter)) > sizes[value],
        "smaller": lambda: len(raw_of(letter)) < sizes[value],
        "rfc822msgid": lambda: letter.header_id == value.strip("<>"),
        "newer_than": lambda: _age(letter, value) <= 0,
        "older_than": lambda: _age(letter, value) > 0,
        "after": lambda: date_ms >= _moment(value),
        "before": lambda: date_ms < _moment(value),
    }
    return bool(answers[kind]())


def asks_for(tree: Any) -> set[str]:
    """Which of SPAM and TRASH the query names outside a negation."""
    kind, value = tree
    if kind in ("and", "or", "braces"):
        return set().union(*(asks_for(item) for item in value))
    if kind == "not" and value[0] == "not":
        return asks_for(value[1])  # it is typed as two signs in a row, and those cancel
    if kind == "in" and value == "anywhere":
        return {"SPAM", "TRASH"}
    return {PLACES[value]} & {"SPAM", "TRASH"} if kind == "in" else set()


def is_hit(tree: Any, letter: Letter) -> bool:
    """Whether a list call with this query shows the letter."""
    hidden = letter.label_ids & {"SPAM", "TRASH"}
    return matches(tree, letter) and (not hidden or bool(hidden & asks_for(tree)))
