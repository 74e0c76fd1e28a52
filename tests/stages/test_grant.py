"""A standing grant comes from a person who saw every word of it, and from nobody else."""

import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pipeline import cli
from pipeline.models.grant import Grant
from pipeline.refusals import NoGrant, NotApproved, NotATerminal, Refusal, UsageRefused
from pipeline.rulebook import read_rules
from pipeline.sealing.grants import grant_ids, grant_path, is_revoked, read_grant
from pipeline.twinning import capture_twin
from stages.grant import STAGE, grant
from stages.revoke import revoke
from tests.fakes import KEY, Typist, World, mail, no_fsync
from tests.strategies.captures import ADDRESS, RULE_FILES, Letter, capture_of
from tests.worlds import demo_record, make_folders
from twin.auth import scopes
from twin.serve import serve

pytestmark = pytest.mark.contract("AP-12")
RULES = {name: tomllib.loads(data.decode()) for name, data in RULE_FILES}
DEFAULTS: dict[str, Any] = {option.name: option.default for option in STAGE.options}


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with the small rule book, whose taxonomy has labels."""
    made = World.make(tmp_path, [mail("m1", "INBOX")])
    config = made.context.config
    return made.with_context(config=replace(config, rules=RULE_FILES), terminal=Typist())


def labels_of(world: World) -> list[str]:
    """Names of the taxonomy's labels."""
    return sorted(one.label for one in read_rules(world.context.config.rules).classifications)


def given(world: World, **changes: Any) -> Grant:
    """The stage, with one label unless something else is said."""
    return grant(world.context, **{**DEFAULTS, "labels": labels_of(world)[0], **changes})


def test_a_person_sees_every_word_of_it_and_types_its_code(world: World) -> None:
    names = labels_of(world)
    found = given(world, labels=", ".join(names[:2][::-1]), create=names[1], per_run=7, per_day=9, days=3)
    screen = world.context.terminal.screen  # type: ignore[union-attr]
    for shown in (found.sha256, *names[:2], "made when missing", "7 messages a run, 9 in 24 hours", "never an archive"):
        assert shown in screen
    assert world.context.account.address in screen and f"{found.expires_at:%Y-%m-%d}" in screen
    assert found.labels == tuple(names[:2]) and found.new_labels == (names[1],)
    assert found.expires_at - found.granted_at == timedelta(days=3) and found.is_authentic(KEY)
    assert read_grant(world.context.workspace, found.sha256, KEY) == found


def test_the_same_grant_again_is_another_document(world: World) -> None:
    assert given(world).sha256 != given(world).sha256


@pytest.mark.contract("AP-2", "AP-11")
@pytest.mark.parametrize("person", [None, Typist("y"), Typist(""), Typist("0" * 8)], ids=["nobody", "y", "empty", "0s"])
def test_nobody_a_bare_yes_and_a_wrong_code_leave_the_tree(world: World, person: Typist | None) -> None:
    files = world.files()
    with pytest.raises(NotATerminal if person is None else NotApproved):
        given(world.with_context(terminal=person))
    assert world.files() == files


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": ""},
        {"labels": "No such label"},
        {"labels": "INBOX"},
        {"labels": "inbox"},
        {"create": "No such label"},
        {"per_run": 0},
        {"per_run": -1},
        {"per_run": 1001, "per_day": 2000},
        {"per_day": 0},
        {"per_run": 50, "per_day": 49},
        {"per_day": 10_001},
        {"days": 0},
        {"days": -1},
        {"days": 91},
        {"days": 10**12},
    ],
)
def test_what_no_grant_may_be_is_refused_before_anyone_is_asked(world: World, changes: dict[str, Any]) -> None:
    files = world.files()
    with pytest.raises(UsageRefused):
        given(world, **changes)
    assert world.files() == files and not world.context.terminal.screen  # type: ignore[union-attr]


