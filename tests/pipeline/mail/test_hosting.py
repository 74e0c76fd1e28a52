"""Where anyone publishes: by whole labels."""

import pytest

from pipeline.mail.hosting import is_hosting, is_shortener


@pytest.mark.parametrize("host", ["x.web.app", "a.b.pages.dev", "X.ONMICROSOFT.COM", "storage.googleapis.com"])
def test_names_under_a_host_for_anyone_are_found(host: str) -> None:
    assert is_hosting(host)


@pytest.mark.parametrize("host", ["web.app.example", "myweb.app.example", "app", "", "vendor.example"])
def test_likeness_of_a_hosts_name_is_nothing(host: str) -> None:
    assert not is_hosting(host)
    assert not is_shortener(host)


def test_shorteners_are_told_apart_from_hosts() -> None:
    assert is_shortener("bit.ly")
    assert not is_shortener("rabbit.ly")
