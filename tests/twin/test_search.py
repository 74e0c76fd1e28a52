"""The search language beyond what the generated queries reach. Sources: Google's search operators help."""

import pytest

from tests.twin.client import NOW_MS, OWNER, Client, mail, new_twin
from twin.operators import moment_ms
from twin.query import And, Not, Or, Term, Text, parse


def word(text: str) -> Text:
    return Text(text)


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        ("", And(())),
        ("a b", And((word("a"), word("b")))),
        ("a AND b", And((word("a"), word("b")))),
        ("a b OR c d", And((word("a"), Or((word("b"), word("c"))), word("d")))),
        ("a | b", Or((word("a"), word("b")))),
        ("{a b}", Or((word("a"), word("b")))),
        ("-{a b}", Not(Or((word("a"), word("b"))))),
        ("-a", Not(word("a"))),
        ("a-b", word("a-b")),
        ('"a b"', Text("a b", is_quoted=True)),
        ('-"a b"', Not(Text("a b", is_quoted=True))),
        ("from:ann", Term("from", "ann")),
        ("FROM:ann", Term("from", "ann")),
        ('subject:"two words"', Term("subject", "two words")),
        ("subject:(a b)", And((Term("subject", "a"), Term("subject", "b")))),
        ("from:{a b}", Or((Term("from", "a"), Term("from", "b")))),
        ("from:(a OR -b)", Or((Term("from", "a"), Not(Term("from", "b"))))),
        ("from:a@b.example,", Term("from", "a@b.example,")),
        ("http://x.example/y", word("http://x.example/y")),
        ("OR", And(())),
        ("a OR", word("a")),
        ("OR a", word("a")),
        ("(a", word("a")),
        ("a) b", And((word("a"), word("b")))),
        ("()", And(())),
        ("or and", And((word("or"), word("and")))),
        ("subject:", Term("subject", "")),
        ('"open', Text("open", is_quoted=True)),
    ],
)
def test_case_73_the_tree_of_a_query(query: str, tree: object) -> None:
    assert parse(query) == tree


def test_absurd_nesting_is_refused_and_deep_nesting_is_not() -> None:
    client = Client(new_twin())
    assert client.call("GET", f"messages?q={'(' * 50}a")[0] == 200
    assert client.error("GET", f"messages?q={'(' * 5000}a")[0] == 400
    assert client.call("GET", f"messages?q={'-' * 5000}a")[0] == 200


def found(query: str, *mails: bytes, labels: tuple[str, ...] = ("INBOX",)) -> list[int]:
    """Positions of the mails that a query finds."""
    client = Client(new_twin())
    ids = [client.insert(raw, *labels)["id"] for raw in mails]
    return sorted(ids.index(key) for key in client.listed(query))


def test_an_address_is_matched_whole() -> None:
    senders = ("ann@corp.example", "joann@corp.example", "ann@corp.example.evil.test", "x.ann@corp.example")
    mails = [mail(sender=sender) for sender in (*senders, "Ann <ANN@Corp.Example>")]
    assert found("from:ann@corp.example", *mails) == [0, 4]


def test_a_name_or_domain_is_matched_by_whole_words() -> None:
    mails = [mail(sender="Ann Lee <a@corp.example>"), mail(sender="Joanna <j@corporation.example>")]
    assert found("from:ann", *mails) == [0]
    assert found("from:corp.example", *mails) == [0]
    assert found("from:@corp.example", *mails) == [0]
    assert found('from:"Ann Lee"', *mails) == [0]
    assert found('from:"Lee Ann"', *mails) == []


def test_to_covers_cc_and_bcc() -> None:
    mails = [mail(Cc="bob@x.example"), mail(Bcc="bob@x.example"), mail()]
    assert found("to:bob@x.example", *mails) == [0, 1]
    assert found("cc:bob@x.example", *mails) == [0]
    assert found("bcc:bob@x.example", *mails) == [1]
    assert found("to:me", *mails) == [0, 1, 2]
    assert found("from:me", mail(sender=OWNER), mail()) == [0]


def test_bare_words_are_whole_words_in_any_field() -> None:
    html = b"Subject: h\r\nContent-Type: text/html\r\n\r\n<p>off<b>er</b> &eacute;t&eacute;</p><!-- hidden -->"
    mails = [mail(body="An OFFER."), mail(body="offered"), mail("Your offer"), html]
    assert found("offer", *mails) == [0, 2]
    assert found("été", *mails) == [3]
    assert found("hidden", *mails) == []
    assert found('"your offer"', *mails) == [2]
    assert found("ann@mail.example", *mails) == [0, 1, 2]


