"""Mail from disk: mbox, Maildir, folders of files; junk between them; the same result each time."""

import base64
from pathlib import Path

import pytest

from tests.twin.client import OWNER, Client, mail, new_twin
from twin.folder import is_mail, messages_in, read_folder

DATES = [f"Mon, 0{day} Nov 2026 10:00:00 +0000" for day in (1, 2, 3)]


def raw_of(resource: dict[str, str]) -> bytes:
    return base64.urlsafe_b64decode(resource["raw"])


def test_a_folder_of_files_without_their_junk(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.txt").write_bytes(mail("second", Date=DATES[1]))
    (tmp_path / "sub" / "a.eml").write_bytes(b"From x@y.example Mon Nov  1 2026\n" + mail("first", Date=DATES[0]))
    (tmp_path / "a.json").write_bytes(b'{"id":"From: no"}')
    (tmp_path / "README").write_bytes(b"Note: this is no mail\n\nFrom: somebody\n")
    (tmp_path / ".hidden").write_bytes(mail("hidden"))
    (tmp_path / "empty").write_bytes(b"")
    found = read_folder(tmp_path, OWNER)
    assert [raw_of(row) for row in found] == [mail("first", Date=DATES[0]), mail("second", Date=DATES[1])]
    assert [row["labelIds"] for row in found] == [["INBOX"], ["INBOX"]]
    assert [row["id"] for row in found] == sorted(row["id"] for row in found)


def test_the_reading_is_the_same_each_time(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number * 7 % 20}.txt").write_bytes(mail(str(number), Date=DATES[number % 3]))
    assert read_folder(tmp_path) == read_folder(str(tmp_path))


def test_an_mbox_is_split_at_its_from_lines(tmp_path: Path) -> None:
    body = "quoted\n\nFrom the start it was text\n"
    box = b"".join(b"From a@x.example Sun Nov  1 2026\n" + mail(d, Date=d, body=body) + b"\n" for d in DATES)
    (tmp_path / "all.mbox").write_bytes(box)
    for path in (tmp_path / "all.mbox", tmp_path):
        found = read_folder(path)
        assert len(found) == 3 and all(b"From the start" in raw_of(row) for row in found)


def test_a_maildir_reads_new_and_cur_but_not_tmp(tmp_path: Path) -> None:
    for place in ("new", "cur", "tmp"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "1.host:2,S").write_bytes(mail(place))
    assert sorted(raw_of(row) for row in read_folder(tmp_path)) == sorted([mail("new"), mail("cur")])


def test_threads_follow_references(tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(mail("Talk", Date=DATES[0], Message_ID="<one@x.example>"))
    (tmp_path / "2").write_bytes(
        mail("Re: Talk", Date=DATES[1], In_Reply_To="<one@x.example>", Message_ID="<two@x.example>")
    )
    (tmp_path / "3").write_bytes(mail("Re: Talk", Date=DATES[2], References="<lost@x.example> <two@x.example>"))
    (tmp_path / "4").write_bytes(mail("Talk", Date=DATES[2]))
    found = read_folder(tmp_path)
    assert [row["threadId"] == found[0]["id"] for row in found] == [True, True, True, False]


def test_own_mail_is_sent_mail(tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(mail(sender=f"Me <{OWNER.upper()}>"))
    (tmp_path / "2").write_bytes(mail(sender=f"Not me <x{OWNER}>"))
    assert [row["labelIds"] for row in read_folder(tmp_path, OWNER)] == [["SENT"], ["INBOX"]]


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (b"Date: Mon, 02 Nov 2026 10:00:00 +0000\nReceived: x; Tue, 03 Nov 2026 10:00:00 +0000\n", "1793613600000"),
        (
            b"Received: a; b; Mon, 02 Nov 2026 10:00:00 +0000\nReceived: x; Tue, 03 Nov 2026 10:00:00 +0000\n",
            "1793613600000",
        ),
        (b"Date: soon\nReceived: by x; Mon, 02 Nov 2026 10:00:00 +0000\n", "1793613600000"),
        (b"Received: nonsense\n", "1767225600000"),
        (b"Subject: only\n", "1767225600000"),
    ],
)
def test_the_date_is_its_header_or_the_topmost_received(tmp_path: Path, head: bytes, wanted: str) -> None:
    (tmp_path / "1").write_bytes(head + b"\nbody")
    assert read_folder(tmp_path)[0]["internalDate"] == wanted


def test_nothing_there_is_an_error_and_an_empty_folder_is_not(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_folder(tmp_path / "absent")
    assert read_folder(tmp_path) == []


def test_what_is_a_mail() -> None:
    assert is_mail(b"Subject: x\n\n") and is_mail(b"From a b\nReturn-Path: <>\n\n")
    for junk in (b"", b"\x00\x01", b"From a b\n", b"X-Only: y\n\n", b"{'from': 1}", b"\nSubject: late\n"):
        assert not is_mail(junk)
    assert messages_in(b"\x89PNG") == []


def test_a_twin_serves_what_was_read(tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(b"From x Mon\n" + mail("Found", Date=DATES[0]))
    client = Client(new_twin(read_folder(tmp_path, OWNER)))
    (row,) = client.get("messages?q=subject:found")["messages"]
    assert base64.urlsafe_b64decode(client.get(f"messages/{row['id']}?format=raw")["raw"]) == mail(
        "Found", Date=DATES[0]
    )
