"""The product's decisions against the slow judge's, field by field."""

from typing import Any

from pipeline.mail.reader import Mail, read_message
from tests.reference.decide import Known, decide_all
from tests.strategies.judged_worlds import OURS, World
from tests.strategies.judgement import AS_OF


def known_of(world: World) -> Known:
    """What the slow judge is told: the mail, the tables of other stages, the rules."""
    mails = (read_message(one) for one in world.resources)
    rows = {name: world.tables[name].rows(named=True) for name in ("threads", "mail_state", "screen", "protected")}
    return Known(
        mails={mail.id: mail for mail in mails if isinstance(mail, Mail)},
        screens={row["message_id"]: row["verdict"] for row in rows["screen"]},
        protected={row["message_id"]: row["classes"] for row in rows["protected"]},
        states={row["message_id"]: row for row in rows["mail_state"]},
        threads={row["id"]: row for row in rows["threads"]},
        our_labels=[OURS],
        rules=world.rules,
        policy=world.policy,
        as_of=AS_OF,
        hits={},
    )


def differences(world: World) -> list[tuple[Any, ...]]:
    """(field, message id, fast, slow) wherever the two judges differ; empty when every record is the same."""
    slow = decide_all(world.tables["messages"].rows(named=True), known_of(world))
    pairs = zip(world.decisions, slow, strict=True)
    return [(name, a["message_id"], a[name], b[name]) for a, b in pairs for name in a if a[name] != b[name]]
