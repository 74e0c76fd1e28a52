"""Nobody says yes by accident, in half words, through a pipe, or twice; a refused yes leaves no trace."""

from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import get_args

import pytest

from pipeline.models.approval import Approval
from pipeline.models.manifest import Manifest
from pipeline.refusals import (
    AlreadyApproved,
    NotApproved,
    NotATerminal,
    Refusal,
    SelectorRefused,
    UsageRefused,
)
from pipeline.sealing.stating import parse_operations
from stages.approve import approve
from tests.fakes import OWNER, Template, Typist
from tests.guarantees.approvals import WHOLE, refuse_and_leave
from tests.strategies.case_files import case_json

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.contract("AP-2")
@pytest.mark.parametrize(
    ("stated", "refusal"),
    [
        ({"digest": ""}, NotATerminal),
        ({"mailbox": ""}, NotATerminal),
        ({"operations": ""}, NotATerminal),
        ({"digest": "", "mailbox": "", "operations": ""}, NotATerminal),
        ({"digest": "0" * 64}, NotApproved),
        ({"digest": "SHORT"}, NotApproved),
        ({"mailbox": "owner@example.org"}, NotApproved),
        ({"mailbox": "owner+x@example.com"}, NotApproved),
        ({"mailbox": "loop"}, NotApproved),
        ({"operations": "label=1,archive=5,create_label=1"}, NotApproved),
        ({"operations": "label=1,archive=4"}, NotApproved),
        ({"operations": "archive=4,create_label=1"}, NotApproved),
        ({"operations": "all"}, UsageRefused),
        ({"operations": "label=1,archive=4,create_label=1,trash=1"}, NotApproved),
        ({"operations": "label=1,archive=4,create_label=1,delete=0"}, UsageRefused),
        ({"operations": "label=1,label=1,archive=4,create_label=1"}, UsageRefused),
        ({"operations": "label=+1,archive=4,create_label=1"}, UsageRefused),
        ({"only": "m1"}, NotApproved),
        ({"except_": "m1"}, NotApproved),
        ({"only": "m6"}, SelectorRefused),
        ({"only": "group:offer"}, SelectorRefused),
        ({"except_": "sender:nobody.example"}, SelectorRefused),
        ({"only": "m1", "except_": "m1"}, SelectorRefused),
        ({"manifest": "12ab"}, UsageRefused),
        ({"manifest": ""}, UsageRefused),
    ],
)
def test_without_a_terminal_everything_is_stated_in_full_and_equal(
    frozen: tuple[Template, Manifest], tmp_path: Path, stated: dict[str, str], refusal: type[Refusal]
) -> None:
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    words = {
        "manifest": manifest.sha256,
        "digest": manifest.sha256,
        "mailbox": OWNER,
        "operations": WHOLE,
        "only": "",
        "except_": "",
    }
    words = words | {name: template_digest(value, manifest) for name, value in stated.items()}
    refuse_and_leave(world, lambda: approve(world.context, **words), refusal)


def template_digest(value: str, manifest: Manifest) -> str:
    """SHORT stands for the short code: it is never an argument."""
    return manifest.sha256[:8] if value == "SHORT" else value


