"""The gate: one way to an Archive, every doubt bars it, and one more signal never makes an action stronger."""

import math
from collections import Counter
from dataclasses import fields, replace
from random import Random

import pytest

from pipeline.judge.cascade import Verdict
from pipeline.judge.gate import (
    WAIVED,
    Archive,
    Barred,
    Facts,
    Ruling,
    leave_reason,
    permit_archive,
    rule_thread,
    rule_threads,
    standing_classes,
)
from pipeline.models.policy import Policy, Protection
from tests.strategies.judgement import CLASSES, POLICY, some_facts, some_verdict
from tests.strategies.rules import rule_set

RULES = rule_set()
FINE = Facts("m", ("INBOX",), "clean", "fetched", (), (), True, False, False)
ALERT = Verdict("sender", "Job Alert", 0.95, "boards")
STRENGTH = {"leave": 0, "label": 1, "label+archive": 2}
STRICT = Policy(version=1, minimum_confidence=0.9)


def action(known: Facts, verdict: Verdict = ALERT, policy: Policy = POLICY, *, is_whole: bool = True) -> str:
    """The action of a message that is alone in its thread."""
    (ruling,) = rule_thread([(known, verdict)], RULES, policy, is_whole=is_whole)
    return ruling.action


@pytest.mark.contract("JU-2")
def test_only_the_gate_makes_an_archive() -> None:
    with pytest.raises(TypeError, match=r"^only permit_archive makes an Archive$"):
        Archive("m", (), seal=object())
    assert isinstance(permit_archive(FINE, ALERT, RULES, POLICY), Archive)


@pytest.mark.contract("JU-2", "JU-3")
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"screen": None}, "screen:unknown"),
        ({"screen": "partial"}, "screen:partial"),
        ({"screen": "suspicious"}, "screen:suspicious"),
        ({"screen": "injection"}, "screen:injection"),
        ({"screen": "unreadable"}, "screen:unreadable"),
        ({"screen": "Clean"}, "screen:Clean"),
        ({"body_state": None}, "body:unknown"),
        ({"body_state": "empty"}, "body:empty"),
        ({"body_state": "not_fetched"}, "body:not_fetched"),
        ({"body_state": "lossy"}, "body:lossy"),
        ({"label_ids": None}, "labels_unknown"),
        ({"protected": None}, "protected:uncertain"),
        ({"protected": ("money",)}, "protected:money"),
        ({"protected": ("employment", "money")}, "protected:employment"),
        ({"protected": ("a class of next year",)}, "protected:a class of next year"),
        ({"action_language": ("asks",)}, "action:asks"),
    ],
)
def test_each_doubt_bars_alone(changes: dict[str, object], reason: str) -> None:
    found = permit_archive(replace(FINE, **changes), ALERT, RULES, POLICY)
    assert isinstance(found, Barred)
    assert reason in found.reasons


@pytest.mark.contract("JU-2", "JU-5")
@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (replace(ALERT, classification="Interview"), "not_archivable"),
        (replace(ALERT, classification="Review Manually"), "not_archivable"),
        (replace(ALERT, classification="Unheard Of"), "not_archivable"),
        (replace(ALERT, classification="job alert"), "not_archivable"),
        (replace(ALERT, classification=None), "not_archivable"),
        (replace(ALERT, source="override", is_safe_to_archive=False), "override_not_safe"),
        (replace(ALERT, confidence=0.7999999), "low_confidence"),
        (replace(ALERT, confidence=1.0000001), "low_confidence"),
        (replace(ALERT, confidence=math.nan), "low_confidence"),
        (replace(ALERT, confidence=math.inf), "low_confidence"),
        (replace(ALERT, confidence=-math.inf), "low_confidence"),
        (replace(ALERT, confidence=None), "low_confidence"),  # type: ignore[arg-type]  # what a broken table could hold
        (replace(ALERT, confidence=True), "low_confidence"),
        (replace(ALERT, confidence="0.95"), "low_confidence"),  # type: ignore[arg-type]  # the same
    ],
)
def test_each_weak_verdict_bars_alone(verdict: Verdict, reason: str) -> None:
    found = permit_archive(FINE, verdict, RULES, POLICY)
    assert isinstance(found, Barred)
    assert reason in found.reasons


