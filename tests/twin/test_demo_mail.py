"""The demo mailbox: the same for everybody, at reserved domains only, and as varied as it says."""

import re
from base64 import urlsafe_b64decode
from collections import Counter, defaultdict
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise
from time import process_time

import pytest

from twin.demo import ADDRESS, Resource, kinds, resources
from twin.demo.dates import DAY_MS, NEWEST_DAY_MS
from twin.demo.mime import quoted_printable
from twin.demo.templates import parse

GOLDEN = "3bf9ab6b9945de2232b27ea7de186927aa52f5bc54a1e3cbcb4faeb240745e5d"
"""Made by `python -c "from tests.twin.test_demo_mail import fingerprint; print(fingerprint(2026))"`.

It changes when the mail changes: read the mail, then put the new value here.
"""

AS_OF_MS = NEWEST_DAY_MS + DAY_MS + 9 * 3_600_000
RESERVED = re.compile(r"(?:^|\.)(?:example|test|invalid|example\.(?:com|org|net))\.?$", re.IGNORECASE)
HOSTS = re.compile(r"(?:https?://|[\w.+=-]@)([\w-]+(?:\.[\w-]+)*)", re.IGNORECASE)
DOTTED = re.compile(
    r"\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|de|fr|es|eu|co|dev|app|info|biz|ai|me|ch|jp|ru)\b", re.IGNORECASE
)
RECEIVING_END = {"mx.google.com", "google.com"}  # Gmail signs its own authentication results
SYSTEM = {"INBOX", "UNREAD", "SENT", "STARRED", "IMPORTANT", "SPAM", "TRASH"}
CATEGORIES = {f"CATEGORY_{name}" for name in ("PROMOTIONS", "UPDATES", "PERSONAL", "SOCIAL", "FORUMS")}
FEWEST = {
    "job_alert": 80, "recruiter_blast": 25, "recruiter_personal": 6, "acknowledgement": 35,
    "acknowledgement_with_task": 6, "interview": 6, "interview_in_noise": 6, "interview_in_thread": 3,
    "calendar_invite": 1, "assessment": 6, "offer": 2, "document_request": 4, "rejection": 28, "newsletter": 40,
    "receipt": 18, "security": 12, "banking": 8, "travel": 4, "delivery": 4, "family": 12, "family_reply": 6,
    "friend": 3, "self_note": 6, "starred": 6, "user_labelled": 4, "health": 3, "legal": 2, "housing": 2, "tax": 3,
    "phishing": 8, "hidden_instruction": 5, "html_only": 3, "broken_header": 10, "odd_charset": 5,
    "mailing_list": 12, "own_list_post": 2, "own_mail": 8, "own_reply": 4, "job_thread": 2, "network_notice": 5,
    "nested_forward": 1, "text_attachment": 1, "empty_body": 1, "spam": 4, "trash": 3,
}  # fmt: skip

BOX = resources()
MESSAGES = BOX["messages"]
KINDS = kinds()


def raw_of(message: Resource) -> bytes:
    return urlsafe_b64decode(message["raw"])


def fingerprint(seed: int) -> str:
    digest = sha256()
    for message in resources(seed)["messages"]:
        facts = (message["id"], message["threadId"], *message["labelIds"], message["internalDate"], message["raw"])
        digest.update("\x1f".join(facts).encode() + b"\n")
    return digest.hexdigest()


def of_kind(kind: str) -> Iterator[Resource]:
    return (message for message in MESSAGES if KINDS[message["id"]] == kind)


def readings(message: Resource) -> Iterator[str]:
    """The header block and every decoded part, as text."""
    raw = raw_of(message)
    yield raw.partition(b"\r\n\r\n")[0].decode("latin-1")
    for part in message_from_bytes(raw).walk():
        if not part.is_multipart():
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            yield payload.decode("latin-1")


def header_names(message: Message) -> list[str]:
    return [name.lower() for name in message]


def test_everybody_gets_the_same_bytes_for_the_same_seed() -> None:
    assert fingerprint(2026) == GOLDEN


def test_another_seed_is_another_mailbox() -> None:
    assert {m["id"] for m in resources(7)["messages"]}.isdisjoint(m["id"] for m in MESSAGES)


