"""`gmailtriage rules`: what stands, what is wrong with it, and one rule taken out, on a configuration of its own."""

import json
import shlex
from pathlib import Path

import pytest

from pipeline.cli import run
from pipeline.cli.hints import with_options
from pipeline.models.findings import removal
from tests.strategies.captures import RULE_FILES, Letter, capture_of
from tests.worlds import Folders, make_folders, write_capture

SHADOWED = b"""
[[rule]]
name = "the owner's own boardly"
domain_equals = ["mail.boardly.example"]
classification = "Job Alert"
confidence = 0.85
"""


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    """A small mailbox in which every rule of an owner is met."""
    made = make_folders(tmp_path)
    letters = [Letter("a1", "a1"), Letter("b1", "b1", sender="G <no-reply@greenfield.example>",
                                          subject="Application received")]  # fmt: skip
    write_capture(made.workspace(), capture_of(letters))
    return made


def add(folders: Folders, text: bytes) -> Path:
    file = folders.config / "rules" / "sender_rules.toml"
    file.write_bytes(file.read_bytes() + text)
    return file


def test_list_says_what_stands_by_file_and_from_where(folders: Folders, capsys: pytest.CaptureFixture[str]) -> None:
    add(folders, SHADOWED.replace(b"the owner's own", b"mined"))
    assert run(["rules", "--json", *folders.words]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["folder"] == str(folders.config / "rules")
    assert listed["files"].keys() == {name for name, _ in RULE_FILES}
    assert listed["files"]["sender_rules.toml"]["rule"] == 2
    assert [(rule["name"], rule["tier"], rule["origin"]) for rule in listed["rules"]][-1] == (
        "mined boardly",
        "sender",
        "mined",
    )
    assert run(["rules", "list", *folders.words]) == 0
    text = capsys.readouterr().out
    assert str(folders.config) in text and "mined boardly" in text


def test_check_is_green_on_rules_that_are_met(folders: Folders, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "check", *folders.words]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("green: 4 rules")
    assert run(["rules", "check", "--json", *folders.words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["is_green"] is True
    assert {one["severity"] for one in document["findings"]} <= {"note"}


def test_check_ends_with_nine_and_each_finding_with_the_command_that_mends_it(
    folders: Folders, capsys: pytest.CaptureFixture[str]
) -> None:
    add(folders, SHADOWED)
    assert run(["rules", "check", "--json", *folders.words]) == 9
    document = json.loads(capsys.readouterr().out)
    (shadowed,) = [one for one in document["findings"] if one["kind"] == "shadowed"]
    assert document["counts"]["warning"] >= 1
    command = shlex.split(shadowed["mend"].partition(", or ")[0])
    assert command == ["gmailtriage", "rules", "--remove", "the owner's own boardly"]
    assert run(["rules", "check", *folders.words]) == 9
    assert "    mend: gmailtriage rules --remove" in capsys.readouterr().out
    assert run([*command[1:], *folders.words]) == 0
    assert run(["rules", "check", *folders.words]) == 0


def test_check_without_a_capture_reads_the_rules_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = make_folders(tmp_path)
    assert run(["rules", "check", *folders.words]) == 0
    assert "never_hit" not in capsys.readouterr().out


@pytest.mark.contract("JU-5")
def test_check_of_rules_that_do_not_load_is_refused_with_the_file_named(
    folders: Folders, capsys: pytest.CaptureFixture[str]
) -> None:
    add(folders, SHADOWED.replace(b"confidence", b"confidense"))
    for words in (["rules"], ["rules", "check"]):
        assert run([*words, *folders.words]) == 3
        assert "sender_rules.toml" in capsys.readouterr().err


@pytest.mark.contract("AP-11")
def test_list_and_check_write_nothing(folders: Folders) -> None:
    before = {path: path.read_bytes() for path in folders.config.parent.rglob("*") if path.is_file()}
    for words in (["rules"], ["rules", "check"], ["rules", "--remove", "nobody"]):
        run([*words, *folders.words])
    assert {path: path.read_bytes() for path in folders.config.parent.rglob("*") if path.is_file()} == before


def test_remove_takes_one_rule_out_and_shows_its_text(folders: Folders, capsys: pytest.CaptureFixture[str]) -> None:
    file = folders.config / "rules" / "sender_rules.toml"
    before = file.read_bytes()
    add(folders, SHADOWED)
    assert run(["rules", "--remove", "the owner's own boardly", "--json", *folders.words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["file"] == str(file)
    assert document["text"].strip() == SHADOWED.decode().strip()
    assert file.read_bytes() == before
    assert run(["rules", "--remove", "boardly", *folders.words]) == 0
    text = capsys.readouterr().out
    assert '    name = "boardly"' in text
    assert "next: gmailtriage rules check" in text


@pytest.mark.parametrize("words", [["nope"], ["check", "--remove", "boardly"], ["list", "--remove", "x"]])
def test_other_words_are_usage(words: list[str], folders: Folders) -> None:
    assert run(["rules", *words, *folders.words]) == 2


def test_a_rule_that_is_not_there_is_refused(folders: Folders, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--remove", "\x1b[2Jnobody", *folders.words]) == 3
    assert "\x1b" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", ["boardly", "my old school's desk", 'a "b" c', "x $(y) `z`"])
def test_the_command_that_mends_is_one_that_a_shell_reads_back(name: str) -> None:
    told = with_options(f"{removal(name)}, or edit", ["rules", "--workspace", "w"])
    command = told.removesuffix(", or edit")
    assert shlex.split(command) == ["gmailtriage", "rules", "--remove", name, "--workspace", "w"]
