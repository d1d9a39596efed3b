"""Names of hosts in `domain_allowlist`, and whether a host is one of them.

A bare host is that host only; `*.example.org` are its subdomains (DESIGN 12).
"""

from collections.abc import Iterable
import re
from typing import Final

MAX_HOST: Final = 253
_LABEL: Final = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})+")
_ADDRESS: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_SUBDOMAINS: Final = "*."


def normal_host(text: str) -> str | None:
    """Return a host in the one spelling that is compared; None if it is no host.

    Lower case, ASCII (IDNA), without a final dot. Schemes, paths, ports and user
    names make it no host.
    """
    host = text.strip().lower().removesuffix(".")
    try:
        host = host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        return None
    return host if len(host) <= MAX_HOST and _NAME.fullmatch(host) else None


def normal_entry(text: str) -> str | None:
    """Return an entry of an allow-list in its one spelling; None if it is none."""
    if not text.startswith(_SUBDOMAINS):
        return normal_host(text)
    host = normal_host(text.removeprefix(_SUBDOMAINS))
    if host is None or _ADDRESS.fullmatch(host):
        return None
    return f"{_SUBDOMAINS}{host}"


def allows_host(entries: Iterable[str], host: str) -> bool:
    """Return whether a host is one that the entries (normalised) name."""
    known = normal_host(host)
    if known is None:
        return False
    return any(
        known.endswith(entry[1:]) if entry.startswith(_SUBDOMAINS) else known == entry
        for entry in entries
    )
