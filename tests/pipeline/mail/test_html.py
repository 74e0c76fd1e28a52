"""HTML: what is seen, what is hidden, where links go; bounded whatever the markup."""

import time
from itertools import product

import pytest
from hypothesis import given, settings
from selectolax.lexbor import LexborHTMLParser

from pipeline.mail import html, style
from pipeline.mail.html import Link, read_html
from pipeline.mail.sheet import read_sheet
from tests.strategies.mail import html_texts, texts
from tests.sweeps import sweep


@pytest.mark.parametrize(
    "markup",
    [
        '<div style="display:none">SECRET</div>',
        '<div style="DISPLAY : NONE !important">SECRET</div>',
        '<div style="color:red;/* x */display:none">SECRET</div>',
        '<div style="visibility:hidden">SECRET</div>',
        '<div style="font-size:0">SECRET</div>',
        '<div style="font-size:1px">SECRET</div>',
        '<div style="font-size:0.01em">SECRET</div>',
        '<div style="opacity:0">SECRET</div>',
        '<div style="opacity: 0.01">SECRET</div>',
        '<div style="color:#fff">SECRET</div>',
        '<div style="color:white">SECRET</div>',
        '<div style="color:rgb(255, 255, 255)">SECRET</div>',
        '<div style="color:#fefefe">SECRET</div>',
        '<div style="color:transparent">SECRET</div>',
        '<div style="color:rgba(0,0,0,0)">SECRET</div>',
        '<div style="color:#00000000">SECRET</div>',
        '<font color="white">SECRET</font>',
        '<font color="#FFFFFF">SECRET</font>',
        '<table bgcolor="#000000"><tr><td><font color="black">SECRET</font></td></tr></table>',
        '<div style="background:#123456"><p style="color:#123456">SECRET</p></div>',
        '<div style="background-color:#123456;color:#123457">SECRET</div>',
        "<div hidden>SECRET</div>",
        '<div style="max-height:0;overflow:hidden">SECRET</div>',
        '<div style="height:0px;overflow:hidden">SECRET</div>',
        '<div style="text-indent:-9999px">SECRET</div>',
        '<div style="display:none"><b style="display:block">SECRET</b></div>',
        '<div style="display:none"><p style="display:none">SE<i style="font-size:0">CRET</i></p></div>',
        "<style>.gone { display: none }</style><p class=gone>SECRET</p>",
        "<style>/* a */ #gone, b { font-size:0 }</style><p id=gone>SECRET</p>",
    ],
)
def test_invisible_text_is_hidden_text(markup: str) -> None:
    found = read_html(f"<p>Seen</p>{markup}<p>too</p>")
    assert found.visible.split() == ["Seen", "too"]
    assert found.hidden.replace(" ", "") == "SECRET"
    assert found.defects == ()


