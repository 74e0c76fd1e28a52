"""One approved manifest for all tests of the whole loop; each test works on its own copy."""

import shutil
from pathlib import Path

import pytest

from tests.guarantees.approvals import frozen, sealed_yes  # noqa: F401  fixtures of the approval's tests
from tests.guarantees.approved import Approved, make_approved
from tests.guarantees.executions import populated, prepared, quick  # noqa: F401  fixtures of the executor's tests
from tests.guarantees.trashes import littered  # noqa: F401  the fixture of the trash sweeps
from tests.guarantees.undos import executed  # noqa: F401  the fixture of the undo's tests


@pytest.fixture(scope="session")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Approved:
    """A workspace in which one manifest is approved and nothing is executed."""
    return make_approved(tmp_path_factory.mktemp("approved"))


@pytest.fixture
def place(approved: Approved, tmp_path: Path) -> Path:
    """A copy of the approved workspace, with its owner's files beside it."""
    shutil.copytree(approved.config, tmp_path / "config")
    return Path(shutil.copytree(approved.folder, tmp_path / "place"))