def test_attached_mail_is_an_attachment_and_its_words_are_not_the_outer_words() -> None:
    raw = (
        b"Subject: fwd\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nsee\r\n--b\r\n"
        b"Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename=old.eml\r\n\r\n"
        b"Subject: inner\r\n\r\ntext\r\n--b--\r\n"
    )
    assert found("has:attachment", raw, mail()) == [0]
    assert found("filename:eml", raw, mail()) == [0]
    assert found("subject:inner", raw, mail()) == []


def test_a_picture_shown_in_the_text_is_no_attachment() -> None:
    raw = (
        b"Subject: x\r\nContent-Type: multipart/related; boundary=b\r\n\r\n"
        b"--b\r\nContent-Type: text/html\r\n\r\n<p>\r\n"
        b"--b\r\nContent-Type: image/png; name=l.png\r\nContent-ID: <l>\r\n"
        b"Content-Disposition: inline; filename=l.png\r\n\r\nx\r\n--b--"
    )
    assert found("has:attachment", raw) == []


def test_sizes() -> None:
    small, large = mail(), mail(body="x" * 3_000_000)
    assert found("larger:2M", small, large) == [1]
    assert found("smaller:2m", small, large) == [0]
    assert found("larger:2.5M", small, large) == [1]
    assert found("size:1000000", small, large) == [1]
    assert found("larger:x", small, large) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026/11/30", 1_796_025_600_000),
        ("2026-11-30", 1_796_025_600_000),
        ("11/30/2026", 1_796_025_600_000),
        ("1796025600", 1_796_025_600_000),
        ("2026/13/01", None),
        ("yesterday", None),
        ("0000/00/00", None),
    ],
)
def test_dates_are_midnight_in_utc_minus_8(text: str, wanted: int | None) -> None:
    assert moment_ms(text) == wanted


def test_case_33_epoch_seconds_include_their_own_second() -> None:
    client = Client(new_twin())
    made = client.insert(mail())["id"]
    assert client.listed(f"after:{NOW_MS // 1000}") == [made]
    assert client.listed(f"after:{NOW_MS // 1000 + 1}") == []
    assert client.listed(f"before:{NOW_MS // 1000}") == []


def test_relative_dates_move_with_the_clock() -> None:
    now = [NOW_MS]
    client = Client(new_twin(clock=lambda: now[0]))
    made = client.insert(mail())["id"]
    assert client.listed("newer_than:1d") == [made]
    now[0] += 2 * 86_400_000
    assert client.listed("newer_than:1d") == [] and client.listed("older_than:1d") == [made]


def test_places_and_their_hiding() -> None:
    client = Client(new_twin())
    ids = {place: client.insert(mail(place), place)["id"] for place in ("INBOX", "SPAM", "TRASH", "SENT")}
    assert client.listed("in:trash") == [ids["TRASH"]]
    assert client.listed("in:spam") == [ids["SPAM"]]
    assert client.listed("-in:trash") == [ids["SENT"], ids["INBOX"]]
    assert client.listed("in:sent") == [ids["SENT"]]
    assert client.listed("in:anywhere -in:trash") == [ids["SENT"], ids["SPAM"], ids["INBOX"]]
    assert client.listed("label:trash") == [ids["TRASH"]]
    assert client.listed("in:nowhere") == []


def test_user_labels_are_named_with_hyphens_in_any_case() -> None:
    client = Client(new_twin())
    label = client.post("labels", {"name": "Job Search/Top Offers"})["id"]
    made = client.insert(mail(), label)["id"]
    for query in ("label:job-search-top-offers", "label:JOB-SEARCH-TOP-OFFERS", 'label:"job search/top offers"'):
        assert client.listed(query) == [made]
    assert client.listed("label:job-search") == []


def test_lists_and_message_ids() -> None:
    mails = [mail(List_Id="Weekly <weekly.list.example>", Message_ID="<A@x.example>"), mail(Message_ID="<b@x.example>")]
    assert found("list:weekly.list.example", *mails) == [0]
    assert found("list:list", *mails) == [0]
    assert found("rfc822msgid:a@x.example", *mails) == [0]
    assert found("rfc822msgid:x.example", *mails) == []
    assert found("rfc822msgid:", *mails) == []


def test_operators_with_unknown_values_find_nothing() -> None:
    for query in ("is:nothing", "has:nothing", "category:nothing", "older_than:x", "after:x", "from:"):
        assert found(query, mail()) == []


def test_a_label_that_a_message_wears_is_not_its_text() -> None:
    assert found("INBOX", mail()) == []
