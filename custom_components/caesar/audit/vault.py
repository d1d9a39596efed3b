"""Encryption of what must not be read in a leaked file (DESIGN 8).

AES-256-GCM with a random nonce for each text. The key never stands in the file itself;
a full backup of Home Assistant holds both, which docs/security.md says.
"""

import os
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_VERSION: Final = b"\x01"


class VaultError(Exception):
    """Sealed bytes that this key and context don't open: damaged, swapped or foreign."""


class Vault:
    """Seals bytes under one key. `aad` is what they belong to, never a secret.

    What is sealed for one row opens for that row only.
    """

    def __init__(self, key: bytes) -> None:
        """Take a key of 32 bytes; raises ValueError for any other."""
        if len(key) != KEY_BYTES:
            raise ValueError(f"a key has {KEY_BYTES} bytes")
        self._key = key
        self._cipher = AESGCM(key)

    def subkey(self, purpose: str) -> bytes:
        """Return a key of its own for one purpose (HKDF, RFC 5869)."""
        info = f"caesar/{purpose}".encode()
        return HKDF(SHA256(), KEY_BYTES, None, info).derive(self._key)

    def seal(self, plain: bytes, aad: bytes) -> bytes:
        """Return version, nonce, ciphertext and tag in one."""
        nonce = os.urandom(_NONCE_BYTES)
        return _VERSION + nonce + self._cipher.encrypt(nonce, plain, _VERSION + aad)

    def open(self, sealed: bytes, aad: bytes) -> bytes:
        """Return what was sealed; raises VaultError."""
        head = len(_VERSION) + _NONCE_BYTES
        if sealed[: len(_VERSION)] != _VERSION or len(sealed) <= head:
            raise VaultError("not sealed by this version")
        try:
            return self._cipher.decrypt(
                sealed[len(_VERSION) : head], sealed[head:], _VERSION + aad
            )
        except InvalidTag as err:
            raise VaultError("it does not open") from err
