"""What was made fast says what the plain spelling says: on words of many languages, on hostile text, on markup."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.judge import legibility
from pipeline.mail import address, body, html, hypothetical, languages, matcher, retold
from pipeline.mail.address import read_addresses, read_sender
from pipeline.mail.address_scan import split_list
from tests.reference import reading
from tests.strategies.mail import from_values, html_texts, texts
from tests.sweeps import sweep

WORDS = (
    *(
        "we",
        "you",
        "your",
        "application",
        "it's",
        "l\u2019offre",
        "vi",
        "vill",
        "g\u00e4rna",
        "och",
        "iPhone",
        "WE",
        "ARE",
    ),
    *(
        "\u043f\u0440\u0438\u0432\u0435\u0442",
        "na\u00efve",
        "\u0142",
        "rock'n'roll",
        "'tis",
        "a.b",
        "x@y.example",
        "C++",
    ),
    *(
        "3rd",
        "https://a.example/b",
        "e.g.",
        "...",
        "-",
        "\u2013",
        "\u2014",
        ":",
        "|",
        "\u2022",
        "!?",
        ".\n",
        "\n",
        "\u3002",
    ),
    *(
        "inter-\nview",
        "int3rview",
        "1nterview",
        "w@nted",
        "4ever",
        "o\u00adf\u00adfer",
        "a_b",
        "\x00",
        "\u2028",
        "\t",
        "`",
    ),
)


def prose() -> st.SearchStrategy[str]:
    """Words of several languages and what stands between them, with any gaps."""
    piece = st.one_of(st.sampled_from(WORDS), st.sampled_from(WORDS), texts(4))
    gaps = st.sampled_from((" ", " ", " ", "", "\n", "  ", "\u00a0"))
    return st.lists(st.tuples(piece, gaps), max_size=24).map(lambda found: "".join(a + b for a, b in found))


@given(prose())
@settings(max_examples=sweep(10_000), deadline=None)
def test_a_language_is_foreign_for_both_spellings(text: str) -> None:
    assert languages.is_foreign(text) == reading.is_foreign(text)


@given(prose())
@settings(max_examples=sweep(5_000), deadline=None)
def test_a_text_is_mostly_foreign_for_both_spellings(text: str) -> None:
    assert languages.is_mostly_foreign(text) == reading.is_mostly_foreign(text)


LIKELY = (
    "if",
    "IF",
    "shortlisted",
    "des que",
    "des",
    "que",
    "x",
    "may",
    "d\u00e8s que",
    "hear\u00ad",
    "1",
    "_",
    "\x00",
    "\x1f",
)


@given(st.lists(st.sampled_from((*LIKELY, " ", " ", "\n", "")), max_size=12).map("".join))
@settings(max_examples=sweep(5_000), deadline=None)
def test_words_of_what_would_happen_stand_in_both_spellings(text: str) -> None:
    assert hypothetical._is_likely(text) == (hypothetical._LIKELY.search(hypothetical._plain(text)) is not None)


@given(
    st.lists(
        st.sampled_from(("i", "n", "v", "ab", "7", " ", ".", "-", "_", "*", "\n", "  ", "?", "\u00b7")), max_size=24
    ).map("".join)
)
@settings(max_examples=sweep(10_000), deadline=None)
def test_letters_set_apart_are_seen_by_both_spellings(text: str) -> None:
    assert legibility._is_set_apart(text) == (legibility._APART.search(text) is not None)


CLAUSES = (
    *("if we find a match", "if your application is selected", "shortlisted candidates", "those who are chosen"),
    *("we will contact you", "you do not hear from us", "on Monday", "at 10:30", "please reply", "tell us", "privacy"),
    *("an equal opportunity employer", "we have decided", "you are", "your interview", "si votre candidature"),
    *("be in touch with you", "may be asked", "unfortunately", "?", "the process takes", "and", "in error"),
)


@given(st.lists(st.sampled_from(CLAUSES), max_size=5).map(" ".join))
@settings(max_examples=sweep(10_000), deadline=None)
def test_what_would_happen_is_told_in_either_order(sentence: str) -> None:
    assert hypothetical.is_hypothetical(sentence) == reading.is_hypothetical(sentence)


@pytest.mark.parametrize("text", ["i n v i t", "x i.n.v.i.t.e y", "a_b_c_d_e", "i - n - v - i - t"])
def test_letters_set_apart_are_set_apart(text: str) -> None:
    assert legibility._is_set_apart(text)


@given(prose())
@settings(max_examples=sweep(5_000), deadline=None)
def test_other_wordings_are_found_by_both_spellings(text: str) -> None:
    seen = f"{text}\n"
    expected = "\n".join(dict.fromkeys([*reading.joined(seen), *reading.spelled(seen)]))
    assert retold.also_says(body.Body(text=text)) == expected


@given(prose())
@settings(max_examples=sweep(5_000), deadline=None)
def test_markers_meet_the_same_text(text: str) -> None:
    assert matcher.plain(text) == reading.plain(text)


ACTION = ("interview", "wanted", "we are", "application", "reply by", "it's")
HARMLESS = ("your application", "we are you", "application it's", "in")
PIECES = (
    "interview",
    "inter",
    "view",
    "views",
    "applica",
    "tion",
    "we",
    "are",
    "you",
    "your",
    "application",
    "it's",
    "in",
)


@given(st.lists(st.sampled_from((*PIECES, " ", "\n", "\u00a0", "\u2019s", "-", "x")), max_size=14).map(" ".join))
@settings(max_examples=sweep(5_000), deadline=None)
def test_action_words_are_those_of_three_plain_passes(text: str) -> None:
    markers = [matcher.Marker("action", "asks", "body", word, word) for word in ACTION]
    markers += [matcher.Marker("harmless", "no", "body", phrase, phrase) for phrase in HARMLESS]
    found = matcher.Matcher(markers).hits(matcher.Probe(read_sender([]), body=text))
    assert {hit.marker for hit in found} == reading.asked(text, ACTION, HARMLESS)
    assert list(found) == sorted(found)


class _Everything(html._Contents):
    """Markup that may hold anything: every step of the reader is taken."""

    def some(self, tags: Iterable[str]) -> list[str]:
        """All of them."""
        return list(tags)

    def says(self, word: str) -> bool:
        """Yes."""
        return True


ODD = (
    *(
        "<IMG src=x>",
        "<image src=x width=1>",
        "<svg><A href=u>t</a>",
        "<bdo dir=rtl>",
        "<td BACKGROUND=x>",
        "<p HIDDEN>",
    ),
    *(
        "<p style='direction:rtl;unicode-bidi:bidi&#45;override'>",
        "<b style='background:url&lpar;x)'>",
        "<input VALUE=v>",
    ),
    *("<head style='a:url(x)' title=t>", "<meta title=t>", "<svg><wbr>in", "<p title = 't'>", "<form ACTION=x>", "<a>"),
)


@given(st.lists(st.one_of(st.sampled_from(ODD), html_texts()), max_size=6).map("".join))
@settings(max_examples=sweep(10_000), deadline=None)
def test_nothing_is_missed_where_the_markup_seems_to_lack_it(markup: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        found = html.read_html(markup)
        everything = _Everything(markup, html._contents(markup).tags | {"br", "img", "input", "pre", "wbr", "b"})
        patched.setattr(html, "_contents", lambda text: everything)
        patched.setattr(html, "_is_notable", lambda cut, sheet: True)
        assert found == html.read_html(markup)


@given(from_values())
@settings(max_examples=sweep(2_000), deadline=None)
def test_a_remembered_list_is_the_list_that_is_read_anew(value: str) -> None:
    parts = tuple(read_sender([part]) for part in split_list(value))
    assert read_addresses([value]) == parts == read_addresses([value])


NAMES = (
    "Ann Lee",
    "O'Neil & Co.",
    '"Lee, Ann"',
    '"a (b) c"',
    '"a\\"b"',
    '"x@y.example"',
    '"=?utf-8?q?a?="',
    "=?utf-8?q?a?=",
    "(c)",
    "Ann,",
    "a:b;",
    "\u00c9",
    "",
    " ",
    "\t",
    '""',
    '"',
    "<",
    "\uff20",
)
ADDRESSES = (
    "ann@vendor.example",
    "A.B+c@GMAIL.com",
    "<ann@vendor.example>",
    "<ann@vendor.example >",
    "<@x.example>",
    "<a@b>",
    "<a@-b.example>",
    "a@b.",
    "<a@1.2.3.4>",
    "<>",
    "x",
    "<a@b.example><c@d.example>",
    ".@x.example",
    "<a@b@c>",
)


@given(st.lists(st.sampled_from((*NAMES, *ADDRESSES, " ", " ")), max_size=5).map("".join) | from_values())
@settings(max_examples=sweep(10_000), deadline=None)
def test_a_plain_sender_is_what_the_whole_reader_says(value: str) -> None:
    found = address._read_plain(value)
    assert found is None or found == address._read_field(value)


def test_most_senders_are_plain() -> None:
    for value in ("Ann Lee <ann@vendor.example>", '"Lee, Ann (HR)" <ann@vendor.example>', "ann@vendor.example"):
        assert address._read_plain(value) == address._read_field(value)
