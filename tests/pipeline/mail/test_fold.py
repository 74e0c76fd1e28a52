"""One fold: what looks the same compares equal, and folding again changes nothing."""

import sys
import unicodedata

import pytest
from hypothesis import example, given, settings

from pipeline.mail import fold
from tests.strategies.mail import texts
from tests.sweeps import sweep


@pytest.mark.parametrize(
    "written",
    [
        "interview",
        "Inter\u00adview",
        "Inter\u200bview",
        "Inter\u2060view",
        "Inter\u034fview",
        "\uff29\uff4e\uff54\uff45\uff52\uff56\uff49\uff45\uff57",
        "I\u0301nterview",
        "ÍNTERVÏEW",
        "İNTERVİEW",
        "ınterview",
        "\u202einterview\u202c",
        "in\x00ter\ufeffview",
        "i\U000e0041nterview",
        "𝐢𝐧𝐭𝐞𝐫𝐯𝐢𝐞𝐰",
    ],
)
def test_a_disguised_word_folds_to_the_plain_one(written: str) -> None:
    assert fold.fold(written) == "interview"


def test_whitespace_of_every_kind_is_one_space_and_none_at_the_ends() -> None:
    assert fold.fold("\u00a0a\t\r\n\u2003b\u2028c\u2800d \x1f") == "a b c d"


def test_a_lone_surrogate_is_replaced_and_can_be_written() -> None:
    assert fold.fold("a\ud800b") == "a\ufffdb"
    fold.fold("\udfff").encode("utf-8")


def test_marks_that_make_another_letter_stay() -> None:
    assert fold.fold("が") != fold.fold("か")
    assert fold.fold("한글") == "한글"


@given(texts())
@example("\u1e9e\u0345\u0130")
@settings(max_examples=sweep(3_000), deadline=None)
def test_folding_twice_changes_nothing(text: str) -> None:
    once = fold.fold(text)
    assert fold.fold(once) == once
    assert not any(fold.is_invisible(c) or unicodedata.category(c) == "Cs" for c in once)


def test_every_code_point_folds_to_a_fixed_point() -> None:
    for code in range(sys.maxunicode + 1):
        once = fold.fold(f"a{chr(code)}b")
        if fold.fold(once) != once:
            pytest.fail(f"U+{code:04X} folds to {once!a}, and that to {fold.fold(once)!a}")


@given(texts(), texts())
@settings(max_examples=sweep(1_000), deadline=None)
def test_the_fast_path_of_plain_text_gives_what_the_long_one_gives(left: str, right: str) -> None:
    plain = "".join(c for c in left if c.isascii())
    assert fold.fold(plain) == fold.fold(plain + " \u200b")
    assert fold.fold(left + " " + right).split() == (fold.fold(left) + " " + fold.fold(right)).split()


def _fold_slowly(text: str) -> str:
    """The definition, without any short cut: every character by itself, composed at the end."""
    kept = "".join(fold._fold_character(ord(c)) for c in unicodedata.normalize("NFKD", text))
    return " ".join(unicodedata.normalize("NFC", kept).lower().split())


@given(texts())
@settings(max_examples=sweep(2_000), deadline=None)
def test_folding_in_pieces_equals_folding_character_by_character(text: str) -> None:
    assert fold.fold(text) == _fold_slowly(text)


def test_words_are_letters_and_digits_only() -> None:
    assert fold.words("C++ (m/f/d) – Straße_2") == ("c", "m", "f", "d", "strasse", "2")


@pytest.mark.parametrize(
    ("text", "is_hidden_writing"),
    [
        ("plain", False),
        ("soft\u00adhyphen", False),
        ("family 👨\u200d👩\u200d👧", False),
        ("flag 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", False),
        ("\u200c \u200c \u200c \u200c \u200c", False),
        ("a\u200b\u200c\u200b\u200c\u200bb", True),
        ("\U000e0049\U000e0067\U000e006e\U000e006f", True),
        ("x\ufe00\ufe01\ufe02\ufe03", True),
    ],
)
def test_hidden_writing_is_told_from_stray_joiners(text: str, is_hidden_writing: bool) -> None:
    assert fold.has_invisible_runs(text) is is_hidden_writing
