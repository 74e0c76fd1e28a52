"""The input files of the public faults under tests/cases, by number."""

import json
import tomllib
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent.parent / "cases"


def case_path(number: str, name: str) -> Path:
    """The one file of that case."""
    (found,) = CASES.glob(f"{number}-*/{name}")
    return found


def case_json(number: str, name: str) -> Any:
    """A JSON input, parsed."""
    return json.loads(case_path(number, name).read_text("utf-8"))


def case_lines(number: str, name: str) -> list[Any]:
    """A JSON Lines input, parsed."""
    return [json.loads(line) for line in case_path(number, name).read_text("utf-8").splitlines()]


def case_toml(number: str, name: str) -> dict[str, Any]:
    """A TOML input, parsed."""
    return tomllib.loads(case_path(number, name).read_text("utf-8"))
