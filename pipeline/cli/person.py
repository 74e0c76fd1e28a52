"""A person at a terminal: only when both ends are one, so that a piped "y" is nobody's yes."""

import signal
import sys

from pipeline.untrusted import show


class Person:
    """Prints inert text and reads one line."""

    def show(self, text: str) -> None:
        """Print lines with nothing in them that a terminal would obey."""
        for line in text.splitlines():
            print(show(line))

    def ask(self, question: str) -> str:
        """The line that was typed, without its end."""
        signal.siginterrupt(signal.SIGINT, True)  # a restarted read would swallow Ctrl-C until the next Enter
        return input(f"{show(question)} ").strip()


def person() -> Person | None:
    """The person at the terminal, or None when input or output is something else."""
    return Person() if sys.stdin.isatty() and sys.stdout.isatty() else None
