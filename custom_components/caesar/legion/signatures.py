"""HTTP Message Signatures (RFC 9421) with content digests (RFC 9530), as Legion uses them.

One signature a message, Ed25519, the tag `caesar-legion/1`, valid for 30 s, clocks at
most 60 s apart. A reply's signature covers that of its request, so it answers no other.
"""

from collections.abc import Collection
import secrets

from . import direct, rfc9421
from .keys import Identity
from .signed import Headers, Proof, Reply, Request, SignatureError


def sign_request(
    identity: Identity, request: Request, body: bytes | None, *, now: float
) -> None:
    """Add the headers that prove a request. Without a body it is a hello."""
    _sign(identity, request, body, now, secrets.token_urlsafe(18))


def sign_reply(identity: Identity, reply: Reply, body: bytes, *, now: float) -> None:
    """Add the headers that prove a reply to its request."""
    _sign(identity, reply, body, now, None)


def verify_request(
    request: Request, *, trusted: Collection[str], now: float, has_body: bool
) -> Proof:
    """Return who signed a request, judged by its headers alone.

    So a stranger's body is never read; `verify_body` follows. Raises SignatureError.
    """
    return _verify(request, trusted, now, has_body=has_body)


def verify_body(headers: Headers, body: bytes) -> None:
    """Check a body against its signed digest. Raises SignatureError."""
    if not direct.verify_body(headers, body):
        rfc9421.verify_body(headers, body)


def verify_reply(reply: Reply, body: bytes, *, key: str, now: float) -> Proof:
    """Check that `key` signed this reply to this request. Raises SignatureError."""
    proof = _verify(reply, (key,), now, has_body=True)
    verify_body(reply.headers, body)
    return proof


def _sign(
    identity: Identity,
    message: Request | Reply,
    body: bytes | None,
    now: float,
    nonce: str | None,
) -> None:
    if not direct.sign(identity, message, body, created=int(now), nonce=nonce):
        rfc9421.sign(identity, message, body, created=int(now), nonce=nonce)


def _verify(
    message: Request | Reply, trusted: Collection[str], now: float, *, has_body: bool
) -> Proof:
    if "Signature" not in message.headers:
        # What strangers send most is not worth the library's time.
        raise SignatureError("not signed")
    proof = direct.verify(message, trusted=trusted, now=now, has_body=has_body)
    if proof is None:
        proof = rfc9421.verify(message, trusted=trusted, now=now, has_body=has_body)
    return proof
