"""The invented mail parses, names reserved domains only, and its two halves share nothing."""

import re
import tomllib
from email.utils import parseaddr
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
HALVES = ("tune", "held")
PLANTED = "planted_sentences"
KEYS = {"from", "subject", "text", "html", "headers", "attachments", "note"}
NEEDED = {"from", "subject", "text"}
SHARED = {"example.com", "example.org", "example.net"}  # friends, links and pixels live here in both halves
RESERVED = re.compile(
    r"(?:.+\.)?example\.(?:com|org|net)|.+\.(?:example|test|invalid)|(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d+", re.I
)  # names, and addresses that are kept for documentation
ADDRESS = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)")
LINK = re.compile(r"https?://([^\s/\"'<>?#:)]+)", re.IGNORECASE)


def files(half: str) -> list[Path]:
    return sorted((HERE / half).glob("*.toml"))


OTHERS = ("second", "third", "fourth", "fifth")
SCREEN = "screen"  # for another judge, without halves of its own
ALL = [path for folder in (*HALVES, *OTHERS, SCREEN) for path in files(folder)]


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def mails(half: str) -> list[dict[str, Any]]:
    return [mail for path in files(half) for mail in read(path).get("mail", [])]


def domains(text: str) -> set[str]:
    return {found.lower().rstrip(".") for pattern in (ADDRESS, LINK) for found in pattern.findall(text)}


def sender_domain(mail: dict[str, Any]) -> str:
    return parseaddr(mail["from"])[1].rpartition("@")[2].lower()


def squeezed(text: str) -> str:
    return " ".join(text.lower().split())


@pytest.mark.parametrize("path", ALL, ids=named)
def test_every_domain_is_reserved(path: Path) -> None:
    found = domains(path.read_text(encoding="utf-8"))
    assert [name for name in sorted(found) if not RESERVED.fullmatch(name)] == []


@pytest.mark.parametrize("path", [path for path in ALL if path.stem != PLANTED], ids=named)
def test_every_label_holds_whole_mail(path: Path) -> None:
    listed = read(path)["mail"]
    assert listed
    for mail in listed:
        assert NEEDED <= mail.keys() <= KEYS
        assert mail["text"].strip() or "html" in mail
        assert sender_domain(mail)
        assert all(re.match(r"[A-Za-z-]+: \S", header) for header in mail.get("headers", ()))


@pytest.mark.parametrize("half", (*HALVES, *OTHERS))
def test_planted_sentences_are_forty_or_more_and_one_line_each(half: str) -> None:
    sentences = read(HERE / half / f"{PLANTED}.toml")["sentences"]
    assert len(sentences) == len(set(sentences)) >= 40
    assert all(len(sentence.splitlines()) == 1 for sentence in sentences)


def test_both_halves_have_the_same_labels() -> None:
    tune, held = ({path.name for path in files(half)} for half in HALVES)
    assert tune == held


@pytest.mark.parametrize("key", ["text", "html"])
def test_no_body_is_in_both_halves(key: str) -> None:
    tune, held = ({squeezed(mail[key]) for mail in mails(half) if key in mail} for half in HALVES)
    assert tune & held == set()


def test_no_sender_is_in_both_halves() -> None:
    tune, held = ({parseaddr(mail["from"])[1] for mail in mails(half)} for half in HALVES)
    assert tune & held == set()


def test_no_company_is_in_both_halves() -> None:
    tune, held = ({sender_domain(mail) for mail in mails(half)} for half in HALVES)
    assert (tune & held) - SHARED == set()


def test_no_planted_sentence_is_in_both_halves() -> None:
    tune, held = (set(read(HERE / half / f"{PLANTED}.toml")["sentences"]) for half in HALVES)
    assert tune & held == set()
