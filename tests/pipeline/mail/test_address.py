"""One address or none: a name never becomes an address, ambiguity matches nothing."""

import time

import pytest
from hypothesis import given, settings

from pipeline.mail.address import MAX_FIELD_CHARACTERS, Sender, mailbox_key, read_addresses, read_sender, same_mailbox
from pipeline.mail.domains import is_equal
from pipeline.mail.reader import Mail, read_message, read_search_threads_message
from tests.strategies.case_files import case_json, case_toml
from tests.strategies.mail import from_values, texts
from tests.sweeps import sweep


def test_case_03_the_address_in_the_name_is_not_the_sender() -> None:
    mail = read_message(case_json("03", "message.json"))
    assert isinstance(mail, Mail)
    assert mail.sender == Sender(
        "alerts@firstbank.example", "kx7@drop-zone.example", "drop-zone.example", ("name_holds_address",)
    )
    (rule,) = case_toml("03", "rules.toml")["sender_rules"]
    assert not any(is_equal(mail.sender.domain, domain) for domain in rule["domain_equals"])


def test_case_05_an_unquoted_comma_is_part_of_one_name() -> None:
    mail = read_message(case_json("05", "message.json"))
    assert isinstance(mail, Mail)
    assert mail.sender == Sender("Okafor, Ngozi", "ngozi@greenfield.example", "greenfield.example", ("unquoted_comma",))


def test_case_48_dots_and_plus_tags_are_folded_only_at_gmail() -> None:
    own = case_json("48", "profile.json")["emailAddress"]
    threads = case_json("48", "search_threads.json")["threads"]
    mails = {t["id"]: read_search_threads_message(t["messages"][0], t["id"]) for t in threads}
    seen = {
        key: (same_mailbox(m.sender.address, own), "SENT" in (m.label_ids or ()))
        for key, m in mails.items()
        if isinstance(m, Mail)
    }
    assert seen == {
        "t-self-1": (True, True),
        "t-self-2": (True, True),
        "t-notself": (False, False),
        "t-spoof": (True, False),
    }


@pytest.mark.parametrize(
    ("field", "name", "address"),
    [
        ("Ann <ann@vendor.example>", "Ann", "ann@vendor.example"),
        ("ann@vendor.example", "", "ann@vendor.example"),
        ("<ann@vendor.example>", "", "ann@vendor.example"),
        ('"Ann, the \\"boss\\"" <Ann@Vendor.Example.>', 'Ann, the "boss"', "ann@vendor.example"),
        ("ann@vendor.example (Ann (home))", "Ann (home)", "ann@vendor.example"),
        ("(x) Ann (y) <ann@vendor.example> (z)", "Ann", "ann@vendor.example"),
        ("Team ,_<x@y.example>", "Team ,_", "x@y.example"),
        ("a@b.example via List <l@c.example>", "a@b.example via List", "l@c.example"),
        ("a@bank <x@evil.example>", "a@bank", "x@evil.example"),
        ('"a@bank.example" <x@evil.example>', "a@bank.example", "x@evil.example"),
        ('"<a@bank.example>" <x@evil.example>', "<a@bank.example>", "x@evil.example"),
        ("(<a@bank.example>) <x@evil.example>", "<a@bank.example>", "x@evil.example"),
        ("=?utf-8?q?a=40bank=2Eexample?= <x@evil.example>", "a@bank.example", "x@evil.example"),
        ("=?utf-8?b?PGFAYmFuay5leGFtcGxlPg==?= <x@evil.example>", "<a@bank.example>", "x@evil.example"),
        ('"Foo <a@b.example>', "Foo", "a@b.example"),
        ("Foo (bar <a@b.example>", "Foo (bar", "a@b.example"),
        ("Foo <a@b.example", "Foo", "a@b.example"),
        ("Bob bob@x.example", "Bob", "bob@x.example"),
        ("O'Neil <o'neil@x.example>", "O'Neil", "o'neil@x.example"),
        ("\r\n Ann\r\n\t<ann@vendor.example>\r\n", "Ann", "ann@vendor.example"),
        ("=?utf-8?q?Ann=0AX?= <ann@vendor.example>", "Ann X", "ann@vendor.example"),
        ("Ann <ann@münchen.example>", "Ann", "ann@xn--mnchen-3ya.example"),
        ('"ann"@vendor.example', "", "ann@vendor.example"),
        ("Ann <ann+tag@vendor.example>", "Ann", "ann+tag@vendor.example"),
    ],
)
def test_one_address_is_read(field: str, name: str, address: str) -> None:
    sender = read_sender([field])
    assert (sender.name, sender.address) == (name, address)
    assert sender.domain == address.rpartition("@")[2]


