"""A sealed manifest that nobody has approved, the same approved, and what a refusal must leave: all as it was."""

from collections.abc import Callable

import pytest

from pipeline.models.manifest import Manifest, NewLabel
from pipeline.refusals import (
    Refusal,
)
from tests.fakes import Template, World, mail


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Template, Manifest]:
    """Five targets in a sealed manifest that nobody has approved."""
    world = World.make(tmp_path_factory.mktemp("world"), [mail(f"m{n}", "INBOX") for n in range(1, 7)])
    kinds = ("archive", "archive", "label", "archive", "archive")
    world.plan({f"m{n}": kind for n, kind in enumerate(kinds, start=1)}, NewLabel(create="Jobs"))
    return Template(world), world.freeze()


@pytest.fixture(scope="module")
def sealed_yes(
    frozen: tuple[Template, Manifest], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Template, Manifest]:
    """The same, approved."""
    world = frozen[0].fresh(tmp_path_factory.mktemp("approved") / "w")
    world.approve(frozen[1])
    return Template(world), frozen[1]


WHOLE = "label=1,archive=4,create_label=1"


def refuse_and_leave(world: World, command: Callable[[], object], refusal: type[Refusal]) -> None:
    """The refusal, and the tree byte for byte as it was."""
    files = world.files()
    with pytest.raises(refusal):
        command()
    assert world.files() == files
