"""The real command in a process of its own: at a terminal that a test types at, or with a pipe in its place.

at_terminal(["approve", digest], "y\\n", env)      # Ended(code, screen): both ends are a pseudo terminal
through_pipe(["approve", digest], "y\\n", env)
"""

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

COMMAND = (sys.executable, "-c", "from pipeline.cli import main; main()")


@dataclass(frozen=True)
class Ended:
    """How a command ended: exit code and everything that it printed."""

    code: int
    screen: str


def at_terminal(words: Sequence[str], answer: Callable[[str], str], env: Mapping[str, str]) -> Ended:
    """Run it with both ends a terminal; `answer` gets the screen at the first question and says what is typed."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([*COMMAND, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=dict(env)) as process:
        os.close(theirs)
        screen, is_asked = "", False
        with suppress(OSError):  # the terminal is gone when the process is
            while data := os.read(ours, 65536):
                screen += data.decode("utf-8", "replace")
                if not is_asked and screen.rstrip().endswith("anything else to stop:"):
                    is_asked = True
                    os.write(ours, f"{answer(screen)}\n".encode())
        code = process.wait(timeout=60)
    os.close(ours)
    return Ended(code, screen)


def through_pipe(words: Sequence[str], stdin: str, env: Mapping[str, str]) -> Ended:
    """Run it with a pipe on stdin."""
    done = subprocess.run([*COMMAND, *words], input=stdin, env=dict(env), capture_output=True, text=True, timeout=60)
    return Ended(done.returncode, done.stdout + done.stderr)


def code_on(screen: str) -> str:
    """The short code that a person reads off the question."""
    return screen.rpartition("type ")[2].split()[0]
