"""Only what Gmail itself wrote on top is believed."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.mail import auth
from pipeline.mail.auth import NO_VERDICT, UNREAD, Auth, read_auth, trusted_values
from tests.strategies.mail import texts
from tests.sweeps import sweep

REAL = """mx.google.com;
       dkim=pass header.i=@news.example header.s=s1 header.b="abc/de";
       dkim=fail header.i=@relay.example header.s=s2 header.b=SUPQ3JMn;
       spf=pass (google.com: domain of bounce@news.example designates 192.0.2.1 as permitted sender)
       smtp.mailfrom="b+1=2@news.example";
       dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=news.example"""


def test_the_form_gmail_writes_is_read() -> None:
    assert read_auth([REAL]) == Auth("pass", "pass", "pass", ("news.example",), "news.example")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "; dmarc=pass",
        "mx.google.com",
        "mx.google.com; none",
        "mx.evil.example; dmarc=pass",
        "mx.google.com.evil.example; dmarc=pass",
        "(mx.google.com;) evil.example; dmarc=pass",
        '"mx.google.com"x; dmarc=pass',
        "mx.google.com; dmarc",
        "mx.google.com; dmarc=pass; spf=(",
        "mx.google.com 2; dmarc=pass",
        "mx.google.com; dmarc=pass; dmarc=fail",
        "mx.google.com; dmarc=excellent",
        "mx.google.com; arc=none (dmarc=pass)",
        'mx.google.com; arc=none reason="; dmarc=pass"',
        'mx.google.com; x=none y.z="; dmarc=pass"',
        "mx.google.com; dmarc=pass" + " " * 9_000,
    ],
)
def test_no_other_text_gives_a_pass(value: str) -> None:
    assert read_auth([value]).dmarc in (None, "fail")
    assert read_auth([value, REAL]).dmarc in (None, "fail")


UNREADABLE = [
    "mx.google.com",
    "mx.google.com; dmarc",
    "mx.google.com 2; dmarc=pass",
    "mx.google.com; dmarc=pass; dmarc=none",
    "mx.google.com; dmarc=excellent",
    "mx.google.com; spf=(; dmarc=pass",
    "mx.google.com; spf=fail (domain of a(b@drop.example does not designate) smtp.mailfrom=x; dmarc=fail header.from=v",
    'mx.google.com; dmarc=fail header.from=v.example reason="x\\',
    "(by) mx.google.com; spf=(",
    'mx.google.com; spf=pass (domain of "a)b"@drop.example designates) smtp.mailfrom="a)b"@drop.example; dmarc=fail',
    "mx.google.com; spf=pass (domain of a)b) smtp.mailfrom=a@drop.example; dmarc=fail (p=REJECT) header.from=v.example",
    '"mx.google.com"; dmarc=fail header.from=v.example',
    "mx.google.com; spf=fail smtp.mailfrom=" + "a" * 9_000,
]


@pytest.mark.contract("JU-8")
@pytest.mark.parametrize("value", UNREADABLE)
def test_a_verdict_that_cannot_be_read_is_said_to_be_unread(value: str) -> None:
    """The sender chooses the return path that the field quotes, and must not choose silence by it."""
    assert read_auth([value]).is_unread
    assert read_auth([value, REAL]).is_unread


@pytest.mark.parametrize(
    "value", ["", "mx.evil.example; dmarc", "mx.google.com.evil.example; dmarc=(", "evil.example; mx.google.com; ("]
)
def test_what_gmail_did_not_write_is_not_called_unread(value: str) -> None:
    assert read_auth([value]) == NO_VERDICT


def test_nothing_was_checked_is_a_readable_answer() -> None:
    assert read_auth(["mx.google.com; none"]) == NO_VERDICT
    assert UNREAD.dmarc is None


@pytest.mark.contract("JU-8")
@pytest.mark.parametrize(
    "value",
    [
        "mx.google.com; dmarc=fail header.from=v.example; dmarc=pass header.from=drop.example",
        "mx.google.com; dmarc=pass; dmarc=fail",
        "mx.google.com; dmarc=fail header.from=v.example;",
        "mx.google.com; spf=none smtp.mailfrom=<>; dmarc=fail header.from=v.example",
        "mx.google.com; spf=none smtp.mailfrom=; dmarc=fail header.from=v.example",
        "mx.google.com 1; dmarc=fail header.from=v.example",
    ],
)
def test_a_fail_is_a_fail_however_it_is_written(value: str) -> None:
    assert read_auth([value]).dmarc == "fail"
    assert read_auth(["mx.google.com; dmarc=pass", value]).dmarc == "pass"  # only the topmost counts


def test_the_domain_of_the_return_path_is_known_where_spf_passed() -> None:
    value = "mx.google.com; spf={} (google.com: domain of b@lists.example) smtp.mailfrom={}"
    assert read_auth([value.format("pass", "b@lists.example")]).spf_domain == "lists.example"
    assert read_auth([value.format("pass", '"a+b=c@lists.example"')]).spf_domain == "lists.example"
    assert read_auth([value.format("fail", "b@lists.example")]).spf_domain == ""
    assert read_auth([value.format("pass", "b@l.example") + "; spf=fail smtp.mailfrom=c@d.example"]).spf_domain == ""


def test_no_field_gives_no_verdict() -> None:
    assert read_auth([]) == NO_VERDICT


def test_comments_and_quotes_do_not_change_the_result() -> None:
    value = (
        'mx.google.com; spf=fail (dmarc=pass; spf=pass) smtp.mailfrom="a; dmarc=pass"@b.example;'
        " dmarc=fail (\\); dmarc=pass (x))"
    )
    assert read_auth([value]).spf in ("fail", None)
    assert read_auth([value]).dmarc in ("fail", None)


def test_fields_below_a_foreign_host_do_not_count() -> None:
    own, foreign = "by 2002:a05:6a10::1 with SMTP id x", "from a by mx.evil.example with ESMTP"
    edge = "from mail.news.example (x [192.0.2.1])\r\n by mx.google.com with ESMTPS id 1"
    name = "authentication-results"
    assert trusted_values([("received", own), ("received", edge), (name, "A"), ("received", foreign), (name, "B")]) == (
        "A",
    )
    assert trusted_values([("received", foreign), (name, "B")]) == ()
    assert trusted_values([("received", "from cheap.test"), (name, "B")]) == ()
    assert trusted_values([("received", "by mx.google.com.evil.example with SMTP"), (name, "B")]) == ()
    assert trusted_values([(name, "A")]) == ("A",)


def _property_name(text: str) -> str:
    return text.partition(".")[2].partition("=")[0]


METHODS = st.sampled_from(["spf", "dkim", "dmarc", "arc", "x-test"])
RESULTS = st.sampled_from(["pass", "fail", "none", "softfail", "neutral", "permerror", "odd"])
VALUES = st.sampled_from(
    ["@a.example", "b@c.example", "s1", '"abc/de"', "x=y", "ab/c+e", "192.0.2.1", '"a+1=2@b.example"']
)
PROPERTIES = st.builds(
    "{}.{}={}".format,
    st.sampled_from(["header", "smtp", "policy"]),
    st.sampled_from(["i", "d", "b", "from", "mailfrom"]),
    VALUES,
)
COMMENTS = st.sampled_from(["", " (p=NONE dis=NONE)", " (dmarc=pass; spf=pass)", " (google.com: domain of a@b)"])
CLAUSES = st.builds(
    lambda method, result, comment, rest: f"{method}={result}{comment}{''.join(' ' + r for r in rest)}",
    METHODS, RESULTS, COMMENTS, st.lists(PROPERTIES, max_size=3, unique_by=_property_name),
)  # fmt: skip


@given(st.lists(CLAUSES, min_size=1, max_size=5).map(lambda clauses: "; ".join(["mx.google.com", *clauses])))
@settings(max_examples=sweep(2_000), deadline=None)
def test_the_fast_reading_equals_the_full_parser(line: str) -> None:
    plain = auth._read_plain(line)
    assert plain is not None or any(f'{name}="' in line for name in (".d", ".i", "smtp.mailfrom"))
    assert plain is None or plain == auth._read_any(line)


@given(st.lists(st.one_of(CLAUSES, texts(6), st.sampled_from(['"', "(", ")", "\\", ";", " "])), max_size=8))
@settings(max_examples=sweep(2_000), deadline=None)
def test_where_the_fast_reading_answers_the_full_parser_agrees(pieces: list[str]) -> None:
    line = " ".join(("mx.google.com; " + "".join(pieces)).split())
    plain = auth._read_plain(line)
    assert plain is None or plain == auth._read_any(line)
    read_auth([line])


@pytest.mark.parametrize(
    "unit", ["(", ";", "spf=pass;", "a", " a.b=c", '"', "spf=pass (", "\\", "( )", "=", ";spf=pass (x) a.b=c"]
)
@pytest.mark.contract("EV-7")
def test_a_hostile_field_is_read_in_bounded_time(unit: str) -> None:
    started = time.process_time()
    read_auth(["mx.google.com; spf=pass " + (unit * 200_000)[: auth.MAX_FIELD_CHARACTERS - 30]])
    read_auth(["mx.google.com;" + unit * 200_000])
    trusted_values([("received", "from " + unit * 200_000)])
    assert time.process_time() - started < 2.0
