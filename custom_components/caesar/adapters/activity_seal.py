"""The seal on CAESAR's events: any user of a companion app can fire any event."""

from collections.abc import Mapping
import hashlib
import hmac
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from ..legion.canonical import canonical_json

SEAL: Final = "seal"

_DATA_KEY: HassKey[bytes] = HassKey("caesar_activity_key")


@callback
def async_set_key(hass: HomeAssistant, house_key: bytes) -> None:
    """Derive the key of the seals from the house's; it stays when CAESAR unloads."""
    hass.data[_DATA_KEY] = hmac.digest(house_key, b"caesar activity 1", "sha256")


def seal(
    hass: HomeAssistant, event_type: str, context_id: str, data: Mapping[str, Any]
) -> str:
    """Return the seal of an event; the context keeps an old one from being reused."""
    text = canonical_json(
        {"type": event_type, "context": context_id, "data": dict(data)}
    )
    key = hass.data.get(_DATA_KEY, b"")
    return hmac.new(key, text.encode(errors="replace"), hashlib.sha256).hexdigest()


def is_sealed(
    hass: HomeAssistant,
    event_type: str,
    context_id: str | None,
    data: Mapping[str, Any],
) -> bool | None:
    """Return whether CAESAR fired this event; None while its key isn't loaded."""
    if _DATA_KEY not in hass.data:
        return None
    given = data.get(SEAL)
    if not isinstance(given, str) or context_id is None:
        return False
    rest = {key: value for key, value in data.items() if key != SEAL}
    try:
        mine = seal(hass, event_type, context_id, rest)
    except ValueError, TypeError:
        return False
    return hmac.compare_digest(mine.encode(), given.encode(errors="replace"))