@pytest.mark.contract("AP-2")
def test_stated_in_full_is_approved_and_so_is_a_subset_of_it(frozen: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    digest = manifest.sha256
    approval = approve(world.context, digest, digest, OWNER.upper(), "archive=2,create_label=1", "m2,m1", "")
    assert approval.message_ids == ("m1", "m2") and approval.approved_by == "stated"
    finished = world.execute(digest)
    assert finished.statuses["verified"] == 2 and world.mailbox.labels_of("m4") == {"INBOX"}


@pytest.mark.contract("AP-2", "AP-11")
def test_case_95_an_empty_a_bare_and_a_piped_yes_are_no_approval(
    frozen: tuple[Template, Manifest], tmp_path: Path
) -> None:
    """Input of the case: what stands on stdin without a terminal, and `apply` without an id."""
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    for scenario in case_json("95", "scenario.json"):
        arguments = scenario["args"]
        named = manifest.sha256 if len(arguments) > 1 else ""
        digest = "0" * 64 if "--digest" in arguments else ""
        refusal = NotApproved if digest else NotATerminal if named else UsageRefused
        refuse_and_leave(world, lambda n=named, d=digest: approve(world.context, n, d, "", "", "", ""), refusal)  # type: ignore[misc]
        typed = scenario["stdin"].removesuffix("\n")
        if named and not digest:
            person = world.with_context(terminal=Typist(typed))
            refuse_and_leave(world, lambda p=person, n=named: approve(p.context, n, "", "", "", "", ""), NotApproved)  # type: ignore[misc]
    assert world.mailbox.received == 0


@pytest.mark.contract("AP-2")
def test_a_person_sees_mailbox_counts_price_and_digest_and_types_the_code(
    frozen: tuple[Template, Manifest], tmp_path: Path
) -> None:
    template, manifest = frozen
    person = Typist()
    world = template.fresh(tmp_path / "w").with_context(terminal=person)
    approval = approve(world.context, manifest.sha256, "", "", "", "", "")
    assert approval.approved_by == "terminal" and approval.message_ids == ("m1", "m2", "m3", "m4", "m5")
    for shown in (OWNER, "loop", WHOLE, "100 quota units", manifest.sha256, "expires", "undo"):
        assert shown in person.screen


@pytest.mark.contract("AP-2", "AP-11")
@pytest.mark.parametrize("typed", ["", "y", "yes", "0" * 8, "CODE"])
def test_a_wrong_code_leaves_the_tree_as_it_was(frozen: tuple[Template, Manifest], tmp_path: Path, typed: str) -> None:
    template, manifest = frozen
    typed = manifest.sha256[:9] if typed == "CODE" else typed
    world = template.fresh(tmp_path / "w").with_context(terminal=Typist(typed))
    refuse_and_leave(world, lambda: approve(world.context, manifest.sha256, "", "", "", "", ""), NotApproved)


@pytest.mark.contract("AP-2")
def test_a_manifest_has_one_approval(sealed_yes: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = sealed_yes
    world = template.fresh(tmp_path / "w")
    refuse_and_leave(world, lambda: world.approve(manifest), AlreadyApproved)
    refuse_and_leave(world, lambda: world.approve(manifest, only="m1"), AlreadyApproved)


@pytest.mark.contract("AP-11")
def test_a_full_disk_at_the_approval_leaves_no_log_behind(
    frozen: tuple[Template, Manifest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.refusals import WriteFailed

    template, manifest = frozen
    world = template.fresh(tmp_path / "w")

    def full(*_: object) -> None:
        raise WriteFailed("no space")

    before = world.files()
    monkeypatch.setattr("stages.approve.create_exclusive", full)
    with pytest.raises(WriteFailed):
        world.approve(manifest)
    after = {name: data for name, data in world.files().items() if not name.endswith(".lock")}
    assert after == before


@pytest.mark.contract("AP-11")
def test_without_an_approval_nothing_can_be_executed(frozen: tuple[Template, Manifest], tmp_path: Path) -> None:
    template, manifest = frozen
    world = template.fresh(tmp_path / "w")
    with pytest.raises(NotApproved):
        world.execute(manifest.sha256)
    assert world.mailbox.received == 0 and world.gmail.opened == 0


@pytest.mark.contract("AP-2", "AP-12")
def test_no_option_stands_for_a_persons_yes_but_a_grant() -> None:
    """Nobody else than a person, a caller who states everything, or a grant that a person gave."""
    assert get_args(Approval.model_fields["approved_by"].annotation) == ("terminal", "stated", "grant")
    for name in ("approve", "execute", "undo", "grant"):
        run = import_module(f"stages.{name}").STAGE.run
        assert not {"standing", "yes", "force", "auto", "code"} & set(signature(run).parameters)


def test_operations_are_spelled_strictly() -> None:
    assert parse_operations("archive=2").model_dump() == {"label": 0, "archive": 2, "create_label": 0, "trash": 0}
    for text in ("", "archive", "archive=", "archive=-1", "archive=1,", "archive=١", "archive=1 2", "Archive=1"):
        with pytest.raises(UsageRefused):
            parse_operations(text)