@pytest.mark.parametrize(
    ("values", "defect"),
    [
        ([], "missing_from"),
        ([""], "no_address"),
        (["   "], "no_address"),
        (["Mail Delivery Subsystem <>"], "no_address"),
        (["Okafor"], "no_address"),
        (["@bank.example"], "no_address"),
        (["a@x.example, b@y.example"], "several_addresses"),
        (["a@x.example; b@y.example"], "several_addresses"),
        (["a@x.example b@y.example"], "several_addresses"),
        (["A <a@x.example>, B <b@y.example>"], "several_addresses"),
        (["<a@x.example> <b@y.example>"], "several_addresses"),
        (["A <a@x.example> b@y.example"], "several_addresses"),
        (["alerts@bank.example, Foo <x@evil.example>"], "several_addresses"),
        (["A <a@x.example <b@y.example>"], "several_addresses"),
        (["A <a@x.example>", "B <b@y.example>"], "several_from"),
        (["A <a@x.example>", "A <a@x.example>"], "several_from"),
        (["<a@b@c.example>"], "malformed_address"),
        (["<@relay.example:a@x.example>"], "malformed_address"),
        (["<a b@x.example>"], "malformed_address"),
        (["<a@[192.0.2.1]>"], "malformed_address"),
        (["<a@192.0.2.1>"], "malformed_address"),
        (["<a(c)@x.example>"], "malformed_address"),
        (["<a\u200bb@x.example>"], "malformed_address"),
        (["<a@x\u200b.example>"], "malformed_address"),
        (["<a\ud800@x.example>"], "malformed_address"),
        (["<a@ x.example>"], "malformed_address"),
        (["<a" + "x" * 200 + "@x.example>"], "malformed_address"),
        (["x" * (MAX_FIELD_CHARACTERS + 1) + "<a@x.example>"], "over_cap"),
        # Readers of the old syntax allow blanks around dots: to them these are addresses of another domain.
        *(
            ([field], "malformed_address")
            for field in (
                "a@x.example .evil.example",
                "a@x.example\n.evil.example",
                "a@x.example\0.evil.example",
                "a@x.example. evil.example",
                "a@x.example . evil.example",
                "a@x.example (here) .evil.example",
                "b. a@x.example",
                "a@x.example @evil.example",
            )
        ),
    ],
)
def test_an_ambiguous_or_broken_field_gives_no_address(values: list[str], defect: str) -> None:
    sender = read_sender(values)
    assert sender.address is None and sender.domain is None
    assert defect in sender.defects


@pytest.mark.parametrize(
    ("field", "is_flagged"),
    [
        ("alerts@firstbank.example <kx7@drop-zone.example>", True),
        ('"Support (alerts@firstbank.example)" <kx7@drop-zone.example>', True),
        ("alerts＠firstbank.example <kx7@drop-zone.example>", True),
        ("ale\u200brts@firstbank.example <kx7@drop-zone.example>", True),
        ("ann@vendor.example <ann@vendor.example>", False),
        ("A.N.N@gmail.com <ann@gmail.com>", False),
        ("Ann @ Vendor <ann@vendor.example>", False),
        ("@ann <ann@vendor.example>", False),
    ],
)
def test_a_name_that_holds_another_address_is_named(field: str, is_flagged: bool) -> None:
    assert ("name_holds_address" in read_sender([field]).defects) is is_flagged