def test_the_mailbox_is_written_in_under_a_second() -> None:
    begun = process_time()
    resources(3)
    assert process_time() - begun < 2.0


def test_no_address_and_no_link_leaves_the_reserved_domains() -> None:
    hosts = {host for message in MESSAGES for text in readings(message) for host in HOSTS.findall(text)}
    assert len(hosts) > 100
    assert {host for host in hosts if not RESERVED.search(host)} == set()


def test_no_real_domain_stands_anywhere_but_the_receiving_end() -> None:
    names = {n.lower() for message in MESSAGES for text in readings(message) for n in DOTTED.findall(text)}
    strangers = {name for name in names if not RESERVED.search(name)}
    assert strangers == RECEIVING_END


def test_no_written_file_names_a_real_domain() -> None:
    folder = files("twin.demo").joinpath("mail")
    texts = [entry.read_text("utf-8") for entry in folder.iterdir() if entry.is_file()]
    hosts = {host for text in texts for host in HOSTS.findall(text)}
    assert {host for host in hosts if not RESERVED.search(host)} == set()


def test_ids_are_sixteen_hex_digits_and_unique() -> None:
    ids = [message["id"] for message in MESSAGES]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[0-9a-f]{16}", one) for one in ids)


def test_a_thread_bears_the_id_of_its_first_mail_and_answers_point_back() -> None:
    threads: defaultdict[str, list[Resource]] = defaultdict(list)
    for message in MESSAGES:
        threads[message["threadId"]].append(message)
    assert all(mails[0]["id"] == thread for thread, mails in threads.items())
    long = [mails for mails in threads.values() if len(mails) > 1]
    assert len(long) >= 12
    for mails in long:
        parsed = [message_from_bytes(raw_of(mail)) for mail in mails]
        for before, after in pairwise(parsed):
            assert after["In-Reply-To"] == before["Message-ID"]


def test_mail_is_in_order_of_time_and_within_ninety_days() -> None:
    times = [int(message["internalDate"]) for message in MESSAGES]
    assert times == sorted(times)
    assert AS_OF_MS - 90 * DAY_MS < times[0] <= times[-1] < NEWEST_DAY_MS + 18.5 * 3_600_000


def test_every_kind_is_there_and_none_is_a_surprise() -> None:
    found = Counter(KINDS.values())
    assert set(found) == set(FEWEST)
    assert {kind: count for kind, count in found.items() if count < FEWEST[kind]} == {}
    assert 380 <= len(MESSAGES) <= 460


def test_kinds_speaks_of_exactly_the_mail_there_is_and_no_mail_of_its_kind() -> None:
    assert set(KINDS) == {message["id"] for message in MESSAGES}
    own_words = {kind for kind in FEWEST if "_" in kind}
    assert not any(word in text for m in MESSAGES for text in readings(m) for word in own_words)


def test_every_label_is_known_and_every_user_label_is_in_use() -> None:
    user = {label["id"] for label in BOX["labels"]}
    used = {label for message in MESSAGES for label in message["labelIds"]}
    assert used == SYSTEM | CATEGORIES | user
    assert all(len(set(message["labelIds"])) == len(message["labelIds"]) for message in MESSAGES)


@pytest.mark.parametrize(
    ("label", "least"), [("SENT", 25), ("STARRED", 6), ("SPAM", 4), ("TRASH", 3), ("UNREAD", 150), ("INBOX", 350)]
)
def test_labels_are_as_frequent_as_promised(label: str, least: int) -> None:
    assert sum(label in message["labelIds"] for message in MESSAGES) >= least


def test_some_mail_is_archived_and_no_mail_is_in_two_places() -> None:
    places = [set(message["labelIds"]) & {"INBOX", "SENT", "SPAM", "TRASH"} for message in MESSAGES]
    assert sum(not place for place in places) >= 15
    assert all(place == {"INBOX", "SENT"} or len(place) < 2 for place in places)


