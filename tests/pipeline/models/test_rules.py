"""Rule files are strict: what is loose, doubled, empty or dirty stops the run before any mail is judged."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.judge.cascade import classify
from pipeline.judge.examples import check_examples
from pipeline.mail.address import read_sender
from pipeline.mail.fold import fold
from pipeline.mail.matcher import Matcher, Probe
from pipeline.models.labelname import read_label_name
from pipeline.models.rules import RuleSet, parse_rules
from pipeline.refusals import LabelNameRefused, RulesRefused
from pipeline.rulebook import read_rules
from tests.strategies.case_files import case_json, case_path, case_toml
from tests.strategies.rules import CLASSES, files, override, rule_set, sender_rule, shipped, toml_of
from tests.sweeps import sweep

pytestmark = pytest.mark.contract("JU-5")


def with_file(name: str, text: str | bytes, **changes: Any) -> tuple[tuple[str, bytes], ...]:
    """A complete set in which one file is replaced."""
    data = text.encode() if isinstance(text, str) else text
    return tuple((found, data if found == name else old) for found, old in files(**changes))


WORDING = {"name": "t", "classification": "Job Alert", "confidence": 0.9}
MONEY = {"protects": "money", "text_contains": ["invoice"]}
ASKS = {"makes_relevant": True, "text_contains": ["reply by"]}


def with_pack(tables: dict[str, Any]) -> tuple[tuple[str, bytes], ...]:
    """A complete set with one more pack."""
    return (*files(), ("pack-mine.toml", toml_of({"version": 1, "pack": "mine", **tables})))


def test_small_set_of_every_tier_is_accepted() -> None:
    rules = rule_set(
        overrides=[override()],
        patterns=[{"name": "p", "classification": "Job Alert", "confidence": 0.9, "text_contains": ["new jobs"]}],
        templates=[{"name": "t", "classification": "Job Alert", "confidence": 0.9, "body_contains_any": ["View job"]}],
        senders=[sender_rule()],
    )
    assert [rule.tier for rule in rules.rules] == ["override", "tier1", "template", "sender"]
    assert rules.label_of("Interview") == "Job Search/Interview"


def test_shipped_rules_are_accepted_with_their_examples() -> None:
    rules = read_rules(shipped())
    assert len(rules.classifications) == 16
    assert len(rules.examples) >= 12


@pytest.mark.parametrize(
    ("what", "bad"),
    [
        ("unknown key in a rule", files(senders=[sender_rule(domian_equals=["x.example"])])),
        ("unknown key in an override", files(overrides=[override(safe_to_archiv=True)])),
        ("unknown key at the top", with_file("irrelevant_senders.toml", "version = 1\nsender_contain = []\n")),
        ("rule without a condition", files(senders=[sender_rule(domain_equals=[])])),
        (
            "rule without any condition key",
            files(templates=[{"name": "t", "classification": "Job Alert", "confidence": 0.9}]),
        ),
        ("empty marker", files(overrides=[override(subject_contains=["digest", ""])])),
        ("marker of blanks", files(overrides=[override(subject_contains=["  "])])),
        ("marker of invisible characters", files(overrides=[override(subject_contains=["\u200b\u00ad"])])),
        ("marker of one letter", files(overrides=[override(subject_contains=["a"])])),
        ("same marker twice", files(overrides=[override(subject_contains=["Digest", "digest"])])),
        (
            "same marker twice after folding",
            files(overrides=[override(subject_contains=["Int\u00e9rview", "inter\u00adview"])]),
        ),
        (
            "same marker twice but for its quote and dash",
            files(overrides=[override(subject_contains=["it\u2019s new", "it's new"])]),
        ),
        ("marker of one dash", files(overrides=[override(subject_contains=["\u2013"])])),
        ("marker of one curly quote", files(overrides=[override(subject_contains=["\u2019"])])),
        ("marker of mere dots", files(overrides=[override(subject_contains=["\u2026"])])),
        ("marker of one letter of another alphabet", files(overrides=[override(subject_contains=["\u0451"])])),
        ("gap in the words of an override", files(overrides=[override(subject_contains=["plant ... april"])])),
        (
            "gap in the words of a template",
            files(templates=[{**WORDING, "body_contains_any": ["plant ... april"]}]),
        ),
        *(
            (f"rule named {name}", files(senders=[sender_rule(name)]))
            for name in (
                "reading",
                "Shape",
                "irrelevant",
                "relevance",
                "harmless",
                "Relevance of jobs",
                "harmless of x",
            )
        ),
        *(
            (f"protected set named {name}", files(protected=[{**MONEY, "name": name}]))
            for name in ("reading", "R\u00e9ading", "shape", "relevance of x")
        ),
        ("action set named shape", files(actions=[{**ASKS, "name": "shape"}])),
        *(
            (f"relevance that says {saying}", with_pack({"relevance": {"sentence_says": [saying]}}))
            for saying in ("& !", "<unheard of> & pond", "alone")
        ),
        *(
            (f"harmless phrases with {key}", with_pack({"harmless": {"text_contains": ["xx yy"], key: value}}))
            for key, value in (
                ("sentence_says", ["xx & yy"]),
                ("shape_is", ["list"]),
                ("unless_shape", ["reply"]),
                ("sender_contains", ["jobly"]),
                ("subject_contains", ["xx zz"]),
            )
        ),
        ("sender marker without a word", files(senders=[sender_rule(sender_contains=["!!"])])),
        ("sender marker that is half an address", files(senders=[sender_rule(sender_contains=["jobs@"])])),
        ("sender marker that is no domain", files(senders=[sender_rule(sender_contains=["acme inc."])])),
        ("domain of one label", files(senders=[sender_rule(domain_equals=["example"])])),
        ("domain that is none", files(senders=[sender_rule(domain_under=["not a domain"])])),
        ("two rules of one name", files(senders=[sender_rule("Boards"), sender_rule("boards")])),
        ("two rules of one name in two files", files(senders=[sender_rule("mine")], overrides=[override("mine")])),
        ("rule named like an action set", files(senders=[sender_rule("asks")])),
        ("name with a line break", files(senders=[sender_rule("a\nb")])),
        ("name with an escape", files(senders=[sender_rule("a\x1b[2Jb")])),
        ("name with a bidi override", files(senders=[sender_rule("a\u202eb")])),
        ("empty name", files(senders=[sender_rule("")])),
        ("unknown classification", files(senders=[sender_rule(classification="Jop Alert")])),
        ("confidence above one", files(senders=[sender_rule(confidence=1.01)])),
        ("confidence below zero", files(senders=[sender_rule(confidence=-0.1)])),
        ("confidence nan", files(senders=[sender_rule(confidence=float("nan"))])),
        ("confidence inf", files(senders=[sender_rule(confidence=float("inf"))])),
        ("confidence as text", files(senders=[sender_rule(confidence="0.9")])),
        (
            "override that does not say whether it may archive",
            files(overrides=[{k: v for k, v in override().items() if k != "safe_to_archive"}]),
        ),
        ("sender rule that says it may archive", files(senders=[sender_rule(safe_to_archive=True)])),
        ("duplicate key", with_file("sender_rules.toml", "version = 1\nversion = 1\n")),
        ("another version", with_file("sender_rules.toml", "version = 2\n")),
        ("not TOML", with_file("sender_rules.toml", "version = \n")),
        ("missing comma", with_file("irrelevant_senders.toml", 'version = 1\ndomains = ["a.example" "b.example"]\n')),
        ("not UTF-8", with_file("sender_rules.toml", b"version = 1\n# \xff\n")),
        ("review class that may be archived", files(review="Job Alert")),
        ("review class that is unknown", files(review="Somebody Else")),
        ("two classes of one name", files(classes=(*CLASSES, ("job alert", "Jobs/Other", True)))),
        ("two labels that Gmail takes for one", files(classes=(*CLASSES, ("Other", "job search/JOB ALERT", True)))),
        (
            "action set for an unknown class",
            files(actions=[{"name": "a", "makes_relevant": True, "only_for": ["No"], "text_contains": ["xx"]}]),
        ),
        ("no action words at all", files(actions=[])),
        ("no protected words at all", files(protected=[])),
        ("unknown protected class", files(protected=[{"name": "p", "protects": "nothing", "text_contains": ["xx"]}])),
        ("unknown file", (*files(), ("more_rules.toml", b"version = 1\n"))),
        ("file twice", (*files(), files()[0])),
        ("file missing", files()[1:]),
    ],
)
def test_loose_rules_stop_the_run(what: str, bad: tuple[tuple[str, bytes], ...]) -> None:
    with pytest.raises(RulesRefused):
        read_rules(bad)


@pytest.mark.parametrize("marker", ["\u20ac", "\u8058", "\U0001f389", "C#", "ok"])
def test_short_marker_that_says_something_is_accepted(marker: str) -> None:
    parse_rules(files(overrides=[override(subject_contains=[marker])]))


def test_relevance_may_name_the_lists_of_its_pack() -> None:
    words = [{"name": "yours", "any_of": ["your", "you"]}]
    rules = parse_rules(with_pack({"relevance": {"sentence_says": ["<yours> & pond"]}, "words": words}))
    (found,) = (one for one in rules.sets if one.name == "relevance of mine")
    assert found.conditions == (("sentence", ("your|you & pond",)),)


@given(st.sampled_from(range(6)), st.text(alphabet="abcdefghij_", min_size=1, max_size=12))
@settings(max_examples=sweep(500), deadline=None)
def test_any_unknown_key_in_any_file_is_refused(place: int, key: str) -> None:
    name, data = files()[place]
    if key in {"version", "example", "rule", "review", "pack", "domains"}:
        return
    planted = f"{key} = 1\n".encode() + data
    with pytest.raises(RulesRefused):
        parse_rules(tuple((n, planted if n == name else d) for n, d in files()))


def test_order_of_files_does_not_matter() -> None:
    assert parse_rules(files(senders=[sender_rule()])) == parse_rules(tuple(reversed(files(senders=[sender_rule()]))))


def example(**changes: Any) -> dict[str, Any]:
    """An example that the sender rule of `sender_rule()` satisfies."""
    base = {"name": "e", "from": "news@jobly.example", "subject": "hello", "body": "hello"}
    return {**base, "classification": "Job Alert", "action": "label+archive", **changes}


def test_example_that_gets_its_decision_is_accepted() -> None:
    read_rules(files(senders=[sender_rule()], examples=[example()]))


@pytest.mark.parametrize(
    "changes",
    [
        {"action": "label"},
        {"classification": "Interview"},
        {"classification": "none", "action": "leave"},
        {"body": "reply by noon"},
        {"subject": "your invoice"},
        {"from": "news@other.example"},
        {"from": "news@jobly.example, x@y.example"},
    ],
)
def test_example_with_another_decision_stops_the_run(changes: dict[str, Any]) -> None:
    with pytest.raises(RulesRefused, match="examples get another decision") as refused:
        read_rules(files(senders=[sender_rule()], examples=[example(**changes)]))
    assert "e:" in refused.value.evidence


def test_there_is_no_way_to_read_rules_without_their_examples() -> None:
    from inspect import signature

    from pipeline.rulebook import RULES

    assert list(signature(read_rules).parameters) == ["files"]
    assert list(signature(check_examples).parameters) == ["rules"]
    assert "read_rules" in RULES.load.__code__.co_names


def test_case_39_reserved_or_dirty_label_names_are_refused_at_load() -> None:
    names = case_toml("39", "rules.toml")["labels"]
    assert len(names) == 8
    for name in names:
        with pytest.raises(LabelNameRefused):
            read_rules(files(classes=(*CLASSES, ("Other", name, True))))


@pytest.mark.parametrize(
    "name",
    [
        *(
            "inbox",
            "Sent",
            "SPAM/x",
            "[Gmail]/All Mail",
            "Posteingang",
            "Entw\u00fcrfe",
            "Bo\u00eete de r\u00e9ception",
            "papelera",
        ),
        *(
            "CATEGORY_UPDATES",
            "a/",
            "/a",
            "a/ b",
            "a  b",
            "\u00a0a",
            "a\u200bb",
            "x" * 226,
            "^i",
            "a\tb",
            "\uff29nbox",
            "Mu\u00adted",
        ),
    ],
)
def test_label_name_of_gmails_own_or_unclean_is_refused(name: str) -> None:
    with pytest.raises(LabelNameRefused):
        read_label_name(name)


@pytest.mark.parametrize(
    "name", ["Job Search/Interview", "Inboxes", "My Drafts", "B\u00fcro/Antwort", "Jobs & more", "\u5c31\u8077"]
)
def test_label_name_of_a_person_is_accepted(name: str) -> None:
    assert read_label_name(name) == name


def test_case_58_regex_metacharacters_in_a_rule_are_plain_words() -> None:
    (template,) = case_toml("58", "rules.toml")["template_rules"]
    rules = rule_set(templates=[{**template, "classification": "Job Alert"}])
    sender = read_sender(["Jobs <x@y.example>"])
    found = Matcher(rules.markers()).hits_of([Probe(sender, "", body) for body in case_json("58", "bodies.json")])
    decided = [classify(hits, rules).rule for hits in found]
    assert decided == [None, None, "cpp", None, None]


def sets_of(rules: RuleSet, role: str) -> list[tuple[str, str, str, str]]:
    """(set, field, number, text) of each marker of a role."""
    owners = [found for found in rules.sets if found.role == role]
    return [
        (owner.name, field, str(number), text)
        for owner in owners
        for field, texts in owner.conditions
        for number, text in enumerate(texts, 1)
    ]


def simplest(saying: str) -> str:
    """A sentence of the first choice of every term that must stand there."""
    terms = [term.strip() for term in saying.split("&")]
    return " ".join(term.split("|")[0].replace("*", "") for term in terms if not term.startswith("!"))


SHIPPED = parse_rules(shipped())


@pytest.mark.parametrize("role", ["action", "protected"])
def test_case_67_every_shipped_marker_is_found_in_a_sentence_of_its_own(role: str) -> None:
    """A glued pair of markers would not be found in a sentence that holds one of them."""
    listed = sets_of(SHIPPED, role)
    matcher = Matcher(SHIPPED.markers())
    anyone = read_sender(["Someone <x@y.example>"])
    probes = [
        Probe(read_sender([f'"{text} people" <x@y.example>']), "", "")
        if field == "sender"
        else Probe(anyone, f"About {text} now", "")
        if field == "subject"
        else Probe(anyone, shapes=(text,))
        if field == "shape"
        else Probe(anyone, "", simplest(text))
        if field == "sentence"
        else Probe(anyone, "", f"This is about {text.upper()}, as you see.")
        for _, field, _, text in listed
    ]
    for (name, field, number, text), hits in zip(listed, matcher.hits_of(probes), strict=True):
        assert any((hit.rule, hit.field, hit.marker) == (name, field, number) for hit in hits), (name, text)


def test_case_67_no_shipped_marker_is_two_that_stand_alone() -> None:
    texts = {fold(text) for role in ("action", "protected") for _, _, _, text in sets_of(SHIPPED, role)}
    glued = [text for text in texts for cut in range(3, len(text) - 2) if {text[:cut], text[cut:]} <= texts]
    assert glued == []


def test_case_67_subjects_of_the_case_are_held_and_a_missing_comma_is_refused() -> None:
    matcher = Matcher(SHIPPED.markers())
    sender = read_sender(["x@y.example"])
    for subject in case_json("67", "subjects.json"):
        assert any(hit.role == "action" for hit in matcher.hits(Probe(sender, subject)))
    glued = case_path("67", "markers_py.txt").read_text().split("[")[1].split("]")[0]
    with pytest.raises(RulesRefused):
        parse_rules(with_file("irrelevant_senders.toml", f"version = 1\nsender_contains = [{glued}]\n"))


def test_toml_helper_writes_what_it_is_given() -> None:
    import tomllib

    value = {"version": 1, "a": ["x", "\u00e9\u200b\n"], "rule": [{"name": "n", "confidence": 0.5}]}
    assert tomllib.loads(toml_of(value).decode()) == value
