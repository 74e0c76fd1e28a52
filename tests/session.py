"""The terminal session in the README, written from a real run of `gmailtriage demo`.

python -m tests.session           compares; exit 1 when the README shows another run than the demo's
python -m tests.session --write   runs the demo and puts its output into the README
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BEGIN, END = "<!-- session -->", "<!-- /session -->"
COMMAND = "make demo"


def demo_output() -> str:
    """What the demo prints. Raises CalledProcessError when it refuses."""
    command = [sys.executable, "-c", "from pipeline.cli import main; main()", "demo"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout


def block(output: str) -> str:
    """The session as it stands in the README, markers included."""
    return f"{BEGIN}\n```console\n$ {COMMAND}\n{output.rstrip()}\n```\n{END}"


def session_in(readme: str) -> str:
    """The block of a README, markers included."""
    return f"{BEGIN}{readme.split(BEGIN, 1)[1].split(END, 1)[0]}{END}"


def main(arguments: list[str]) -> int:
    """Compare or rewrite; returns the exit code."""
    readme, fresh = README.read_text(encoding="utf-8"), block(demo_output())
    if "--write" in arguments:
        README.write_text(readme.replace(session_in(readme), fresh), encoding="utf-8")
        return 0
    return 0 if session_in(readme) == fresh else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
