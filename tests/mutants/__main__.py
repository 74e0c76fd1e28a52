"""Run every mutant of the chosen modules and say which survive.

python -m tests.mutants [--only gate] [--limit 40]
"""

import argparse
import contextlib
import importlib
import io
import os
import signal
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import pytest

from tests.mutants.mutate import Mutant, mutants
from tests.mutants.swap import in_place_of

ROOT = Path(__file__).resolve().parents[2]
EXPLAINED = Path(__file__).with_name("explained.toml")
LEAST_KILLED = 0.95
SECONDS = 600
"""A mutant that takes longer hangs, and is dead."""


@dataclass(frozen=True)
class Target:
    """One module and the tests that must notice: the quick ones first, the thorough ones only for what is left."""

    module: str
    quick: tuple[str, ...]
    thorough: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Its file."""
        return ROOT.joinpath(*self.module.split(".")).with_suffix(".py")


TARGETS = {
    "gate": Target(
        "pipeline.judge.gate",
        ("tests/pipeline/judge/test_gate.py",),
        ("tests/stages/test_decide.py", "tests/stages/test_decide_reached.py"),
    ),
    "matcher": Target(
        "pipeline.mail.matcher",
        (
            "tests/pipeline/mail/test_matcher_told_slowly.py",
            "tests/pipeline/mail/test_matcher.py",
            "tests/stages/test_match.py",
        ),
        ("tests/stages/test_decide_reached.py", "tests/guarantees/test_disguised_requests.py"),
    ),
}


class Hangs(BaseException):
    """No Exception, so that no test can catch it."""


def survives(target: Target, mutant: Mutant) -> bool:
    """Whether no test of the target goes red. A mutant that hangs or does not load is dead."""
    module = importlib.import_module(target.module)
    try:
        with at_most(SECONDS), in_place_of(module, mutant):
            return all(is_green(tests) for tests in (target.quick, target.thorough) if tests)
    except (Hangs, Exception):  # noqa: BLE001  whatever a broken module does when it is loaded
        return False


def is_green(tests: Sequence[str]) -> bool:
    """Whether these tests pass in this process, as it is now."""
    for name in [one for one in sys.modules if one.endswith("test_decide_reached")]:
        sys.modules[name].swept.cache_clear()  # what an earlier mutant made it reach
    with contextlib.redirect_stdout(io.StringIO()):
        return pytest.main(["-x", "-q", "--hypothesis-seed=0", "-p", "no:xdist", *tests]) == pytest.ExitCode.OK


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise Hangs when it takes longer."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run_all(name: str, target: Target, limit: int) -> tuple[int, list[str]]:
    """(how many mutants ran, ids of the survivors), told as they come."""
    if not is_green((*target.quick, *target.thorough)):
        raise SystemExit(f"{name}: the tests are not green without a mutant")
    chosen = evenly(mutants(target.path.read_text("utf-8")), limit)
    left = []
    for number, one in enumerate(chosen, 1):
        if survives(target, one):
            left.append(one.id)
            print(f"{number:4d} of {len(chosen)} survives: {one.id}", flush=True)
    return len(chosen), left


def evenly(found: Sequence[Mutant], limit: int) -> Sequence[Mutant]:
    """All of them, or about `limit` over the whole length."""
    return found if not limit or limit >= len(found) else [found[at * len(found) // limit] for at in range(limit)]


def explained() -> dict[str, dict[str, str]]:
    """Module -> survivor -> why no test can kill it, or why none should."""
    return tomllib.loads(EXPLAINED.read_text("utf-8"))


def verdict(name: str, ran: int, left: Iterable[str], reasons: Mapping[str, str]) -> bool:
    """Whether enough died and every survivor is explained."""
    listed = list(left)
    unexplained = [one for one in listed if one not in reasons]
    share = 1 - len(listed) / ran
    print(f"{name}: {ran} mutants, {share:.1%} killed, {len(unexplained)} survivors without an explanation", flush=True)
    return share >= LEAST_KILLED and not unexplained


def main(arguments: Sequence[str]) -> int:
    """Run them; 0 when each module passes."""
    parser = argparse.ArgumentParser(prog="tests.mutants")
    parser.add_argument("--only", choices=sorted(TARGETS), default="")
    parser.add_argument("--limit", type=int, default=0)
    asked = parser.parse_args(arguments)
    os.chdir(ROOT)
    passed = []
    for name in [asked.only] if asked.only else sorted(TARGETS):
        ran, left = run_all(name, TARGETS[name], asked.limit)
        passed.append(verdict(name, ran, left, explained().get(name, {})))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
