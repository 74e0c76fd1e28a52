"""The plain spellings of what readers and matcher do in a faster way: slow, obvious, equal (test_faster.py)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from pipeline.mail import hypothetical
from pipeline.mail.fold import fold
from pipeline.mail.language_words import FOREIGN, KNOWN
from pipeline.mail.languages import MAX_CHARACTERS

SENTENCE_ENDS = re.compile(r"[.!?;:|\u2022\u00b7\u2026\u3002\n]+(?=\s|$)|\n+")
ROW = re.compile(r"\s[-\u2013\u2014]\s[^\n]{1,200}?\s[-\u2013\u2014]\s")
NO_PROSE = re.compile(r"://|[@0-9_\\=#&]|\w\.\w")
WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzäöüßéèêëàâçîïôûùœæÿáíóúñ'\u2019")
LIKE_LETTERS = re.compile(r"(?<![^\W_])[013457$@!|]?[a-z]+(?:[013457$@!|][a-z]+){0,4}(?![^\W_])", re.I)
HYPHENED = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011\u00ad][^\S\n]*\n\s*(?=[^\W\d_])")
CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]+")
KEYBOARD = str.maketrans({**dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4\u2032`", "'"),
                          **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")})  # fmt: skip


def is_foreign(text: str) -> bool:
    """languages.is_foreign, a word at a time."""
    lines = unicodedata.normalize("NFKC", text[:MAX_CHARACTERS]).splitlines()
    prose = "\n".join(" ".join(word for word in line.split() if not NO_PROSE.search(word)) for line in lines)
    return any(_is_foreign(sentence) for sentence in SENTENCE_ENDS.split(prose) if sentence.strip())


def is_mostly_foreign(text: str) -> bool:
    """languages.is_mostly_foreign, a word at a time."""
    words = WORD.findall(unicodedata.normalize("NFKC", text[:MAX_CHARACTERS]).casefold())
    known = sum(map(_is_known, words))
    foreign = sum(word in FOREIGN for word in words)
    others = sum(any(not _is_latin(letter) and letter != "'" for letter in word) for word in words)
    return foreign > known or 3 * others > len(words) or 10 * known < len(words)


def is_hypothetical(sentence: str) -> bool:
    """hypothetical.is_hypothetical in the order in which one would say it."""
    said = fold(sentence).translate(hypothetical._APOSTROPHES)
    if len(said.split()) < hypothetical._FEWEST_WORDS or hypothetical._ASKED.search(said):
        return False
    if hypothetical._SILENCE.search(said):
        return True
    if hypothetical._DATED.search(hypothetical._LAW.sub(" ", said)):
        return False
    if hypothetical._SMALL_PRINT.search(said) or hypothetical._OURS.search(said):
        return True
    addressed = hypothetical._READER_ASIDE.sub("", said)
    is_of_others = hypothetical._OTHERS.search(said) is not None
    return is_of_others and not hypothetical._DECIDED.search(said) and not hypothetical._READER.search(addressed)


def _is_foreign(sentence: str) -> bool:
    every = WORD.findall(sentence)
    if any(not _is_latin(letter) for word in every for letter in word):
        return True
    words = [word.casefold() for word in every] if sentence.isupper() else [_own(w) for w in every if w[0].islower()]
    words = [word for word in words if len(word) > 1]
    if not words:
        return False
    if any(not LETTERS.issuperset(word) for word in words) or len(FOREIGN.intersection(words)) > 1:
        return True
    if ROW.search(sentence):
        return False
    share = sum(map(_is_known, words))
    return (len(words) >= 3 and share == 0) or (len(words) >= 5 and share / len(words) < 0.2)


def _own(word: str) -> str:
    """d'Orsay is a d and a name, aujourd'hui a word."""
    head, mark, _ = word.replace("\u2019", "'").partition("'")
    return head if mark and not word.islower() and (len(head) == 1 or head == "qu") else word


def _is_known(word: str) -> bool:
    return bool(KNOWN.intersection([word, *word.replace("\u2019", "'").split("'")]))


def _is_latin(letter: str) -> bool:
    return letter.isascii() or letter == "\u2019" or unicodedata.name(letter, "").startswith("LATIN ")


def spelled(text: str) -> Iterator[str]:
    """retold: words in which digits stand for letters, found in the whole text."""
    for found in LIKE_LETTERS.finditer(text):
        word = found.group()
        if len(word) <= 20 and re.search(r"[013457$@!|]", word) and sum(map(str.isalpha, word)) >= 5:
            yield word.translate(str.maketrans("013457$@!|", "oieastsail"))


def joined(text: str) -> list[str]:
    """retold: the text without the hyphens at its line ends, if there is one."""
    whole = HYPHENED.sub("", text)
    return [whole] if "\n" in text and whole != text else []


def plain(text: str) -> str:
    """matcher.plain: the fold of a text without its controls, and the keyboard's quotes and dashes."""
    return fold(CONTROLS.sub("", text)).translate(KEYBOARD)


def asked(text: str, words: Iterable[str], harmless: Iterable[str]) -> set[str]:
    """matcher: the action words in a text from which every harmless phrase was cut, those cut in pieces included."""
    folded, wanted = plain(text), {plain(word) for word in words} - {""}
    gone: set[int] = set()
    starts: set[int] = set()
    for phrase in map(plain, harmless):
        for at in _places(phrase, folded):
            starts.add(at)
            gone.update(range(at, at + len(phrase)))
    kept = "".join("\x00" * (at in starts) if at in gone else letter for at, letter in enumerate(folded))
    pieces = re.findall(r"[^\W_]+|\x00", kept)
    rows = {"".join(pieces[at : at + size]) for at in range(len(pieces)) for size in (2, 3)}
    solid = {word for word in wanted if len(word) >= 6 and word.isalpha()}
    return {word for word in wanted if word in kept} | {word for word in solid if {word, f"{word}s"} & rows}


def _places(phrase: str, text: str) -> list[int]:
    return [at for at in range(len(text)) if phrase and text.startswith(phrase, at)]
