"""What was asked for and isn't shared with Assist, and the way to share it."""

import sqlite3
from typing import Any

from homeassistant.components.websocket_api import ActiveConnection
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
import probatio

from ..actions.common import refused as refuse
from ..adapters.unshared import UnsharedEntities
from ..flows.share import async_share
from ..runtime import CaesarRuntime
from .common import Message, command


@command("unshared")
async def ws_unshared(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> list[dict[str, Any]]:
    """Return what was refused for it in the last week, what was asked most first."""
    unshared = UnsharedEntities(hass, house.audit, house.home)
    try:
        recent = await unshared.async_recent()
    except sqlite3.Error as err:
        raise refuse("trail_unreadable") from err
    return [
        {"entity_id": each.entity_id, "name": each.name, "count": each.count}
        for each in recent
    ]


@command("unshared/share", {probatio.Required("entity_id"): cv.entity_id})
async def ws_share(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Share one of these with Assist: models may see it from then on."""
    unshared = UnsharedEntities(hass, house.audit, house.home)
    try:
        shared = await async_share(hass, unshared, (msg["entity_id"],))
    except sqlite3.Error as err:
        raise refuse("trail_unreadable") from err
    if not shared:
        raise refuse("unknown_refusal")
    return {}
