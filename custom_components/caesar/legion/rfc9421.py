"""Signing and verifying by the library http-message-signatures.

It reads whatever RFC 9421 allows, so that a worker may be written with any library.
direct.py does the same for the one shape that our own side writes.
"""

from collections.abc import Collection
import datetime as dt

from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from http_message_signatures import (
    HTTPMessageSignaturesException,
    HTTPMessageSigner,
    HTTPMessageVerifier,
    HTTPSignatureKeyResolver,
    VerifyResult,
    algorithms,
)
from http_message_signatures.digests import ContentDigest

from .keys import Identity, KeyTextError, public_key
from .signed import (
    LABEL,
    NONCE,
    TAG,
    VALID_S,
    Headers,
    Proof,
    Reply,
    Request,
    SignatureError,
    checked,
    covers_of,
)


class _Keys(HTTPSignatureKeyResolver):
    """The keys that count for one message."""

    def __init__(
        self, *, trusted: Collection[str] = (), identity: Identity | None = None
    ) -> None:
        self._trusted = trusted
        self._identity = identity

    def resolve_public_key(self, key_id: str) -> Ed25519PublicKey | None:
        """Return a key if it is trusted."""
        return public_key(key_id) if key_id in self._trusted else None

    def resolve_private_key(self, key_id: str) -> Ed25519PrivateKey:
        """Return our own key."""
        if self._identity is None or key_id != self._identity.public_key:
            raise KeyTextError("not our key")
        return self._identity.private_key


class _Verifier(HTTPMessageVerifier):
    """Leaves the times to `checked`: the library looks at the machine's clock."""

    def validate_created_and_expires(
        self, sig_input: object, max_age: dt.timedelta | None = None
    ) -> None:
        """Do nothing."""


def sign(
    identity: Identity,
    message: Request | Reply,
    body: bytes | None,
    *,
    created: int,
    nonce: str | None,
) -> None:
    """Add the headers that prove a message and its body."""
    start = dt.datetime.fromtimestamp(created, dt.UTC)
    HTTPMessageSigner(
        signature_algorithm=algorithms.ED25519,
        key_resolver=_Keys(identity=identity),
    ).sign(
        message,
        key_id=identity.public_key,
        created=start,
        expires=start + dt.timedelta(seconds=VALID_S),
        nonce=nonce,
        label=LABEL,
        tag=TAG,
        covered_component_ids=covers_of(message, has_body=body is not None),
        body=body,
    )


def verify(
    message: Request | Reply, *, trusted: Collection[str], now: float, has_body: bool
) -> Proof:
    """Return who signed a message, by its headers. Raises SignatureError."""
    verifier = _Verifier(
        signature_algorithm=algorithms.ED25519, key_resolver=_Keys(trusted=trusted)
    )
    try:
        # Without a tag or a label to choose by, it refuses more than one signature.
        found = verifier.verify(
            message,
            max_age=None,
            require_components=covers_of(message, has_body=has_body),
        )
    except (HTTPMessageSignaturesException, ValueError, TypeError) as err:
        raise SignatureError(f"not signed as it must be: {str(err)[:100]}") from err
    proof = _proof(found, once=isinstance(message, Request))
    return checked(proof, trusted, now)


def verify_body(headers: Headers, body: bytes) -> None:
    """Check a body against its signed digest. Raises SignatureError."""
    try:
        ContentDigest.verify(", ".join(headers.getall("Content-Digest", ())), body)
    except HTTPMessageSignaturesException as err:
        raise SignatureError("the body is not the one that was signed") from err


def _proof(found: list[VerifyResult], *, once: bool) -> Proof:
    if len(found) != 1 or found[0].label != LABEL:
        raise SignatureError("there must be one signature, labelled caesar")
    values = found[0].parameters
    if values.get("tag") != TAG:
        raise SignatureError("the signature is for another protocol")
    created, expires = values.get("created"), values.get("expires")
    if not isinstance(created, int) or not isinstance(expires, int):
        raise SignatureError("the signature has no times")
    nonce = str(values.get("nonce", ""))
    if once and not NONCE.fullmatch(nonce):
        raise SignatureError("the signature has no good nonce")
    return Proof(
        key=str(values["keyid"]), created=created, expires=expires, nonce=nonce
    )