def test_a_label_twice_or_one_to_make_that_is_not_granted_is_refused(world: World) -> None:
    first, second = labels_of(world)[:2]
    for changes in ({"labels": f"{first},{first}"}, {"labels": first, "create": second}):
        with pytest.raises(UsageRefused):
            given(world, **changes)


def test_revoking_asks_nobody_and_is_for_good(world: World) -> None:
    first, second = given(world), given(world)
    nobody = world.with_context(terminal=None)
    assert revoke(nobody.context, first.sha256) == revoke(nobody.context, first.sha256)
    assert len(revoke(nobody.context, "all")) == 2 and set(grant_ids(world.context.workspace)) == {
        first.sha256,
        second.sha256,
    }
    for name in ("", "../../etc", first.sha256[:8]):
        with pytest.raises((NoGrant, UsageRefused)):
            revoke(nobody.context, name)


@pytest.mark.contract("AP-12")
def test_a_grant_whose_file_lies_elsewhere_is_revoked_for_the_day_it_comes_back(world: World) -> None:
    grant = given(world)
    path = grant_path(world.context.workspace, grant.sha256)
    away = path.rename(path.with_suffix(".away"))
    revoke(world.context, grant.sha256)
    away.rename(path)
    assert is_revoked(world.context.workspace, grant.sha256)


def test_nothing_to_revoke_is_said(world: World) -> None:
    with pytest.raises(NoGrant):
        revoke(world.context, "all")
    assert issubclass(NoGrant, Refusal)


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Any]]:
    """The command line over a loopback mailbox of ten alerts and one letter; `code` is the exit code that must come."""
    letters = [Letter(f"a{n}", f"a{n}", subject="Your job alert for today", body="Hello") for n in range(10)]
    letters.append(Letter("c1", "c1", subject="Re: lunch", sender="Ann Vendor <ann@vendor.example>"))
    mailbox = capture_twin([capture_of(letters)], ADDRESS, {"robot": scopes("gmail.modify")})
    monkeypatch.setenv("TOKEN", "robot")
    with serve(mailbox) as server:
        registry = demo_record(id="loop", alias="loop", endpoint=server.url, credential="env:TOKEN")
        policy = 'version = 1\nwindow_days = "all"\n'
        folders = make_folders(tmp_path, registry=registry, policy=policy)

        def run(*line: str, code: int = 0) -> Any:
            found = cli.run([*line, "--account", "loop", *folders.words, "--json"])
            told = capsys.readouterr()
            assert found == code, told.err
            return json.loads(told.out)

        yield run


def test_the_commands_from_grant_to_revoke(command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A person grants at a terminal, cron labels, one command undoes, the grant is revoked."""
    command("fetch")
    planned = command("plan")["plan"]
    assert planned["counts"]["label"] == 10, "too short to be sure of: labelled, never archived"
    name = next(one["label"] for one in RULES["taxonomy.toml"]["classification"] if one["name"] == "Job Alert")
    line = ["grant", "--labels", name, "--per-run", "4", "--per-day", "9"]
    assert command(*line, code=5)["refused"] == "not-a-terminal"
    monkeypatch.setattr("pipeline.cli.options.person", Typist)
    command(*line)
    monkeypatch.undo()
    monkeypatch.setenv("TOKEN", "robot")
    (standing,) = command("grants")["grants"]
    assert standing["stands"] and standing["room"] == 4 and standing["labels"] == [name]
    assert [command("label")["label"]["statuses"]["verified"] for _ in range(3)] == [4, 4, 1]
    assert command("label")["label"]["nothing"].endswith("0 are left of its counts")
    found = command("runs")["runs"]
    command("verify")
    command("undo-all", "--digests", ",".join(one["receipt"] for one in found))
    assert {one["undone"] for one in command("runs")["runs"]} == {"yes"}
    command("revoke", standing["grant"])
    assert command("label", code=5)["refused"] == "no-grant"
    assert command("grants")["grants"][0]["why"] == ["it was revoked"]
