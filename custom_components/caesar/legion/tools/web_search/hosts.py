"""Reads hosts out of addresses, and compares them with an allow-list.

Home Assistant judges results by itself; here the list only spares useless results.
"""

from collections.abc import Iterable
import re
from typing import Final
from urllib.parse import urlsplit

from yarl import URL

from .text import visible

MAX_URL: Final = 2_048
_HOST: Final = re.compile(
    r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
    r"(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)+"
)
_SUBDOMAINS: Final = "*."


def host_of(address: str) -> str | None:
    """Return the host of an http(s) address in ASCII; None for any other address.

    None too for one that hides something: characters that nobody sees, a backslash, a
    user name. yarl reads it as aiohttp would, urlsplit is the second opinion.
    """
    if len(address) > MAX_URL or "\\" in address or visible(address) != address:
        return None
    try:
        url = URL(address)
        host = url.raw_host
        netloc = urlsplit(address).netloc
    except ValueError:
        return None
    if url.scheme not in ("http", "https") or not host or not netloc or "@" in netloc:
        return None
    return normal_host(host)


def normal_host(text: str) -> str | None:
    """Return a host in the one spelling that is compared; None if it is none."""
    host = text.lower().removesuffix(".")
    if not host.isascii():
        try:
            host = URL.build(scheme="https", host=host).raw_host or ""
        except ValueError:
            return None
    return host if _HOST.fullmatch(host) else None


def is_within(host: str, site: str) -> bool:
    """Return whether a host is the site or one of its subdomains, as `site:` means."""
    return host == site or host.endswith(f".{site}")


def is_allowed(host: str, entries: Iterable[str]) -> bool:
    """Return whether a host is on the list.

    A bare entry is that host only, `*.example.org` are its subdomains.
    """
    return any(
        host.endswith(entry.lower()[1:])
        if entry.startswith(_SUBDOMAINS)
        else host == entry.lower()
        for entry in entries
    )


def bare(entry: str) -> str:
    """Return an entry of the list as a site to search."""
    return entry.removeprefix(_SUBDOMAINS)
