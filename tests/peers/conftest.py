"""The `gmail` fixture: one fresh mailbox of the twin, of myworld and of emulate, each check on all three."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.peers.disagreements import DISAGREE
from tests.peers.servers import EmulateMaker, Mailbox, MyworldMaker, TwinMaker

KINDS = ("twin", "myworld", "emulate")


@pytest.fixture(scope="session")
def makers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    with contextlib.ExitStack() as stack:
        yield {"stack": stack, "cache": tmp_path_factory.mktemp("peers")}


def _maker(makers: dict[str, Any], kind: str) -> Any:
    if kind not in makers:
        stack = makers["stack"]
        builders = {
            "twin": lambda: TwinMaker(stack),
            "myworld": lambda: MyworldMaker(stack),
            "emulate": lambda: EmulateMaker(stack, makers["cache"]),
        }
        makers[kind] = builders[kind]()
    return makers[kind]


def known_disagreement(node: Any, kind: str) -> str:
    """The reason of the table's row for this check, or for this check with its first other parameter."""
    others = [str(value) for name, value in node.callspec.params.items() if name != "gmail"]
    rows = [(node.originalname, kind), (f"{node.originalname} {' '.join(others)}", kind)]
    return next((DISAGREE[row] for row in rows if row in DISAGREE), "")


@pytest.fixture(params=KINDS)
def gmail(request: pytest.FixtureRequest, makers: dict[str, Any]) -> Mailbox:
    """A fresh mailbox. A known disagreement must still fail, else its row in the table is out of date."""
    reason = known_disagreement(request.node, request.param)
    if reason:
        request.node.add_marker(pytest.mark.xfail(reason=f"{request.param}: {reason}", strict=True))
    mailbox: Mailbox = _maker(makers, request.param).new()
    return mailbox
