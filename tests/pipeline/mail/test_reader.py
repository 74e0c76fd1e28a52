"""One strict reader: a mail or the reason why not, never an exception, nothing guessed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.mail import fold
from pipeline.mail.auth import Auth
from pipeline.mail.reader import Mail, Unreadable, read_labels, read_message, read_search_threads_message
from tests.strategies.case_files import case_json, case_lines, case_toml
from tests.strategies.mail import header_lists, json_like, message, resources, texts
from tests.sweeps import sweep


def _mail(found: Mail | Unreadable) -> Mail:
    assert isinstance(found, Mail)
    return found


def _searched(number: str) -> dict[str, Mail | Unreadable]:
    threads = case_json(number, "search_threads.json")["threads"]
    return {t["id"]: read_search_threads_message(t["messages"][0], t["id"]) for t in threads}


def test_case_01_header_names_are_read_in_any_letter_case() -> None:
    mail = _mail(read_message(case_json("01", "message.json")))
    assert mail.sender.address == "desk@northpine.example"
    assert mail.subject == "Interview times for Thursday"
    assert [to.address for to in mail.to] == ["casey.rivers@mymail.example"]
    assert mail.has_unsubscribe
    assert "interview" in fold.words(mail.subject)


def test_case_07_an_absent_sender_is_refused_and_an_empty_one_is_no_address() -> None:
    found = _searched("07")
    assert found["t-null-3"] == Unreadable("t-null-3", "metadata-only", ("sender",))
    for key, name in (("t-null-1", ""), ("t-null-2", "Mail Delivery Subsystem")):
        mail = _mail(found[key])
        assert (mail.sender.name, mail.sender.address, mail.sender.defects) == (name, None, ("no_address",))


def test_case_10_an_unknown_charset_spoils_one_subject_and_nothing_else() -> None:
    first, second = (_mail(read_message(r)) for r in case_json("10", "messages.json")["messages"])
    assert first.sender.address == "shop@bazaar.example"
    assert (first.subject, first.subject_defects) == ("=?x-nowhere?B?QmlnIHNhbGU=?=", ("unknown_charset",))
    assert (second.subject, second.sender.address) == ("Dinner?", "omar@friend.example")


def test_case_12_an_encoded_line_break_stays_one_line() -> None:
    mail = _mail(read_message(case_json("12", "message.json")))
    assert mail.subject == 'Quote request Bcc: spy@leak.example {"classification":"archive"}'
    assert mail.subject_defects == ("control_character",)
    assert mail.sender.name == "Ann X"


def test_case_18_what_is_missing_is_listed_for_each_id() -> None:
    assert [read_message(r) for r in case_json("18", "messages.json")["messages"]] == [
        Unreadable("18f0a1b2c3d40060", "no-headers", ("payload.headers",)),
        Unreadable("18f0a1b2c3d40061", "no-payload", ("payload",)),
        Unreadable("18f0a1b2c3d40062", "no-payload", ("payload", "labelIds", "internalDate")),
    ]


def test_case_23_the_marker_is_seen_through_every_disguise() -> None:
    subjects = {key: _mail(found).subject for key, found in _searched("23").items()}
    assert len(subjects) == 5
    assert {fold.fold(subject) for subject in subjects.values()} == {"interview invitation"}


def test_case_25_gmails_date_counts_and_the_senders_is_a_claim() -> None:
    future, past = (_mail(read_message(r)) for r in case_json("25", "messages.json")["messages"])
    assert (future.internal_date_ms, past.internal_date_ms) == (1795424400000, 1795424700000)
    assert future.date_header == "Tue, 1 Jan 2099 00:00:00 +0000"


def test_case_27_a_date_without_a_zone_is_never_read_as_a_time() -> None:
    mail = _mail(read_message(case_json("27", "message.json")))
    assert mail.internal_date_ms == 1795446000000
    assert mail.date_header == "Mon, 23 Nov 2026 10:00:00 -0000"
    naive = {"sender": "a@x.example", "subject": "s", "date": case_json("27", "manifest_fragment.json")["created_at"]}
    assert read_search_threads_message(naive, "t1") == Unreadable("t1", "bad-date", ("date",))


def test_case_35_each_message_keeps_its_own_labels() -> None:
    mails = [_mail(read_message(r)) for r in case_json("35", "thread.json")["messages"]]
    assert [mail.label_ids for mail in mails] == [("IMPORTANT", "INBOX"), ("DRAFT", "TRASH"), ("SPAM",)]
    assert {mail.thread_id for mail in mails} == {"18f0a1b2c3d40190"}


def test_case_58_a_rule_text_is_found_literally() -> None:
    markers = case_toml("58", "rules.toml")["template_rules"][0]["body_contains_any"]
    bodies = [_mail(read_message(message(text=text))).body.text for text in case_json("58", "bodies.json")]
    hits = [text for text in bodies if any(fold.fold(marker) in fold.fold(text) for marker in markers)]
    assert hits == ["role (m/f/d) C++"]


def test_case_64_only_the_topmost_field_of_gmail_is_believed() -> None:
    mail = _mail(read_message(case_json("64", "message.json")))
    assert mail.auth == Auth(spf="softfail", dkim=None, dmarc="fail")


def test_case_87_an_empty_label_list_is_empty_and_the_next_day_keeps_its_own() -> None:
    rows = [*case_lines("87", "day1.jsonl"), *case_lines("87", "day2.jsonl"), *case_lines("87", "late_labels.jsonl")]
    labels = {row["id"]: read_labels(row["labelIds"]) for row in rows}
    assert labels["a"] == () and labels["b"] == ("INBOX", "Label_4", "STARRED")
    assert labels["z"] == ("INBOX", "STARRED") and labels["m000"] == ()


def test_case_90_null_is_unknown_and_never_a_silent_default() -> None:
    rows = [{**row, "date": "2026-11-23T10:00:00Z"} for row in case_json("90", "rows.json")]
    a, b, c = (_mail(read_search_threads_message(row, row["id"])) for row in rows)
    assert (a.subject, a.subject_defects) == ("", ("null_subject",))
    assert (b.sender.address, b.sender.defects, b.label_ids) == (None, ("null_sender",), None)
    assert (c.sender.address, c.subject_defects, c.label_ids) == ("s@shop.example", (), ("INBOX",))


def test_absent_labels_of_a_full_message_are_none_at_all_and_null_ones_are_unknown() -> None:
    assert _mail(read_message(message(labels=None))).label_ids == ()
    assert _mail(read_message({**message(), "labelIds": None})).label_ids is None


@pytest.mark.parametrize("value", [None, "INBOX", {"a": 1}, ["INBOX", 1], ["INBOX", None], [""], 3, ["x"] * 10_001])
def test_a_label_list_that_is_not_one_is_unknown(value: object) -> None:
    assert read_labels(value) is None


@pytest.mark.parametrize(
    ("change", "reason", "missing"),
    [
        ({"id": None}, "bad-id", ("id",)),
        ({"id": ""}, "bad-id", ("id",)),
        ({"id": "../../etc"}, "bad-id", ("id",)),
        ({"id": "a\n"}, "bad-id", ("id",)),
        ({"id": "x" * 129}, "bad-id", ("id",)),
        ({"id": 7}, "bad-id", ("id",)),
        ({"threadId": None}, "bad-thread-id", ("threadId",)),
        ({"threadId": "a b"}, "bad-thread-id", ("threadId",)),
        ({"payload": None}, "no-payload", ("payload",)),
        ({"payload": []}, "no-payload", ("payload",)),
        ({"payload": {}}, "no-headers", ("payload.headers",)),
        ({"payload": {"headers": None}}, "no-headers", ("payload.headers",)),
        ({"internalDate": None}, "bad-date", ("internalDate",)),
        ({"internalDate": "yesterday"}, "bad-date", ("internalDate",)),
        ({"internalDate": "1e12"}, "bad-date", ("internalDate",)),
        ({"internalDate": "٣٣"}, "bad-date", ("internalDate",)),
        ({"internalDate": True}, "bad-date", ("internalDate",)),
        ({"internalDate": "9" * 30}, "bad-date", ("internalDate",)),
        ({"internalDate": 10**15}, "bad-date", ("internalDate",)),
    ],
)
def test_what_makes_no_row_is_named(change: dict[str, Any], reason: str, missing: tuple[str, ...]) -> None:
    found = read_message({**message(), **change})
    assert isinstance(found, Unreadable)
    assert (found.reason, found.missing) == (reason, missing)


@pytest.mark.parametrize("value", ["1795428000000", 1795428000000, "0", "-86400000"])
def test_an_internal_date_is_epoch_milliseconds(value: object) -> None:
    assert _mail(read_message({**message(), "internalDate": value})).internal_date_ms == int(str(value))


def test_a_full_message_without_from_or_subject_is_a_row_with_defects() -> None:
    mail = _mail(read_message(message(sender=None, subject=None)))
    assert (mail.sender.address, mail.sender.defects) == (None, ("missing_from",))
    assert (mail.subject, mail.subject_defects) == ("", ("missing_subject",))


def test_a_present_but_empty_subject_is_no_defect() -> None:
    mail = _mail(read_message(message(subject="")))
    assert (mail.subject, mail.subject_defects) == ("", ())


def test_two_subjects_are_named() -> None:
    mail = _mail(read_message(message(subject="one", fields=[("SUBJECT", "two")])))
    assert (mail.subject, mail.subject_defects) == ("one", ("several_subjects",))


@pytest.mark.parametrize(
    ("fields", "has_unsubscribe", "one_click"),
    [
        ([], False, False),
        ([("List-Unsubscribe", " ")], False, False),
        ([("List-Unsubscribe", "<mailto:u@x.example>")], True, False),
        (
            [("list-unsubscribe", "<https://x.example/u>"), ("LIST-UNSUBSCRIBE-POST", "List-Unsubscribe=One-Click")],
            True,
            True,
        ),
        (
            [("List-Unsubscribe", "<http://x.example/u>"), ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")],
            True,
            False,
        ),
        ([("List-Unsubscribe", "<https://x.example/u>"), ("List-Unsubscribe-Post", "yes")], True, False),
        (
            [("List-Unsubscribe", "<https://x.example/u>")] * 2
            + [("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")],
            True,
            False,
        ),
        (
            [("List-Unsubscribe", "<https://x.example/u>")]
            + [("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")] * 2,
            True,
            False,
        ),
    ],
)
def test_one_click_needs_exactly_one_field_of_each(
    fields: list[tuple[str, str]], has_unsubscribe: bool, one_click: bool
) -> None:
    mail = _mail(read_message(message(fields=fields)))
    assert (mail.has_unsubscribe, mail.one_click) == (has_unsubscribe, one_click)
    assert len(mail.list_unsubscribe) == sum(name.lower() == "list-unsubscribe" for name, _ in fields)


def test_the_remaining_fields_are_read_once_each() -> None:
    fields = [
        ("Reply-To", "Desk <desk@x.example>, b@y.example"),
        ("Cc", "c@z.example"),
        ("List-Id", "Garden News <GARDEN.x.example>"),
        ("Message-ID", " <1@x.example> "),
    ]
    mail = _mail(read_message(message(fields=fields)))
    assert [sender.address for sender in mail.reply_to] == ["desk@x.example", "b@y.example"]
    assert [sender.address for sender in mail.cc] == ["c@z.example"]
    assert (mail.list_id, mail.message_id, mail.history_id) == ("garden.x.example", "<1@x.example>", "900100")


def test_a_metadata_message_has_headers_and_no_body() -> None:
    resource = message()
    resource["payload"] = {"mimeType": "text/plain", "headers": resource["payload"]["headers"]}
    assert _mail(read_message(resource)).body.state == "not_fetched"


def test_a_searched_message_is_partial() -> None:
    row = {
        "id": "m1",
        "sender": "Ann <a@x.example>",
        "subject": "s",
        "date": "2026-11-23T10:00:00.5+01:00",
        "labelIds": ["INBOX"],
    }
    mail = _mail(read_search_threads_message({**row, "toRecipients": ["b@y.example", 3]}, "t1"))
    assert (mail.id, mail.thread_id, mail.internal_date_ms) == ("m1", "t1", 1795424400500)
    assert (mail.headers_seen, mail.body.state, mail.auth) == (False, "not_fetched", Auth())
    assert [to.address for to in mail.to] == ["b@y.example"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"date": None}, "bad-date"), ({"date": "soon"}, "bad-date"), ({"date": "2026-11-23T10:00:00"}, "bad-date"),
     ({"date": "x" * 99}, "bad-date"), ({"id": "a/b"}, "bad-id"), ({"date": "0001-01-01T00:00:00+23:00"}, "bad-date")],
)  # fmt: skip
def test_a_searched_message_without_a_usable_key_is_refused(change: dict[str, Any], reason: str) -> None:
    row: dict[str, Any] = {"id": "m1", "sender": "a@x.example", "subject": "s", "date": "2026-11-23"}
    assert isinstance(read_search_threads_message(row, "t1"), Mail)
    found = read_search_threads_message({**row, **change}, "t1")
    assert isinstance(found, Unreadable) and found.reason == reason
    for key, wanted in (("date", "no-date"), ("sender", "metadata-only"), ("subject", "metadata-only")):
        short = read_search_threads_message({k: v for k, v in row.items() if k != key}, "t1")
        assert short == Unreadable("m1", wanted, (key,))


@given(resources() | json_like())
@settings(max_examples=sweep(2_000), deadline=None)
@pytest.mark.contract("EV-7")
def test_any_resource_is_a_mail_or_named(resource: object) -> None:
    found = read_message(resource)
    assert found == read_message(resource)
    if isinstance(found, Unreadable):
        assert found.reason and found.missing
    else:
        (found.subject + found.sender.name).encode("utf-8")


@given(header_lists())
@settings(max_examples=sweep(2_000), deadline=None)
@pytest.mark.contract("EV-7")
def test_any_header_list_gives_one_line_subjects(listed: Any) -> None:
    resource = message()
    resource["payload"]["headers"] = listed
    found = read_message(resource)
    if isinstance(found, Mail):
        assert not any(c in found.subject + found.sender.name + str(found.date_header) for c in "\r\n\x00\x1b")


@given(json_like(), st.one_of(st.just("t1"), texts(4)))
@settings(max_examples=sweep(2_000), deadline=None)
def test_any_searched_row_is_a_mail_or_named(row: object, thread_id: str) -> None:
    found = read_search_threads_message(row, thread_id)
    assert isinstance(found, (Mail, Unreadable))
