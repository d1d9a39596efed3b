"""Ed25519 identities (RFC 8032) in the NKEY text form of NATS.

The text is base32 of prefix, 32 key bytes and a CRC-16/XMODEM in little-endian order:
"U..." is a public key, "SU..." the seed of a private one. A mistyped key is refused
because of its checksum, before anything trusts it.
"""

import base64
import binascii
from functools import lru_cache
import secrets
from typing import Final, NoReturn, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

_USER: Final = 20 << 3
_SEED: Final = 18 << 3
PUBLIC_PREFIX: Final = bytes([_USER])
SEED_PREFIX: Final = bytes([_SEED | _USER >> 5, (_USER & 31) << 3])
_RAW_BYTES: Final = 32


class KeyTextError(ValueError):
    """A text is no key. The message never repeats the text: it may be a secret."""


class Identity:
    """A private key: what a worker, or Home Assistant, signs with."""

    __slots__ = ("_key", "_seed", "public_key")

    def __init__(self, raw: bytes) -> None:
        """Take the 32 bytes of a private key; `from_seed` and `generate` are easier."""
        self._key = Ed25519PrivateKey.from_private_bytes(raw)
        self._seed = _encode(SEED_PREFIX, raw)
        self.public_key: Final = public_text(self._key.public_key().public_bytes_raw())

    @classmethod
    def generate(cls) -> Self:
        """Return a new identity."""
        return cls(secrets.token_bytes(_RAW_BYTES))

    @classmethod
    def from_seed(cls, text: str) -> Self:
        """Return the identity whose seed is `text` ("SU..."). Raises KeyTextError."""
        return cls(_decode(SEED_PREFIX, text, "a seed begins with SU"))

    @property
    def seed(self) -> str:
        """Return the secret, for the one file or setting that keeps it."""
        return self._seed

    def sign(self, data: bytes) -> bytes:
        """Return the 64 bytes of the signature of `data`."""
        return self._key.sign(data)

    @property
    def private_key(self) -> Ed25519PrivateKey:
        """Return the key itself, for libraries that sign."""
        return self._key

    def __repr__(self) -> str:
        """Name the public key only."""
        return f"Identity({self.public_key})"

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied into places that keep no secrets."""
        raise TypeError("an identity is not to be copied")


def public_bytes(text: str) -> bytes:
    """Return the 32 bytes of a public key ("U..."). Raises KeyTextError."""
    return _decode(PUBLIC_PREFIX, text, "a public key begins with U")


def public_text(raw: bytes) -> str:
    """Return the text form of the 32 bytes of a public key."""
    return _encode(PUBLIC_PREFIX, raw)


@lru_cache(maxsize=256)
def public_key(text: str) -> Ed25519PublicKey:
    """Return the public key of that text. Raises KeyTextError."""
    return Ed25519PublicKey.from_public_bytes(public_bytes(text))


def _encode(prefix: bytes, raw: bytes) -> str:
    body = prefix + raw
    checked = body + binascii.crc_hqx(body, 0).to_bytes(2, "little")
    return base64.b32encode(checked).rstrip(b"=").decode()


def _decode(prefix: bytes, text: str, hint: str) -> bytes:
    padded = text + "=" * (-len(text) % 8)
    try:
        checked = base64.b32decode(padded)
    except (ValueError, UnicodeError) as err:
        raise KeyTextError(f"not a key: {hint}") from err
    body, checksum = checked[:-2], checked[-2:]
    if len(body) != len(prefix) + _RAW_BYTES or not body.startswith(prefix):
        raise KeyTextError(f"not a key of that kind: {hint}")
    if binascii.crc_hqx(body, 0).to_bytes(2, "little") != checksum:
        raise KeyTextError("the key's checksum is wrong: part of it was mistyped")
    if _encode(prefix, body[len(prefix) :]) != text:
        raise KeyTextError("the key is written in an unusual way")
    return body[len(prefix) :]
