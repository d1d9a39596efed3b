"""PINs for spoken approvals: kept as scrypt hashes in `.storage`, never as text."""

import asyncio
import base64
import hashlib
import hmac
import secrets
from typing import Any, Final, TypedDict

from homeassistant.core import HomeAssistant
from homeassistant.helpers.storage import Store

from .answers import normal_pin

_KEY: Final = "caesar.pins"
_VERSION: Final = 1
_NAME_MAX: Final = 64
# About 80 ms of a small computer; 32 MiB.
_N: Final = 2**15
_R: Final = 8
_P: Final = 1
_MEMORY: Final = 64 * 1024 * 1024


class _Kept(TypedDict):
    salt: str
    hash: str


class InvalidPin(Exception):
    """A name or a PIN that can't be kept; `part` is `name` or `pin`."""

    def __init__(self, part: str) -> None:
        """Keep which of the two it is."""
        super().__init__(part)
        self.part = part


class Pins:
    """The house's PINs by name; a policy's `pin:` names one."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Keep them in this Home Assistant's storage; `async_start` reads them."""
        self._hass = hass
        self._store: Store[dict[str, Any]] = Store(
            hass, _VERSION, _KEY, private=True, atomic_writes=True
        )
        self._kept: dict[str, _Kept] = {}
        self._lock = asyncio.Lock()

    async def async_start(self) -> None:
        """Read what is kept."""
        data = await self._store.async_load()
        self._kept = dict(data["pins"]) if data else {}

    def names(self) -> tuple[str, ...]:
        """Return the names of all PINs, sorted."""
        return tuple(sorted(self._kept))

    async def async_keep(self, name: str, pin: str) -> None:
        """Keep a PIN of 4 to 12 digits under a name; raises InvalidPin."""
        name = name.strip()
        if not name or len(name) > _NAME_MAX or not name.isprintable():
            raise InvalidPin("name")
        digits = normal_pin(pin)
        if digits is None:
            raise InvalidPin("pin")
        salt = secrets.token_bytes(16)
        hashed = await self._hass.async_add_executor_job(_hash, digits, salt)
        async with self._lock:
            self._kept[name] = {"salt": _text(salt), "hash": _text(hashed)}
            await self._async_save()

    async def async_remove(self, name: str) -> None:
        """Forget a PIN; nothing happens if there is none of that name."""
        async with self._lock:
            if self._kept.pop(name, None) is not None:
                await self._async_save()

    async def async_verify(self, name: str, digits: str) -> bool:
        """Return whether this is the PIN of that name; a missing one takes as long."""
        kept = self._kept.get(name)
        salt = base64.b64decode(kept["salt"]) if kept else b"\0" * 16
        hashed = await self._hass.async_add_executor_job(_hash, digits, salt)
        if kept is None or kept is not self._kept.get(name):
            return False
        return hmac.compare_digest(hashed, base64.b64decode(kept["hash"]))

    async def _async_save(self) -> None:
        await self._store.async_save({"pins": dict(self._kept)})


async def async_load_pins(hass: HomeAssistant) -> Pins:
    """Return the PINs of this Home Assistant, read from its storage."""
    pins = Pins(hass)
    await pins.async_start()
    return pins


async def async_remove_pins(hass: HomeAssistant) -> None:
    """Remove the file, when CAESAR's entry is removed."""
    store: Store[dict[str, Any]] = Store(hass, _VERSION, _KEY, private=True)
    await store.async_remove()


def _hash(digits: str, salt: bytes) -> bytes:
    return hashlib.scrypt(
        digits.encode(), salt=salt, n=_N, r=_R, p=_P, maxmem=_MEMORY, dklen=32
    )


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode()
