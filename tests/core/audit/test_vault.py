"""The vault: what is sealed for one row opens for that row, unchanged, or not at all."""

from hypothesis import given, strategies as st
import pytest

from custom_components.caesar.audit.vault import KEY_BYTES, Vault, VaultError

KEY = bytes(range(KEY_BYTES))


@given(st.binary(), st.binary(), st.data())
def test_what_was_changed_does_not_open(
    plain: bytes, aad: bytes, data: st.DataObject
) -> None:
    """Any bit of it, wherever; and nothing of it reads as text before."""
    vault = Vault(KEY)
    sealed = vault.seal(plain, aad)
    assert vault.open(sealed, aad) == plain
    assert len(plain) < 8 or plain not in sealed
    at = data.draw(st.integers(0, len(sealed) - 1))
    bit = 1 << data.draw(st.integers(0, 7))
    changed = bytes(
        byte ^ (bit if number == at else 0) for number, byte in enumerate(sealed)
    )
    for other, context in (
        (changed, aad),
        (sealed, aad + b"x"),
        (sealed[:-1], aad),
        (sealed + b"x", aad),
        (sealed[:at], aad),
    ):
        with pytest.raises(VaultError):
            vault.open(other, context)


def test_each_seal_is_another() -> None:
    """The same text twice can't be told to be the same."""
    vault = Vault(KEY)
    assert vault.seal(b"x", b"") != vault.seal(b"x", b"")


def test_another_key_opens_nothing() -> None:
    """And a key of another length is none."""
    sealed = Vault(KEY).seal(b"x", b"")
    with pytest.raises(VaultError):
        Vault(bytes(KEY_BYTES)).open(sealed, b"")
    for length in (0, 16, KEY_BYTES + 1):
        with pytest.raises(ValueError, match="32 bytes"):
            Vault(bytes(length))