def test_lines_end_in_crlf_and_nothing_is_large() -> None:
    raws = [raw_of(message) for message in MESSAGES]
    assert not any(b"\n" in raw.replace(b"\r\n", b"") or b"\r" in raw.replace(b"\r\n", b"") for raw in raws)
    assert max(map(len, raws)) < 100_000
    assert sum(map(len, raws)) < 2_500_000


def test_no_slot_is_left_unfilled() -> None:
    assert not any("{{" in text or "@BODY@" in text for message in MESSAGES for text in readings(message))


def test_every_mail_parses_and_only_the_odd_ones_are_defective() -> None:
    for message in MESSAGES:
        parsed = message_from_bytes(raw_of(message))
        defects = [defect for part in parsed.walk() for defect in part.defects]
        assert defects == [], message["id"]
        if KINDS[message["id"]] not in ("broken_header", "phishing", "spam"):
            names = header_names(parsed)
            assert names.count("from") == 1
            assert names.count("subject") == 1 or KINDS[message["id"]] == "self_note"


def test_broken_headers_are_broken_in_their_different_ways() -> None:
    raws = [raw_of(message) for message in of_kind("broken_header")]
    froms = [sum(name == "from" for name in header_names(message_from_bytes(raw))) for raw in raws]
    assert {0, 1, 2} == set(froms)
    for sign in (b"From: Weidner, Jonas <", b"=0D=0A", b"x-unknown", b"\xfc", b"\nsubject:", b"\nSUBJECT:"):
        assert any(sign in raw for raw in raws), sign


def test_odd_charsets_decode_as_their_authors_meant_them() -> None:
    texts = [part.get_payload(decode=True) for m in of_kind("odd_charset") for part in [message_from_bytes(raw_of(m))]]
    meant = ("iso-2022-jp", "時計"), ("koi8-r", "Репетиция"), ("windows-1252", "„Neue“"), ("utf-8", "map puzzle")
    for charset, words in meant:
        assert any(words in bytes(text).decode(charset, "ignore") for text in texts), charset


def test_fresh_interviews_come_in_conversations_an_acknowledgement_began_out_of_sight() -> None:
    by_id = {message["id"]: message for message in MESSAGES}
    for message in of_kind("interview_in_thread"):
        first = by_id[message["threadId"]]
        assert KINDS[first["id"]] == "acknowledgement"
        assert "INBOX" not in first["labelIds"]


def test_senders_there_are_to_learn_from_and_to_refuse() -> None:
    """One kind, six mails or more, always authenticated; or alerts and an interview from one address."""
    heard: defaultdict[str, list[tuple[str, bool]]] = defaultdict(list)
    for message in MESSAGES:
        parsed = message_from_bytes(raw_of(message))
        found = re.findall(r"<([^<>]+)>", str(parsed.get("From", "")))
        is_proved = "dmarc=pass" in (parsed.get("Authentication-Results") or "")
        heard[found[-1] if found else ""].append((KINDS[message["id"]], is_proved))
    pure = {a for a, mail in heard.items() if len(mail) >= 6 and len(set(mail)) == 1 and mail[0][1]}
    mixed = {a for a, mail in heard.items() if {"job_alert", "interview_in_noise"} <= {kind for kind, _ in mail}}
    assert len(pure - {ADDRESS}) >= 6
    assert len(mixed) >= 2


def test_machine_mail_mostly_offers_one_click_but_not_always() -> None:
    alerts = [message_from_bytes(raw_of(message)) for message in of_kind("job_alert")]
    one_click = sum(alert["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click" for alert in alerts)
    assert 0.5 < one_click / len(alerts) < 1.0
    notices = [message_from_bytes(raw_of(message)) for message in of_kind("receipt")]
    assert any(notice["List-Unsubscribe"] for notice in notices)


def test_quoted_printable_keeps_lines_short_and_ends_without_blanks() -> None:
    rows = quoted_printable(("ü" * 100 + " \n").encode()).split(b"\n")
    assert max(map(len, rows)) <= 76
    assert rows[-2].endswith(b"=20")


def test_an_unknown_field_in_a_template_is_refused() -> None:
    block = '%%% mail\nkind = "x"\nsubject = "y"\ncolour = "red"\n%%% text\nz\n'
    with pytest.raises(TypeError, match="colour"):
        list(parse("a.mail", block))
