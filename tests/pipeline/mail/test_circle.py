"""Whom the owner writes to: from sent mail alone, and the same whatever else is in the mailbox."""

from collections.abc import Sequence

from pipeline.mail.circle import NOBODY, Circle, circle_of
from pipeline.mail.message import Unreadable
from pipeline.mail.reader import Mail, read_message
from tests.strategies.mail import message


def sent(to: str, *, labels: Sequence[str] = ("SENT",), cc: str = "") -> Mail | Unreadable:
    """A message of the owner's to somebody."""
    fields = [("To", to), *([("Cc", cc)] if cc else [])]
    return read_message(message("Mara <mara.quill@example.com>", fields=fields, labels=labels))


def test_only_mail_that_gmail_knows_as_sent_makes_a_correspondent() -> None:
    assert circle_of([sent("Ann Noor <ann@vendor.example>", labels=("INBOX",))]) == NOBODY
    assert circle_of([Unreadable("m1", "no-payload")]) == NOBODY
    found = circle_of([sent("Ann Noor <ann@vendor.example>", cc="Bo Lindt <bo.lindt@gmail.com>")])
    assert found.addresses == {"ann@vendor.example", "bo.lindt@gmail.com"}
    assert found.names == {"ann noor": {"ann@vendor.example"}, "bo lindt": {"bo.lindt@gmail.com"}}


def test_free_mail_is_no_organisation_and_a_first_name_is_nobody() -> None:
    found = circle_of([sent("Ann <ann@gmail.com>"), sent("desk@vendor.example")])
    assert found.sites == {"vendor.example"}
    assert found.names == {}
    assert Circle().sites == frozenset()


def test_ambiguous_recipient_is_left_out() -> None:
    assert circle_of([sent("a@x.example <b@y.example, c@z.example")]).names == {}