NONE: str = "<style>.a { display: none }"
DARK: str = "<style>.h { background-color: #003366 }</style>"


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    "markup",
    [
        # The ground is named in the sheet, by a browser or by a picture.
        '<style>.btn { background: #0a7a4a }</style><a class=btn style="color:#ffffff">SHOWN</a>',
        f'{DARK}<table class=h><tr><td style="color:#fff">SHOWN</td></tr></table>',
        f"{DARK}<table class=h><tr><td><font color=#ffffff>SHOWN</font></td></tr></table>",
        '<style>body { background: url(x.png) }</style><p style="color:#fff">SHOWN</p>',
        '<style>@media screen { body { background: #111 } }</style><p style="color:#fff">SHOWN</p>',
        '<button style="color:#fff">SHOWN</button>',
        '<p style="background-color:#fff;background:#000;color:#fff">SHOWN</p>',
        '<style>.w { color: #000 !important }</style><p class=w style="color:#fff">SHOWN</p>',
        '<style>.w { color: #000 }</style><div style="color:#fff"><p class=w>SHOWN</p></div>',
        '<p style="color:transparent;text-shadow:0 0 0 #000">SHOWN</p>',
        '<p style="color:transparent;-webkit-text-fill-color:#000">SHOWN</p>',
        # Another rule, the element itself or another screen shows it.
        f'{NONE}</style><p class=a style="display:block">SHOWN</p>',
        f"{NONE} .a {{ display: block }}</style><p class=a>SHOWN</p>",
        f"{NONE} p.a {{ display: table-cell }}</style><p class=a>SHOWN</p>",
        f"{NONE} @media screen {{ .a {{ display: block !important }} }}</style><p class=a>SHOWN</p>",
        f"{NONE} @media screen {{ [class] {{ display: block }} }}</style><p class=a>SHOWN</p>",
        f"{NONE} .a {{ d\\69splay: block }}</style><p class=a>SHOWN</p>",
        f"{NONE} .a {{ all: unset }}</style><p class=a>SHOWN</p>",
        f"<style>@import url(x.css);</style>{NONE}</style><p class=a>SHOWN</p>",
        f"{NONE}{'.b { color: red }' * 5_000}</style><p class=a>SHOWN</p>",
        '<style>.m { display: block !important }</style><p class=m style="display:none">SHOWN</p>',
        '<style>.m { opacity: 1 !important }</style><p class=m style="opacity:0">SHOWN</p>',
        "<style>.v { visibility: visible }</style><div style='visibility:hidden'><p class=v>SHOWN</p></div>",
        "<style>.v { font: 16px Arial }</style><div style='font-size:0'><p class=v>SHOWN</p></div>",
        "<style>.z { font-size: 0 }</style><div class=z><p style='font-size:14px'>SHOWN</p></div>",
        '<p hidden style="display:block">SHOWN</p>',
        "<style>.f { display: flex }</style><p hidden class=f>SHOWN</p>",
        # The last declaration does not always win.
        '<p style="display:block !important;display:none">SHOWN</p>',
        '<p style="opacity:0;opacity:1 !important;opacity:0">SHOWN</p>',
        '<p style="font-size:0;font:16px Arial">SHOWN</p>',
        '<p style="display:none;d\\69splay:block">SHOWN</p>',
        f'<p style="display:none;{"x:y;" * 1_000}display:block">SHOWN</p>',
        '<p style="opacity:0;animation:show 1s forwards">SHOWN</p>',
        # Cells and words in a line do not shrink.
        '<table><tr><td style="width:1%;overflow:hidden;white-space:nowrap">SHOWN</td></tr></table>',
        '<table><tr><td style="height:1px;overflow:hidden">SHOWN</td></tr></table>',
        '<div style="width:1%;overflow:hidden">SHOWN</div>',
        '<span style="overflow:hidden;height:0">SHOWN</span>',
        '<a style="overflow:hidden;width:0">SHOWN</a>',
        '<div style="width:1px;min-width:600px;overflow:hidden">SHOWN</div>',
        '<div style="height:0;padding-bottom:40px;overflow:hidden">SHOWN</div>',
        '<span style="text-indent:-9999px">SHOWN</span>',
        '<style>.t { height: auto !important }</style><div class=t style="height:0;overflow:hidden">SHOWN</div>',
        # Units and values that are none.
        '<p style="font-size:1pc">SHOWN</p>',
        '<p style="font-size:.2in">SHOWN</p>',
        '<p style="font-size:0.4cm">SHOWN</p>',
        '<p style="font-size:16px;font-size:0xx">SHOWN</p>',
        '<p style="font-size:16px;font-size:0 px">SHOWN</p>',
        '<p style="opacity:0px">SHOWN</p>',
        # What only some mail programs hide.
        '<p style="position:absolute;left:-9999px">SHOWN</p>',
        '<p style="position:absolute;left:-1000px;right:0;margin-left:1000px">SHOWN</p>',
        '<p style="mso-hide:all;max-height:0px">SHOWN</p>',
        '<div style="font-size:0"><font size=4>SHOWN</font></div>',
        '<div style="font-size:0"><table><tr><td>SHOWN</td></tr></table></div>',
    ],
)
def test_what_may_be_seen_is_read_by_the_rules(markup: str) -> None:
    assert read_html(f"<p>Dear Mara</p>{markup}").visible.split() == ["Dear", "Mara", "SHOWN"]


