"""The drift gate's judgement on small tables, and history read with suspicion."""

import pytest

from pipeline.changes.drift import Changed, Member, Steady, allowed_changes, judge_target, recheck, refuse_drift
from pipeline.changes.touched import NoHistory, Touched, labels_after, touched_by
from pipeline.gmail.answers import Answer
from pipeline.models.manifest import ExistingLabel, Fingerprint, LabelChange, Target
from pipeline.refusals import AnswerRefused, DriftAborted


def target(message_id: str = "m1", *labels: str, members: tuple[str, ...] = ("m1",)) -> Target:
    """A label change of a message whose thread had these members."""
    return Target(
        message_id=message_id,
        thread_id="t1",
        change=LabelChange(label=ExistingLabel(id="Label_1", name="Job Alert")),
        fingerprint=Fingerprint(
            label_ids=labels or ("INBOX",), thread_members=members, internal_date_ms=5, history_id=None
        ),
        classification="Job Alert",
        confidence=0.9,
        source="tier1",
        rule=None,
        screen="clean",
        protected=(),
        reasons=(),
    )


def member(*labels: str, date: int = 5) -> Member:
    """A message as Gmail shows it."""
    return Member(frozenset(labels), date)


@pytest.mark.contract("AP-5")
@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"m1": member("INBOX")}, Steady(frozenset({"INBOX"}), is_read=True)),
        ({}, Changed("vanished")),
        ({"m2": member("INBOX")}, Changed("vanished")),
        ({"m1": member("INBOX", "STARRED")}, Changed("changed labels")),
        ({"m1": member()}, Changed("changed labels")),
        ({"m1": member("INBOX", date=6)}, Changed("changed date")),
        ({"m1": member("INBOX"), "m2": member("INBOX")}, Changed("changed membership")),
        ({"m1": member("INBOX"), "m2": member("DRAFT")}, Changed("changed membership")),
        ({"m1": member("INBOX"), "m2": member("TRASH")}, Steady(frozenset({"INBOX"}), is_read=True)),
        ({"m1": member("INBOX"), "m2": member("SPAM", "UNREAD")}, Steady(frozenset({"INBOX"}), is_read=True)),
        ({"m1": member("INBOX", "TRASH")}, Changed("in trash, spam or drafts")),
        ({"m1": member("SPAM")}, Changed("in trash, spam or drafts")),
    ],
)
def test_a_thread_as_it_is_now(members: dict[str, Member], found: object) -> None:
    assert judge_target(target(), members) == found


@pytest.mark.contract("AP-5")
def test_a_member_that_is_gone_for_good_changed_the_thread() -> None:
    assert judge_target(target(members=("m1", "m2")), {"m1": member("INBOX")}) == Changed("changed membership")
    trashed = {"m1": member("INBOX"), "m2": member("TRASH")}
    assert isinstance(judge_target(target(members=("m1", "m2")), trashed), Steady)


@pytest.mark.contract("AP-5")
@pytest.mark.parametrize(
    ("total", "share", "allowed"),
    [(1, 0.1, 1), (3, 0.1, 1), (19, 0.1, 1), (20, 0.1, 2), (29, 0.1, 2), (30, 0.1, 3), (100, 0.0, 0), (10, 0.5, 5)],
)
def test_the_share_is_rounded_down_and_one_alone_is_allowed(total: int, share: float, allowed: int) -> None:
    assert allowed_changes(total, share) == allowed
    findings = {f"m{n}": Changed("vanished") if n < allowed else Steady(frozenset(), True) for n in range(total)}
    if allowed < total:
        refuse_drift(findings, share)
        with pytest.raises(DriftAborted):
            refuse_drift(findings | {f"m{allowed}": Changed("vanished")}, share)


@pytest.mark.contract("AP-5")
def test_when_nothing_is_left_to_do_it_is_an_abort() -> None:
    with pytest.raises(DriftAborted):
        refuse_drift({"m1": Changed("vanished")}, 0.5)


class Threads:
    """Answers a thread with this document, and every message as m1 with these labels."""

    def __init__(self, document: dict[str, object], *labels: str) -> None:
        self.document, self.labels = document, list(labels)

    def get_thread(self, thread_id: str) -> Answer:
        """The document."""
        return Answer(200, self.document)

    def get_message(self, message_id: str) -> Answer:
        """The message."""
        return Answer(200, {"id": message_id, "labelIds": self.labels})


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"id": "t2", "messages": []},
        {"id": "t1", "messages": {}},
        {"id": "t1", "messages": [None]},
        {"id": "t1", "messages": [{"id": "m1", "labelIds": ["INBOX"]}]},
        {"id": "t1", "messages": [{"id": "m1", "labelIds": "INBOX", "internalDate": "5"}]},
        {"id": "t1", "messages": [{"id": "m1", "labelIds": [1], "internalDate": "5"}]},
        {"id": "t1", "messages": [{"labelIds": ["INBOX"], "internalDate": "5"}]},
    ],
)
def test_a_thread_of_unknown_shape_is_refused_not_guessed(document: dict[str, object]) -> None:
    with pytest.raises(AnswerRefused):
        recheck(Threads(document), [target()], NoHistory("too old"))


