"""The CI script and the hooks run what people run, and end as they must."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
CI = ROOT / ".ci" / "run"
STUB = 'check:\n\t@echo checked; exit {check}\ntest:\n\t@echo "$$REQUIRE_ALL {summary}"; exit {test}\n'


def run_ci(tmp_path: Path, *, check: int, test: int, summary: str) -> tuple[int, list[str]]:
    """The script with a Makefile that only pretends; exit code and lines of stdout."""
    for name in ("git", "python3", "dbus-run-session", "gnome-keyring-daemon", "secret-tool", "strace", "node", "npm"):
        if shutil.which(name) is None:
            pytest.skip(f"the script would install {name}")
    (tmp_path / ".ci").mkdir()
    shutil.copy(CI, tmp_path / ".ci" / "run")
    (tmp_path / "Makefile").write_text(STUB.format(check=check, test=test, summary=summary))
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run([str(tmp_path / ".ci" / "run")], env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def test_the_script_can_be_run_from_a_fresh_clone() -> None:
    assert CI.stat().st_mode & 0o111
    assert CI.read_text().startswith("#!/usr/bin/env bash\n")


def test_all_well_is_zero_and_the_summary_is_last(tmp_path: Path) -> None:
    code, lines = run_ci(tmp_path, check=0, test=0, summary="12 passed in 3.21s")
    assert (code, lines) == (0, ["checked", "1 12 passed in 3.21s"])


@pytest.mark.parametrize(("check", "test"), [(1, 0), (0, 1), (1, 1)])
def test_a_failure_is_never_zero_and_the_summary_is_still_last(tmp_path: Path, check: int, test: int) -> None:
    code, lines = run_ci(tmp_path, check=check, test=test, summary="1 failed, 12 passed in 123.21s (0:02:03)")
    assert code != 0
    assert lines[-1] == "1 1 failed, 12 passed in 123.21s (0:02:03)"


def test_every_hook_is_local_and_calls_what_is_there() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert {repo["repo"] for repo in config["repos"]} == {"local"}
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for hook in (hook for repo in config["repos"] for hook in repo["hooks"]):
        program, *words = hook["entry"].split()
        assert hook["language"] == "system"
        assert (program == "make" and set(words) <= targets) or all((ROOT / word).exists() for word in words)


def test_warnings_of_the_linter_are_silenced_with_a_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    rules = tomllib.loads(text)["tool"]["ruff"]["lint"]
    assert {"S", "BLE", "PTH", "T20"} <= set(rules["select"])
    block = text[text.index("ignore = [") : text.index("[tool.ruff.lint.per-file-ignores]")]
    assert all("#" in line for line in block.splitlines() if line.strip().startswith('"'))
