"""Labels by name: which exist, which must be made, and making one at most once.

Names are unique without regard to case, so a label that appeared meanwhile under another spelling is the label. A
create request is sent once and never again, unless it surely never left. Its answer is not believed: the list of labels
says which id the name has, and after a conflict or a lost answer it says so too. A label that the plan names must still
have the name it had.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pipeline.changes.changer import Changer, ChangingGateway, perform
from pipeline.changes.readback import SURELY_UNSENT
from pipeline.gmail.answers import Answer
from pipeline.models.document import is_label_id
from pipeline.models.manifest import ExistingLabel, LabelRef, Target
from pipeline.models.operation import CreateLabel, is_user_label
from pipeline.models.receipt import LabelCreated
from pipeline.refusals import AnswerRefused, DriftAborted


@dataclass(frozen=True, slots=True)
class UserLabels:
    """The account's user labels: name by id, and id by casefolded name."""

    names: Mapping[str, str]
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
    return UserLabels(dict(pairs), {name.casefold(): one for one, name in pairs})


def _user_label(item: object) -> tuple[str, str] | None:
    if not isinstance(item, dict):
        raise AnswerRefused("a label is no object", evidence="labels.list")
    label_id, name, kind = item.get("id"), item.get("name"), item.get("type", "user")
    if not isinstance(label_id, str) or not isinstance(name, str):
        raise AnswerRefused("a label has no id or name", evidence="labels.list")
    is_usable = kind == "user" and is_label_id(label_id) and is_user_label(label_id)
    return (label_id, name) if is_usable else None


def refuse_lost_labels(labels: UserLabels, targets: Iterable[Target]) -> None:
    """Silent when every label that the plan relies on exists under the name that was approved. Raises DriftAborted:
    making it, or using it for something else, was not approved."""
    wanted = {ref.id: ref.name for target in targets if isinstance(ref := target.label, ExistingLabel)}
    lost = sorted(f"{name} ({one})" for one, name in wanted.items() if labels.names.get(one) != name)
    if lost:
        raise DriftAborted("a label of the plan is gone or has another name; nothing more was sent",
                           evidence=", ".join(lost),
                           next_command="gmailtriage fetch, then gmailtriage plan")  # fmt: skip


def make_labels(changer: Changer, names: Iterable[str], labels: UserLabels) -> UserLabels:
    """The labels after every approved name was made or found; a name that could not be is simply not there."""
    known, wanted = labels, tuple(names)
    for name in wanted:
        if name.casefold() not in known.by_name and _may_make(changer, name):
            known = _make(changer, name, known)
    for name in wanted:
        if name.casefold() in known.by_name:  # also one that only a later list showed: unnoted, it must not be used
            _note_found(changer, name, known)
    return known


def _may_make(changer: Changer, name: str) -> bool:
    """Whether no request to make this label can have reached Gmail."""
    progress = changer.journal.progress
    sequence = progress.label_intents.get(name.casefold())
    if sequence is None:
        return True
    answer = progress.answers.get(sequence)
    return answer is not None and answer.status is None and answer.reason == SURELY_UNSENT


def _make(changer: Changer, name: str, labels: UserLabels) -> UserLabels:
    changer.check()
    answer = perform(changer, changer.journal.intent(CreateLabel(name=name), {}))
    found = read_labels(changer.gateway)
    label_id = found.by_name.get(name.casefold())
    if label_id is None:
        return found
    if isinstance(answer, Answer) and answer.document.get("id") == label_id and label_id not in labels.names:
        changer.journal.append(LabelCreated, name=name, id=label_id, is_ours=True)
    else:
        _note_found(changer, name, found)
    return found


def _note_found(changer: Changer, name: str, labels: UserLabels) -> None:
    label_id = labels.by_name[name.casefold()]
    if changer.journal.progress.labels.get(name.casefold()) != label_id:
        changer.journal.append(LabelCreated, name=name, id=label_id, is_ours=False)