@pytest.mark.parametrize(("confidence", "allows"), [(0.8, False), (0.8999999, False), (0.9, True), (1.0, True)])
def test_policy_may_raise_the_threshold(confidence: float, allows: bool) -> None:
    found = permit_archive(FINE, replace(ALERT, confidence=confidence), RULES, STRICT)
    assert (found.reasons if isinstance(found, Barred) else ()) == (() if allows else ("low_confidence",))


def test_confidence_of_exactly_the_floor_is_enough() -> None:
    assert isinstance(permit_archive(FINE, replace(ALERT, confidence=0.8), RULES, POLICY), Archive)


@pytest.mark.contract("JU-2")
def test_archive_exists_only_when_everything_allows_it() -> None:
    random, seen = Random(2), Counter[bool]()
    for _ in range(50_000):
        known, verdict = some_facts(random), some_verdict(random)
        policy = random.choice([POLICY, STRICT, Policy(version=1)])
        found = permit_archive(known, verdict, RULES, policy)
        allowed = may_be_archived(known, verdict, policy)
        seen[allowed] += 1
        assert isinstance(found, Archive) is allowed, (known, verdict)
        assert isinstance(found, Archive) or found.reasons
    print(dict(seen))
    assert min(seen[True], seen[False]) >= 2000


def may_be_archived(known: Facts, verdict: Verdict, policy: Policy) -> bool:
    """The contract's sentence, written out."""
    waived = (
        known.protected == ("employment",)
        and not known.action_language
        and verdict.classification in policy.protect.waive_employment_for
    )
    return (
        verdict.classification in ("Job Alert", "Application Received")
        and verdict.is_safe_to_archive
        and type(verdict.confidence) is float
        and max(0.8, policy.minimum_confidence) <= verdict.confidence <= 1.0
        and known.screen == "clean"
        and known.body_state == "fetched"
        and known.label_ids is not None
        and (known.protected == () or waived)
        and known.action_language == ()
    )


SIGNALS = {
    "protected class": lambda known, extra: replace(known, protected=_more(known.protected, extra)),
    "protected unknown": lambda known, extra: replace(known, protected=None),
    "action language": lambda known, extra: replace(known, action_language=("asks", *known.action_language)),
    "screen": lambda known, extra: replace(known, screen="suspicious"),
    "body": lambda known, extra: replace(known, body_state="lossy"),
    "labels unknown": lambda known, extra: replace(known, label_ids=None),
    "star": lambda known, extra: replace(known, protected=_more(known.protected, "starred")),
}


def _more(protected: tuple[str, ...] | None, extra: str) -> tuple[str, ...] | None:
    return None if protected is None else tuple(sorted({*protected, extra}))


@pytest.mark.contract("JU-3")
def test_one_more_signal_never_makes_an_action_stronger() -> None:
    random, seen = Random(3), Counter[tuple[str, str]]()
    for _ in range(20_000):
        known, verdict = some_facts(random), some_verdict(random)
        kind, extra = random.choice(sorted(SIGNALS)), random.choice([c for c in CLASSES if c != "employment"])
        before, after = action(known, verdict), action(SIGNALS[kind](known, extra), verdict)
        seen[before, after] += 1
        assert STRENGTH[after] <= STRENGTH[before], (known, verdict, kind)
        assert after != "label+archive", (known, verdict, kind)
    print(dict(seen))
    falls = [("label+archive", "label"), ("label+archive", "leave"), ("label", "leave"), ("leave", "leave")]
    assert min(seen[fall] for fall in falls) >= 100