@pytest.mark.contract("JU-8")
@pytest.mark.parametrize(
    "markup",
    [
        '<p style="position:absolute;left:-9999px">SECRET</p>',
        '<style>.btn { background: #0a7a4a }</style><p style="color:#ffffff">SECRET</p>',
        f"{NONE} @media print {{ .b {{ display: block }} }}</style><p class=a>SECRET</p>",
        '<style>.m { display: block !important }</style><p style="display:none">SECRET</p>',
        '<span style="overflow:hidden;height:0">SECRET</span>',
    ],
)
def test_what_looks_hidden_is_so_to_the_screen_also_where_the_rules_read_it(markup: str) -> None:
    assert read_html(markup).hidden == "SECRET"


@pytest.mark.parametrize(
    "markup",
    [
        "<p>SHOWN</p>",
        '<p style="color:#333">SHOWN</p>',
        '<p style="font-size:12px">SHOWN</p>',
        '<td style="font-size:0"><div style="font-size:14px">SHOWN</div></td>',
        '<table bgcolor="#000"><tr><td style="color:#fff">SHOWN</td></tr></table>',
        '<div style="background:url(x.png)"><p style="color:#fff">SHOWN</p></div>',
        '<div style="background-image:linear-gradient(red,blue);color:white">SHOWN</div>',
        '<div background="x.png"><font color=white>SHOWN</font></div>',
        '<div style="color:#fff"><p style="color:#000">SHOWN</p></div>',
        '<div style="max-height:0">SHOWN</div>',
        '<div style="opacity:0.9">SHOWN</div>',
        '<div style="color:rgba(0,0,0,0.87)">SHOWN</div>',
        '<div style="visibility:visible">SHOWN</div>',
        "<style>@media (max-width:600px) { .small { display:none } }</style><p class=small>SHOWN</p>",
        "<style>@media print { .b { color:red } .small { display:none } }</style><p class=small>SHOWN</p>",
        "<style>.x { color: #000 }</style><p class=x>SHOWN</p>",
        '<body style="display:none">SHOWN</body>',
        '<img alt="SHOWN" src="x.png">',
    ],
)
def test_what_a_person_sees_is_not_called_hidden(markup: str) -> None:
    found = read_html(markup)
    assert found.visible.split() == ["SHOWN"]
    assert found.hidden == ""


def test_comments_scripts_and_sheets_are_neither_seen_nor_hidden() -> None:
    found = read_html(
        "<title>t</title><!-- c --><script>s</script><style>b{}</style><p>only</p><!--[if mso]>m<![endif]-->"
    )
    assert (found.visible.strip(), found.hidden) == ("only", "")


def test_links_carry_what_they_show_and_where_they_go() -> None:
    found = read_html(
        '<a href=" https://x.test/a ">my <b>bank</b></a><a name=n>no</a>'
        '<form action="http://f.test"><a href="">e</a></form>'
    )
    assert found.links == (Link("my bank", "https://x.test/a"), Link("", "http://f.test"))


def test_links_and_their_texts_are_capped() -> None:
    found = read_html(f'<a href="http://x.test/{"y" * 9_000}">{"t" * 9_000}</a>' + "<a href=u>t</a>" * 900)
    assert len(found.links) == html.MAX_LINKS
    assert len(found.links[0].href) == html.MAX_HREF_CHARACTERS
    assert len(found.links[0].text) == html.MAX_LINK_TEXT


