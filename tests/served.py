"""A twin behind HTTP, a loopback account, and a world that plans for it over the real client and the real gate.

with served(tmp_path) as loop:
    loop.world.execute(loop.world.ready(WISHES, NewLabel(create="Jobs/Alerts")))
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipeline.artifacts import Place
from pipeline.session import Request, open_session
from tests.fakes import OWNER, Clock, Mail, Mailbox, World, mail, stored
from twin.auth import scopes
from twin.running import Twin
from twin.serve import serve

MESSAGES = [
    mail("18f0a1b2c3d40001", "INBOX", "UNREAD"),
    mail("18f0a1b2c3d40002", "INBOX", "CATEGORY_UPDATES"),
    mail("18f0a1b2c3d40003", "INBOX"),
    mail("18f0a1b2c3d40004", "INBOX", thread="18f0a1b2c3d40003"),
    mail("18f0a1b2c3d40005", "INBOX", "STARRED"),
]
WISHES = {
    "18f0a1b2c3d40001": "archive",
    "18f0a1b2c3d40002": "archive",
    "18f0a1b2c3d40003": "label",
    "18f0a1b2c3d40004": "archive",
}


@dataclass
class Loop:
    """A twin behind HTTP and a world that plans for it."""

    twin: Twin
    world: World


def resource(one: Mail) -> dict[str, object]:
    """A message as Gmail JSON."""
    headers = [{"name": "From", "value": "alerts@boardly.example"}, {"name": "Subject", "value": "New jobs"}]
    return {
        "id": one.id,
        "threadId": one.thread,
        "labelIds": sorted(one.labels),
        "internalDate": str(one.date_ms),
        "payload": {"mimeType": "text/plain", "headers": headers, "body": {"size": 6, "data": "SGVsbG8u"}},
    }


@contextmanager
def served(tmp_path: Path) -> Iterator[Loop]:
    """A served twin, a loopback account, and a world over the real gateway."""
    twin = Twin.from_resources(OWNER, [resource(one) for one in MESSAGES], tokens={"loop": scopes("gmail.modify")})
    with ExitStack() as stack:
        url = stack.enter_context(serve(twin)).url
        config = tmp_path / "config"
        (config / "rules").mkdir(parents=True)
        (config / "rules" / "taxonomy.toml").write_text("x = 1\n")
        (config / "policy.toml").write_text("version = 1\nbatch_size = 2\n")
        record = {"id": "loop", "alias": ["loop"], "address": OWNER, "status": "organize-only", "endpoint": url}
        lines = [f"{name} = {json.dumps(value)}" for name, value in record.items()]
        (config / "mailboxes.toml").write_text("\n".join(["[[mailbox]]", *lines, 'credential = "env:LOOP_TOKEN"', ""]))
        request = Request("loop", tmp_path / "workspace", config, {"LOOP_TOKEN": "loop"})
        session = stack.enter_context(open_session(request))
        history = int(twin.state.mail.history_id)
        mailbox = Mailbox({one.id: one for one in MESSAGES}, history_id=history)
        clock = Clock()
        world = World(mailbox, session.context, clock, None)  # type: ignore[arg-type]  # the real gateway is in the context
        place = Place(session.context.workspace, session.context.config)
        world = world.with_context(wall=clock, derive=stored(place))
        world.capture()
        yield Loop(twin, world)
