"""A mailbox, its owner's hands, runs, faults, kills, resumes and undos in any order, against a small model.

What always holds: only approved changes of approved targets are sent, or the inverse of a receipt; what a receipt calls
verified is so; its prior labels are the true ones; nothing is pulled out of trash or spam; an undo leaves what an
independent word says; and when everything is undone, mail that no person touched is as it was in the beginning.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from pipeline.changes.inverse import VANISHED
from pipeline.models.manifest import ExistingLabel, LabelRef, NewLabel
from pipeline.models.operation import CreateLabel, MailChange, ModifyLabels, Trash, Untrash
from pipeline.models.receipt import Closed
from pipeline.refusals import AlreadyUndone, NothingToDo, PartlyDone, Refusal
from pipeline.sealing.progress import Progress, fold_events
from pipeline.sealing.receipts import StoredReceipt, load_receipts
from tests.fakes import KEY, MINE, Fault, Killed, Template, World, killing, mail
from tests.guarantees.trashes import WAYS
from tests.guarantees.undos import expected
from tests.strategies.kills import ENDED, state_of
from tests.sweeps import IS_FULL, sweep, told

pytestmark = pytest.mark.usefixtures("quick")

HAND_LABELS = ("STARRED", "UNREAD", "INBOX", "Label_7", MINE)
AWAY = {"TRASH", "SPAM"}
FAULT_KINDS = ("drop-before", "drop-after", "429", "500", "403", "404", "garbage", "unsent", "pretended", "401")
METHODS = ("messages.batchModify", "messages.get", "threads.get", "labels.create", "labels.list", "getProfile",
           "messages.trash", "messages.untrash")  # fmt: skip
DENIAL = ("messages.get", "404", True)
"""A Gmail that denies every message until the command is over."""
STEPS = 50 if IS_FULL else 9
FLOORS = ("done", "partly-done", "drift-aborted", "expired", "consumed", "killed execute", "resumed", "undone",
          "killed undo", "already-undone", "busy", "edited while a run was open", "undone over a person's hand",
          "left as it was in the beginning", "trash", "trash killed", "untrash",
          *(["untrash killed", "out of the trash after a person's hand"] if IS_FULL else []))  # fmt: skip
"""What a sweep must have met; the last two are too rare for three hundred short lives, and test_trash.py and
test_trash_killed.py meet them always."""

faults = st.lists(
    st.builds(Fault, st.sampled_from(METHODS), st.integers(1, 4), st.sampled_from(FAULT_KINDS), st.booleans()),
    max_size=1,
)
messages = st.integers(0, 9)
kinds = st.lists(st.sampled_from(("archive", "archive", "label", "")), min_size=9, max_size=9)
organizing = st.tuples(kinds, st.booleans())
trashing = st.lists(st.sampled_from(("trash", "trash", "")), min_size=9, max_size=9).map(lambda one: (one, False))
plans = organizing | organizing | trashing
"""Kinds by message, all of labels or all of trash, and whether the label has to be made."""


@dataclass
class Allowed:
    """What one approved manifest allows: message -> kind, the label's name, and the mailboxes since its run began."""

    wishes: dict[str, str]
    label: str
    seen: list[dict[str, set[str]]] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)

    @property
    def is_trash(self) -> bool:
        """Whether it moves mail to the trash; then it does nothing else."""
        return "trash" in self.wishes.values()


