"""One execution after every check has passed: the drift gate, the labels, batch after batch, the end.

run = Execution(context, allowed, gateway)
findings = run.gate(allowed.targets)
run.work(run.changer(journal), labels)      # Finished, or PartlyDone, or the identity that was lost
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.changes.batches import Batch, Wish, batches, to_trash
from pipeline.changes.changer import Changer, ChangingGateway
from pipeline.changes.changing import Prepared, change_all
from pipeline.changes.closing import Finished, close, conclude
from pipeline.changes.drift import Changed, Finding, Steady, inspect, recheck
from pipeline.changes.journal import Journal
from pipeline.changes.labelling import UserLabels, make_labels
from pipeline.changes.touched import NoHistory, changes_since
from pipeline.context import Context
from pipeline.models.approval import GrantedApproval
from pipeline.models.manifest import Target
from pipeline.models.receipt import Excluded
from pipeline.refusals import AnswerRefused, BudgetRefused, Expired, IdentityRefused, Refusal
from pipeline.sealing.authority import Allowed, new_labels
from pipeline.sealing.grants import is_revoked


@dataclass(frozen=True, slots=True)
class Execution:
    """One run's fixed surroundings."""

    context: Context
    allowed: Allowed
    gateway: ChangingGateway

    @property
    def is_small(self) -> bool:
        """Whether every message is read, rather than proved by history."""
        return len(self.allowed.targets) <= self.allowed.manifest.limits.history_above_targets

    def changer(self, journal: Journal) -> Changer:
        """The run's way to the mailbox."""
        manifest, approval = self.allowed.manifest, self.allowed.approval
        expires_at = min(manifest.expires_at, approval.expires_at)
        clocks = self.context.monotonic, self.context.wall
        return Changer(self.gateway, journal, *clocks, expires_at, may_go_on=self.refuse_revoked)

    def refuse_revoked(self) -> None:
        """Silent unless the run is under a grant that was revoked meanwhile. Raises Expired."""
        approval = self.allowed.approval
        if isinstance(approval, GrantedApproval) and is_revoked(self.context.workspace, approval.grant):
            raise Expired("the grant was revoked while the run was under way", evidence=f"grant {approval.grant}",
                          next_command="gmailtriage grants")  # fmt: skip

    def targets_of(self, message_ids: tuple[str, ...]) -> tuple[Target, ...]:
        """The targets of these ids."""
        wanted = set(message_ids)
        return tuple(target for target in self.allowed.targets if target.message_id in wanted)

    def gate(self, targets: tuple[Target, ...]) -> dict[str, Finding]:
        """Every target against the mailbox, before anything is sent."""
        if self.is_small:
            return inspect(self.gateway, targets, NoHistory("a small run reads every thread"))
        newest = str(self.gateway.reattest().document.get("historyId", ""))
        return inspect(self.gateway, targets, changes_since(self.gateway, self.allowed.manifest.history_id, newest))

    def work(self, changer: Changer, labels: UserLabels) -> Finished:
        """Labels, then batches, then the end."""
        waiting = self.targets_of(changer.journal.progress.untouched())
        try:
            known = make_labels(changer, new_labels(waiting), labels)
        except (Expired, IdentityRefused) as stop:
            return self.end(changer, stop)
        wishes = {target.message_id: _wish(target, known) for target in waiting}
        exclude(changer, {one: Changed("its label could not be made") for one, wish in wishes.items() if wish is None})
        cut = batches((wish for wish in wishes.values() if wish is not None), self.allowed.manifest.limits.batch_size)
        return self.end(changer, change_all(changer, cut, lambda batch, now: self.prepare(changer, batch, now)))

    def prepare(self, changer: Changer, batch: Batch, history_id: str) -> Prepared:
        """The batch without what changed since the plan, with the labels that its messages wear now."""
        self.context.say(f"{len(batch.message_ids)} messages: {batch.said}")
        targets = self.targets_of(batch.message_ids)
        findings = self._recheck(targets, history_id)
        exclude(changer, findings)
        steady = {one: found.label_ids for one, found in findings.items() if isinstance(found, Steady)}
        changer.history_id = "" if self.is_small else history_id
        ready = batch.only(steady)
        return [(ready, steady)] if ready.message_ids else []

    def _recheck(self, targets: tuple[Target, ...], history_id: str) -> dict[str, Finding]:
        check = recheck if self.is_small else inspect
        try:
            touched = changes_since(self.gateway, self.allowed.manifest.history_id, history_id)
            return check(self.gateway, targets, touched)
        except (BudgetRefused, AnswerRefused) as trouble:
            self.gateway.reattest()  # a sick Gmail stops the run here and leaves it open; a sick thread does not
            return {target.message_id: Changed(f"could not be read: {trouble.slug}") for target in targets}

    def end(self, changer: Changer, stop: Refusal | None) -> Finished:
        """Close the receipt; then say what stopped the run, or what is not verified, or that all is well."""
        finished = close(changer, self.context.workspace)
        return conclude(finished, finished.listed, stop, "gmailtriage fetch (what is left is planned again)")


def _wish(target: Target, labels: UserLabels) -> Wish | None:
    if target.label is None:
        return to_trash(target.message_id)
    label = labels.id_of(target.label)
    removed = ("INBOX",) if target.change.kind == "archive" else ()
    return Wish(target.message_id, (label,), removed) if label is not None else None


def exclude(changer: Changer, findings: Mapping[str, Finding]) -> None:
    """Write down what changed and is left out."""
    for message_id, found in sorted(findings.items()):
        if isinstance(found, Changed):
            changer.journal.append(Excluded, message_id=message_id, reason=found.reason)
