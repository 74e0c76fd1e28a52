"""The verdict on every combination of what was seen, what was there and what Gmail answered; the inverse beside it."""

from collections import Counter
from itertools import product
from random import Random

import pytest

from pipeline.changes.batches import Wish, batches, to_trash
from pipeline.changes.inverse import Leave, Made, Restore, judge_restore
from pipeline.changes.readback import SURELY_UNSENT, Gone, Outcome, Seen, Unseen, look, outcome_of, verdict
from pipeline.gmail.answers import Answer, GmailError, Unanswered
from pipeline.models.operation import ModifyLabels
from pipeline.models.receipt import Answered
from pipeline.refusals import AnswerRefused, Refusal, SignInAgain, Unreachable
from tests.sweeps import sweep

EDIT = ModifyLabels(message_ids=("m1",), add=("L",), remove=("INBOX",))
OUTCOMES: tuple[Outcome, ...] = ("done", "refused", "busy", "unsent", "silent")


@pytest.mark.contract("AP-6")
def test_the_verdict_as_one_would_write_it_on_paper() -> None:
    unchanged = {
        ("done", False): "conflict", ("done", True): "conflict",
        ("refused", False): "failed", ("refused", True): "failed",
        ("busy", False): "not_sent", ("busy", True): "failed",
        ("unsent", False): "not_sent", ("unsent", True): "failed",
        ("silent", False): "not_sent", ("silent", True): "indeterminate",
    }  # fmt: skip
    before = ("INBOX", "UNREAD")
    for outcome, is_last in product(OUTCOMES, (False, True)):
        paper = {
            frozenset({"L", "UNREAD"}): "verified",
            frozenset({"INBOX", "UNREAD"}): unchanged[outcome, is_last],
            frozenset({"L"}): "conflict",
            frozenset({"L", "UNREAD", "STARRED"}): "conflict",
            frozenset({"L", "INBOX", "UNREAD"}): "conflict",
            frozenset({"UNREAD"}): "conflict",
        }
        for labels, wanted in paper.items():
            assert verdict(Seen(labels), before, EDIT, outcome, is_last=is_last) == wanted, (labels, outcome, is_last)
        assert verdict(Gone(), before, EDIT, outcome, is_last=is_last) == "vanished"
        assert verdict(Unseen("no answer"), before, EDIT, outcome, is_last=is_last) == "indeterminate"


@pytest.mark.contract("AP-6")
def test_verified_means_exactly_the_intended_labels_whatever_was_answered() -> None:
    random, hits = Random(6), Counter[str]()
    names = ["L", "INBOX", "UNREAD", "STARRED", "CATEGORY_UPDATES", "Label_7"]
    for _ in range(sweep(20_000)):
        before = {name for name in names if random.random() < 0.5}
        now = {name for name in names if random.random() < 0.5}
        if random.random() < 0.5:
            now = (before - {"INBOX"}) | {"L"} if random.random() < 0.5 else set(before)
        found = verdict(Seen(frozenset(now)), before, EDIT, random.choice(OUTCOMES), is_last=random.random() < 0.5)
        assert (found == "verified") == (now == (before - {"INBOX"}) | {"L"})
        assert found not in ("not_sent", "failed") or now == before, "only unchanged mail is called untouched"
        hits[found] += 1
    assert min(hits[one] for one in ("verified", "conflict", "not_sent", "failed", "indeterminate")) >= 10, hits


@pytest.mark.contract("AP-6")
@pytest.mark.parametrize(
    ("status", "reason", "outcome"),
    [
        (200, None, "done"), (204, None, "done"), (302, None, "refused"), (400, "invalidArgument", "refused"),
        (401, "authError", "refused"), (403, "insufficientPermissions", "refused"), (404, "notFound", "refused"),
        (403, "rateLimitExceeded", "busy"), (403, "userRateLimitExceeded", "busy"), (429, "x", "busy"),
        (500, None, "busy"), (503, "backendError", "busy"), (None, "silent", "silent"), (None, None, "silent"),
        (None, SURELY_UNSENT, "unsent"),
    ],
)  # fmt: skip
def test_what_a_noted_answer_means(status: int | None, reason: str | None, outcome: str) -> None:
    noted = Answered(sequence=1, previous="0" * 64, intent=0, status=status, reason=reason)
    assert outcome_of(noted) == outcome and outcome_of(None) == "silent"