class Machine(RuleBasedStateMachine):
    """The rules are what a person, Gmail and our commands may do next."""

    template: ClassVar[Template]
    past: ClassVar[dict[str, "Allowed"]]
    beginning: ClassVar[dict[str, set[str]]]
    folder: ClassVar[Path]
    hits: ClassVar[Counter[str]] = Counter()
    number: ClassVar[int] = 0

    @initialize(way=st.sampled_from(WAYS))
    def begin(self, way: tuple[bool, bool]) -> None:
        """Six messages, two of one thread, and a past: a run that stands and one that was undone; one of the four ways
        in which Gmail may treat INBOX in the trash and after it."""
        Machine.number += 1
        self.world = self.template.fresh(self.folder / str(Machine.number))
        self.world.mailbox.trash_keeps_inbox, self.world.mailbox.untrash_gives_inbox = way
        self.first = deepcopy(self.beginning)
        self.by_hand: set[str] = set()
        self.allowed = deepcopy(self.past)
        self.waiting = list(self.allowed)
        self.is_begun = True

    # --- the owner

    @rule(labels=st.sets(st.sampled_from(("INBOX", "UNREAD", "STARRED")), max_size=2), answers=messages)
    def a_message_arrives(self, labels: set[str], answers: int) -> None:
        """A new message, perhaps in a thread that is planned."""
        box = self.world.mailbox
        if len(box.messages) < 9:
            name = f"m{len(self.first) + 1}"
            box.arrive(
                mail(name, *sorted(labels), thread=box.messages[self._one(answers)].thread if answers < 4 else "")
            )
            self.first[name] = set(labels)
            self._touch(name)

    @rule(which=messages, label=st.sampled_from(HAND_LABELS), is_added=st.booleans())
    def a_hand_edits(self, which: int, label: str, is_added: bool) -> None:
        """A star, a move, a read mark, our own label on or off."""
        name = self._one(which)
        self.world.mailbox.edit(name, **{"add" if is_added else "remove": (label,)})
        self._touch(name)

    @rule(which=messages, how=st.sampled_from(("TRASH", "SPAM", "delete", "rescue")))
    def a_hand_throws_away(self, which: int, how: str) -> None:
        """Into trash or spam, out of it, or gone for good."""
        name, box = self._one(which), self.world.mailbox
        self._touch(name)
        if how == "rescue":
            box.edit(name, remove=tuple(AWAY & box.labels_of(name)))
        elif how == "delete" and len(box.messages) > 3:
            box.vanish(name)
        elif how != "delete":
            box.edit(name, add=(how,))

    @rule(minutes=st.sampled_from((1, 1, 2, 5, 61)))
    def time_passes(self, minutes: int) -> None:
        """The hour of an approval may be over."""
        self.world.clock.pass_minutes(minutes)

    # --- our commands

    @rule(plan=plans)
    def a_plan_is_approved(self, plan: tuple[list[str], bool]) -> None:
        """Mail of the inbox, some to be labelled, some to be archived; or any mail to be trashed."""
        self._approve(*plan)

    @rule(plan=plans, again=messages, found=faults, meanwhile=messages)
    def a_run_is_executed(self, plan: tuple[list[str], bool], again: int, found: list[Fault], meanwhile: int) -> None:
        """A new one, the newest approval, or one that was used; something may go wrong on the way."""
        digest = self._chosen(*plan, again)
        if meanwhile == 1:
            self.world.clock.pass_minutes(61)
        for name in self.allowed[digest].wishes if meanwhile == 2 else ():
            self._star(name)
        self._execute(digest, found, 0, is_torn=False)

    @rule(plan=plans, again=messages, at=st.integers(1, 90), is_torn=st.booleans(), found=faults)
    def a_run_is_killed(
        self, plan: tuple[list[str], bool], again: int, at: int, is_torn: bool, found: list[Fault]
    ) -> None:
        """At any step; the next command finds what it left."""
        digest = self._chosen(*plan, again)
        steps = self._execute(digest, found, at, is_torn=is_torn)
        if ENDED not in steps:
            self.hits["killed execute"] += 1
            self.hits["trash killed"] += self.allowed[digest].is_trash
            self.hits[f"killed at: {state_of(steps)}"] += 1

    @rule(which=messages, found=faults)
    def a_run_is_undone(self, which: int, found: list[Fault]) -> None:
        """Any closed run, also one that was undone before."""
        self._undo(which, found)

    @rule(which=messages, at=st.integers(1, 80), found=faults)
    def an_undo_is_killed(self, which: int, at: int, found: list[Fault]) -> None:
        """At any step."""
        if self._undo(which, found, at):
            self.hits["killed undo"] += 1

    def teardown(self) -> None:
        """Finish what is open, undo everything, newest first: mail that nobody touched is as in the beginning."""
        if hasattr(self, "is_begun"):
            self._finish()
            self._judge_all()
            for stored in reversed(self._closed()):
                self._take_back(stored)
            self._compare_with_the_beginning()
            rmtree(self.world.context.workspace.root)

    # --- underneath

    def _one(self, which: int) -> str:
        names = sorted(self.world.mailbox.messages)
        return names[which % len(names)]

    def _chosen(self, kinds: list[str], is_new: bool, again: int) -> str:
        """What is open comes first; else a new approval; now and then one that was used or waits."""
        opened = [one.receipt.opened for one in self._open() if one.receipt.opened.purpose == "execute"]
        if opened and again:
            return opened[0].manifest
        used = {one.receipt.opened.manifest for one in self._closed()}
        if again == 9 or (self.waiting[-1] not in used and again > 4):
            return self.waiting[again % len(self.waiting)] if again == 9 else self.waiting[-1]
        self._approve(kinds, is_new)
        return self.waiting[-1]

    def _approve(self, kinds: list[str], is_new: bool) -> bool:
        """Plan, freeze and approve; whether that was allowed."""
        box = self.world.mailbox
        here = [one for one in sorted(box.messages) if not AWAY & box.labels_of(one)]
        found = here if "trash" in kinds else [one for one in here if "INBOX" in box.labels_of(one)]
        wishes = {one: kind for one, kind in zip(found, kinds, strict=False) if kind}
        assume(wishes)
        label = self._label(is_new)
        self.world.clock.pass_minutes(0.1)
        self.world.capture()
        try:
            digest = self.world.ready(wishes, label)
        except Refusal as refusal:
            assert refusal.slug == "busy" and self._open()
            self.hits["busy"] += 1
            return False
        self.allowed[digest] = Allowed(wishes, label.create if isinstance(label, NewLabel) else label.name)
        self.waiting.append(digest)
        return True

    def _label(self, is_new: bool) -> LabelRef:
        """Our label, or one that has to be made the first time."""
        made = [one for one, name in self.world.mailbox.labels.items() if name == "Jobs/New"]
        if is_new:
            return ExistingLabel(id=made[0], name="Jobs/New") if made else NewLabel(create="Jobs/New")
        return ExistingLabel(id=MINE, name="Job Alert")

    def _star(self, name: str) -> None:
        """The owner stars a planned message."""
        if name in self.world.mailbox.messages:
            self.world.mailbox.edit(name, add=("STARRED",))
            self._touch(name)

    def _touch(self, name: str) -> None:
        self.by_hand.add(name)
        for stored in self._stored():
            if not stored.receipt.is_closed and stored.receipt.opened.purpose == "execute":
                self.hits["edited while a run was open"] += 1
        for allowed in self.allowed.values():
            allowed.touched.add(name)

    def _stored(self) -> tuple[StoredReceipt, ...]:
        return load_receipts(self.world.context.workspace)

    def _closed(self) -> list[StoredReceipt]:
        return [one for one in self._stored() if one.receipt.is_closed and one.receipt.opened.purpose == "execute"]

    def _open(self) -> list[StoredReceipt]:
        return [one for one in self._stored() if not one.receipt.is_closed]

    def _execute(self, digest: str, found: list[Fault], at: int, *, is_torn: bool) -> list[str]:
        """One execution under faults and perhaps to its death; its requests are judged."""
        allowed, was_open = self.allowed[digest], bool(self._open())
        allowed.seen.append(self.world.mailbox.label_sets())
        before = len(self.world.mailbox.changes)
        steps, slug = self._run(found, lambda: self.world.execute(digest), at, is_torn)
        if slug:
            self.hits[slug] += 1
        if slug in ("done", "partly-done") and was_open:
            self.hits["resumed"] += 1
        ids = {one for one, name in self.world.mailbox.labels.items() if name == allowed.label}
        self.hits["trash"] += allowed.is_trash and slug == "done"
        for change in self.world.mailbox.changes[before:]:
            if allowed.is_trash:
                assert isinstance(change, Trash) and change.message_id in allowed.wishes
            elif isinstance(change, ModifyLabels):
                kinds = {allowed.wishes[one] for one in change.message_ids}
                assert set(change.add) <= ids and len(change.add) == 1
                assert kinds == {"archive" if change.remove == ("INBOX",) else "label"} and change.remove in (
                    (),
                    ("INBOX",),
                )
            else:
                assert isinstance(change, CreateLabel) and change.name == allowed.label
        return steps

    def _run(self, found: list[Fault], act: Callable[[], object], at: int, is_torn: bool) -> tuple[list[str], str]:
        """The steps, and how it ended; no word when it was killed."""
        self.world.clock.pass_minutes(0.1)
        asked = self.world.mailbox.asked
        self.world.gmail.faults = [
            Fault(one.method, asked[one.method] + one.nth, one.kind, one.forever) for one in found
        ]
        seen: list[str] = []
        slug = ""
        with killing(self.world, at, seen, is_torn=is_torn, only="" if at else "never"), suppress(Killed):
            slug = ended(act)
            seen.append(ENDED)
        self.world.gmail.faults = []
        return seen, slug

    def _undo(self, which: int, found: list[Fault], at: int = 0) -> bool:
        """One undo of some closed run, judged; whether it was killed."""
        closed = self._closed()
        stored = closed[-1] if which < 6 else closed[which % len(closed)]
        is_first = not any(one.receipt.opened.undoes == stored.run for one in self._stored())
        now, before = self.world.mailbox.label_sets(), len(self.world.mailbox.changes)
        steps, slug = self._run(found, lambda: self.world.undo(stored.run, stored.sha256), at, False)
        ours, is_trash = ours_of(stored), self.allowed[stored.receipt.opened.manifest].is_trash
        for change in self.world.mailbox.changes[before:]:
            refuse_foreign_inverse(change, ours, is_trash=is_trash)
        self.hits["untrash"] += is_trash and slug == "done"
        self.hits["untrash killed"] += is_trash and ENDED not in steps
        self._judge_undo(stored, now, self._denied(stored, found), is_whole=slug == "done" and is_first)
        if slug:
            self.hits["undone" if slug == "done" else slug] += 1
        return ENDED not in steps

    def _denied(self, stored: StoredReceipt, found: list[Fault]) -> set[str]:
        """What Gmail denied, twice and wrongly, in the newest undo of a run: listed as vanished, not settled."""
        undos = [one for one in self._stored() if one.receipt.opened.undoes == stored.run]
        if not undos or not any((one.method, one.kind, one.forever) == DENIAL for one in found):
            return set()
        excluded = fold_events(undos[-1].receipt.events).excluded
        gone = {one for one, why in excluded.items() if why == VANISHED} & self.world.mailbox.messages.keys()
        self.hits["denied for a while"] += bool(gone)
        return gone

    def _judge_undo(self, stored: StoredReceipt, now: dict[str, set[str]], denied: set[str], *, is_whole: bool) -> None:
        """Each message is as it was right before, or as the independent word says; the latter when nothing failed and
        Gmail did not deny it."""
        ours, prior = ours_of(stored), fold_events(stored.receipt.events).first_before
        for name, labels in self.world.mailbox.label_sets().items():
            if name not in ours:
                assert labels == now[name], name
                continue
            if "TRASH" in ours[name]:
                self._judge_untrashed(name, now[name], ours[name], is_whole=is_whole and name not in denied)
                continue
            wanted = expected(set(prior[name]), now[name], ours[name])
            assert labels in ((wanted,) if is_whole and name not in denied else (wanted, now[name])), name
            if is_whole and name in self.by_hand:
                self.hits["undone over a person's hand"] += 1

    def _judge_untrashed(self, name: str, now: set[str], ours: set[str], *, is_whole: bool) -> None:
        """Out of the trash with INBOX as it was; while that goes on, INBOX may be there or not, and nothing else."""
        labels = self.world.mailbox.labels_of(name)
        wanted = untrashed(now, ours)
        if is_whole:
            assert labels == wanted, name
            self.hits["out of the trash after a person's hand"] += name in self.by_hand and labels != now
        else:
            assert labels == now or (labels - {"INBOX"} == wanted - {"INBOX"} and not labels & AWAY), name

    def _judge_all(self) -> None:
        """Every closed receipt of an execution, its verdicts and its prior labels."""
        assert self.world.mailbox.revived == []
        for stored in self._closed():
            self._judge(stored)

    def _judge(self, stored: StoredReceipt) -> None:
        progress, closed = fold_events(stored.receipt.events), stored.receipt.events[-1]
        allowed = self.allowed[stored.receipt.opened.manifest]
        assert isinstance(closed, Closed) and closed.is_authentic(KEY) and not progress.pending
        assert sum(closed.statuses.values()) == len(allowed.wishes)
        for name, labels in progress.first_before.items():
            assert set(labels) in [seen.get(name) for seen in allowed.seen], name
        if stored.run == self._stored()[-1].run:
            self._judge_now(progress, allowed)

    def _judge_now(self, progress: Progress, allowed: Allowed) -> None:
        """The newest run against the mailbox itself, where no hand came after it."""
        for name, status in progress.statuses().items():
            if name in allowed.touched or name not in self.world.mailbox.messages:
                continue
            prior, now = allowed.seen[0][name], self.world.mailbox.labels_of(name)
            if status == "verified":
                assert now == self._wanted(progress.operations[name], prior), name
            if status in ("not_sent", "failed"):
                assert now == prior, name

    def _wanted(self, operation: MailChange, prior: set[str]) -> set[str]:
        """What a message must wear after a verified change."""
        if isinstance(operation, ModifyLabels):
            return (prior | set(operation.add)) - set(operation.remove)
        return (prior | {"TRASH"}) - (set() if self.world.mailbox.trash_keeps_inbox else {"INBOX"})

    def _finish(self) -> None:
        """Every open run is closed by its own command."""
        for _ in range(8):
            for stored in self._open():
                opened = stored.receipt.opened
                with suppress(Refusal):
                    source = next((one for one in self._closed() if one.run == opened.undoes), None)
                    self.world.execute(opened.manifest) if source is None else self.world.undo(
                        source.run, source.sha256
                    )
        assert not self._open(), "a run that never closes"

    def _take_back(self, stored: StoredReceipt) -> None:
        for _ in range(5):
            try:
                self.world.undo(stored.run, stored.sha256)
            except (AlreadyUndone, NothingToDo):
                return
            except PartlyDone:
                continue
        raise AssertionError("an undo that never ends")

    def _compare_with_the_beginning(self) -> None:
        for name, labels in self.world.mailbox.label_sets().items():
            if name not in self.by_hand:
                assert labels == self.first[name], name
                self.hits["left as it was in the beginning"] += 1


