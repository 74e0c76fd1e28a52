"""The command line: exit codes, one JSON document, refusals in three lines, no traceback, nothing a terminal obeys."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import cli, refusals
from pipeline.cli import build, print_refusal, run
from pipeline.cli.catalogue import COMMANDS, catalogue, summary
from pipeline.cli.hints import with_options
from pipeline.cli.person import Person
from pipeline.config import REPOSITORY
from pipeline.refusals import Consumed, Refusal
from tests.strategies.captures import Letter, capture_of
from tests.strategies.mail import HOSTILE_CHARACTERS
from tests.sweeps import sweep
from tests.worlds import Folders, demo_record, make_folders, write_capture

STAGES = sorted(path.stem for path in (REPOSITORY / "stages").glob("[a-z]*.py"))
PURE = ("normalize", "screen", "match", "relate", "protect", "decide", "plan", "mine")
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f\ud800-\udfff]")


def every(kind: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    """Each class of the tree."""
    yield kind
    for child in kind.__subclasses__():
        yield from every(child)


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    """A small mailbox, fetched."""
    made = make_folders(tmp_path)
    write_capture(made.workspace(), capture_of([Letter("a1", "a1"), Letter("b1", "b1", sender="")]))
    return made


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Make the next command fail with this exception."""

    def plan(error: BaseException) -> None:
        def application(arguments: list[str]) -> Callable[..., Any]:
            def command(**given: Any) -> int:
                raise error

            return command

        monkeypatch.setattr(build, "application", application)

    return plan


# --- exit codes


CODES = {
    refusals.UsageRefused: 2,
    refusals.InputRefused: 3,
    refusals.IdentityRefused: 4,
    refusals.ApprovalRefused: 5,
    refusals.DriftAborted: 6,
    refusals.PartlyDone: 7,
    refusals.BudgetRefused: 8,
    refusals.FindingsLeft: 9,
    refusals.RequestRefused: 1,
    refusals.FaultOfOurs: 1,
    refusals.Stopped: 1,
}
LEAVES = [kind for kind in every() if kind.__module__ == "pipeline.refusals" and kind is not Refusal]


