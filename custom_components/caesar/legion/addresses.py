"""Which addresses of workers are acceptable."""

import ipaddress
from typing import Final

from yarl import URL

# Names that can't be on the internet: RFC 6761, 6762, 8375 and ICANN's `internal`, and
# `lan` and `localdomain`, which routers use and nobody can register.
_HOME: Final = (
    ".localhost",
    ".local",
    ".home.arpa",
    ".internal",
    ".lan",
    ".localdomain",
)


class AddressError(ValueError):
    """An address is not one that a worker may have."""


def base_url(text: str) -> URL:
    """Return the base of a worker: scheme, host and port, nothing else.

    Plain HTTP is for private addresses and for names of the home network: what is
    asked and answered is signed, but can be read on the way. Raises AddressError.
    """
    try:
        url = URL(text)
        port = url.port
    except ValueError as err:
        raise AddressError("this is not a URL") from err
    if url.scheme not in ("http", "https") or not url.host or not port:
        raise AddressError("the address must be http:// or https://, host and port")
    if url.user is not None or url.password is not None:
        raise AddressError("the address must hold no user or password")
    if url.path not in ("", "/") or url.query_string or url.fragment:
        raise AddressError("the address must end after the port")
    if url.scheme == "http" and not is_private(url.host):
        raise AddressError("outside of the home network a worker needs https://")
    return url.origin()


def is_private(host: str) -> bool:
    """Return whether a host, by its address or name, is in the home network."""
    name = host.lower().rstrip(".")
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name == "localhost" or "." not in name or name.endswith(_HOME)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return not (address.is_global or address.is_multicast or address.is_unspecified)
