"""Labels by name: which exist, which must be made, and making one at most once.

Names are unique without regard to case, so a label that appeared meanwhile under another spelling is the label. A
create request is sent once and never again: after a conflict or a lost answer we look instead.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pipeline.changes.changer import Changer, ChangingGateway, perform
from pipeline.gmail.answers import Answer
from pipeline.models.manifest import ExistingLabel, LabelRef, Target
from pipeline.models.operation import CreateLabel, is_user_label
from pipeline.models.receipt import LabelCreated
from pipeline.refusals import AnswerRefused, DriftAborted


@dataclass(frozen=True, slots=True)
class UserLabels:
    """The account's user labels: their ids, and id by casefolded name."""

    ids: frozenset[str]
    by_name: Mapping[str, str]

    def id_of(self, ref: LabelRef) -> str | None:
        """The id behind a reference, or None while it does not exist."""
        return ref.id if isinstance(ref, ExistingLabel) else self.by_name.get(ref.create.casefold())


def read_labels(gateway: ChangingGateway) -> UserLabels:
    """The account's user labels now. Raises AnswerRefused for a list of unknown shape, BudgetRefused's kinds."""
    listed = gateway.list_labels().document.get("labels", [])
    if not isinstance(listed, list):
        raise AnswerRefused("the label list is no list", evidence="labels.list")
    pairs = [pair for item in listed if (pair := _user_label(item)) is not None]
    return UserLabels(frozenset(one for one, _ in pairs), {name.casefold(): one for one, name in pairs})


def _user_label(item: object) -> tuple[str, str] | None:
    if not isinstance(item, dict):
        raise AnswerRefused("a label is no object", evidence="labels.list")
    label_id, name, kind = item.get("id"), item.get("name"), item.get("type", "user")
    if not isinstance(label_id, str) or not isinstance(name, str):
        raise AnswerRefused("a label has no id or name", evidence="labels.list")
    return (label_id, name) if kind == "user" and is_user_label(label_id) else None


def refuse_lost_labels(labels: UserLabels, targets: Iterable[Target]) -> None:
    """Silent when every label that the plan relies on exists. Raises DriftAborted: making it was not approved."""
    wanted = {ref.id for target in targets if isinstance(ref := target.change.label, ExistingLabel)}
    lost = sorted(wanted - labels.ids)
    if lost:
        raise DriftAborted("a label of the plan is gone; nothing was sent", evidence=", ".join(lost),
                           next_command="gmailtriage fetch, then gmailtriage plan")  # fmt: skip


def make_labels(changer: Changer, names: Iterable[str], labels: UserLabels) -> UserLabels:
    """The labels after every approved name was made or found; a name that could not be is simply not there."""
    known = labels
    for name in names:
        if name.casefold() in known.by_name:
            _note_found(changer, name, known)
        elif name.casefold() not in changer.journal.progress.label_intents:
            known = _make(changer, name, known)
    return known


def _make(changer: Changer, name: str, labels: UserLabels) -> UserLabels:
    changer.check()
    answer = perform(changer, changer.journal.intent(CreateLabel(name=name), {}))
    if isinstance(answer, Answer) and (label_id := _created_id(answer, name)) is not None:
        changer.journal.append(LabelCreated, name=name, id=label_id, is_ours=True)
        return UserLabels(labels.ids | {label_id}, {**labels.by_name, name.casefold(): label_id})
    found = read_labels(changer.gateway)
    if name.casefold() in found.by_name:
        _note_found(changer, name, found)
    return found


def _created_id(answer: Answer, name: str) -> str | None:
    label_id, given = answer.document.get("id"), answer.document.get("name")
    is_ours = isinstance(given, str) and given.casefold() == name.casefold()
    return label_id if is_ours and isinstance(label_id, str) and is_user_label(label_id) else None


def _note_found(changer: Changer, name: str, labels: UserLabels) -> None:
    label_id = labels.by_name[name.casefold()]
    if changer.journal.progress.labels.get(name.casefold()) != label_id:
        changer.journal.append(LabelCreated, name=name, id=label_id, is_ours=False)
