"""The signatures that Legion stands on are those of RFC 9421 and RFC 9530."""

import base64
from collections.abc import Iterable
import datetime as dt
import hashlib
from types import SimpleNamespace
from typing import Any

from http_message_signatures import (
    HTTPMessageSigner,
    HTTPMessageVerifier,
    HTTPSignatureKeyResolver,
    InvalidSignature,
    algorithms,
)
from multidict import CIMultiDict
import pytest

from . import rfc9421 as rfc

PUBLIC = {
    "test-key-rsa-pss": rfc.RSA_PSS_PUBLIC,
    "test-key-ecc-p256": rfc.ECC_P256_PUBLIC,
    "test-key-ed25519": rfc.ED25519_PUBLIC,
    "test-shared-secret": rfc.SHARED_SECRET,
}
PRIVATE = {
    "test-key-ed25519": rfc.ED25519_PRIVATE,
    "test-shared-secret": rfc.SHARED_SECRET,
}
DETERMINISTIC = ("B.2.5", "B.2.6")


class Keys(HTTPSignatureKeyResolver):
    """The keys of the RFC."""

    def resolve_public_key(self, key_id: str) -> bytes:
        """Return a public key."""
        return PUBLIC[key_id]

    def resolve_private_key(self, key_id: str) -> bytes:
        """Return a private key."""
        return PRIVATE[key_id]


def request(
    headers: Iterable[tuple[str, str]] = rfc.REQUEST_HEADERS,
    method: str = "POST",
    url: str = rfc.REQUEST_URL,
) -> Any:
    """Return a request as the library wants it."""
    return SimpleNamespace(method=method, url=url, headers=CIMultiDict(headers))


def message(kind: str) -> Any:
    """Return a message of the RFC."""
    if kind == "ttrp":
        return request(rfc.TTRP_HEADERS, url=rfc.TTRP_URL)
    if kind == "request":
        return request()
    return SimpleNamespace(
        status_code=200, headers=CIMultiDict(rfc.RESPONSE_HEADERS), request=request()
    )


def verify(algorithm: Any, signed: Any, given: str, signature: str) -> None:
    """Verify one signature. Raises InvalidSignature."""
    signed.headers["Signature-Input"] = given
    signed.headers["Signature"] = f"{given.partition('=')[0]}=:{signature}:"
    HTTPMessageVerifier(signature_algorithm=algorithm, key_resolver=Keys()).verify(
        signed, max_age=None
    )


@pytest.mark.parametrize(
    ("algorithm", "kind", "given", "signature"),
    [row[1:] for row in rfc.SIGNATURES],
    ids=[row[0] for row in rfc.SIGNATURES],
)
def test_the_signatures_of_the_rfc(
    algorithm: str, kind: str, given: str, signature: str
) -> None:
    """Each verifies, and none with another first byte."""
    chosen = getattr(algorithms, algorithm)
    verify(chosen, message(kind), given, signature)

    raw = bytearray(base64.b64decode(signature))
    raw[0] ^= 1
    with pytest.raises(InvalidSignature):
        verify(chosen, message(kind), given, base64.b64encode(raw).decode())


@pytest.mark.parametrize(
    ("number", "algorithm", "given", "signature"),
    [
        (row[0], row[1], row[3], row[4])
        for row in rfc.SIGNATURES
        if row[0] in DETERMINISTIC
    ],
)
def test_signing_gives_the_bytes_of_the_rfc(
    number: str, algorithm: str, given: str, signature: str
) -> None:
    """Those that have but one signature get that one."""
    names, _, rest = given.partition("=(")[2].partition(")")
    signed = request()
    HTTPMessageSigner(
        signature_algorithm=getattr(algorithms, algorithm), key_resolver=Keys()
    ).sign(
        signed,
        key_id=rest.partition('keyid="')[2].partition('"')[0],
        created=dt.datetime.fromtimestamp(1_618_884_473, dt.UTC),
        label=given.partition("=")[0],
        include_alg=False,
        covered_component_ids=[name.strip('"') for name in names.split()],
        use_existing_digest=True,
    )
    assert signed.headers["Signature"].endswith(f"=:{signature}:"), number


@pytest.mark.parametrize(
    ("headers", "method", "url", "holds"),
    [row[1:] for row in rfc.TRANSFORMED],
    ids=[row[0] for row in rfc.TRANSFORMED],
)
def test_what_may_change_on_the_way(
    headers: Any, method: str, url: str, holds: bool
) -> None:
    """B.4: what is not covered may change, what is covered may not."""
    signed = request(headers, method, url)
    try:
        verify(algorithms.ED25519, signed, rfc.TRANSFORM_INPUT, rfc.TRANSFORM_SIGNATURE)
    except InvalidSignature:
        assert not holds
    else:
        assert holds


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (rfc.REQUEST_BODY, rfc.REQUEST_HEADERS),
        (rfc.RESPONSE_BODY, rfc.RESPONSE_HEADERS),
    ],
)
def test_the_digests_of_the_rfc(body: bytes, headers: Any) -> None:
    """The digests of the messages are those of their bodies."""
    digest = base64.b64encode(hashlib.sha512(body).digest()).decode()
    assert dict(headers)["Content-Digest"] == f"sha-512=:{digest}:"