@pytest.mark.parametrize(
    ("field", "defects"),
    [
        ("Foo <a@b.example", ("unclosed_bracket",)),
        ("A <a@x.example <b@y.example>", ("unclosed_bracket", "several_addresses")),
        ('"Foo <a@b.example>', ("unbalanced_quote",)),
        ("Foo (bar <a@b.example>", ("unbalanced_comment",)),
        ("Foo (bar) <a@b.example>", ()),
    ],
)
def test_what_was_left_open_is_named(field: str, defects: tuple[str, ...]) -> None:
    assert read_sender([field]).defects == defects


def test_an_undecodable_name_keeps_the_address() -> None:
    sender = read_sender(["=?x-nowhere?B?U2hvcA==?= <shop@bazaar.example>"])
    assert (sender.address, sender.defects) == ("shop@bazaar.example", ("undecodable",))


def test_a_list_of_recipients_is_split_where_a_person_would() -> None:
    found = read_addresses(
        [
            'Okafor, Ngozi <n@x.example>, "b, c" <d@e.example>; f@g.example',
            "Team: h@i.example, j@k.example;",
            "undisclosed-recipients:;",
        ]
    )
    assert [sender.address for sender in found] == [
        "n@x.example",
        "d@e.example",
        "f@g.example",
        "h@i.example",
        "j@k.example",
    ]
    assert found[0].name == "Okafor, Ngozi"


@pytest.mark.parametrize(
    ("left", "right", "is_same"),
    [
        ("a.b+c@gmail.com", "AB@googlemail.com", True),
        ("a.b@vendor.example", "ab@vendor.example", False),
        ("ab+c@vendor.example", "ab@vendor.example", False),
        ("AB@vendor.example", "ab@VENDOR.example.", True),
        ("ab@gmail.com", "ab@gmail.com.drop.example", False),
        (None, None, False),
        ("", "", False),
        ("x", "x", False),
    ],
)
def test_mailboxes_are_the_same_only_where_that_is_known(left: str | None, right: str | None, is_same: bool) -> None:
    assert same_mailbox(left, right) is is_same


@pytest.mark.parametrize(
    "unit",
    [
        "x",
        "<",
        ">",
        '"',
        "(",
        ")",
        "\\",
        ",",
        "@",
        "a@b.example,",
        "<a@b>",
        '"a" ',
        "((a) ",
        "=?utf-8?q?a?= ",
        "(\\",
        '"\\',
        " ",
    ],
)
def test_two_hundred_kilobytes_of_anything_are_read_at_once(unit: str) -> None:
    hostile = unit * (200_000 // len(unit))
    for field in (hostile, hostile[: MAX_FIELD_CHARACTERS - 20] + " <a@b.example>"):
        started = time.process_time()
        read_sender([field])
        read_addresses([field])
        assert time.process_time() - started < 2.0


@given(from_values())
@settings(max_examples=sweep(5_000), deadline=None)
@pytest.mark.contract("EV-7")
def test_any_field_gives_a_plain_address_or_none_with_a_reason(field: str) -> None:
    sender = read_sender([field])
    assert sender.name.isprintable() or not any(c in sender.name for c in "\r\n\x00\x1b")
    if sender.address is None:
        assert sender.domain is None and sender.defects
    else:
        assert sender.domain == sender.address.rpartition("@")[2]
        again = read_sender([f"<{sender.address}>"])
        assert again.address == sender.address


@given(from_values(), from_values())
@settings(max_examples=sweep(2_000), deadline=None)
@pytest.mark.contract("JU-6")
def test_two_from_fields_never_give_an_address(first: str, second: str) -> None:
    assert read_sender([first, second]).address is None


@given(texts(30))
@settings(max_examples=sweep(1_000), deadline=None)
@pytest.mark.contract("JU-6")
def test_no_quoted_or_encoded_name_becomes_the_address(name: str) -> None:
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    assert read_sender([f'"{quoted}" <kx7@drop-zone.example>']).address in ("kx7@drop-zone.example", None)
    assert read_sender([f'"{quoted}" <kx7@drop-zone.example>']).address != "alerts@firstbank.example"


@given(texts(30))
@settings(max_examples=sweep(1_000), deadline=None)
def test_a_list_of_anything_is_read(text: str) -> None:
    read_addresses([text, text])
    mailbox_key(text)