class Teller:
    """Raises or answers what it is told."""

    def __init__(self, told: Answer | Refusal) -> None:
        self.told = told

    def get_message(self, message_id: str) -> Answer:
        """What it was told."""
        if isinstance(self.told, Answer):
            return self.told
        raise self.told


@pytest.mark.parametrize(
    ("told", "sight"),
    [
        (Answer(200, {"id": "m1", "labelIds": ["A", "A"]}), Seen(frozenset({"A"}))),
        (Answer(200, {"id": "m1"}), Seen(frozenset())),
        (Answer(200, {"id": "m2", "labelIds": ["A"]}), Unseen("another message")),
        (Answer(200, {"labelIds": ["A"]}), Unseen("another message")),
        (Answer(200, {"id": "m1", "labelIds": None}), Unseen("another message")),
        (Answer(200, {"id": "m1", "labelIds": [None]}), Unseen("labels of an unknown form")),
        (GmailError("messages.get", 404, "notFound"), Gone()),
        (GmailError("messages.get", 403, "forbidden"), Unseen("status 403")),
        (Unanswered("messages.get", "ReadTimeout"), Unseen("no answer")),
        (Unreachable("down"), Unseen("unreachable")),
        (AnswerRefused("html"), Unseen("answer-refused")),
    ],
)
def test_a_read_is_a_sight_and_never_a_guess(told: Answer | Refusal, sight: object) -> None:
    assert look(Teller(told), "m1") == sight


def test_a_lost_identity_is_no_sight() -> None:
    with pytest.raises(SignInAgain):
        look(Teller(SignInAgain("sign in again")), "m1")


ARCHIVED = Made("m1", frozenset({"L"}), frozenset({"INBOX"}))


@pytest.mark.contract("AP-9")
@pytest.mark.parametrize(
    ("now", "give", "take", "kept"),
    [
        ({"L"}, ("INBOX",), ("L",), ()),
        ({"L", "STARRED"}, ("INBOX",), ("L",), ()),
        ({"L", "INBOX"}, (), ("L",), ("INBOX",)),
        (set(), ("INBOX",), (), ("L",)),
        ({"Label_7"}, ("INBOX",), (), ("L",)),
    ],
)
def test_label_by_label_only_our_after_state_is_taken_back(
    now: set[str], give: tuple[str, ...], take: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    assert judge_restore(ARCHIVED, Seen(frozenset(now))) == Restore(Wish("m1", give, take), kept, frozenset(now))


@pytest.mark.contract("AP-9")
@pytest.mark.parametrize(
    ("sight", "reason"),
    [
        (Seen(frozenset({"INBOX"})), "changed since by hand"),
        (Seen(frozenset({"INBOX", "STARRED"})), "changed since by hand"),
        (Seen(frozenset({"L", "TRASH"})), "in trash, spam or drafts"),
        (Seen(frozenset({"L", "SPAM"})), "in trash, spam or drafts"),
        (Gone(), "vanished"),
        (Unseen("no answer"), "could not be read: no answer"),
    ],
)
def test_what_is_left_alone_and_why(sight: Seen | Gone | Unseen, reason: str) -> None:
    assert judge_restore(ARCHIVED, sight) == Leave(reason)


def test_every_id_is_in_exactly_one_batch_and_batches_share_their_change() -> None:
    random = Random(46)
    for _ in range(sweep(500)):
        wishes = [
            random.choice([Wish(f"m{n}", ("A",), ()), Wish(f"m{n}", ("B",), ("INBOX",)), to_trash(f"m{n}")])
            for n in range(random.randint(0, 250))
        ]
        size = random.choice([1, 7, 100, 1000])
        cut = batches(wishes, size)
        assert sorted(one for batch in cut for one in batch.message_ids) == sorted(wish.message_id for wish in wishes)
        by_id = {wish.message_id: wish.change for wish in wishes}
        assert all(by_id[one] == (batch.verb, batch.add, batch.remove) for batch in cut for one in batch.message_ids)
        limits = [min(size, 100) if batch.verb == "modify" else 1 for batch in cut]
        assert all(1 <= len(batch.message_ids) <= limit for batch, limit in zip(cut, limits, strict=True))
        assert batches(reversed(wishes), size) == cut