class TestWaiver:
    """Employment alone, for a named class, with nothing beside it."""

    WORK = replace(FINE, protected=("employment",))

    def test_waives_for_a_named_class_and_says_so(self) -> None:
        (ruling,) = rule_thread([(self.WORK, ALERT)], RULES, POLICY, is_whole=True)
        assert (ruling.action, ruling.reasons) == ("label+archive", (WAIVED,))

    @pytest.mark.contract("JU-3")
    @pytest.mark.parametrize("other", [name for name in CLASSES if name != "employment"])
    def test_never_beside_another_class(self, other: str) -> None:
        assert action(replace(FINE, protected=tuple(sorted(("employment", other))))) != "label+archive"

    @pytest.mark.contract("JU-3")
    @pytest.mark.parametrize("name", [name for name in CLASSES if name != "employment"])
    def test_never_another_class_in_its_place(self, name: str) -> None:
        assert action(replace(FINE, protected=(name,))) != "label+archive"

    @pytest.mark.contract("JU-4")
    def test_never_beside_action_language(self) -> None:
        assert action(replace(self.WORK, action_language=("asks",))) == "label"

    def test_never_for_a_class_that_the_policy_does_not_name(self) -> None:
        others = Policy(version=1, protect=Protection(waive_employment_for=("Rejection",)))
        assert action(self.WORK, ALERT, others) == "label"
        assert action(self.WORK, ALERT, Policy(version=1)) == "label"

    def test_policy_cannot_name_another_waiver(self) -> None:
        assert set(Protection.model_fields) == {"waive_employment_for", "recent_days", "personal_names"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"label_ids": None}, "labels_unknown"),
        ({"label_ids": ()}, "not_in_inbox"),
        ({"label_ids": ("INBOX", "SENT")}, "in_sent"),
        ({"label_ids": ("INBOX", "SPAM")}, "in_spam"),
        ({"label_ids": ("INBOX", "TRASH")}, "in_trash"),
        ({"label_ids": ("INBOX", "DRAFT")}, "in_draft"),
        ({"label_ids": ("INBOX", "CHAT")}, "in_chat"),
        ({"is_in_window": False}, "outside_window"),
        ({"is_handled": True}, "already_handled"),
        ({"is_reversed_by_hand": True}, "reversed_by_hand"),
        ({"screen": "injection"}, "screen:injection"),
        ({"screen": "suspicious"}, "screen:suspicious"),
        ({"screen": "unreadable"}, "screen:unreadable"),
        ({"screen": None}, "screen:unknown"),
    ],
)
def test_each_reason_to_do_nothing_is_named(changes: dict[str, object], reason: str) -> None:
    assert leave_reason(replace(FINE, **changes), ALERT) == reason
    assert action(replace(FINE, **changes)) == "leave"


@pytest.mark.parametrize(
    ("verdict", "reason"), [(Verdict("irrelevant"), "irrelevant"), (Verdict("none"), "not_relevant")]
)
def test_mail_that_is_none_of_our_business_is_left_and_says_why(verdict: Verdict, reason: str) -> None:
    (ruling,) = rule_thread([(FINE, verdict)], RULES, POLICY, is_whole=True)
    assert (ruling.action, ruling.reasons[0]) == ("leave", reason)


def test_ruling_keeps_every_reason_once() -> None:
    loud = replace(FINE, screen="suspicious", protected=("money",), action_language=("asks",))
    (left,) = rule_thread([(loud, ALERT)], RULES, POLICY, is_whole=True)
    assert left.reasons == ("screen:suspicious", "protected:money", "action:asks")
    work = replace(FINE, protected=("employment",))
    (held,) = rule_thread([(work, ALERT)], RULES, POLICY, is_whole=False)
    assert held.reasons == ("thread:not_read", WAIVED)


@pytest.mark.parametrize(
    ("protected", "reasons", "counts"),
    [
        (None, (), ("uncertain",)),
        ((), (), ()),
        (("employment",), (WAIVED,), ()),
        (("employment",), (), ("employment",)),
        (("employment", "money"), (WAIVED,), ("money",)),
        (("money",), (WAIVED,), ("money",)),
    ],
)
def test_decision_shows_the_classes_that_count(
    protected: tuple[str, ...] | None, reasons: tuple[str, ...], counts: tuple[str, ...]
) -> None:
    assert standing_classes(replace(FINE, protected=protected), Ruling("label", reasons)) == counts


def test_partial_mail_may_be_labelled_and_no_more() -> None:
    assert action(replace(FINE, screen="partial", body_state="not_fetched")) == "label"


def test_guess_that_is_only_to_file_mail_puts_no_label_on_what_stays() -> None:
    guess = replace(ALERT, only_to_file=True)
    assert action(FINE, guess) == "label+archive"
    assert action(replace(FINE, protected=("money",)), guess) == "leave"
    assert action(FINE, guess, is_whole=False) == "leave"
    assert together((FINE, guess), (replace(FINE, protected=("money",)), ALERT)) == ["leave", "label"]


