"""What the rim hands to a stage that is not pure: clocks, a way to a gateway, the approval key, a person or none.

Nothing here decides anything; a test builds a Context of values that stand still.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pipeline.clock import Monotonic, Wall
from pipeline.config import Config
from pipeline.evidence.captures import Exchange
from pipeline.models.registry import AccountRecord
from pipeline.workspace import Workspace

if TYPE_CHECKING:  # the real client takes 0.2 s to import and most commands never call Gmail
    from pipeline.gmail.gateway import ExecuteGateway, FetchGateway, UndoGateway

Derive = Callable[..., tuple[object, ...]]
"""derive(PLAN, DECISIONS) -> their values, computed in memory; nothing is written."""
Recorder = Callable[[Exchange], None]


class Gmail(Protocol):
    """Opens attested gateways: each call reads getProfile first and refuses another identity."""

    def for_fetch(self, record: Recorder) -> FetchGateway:
        """Read-only methods; `record` gets every exchange before it is parsed."""

    def for_execute(self) -> ExecuteGateway:
        """The executor's methods: minimal reads and approved changes."""

    def for_undo(self) -> UndoGateway:
        """The same with untrash."""


class Terminal(Protocol):
    """A person at a terminal."""

    def show(self, text: str) -> None:
        """Print inert text."""

    def ask(self, question: str) -> str:
        """One line that the person typed."""


def unheard(text: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Context:
    """One command's surroundings. `terminal` is None when no person sits there. `say` reports progress on stderr to a
    person, `warn` tells what must be known on stderr to anybody, a log of cron included."""

    workspace: Workspace
    config: Config
    wall: Wall
    monotonic: Monotonic
    gmail: Gmail
    approval_key: Callable[[], bytes]
    terminal: Terminal | None
    derive: Derive
    """Derived values made anew from the facts: a derived file may be edited by anyone, so no seal rests on one."""
    say: Callable[[str], None]
    warn: Callable[[str], None] = unheard

    @property
    def account(self) -> AccountRecord:
        """The one attested or to be attested account."""
        return self.config.account