@pytest.mark.parametrize("kind", LEAVES, ids=lambda kind: kind.__name__)
def test_each_refusal_ends_with_the_code_of_its_branch(
    kind: type[Refusal], raising: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    (branch,) = [one for one in CODES if issubclass(kind, one)]
    for is_json in (False, True):
        raising(kind("it was so", evidence="this file", next_command="gmailtriage show"))
        assert run(["plan", "--json"] if is_json else ["plan"]) == CODES[branch]
        out, err = capsys.readouterr()
        slug = kind("x").slug
        assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", slug)
        assert slug.replace("-", "") == kind.__name__.lower()
        assert err.splitlines() == [f"refused ({slug}): it was so", "  evidence: this file", "  next: gmailtriage show"]
        if is_json:
            assert json.loads(out) == {
                "refused": slug,
                "what": "it was so",
                "evidence": "this file",
                "next": "gmailtriage show",
                "exit_code": CODES[branch],
            }
        else:
            assert out == ""


def test_every_branch_of_the_tree_has_a_code_and_every_class_a_slug_of_its_own() -> None:
    assert set(Refusal.__subclasses__()) == set(CODES)
    assert len({kind("x").slug for kind in LEAVES}) == len(LEAVES)
    assert len(LEAVES) > 50
    documented = refusals.__doc__ or ""
    assert [kind.__name__ for kind in LEAVES if kind.__name__ not in documented] == []


@pytest.mark.contract("EV-2")
@pytest.mark.parametrize(
    "error",
    [
        ValueError("secret-of-a-mail"),
        KeyError("secret-of-a-mail"),
        OSError(5, "secret-of-a-mail"),
        RecursionError("secret-of-a-mail"),
        AssertionError("secret-of-a-mail"),
    ],
)
def test_an_unexpected_error_is_told_by_kind_and_place_never_by_its_text(
    error: Exception, raising: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    raising(error)
    assert run(["plan", "--json"]) == 1
    out, err = capsys.readouterr()
    assert "secret-of-a-mail" not in out + err
    assert "Traceback" not in out + err
    assert type(error).__name__ in err
    assert "test_cli.py:" in err
    assert json.loads(out)["refused"] == "fault-of-ours"


@pytest.mark.parametrize(
    "words",
    [
        ["nope"],
        ["plan", "--nope"],
        ["plan", "--account=", "extra"],
        ["show", "a", "b", "c"],
        ["--account", "demo"],
        ["ingest"],
        ["twin", "--port", "99999"],
    ],
)
def test_wrong_words_are_usage_and_name_the_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for extra in ([], ["--json"]):
        assert run([*words, *extra]) == 2
        out, err = capsys.readouterr()
        assert err.startswith("refused (usage-refused): ")
        assert "--help" in err
        assert (json.loads(out)["exit_code"] if extra else out or 2) == 2


def test_an_unknown_account_is_an_identity_refusal(folders: Folders, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "--account", "nobody", "--json", *folders.words]) == 4
    assert json.loads(capsys.readouterr().out)["refused"] == "unknown-alias"


# --- one JSON document


@pytest.mark.parametrize("command", PURE)
def test_a_pure_stage_prints_one_json_document(
    command: str, folders: Folders, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "--json", *folders.words]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert isinstance(json.loads(out), dict)
    assert run([command, *folders.words]) == 0
    text = capsys.readouterr().out
    assert text.strip()
    assert not text.startswith("{")


@pytest.mark.parametrize("words", [["show"], ["show", "accounts"], ["show", "plan"], ["why", "a1"]])
def test_a_reading_command_prints_one_json_document(
    words: list[str], folders: Folders, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--json", *folders.words]) == 0
    capsys.readouterr()
    assert run([*words, "--json", *folders.words]) == 0
    json.loads(capsys.readouterr().out)


@pytest.mark.contract("AP-11")
@pytest.mark.parametrize("words", [["show"], ["show", "accounts"], ["show", "plan"], ["why", "a1"]])
def test_a_preview_writes_nothing_at_all(words: list[str], folders: Folders) -> None:
    assert run(["plan", *folders.words]) == 0
    before = {path: path.read_bytes() for path in folders.place.parent.rglob("*") if path.is_file()}
    assert run([*words, *folders.words]) == 0
    assert {path: path.read_bytes() for path in folders.place.parent.rglob("*") if path.is_file()} == before


def test_what_is_not_built_yet_is_refused_with_the_command_that_builds_it(
    folders: Folders, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--only", *folders.words]) == 3
    assert "next: gmailtriage plan" in capsys.readouterr().err
    assert run(["why", "nobody", *folders.words]) == 3


def test_a_mailbox_without_a_capture_asks_for_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", *make_folders(tmp_path).words]) == 3
    assert "next: gmailtriage fetch" in capsys.readouterr().err


@pytest.mark.contract("EV-1")
def test_a_flipped_byte_of_the_evidence_stops_every_stage_by_name(
    folders: Folders, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = next(folders.place.rglob("messages.get.pack"))
    pack.write_bytes(pack.read_bytes().replace(b"job", b"jab", 1))
    for command in PURE:
        assert run([command, "--json", *folders.words]) == 3
        assert json.loads(capsys.readouterr().out)["refused"] == "tampered-capture"
    assert not (folders.place / "data" / "snapshots").exists()


# --- inert


@pytest.mark.contract("OU-3")
@settings(max_examples=sweep(1000), deadline=None)
@given(st.text(st.sampled_from([*HOSTILE_CHARACTERS, *"ab[]/ ;m\x1b\x9b\n\r"]), max_size=20))
def test_a_refusal_prints_nothing_that_a_terminal_obeys(text: str) -> None:
    printed: list[str] = []

    class Sink:
        def write(self, piece: str) -> int:
            printed.append(piece)
            return len(piece)

        def flush(self) -> None:
            """Nothing to do."""

    before = sys.stderr, sys.stdout
    sys.stderr = sys.stdout = Sink()  # type: ignore[assignment]
    try:
        print_refusal(Consumed(text, evidence=f"x{text}", next_command=f"y{text}"), ["--json"])
    finally:
        sys.stderr, sys.stdout = before
    shown = "".join(printed)
    assert not UNSAFE.search(shown)
    assert len(shown.splitlines()) == 4, "a line break in what was refused makes no line of its own"


@pytest.mark.contract("OU-3")
def test_words_of_the_command_line_come_back_inert(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["no\x1b[2Jpe"],
        ["plan", "--\x1b]0;x\x07"],
        ["show", "a\u202eb", "c"],
        ["plan", "--account", "\x1b[31m\nnext: rm"],
    ):
        assert run(words) in (2, 4)
        out, err = capsys.readouterr()
        assert not UNSAFE.search(out + err)
        assert sum(line.strip().startswith("next:") for line in err.splitlines()) == 1


@pytest.mark.contract("OU-3")
def test_a_person_is_shown_inert_lines(capsys: pytest.CaptureFixture[str]) -> None:
    Person().show("one\x1b[2J\ntwo\u202e")
    assert capsys.readouterr().out == "one\\x1b[2J\ntwo\\u202e\n"


# --- help


def in_process(code: str, *words: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **({"HOME": str(home)} if home else {})}
    return subprocess.run(
        [sys.executable, "-c", code, *words], env=env, cwd=REPOSITORY, capture_output=True, text=True, check=False
    )


HEAVY = """
import sys
from pipeline.cli import run
code = run(sys.argv[1:])
print([name for name in ("polars", "pydantic", "googleapiclient", "keyring") if name in sys.modules], file=sys.stderr)
sys.exit(code)
"""


def test_the_help_lists_every_stage_and_command_and_imports_nothing_heavy() -> None:
    done = in_process(HEAVY, "--help")
    assert done.returncode == 0
    assert done.stderr.strip() == "[]"
    for name in (*STAGES, *(one.replace("_", "-") for one in COMMANDS)):
        assert re.search(rf"\b{name}\b", done.stdout), name


def test_the_help_of_one_stage_is_its_manual_and_loads_no_client() -> None:
    done = in_process(HEAVY, "fetch", "--help")
    assert done.returncode == 0
    assert "an id that vanished between list and read is recorded as" in " ".join(
        re.sub(r"[│╭╮╰╯─]", " ", done.stdout).split()
    )
    for option in ("--account", "--workspace", "--config", "--json"):
        assert option in done.stdout
    assert "googleapiclient" not in done.stderr


@pytest.mark.parametrize("command", [*STAGES, "show", "why"])
def test_every_command_has_help_with_the_common_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert all(option in out for option in ("--account", "--workspace", "--json"))


def test_no_words_at_all_are_a_question_for_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "Usage" in capsys.readouterr().out


def test_summaries_are_first_sentences_without_the_name(tmp_path: Path) -> None:
    for text, expected in (
        ('"""fetch: ask Gmail. And more.\n\nLong."""', "Ask Gmail."),
        ('"""Serve on 127.0.0.1: this and\nthat."""', "Serve on 127.0.0.1: this and that."),
        ("", "."),
    ):
        (tmp_path / "fetch.py").write_text(text)
        assert summary(tmp_path / "fetch.py") == expected
    assert all(catalogue().values()), "each command says what it does"


def test_a_closed_pipe_is_no_fault(
    raising: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    raising(BrokenPipeError())
    assert run(["plan"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_real_process_refuses_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "mailboxes.toml").write_text(demo_record(status="\x1b[2J"))
    script = str(Path(sys.executable).with_name("gmailtriage"))
    for words, code in ((["plan", "--config", str(tmp_path / "config")], 3), (["plan", "--config", str(tmp_path)], 4)):
        done = subprocess.run(
            [script, *words, "--json"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "HOME": str(tmp_path)},
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        assert json.loads(done.stdout)["exit_code"] == code
        assert not UNSAFE.search(done.stderr)
    assert cli.main is not None


def test_a_mistyped_workspace_does_not_read_as_an_empty_mailbox(folders: Folders, tmp_path: Path) -> None:
    elsewhere = [*folders.words, "--workspace", str(tmp_path / "void")]
    for words in (["plan"], ["mine"], ["reproduce"], ["why", "a1"], ["freeze"]):
        assert run([*words, *elsewhere]) == 3, words
    assert not (tmp_path / "void" / "manifests").exists()


def test_the_next_command_names_what_the_caller_named(
    folders: Folders, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", *folders.words, "--workspace", str(tmp_path / "void")]) == 3
    told = capsys.readouterr().err
    hints = [line for line in told.splitlines() if "next: gmailtriage" in line]
    assert len(hints) == 1
    assert all("--workspace" in line and "--config" in line for line in hints)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gmailtriage undo --account demo", "gmailtriage undo --account demo --workspace w"),
        ("gmailtriage show 12ab", "gmailtriage show 12ab --account a --workspace w"),
        ("make room on the disk", "make room on the disk"),
        (
            "gmailtriage plan, then gmailtriage freeze",
            "gmailtriage plan --account a --workspace w, then gmailtriage freeze --account a --workspace w",
        ),
    ],
)
def test_hints_are_completed_once(text: str, expected: str) -> None:
    assert with_options(text, ["x", "--account=a", "--workspace", "w"]) == expected


def test_every_refusal_tells_a_next_step() -> None:
    classes = [one for one in vars(refusals).values() if isinstance(one, type) and issubclass(one, Refusal)]
    assert len(classes) > 50
    assert all(one("x").fallback for one in classes)


@pytest.mark.contract("EV-4")
def test_wanted_prints_ids_and_reasons_and_no_word_of_mail(
    folders: Folders, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps({"messages": [{"id": "z9", "threadId": "z9"}]}))
    where = ["--workspace", str(folders.place), "--config", str(folders.config)]
    assert run(["wanted", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out) == {"account": "demo", "sources": [], "wanted": []}
    assert run(["wanted", *where]) == 0
    assert capsys.readouterr().out == "nothing is missing\n"
    assert run(["wanted", str(listed), *where]) == 0
    assert capsys.readouterr().out == "z9  listed\n1 to save\n"
    assert run(["ingest", str(listed), "--json", *where]) == 3
    assert "gmailtriage wanted" in capsys.readouterr().out
