"""Who thinks and who works: agents with what they used today, workers, people."""

from typing import Any

from homeassistant.components.websocket_api import ActiveConnection
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations

from ..adapters.assistant import Assistant
from ..adapters.spending import this_month, today
from ..adapters.worker_status import LOCAL
from ..const import DOMAIN
from ..runtime import CaesarRuntime
from .common import Message, command


@command("house")
async def ws_house(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Return the agents and the workers as they are now, and who can be filtered by.

    The local worker is called what its device is: in the house's language.
    """
    named = await async_get_translations(hass, hass.config.language, "device", {DOMAIN})
    local = named.get(f"component.{DOMAIN}.device.local_worker.name")
    return {
        "agents": [
            {
                "title": assistant.settings.title,
                "brains": list(assistant.brains),
                "used": _used(hass, house, assistant) if assistant.models else None,
            }
            for assistant in house.assistants.values()
        ],
        "workers": [
            {
                "name": (local if status.id == LOCAL else None) or status.name,
                "online": status.online,
                "url": status.url,
                "version": status.version,
                "tools": list(status.tools),
                "changed": sorted(status.changed),
                "more": list(status.more),
                "refused": dict(status.refused),
                "error": status.last_error,
                "last_seen": status.last_seen.isoformat() if status.last_seen else None,
            }
            for status in house.workers.statuses()
        ],
        "people": [
            {"user_id": user.id, "name": user.name or user.id}
            for user in await hass.auth.async_get_users()
            if user.is_active and not user.system_generated
        ],
    }


def _used(
    hass: HomeAssistant, house: CaesarRuntime, assistant: Assistant
) -> dict[str, Any]:
    """Return what an agent's models were used for; no cost where no price is known."""
    spending, agent_id = house.meter.spending, assistant.settings.agent_id
    day = spending.since(agent_id, today())
    month = spending.since(agent_id, this_month())
    return {
        "tokens": day.tokens,
        "calls": day.calls,
        "cost": round(month.cost, 4) if month.priced else None,
        "currency": hass.config.currency,
    }