def test_every_fact_matters() -> None:
    """A fact that the gate would forget to look at shows here: each can turn an archive into less."""
    worse = {
        "label_ids": None,
        "screen": None,
        "body_state": None,
        "protected": None,
        "action_language": ("asks",),
        "is_in_window": False,
        "is_handled": True,
        "is_reversed_by_hand": True,
    }
    assert set(worse) == {field.name for field in fields(Facts)} - {"message_id"}
    assert action(FINE) == "label+archive"
    assert [name for name, value in worse.items() if action(replace(FINE, **{name: value})) == "label+archive"] == []


def together(*members: tuple[Facts, Verdict], is_whole: bool = True) -> list[str]:
    """The actions of the members of one thread."""
    return [ruling.action for ruling in rule_thread(members, RULES, POLICY, is_whole=is_whole)]


QUIET = (FINE, ALERT)
NOT_OURS = Verdict("none")


class TestThread:
    """One member that must stay keeps every member in the inbox."""

    def test_all_quiet_members_go_together(self) -> None:
        assert together(QUIET, QUIET) == ["label+archive"] * 2

    def test_member_outside_the_inbox_that_nothing_speaks_against_holds_nothing(self) -> None:
        assert together(QUIET, (replace(FINE, label_ids=("Label_1",), is_handled=True), ALERT)) == [
            "label+archive",
            "leave",
        ]
        assert together(QUIET, (replace(FINE, label_ids=()), NOT_OURS)) == ["label+archive", "leave"]

    @pytest.mark.contract("JU-3")
    @pytest.mark.parametrize(
        "member",
        [
            (replace(FINE, protected=("direct_human",)), ALERT),
            (replace(FINE, protected=None), ALERT),
            (replace(FINE, action_language=("asks",)), ALERT),
            (replace(FINE, screen="suspicious"), ALERT),
            (replace(FINE, screen="partial"), ALERT),
            (replace(FINE, body_state="not_fetched"), ALERT),
            (replace(FINE, label_ids=None), ALERT),
            (FINE, replace(ALERT, classification="Interview")),
            (FINE, replace(ALERT, confidence=0.5)),
            (FINE, NOT_OURS),
            (replace(FINE, is_handled=True), ALERT),
            (replace(FINE, is_reversed_by_hand=True), ALERT),
            (replace(FINE, is_in_window=False), ALERT),
            (replace(FINE, label_ids=("SENT",), protected=("live_conversation",)), NOT_OURS),
            (replace(FINE, label_ids=("Label_1",), action_language=("asks",), is_handled=True), ALERT),
            (replace(FINE, label_ids=(), protected=("money",)), NOT_OURS),
            (replace(FINE, label_ids=(), protected=None), NOT_OURS),
            (replace(FINE, label_ids=(), body_state="lossy"), NOT_OURS),
            (replace(FINE, label_ids=(), screen="partial"), NOT_OURS),
        ],
    )
    def test_member_that_must_stay_keeps_the_others(self, member: tuple[Facts, Verdict]) -> None:
        assert together(QUIET, member, QUIET)[::2] == ["label", "label"]
        assert together(member, QUIET)[1] == "label"

    @pytest.mark.contract("JU-3")
    def test_member_that_nobody_read_keeps_the_others(self) -> None:
        assert together(QUIET, is_whole=False) == ["label"]

    @pytest.mark.contract("JU-3")
    def test_signal_on_one_member_strengthens_no_member(self) -> None:
        random, falls = Random(4), 0
        for _ in range(5000):
            members = [(some_facts(random), some_verdict(random)) for _ in range(random.randint(1, 4))]
            at, kind = random.randrange(len(members)), random.choice(sorted(SIGNALS))
            changed = [(SIGNALS[kind](f, "legal"), v) if n == at else (f, v) for n, (f, v) in enumerate(members)]
            for before, after in zip(together(*members), together(*changed), strict=True):
                falls += STRENGTH[after] < STRENGTH[before]
                assert STRENGTH[after] <= STRENGTH[before], (members, kind)
                assert after != "label+archive", (members, kind)
        assert falls >= 100

    @pytest.mark.contract("JU-3")
    def test_thread_that_nobody_told_of_counts_as_not_read(self) -> None:
        cases = {"t": [QUIET], "u": [(replace(FINE, message_id="n"), ALERT)]}
        ruled = rule_threads(cases, {"t": True}, RULES, POLICY)
        assert {name: ruling.action for name, ruling in ruled.items()} == {"m": "label+archive", "n": "label"}
        assert ruled["n"].reasons == ("thread:not_read",)
