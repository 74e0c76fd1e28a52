"""A person's yes to one digest: the short code on the screen, typed back. A bare "y" is never a yes.

    confirm(terminal, digest, "approve 12 changes in demo@example.com")    # raises NotApproved

The code is only for the person who sees the digest above it; no command takes it as an argument.
"""

from pipeline.context import Terminal
from pipeline.refusals import NotApproved, NotATerminal

CODE_LENGTH = 8


def short_code(digest: str) -> str:
    """The first eight hex digits of a digest."""
    return digest[:CODE_LENGTH]


def confirm(terminal: Terminal, digest: str, text: str) -> None:
    """Show what will happen and its digest, and ask for the code. Silent when it was typed. Raises NotApproved."""
    terminal.show(f"{text}\ndigest    {digest}")
    try:
        typed = terminal.ask(f"type {short_code(digest)} to allow exactly this, anything else to stop:")
    except EOFError:
        raise NotATerminal("the terminal was closed before a code was typed") from None
    if typed.strip() != short_code(digest):
        raise NotApproved("the code was not typed", evidence=f"{len(typed.strip())} characters, not the code")
