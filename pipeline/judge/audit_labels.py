"""Whether the rules and the labels in Gmail still belong together.

    dangling_destination   mail was filed under a label that is gone or renamed, and rules still point to it
    unfilled_label         a label of ours in Gmail that no rule fills: its class has no rule, or left the taxonomy

A label that was never made is no finding: the next run that needs it makes it. Where no capture lists the labels,
nobody knows which are gone, and nothing is said.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pipeline.judge.rule_places import TAXONOMY_FILE
from pipeline.models.findings import Finding, number_of
from pipeline.models.rules import RuleSet


@dataclass(frozen=True, slots=True)
class Filed:
    """One message under a label that our run added: which label id, and the class that was decided then."""

    message_id: str
    label_id: str
    classification: str


def audit_labels(rules: RuleSet, labels: Mapping[str, str], filed: Iterable[Filed]) -> Iterator[Finding]:
    """Findings about labels; `labels` is the name of each user label by id, as Gmail lists them now."""
    if labels:
        listed = tuple(filed)
        yield from _dangling(rules, labels, listed)
        yield from _unfilled(rules, labels, listed)


def _dangling(rules: RuleSet, labels: Mapping[str, str], filed: tuple[Filed, ...]) -> Iterator[Finding]:
    now = {name.casefold() for name in labels.values()}
    for name, members in sorted(_by_class(filed).items()):
        found, pointing = rules.classification(name), fillers(rules, name)
        if found is None or not pointing or found.label.casefold() in now:
            continue
        renamed = sorted({labels[one.label_id] for one in members if one.label_id in labels})
        state = f"is called {renamed[0]} now" if renamed else "is gone"
        mend = f'edit {TAXONOMY_FILE}: label = "{renamed[0]}" for {name}' if renamed else _anew(name)
        mails, rivals = number_of(len(members), "message"), number_of(len(pointing), "rule")
        what = f"label {found.label}, the place of {mails}, {state}; used by {rivals}"
        ids = tuple(sorted(one.message_id for one in members))
        yield Finding("warning", "dangling_destination", name, what, mend, TAXONOMY_FILE, pointing[0], ids)


def _anew(name: str) -> str:
    return f"edit {TAXONOMY_FILE}: another label for {name}, or gmailtriage plan, whose run makes it anew"


def _by_class(filed: Iterable[Filed]) -> dict[str, list[Filed]]:
    found: dict[str, list[Filed]] = defaultdict(list)
    for one in filed:
        found[one.classification].append(one)
    return dict(found)


def fillers(rules: RuleSet, name: str) -> tuple[str, ...]:
    """The rules that file mail under a class; the review class is filled by mail that no rule decides."""
    named = tuple(rule.name for rule in rules.rules if rule.classification == name)
    return named or (("review",) if name == rules.review else ())


def _unfilled(rules: RuleSet, labels: Mapping[str, str], filed: tuple[Filed, ...]) -> Iterator[Finding]:
    now = {name.casefold(): name for name in labels.values()}
    for found in rules.classifications:
        if found.label.casefold() in now and not fillers(rules, found.name):
            mend = f"edit: a rule for {found.name}, or take it out of {TAXONOMY_FILE} and delete the label in Gmail"
            what = f"no rule files anything under {found.label}"
            yield Finding("warning", "unfilled_label", found.label, what, mend, TAXONOMY_FILE)
    for label_id in sorted({one.label_id for one in filed if one.label_id in labels}):
        name = labels[label_id]
        if name.casefold() not in rules.folded_label_names and not _is_renamed(rules, now, label_id, filed):
            mend = f"edit {TAXONOMY_FILE}: a class with this label, or delete the label in Gmail"
            what = f"a run of ours filed mail under {name}, and no class has this label any more"
            yield Finding("warning", "unfilled_label", name, what, mend, TAXONOMY_FILE)


def _is_renamed(rules: RuleSet, now: Mapping[str, str], label_id: str, filed: tuple[Filed, ...]) -> bool:
    """Whether it is told already, as the new name of a label that rules point to."""
    classes = (rules.classification(one.classification) for one in filed if one.label_id == label_id)
    return any(
        found is not None and fillers(rules, found.name) and found.label.casefold() not in now for found in classes
    )
