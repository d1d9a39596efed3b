"""Signing and verifying the one shape of messages that our own side writes.

The library takes about two milliseconds for the four operations of one exchange,
nearly all of it parsing Structured Fields that always look the same. Here they are
compared with the shape they must have, and the signature base is put together as text.
Whatever has another shape goes to the library (`None`, or False). That both come to the
same end is tested on messages bent in every way (tests/core/legion/test_direct.py).
"""

import base64
from collections.abc import Collection, Mapping
from functools import lru_cache
import hashlib
import hmac
import ipaddress
import re
from typing import Final

from cryptography.exceptions import InvalidSignature

from .keys import Identity, KeyTextError, public_key
from .signed import (
    EPOCH_HEADER,
    HELLO_COVERS,
    LABEL,
    NONCE,
    REPLY_COVERS,
    REQUEST_COVERS,
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
from .wire import EPOCH

_JSON: Final = "application/json"
_DIGEST: Final = re.compile(r"sha-256=:[A-Za-z0-9+/]{43}=:")
_SIGNATURE: Final = re.compile(rf"{LABEL}=:([A-Za-z0-9+/]{{86}}==):")
_URL: Final = re.compile(
    r"https?://(?P<host>[a-z0-9][a-z0-9.-]*|\[[0-9a-f:]+\])(?::[1-9][0-9]{0,4})?"
    r"/[A-Za-z0-9._/-]*"
)
_NUMBER: Final = r"(0|[1-9][0-9]{0,11})"


def _inner_list(covers: tuple[str, ...]) -> str:
    quoted = (name if name.startswith('"') else f'"{name}"' for name in covers)
    return f"({' '.join(quoted)})"


def _input(covers: tuple[str, ...]) -> re.Pattern[str]:
    """Return what the header Signature-Input looks like."""
    nonce = "" if covers is REPLY_COVERS else f';nonce="({NONCE.pattern})"'
    return re.compile(
        rf"{LABEL}=({re.escape(_inner_list(covers))};created={_NUMBER}"
        rf';keyid="([A-Z2-7]{{56}})";alg="ed25519";expires={_NUMBER}{nonce}'
        rf';tag="{re.escape(TAG)}")'
    )


_LISTS: Final[Mapping[tuple[str, ...], str]] = {
    covers: _inner_list(covers)
    for covers in (HELLO_COVERS, REQUEST_COVERS, REPLY_COVERS)
}
_INPUTS: Final[Mapping[tuple[str, ...], re.Pattern[str]]] = {
    covers: _input(covers) for covers in _LISTS
}


def sign(
    identity: Identity,
    message: Request | Reply,
    body: bytes | None,
    *,
    created: int,
    nonce: str | None,
) -> bool:
    """Add the headers that prove a message, or return False and leave it as it is."""
    headers = message.headers
    if "Content-Digest" in headers:
        return False
    digest = "" if body is None else _digest(body)
    lines = _lines(message, digest, has_body=body is not None)
    if lines is None:
        return False
    covers = covers_of(message, has_body=body is not None)
    once = "" if nonce is None else f';nonce="{nonce}"'
    params = (
        f'{_LISTS[covers]};created={created};keyid="{identity.public_key}"'
        f';alg="ed25519";expires={created + VALID_S}{once};tag="{TAG}"'
    )
    signature = base64.b64encode(identity.sign(_base(lines, params))).decode()
    if digest:
        headers["Content-Digest"] = digest
    headers["Signature-Input"] = f"{LABEL}={params}"
    headers["Signature"] = f"{LABEL}=:{signature}:"
    return True


def verify(
    message: Request | Reply, *, trusted: Collection[str], now: float, has_body: bool
) -> Proof | None:
    """Return who signed a message, None for one of another shape.

    Raises SignatureError.
    """
    headers = message.headers
    covers = covers_of(message, has_body=has_body)
    given = _INPUTS[covers].fullmatch(_only(headers, "Signature-Input"))
    signature = _SIGNATURE.fullmatch(_only(headers, "Signature"))
    lines = _lines(message, _only(headers, "Content-Digest"), has_body=has_body)
    if given is None or signature is None or lines is None:
        return None
    params, created, key, expires, *once = given.groups()
    proof = Proof(
        key=key,
        created=int(created),
        expires=int(expires),
        nonce=once[0] if once else "",
    )
    if key not in trusted:
        raise SignatureError("signed by a key that is not trusted")
    try:
        public_key(key).verify(base64.b64decode(signature[1]), _base(lines, params))
    except (InvalidSignature, KeyTextError) as err:
        raise SignatureError("not signed as it must be") from err
    return checked(proof, trusted, now)


def verify_body(headers: Headers, body: bytes) -> bool:
    """Return whether the digest is ours and right; anything else is for the library."""
    return hmac.compare_digest(
        _only(headers, "Content-Digest").encode(), _digest(body).encode()
    )


def _lines(
    message: Request | Reply, digest: str, *, has_body: bool
) -> tuple[str, ...] | None:
    """Return the first lines of the signature base, None for another shape."""
    request = message if isinstance(message, Request) else message.request
    if request.method not in ("GET", "POST") or not _is_plain(request.url):
        return None
    if isinstance(message, Request) and not has_body:
        return (f'"@method": {request.method}', f'"@target-uri": {request.url}')
    if _only(message.headers, "Content-Type") != _JSON or not _DIGEST.fullmatch(digest):
        return None
    if isinstance(message, Request):
        epoch = _only(message.headers, EPOCH_HEADER)
        if not EPOCH.fullmatch(epoch):
            return None
        return (
            f'"@method": {request.method}',
            f'"@target-uri": {request.url}',
            f'"content-type": {_JSON}',
            f'"caesar-epoch": {epoch}',
            f'"content-digest": {digest}',
        )
    asked = _only(request.headers, "Signature")
    if not _SIGNATURE.fullmatch(asked) or not 100 <= message.status_code <= 599:
        return None
    return (
        f'"@status": {message.status_code}',
        f'"content-type": {_JSON}',
        f'"content-digest": {digest}',
        f'"@method";req: {request.method}',
        f'"@target-uri";req: {request.url}',
        f'"signature";req: {asked}',
    )


def _base(lines: tuple[str, ...], params: str) -> bytes:
    return "\n".join((*lines, f'"@signature-params": {params}')).encode()


def _only(headers: Headers, name: str) -> str:
    """Return a header that is there once; "" fits no shape."""
    values = headers.getall(name, ())
    return values[0] if len(values) == 1 else ""


def _digest(body: bytes) -> str:
    return f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"


@lru_cache(maxsize=256)
def _is_plain(url: str) -> bool:
    """Return whether a URL is its own canonical form, whoever reads it."""
    found = _URL.fullmatch(url)
    if found is None:
        return False
    host = found["host"]
    if not host.startswith("["):
        return True
    try:
        ipaddress.IPv6Address(host[1:-1])
    except ValueError:
        return False
    return True
