"""One sequence of bytes for every document: what is not exactly that sequence is refused."""

import json
import math

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.canonical import canonical_bytes, canonical_lines, parse_canonical, parse_json_object, sha256_hex
from pipeline.refusals import NotCanonical, NotJson
from tests.sweeps import sweep

numbers = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-(2.0**52), 2.0**52)
texts = st.text(st.characters(codec="utf-8"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
)
objects = st.dictionaries(texts, values, max_size=4)


@pytest.mark.contract("AP-1")
@settings(max_examples=sweep(1000), deadline=None)
@given(objects)
def test_bytes_are_a_fixed_point_and_key_order_does_not_matter(value: dict[str, object]) -> None:
    data = canonical_bytes(value)
    assert canonical_bytes(parse_canonical(data)) == data
    assert canonical_bytes(dict(reversed(value.items()))) == data


@pytest.mark.contract("AP-1")
@settings(max_examples=sweep(2000), deadline=None)
@given(values | st.floats(-2, 2) | st.sampled_from([1e-4, 9e-5, 1e15, 1e16, 1.5e16, 0.1 + 0.2, -0.0, 1.0, 123456.789]))
def test_the_quick_way_writes_what_the_slow_way_writes(value: object) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [*map(chr, range(0x21)), "\x7f", "\u2028", "\\", '"', "/", "\U0001f600", "\ufffe"])
def test_the_quick_way_escapes_as_the_slow_way_does(text: str) -> None:
    assert canonical_bytes({"a": text, text: [text]}) == rfc8785.dumps({"a": text, text: [text]})


@pytest.mark.contract("AP-1")
@settings(max_examples=sweep(1000), deadline=None)
@given(objects, st.sampled_from(["indent", "space", "newline", "ascii", "twice", "bom"]))
def test_other_spellings_of_the_same_value_are_refused(value: dict[str, object], how: str) -> None:
    data = canonical_bytes(value)
    spelled = {
        "indent": json.dumps(json.loads(data), indent=1).encode() if value else b"{ }",
        "space": b" " + data,
        "newline": data + b"\n",
        "ascii": json.dumps(json.loads(data), ensure_ascii=True, separators=(" ,", ": ")).encode() + b" ",
        "twice": data + data,
        "bom": b"\xef\xbb\xbf" + data,
    }[how]
    with pytest.raises((NotCanonical, NotJson)):
        parse_canonical(spelled)


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"a":1',
        b"[]",
        b"1",
        b"null",
        b'"text"',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":-Infinity}',
        b'{"a":1e999}',
        b'{"a":-1e999}',
        b'{"a":1,"a":1}',
        b'{"b":{"a":1,"a":2}}',
        b'{"a":1}{"a":1}',
        b'{"a":"\xff"}',
        b"\xef\xbb\xbf{}",
        '{"a":1}'.encode("utf-16"),
        b"<!DOCTYPE html><html></html>",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a":' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_not_one_json_object_is_refused_without_being_quoted(data: bytes) -> None:
    with pytest.raises(NotJson) as refusal:
        parse_json_object(data)
    assert "html" not in str(refusal.value)
    assert len(str(refusal.value)) < 200


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize("data", [b"{}", b' {"a" : 1.5e3}\n', b'{"a":{"b":1},"c":{"b":1}}', '{"é":"é"}'.encode()])
def test_one_json_object_in_any_spelling_is_read(data: bytes) -> None:
    assert parse_json_object(data) == json.loads(data)


@pytest.mark.contract("AP-1")
@pytest.mark.parametrize("value", [math.nan, math.inf, 2**53, {1: 2}, "\ud800", object(), b"bytes"])
def test_what_json_cannot_hold_exactly_has_no_canonical_form(value: object) -> None:
    with pytest.raises(NotCanonical):
        canonical_bytes({"a": value})


def test_lines_are_canonical_and_each_ends_with_one_newline() -> None:
    assert canonical_lines([{"b": 1, "a": 2}, {}]) == b'{"a":2,"b":1}\n{}\n'
    assert canonical_lines([]) == b""


def test_a_digest_is_lowercase_hex_of_sha256() -> None:
    assert sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
