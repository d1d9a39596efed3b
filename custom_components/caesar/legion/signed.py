"""What is signed, and what a good signature says: the values of signatures.py."""

from collections.abc import Collection
from dataclasses import dataclass, field
import re
from typing import Final

from multidict import CIMultiDict

TAG: Final = "caesar-legion/1"
LABEL: Final = "caesar"
VALID_S: Final = 30
SKEW_S: Final = 60
# Longest time from the first to the last moment at which one signature is accepted.
LIFE_S: Final = VALID_S + 2 * SKEW_S
NONCE: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")

EPOCH_HEADER: Final = "Caesar-Epoch"
# A hello has no body, and asks for the epoch.
HELLO_COVERS: Final = ("@method", "@target-uri")
REQUEST_COVERS: Final = (
    *HELLO_COVERS,
    "content-type",
    "caesar-epoch",
    "content-digest",
)
REPLY_COVERS: Final = (
    "@status",
    "content-type",
    "content-digest",
    '"@method";req',
    '"@target-uri";req',
    '"signature";req',
)

type Headers = CIMultiDict[str]


class SignatureError(Exception):
    """A message is not what a trusted key signed."""


class ClockError(SignatureError):
    """A good signature is too old or from the future: `skew_s` is its clock's lead."""

    def __init__(self, skew_s: float) -> None:
        """Keep the difference, in seconds."""
        super().__init__(f"the signer's clock is {skew_s:.0f} s ahead")
        self.skew_s: Final = skew_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as both sides see it: `url` is absolute, as the other side reads it."""

    method: str
    url: str
    headers: Headers = field(default_factory=CIMultiDict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply, with the request that it answers; the names are those of the library."""

    status_code: int
    headers: Headers
    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a verified signature says of itself; times in Unix seconds."""

    key: str
    created: int
    expires: int
    nonce: str


def covers_of(message: Request | Reply, *, has_body: bool) -> tuple[str, ...]:
    """Return what the signature of a message must cover."""
    if isinstance(message, Reply):
        return REPLY_COVERS
    return REQUEST_COVERS if has_body else HELLO_COVERS


def checked(proof: Proof, trusted: Collection[str], now: float) -> Proof:
    """Return a proof that is trusted and in time. Raises SignatureError."""
    if proof.key not in trusted:
        raise SignatureError("signed by a key that is not trusted")
    if not 0 <= proof.expires - proof.created <= VALID_S:
        raise SignatureError(f"a signature is valid for {VALID_S} s at most")
    if not proof.created - SKEW_S <= now <= proof.expires + SKEW_S:
        raise ClockError(proof.created - now)
    return proof
