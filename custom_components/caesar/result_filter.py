"""What of a tool's result a rule's `domain_allowlist` lets through (SPEC 3.6)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
import re
from typing import Final
from urllib.parse import urlsplit

from .legion.canonical import Json
from .policy.decision import ResultFilter
from .policy.hosts import allows_host
from .turn import ToolOutcome

# A tool's own sentence about its result: nobody can tell which host its words are of.
SAY: Final = "say"
REMOVED: Final = "[link removed]"
MAX_HOSTS: Final = 20
MAX_DEPTH: Final = 32

# Fields that say where an entry comes from: without them it is not to be trusted.
_ADDRESS_KEYS: Final = frozenset({"href", "link", "uri", "url"})
# A scheme begins with its word: looking for its end from every letter of a long one
# would take hours.
_ADDRESS: Final = re.compile(
    r"""(?:(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:|(?<!\w))[/\\]{2}[^\s<>"'`]+"""
    r"""|(?:blob|data|file|javascript|mailto|vbscript):[^\s<>"'`]+"""
    r"""|\bwww\.[^\s<>"'`]+""",
    re.IGNORECASE,
)
_AFTER: Final = ".,;:!?)]}"


@dataclass(slots=True)
class Filtered:
    """A result after the filter: how much went, and of which hosts."""

    data: Json = None
    dropped: int = 0
    hosts: list[str] = field(default_factory=list)

    def drop(self, address: str) -> None:
        """Count one more, and remember its host."""
        self.dropped += 1
        host = (_host(address) or "?")[:253]
        if host not in self.hosts and len(self.hosts) < MAX_HOSTS:
            self.hosts.append(host)


def filter_result(data: Json, allowed: ResultFilter) -> Filtered:
    """Return a result without what leads to other hosts. Never raises.

    Entries with a foreign address go whole; in other text it is only cut out. An
    address is foreign if it isn't http(s), holds a user name, or can't be read. What
    the tool itself says about its result goes too.
    """
    filtered = Filtered()
    if isinstance(data, Mapping):
        data = {key: value for key, value in data.items() if key != SAY}
    kept = _walk(data, allowed.domain_allowlist, filtered, 0)
    if filtered.dropped and isinstance(kept, dict):
        kept["filtered"] = filtered.dropped
    filtered.data = kept
    return filtered


def filter_outcome(
    outcome: ToolOutcome, allowed: ResultFilter
) -> tuple[ToolOutcome, Filtered]:
    """Return an outcome whose data and error text lead to no other host."""
    filtered = filter_result(outcome.data, allowed)
    error = outcome.error
    if error is not None:
        message = _text(error.message, allowed.domain_allowlist, filtered)
        error = replace(error, message=message)
    return replace(outcome, data=filtered.data, error=error), filtered


def _walk(value: Json, hosts: Iterable[str], filtered: Filtered, depth: int) -> Json:
    if depth > MAX_DEPTH:
        # Nothing that a person would read is nested so deep.
        filtered.drop("")
        return None
    if isinstance(value, str):
        return _text(value, hosts, filtered)
    if isinstance(value, Mapping):
        return {
            _text(key, hosts, filtered): None
            if _is_foreign(item, hosts, filtered)
            else _walk(item, hosts, filtered, depth + 1)
            for key, item in value.items()
            if not (_is_address(key) and _foreign_address(item, hosts, filtered))
        }
    if isinstance(value, (list, tuple)):
        return [
            _walk(item, hosts, filtered, depth + 1)
            for item in value
            if not _is_foreign(item, hosts, filtered)
        ]
    return value


def _is_foreign(value: Json, hosts: Iterable[str], filtered: Filtered) -> bool:
    """Return whether an entry names a foreign address as its own."""
    return isinstance(value, Mapping) and any(
        _is_address(key) and _foreign_address(item, hosts, filtered)
        for key, item in value.items()
    )


def _is_address(key: str) -> bool:
    return key.lower() in _ADDRESS_KEYS


def _foreign_address(value: Json, hosts: Iterable[str], filtered: Filtered) -> bool:
    if value is None or value == "":
        return False
    if isinstance(value, str) and _is_allowed(value.strip(), hosts):
        return False
    filtered.drop(value if isinstance(value, str) else "")
    return True


def _text(text: str, hosts: Iterable[str], filtered: Filtered) -> str:
    def replaced(match: re.Match[str]) -> str:
        whole = match.group()
        address = whole.rstrip(_AFTER)
        if _is_allowed(address, hosts):
            return whole
        filtered.drop(address)
        return REMOVED + whole[len(address) :]

    return _ADDRESS.sub(replaced, text)


def _is_allowed(address: str, hosts: Iterable[str]) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    if parts.scheme not in ("http", "https") or "@" in parts.netloc:
        return False
    host = _host(address)
    return host is not None and allows_host(hosts, host)


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