@pytest.mark.contract("AP-5")
def test_right_before_the_batch_every_message_is_read_even_when_history_is_silent() -> None:
    nothing = Touched(frozenset(), frozenset())
    assert recheck(Threads({}, "INBOX"), [target()], nothing) == {"m1": Steady(frozenset({"INBOX"}), is_read=True)}
    assert recheck(Threads({}, "INBOX", "STARRED"), [target()], nothing) == {"m1": Changed("changed labels")}
    assert recheck(Threads({}, "TRASH"), [target()], nothing) == {"m1": Changed("in trash, spam or drafts")}


def page(*records: dict[str, object], reaches: str = "20") -> dict[str, object]:
    """A history page."""
    return {"history": list(records), "historyId": reaches} if records else {"historyId": reaches}


def added(message_id: str, *labels: str, number: str = "11", thread: str = "t1") -> dict[str, object]:
    """A record of added labels."""
    message = {"id": message_id, "threadId": thread, "labelIds": list(labels)}
    return {"id": number, "messages": [message], "labelsAdded": [{"message": message, "labelIds": list(labels)}]}


@pytest.mark.contract("AP-5", "AP-6")
@pytest.mark.parametrize(
    ("pages", "start", "newest", "found"),
    [
        ([page(added("m1", "X"))], "10", "20", Touched(frozenset({"m1"}), frozenset({"t1"}))),
        ([page(added("m1", "X")), page()], "10", "20", Touched(frozenset({"m1"}), frozenset({"t1"}))),
        ([page()], "20", "20", Touched(frozenset(), frozenset())),
        ([page()], "10", "20", NoHistory("silent")),
        ([page(added("m1", "X"), reaches="19")], "10", "20", NoHistory("late")),
        ([], "10", "20", NoHistory("late")),
        ([page(added("m1", "X"))], "10", "9", NoHistory("late")),
        ([{"history": [added("m1", "X")]}], "10", "20", NoHistory("late")),
        ([page({"id": "11", "messages": [{"id": "m1"}]})], "10", "20", NoHistory("of an unknown shape")),
    ],
)
def test_history_is_believed_only_when_it_reaches_the_present(
    pages: list[dict[str, object]], start: str, newest: str, found: object
) -> None:
    assert touched_by(pages, start, newest) == found


@pytest.mark.contract("AP-6")
def test_the_newest_label_record_of_a_message_counts_and_only_with_its_labels() -> None:
    newest_last = [page(added("m1", "A", number="9"), added("m1", "B", number="10"))]
    newest_first = [page(added("m1", "B", number="10")), page(added("m1", "A", number="9"))]
    for pages in (newest_last, newest_first):
        assert labels_after(pages, ["m1"])["m1"].label_ids == {"B"}
    bare = {"id": "12", "labelsAdded": [{"message": {"id": "m1", "threadId": "t1"}, "labelIds": ["A"]}]}
    assert labels_after([page(bare)], ["m1"]) == {}
    arrived = {"id": "12", "messagesAdded": [{"message": {"id": "m1", "labelIds": ["A"]}}]}
    assert labels_after([page(arrived)], ["m1"]) == {} == labels_after([page(added("m2", "A"))], ["m1"])


def removed_for_good(message_id: str, number: str = "12") -> dict[str, object]:
    """A record of a deletion."""
    message = {"id": message_id, "threadId": "t1"}
    return {"id": number, "messages": [message], "messagesDeleted": [{"message": message}]}


@pytest.mark.contract("AP-6")
@pytest.mark.parametrize("records", [
    [added("m1", "X"), removed_for_good("m1")],
    [removed_for_good("m1"), added("m1", "X")],
    [added("m1", "X"), {**removed_for_good("m1"), "messages": []}],
    [{**added("m1", "X"), "messagesDeleted": removed_for_good("m1")["messagesDeleted"]}],
    [added("m1", "X"), {"id": "12", "messages": [{"id": "m1", "threadId": "t1"}]}],
    [added("m1", "X", number="x")],
    [added("m1", "X", number="9" * 5000)],
    [added("m1", "X"), added("m1", "X\x1b", number="12")],
])  # fmt: skip
def test_history_proves_nothing_of_a_message_that_it_tells_more_of(records: list[dict[str, object]]) -> None:
    assert labels_after([page(*records)], ["m1", "m2"]) == {}
    assert set(labels_after([page(*records, added("m2", "X"))], ["m1", "m2"])) == {"m2"}


@pytest.mark.contract("AP-5")
@pytest.mark.parametrize("number", ["", "--5", "\u0663", "9" * 5000])
def test_a_history_that_reaches_no_number_is_no_history(number: str) -> None:
    assert isinstance(touched_by([page(added("m1", "X"))], "10", number), NoHistory)
    assert touched_by([page(added("m1", "X"), reaches=number)], "10", "20") == NoHistory("late")
