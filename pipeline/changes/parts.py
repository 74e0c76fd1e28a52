"""Which part of a run an undo is about: the run's own messages, chosen by id, group or sender. Pure.

What the selectors look at comes out of sealed documents (groups from the manifest, senders from the run's decisions
log), so an undo of a part means the same after rules, policy and mail have changed.

    rows = rows_of_run(made, manifest.targets, read_decisions_log(workspace, approval))
    select(rows, ("group:job_alert",), ())
"""

from collections.abc import Iterable

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.changes.inverse import Made
from pipeline.models.decision import Decision
from pipeline.models.manifest import Target
from pipeline.sealing.selecting import Row, group_of


def rows_of_run(made: Iterable[Made], targets: Iterable[Target], decisions: Iterable[Decision]) -> tuple[Row, ...]:
    """A row for each message that the run changed, undone since or not, sorted by id."""
    groups = {target.message_id: group_of(target) for target in targets}
    senders = {decision.message_id: decision.sender for decision in decisions}
    return tuple(Row(one.message_id, groups[one.message_id], senders.get(one.message_id)) for one in made)


def part_digest(receipt_sha256: str, message_ids: tuple[str, ...], *, is_whole: bool) -> str:
    """What a person confirms: the receipt's digest, or for a part of it a digest of the receipt and the exact ids."""
    if is_whole:
        return receipt_sha256
    return sha256_hex(canonical_bytes({"receipt": receipt_sha256, "message_ids": message_ids}))
