"""Mail made ready for the screen: the fast way with links agrees with the full one; mails do not mix."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.judge.seen import see
from pipeline.mail.circle import NOBODY
from pipeline.mail.reader import Mail, read_message
from tests.strategies.mail import message, resources
from tests.sweeps import sweep

OWNER = "mara.quill@example.com"
HOSTS = st.sampled_from(
    ["vendor.example", "A.Vendor.EXAMPLE", "192.0.2.7", "2130706433", "x", "-", "a..b", "xn--abc.test"]
)
LINKS = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(["http", "https", "HTTP", "ftp"]),
    st.sampled_from(["", "", "user@", "a:b@", "[::1]@"]),
    HOSTS,
    st.sampled_from(["", ":80", ":", ":x", ":999999"]),
    st.sampled_from(["", "/", "/a?b=c", "?q", "#f", "\\\\@drop.test", " x"]),
)


def read(resource: dict[str, object]) -> Mail:
    """One mail that can be read."""
    mail = read_message(resource)
    assert isinstance(mail, Mail)
    return mail


@given(LINKS)
@settings(max_examples=sweep(3_000), deadline=None)
def test_links_are_taken_apart_as_the_library_does(href: str) -> None:
    mail = read(message(html=f"<a href='{href}'>x</a>"))
    (seen,) = see([mail], OWNER, NOBODY)
    found = [(target.host, target.has_userinfo) for target in seen.targets]
    wanted = []
    for link in dict.fromkeys(mail.body.links):
        try:
            parts = urlsplit(link.href.strip())
            if parts.scheme.startswith("http") and parts.hostname:
                wanted.append((parts.hostname, parts.username is not None))
        except ValueError:
            continue
    assert found == wanted


@pytest.mark.contract("JU-1")
@given(st.lists(resources(), min_size=1, max_size=4))
@settings(max_examples=sweep(300), deadline=None)
def test_what_is_seen_of_a_mail_does_not_depend_on_the_others(listed: list[dict[str, object]]) -> None:
    mails = [one for one in map(read_message, listed) if isinstance(one, Mail)]
    together = see(mails, OWNER, NOBODY)
    assert together == [see([mail], OWNER, NOBODY)[0] for mail in mails]
