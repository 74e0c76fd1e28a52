"""Codes in subjects are masked; years, prices, dates and order numbers stay."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.mail.masks import MASK, MAX_CANDIDATES, MAX_CHARACTERS, mask_codes
from tests.strategies.mail import texts
from tests.sweeps import sweep

SUBJECTS = [
    line
    for line in (Path(__file__).parent / "code_subjects.txt").read_text("utf-8").splitlines()
    if not line.startswith("# ")
]
WITH_CODE = [line for line in SUBJECTS if "{" in line]
WITHOUT_CODE = [line for line in SUBJECTS if "{" not in line]


def test_the_table_is_large_enough_on_both_sides() -> None:
    assert len(SUBJECTS) == len(set(SUBJECTS)) >= 300
    assert len(WITH_CODE) >= 180 and len(WITHOUT_CODE) >= 120


@pytest.mark.parametrize("line", WITH_CODE)
@pytest.mark.contract("EV-3")
def test_a_code_is_masked_and_the_rest_stays(line: str) -> None:
    masked = mask_codes(re.sub(r"[{}]", "", line))
    assert masked == re.sub(r"\{[^}]*\}", MASK, line)
    assert mask_codes(masked) == masked


@pytest.mark.parametrize("line", WITHOUT_CODE)
@pytest.mark.contract("EV-3")
def test_a_subject_without_a_code_stays(line: str) -> None:
    assert mask_codes(line) == line


@pytest.mark.parametrize("inside", ["\u200b", "\u00ad", "\u2060", "\ufeff", "\u202c"])
@pytest.mark.contract("EV-3")
def test_an_invisible_character_inside_does_not_save_a_code(inside: str) -> None:
    masked = mask_codes(f"Your verification code is 482{inside}913")
    assert masked == f"Your verification code is {MASK}"


@pytest.mark.contract("EV-3")
def test_past_the_cap_every_word_with_the_look_of_one_is_masked() -> None:
    masked = mask_codes("verification " + "word " * MAX_CANDIDATES + "order 4711")
    assert "4711" not in masked and masked.startswith("verification word")
    assert mask_codes("verification " + "word " * 9 + "order 4711").endswith("order 4711")


CODES = st.one_of(
    st.from_regex(r"[0-9]{4,8}", fullmatch=True),
    st.from_regex(r"[0-9]{3}[- ][0-9]{3}", fullmatch=True),
    st.from_regex(r"G-[0-9]{6}", fullmatch=True),
    st.from_regex(r"[A-Z][0-9][A-Z][0-9][A-Z][0-9]", fullmatch=True),
)
FRAMES = st.sampled_from(
    [
        "Your verification code is {}", "{} is your Meadow verification code", "Security code: {}",
        "Votre code de vérification : {}",
        "Ihr Bestätigungscode lautet {}", "Tu código de verificación es {}", "您的验证码是{}", "認証コード: {}",
        "Ваш код подтверждения: {}",
        "OTP: {} for 2026", "Order 55 – your login code is {}", "{} ist Ihr Bestätigungscode", "[Quarry] code: {}",
    ]
)  # fmt: skip


@given(FRAMES, CODES)
@settings(max_examples=sweep(3_000), deadline=None)
@pytest.mark.contract("EV-3")
def test_nothing_of_an_announced_code_is_left(frame: str, code: str) -> None:
    masked = mask_codes(frame.format(code))
    assert masked == frame.format(MASK)


PIECES = "code Your is : - 1234 482913 ABC-DEF order 2026 login 12 G-123456 A1B2C3 $ . 是 코드 votre"
MIXTURES = st.lists(st.sampled_from(PIECES.split()), max_size=14).map(" ".join)


@given(texts(40) | MIXTURES)
@settings(max_examples=sweep(3_000), deadline=None)
def test_masking_twice_changes_nothing(subject: str) -> None:
    once = mask_codes(subject)
    assert mask_codes(once) == once


@pytest.mark.parametrize(
    "unit", ["1", "1 ", "1-", "code ", "code: 1234 ", "A1", "A-", "code 482913 ", "$1", "1.", "+1", "Your code 1:"]
)
def test_a_huge_subject_is_masked_in_bounded_time(unit: str) -> None:
    started = time.process_time()
    masked = mask_codes("code " + unit * (200_000 // len(unit)))
    assert time.process_time() - started < 3.0
    assert len(masked) <= MAX_CHARACTERS * len(MASK)