def ended(act: Callable[[], object]) -> str:
    """How a command ended, in a word."""
    try:
        act()
    except Refusal as refusal:
        return refusal.slug
    return "done"


def refuse_foreign_inverse(change: MailChange | CreateLabel, ours: Mapping[str, set[str]], *, is_trash: bool) -> None:
    """Of an undo of labels: those that the run changed, the other way. Of trash: out of it, and INBOX as it was."""
    if is_trash:
        assert isinstance(change, Untrash | ModifyLabels) and set(change.message_ids) <= ours.keys()
        assert not isinstance(change, ModifyLabels) or {*change.add, *change.remove} == {"INBOX"}
        return
    assert isinstance(change, ModifyLabels)
    assert all(set(change.add) <= ours[one] & {"INBOX"} for one in change.message_ids)
    assert all(set(change.remove) <= ours[one] - {"INBOX"} for one in change.message_ids)


def untrashed(now: set[str], ours: set[str]) -> set[str]:
    """An independent word on what an undo leaves of mail that its run trashed: what a person took out of the trash, or
    moved on to spam, stays; INBOX comes back where the trash took it or a person gave it."""
    if "TRASH" not in now or "SPAM" in now:
        return now
    return (now - {"TRASH"}) | (ours & {"INBOX"})


def ours_of(stored: StoredReceipt) -> dict[str, set[str]]:
    """The labels that a run may have changed, by message; what Gmail refused is nothing."""
    progress = fold_events(stored.receipt.events)
    found = {}
    for name, operation in progress.operations.items():
        if progress.status(name) in ("verified", "conflict", "indeterminate", "vanished"):
            before, after = set(progress.first_before[name]), progress.after[name].label_ids
            if isinstance(operation, ModifyLabels):
                found[name] = (set(operation.add) - before) | (set(operation.remove) & before)
            elif after is None or "TRASH" in after:
                found[name] = {"TRASH"} | ((before & {"INBOX"}) - set(after or ()))
    return found


