"""Domains are compared by whole labels; no substring ever matches."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipeline.mail import domains
from pipeline.mail.address import read_sender
from tests.strategies.case_files import case_json, case_toml
from tests.strategies.mail import domain_names, labels, texts
from tests.sweeps import sweep


def test_case_56_a_domain_rule_matches_only_the_whole_domain() -> None:
    (rule,) = case_toml("56", "rules.toml")["sender_rules"]
    senders = [read_sender([value]) for value in case_json("56", "senders.json")]
    (wanted,) = rule["domain_equals"]
    assert [n for n, sender in enumerate(senders) if domains.is_equal(sender.domain, wanted)] == [0, 4]
    assert [n for n, sender in enumerate(senders) if domains.is_under(sender.domain, wanted)] == [0, 3, 4]


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("Example.COM.", "example.com"),
        ("ＥＸＡＭＰＬＥ．com", "example.com"),
        ("example。com", "example.com"),
        ("münchen.example", "xn--mnchen-3ya.example"),
        ("MÜNCHEN.example", "xn--mnchen-3ya.example"),
        ("mu\u0308nchen.example", "xn--mnchen-3ya.example"),
        ("XN--MNCHEN-3YA.example", "xn--mnchen-3ya.example"),
        ("faß.example", "xn--fa-hia.example"),
        ("_dmarc.example.com", "_dmarc.example.com"),
        ("localhost", "localhost"),
    ],
)
def test_one_domain_has_one_spelling(written: str, canonical: str) -> None:
    assert domains.canonical(written) == canonical
    assert domains.canonical(canonical) == canonical


@pytest.mark.parametrize(
    "written",
    ["", ".", "..", "a..b", ".a", "a b.example", "192.0.2.1", "[192.0.2.1]", "-a.example", "a-.example", "a/b.example",
     "a\u200bb.example", "a\x00.example", "x" * 64 + ".example", "a." * 140 + "example", "💩.example"],
)  # fmt: skip
def test_what_is_no_domain_name_is_none(written: str) -> None:
    assert domains.canonical(written) is None
    assert domains.is_equal(written, written) is False
    assert domains.registrable(written) is None


def test_a_forged_punycode_label_equals_nothing_else() -> None:
    assert domains.is_equal("xn--paypal-.example", "paypal.example") is False
    assert domains.is_equal("faß.example", "fass.example") is False


@given(domain_names(), labels(), st.sampled_from(["prefix", "suffix", "under", "over", "inside"]))
@settings(max_examples=sweep(1_000), deadline=None)
@pytest.mark.contract("JU-6")
def test_a_look_alike_of_a_domain_never_equals_it(domain: str, extra: str, how: str) -> None:
    other = {
        "prefix": extra + domain,
        "suffix": domain + extra,
        "under": f"{extra}.{domain}",
        "over": f"{domain}.{extra}",
        "inside": domain.replace(".", f".{extra}.", 1),
    }[how]
    assert not domains.is_equal(other, domain)
    ends_alike = other.split(".")[-domain.count(".") - 1 :] == domain.split(".")
    assert domains.is_under(other, domain) is ends_alike
    assert domains.is_equal(domain.upper() + ".", domain)


@given(texts(30))
@settings(max_examples=sweep(1_000), deadline=None)
def test_any_text_has_at_most_one_canonical_spelling(text: str) -> None:
    found = domains.canonical(text)
    assume(found is not None)
    assert found is not None
    assert domains.canonical(found) == found
    assert found.isascii()


def test_the_registrable_part_follows_the_public_suffix_list() -> None:
    assert domains.registrable("a.b.example.co.uk") == "example.co.uk"
    assert domains.registrable("co.uk") is None
    assert domains.registrable("someone.github.io") == "someone.github.io"
    assert domains.registrable("mail.shop.example") == "shop.example"
    assert domains.registrable("localhost") is None


@pytest.mark.parametrize(
    "domain", ["gmail.com", "GoogleMail.com.", "yahoo.co.uk", "web.de", "free.fr", "proton.me", "mail.ru"]
)
def test_free_mail_is_known_wherever_anyone_may_open_a_mailbox(domain: str) -> None:
    assert domains.is_free_mail(domain)


@pytest.mark.parametrize(
    "domain", [None, "", "gmail.com.drop.example", "news.yahoo.com", "mail.paypal.example", "notgmail.com"]
)
def test_a_company_is_not_free_mail(domain: str | None) -> None:
    assert not domains.is_free_mail(domain)
