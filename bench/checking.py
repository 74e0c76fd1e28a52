"""B11: what looking again at many targets costs, before and after their change, through history or by two reads each.

The same mailbox is labelled twice by the real stages: once with history, once with a read for each target. The verdicts
must be the same; the units are counted from the requests that the twin received.
"""

import os
import tempfile
from pathlib import Path

from bench.generate import message
from bench.measure import Result, result, size
from pipeline.cli.loop import Loop
from pipeline.cli.real_mail import ADDRESS, POLICY, TOKEN, write_config
from pipeline.models.policy import Quota
from pipeline.session import Request, open_session
from twin.auth import scopes
from twin.running import Twin
from twin.serve import serve

LOOKS = {"/history": "history.list", "/threads/": "threads.get", "/messages/": "messages.get"}
"""What stands in the path of a request that looks at mail -> its method."""
RULE = f"""version = 1
[[rule]]
name = "everything"
sender_contains = {[f"sender{number}.example" for number in range(400)]}
classification = "Review Manually"
safe_to_archive = false
confidence = 0.9
""".replace("'", '"')


def through_history(*, is_smoke: bool) -> list[Result]:
    """B11: units of all looks at the targets, as a share of reading each one twice."""
    count = size(10_000, 1_000, 350, is_smoke=is_smoke)
    told, units = looked(count, 300)
    read, _ = looked(count, 100_000)
    if told != read:
        raise AssertionError("history and reads come to other verdicts")  # a figure without this would mean nothing
    share = units / (2 * count * Quota().cost("messages.get"))
    peer = f"reading each of {count} targets twice"
    return [result("B11", [share], bar=0.01, better="lower", unit="of those units, same verdicts", peer=peer)]


def looked(count: int, history_above: int) -> tuple[dict[str, int], int]:
    """Verdicts by status, and the units that looking cost, for one run over `count` targets."""
    mail = [message(number) for number in range(count)]
    twin = Twin.from_resources(ADDRESS, mail, tokens={TOKEN: scopes("gmail.modify")})
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, serve(twin) as server:
        config = Path(folder) / "config"
        write_config(config, server.url)
        (config / "rules" / "manual_overrides.toml").write_text(RULE)
        (config / "policy.toml").write_text(f"{POLICY}history_above_targets = {history_above}\n")
        env = {**os.environ, "GMAILTRIAGE_REAL_MAIL_TOKEN": TOKEN}
        with open_session(Request("real", Path(folder) / "box", config, env)) as session:
            return _run(Loop(session), twin)


def _run(loop: Loop, twin: Twin) -> tuple[dict[str, int], int]:
    loop.fetch()
    loop.plan()
    manifest = loop.freeze()
    loop.approve(manifest)
    twin.forget_requests()
    done = loop.execute(manifest)
    paths = [one.path for one in twin.requests if one.method == "GET"]
    units = sum(Quota().cost(name) for path in paths for part, name in LOOKS.items() if part in path)
    return dict(done.statuses), units
