"""Untrusted text is shown inert: one line, nothing invisible, no formula, no markup."""

import csv
import io
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.untrusted import columns, show, show_csv, show_html
from tests.strategies.mail import texts
from tests.sweeps import sweep

PAYLOADS = st.builds(
    lambda before, attack, after: before + attack + after,
    texts(8),
    st.sampled_from(
        [
            "\x1b[2J", "\x1b]0;title\x07", "\x1b]8;;http://x.test\x1b\\a", "\x9b31m", "\x90q\x9c",
            "\x1bP+q\x1b\\", "\r", "\n", "\x08\x08",
            "\x7f", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\u0085", "[/bold]", "[link=x]",
            "<script>", "<img onerror=x>", "&amp;", '" onload="',
            "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "|cmd", "%00", "\ud800", "\U000e0041",
            "\u0301" * 50, "\x00", "\u115f", "\u2800",
        ]
    ),
    texts(8),
)  # fmt: skip


def is_inert(line: str) -> bool:
    """Every character takes ink or is a plain space, and no pile of marks is high."""
    marks = 0
    for character in line:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if not character.isprintable() or marks > 4:
            return False
    return True


@given(PAYLOADS, st.none() | st.integers(0, 30))
@settings(max_examples=sweep(5_000), deadline=None)
@pytest.mark.contract("OU-3")
def test_no_payload_reaches_a_terminal(payload: str, width: int | None) -> None:
    line = show(payload, width)
    assert is_inert(line)
    line.encode("utf-8")
    assert width is None or columns(line) <= width
    assert show(line) == line


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@given(PAYLOADS)
@settings(max_examples=sweep(5_000), deadline=None)
@pytest.mark.contract("OU-3")
def test_no_payload_becomes_markup(payload: str) -> None:
    shown = show_html(payload)
    seen = _Seen()
    seen.feed(f'<p title="{shown}">{shown}</p>')
    seen.close()
    assert seen.tags == [("p", [("title", show(payload))])]
    assert "".join(seen.text) == show(payload)
    assert is_inert(shown)


@given(PAYLOADS)
@settings(max_examples=sweep(5_000), deadline=None)
@pytest.mark.contract("OU-3")
def test_no_payload_becomes_a_formula(payload: str) -> None:
    out = io.StringIO()
    csv.writer(out).writerow([show_csv(payload), "end"])
    ((cell, end),) = csv.reader(io.StringIO(out.getvalue()))
    assert end == "end" and is_inert(cell)
    assert cell.lstrip(" ")[:1] not in tuple("=+-@|%＝＋－＠\t\r")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"),
        ("a\nb", "a\\nb"),
        ("a\tb", "a b"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202eevil", "\\u202eevil"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("❤\ufe0f", "❤"),
        ("a\u115f\u2800\u034f\u3164\ufe00b", "a\\u115f\\u2800\\u034f\\u3164\\ufe00b"),
        ("héllo 日本", "héllo 日本"),
        ("a\u00a0b", "a b"),
    ],
)
def test_what_was_there_is_seen(text: str, line: str) -> None:
    assert show(text) == line


@pytest.mark.parametrize(
    ("width", "line"), [(10, "日本語"), (6, "日本語"), (5, "日本…"), (4, "日…"), (1, "…"), (0, "")]
)
def test_a_line_is_cut_by_columns_not_characters(width: int, line: str) -> None:
    assert show("日本語", width) == line


@pytest.mark.parametrize("text", ["=1", " =1", "+1", "-1", "@x", "\t=1", "\u00a0=1", "\u200b=1", "'=1", "＝1"])
def test_a_cell_never_begins_a_formula(text: str) -> None:
    assert show_csv(text)[:1] in ("'", "\\")