@pytest.fixture
def machine(tmp_path: Path, quick: None) -> Iterator[type[Machine]]:
    """The machine over a small mailbox with a past, and a folder of its own."""
    box = [mail(f"m{n}", "INBOX") for n in (1, 2, 3)]
    box += [mail("m4", "INBOX", "Label_7", thread="m3"), mail("m5", "INBOX", MINE), mail("m6", "INBOX", "UNREAD")]
    world = World.make(tmp_path / "world", box, status="cleanup-enabled", batch_size=2, drift_share=0.5)
    Machine.beginning, Machine.past = world.mailbox.label_sets(), {}
    for wishes in ({"m1": "archive", "m2": "label"}, {"m3": "archive", "m6": "archive"}):
        seen = [world.mailbox.label_sets()]
        digest = world.ready(wishes)
        run = world.execute(digest).run
        Machine.past[digest] = Allowed(wishes, "Job Alert", seen, {"m3", "m6"} & wishes.keys())
        world.clock.pass_minutes(1)
    world.undo(run)
    world.clock.pass_minutes(1)
    Machine.template = Template(world)
    Machine.hits.clear()
    with TemporaryDirectory(dir=tmp_path) as folder:
        Machine.folder = Path(folder)
        yield Machine


@pytest.mark.contract("AP-9", "P3")
@pytest.mark.filterwarnings("ignore:Using `assume`")  # the machine's own, which is driven by hand here
@pytest.mark.parametrize("kinds", [["archive"] * 9, ["label"] * 9, ["trash"] * 9])
def test_a_gmail_that_denies_every_message_during_one_undo_is_asked_again_by_the_next(
    machine: type[Any], kinds: list[str]
) -> None:
    for nth in (1, 2, 3):
        for way in WAYS:
            state = machine()
            state.begin(way)
            state.a_run_is_executed((kinds, False), 0, [], 0)
            state.a_run_is_undone(0, [Fault("messages.get", nth, "404", True)])
            state.teardown()
    assert machine.hits["denied for a while"] and machine.hits["left as it was in the beginning"]


@pytest.mark.contract("AP-9", "AP-6", "AP-4", "P1", "P2", "P3")
def test_a_mailbox_its_owner_and_our_commands_in_any_order(machine: type[Any]) -> None:
    examples = sweep(3000)
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    chosen = settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        derandomize=not IS_FULL,
        suppress_health_check=checks,
    )
    run_state_machine_as_test(machine, settings=chosen)
    told("machine", machine.hits, runs=examples, states=FLOORS, floor=10 if IS_FULL else 1)
