"""Which addresses a worker may have."""

import pytest

from custom_components.caesar.legion.addresses import AddressError, base_url, is_private


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("http://127.0.0.1:8450", "http://127.0.0.1:8450"),
        ("http://192.168.1.20:8450/", "http://192.168.1.20:8450"),
        ("http://[fd00::1]:8450", "http://[fd00::1]:8450"),
        ("http://worker:8450", "http://worker:8450"),
        ("http://Attic.local:8450", "http://attic.local:8450"),
        ("http://100.101.102.103:8450", "http://100.101.102.103:8450"),
        ("https://worker.example.org", "https://worker.example.org"),
        ("https://8.8.8.8:8450", "https://8.8.8.8:8450"),
    ],
)
def test_good_addresses(text: str, base: str) -> None:
    """Private by HTTP, any by HTTPS."""
    assert str(base_url(text)) == base


@pytest.mark.parametrize(
    "text",
    [
        "",
        "worker:8450",
        "ftp://192.168.1.2:21",
        "http://",
        "http://8.8.8.8:8450",
        "http://worker.example.org:8450",
        "http://fritz.box:8450",
        "http://evil-local:99999",
        "http://notlocal.evil.com/.local",
        "http://0.0.0.0:8450",
        "http://[::]:8450",
        "http://224.0.0.1:8450",
        "http://[::ffff:8.8.8.8]:8450",
        "http://user:secret@192.168.1.2:8450",
        "http://192.168.1.2:8450/path",
        "http://192.168.1.2:8450?x=1",
        "http://192.168.1.2:8450#x",
        "http://[::1",
    ],
)
def test_bad_addresses(text: str) -> None:
    """Anything public by HTTP, and whatever is no plain base."""
    with pytest.raises(AddressError) as caught:
        base_url(text)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("host", ["localhost", "a.localhost", "x.lan.", "fe80::1%eth0"])
def test_private_hosts(host: str) -> None:
    """Names and addresses of the home network."""
    assert is_private(host)