HOSTILE = {
    "nested": ("<div>" * 50_000, "html_too_deep"),
    "nested-styled": ('<div style="font-size:0">' * 10_000, "html_too_deep"),
    "attributes": ("<p " + " ".join(f"a{n}=1" for n in range(30_000)) + ">x", "html_attributes"),
    "attributes-quoted": ("<p " + " ".join(f'a{n}=">"' for n in range(20_000)) + ">x", "html_attributes"),
    "attributes-slashes": ("<p" + "".join(f"/a{n}" for n in range(30_000)) + ">x", "html_attributes"),
    "attributes-equals": ("<p" + "".join(f" =a{n}" for n in range(30_000)) + ">x", "html_attributes"),
    "large": ("x" * (html.MAX_HTML_CHARACTERS + 1), "html_over_cap"),
    "less-than": ("<" * 260_000, None),
    "ampersands": ("&" * 260_000, None),
    "open-comments": ("<!--" * 60_000, None),
    "open-quotes": ('<a b="' * 40_000, "html_too_deep"),
    "hidden-siblings": ('<p style="display:none">x</p>' * 8_000, None),
    "white-siblings": ('<p style="color:#fff">x</p>' * 9_000, None),
    "hidden-towers": (('<div style="display:none">' * 150 + "x" + "</div>" * 150) * 40, None),
    "zero-towers": (('<div style="font-size:0">' * 190 + "x" + "</div>" * 190) * 30, None),
    "selectors": (
        "<style>" + "".join(f".c{n}{{display:none}}" for n in range(4_000)) + "</style>" + "<b class=x>y</b>" * 9_000,
        None,
    ),
    "open-sheet-comments": (f"<style>{'/* ' * 80_000}</style><p>x", None),
    "declared": (f"<style>a{{{'color:' * 40_000}}}</style><p style='color:#fff'>x", None),
    "spaced": (f"<style>a{{color{' ' * 200_000}:red}}</style><p>x", None),
    "line-breaks": ("x<br>" * 50_000, None),
    "kept-lines": (("<pre>\n" * 150 + "</pre>" * 150) * 130, None),
    "kinds": ("".join(f"<k{n}>x</k{n}>" for n in range(15_000)), None),
    "apart": ("<b style='display:block'>x</b>" * 8_000, None),
    "indented": (('<div style="text-indent:-999px">' * 190 + "x" + "</div>" * 190) * 30, None),
    "formatting": ("<b>" * 150 + "<p>x" * 20_000, None),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.contract("EV-7")
def test_hostile_markup_is_bounded(name: str) -> None:
    markup, defect = HOSTILE[name]
    started = time.process_time()
    found = read_html(markup[: html.MAX_HTML_CHARACTERS + 1])
    assert time.process_time() - started < 3.0
    assert found.defects == ((defect,) if defect else ())


def test_over_a_cap_the_text_is_still_read_as_visible() -> None:
    found = read_html("<div>" * 300 + "interview" + "</div>" * 300)
    assert found.visible == "interview"


@given(html_texts())
@settings(max_examples=sweep(3_000), deadline=None)
@pytest.mark.contract("EV-7")
def test_any_markup_is_read_twice_alike(markup: str) -> None:
    found = read_html(markup)
    assert found == read_html(markup)
    found.visible.encode("utf-8", "surrogatepass")


@given(texts(30))
@settings(max_examples=sweep(1_000), deadline=None)
def test_any_style_is_judged(text: str) -> None:
    for value in (
        text,
        f"color:{text}",
        f"font-size:{text}",
        f"background:{text}",
        f"opacity:{text};max-height:{text};overflow:hidden",
    ):
        assert style.hides_subtree(value) in (True, False)
        assert style.hides_text(value) in (True, False)
        style.background(value)
        style.text_colour(value)
    read_sheet(text + "{display:none}" + text)


@pytest.mark.parametrize(
    ("value", "colour"),
    [("#FFF", (255, 255, 255)), ("#123456", (18, 52, 86)), ("red", (255, 0, 0)), ("rgb(1,2,3)", (1, 2, 3)),
     ("rgba(1 2 3 / 1)", (1, 2, 3)), ("ffffff", (255, 255, 255)),
     ("#abcd", (170, 187, 204)), ("nonsense", None), ("", None)],
)  # fmt: skip
def test_colours_are_read_in_their_usual_spellings(value: str, colour: tuple[int, int, int] | None) -> None:
    assert style.parse_colour(value) == colour


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize("tag", ["b", "span", "a", "font", "i", "strong", "wbr"])
def test_a_word_split_by_inline_markup_is_still_one_word(tag: str) -> None:
    assert read_html(f"<p>inter<{tag}>view</{tag}> on Friday</p>").visible.split()[0] == "interview"


def test_blocks_and_cells_still_end_a_word() -> None:
    text = read_html("<table><tr><td>inter</td><td>view</td></tr></table><p>one</p><p>two</p>a<br>b").visible
    assert text.split() == ["inter", "view", "one", "two", "a", "b"]


A, B = "See you", "Privacy"


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    "markup",
    [f"<{tag}>{A}</{tag}><{tag}>{B}</{tag}>" for tag in ("p", "div", "h1", "h6", "blockquote", "section", "center")]
    + [
        f"<h2>{A}</h2>{B}",
        f"<div>{A}</div><a href=u>{B}</a>",
        f"<div>{A}<div>{B}</div></div>",
        f"<a href=u><div>{A}</div></a><span>{B}</span>",
        f"<table><tr><td>{A}</td><td>{B}</td></tr></table>",
        f"<table><tr><th>{A}<tr><td>{B}</table>",
        f"<ul><li>{A}<li>{B}</ul>",
        f"<dl><dt>{A}<dd>{B}</dl>",
        f"{A}<hr>{B}",
        f"{A}<br><br>{B}",
        f"{A}<br>{B}",
        f"<select><option>{A}<option>{B}</select>",
        f"<pre>{A}\n\n{B}</pre>",
        f'<p style="WHITE-SPACE: pre-line"><b>{A}\n\n{B}</b></p>',
        f"<style>.m {{white-space:pre-wrap}}</style><p class=m>{A}\n\n{B}</p>",
        f'<p>{A}</p><img alt="{B}" src=x>',
        f'<span style="display:block">{A}</span><span>{B}</span>',
        f"<style>@media screen {{ .b {{ display: table-cell }} }}</style><span class=b>{A}</span><span>{B}</span>",
    ],
)
def test_what_stands_apart_on_the_page_is_no_one_sentence(markup: str) -> None:
    """A long line of text goes on in the next one: only a blank line between keeps a footer off a heading."""
    assert read_html(markup).visible.strip() == f"{A}\n\n{B}"


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize(
    "markup",
    [
        f"{A} {B}",
        f"{A}\n    {B}",
        f"<p>{A}\n{B}</p>",
        *(
            f"<p>{A} <{tag}>{B}</{tag}></p>"
            for tag in ("b", "a", "span", "font", "u", "o:p", "st1:city", "x-y", "label", "q")
        ),
        f"<p>{A}<img src=x width=1 height=1>{B}</p>",
        f'<p>{A} <span style="display:none">unseen</span>{B}</p>',
        f"<p>{A}<!-- unseen --> {B}</p>",
        f'<p style="white-space:nowrap">{A}\n{B}</p>',
    ],
)
def test_what_runs_on_is_one_sentence(markup: str) -> None:
    assert read_html(markup).visible == f"{A} {B}"


def test_a_line_break_of_the_page_is_one_of_text_where_the_sentence_goes_on() -> None:
    assert read_html("<p>See you<br>on Friday<br></p><p>Privacy</p>").visible == "See you\non Friday\n\nPrivacy"
    assert read_html("<p>See you on<br>Friday<br> 10 h</p>").visible == "See you on\n\nFriday\n\n10 h"


def test_a_rule_for_a_name_that_is_none_hides_nothing() -> None:
    """Browsers drop such a rule: what it names is seen, and the page is no less readable for it."""
    found = read_html("<style>.1a, .b { display: none }</style><p class=1a>seen</p><p class=b>unseen</p>")
    assert (found.visible.strip(), found.hidden, found.defects) == ("seen", "unseen", ())


def test_the_parser_takes_every_selector_that_hides() -> None:
    tree = LexborHTMLParser("<p>x</p>")
    for size in range(1, 5):
        for letters in product("aZ0_-.#", repeat=size):
            for selector in read_sheet(f"{''.join(letters)} {{ display: none }}").hiding:
                assert tree.css(selector) == []
