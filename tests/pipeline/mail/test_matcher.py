"""The one matcher: whole words, whole addresses, whole domains; and no substring of a domain, ever."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.mail.address import Sender, read_sender
from pipeline.mail.fold import fold
from pipeline.mail.matcher import (
    Hit,
    Marker,
    Matcher,
    Probe,
    Role,
    matches_domain,
    matches_sender,
    sender_marker_problem,
)
from tests.reference.decide import has
from tests.strategies.case_files import case_json, case_toml
from tests.strategies.mail import texts
from tests.sweeps import sweep

MARKER_TEXTS = (
    *(
        "jobly",
        "jobly alerts",
        "alerts jobly",
        "a@jobly.example",
        "A@JOBLY.example",
        "a@@x",
        "jobly.example",
        "example",
    ),
    *(".jobly.example", ".example", "mail.jobly.example", "", " ", ".", "@", "J\u00f2bly", "a b c"),
)
SENDER_TEXTS = (
    *("Jobly Alerts <a@jobly.example>", "x <jobly@mail.jobly.example>", "Alerts Jobly Alerts <A@JOBLY.EXAMPLE>", "J"),
    *("a@example", "jobly.alerts@b.example", "", "a@jobly.example <a@evil.test>", "a b a b c <a@x.example>"),
)
ANYONE = read_sender(["Someone <x@y.example>"])


@pytest.mark.parametrize(
    ("marker", "sender", "means"),
    [
        ("jobly", "Jobly Alerts <no-reply@mail.example>", True),
        ("jobly", "J\u00f2bly <no-reply@mail.example>", True),
        ("jobly", "Jo\u200bbly <no-reply@mail.example>", True),
        ("jobly", "no-reply.jobly@mail.example", True),
        ("jobly", "Joblyish <no-reply@mail.example>", False),
        ("jobly", "no-reply@jobly.example", False),
        ("jobly alerts", "The Jobly Alerts <a@b.example>", True),
        ("jobly alerts", "Alerts of Jobly <a@b.example>", False),
        ("jobly alerts", "Jobly <alerts@b.example>", False),
        ("news@jobly.example", "Jobly <NEWS@JOBLY.example>", True),
        ("news@jobly.example", "Jobly <good-news@jobly.example>", False),
        ("news@jobly.example", "news@jobly.example <x@evil.test>", False),
        ("jobly.example", "x@jobly.example", True),
        ("jobly.example", "x@mail.jobly.example", False),
        ("jobly.example", "x@notjobly.example", False),
        (".jobly.example", "x@mail.jobly.example", True),
        (".jobly.example", "x@jobly.example", True),
        (".jobly.example", "x@notjobly.example", False),
        (".jobly.example", "x@jobly.example.evil.test", False),
        ("jobly", "Jobly <a@x.example>, Other <b@y.example>", False),
        ("jobly", "Jobly", False),
    ],
)
def test_sender_marker_means_the_whole_word_address_or_domain(marker: str, sender: str, means: bool) -> None:
    assert matches_sender(marker, read_sender([sender])) is means


@pytest.mark.parametrize(
    "marker", ["", "!!", "jobs@", "@jobly.example", "a@b@c", "acme inc.", "..", ".", "Jobs <a@b.example>"]
)
def test_sender_marker_that_means_nobody_is_a_problem(marker: str) -> None:
    assert sender_marker_problem(marker)


@pytest.mark.contract("JU-6")
def test_case_03_address_in_the_display_name_is_not_the_sender() -> None:
    (rule,) = case_toml("03", "rules.toml")["sender_rules"]
    headers = {h["name"]: h["value"] for h in case_json("03", "message.json")["payload"]["headers"]}
    sender = read_sender([headers["From"]])
    assert sender.domain == "drop-zone.example"
    assert not any(matches_domain("domain_equals", name, sender) for name in rule["domain_equals"])
    assert not matches_sender("alerts", sender)


@pytest.mark.contract("JU-6")
def test_case_56_domain_rule_never_matches_a_part() -> None:
    (rule,) = case_toml("56", "rules.toml")["sender_rules"]
    (name,) = rule["domain_equals"]
    senders = [read_sender([value]) for value in case_json("56", "senders.json")]
    assert [at for at, sender in enumerate(senders) if matches_domain("domain_equals", name, sender)] == [0, 4]
    assert [at for at, sender in enumerate(senders) if matches_domain("domain_under", name, sender)] == [0, 3, 4]


LABELS = st.text("abcdefghij0123456789", min_size=1, max_size=8)
DOMAINS = st.lists(LABELS, min_size=1, max_size=3).map(lambda labels: ".".join(labels) + ".example")
LOOK_ALIKES = st.sampled_from(
    [
        lambda name, other: other + name,
        lambda name, other: f"{other}-{name}",
        lambda name, other: f"{name}.{other}.test",
        lambda name, other: f"{name}{other}",
        lambda name, other: name[1:] if not name.startswith(".") and name[1] != "." else "z" + name,
        lambda name, other: name.replace(".example", f".{other}.example"),
        lambda name, other: name.replace(".", "-", 1) + f".{other}.test",
        lambda name, other: f"{other}.{name}",
    ]
)


@pytest.mark.contract("JU-6")
@given(DOMAINS, LABELS, LOOK_ALIKES)
@settings(max_examples=sweep(1000), deadline=None)
def test_no_look_alike_matches_a_domain_rule(name: str, other: str, build: object) -> None:
    look_alike = build(name, other)  # type: ignore[operator]  # one of the functions above
    if look_alike == name:
        return
    sender = Sender("Name", f"news@{look_alike}", look_alike)
    assert not matches_domain("domain_equals", name, sender)
    assert not matches_sender(name, sender)
    assert matches_domain("domain_under", name, sender) is look_alike.endswith("." + name)
    assert matches_domain("domain_equals", name, Sender("Name", f"news@{name}", name))


@pytest.mark.contract("JU-6")
@pytest.mark.parametrize(
    "values",
    [
        [],
        [""],
        ["Jobly"],
        ["a@jobly.example, b@jobly.example"],
        ["a@jobly.example", "a@jobly.example"],
        ["b@x.example <a@jobly.example>"],
    ],
)
def test_ambiguous_sender_matches_no_rule(values: list[str]) -> None:
    sender = read_sender(values)
    assert not matches_domain("domain_equals", "jobly.example", sender)
    assert not matches_domain("domain_under", "example", sender)
    assert not any(
        matches_sender(marker, sender) for marker in ("jobly", "a@jobly.example", "jobly.example", ".jobly.example")
    )


@pytest.mark.parametrize("hidden", ["\u00ad", "\u200b", "\u2060", "\u200d", "\ufeff", "\u202e"])
def test_invisible_characters_inside_a_word_hide_nothing(hidden: str) -> None:
    matcher = Matcher([Marker("action", "a", "text", "1", "interview")])
    assert matcher.hits(Probe(ANYONE, f"inter{hidden}view")) == matcher.hits(Probe(ANYONE, "", f"INTER{hidden}VIEW"))
    assert len(matcher.hits(Probe(ANYONE, f"inter{hidden}view"))) == 1


@pytest.mark.parametrize(
    ("marker", "text"),
    [("don't miss", "Don\u2019t miss"), ("take-home", "take\u2011home"), ("on-site", "ON\u2013SITE")],
)
def test_curly_quotes_and_dashes_are_those_of_a_keyboard(marker: str, text: str) -> None:
    assert Matcher([Marker("action", "a", "text", "1", marker)]).hits(Probe(ANYONE, text))


def test_field_of_a_marker_is_kept() -> None:
    markers = [Marker("pattern", field, field, "1", "digest") for field in ("subject", "body", "text")]  # type: ignore[arg-type]
    assert [hit.rule for hit in Matcher(markers).hits(Probe(ANYONE, "digest", ""))] == ["subject", "text"]
    assert [hit.rule for hit in Matcher(markers).hits(Probe(ANYONE, "", "digest"))] == ["body", "text"]


HARMLESS = [
    Marker("harmless", "harmless", "text", "1", "if you are selected for an interview"),
    Marker("harmless", "harmless", "text", "2", "interview tips"),
    Marker("action", "asks", "text", "1", "interview"),
    Marker("pattern", "talk", "text", "1", "interview"),
]


def test_harmless_phrase_covers_only_its_own_word() -> None:
    matcher = Matcher(HARMLESS)
    quiet = Probe(ANYONE, "", "You read that interview tips will follow.")
    loud = Probe(ANYONE, "", "Interview tips: your interview is on Monday.")
    assert [hit.role for hit in matcher.hits(quiet)] == ["pattern"]
    assert [hit.role for hit in matcher.hits(loud)] == ["action", "pattern"]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("interview tips", False),
        ("interview tips and interview tips", False),
        ("interview tips, your interview", True),
        ("your interview, interview tips", True),
        ("interview tips, your interview, interview tips", True),
        ("interview interview tips", True),
    ],
)
def test_word_before_between_and_after_harmless_phrases_counts(text: str, asks: bool) -> None:
    hits = Matcher(HARMLESS).hits(Probe(ANYONE, "", text))
    assert ("action" in {hit.role for hit in hits}) is asks


def test_sender_and_domain_markers_are_found_by_the_one_pass_too() -> None:
    markers = [
        Marker("rule", "a", "sender", "1", "someone"),
        Marker("rule", "b", "domain_equals", "1", "y.example"),
        Marker("rule", "c", "domain_under", "1", "example.org"),
        Marker("rule", "d", "domain_under", "2", "y.example"),
    ]
    assert [hit.rule for hit in Matcher(markers).hits(Probe(ANYONE))] == ["a", "b", "d"]
    assert Matcher(markers).hits(Probe(read_sender([]))) == ()


def test_cutting_a_harmless_phrase_joins_no_words() -> None:
    markers = [Marker("harmless", "h", "text", "1", "xx"), Marker("action", "a", "text", "1", "interview")]
    assert Matcher(markers).hits(Probe(ANYONE, "", "interxxview")) == ()


WORDS = ("interview", "view", "inter", "reply by", "C++", "(m/f/d)", "50% off!", "a|b", "\u00e9t\u00e9", "ss", "if")


@given(
    st.lists(st.sampled_from(WORDS), max_size=6, unique=True),
    st.lists(st.lists(st.one_of(st.sampled_from(WORDS), texts(3)), max_size=6).map("".join), max_size=4),
)
@settings(max_examples=sweep(2000), deadline=None)
def test_one_pass_over_many_equals_looking_for_each_word_in_each_mail(wanted: list[str], bodies: list[str]) -> None:
    matcher = Matcher(Marker("rule", "r", "body", str(n), word) for n, word in enumerate(wanted))
    probes = [Probe(ANYONE, "", body) for body in bodies]
    slow = [
        tuple(sorted(Hit("rule", "r", "body", str(n)) for n, word in enumerate(wanted) if has(fold(body), fold(word))))
        for body in bodies
    ]
    assert list(matcher.hits_of(probes)) == slow
    assert [matcher.hits(probe) for probe in probes] == slow


@pytest.mark.parametrize("role", ["rule", "pattern", "action", "protected"])
def test_word_of_a_few_letters_is_a_whole_word(role: Role) -> None:
    matcher = Matcher(Marker(role, "r", "text", word, word) for word in ("win", "off", "sale", "% off", "\u9762\u8a66"))
    found = [{hit.marker for hit in matcher.hits(Probe(ANYONE, subject))} for subject in ("Northwind office", "Win!")]
    assert found == [set(), {"win"}]
    assert {hit.marker for hit in matcher.hits(Probe(ANYONE, "50% off_sale \u7684\u9762\u8a66\u4e86"))} == {
        "off",
        "sale",
        "% off",
        "\u9762\u8a66",
    }


def test_empty_marker_matches_nothing() -> None:
    assert Matcher([Marker("rule", "r", "text", "1", "\u200b")]).hits(Probe(ANYONE, "anything", "at all")) == ()


@settings(max_examples=sweep(2000), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["sender", "domain_equals", "domain_under"]),
            st.sampled_from(MARKER_TEXTS) | texts(),
        ),
        max_size=6,
    ),
    st.sampled_from(SENDER_TEXTS),
)
def test_the_index_finds_what_one_comparison_with_each_marker_finds(
    markers: list[tuple[str, str]], sender: str
) -> None:
    who = read_sender([sender])
    listed = [Marker("rule", "r", field, str(n), text) for n, (field, text) in enumerate(markers)]  # type: ignore[arg-type]
    slow = [
        m for m in listed
        if (matches_sender(m.text, who) if m.field == "sender" else matches_domain(m.field, m.text, who))
    ]  # fmt: skip
    found = Matcher(listed).hits(Probe(who))
    assert found == tuple(sorted({Hit(m.role, m.rule, m.field, m.id) for m in slow}))


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize("word", ["documents", "document", "interviews", "interview", "address"])
@pytest.mark.parametrize("marker", ["documents", "document", "interview", "interviews", "address"])
def test_word_that_a_line_end_cuts_in_two_is_found_also_when_the_marker_ends_in_s(word: str, marker: str) -> None:
    matcher = Matcher((Marker("action", "asks", "text", "1", marker),))
    sender = read_sender(["A <a@b.example>"])
    is_found = word in (marker, f"{marker}s")
    for cut in (3, 5):
        hits = matcher.hits(Probe(sender, body=f"send {word[:cut]}\n{word[cut:]} please"))
        assert bool(hits) is is_found, (word, marker)


@pytest.mark.parametrize(("word", "is_found"), [("screen", True), ("tests", False), ("test", False)])
def test_only_words_of_six_letters_or_more_are_put_together_again(word: str, is_found: bool) -> None:
    """Shorter ones also come about where two others meet."""
    matcher = Matcher((Marker("action", "asks", "text", "1", word),))
    probe = Probe(read_sender(["A <a@b.example>"]), body=f"the {word[:2]}\n{word[2:]} here")
    assert bool(matcher.hits(probe)) is is_found


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        ("a@b@c", "a marker with @ is not one whole address"),
        ("Ann <a@b.example>", "a marker with @ is not one whole address"),
        (".", "a marker with a dot is not a domain"),
        ("a..b", "a marker with a dot is not a domain"),
        ("--", "a marker holds no word"),
        ("", "a marker holds no word"),
        ("a@b.example", ""),
        (".b.example", ""),
        ("jobly", ""),
    ],
)
def test_problem_of_a_sender_marker_is_told_in_words_for_its_owner(marker: str, problem: str) -> None:
    assert sender_marker_problem(marker) == problem


@pytest.mark.contract("JU-6")
@pytest.mark.parametrize("sender", ["careers@x.example", "Careers <a@x.example>", "a.careers+jobs@x.example"])
def test_word_of_the_local_part_is_found_like_one_of_the_name(sender: str) -> None:
    marker = Marker("rule", "desk", "sender", "1", "careers")
    (hit,) = Matcher((marker,)).hits(Probe(read_sender([sender])))
    assert (hit.rule, hit.field) == ("desk", "sender")
    assert not Matcher((marker,)).hits(Probe(read_sender(["a@careers.example"])))


@pytest.mark.contract("JU-4")
def test_harmless_phrase_that_shows_nothing_takes_nothing_away() -> None:
    nothing = Marker("harmless", "harmless", "text", "1", "\u200b")
    asks = Marker("action", "asks", "text", "1", "reply by noon")
    probe = Probe(read_sender(["A <a@b.example>"]), body="please reply by noon")
    assert [hit.rule for hit in Matcher((nothing, asks)).hits(probe)] == ["asks"]


@pytest.mark.parametrize("role", ["rule", "pattern", "protected"])
def test_link_targets_and_cut_words_count_for_action_words_only(role: Role) -> None:
    """A rule on a word of somebody's link would file mail by what no reader sees."""
    words = (Marker(role, "other", "text", "1", "newsletter"), Marker("action", "asks", "text", "1", "newsletter"))
    hits = Matcher(words).hits(Probe(read_sender(["A <a@b.example>"]), body="a news\nletter", also="newsletter"))
    assert [hit.rule for hit in hits] == ["asks"]


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize("body", ["in ter view", "inter view s", "i\nnter\nview", "the inter view now"])
def test_word_in_two_or_three_pieces_is_found(body: str) -> None:
    matcher = Matcher((Marker("action", "asks", "text", "1", "interview"),))
    assert matcher.hits(Probe(read_sender(["A <a@b.example>"]), body=body))


def test_harmless_phrases_that_overlap_are_cut_out_whole() -> None:
    markers = (Marker("harmless", "h", "text", "1", "xx"), Marker("action", "asks", "text", "1", "x reply"))
    sender = read_sender(["A <a@b.example>"])
    assert not Matcher(markers).hits(Probe(sender, body="xxx reply"))
    assert Matcher(markers).hits(Probe(sender, body="xx reply x reply"))
