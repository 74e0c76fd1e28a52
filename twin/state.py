"""The whole twin as a value: the mailbox, who may ask, and the switches where public reports differ.

`State` is what `twin.core.handle` takes and returns.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from twin.auth import DEFAULT_TOKENS
from twin.mailbox import Mail
from twin.quota import Bucket
from twin.resource import INLINE_LIMIT


@dataclass(frozen=True, slots=True)
class Options:
    """Switches. Defaults are what most reports say of Gmail.

    trash_keeps_inbox: whether a trashed message keeps INBOX (reports differ; here it loses it).
    untrash_gives_inbox: whether untrash puts a message into the inbox, wherever it was before (here it does not).
    separators_collide: whether `a b`, `a-b` and `a_b` are one label name.
    inline_limit: bytes of text that `format=full` delivers inline; more comes as attachmentId.
    """

    trash_keeps_inbox: bool = False
    untrash_gives_inbox: bool = False
    separators_collide: bool = False
    inline_limit: int = INLINE_LIMIT


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """One account of the twin at one moment. `bucket` is None when no quota is enforced."""

    address: str
    mail: Mail = field(default_factory=Mail)
    tokens: Mapping[str, frozenset[str]] = field(default_factory=lambda: dict(DEFAULT_TOKENS))
    options: Options = Options()
    bucket: Bucket | None = None
