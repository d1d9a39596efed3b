"""The chain of the trail: how rows, heads and anchors are hashed and signed. Pure.

A row's hash covers its content and the hash of the row before it, so an edit or a
gap shows. Whoever can write the file could hash everything anew; that shows at the
heads, which are signed with a key that is not in the file (ADR on audit heads).
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
import hashlib
import hmac
from typing import Final

from ..legion.canonical import Json, canonical_json

GENESIS: Final = "0" * 64

# What a row's hash covers, `prev_hash` apart, which it begins with.
HASHED: Final = (
    "chain_seq",
    "created_at",
    "event_type",
    "decision_id",
    "agent",
    "session",
    "user_id",
    "context_id",
    "origin",
    "caller",
    "taint",
    "policy_rev",
    "intent_seq",
    "payload",
    "boot",
)
COLUMNS: Final = ("id", *HASHED, "prev_hash", "row_hash")


class Gone(StrEnum):
    """Why rows are gone: by rule, or with the file, or only the newest ones."""

    RETENTION = "retention"
    DAMAGED = "damaged"
    MISSING = "missing"
    CUT = "cut"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A place in the chain: the number of a row and its hash."""

    seq: int = 0
    row_hash: str = GENESIS


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A signed statement that the chain reached `link`; heads are a chain too."""

    number: int
    link: Link
    created_at: str
    key_id: str
    prev_mac: str
    mac: str

    def as_json(self) -> dict[str, Json]:
        """Return it as it is kept outside the file."""
        return {
            "number": self.number,
            "seq": self.link.seq,
            "row_hash": self.link.row_hash,
            "created_at": self.created_at,
            "key_id": self.key_id,
            "prev_mac": self.prev_mac,
            "mac": self.mac,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """Where the kept rows begin: the last row that is gone, and why it is.

    `head` is the number of the last head that went with it.
    """

    link: Link
    head: int
    kind: Gone
    created_at: str
    mac: str


def head_from_json(value: Json) -> Head | None:
    """Read what `Head.as_json` returned; None if it is anything else."""
    if not isinstance(value, dict):
        return None
    number, seq = value.get("number"), value.get("seq")
    texts = [
        value.get(key)
        for key in ("row_hash", "created_at", "key_id", "prev_mac", "mac")
    ]
    if not isinstance(number, int) or not isinstance(seq, int):
        return None
    row_hash, created_at, key_id, prev_mac, mac = (
        text if isinstance(text, str) else "" for text in texts
    )
    return Head(
        number=number,
        link=Link(seq=seq, row_hash=row_hash),
        created_at=created_at,
        key_id=key_id,
        prev_mac=prev_mac,
        mac=mac,
    )


def row_hash(prev_hash: str, row: dict[str, Json]) -> str:
    """Return the hash of a row that has all of `HASHED`, as hexadecimal text."""
    text = canonical_json({key: row[key] for key in HASHED})
    # What somebody wrote into the file may be no valid text; it must still be judged.
    return hashlib.sha256(
        prev_hash.encode(errors="replace") + text.encode(errors="replace")
    ).hexdigest()


def utc_text(seconds: float) -> str:
    """Return seconds since 1970 as SQLite's own form of UTC: it compares as text."""
    # Far cheaper than strftime, and this runs on the loop for each row.
    when = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return when.isoformat(" ", "microseconds")


class Signer:
    """Signs and checks heads and anchors: HMAC-SHA256 under the house's key."""

    def __init__(self, key: bytes) -> None:
        """Take the house's key of 32 bytes; the trail's own is derived from it."""
        self._key = hmac.digest(key, b"caesar audit chain 1", "sha256")
        self.key_id = hashlib.sha256(self._key).hexdigest()[:16]

    def head(self, number: int, link: Link, created_at: str, prev_mac: str) -> Head:
        """Return a signed head."""
        mac = self._head_mac(number, link, created_at, prev_mac)
        return Head(
            number=number,
            link=link,
            created_at=created_at,
            key_id=self.key_id,
            prev_mac=prev_mac,
            mac=mac,
        )

    def anchor(self, link: Link, head: int, kind: Gone, created_at: str) -> Anchor:
        """Return a signed anchor."""
        mac = self._anchor_mac(link, head, kind, created_at)
        return Anchor(link=link, head=head, kind=kind, created_at=created_at, mac=mac)

    def made_head(self, head: Head) -> bool:
        """Return whether this house signed the head."""
        mac = self._head_mac(head.number, head.link, head.created_at, head.prev_mac)
        return hmac.compare_digest(mac.encode(), head.mac.encode(errors="replace"))

    def made_anchor(self, anchor: Anchor) -> bool:
        """Return whether this house signed the anchor."""
        mac = self._anchor_mac(anchor.link, anchor.head, anchor.kind, anchor.created_at)
        return hmac.compare_digest(mac.encode(), anchor.mac.encode(errors="replace"))

    def _head_mac(self, number: int, link: Link, created_at: str, prev_mac: str) -> str:
        return self._mac(
            ["head", number, link.seq, link.row_hash, created_at, prev_mac]
        )

    def _anchor_mac(self, link: Link, head: int, kind: Gone, created_at: str) -> str:
        return self._mac(
            ["anchor", link.seq, link.row_hash, head, kind.value, created_at]
        )

    def _mac(self, parts: list[Json]) -> str:
        text = canonical_json(parts).encode(errors="replace")
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()
