"""Hosts of addresses, and the allow-list."""

import pytest

from custom_components.caesar.legion.tools.web_search.hosts import (
    host_of,
    is_allowed,
    is_within,
    normal_host,
)

ALLOWED = ("en.wikipedia.org", "*.example.com", "xn--bcher-kva.example")


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("https://en.wikipedia.org/wiki/X", True),
        ("https://EN.Wikipedia.ORG./x", True),
        ("https://en.wikipedia.org:8443/", True),
        ("https://a.example.com/", True),
        ("https://a.b.example.com/", True),
        ("https://bücher.example/", True),
        ("https://BÜCHER.example/", True),
        ("https://xn--bcher-kva.example/", True),
        ("https://bu\u0308cher.example/", True),
        ("https://en.wikipedia.org@evil.test/", False),
        ("https://en.wikipedia.org\\@evil.test/", False),
        ("https://evil.test/?en.wikipedia.org", False),
        ("https://evil.test/#@en.wikipedia.org", False),
        ("https://en.wikipedia.org.evil.test/", False),
        ("https://xen.wikipedia.org/", False),
        ("https://wikipedia.org/", False),
        ("https://example.com/", False),
        ("https://notexample.com/", False),
        ("https://еn.wikipedia.org/", False),
        ("https://en%2ewikipedia.org/", False),
        ("javascript:alert(1)//en.wikipedia.org", False),
        ("//en.wikipedia.org/", False),
        ("https:en.wikipedia.org", False),
        ("https:///en.wikipedia.org/", False),
        ("http://127.0.0.1/", False),
        ("http://2130706433/", False),
        ("http://0x7f.1/", False),
        ("http://[::1]/", False),
        ("https://en.wikipedia.org\t/", False),
        ("https://en.wiki\npedia.org/", False),
        ("https://en.wikipedia.org%00.evil.test/", False),
        ("https://en.wikipedia.org%2F@evil.test/", False),
        ("https://evil.test\uff0fen.wikipedia.org/", False),
        ("https://en.wikipedia.org:80:80/", False),
        ("https://en.wikipedia.org:99999/", False),
        ("https://user:pw@en.wikipedia.org/", False),
        ("https://faß.example/", False),
        ("ftp://en.wikipedia.org/", False),
        ("https://en.wikipedia.org..:80/", False),
        ("https://-a.example.com/", False),
        ("https://en.wikipedia.org\ud800/", False),
        ("https://[en.wikipedia.org/", False),
    ],
)
def test_tricky_addresses(address: str, allowed: bool) -> None:
    """The list is kept to, however an address is written."""
    host = host_of(address)
    assert (host is not None and is_allowed(host, ALLOWED)) is allowed


def test_an_address_by_number_is_a_host_of_its_own() -> None:
    """It is on a list only if it is named."""
    assert host_of("http://192.168.1.5:8080/x") == "192.168.1.5"
    assert is_allowed("192.168.1.5", ("192.168.1.5",))


@pytest.mark.parametrize(
    "text", ["", "localhost", "ü" * 300 + ".example", "a..example"]
)
def test_no_hosts(text: str) -> None:
    """They have no spelling to compare."""
    assert normal_host(text) is None


def test_within_a_site() -> None:
    """At a dot, not anywhere."""
    assert is_within("de.a.example", "a.example")
    assert is_within("a.example", "a.example")
    assert not is_within("dea.example", "a.example")
