"""npm for the tests that fetch public packages: bounded in time, and absent by name rather than hanging."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

BOUNDS = ("--fetch-retries=1", "--fetch-timeout=20000", "--no-audit", "--no-fund")
SECONDS = 100


def absent(reason: str) -> NoReturn:
    """Skip by name; with REQUIRE_ALL=1 what is missing is a failure."""
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def npm(*words: str, folder: Path) -> str:
    """What npm printed. Skips (or fails) by name when it is missing, refuses, or does not answer in time."""
    command = shutil.which("npm")
    if command is None:
        absent("npm is missing")
    try:
        argv = [command, *words, *BOUNDS]
        done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        absent(f"npm {words[0]} gave no answer in {SECONDS} seconds")
    if done.returncode != 0:
        absent(f"npm {words[0]} was refused")
    return done.stdout
