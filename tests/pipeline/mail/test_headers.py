"""Headers in any case, duplicates kept, hostile encodings survived."""

import time

import pytest
from hypothesis import given, settings

from pipeline.mail import headers
from tests.strategies.mail import header_lists, json_like, texts
from tests.sweeps import sweep


def test_a_name_is_found_in_any_letter_case_and_duplicates_keep_their_order() -> None:
    fields = headers.read_headers(
        [{"name": "FROM", "value": "a"}, {"name": "from ", "value": "b"}, {"name": "To", "value": "c"}]
    )
    assert fields.all("From") == ("a", "b")
    assert fields.first("tO") == "c"
    assert fields.first("cc") is None
    assert fields.defects == ()


@pytest.mark.parametrize(
    "listed", [None, {}, "x", 3, [None], [{"name": 1, "value": "x"}], [{"name": "From"}], [["From", "x"]]]
)
def test_a_damaged_header_list_is_read_without_the_damage(listed: object) -> None:
    assert headers.read_headers(listed).pairs == ()
    assert headers.read_headers([{"name": "From", "value": "a"}, None]).defects == ("malformed_header",)


def test_too_many_fields_are_cut_and_named() -> None:
    fields = headers.read_headers([{"name": "X", "value": "v"}] * (headers.MAX_FIELDS + 1))
    assert len(fields.pairs) == headers.MAX_FIELDS
    assert fields.defects == ("over_cap",)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("plain", "plain"),
        ("=?UTF-8?Q?caf=C3=A9_au_lait?=", "café au lait"),
        ("=?utf-8?b?Y2Fmw6k=?= =?utf-8?b?IQ==?=", "café!"),
        ("=?utf-8?b?Y2Fmw6k?=", "café"),
        ("a =?utf-8?q?b?= c", "a b c"),
        ("=?utf-8?q?=E2=82?=\r\n =?utf-8?q?=AC?=", "€"),
        ("=?iso-8859-1?q?=E9?= =?utf-8?q?=C3=A9?=", "éé"),
        ("=?gb2312?b?xOO6ww==?=", "你好"),
        ("=?iso-2022-jp?b?GyRCRnxLXBsoQg==?=", "日本"),
        ("=?utf-8*en?q?tagged?=", "tagged"),
        ("folded\r\n\tline", "folded line"),
        ("=?windows-1252?q?=93x=94?=", "“x”"),
    ],
)
def test_encoded_words_become_readable(written: str, text: str) -> None:
    assert headers.decode(written) == headers.Decoded(text)


@pytest.mark.parametrize(
    ("written", "defect"),
    [
        ("=?x-nowhere?B?QmlnIHNhbGU=?=", "unknown_charset"),
        ("=?hex?q?6869?=", "unknown_charset"),
        ("=?utf-7?q?+ADw-?=", "unknown_charset"),
        ("=?idna?q?xn--a?=", "unknown_charset"),
        ("=?unicode_escape?q?=5Cx41?=", "unknown_charset"),
        ("=?utf-8?b?a?=", "undecodable"),
        ("=?utf-8?b?!!!!?=", "undecodable"),
    ],
)
def test_what_cannot_be_decoded_stays_as_written_and_is_named(written: str, defect: str) -> None:
    assert headers.decode(written) == headers.Decoded(written, (defect,))


@pytest.mark.parametrize(
    "written",
    ["=?utf-8?q?a=0Ab?=", "=?utf-8?q?a=0D=0ABcc:_x?=", "a\x00b", "a\x1b[2Jb",
     "a\x9bb", "a\u2028b", "=?utf-8?b?YQpi?=", "a\nb"],
)  # fmt: skip
def test_an_encoded_line_break_never_becomes_one(written: str) -> None:
    decoded = headers.decode(written)
    assert decoded.text.isprintable()
    assert decoded.defects == ("control_character",)


def test_broken_bytes_are_replaced_and_named() -> None:
    assert headers.decode("=?utf-8?q?=FF?=") == headers.Decoded("\ufffd", ("lossy",))
    assert headers.decode("a\ud800") == headers.Decoded("a\ufffd", ("lossy",))


def test_a_long_value_is_cut_in_linear_time() -> None:
    for hostile in ["=?utf-8?q?" * 20_000, "=?" * 100_000, "=?utf-8?b?YQ==?= " * 12_000, "=?a?q?" + "=41" * 60_000]:
        started = time.process_time()
        assert "over_cap" in headers.decode(hostile).defects
        assert time.process_time() - started < 3.0


@given(texts(40))
@settings(max_examples=sweep(3_000), deadline=None)
def test_decoding_is_total_and_one_line(text: str) -> None:
    for value in (text, f"=?utf-8?q?{text}?=", f"=?{text}?b?QQ?=", f"=?utf-8?b?{text}?="):
        decoded = headers.decode(value)
        decoded.text.encode("utf-8")
        assert not any(c in decoded.text for c in "\r\n\x00\x1b\x85\u2028")


@given(header_lists() | json_like())
@settings(max_examples=sweep(1_000), deadline=None)
def test_reading_a_header_list_is_total(listed: object) -> None:
    fields = headers.read_headers(listed)
    assert all(name == name.lower() for name, _ in fields.pairs)
